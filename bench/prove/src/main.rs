//! Times and checks whole proofs of circuits of any size that have the shape of Filecoin's PoRep.

mod children;
mod circuit;
mod exchange;
mod expected;
mod file;
mod floor;
mod known;
mod options;
mod report;
mod scalar;
mod traced;
mod work;
mod workers;

use std::io;
use std::path::Path;

use interlock::curve::Proof;
use interlock::prove::{prove, Batch};
use interlock::{logging, settings, Locks, Srs};
use interlock_bench_measure::{device_use, timed};

use circuit::{Densities, Made};
use known::{Counts, Logs};
use options::Options;
use report::{Loading, Proofs, Report};
use work::{Mix, Sizes, POREP, TWELVE};
use workers::Work;

fn main() {
    let outcome = Options::parse(std::env::args().skip(1)).and_then(|options| run(&options));
    if let Err(what) = outcome {
        eprintln!("{what}");
        std::process::exit(1);
    }
}

fn run(options: &Options) -> Result<(), String> {
    settings::set_backend(options.backend);
    if let Some(params) = &options.child {
        return children::be_one(options.sizes[0], params, options.sizes[0] <= options.check_up_to);
    }
    logging::set_level(logging::Level::Info);
    let mut report = Report::default();
    let done = options.sizes.iter().try_for_each(|log2| {
        let stays = options.compare || options.keep;
        let name = match stays {
            true => log2.to_string(),
            false => format!("interlock-bench-{log2}-{}", std::process::id()),
        };
        let folder = options.folder.join(name);
        let done = size(*log2, &folder, options, &mut report);
        if !stays {
            // What was never made need not go.
            let _ = std::fs::remove_dir_all(&folder);
        }
        done.map_err(|what| format!("2^{log2}: {what}"))
    });
    if options.compare {
        report.print_rows();
    } else {
        print!("{report}");
    }
    done?;
    match (report.wrong(), report.failures()) {
        (0, None) => Ok(()),
        (0, Some(first)) => Err(format!("calls of workers failed, the first so: {first}")),
        (n, _) => Err(format!("{n} proofs are WRONG")),
    }
}

/// All that is measured at one size.
fn size(log2: u32, folder: &Path, options: &Options, report: &mut Report) -> Result<(), String> {
    let written = |path: &Path, outcome: io::Result<u64>| {
        outcome.map_err(|error| format!("{} cannot be written: {error}", path.display()))
    };
    written(folder, std::fs::create_dir_all(folder).map(|()| 0))?;
    let path = &folder.join("params");
    let logs = Logs::new();
    let densities = Densities::new(Sizes::of(log2));
    let counts = Counts::of(&densities);
    let bytes = file::bytes(&counts);
    if !options.keep || path.metadata().map_or(true, |found| found.len() != bytes) {
        let (done, wrote) = timed(|| file::write(path, &logs, &counts));
        written(path, done)?;
        eprintln!("2^{log2}: parameters of {bytes} bytes written in {:.2} s", wrote.seconds);
    }

    let open = || timed(|| Srs::open(path, false));
    let told = |error: interlock::Error| error.to_string();
    // The first time, the system may have to find the memory.
    drop(open().0.map_err(told)?);
    let (srs, load) = open();
    let srs = srs.map_err(told)?;
    report.loadings.push(Loading { log2, bytes, took: load, floor: floor::loading(bytes) });

    let mut is_first = true;
    let mixes: &[&Mix] = if options.workers.is_empty() || options.compare { &[&POREP, &TWELVE] } else { &[&POREP] };
    for mix in mixes {
        let (made, making) = timed(|| Made::new(&densities, mix));
        eprintln!("2^{log2}, {}: circuit made in {:.2} s", mix.name, making.seconds);
        let (proof, proofs) = proofs(&made, mix, &srs, &logs, options, is_first)?;
        report.proofs.push(proofs);
        if is_first {
            let work =
                Work { made: &made, srs: &srs, proof: &proof, circuits: options.circuits, overlap: options.overlap };
            for workers in &options.workers {
                let together = workers::measure(*workers, &work, options.rounds);
                eprintln!("2^{log2}, {workers} workers: {:.3} s", together.seconds);
                report.workers.push((log2, mix.name, together));
            }
        }
        if options.compare {
            let path = folder.join(format!("{}.circuit", mix.name));
            written(&path, exchange::write(&path, &made, &proof))?;
        }
        is_first = false;
    }
    drop(srs);
    // Theirs is the memory, but for this process's context.
    interlock::release_memory().map_err(told)?;
    for count in &options.children {
        let took = children::measure(log2, path, options, *count)?;
        report.children.push((log2, took));
    }
    Ok(())
}

/// The proofs of one circuit: the first, and what they took.
fn proofs(
    made: &Made<'_>,
    mix: &Mix,
    srs: &Srs,
    logs: &Logs,
    options: &Options,
    is_first: bool,
) -> Result<(Proof, Proofs), String> {
    let one = || prove_once(made, srs);
    let (proof, first) = timed(one);
    let proof = proof?;
    let log2 = made.densities.sizes.log2;
    let mut wrong = None;
    if log2 <= options.check_up_to {
        let (expected, took) = timed(|| expected::proof(made, logs));
        wrong = Some(differences(&proof, &expected?));
        eprintln!("2^{log2}, {}: checked in {:.2} s", mix.name, took.seconds);
    }
    let same = |again: Proof| if again == proof { Ok(()) } else { Err("two proofs of one circuit differ".to_owned()) };
    let mut warm = Vec::new();
    for _ in 0..options.warm {
        let (again, took) = timed(one);
        same(again?)?;
        eprintln!("2^{log2}, {}: {:.4} s, {:.3} CPU s", mix.name, took.seconds, took.cpu_seconds);
        warm.push(took);
    }
    if let Some(path) = options.trace.as_deref().filter(|_| is_first) {
        traced::all(one, &proof, (options.warm, options.workers.last().copied().unwrap_or(3)), path)?;
    }
    let device = device_use(|| same(one()?))?;
    let first = is_first.then_some(first);
    Ok((proof, Proofs { log2, mix: mix.name, first, warm, device, wrong, floor: floor::proof(made) }))
}

fn prove_once(made: &Made<'_>, srs: &Srs) -> Result<Proof, String> {
    let evaluations = [made.evaluations()];
    let proofs = prove(Batch {
        evaluations: &evaluations,
        witnesses: vec![made.witness()],
        blindings: vec![made.blinding],
        srs: srs.parameters().clone(),
        locks: Locks::shared(),
        device: None,
    });
    proofs.map(|proofs| proofs[0]).map_err(|error| error.to_string())
}

/// Names of the points that are wrong.
fn differences(found: &Proof, expected: &Proof) -> Vec<&'static str> {
    let same = [("A", found.a == expected.a), ("B", found.b == expected.b), ("C", found.c == expected.c)];
    same.into_iter().filter(|(_, same)| !same).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use interlock::curve::FR_ONE;

    #[test]
    fn proofs_are_as_expected_and_others_are_noticed() {
        settings::set_backend(settings::BackendChoice::Cpu);
        let logs = Logs::new();
        let densities = Densities::new(Sizes::of(9));
        let path = std::env::temp_dir().join(format!("interlock-bench-test-{}.params", std::process::id()));
        file::write(&path, &logs, &Counts::of(&densities)).unwrap();
        let srs = Srs::open(&path, false).unwrap();
        std::fs::remove_file(&path).unwrap();

        let mut made = Made::new(&densities, &POREP);
        let expected = expected::proof(&made, &logs).unwrap();
        let wrong = |made: &Made<'_>| differences(&prove_once(made, &srs).unwrap(), &expected);
        assert!(wrong(&made).is_empty());

        let in_both =
            (0..made.aux.len()).find(|i| (densities.a_aux[i / 64] & densities.b_aux[i / 64]) >> (i % 64) & 1 == 1);
        let i = in_both.unwrap();
        let value = made.aux[i];
        made.aux[i] = scalar::add(&value, &FR_ONE);
        assert_eq!(wrong(&made), ["A", "B", "C"]);
        made.aux[i] = value;
        made.c[17] = scalar::add(&made.c[17], &FR_ONE);
        assert_eq!(wrong(&made), ["C"]);
    }
}
