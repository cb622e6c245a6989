//! Circuits for tests: "I know a preimage of this hash", for SHA-256 and for MiMC.

use bellperson::gadgets::boolean::{AllocatedBit, Boolean};
use bellperson::gadgets::{multipack, sha256::sha256};
use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;
use ff::Field;
use sha2::{Digest, Sha256};

/// Cubings that 255 bits need.
const MIMC_ROUNDS: usize = 161;

/// A secret, and the public hash of it.
#[derive(Clone)]
pub enum Preimage {
    /// Bytes, hashed with SHA-256: about 26 000 constraints for every 64 bytes or part of them, padding included.
    Sha256(Vec<u8>),
    /// A pair of scalars, hashed with MiMC in a Feistel network: two constraints a round.
    Mimc(Scalar, Scalar),
}

impl Preimage {
    /// The public inputs: the hash, packed into scalars.
    pub fn public_inputs(&self) -> Vec<Scalar> {
        match self {
            Self::Sha256(bytes) => multipack::compute_multipacking(&multipack::bytes_to_bits(&Sha256::digest(bytes))),
            Self::Mimc(left, right) => {
                let rounds = (0..MIMC_ROUNDS).map(round_constant);
                let (hash, _) = rounds.fold((*left, *right), |(l, r), k| (r + (l + k).square() * (l + k), l));
                vec![hash]
            }
        }
    }
}

impl Circuit<Scalar> for Preimage {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        match self {
            Self::Sha256(bytes) => synthesize_sha256(cs, &bytes),
            Self::Mimc(left, right) => synthesize_mimc(cs, left, right),
        }
    }
}

fn synthesize_sha256<CS: ConstraintSystem<Scalar>>(cs: &mut CS, bytes: &[u8]) -> Result<(), SynthesisError> {
    let bits = multipack::bytes_to_bits(bytes)
        .into_iter()
        .enumerate()
        .map(|(i, bit)| AllocatedBit::alloc(cs.namespace(|| format!("bit {i}")), Some(bit)).map(Boolean::from))
        .collect::<Result<Vec<_>, _>>()?;
    let hash = sha256(cs.namespace(|| "sha256"), &bits)?;
    multipack::pack_into_inputs(cs.namespace(|| "hash"), &hash)
}

fn synthesize_mimc<CS: ConstraintSystem<Scalar>>(
    cs: &mut CS,
    left: Scalar,
    right: Scalar,
) -> Result<(), SynthesisError> {
    let (mut l_value, mut r_value) = (left, right);
    let mut l = cs.alloc(|| "left", || Ok(left))?;
    let mut r = cs.alloc(|| "right", || Ok(right))?;
    for i in 0..MIMC_ROUNDS {
        let k = round_constant(i);
        let square_value = (l_value + k).square();
        let next_value = r_value + square_value * (l_value + k);

        let square = cs.alloc(|| format!("square {i}"), || Ok(square_value))?;
        let next = if i + 1 == MIMC_ROUNDS {
            cs.alloc_input(|| "hash", || Ok(next_value))?
        } else {
            cs.alloc(|| format!("left {i}"), || Ok(next_value))?
        };
        cs.enforce(
            || format!("square {i}"),
            |lc| lc + l + (k, CS::one()),
            |lc| lc + l + (k, CS::one()),
            |lc| lc + square,
        );
        cs.enforce(|| format!("cube {i}"), |lc| lc + square, |lc| lc + l + (k, CS::one()), |lc| lc + next - r);

        (l, r) = (next, l);
        (l_value, r_value) = (next_value, l_value);
    }
    Ok(())
}

/// Powers of 7, a generator of the field's multiplicative group.
fn round_constant(round: usize) -> Scalar {
    Scalar::from(7).pow([round as u64])
}
