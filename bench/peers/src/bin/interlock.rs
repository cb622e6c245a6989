//! Proves the made circuit with interlock, its parameters in memory.
//!
//! `peer-interlock K FOLDER` reads FOLDER/params, writes FOLDER/interlock.proof, and on standard output the wall-clock and CPU
//! seconds of the proof.

use std::path::Path;

use interlock::prove::{prove, Batch, Blinding, Density, Evaluations, Witness};
use interlock::{Locks, Srs};
use interlock_peers::{CpuTime, Made};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, k, folder] = &arguments[..] else { return Err("usage: peer-interlock K FOLDER".into()) };
    let folder = Path::new(folder);
    let made = Made::new(k.parse()?);
    let [a, b, c] = made.evaluations();
    let [a_aux, b_aux, b_inp] = made.densities();
    let srs = Srs::open(folder.join("params"), true)?;
    let batch = Batch {
        evaluations: &[Evaluations { a: &a, b: &b, c: &c }],
        witnesses: vec![Witness {
            inp: &made.inputs,
            aux: &made.aux,
            a_aux_density: Density::new(&a_aux, made.aux.len()),
            b_inp_density: Density::new(&b_inp, made.inputs.len()),
            b_aux_density: Density::new(&b_aux, made.aux.len()),
        }],
        blindings: vec![Blinding { r: made.r, s: made.s }],
        srs: srs.parameters().clone(),
        locks: Locks::shared(),
        device: None,
    };
    let start = CpuTime::now();
    let proofs = prove(batch)?;
    let (wall, cpu) = start.until(&CpuTime::now());
    println!("{wall:.4} {cpu:.4}");
    std::fs::write(folder.join("interlock.proof"), proofs[0].to_compressed())?;
    Ok(())
}
