//! Proves the made circuit with bellperson's CPU prover.
//!
//! `peer-bellperson K FOLDER` writes FOLDER/params if it is not there, FOLDER/bellperson.proof, and on standard output the
//! wall-clock and CPU seconds of its prover: from where it logs that it starts its proof timer to where it logs the
//! timer's value, so without synthesis.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;
use std::sync::{Arc, Mutex};

use bellperson::groth16::{create_proof_batch, Parameters, VerifyingKey};
use bellperson::{Circuit, ConstraintSystem, LinearCombination, SynthesisError};
use blstrs::{Bls12, G1Affine, G1Projective, G2Affine, G2Projective, Scalar};
use group::{prime::PrimeCurveAffine, Curve};
use interlock_peers::{CpuTime, Made, TILE};

struct Replay<'m>(&'m Made);

impl Circuit<Scalar> for Replay<'_> {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        for input in &self.0.inputs[1..] {
            cs.alloc_input(|| "", || Ok((*input).into()))?;
        }
        let aux = self.0.aux.iter().map(|x| cs.alloc(|| "", || Ok((*x).into()))).collect::<Result<Vec<_>, _>>()?;
        for constraint in &self.0.constraints {
            let of_a = (Scalar::from(constraint.a_coefficient), aux[constraint.a_variable]);
            let spare = constraint.spare.map(|i| aux[i]);
            let of_b = constraint.b_variable.map_or(CS::one(), |i| aux[i]);
            let of_c = (Scalar::from(constraint.c), CS::one());
            let with_spare = |lc: LinearCombination<Scalar>| match spare {
                Some(spare) => lc + spare,
                None => lc,
            };
            cs.enforce(|| "", |lc| with_spare(lc + of_a), |lc| lc + of_b, |lc| lc + of_c);
        }
        Ok(())
    }
}

/// Notes when bellperson says that its proof timer starts and ends.
struct Timer(Mutex<[Option<CpuTime>; 2]>);

impl log::Log for Timer {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }
    fn log(&self, record: &log::Record<'_>) {
        let message = record.args().to_string();
        let mut times = self.0.lock().expect("no one panics here");
        if message == "starting proof timer" {
            times[0] = Some(CpuTime::now());
        } else if message.starts_with("prover time: ") {
            times[1] = Some(CpuTime::now());
        }
    }
    fn flush(&self) {}
}

static TIMER: Timer = Timer(Mutex::new([None; 2]));

fn multiples<P: Curve>() -> Vec<P::AffineRepr> {
    std::iter::successors(Some(P::generator()), |point| Some(*point + P::generator()))
        .take(TILE)
        .map(|point| point.to_affine())
        .collect()
}

fn parameters(made: &Made, k: u32) -> Parameters<Bls12> {
    let (g1, g2) = (multiples::<G1Projective>(), multiples::<G2Projective>());
    let ones = |words: &[u64]| words.iter().map(|w| w.count_ones() as usize).sum::<usize>();
    let [a, b, b_inputs] = made.densities().map(|words| ones(&words));
    let of_g1 = |n: usize, from: usize| (0..n).map(|i| g1[(i + from) % TILE]).collect::<Vec<G1Affine>>();
    let of_g2 = |n: usize| (0..n).map(|i| g2[(i + 5) % TILE]).collect::<Vec<G2Affine>>();
    Parameters {
        vk: VerifyingKey {
            alpha_g1: g1[10],
            beta_g1: g1[11],
            beta_g2: g2[11],
            gamma_g2: G2Affine::generator(),
            delta_g1: g1[12],
            delta_g2: g2[12],
            ic: of_g1(made.inputs.len(), 0),
        },
        h: Arc::new(of_g1((1 << k) - 1, 1)),
        l: Arc::new(of_g1(made.aux.len(), 2)),
        a: Arc::new(of_g1(made.inputs.len() + a, 3)),
        b_g1: Arc::new(of_g1(b_inputs + b, 4)),
        b_g2: Arc::new(of_g2(b_inputs + b)),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, k, folder] = &arguments[..] else { return Err("usage: peer-bellperson K FOLDER".into()) };
    let (k, folder) = (k.parse()?, Path::new(folder));
    let made = Made::new(k);
    let path = folder.join("params");
    if !path.exists() {
        let unfinished = folder.join("params.unfinished");
        parameters(&made, k).write(BufWriter::new(File::create(&unfinished)?))?;
        std::fs::rename(unfinished, &path)?;
    }
    let parameters = Parameters::<Bls12>::read(BufReader::new(File::open(&path)?), false)?;
    log::set_logger(&TIMER).map_err(|e| e.to_string())?;
    log::set_max_level(log::LevelFilter::Info);
    let proofs = create_proof_batch(vec![Replay(&made)], &parameters, vec![made.r.into()], vec![made.s.into()])?;
    let times = TIMER.0.lock().expect("no one panics here");
    let [Some(start), Some(end)] = *times else { return Err("bellperson logged no proof timer".into()) };
    let (wall, cpu) = start.until(&end);
    println!("{wall:.4} {cpu:.4}");
    proofs[0].write(File::create(folder.join("bellperson.proof"))?)?;
    Ok(())
}
