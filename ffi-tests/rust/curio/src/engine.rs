//! cuzk's engine in small: synthesis on threads of its own, a bounded queue, two workers for each GPU that start proofs with that
//! GPU's mutex and number, and finalizers on yet other threads, while the worker takes the next partition.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::{channel, sync_channel, Receiver, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;

use interlock::curve::Proof;
use interlock_vectors::Circuit;
use supraseal_c2::{alloc_gpu_mutex, free_gpu_mutex, SRS};

use crate::partition::{Partition, Started};

/// Workers for each GPU, as cuzk has them.
const WORKERS: usize = 2;
/// Threads that synthesise, and that finish.
const SYNTHESIS: usize = 3;
const FINALIZERS: usize = 3;

/// What is to be done with a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Prove it.
    Prove,
    /// Give it up after it was started.
    GiveUp,
    /// Prove it on a GPU that is not there.
    OnNoGpu,
}

/// A partition that waits for its turn.
pub struct Task<'a> {
    /// Its number, which its result has too.
    pub number: usize,
    /// What synthesis makes.
    pub circuit: &'a Circuit,
    /// The parameters.
    pub srs: SRS,
    /// What is to be done.
    pub order: Order,
}

/// How a task ended.
pub enum Outcome {
    /// With a proof.
    Proved(Box<Proof>),
    /// It was given up.
    GivenUp,
    /// A call panicked with this text.
    Failed(&'static str),
}

/// Runs all tasks and returns their outcomes, in any order.
pub fn run(tasks: Vec<Task<'_>>) -> Vec<(usize, Outcome)> {
    let gpus = interlock::devices().map_or(0, |devices| devices.len());
    // Without a GPU, as many queues as a machine with two would have, and the library's choice of what proves.
    let queues: Vec<_> = match gpus {
        0 => vec![(alloc_gpu_mutex() as usize, -1), (alloc_gpu_mutex() as usize, -1)],
        gpus => (0..gpus).map(|index| (alloc_gpu_mutex() as usize, index as i32)).collect(),
    };
    let tasks = Mutex::new(tasks.into_iter());
    let (to_workers, synthesised) = sync_channel::<(Task<'_>, Partition)>(WORKERS);
    let (to_finalizers, started) = channel::<(usize, Order, Started)>();
    let (report, outcomes) = channel();
    let (synthesised, started) = (Mutex::new(synthesised), Mutex::new(started));
    thread::scope(|scope| {
        for _ in 0..SYNTHESIS {
            let to_workers = to_workers.clone();
            let next = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
            scope.spawn(move || {
                while let Some(task) = next() {
                    let partition = Partition::synthesise(task.circuit);
                    to_workers.send((task, partition)).expect("workers outlive synthesis");
                }
            });
        }
        drop(to_workers);
        for &(mutex, index) in queues.iter().flat_map(|queue| [queue; WORKERS]) {
            let (to_finalizers, report, synthesised) = (to_finalizers.clone(), report.clone(), &synthesised);
            scope.spawn(move || {
                while let Some((task, partition)) = next_of(synthesised) {
                    work(task, partition, mutex, index, &to_finalizers, &report);
                }
            });
        }
        drop(to_finalizers);
        for _ in 0..FINALIZERS {
            let (report, started) = (report.clone(), &started);
            scope.spawn(move || {
                while let Some((number, order, started)) = next_of(started) {
                    report.send((number, finalize(order, started))).expect("the outcomes are collected");
                }
            });
        }
    });
    drop(report);
    for (mutex, _) in queues {
        // SAFETY: nothing is asked of the handle.
        unsafe { free_gpu_mutex(mutex as *mut _) };
    }
    outcomes.into_iter().collect()
}

/// The next that was sent, if there is one. One that waits keeps the others waiting, which is all the same.
fn next_of<T>(queue: &Mutex<Receiver<T>>) -> Option<T> {
    queue.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

fn work(
    task: Task<'_>,
    partition: Partition,
    mutex: usize,
    index: i32,
    to_finalizers: &Sender<(usize, Order, Started)>,
    report: &Sender<(usize, Outcome)>,
) {
    let index = if task.order == Order::OnNoGpu { 10_000 } else { index };
    match panics(|| partition.start(&task.srs, mutex as *mut _, index)) {
        Ok(started) => to_finalizers.send((task.number, task.order, started)).expect("finalizers outlive workers"),
        Err(text) => report.send((task.number, Outcome::Failed(text))).expect("the outcomes are collected"),
    }
}

fn finalize(order: Order, started: Started) -> Outcome {
    match order {
        Order::GiveUp => {
            drop(started);
            Outcome::GivenUp
        }
        _ => panics(|| Box::new(started.finish())).map_or_else(Outcome::Failed, Outcome::Proved),
    }
}

/// What `f` returns, or the text that it panics with. tokio's blocking threads keep panics in the same way.
fn panics<T>(f: impl FnOnce() -> T) -> Result<T, &'static str> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|payload| *payload.downcast::<&'static str>().expect("a &'static str"))
}
