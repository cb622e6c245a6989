//! supraseal-c2 from crates.io on the circuits and parameters that `interlock-bench-prove --compare` leaves in a folder.
//!
//! `interlock-peer-supraseal K FOLDER [WARM [WORKERS]]` prints a row for bench/compare.sh for the loading of FOLDER/params, for the first proof
//! and for the WARM proofs (5) after it of each FOLDER/*.circuit; and for those of WORKERS threads (0), each of which makes as many of the
//! first circuit's after one. Proofs are right if their bytes are interlock's.

mod circuit;
mod loading;

// What supraseal-c2's C++ calls; its Rust does not name them, and they would not be linked.
use blst as _;
use sppark as _;

use std::path::{Path, PathBuf};
use std::thread;

use interlock_bench_measure::{device_use, timed, Row, Took};
use supraseal_c2::{generate_groth16_proofs, SRS};

use circuit::{Circuit, Proof};

const PROVER: &str = "supraseal-c2 0.1.2";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let number = |text: &str| text.parse::<usize>().map_err(|_| format!("{text:?} is no number"));
    let outcome = match words[..] {
        [k, folder] => all(k, Path::new(folder), 5, 0),
        [k, folder, warm] => number(warm).and_then(|warm| all(k, Path::new(folder), warm.max(1), 0)),
        [k, folder, warm, workers] => {
            number(warm).and_then(|warm| all(k, Path::new(folder), warm.max(1), number(workers)?))
        }
        _ => Err("usage: interlock-peer-supraseal K FOLDER [WARM [WORKERS]]".to_owned()),
    };
    if let Err(what) = outcome {
        eprintln!("{what}");
        std::process::exit(1);
    }
}

fn all(k: &str, folder: &Path, warm: usize, workers: usize) -> Result<(), String> {
    let path = folder.join("params");
    // The first time, CUDA starts and the system may have to find the memory.
    loading::load_and_drop(&path)?;
    let (srs, load) = timed(|| loading::load(&path));
    let srs = srs?;
    println!("{}", row(format!("loading 2^{k}"), &[load]));
    let mut is_first = true;
    for path in circuits(folder)? {
        let circuit = Circuit::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let name = format!("2^{k}, {}", path.file_stem().unwrap_or_default().to_string_lossy());
        proofs(&name, &circuit, &srs, warm, is_first)?;
        if is_first && workers > 0 {
            together(&name, &circuit, &srs, warm, workers)?;
        }
        is_first = false;
    }
    Ok(())
}

/// The circuits in `folder`, in the order in which they were written there.
fn circuits(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let told = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(told)? {
        let path = entry.map_err(told)?.path();
        if path.extension().is_some_and(|extension| extension == "circuit") {
            found.push((path.metadata().and_then(|of| of.modified()).map_err(told)?, path));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, path)| path).collect())
}

fn proofs(name: &str, circuit: &Circuit, srs: &SRS, warm: usize, is_first: bool) -> Result<(), String> {
    let right = |proof: &Proof| proof == &circuit.proof;
    let (proof, first) = timed(|| prove(circuit, srs));
    if is_first {
        println!("{}", Row { right: Some(right(&proof)), ..row(format!("first proof {name}"), &[first]) });
    }
    let (proofs, took): (Vec<Proof>, Vec<Took>) = (0..warm).map(|_| timed(|| prove(circuit, srs))).unzip();
    let device = device_use(|| {
        prove(circuit, srs);
        Ok(())
    })?;
    println!("{}", Row { right: Some(proofs.iter().all(right)), device, ..row(format!("proof {name}"), &took) });
    Ok(())
}

/// The proofs of so many threads at once, each of which makes `rounds` after one that is not counted.
fn together(name: &str, circuit: &Circuit, srs: &SRS, rounds: usize, workers: usize) -> Result<(), String> {
    let run = |rounds: usize| -> Result<Vec<(Proof, Took)>, String> {
        thread::scope(|scope| {
            let worker = || (0..rounds).map(|_| timed(|| prove(circuit, srs))).collect::<Vec<_>>();
            let threads: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
            let joined = threads.into_iter().map(|thread| thread.join().map_err(|_| "a worker panicked".to_owned()));
            Ok(joined.collect::<Result<Vec<_>, _>>()?.concat())
        })
    };
    run(1)?;
    let (calls, all) = timed(|| run(rounds));
    let calls = calls?;
    let device = device_use(|| run(1).map(drop))?;
    let right = Some(calls.iter().all(|(proof, _)| *proof == circuit.proof));
    let seconds = calls.iter().map(|(_, took)| took.seconds).collect();
    let of = |what: &str, seconds| Row::new(format!("{what} of {workers} workers {name}"), PROVER, seconds);
    println!("{}", Row { right, ..of("a call", seconds) });
    let count = calls.len() as f64;
    let row = of("a circuit", vec![all.seconds / count]);
    println!("{}", Row { cpu_seconds: vec![all.cpu_seconds / count], device, right, ..row });
    Ok(())
}

fn prove(circuit: &Circuit, srs: &SRS) -> Proof {
    let mut proofs = [[0; 48]];
    generate_groth16_proofs(&[circuit.assignment()], &[circuit.r], &[circuit.s], &mut proofs, srs);
    proofs[0]
}

fn row(work: String, took: &[Took]) -> Row {
    let seconds = took.iter().map(|took| took.seconds).collect();
    Row { cpu_seconds: took.iter().map(|took| took.cpu_seconds).collect(), ..Row::new(work, PROVER, seconds) }
}
