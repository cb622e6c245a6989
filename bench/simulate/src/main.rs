//! How busy a GPU is kept by workers that share it: under interlock's rules, under one lock, and under the two locks of
//! an earlier attempt elsewhere.
//!
//! Usage: interlock-simulate [WORKERS PROOFS CPUS GIB PHASE...]
//!
//! Without arguments: that attempt's numbers. CPUS is how many workers the CPU serves at once without any of them
//! getting slower, GIB the device's memory. A PHASE of a partition is CPU/UPLOAD/KERNELS/GIB[+KERNELS/GIB...]: seconds on
//! the CPU, seconds of the upload, then kernels in order, each with seconds and the GiB that nothing needs after it.

mod interlock;
mod load;
mod others;
mod report;
mod world;

use std::process::ExitCode;

use load::{Kernel, Load, Phase, GIB};

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        report::attempt();
        return ExitCode::SUCCESS;
    }
    match parse(&arguments) {
        Some((load, phases)) => {
            report::own(&phases, load);
            ExitCode::SUCCESS
        }
        None => {
            eprintln!("usage: interlock-simulate [WORKERS PROOFS CPUS GIB CPU/UPLOAD/KERNELS/GIB[+KERNELS/GIB...]...]");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: &[String]) -> Option<(Load, Vec<Phase>)> {
    let [workers, proofs, cpus, budget, phases @ ..] = arguments else { return None };
    let count = |text: &str| text.parse().ok().filter(|count| (1..=1000).contains(count));
    let load = Load { workers: count(workers)?, proofs: count(proofs)?, cpus: count(cpus)?, budget: bytes(budget)? };
    let phases: Vec<_> = phases.iter().map(|phase| parse_phase(phase)).collect::<Option<_>>()?;
    (!phases.is_empty()).then_some((load, phases))
}

fn parse_phase(text: &str) -> Option<Phase> {
    let (cpu, rest) = text.split_once('/')?;
    let (upload, kernels) = rest.split_once('/')?;
    let kernel = |text: &str| {
        let (time, size) = text.split_once('/')?;
        Some(Kernel { seconds: seconds(time)?, bytes: bytes(size)? })
    };
    let kernels = kernels.split('+').map(kernel).collect::<Option<_>>()?;
    Some(Phase { cpu: seconds(cpu)?, upload: seconds(upload)?, kernels })
}

fn seconds(text: &str) -> Option<f64> {
    text.parse().ok().filter(|seconds| (0.0..1e6).contains(seconds))
}

fn bytes(text: &str) -> Option<usize> {
    text.parse().ok().filter(|gib| (0.0..1e6).contains(gib)).map(|gib: f64| (gib * GIB as f64) as usize)
}

#[cfg(test)]
mod tests;
