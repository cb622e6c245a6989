//! What is proved, with which parameters and blinding scalars: the same in every package here.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use bellperson::groth16::{prepare_verifying_key, verify_proof, Proof, VerifyingKey};
use blstrs::{Bls12, Scalar};
use ff::Field;
use rand_core::SeedableRng;
use rand_xorshift::XorShiftRng;

use crate::Preimage;

/// A batch of proofs.
pub struct Case {
    /// Names its file of proofs.
    pub name: &'static str,
    /// Names its parameter file.
    pub circuit: &'static str,
    /// What is proved, one a proof.
    pub preimages: Vec<Preimage>,
}

impl Case {
    /// Every case.
    pub fn all() -> [Self; 3] {
        let mimc = |i: u64| Preimage::Mimc(Scalar::from(i), -Scalar::from(i * i));
        let hello = b"The quick brown fox jumps over the lazy dog".to_vec();
        [
            Self { name: "sha256", circuit: "sha256", preimages: vec![Preimage::Sha256(hello)] },
            Self { name: "mimc", circuit: "mimc", preimages: vec![mimc(1)] },
            Self { name: "mimc-batch", circuit: "mimc", preimages: vec![mimc(2), mimc(3), mimc(4)] },
        ]
    }

    /// r and s, one of each a proof.
    pub fn blindings(&self) -> (Vec<Scalar>, Vec<Scalar>) {
        let mut rng = seeded(self.name);
        self.preimages.iter().map(|_| (Scalar::random(&mut rng), Scalar::random(&mut rng))).unzip()
    }

    /// Its parameter file in `dir`.
    pub fn params(&self, dir: &Path) -> PathBuf {
        dir.join(self.circuit).with_extension("params")
    }

    /// How many of `proofs` bellperson's verifier accepts for the inputs of this case.
    ///
    /// # Errors
    /// If the verifying key cannot be read from the parameter file in `dir`, or bellperson refuses the inputs.
    pub fn verified(&self, dir: &Path, proofs: &[Proof<Bls12>]) -> io::Result<usize> {
        let key = prepare_verifying_key(&VerifyingKey::<Bls12>::read(File::open(self.params(dir))?)?);
        let mut verified = 0;
        for (preimage, proof) in self.preimages.iter().zip(proofs) {
            let valid = verify_proof(&key, proof, &preimage.public_inputs()).map_err(io::Error::other)?;
            verified += usize::from(valid);
        }
        Ok(verified)
    }

    /// The file of its proofs in `dir`: 192 bytes each, compressed.
    pub fn proofs(&self, dir: &Path) -> PathBuf {
        dir.join(self.name).with_extension("proofs")
    }
}

/// A generator of scalars that is the same in every run.
pub fn seeded(name: &str) -> XorShiftRng {
    let mut seed = [1; 16];
    seed.iter_mut().zip(name.bytes()).for_each(|(s, b)| *s = b);
    XorShiftRng::from_seed(seed)
}
