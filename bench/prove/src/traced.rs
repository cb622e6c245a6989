//! What tracing costs, and the trace of several workers at once.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use interlock::curve::Proof;
use interlock::trace;
use interlock_bench_measure::{median, sorted, timed};

/// Times proofs with and without a trace, as many of each; then has workers prove as many each at once, and writes the trace of that to
/// `path`.
///
/// # Errors
/// What went wrong, in words.
pub fn all(
    prove: impl Fn() -> Result<Proof, String> + Sync,
    proof: &Proof,
    (warm, workers): (usize, usize),
    path: &Path,
) -> Result<(), String> {
    let one = || if prove()? == *proof { Ok(()) } else { Err("a proof differs from the first".to_owned()) };
    cost(one, warm)?;
    together(one, warm, workers)?;
    trace::stop();
    trace::write(path).map_err(|error| error.to_string())?;
    eprintln!("  trace written to {}", path.display());
    Ok(())
}

/// In turn, so that what changes in the meantime changes both.
fn cost(one: impl Fn() -> Result<(), String>, warm: usize) -> Result<(), String> {
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for _ in 0..warm {
        trace::stop();
        let (done, took) = timed(&one);
        done?;
        without.push(took);
        start()?;
        let (done, took) = timed(&one);
        done?;
        with.push(took);
    }
    let of = |seconds: Vec<f64>| median(&sorted(seconds));
    let wall = [&without, &with].map(|took| of(took.iter().map(|took| took.seconds).collect()));
    let cpu = [&without, &with].map(|took| of(took.iter().map(|took| took.cpu_seconds).collect()));
    eprintln!(
        "  median untraced {:.4} s, {:.3} CPU s; traced {:.4} s ({:+.2} %), {:.3} CPU s ({:+.2} %)",
        wall[0],
        cpu[0],
        wall[1],
        (wall[1] / wall[0] - 1.0) * 100.0,
        cpu[1],
        (cpu[1] / cpu[0] - 1.0) * 100.0
    );
    Ok(())
}

fn together(one: impl Fn() -> Result<(), String> + Sync, warm: usize, workers: usize) -> Result<(), String> {
    start()?;
    // Of each worker, when its proofs were over.
    let worker = || -> Result<Vec<(Instant, Duration)>, String> {
        (0..=warm)
            .map(|_| {
                let begun = Instant::now();
                one()?;
                let ended = Instant::now();
                Ok((ended, ended - begun))
            })
            .collect()
    };
    let ended = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        let joined = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| Err("a panic".to_owned())));
        joined.collect::<Result<Vec<_>, _>>()
    })?;
    // All work from when the last has its first proof until the first has its last.
    let from = ended.iter().map(|of| of[0].0).max();
    let until = ended.iter().map(|of| of[warm].0).min();
    let (Some(from), Some(until)) = (from, until) else { return Ok(()) };
    let within = ended.iter().flatten().filter(|(ended, _)| (from..until).contains(ended));
    let took = sorted(within.map(|(_, took)| took.as_secs_f64()).collect());
    let window = until.saturating_duration_since(from).as_secs_f64();
    if took.is_empty() {
        eprintln!("  {workers} workers: too few proofs to tell; --warm makes them more");
        return Ok(());
    }
    eprintln!(
        "  {workers} workers: {:.4} s a proof, calls of {:.4} to {:.4} s, median {:.4} s; device 0 computed {:.1} % of the time",
        window / took.len() as f64,
        took[0],
        took[took.len() - 1],
        median(&took),
        trace::busy(0, from..until) * 100.0
    );
    Ok(())
}

fn start() -> Result<(), String> {
    trace::start().map_err(|error| error.to_string())
}
