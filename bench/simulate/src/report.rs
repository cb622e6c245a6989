//! What is printed: a table in Markdown.

use crate::interlock;
use crate::load::{Kernel, Load, Outcome, Phase, GIB};
use crate::others::{one_lock, two_locks, Partition};

/// Runs of each row, with other noise.
const RUNS: u64 = 20;

/// A 32 GiB PoRep's partition as the earlier attempt had it. Inside the kernels' lock it uploaded 12 GiB from pageable
/// memory, at 7.8 GB/s.
const ATTEMPT: Partition =
    Partition { cpu: 1.9, cpu_beside: 0.5, upload: 0.018, upload_instead: 1.65, kernels: 1.82, bytes: 12 * GIB };

/// The same partition in interlock's phases: the witness's MSMs, then a, b and c to h, then h's MSM.
fn phases(cpu: f64, upload: f64) -> Vec<Phase> {
    let kernel = |seconds, gib| Kernel { seconds, bytes: gib * GIB };
    vec![
        Phase { cpu, upload: upload / 4.0, kernels: vec![kernel(0.65 + 0.08, 2)] },
        Phase { cpu: 0.0, upload, kernels: vec![kernel(0.69, 8), kernel(0.4, 4)] },
    ]
}

/// Prints what the earlier attempt would do, and what interlock would do in its place.
pub fn attempt() {
    header();
    let load = |workers, gib, cpus| Load { workers, proofs: 10, cpus, budget: gib * GIB };
    for workers in [1, 3] {
        row("one lock", load(workers, 16, 3), |load, seed| Some(one_lock(ATTEMPT, load, seed)));
    }
    row("two locks", load(3, 16, 3), |load, seed| Some(two_locks(ATTEMPT, load, seed)));
    let slow = phases(ATTEMPT.cpu + ATTEMPT.cpu_beside, ATTEMPT.upload);
    for cpus in [1, 3] {
        row("interlock, with the attempt's CPU work", load(3, 16, cpus), |load, seed| {
            interlock::simulate(&slow, load, seed)
        });
    }
    let own = phases(0.2, 0.26);
    for (workers, gib) in [(1, 16), (2, 16), (3, 16), (8, 16), (3, 14), (3, 12), (3, 24), (3, 11)] {
        row("interlock", load(workers, gib, 1), |load, seed| interlock::simulate(&own, load, seed));
    }
}

/// Prints what interlock would do.
pub fn own(phases: &[Phase], load: Load) {
    header();
    row("interlock", load, |load, seed| interlock::simulate(phases, load, seed));
}

fn header() {
    println!("| rules | workers | CPUs | GiB | a proof takes, s | time by proofs, s | GPU busy | slowest by median partition | made again, a proof |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
}

fn row(name: &str, load: Load, run: impl Fn(Load, u64) -> Option<Outcome>) {
    let Load { workers, cpus, budget, .. } = load;
    print!("| {name} | {workers} | {cpus} | {} |", budget as f64 / GIB as f64);
    match (0..RUNS).map(|seed| run(load, seed)).collect::<Option<Vec<_>>>() {
        Some(runs) => {
            let Outcome { proof, share, busy, slowest, failures } = Outcome::mean(&runs);
            println!(" {proof:.1} | {share:.1} | {:.0} % | {slowest:.2} | {failures:.2} |", busy * 100.0);
        }
        None => println!(" a phase does not fit | | | | |"),
    }
}
