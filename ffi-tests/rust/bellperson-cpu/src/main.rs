//! `bellperson-cpu DIR`: writes each case's parameters and bellperson's own proofs for it into DIR.

use std::error::Error;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use bellperson::groth16::{create_proof_batch, generate_random_parameters, Parameters, Proof};
use blstrs::Bls12;
use interlock_ffi_tests::{seeded, Case};

fn main() -> Result<(), Box<dyn Error>> {
    let dir = PathBuf::from(std::env::args_os().nth(1).ok_or("usage: bellperson-cpu DIR")?);
    fs::create_dir_all(&dir)?;
    for case in Case::all() {
        let path = case.params(&dir);
        let params = generate_random_parameters::<Bls12, _, _>(case.preimages[0].clone(), &mut seeded(case.circuit))?;
        replace(&path, |file| params.write(file))?;
        let proofs = prove(&case, &params)?;
        if case.verified(&dir, &proofs)? != proofs.len() {
            return Err(format!("{}: bellperson rejects its own proofs", case.name).into());
        }
        replace(&case.proofs(&dir), |file| proofs.iter().try_for_each(|proof| proof.write(&mut *file)))?;
        println!("{}: {} and {} proofs", case.name, path.display(), proofs.len());
    }
    Ok(())
}

fn prove(case: &Case, params: &Parameters<Bls12>) -> Result<Vec<Proof<Bls12>>, Box<dyn Error>> {
    let (r_s, s_s) = case.blindings();
    Ok(create_proof_batch(case.preimages.clone(), params, r_s, s_s)?)
}

/// Writes a file beside `path` and moves it there, so that whoever reads `path` never sees half a file.
fn replace(path: &Path, write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> std::io::Result<()> {
    let mut content = Vec::new();
    write(&mut content)?;
    let partial = path.with_extension("partial");
    fs::File::create(&partial)?.write_all(&content)?;
    fs::rename(&partial, path)
}
