//! Failures of CUDA, each in turn: an error each time or the right proof, nothing lost, nobody else's proof wrong, and the next one right.

mod children;
mod injection;
mod watchdog;

use interlock::curve::Proof;
use interlock::kit::{counts, points_on_device};
use interlock::release_memory;
use interlock::settings::{set_backend, BackendChoice};

pub use children::{calls_of_a_proof, lose};

use crate::shapes::{Batches, Way};
use injection::Work;

/// Errors that do not end the use of the device: no memory, and that devices are unavailable.
const STATUSES: [i32; 2] = [46, 2];
/// How much longer proofs take whose parameters are streamed: as many times fewer of their calls fail.
const STREAMED_TAKES: usize = 4;
/// Processes in which the device is lost, at most.
const LOST: usize = 24;

/// Has each call of CUDA fail in turn, `most` in each kind of work, with each status, in processes of their own.
///
/// # Errors
/// What should not have been. Each has been printed.
pub fn check(most: usize) -> Result<(), String> {
    set_backend(BackendChoice::Gpu);
    let (number, fewer) = (most.to_string(), most.div_ceil(STREAMED_TAKES).to_string());
    let mut outcomes: Vec<Result<(), String>> = Vec::new();
    for status in STATUSES.map(|status| status.to_string()) {
        outcomes.push(children::part(&["faults-first", &status], None));
    }
    outcomes.push(children::part(&["faults-in-a-row"], None));
    outcomes.push(children::part(&["faults-resident", &number], None));
    for budget in children::streaming_budgets()? {
        println!("faults: parameters over 2^{} points, streamed under a budget of {budget} MiB:", children::STREAMED);
        outcomes.push(children::part(&["faults-streamed", &fewer], Some(budget)));
    }
    outcomes.push(children::lose_each(LOST.min(most)));
    let failed: Vec<String> = outcomes.into_iter().filter_map(Result::err).collect();
    if failed.is_empty() {
        return Ok(());
    }
    Err(failed.join("\n"))
}

/// The device's first start, the loading of the first parameters and the first proof, with `status`.
///
/// # Errors
/// What should not have been.
pub fn first(status: i32) -> Result<(), String> {
    set_backend(BackendChoice::Gpu);
    let batches = Batches::new("first", 6, Way::InTurn, &[1])?;
    let run = || batches.open().and_then(|srs| batches.prove(&srs));
    let work = Work { name: "first", run: &run, right: &batches.expected(), threads: 1, in_a_row: 1 };
    work.judged(status, work.fail_until_done(status))
}

/// Proofs with parameters in the device's memory, and their loading.
///
/// # Errors
/// What should not have been.
pub fn resident(most: usize) -> Result<(), String> {
    set_backend(BackendChoice::Gpu);
    let batch = Batches::new("batch", 6, Way::InTurn, &[2])?;
    let pending = Batches::new("pending", 6, Way::HalvesAndOneGivenUp, &[1, 2])?;
    let many = Batches::new("many", 6, Way::InTurn, &[24])?;
    all(most, &batch, &pending, &many, |batches| batches.expected())
}

/// A proof of one circuit in which each two calls fail that follow each other, all of them: so also what joins the streams of MSMs that are
/// done side by side, and the second attempt that is made when it fails.
///
/// # Errors
/// What should not have been.
pub fn in_a_row() -> Result<(), String> {
    set_backend(BackendChoice::Gpu);
    let batches = Batches::new("row", 6, Way::InTurn, &[1])?;
    let srs = batches.open()?;
    let run = || batches.prove(&srs);
    let work = Work { name: "a proof", run: &run, right: &batches.expected(), threads: 1, in_a_row: 2 };
    STATUSES.into_iter().try_for_each(|status| work.judged(status, work.fail_each(status, usize::MAX)?))
}

/// As [`resident`] with parameters that are streamed, under the budget of this process.
///
/// # Errors
/// What should not have been.
pub fn streamed(most: usize) -> Result<(), String> {
    set_backend(BackendChoice::Gpu);
    let log2 = children::STREAMED;
    let batch = Batches::new("batch", log2, Way::InTurn, &[2])?;
    let pending = Batches::new("pending", log2, Way::HalvesAndOneGivenUp, &[1, 1])?;
    let many = Batches::new("many", log2, Way::InTurn, &[8])?;
    if points_on_device(batch.open()?.parameters()).is_ok() {
        return Err("the parameters are not streamed".to_owned());
    }
    let by_cpu = |batches: &Batches| {
        set_backend(BackendChoice::Cpu);
        let proofs = batches.open().and_then(|srs| batches.prove(&srs));
        set_backend(BackendChoice::Gpu);
        proofs.unwrap_or_default()
    };
    all(most, &batch, &pending, &many, by_cpu)
}

/// All work of a process, in which each call fails in turn; and then `many` circuits, which must be right.
fn all(
    most: usize,
    batch: &Batches,
    pending: &Batches,
    many: &Batches,
    expected: impl Fn(&Batches) -> Vec<Proof>,
) -> Result<(), String> {
    let right = [batch, pending, many].map(expected);
    let srs = [batch.open()?, pending.open()?, many.open()?];
    let prove_batch = || batch.prove(&srs[0]);
    let prove_pending = || pending.prove(&srs[1]);
    let prove_many = || many.prove(&srs[2]);
    let work = |name, run, right, threads, in_a_row| Work { name, run, right, threads, in_a_row };
    let works = [
        work("a batch", &prove_batch as &(dyn Fn() -> _ + Sync), &right[0], 1, 1),
        work("a batch", &prove_batch, &right[0], 1, 2),
        work("pending batches", &prove_pending, &right[1], 1, 1),
        work("three threads", &prove_batch, &right[0], 3, 1),
    ];
    let mut outcomes = Vec::new();
    for work in works {
        for status in STATUSES {
            outcomes.push(work.judged(status, work.fail_each(status, most)?));
            if prove_many()? != right[2] {
                outcomes.push(Err("many circuits after the failures: WRONG proofs".to_owned()));
            }
        }
    }
    outcomes.push(given_back(&prove_many, &right[2]));
    let [first, ..] = srs;
    drop(first);
    let load = || batch.open().and_then(|srs| batch.prove(&srs));
    let loading = Work { name: "loading", run: &load, right: &right[0], threads: 1, in_a_row: 1 };
    for status in STATUSES {
        outcomes.push(loading.judged(status, loading.fail_each(status, most)?));
    }
    outcomes.into_iter().collect()
}

/// Gives memory back, page-locked memory of results at least, and proves.
fn given_back(prove: &dyn Fn() -> Result<Vec<Proof>, String>, right: &[Proof]) -> Result<(), String> {
    let before = counts()["cudaFreeHost"];
    release_memory().map_err(|error| error.to_string())?;
    let given_back = counts()["cudaFreeHost"] - before;
    println!("faults: {given_back} pieces of page-locked memory were given back");
    if given_back == 0 {
        return Err("no page-locked memory was given back".to_owned());
    }
    if prove()? != right {
        return Err("after memory was given back: WRONG proofs".to_owned());
    }
    Ok(())
}
