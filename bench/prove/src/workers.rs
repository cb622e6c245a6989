//! Threads that prove at once on one device, as the workers of a proving service do.

use std::collections::VecDeque;
use std::thread;
use std::time::{Duration, Instant};

use interlock::curve::Proof;
use interlock::prove::{start, Batch, Evaluations, Pending};
use interlock::{devices, trace, Locks, Srs};
use interlock_bench_measure::{median, sorted, timed, watched, DeviceUse};

use crate::circuit::Made;

/// How long devices are watched at least, or for a call if that takes longer.
const WATCHED: Duration = Duration::from_millis(1_700);
/// When the watching begins at the earliest, or after a call, with every worker at work.
const FROM: Duration = Duration::from_millis(800);
/// The longest call for which either waits.
const LONGEST: Duration = Duration::from_secs(4);
/// Calls of a worker that are timed at least.
const LEAST_CALLS: usize = 2;

/// What a worker does: it proves copies of one circuit, which all workers read.
pub struct Work<'m> {
    pub made: &'m Made<'m>,
    /// The parameters: a worker takes the next after those of the one before.
    pub srs: &'m [Srs],
    /// The proof of the circuit.
    pub proof: &'m Proof,
    /// Circuits of a call.
    pub circuits: usize,
    /// Whether a call is started before the last one is finished.
    pub overlap: bool,
}

/// What so many workers took.
pub struct Together {
    pub workers: usize,
    /// How many parameters they proved with.
    pub parameters: usize,
    /// Circuits of a call.
    pub circuits: usize,
    pub overlap: bool,
    /// Wall clock from the first call's start to the last one's end.
    pub seconds: f64,
    /// CPU time of the process meanwhile.
    pub cpu_seconds: f64,
    /// Wall clock of each call that gave proofs.
    pub calls: Vec<f64>,
    /// What the others said.
    pub failures: Vec<String>,
    /// Whether every proof is the circuit's.
    pub right: bool,
    /// How each device was used, by nvidia-smi.
    pub used: Vec<DeviceUse>,
    /// The share of the time in which each device computed, by the trace.
    pub computed: Vec<trace::Busy>,
}

impl Together {
    /// How many circuits were proved.
    pub fn proofs(&self) -> usize {
        self.calls.len() * self.circuits
    }
}

/// Measures `workers` threads that make `calls` calls together at least, each as many as the others, after one of each that is not counted.
/// How devices are used is asked in another run, which asking may slow down.
pub fn measure(workers: usize, work: &Work<'_>, calls: usize) -> Together {
    let rounds = calls.div_ceil(workers).max(LEAST_CALLS);
    let run = |goes_on: &(dyn Fn(usize) -> bool + Sync)| -> Vec<Call> {
        thread::scope(|scope| {
            let threads: Vec<_> = (0..workers).map(|worker| scope.spawn(move || work.calls(worker, goes_on))).collect();
            threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap_or_else(|_| vec![Err("a panic".to_owned())]))
                .collect()
        })
    };
    let first = run(&|made| made < 1);
    let (counted, took) = timed(|| run(&|made| made < rounds));
    let calls: Vec<f64> = counted.iter().flatten().map(|done| done.seconds).collect();
    let call = if calls.is_empty() { 0.0 } else { median(&sorted(calls.clone())) };
    let call = Duration::from_secs_f64(call).min(LONGEST);
    let (from, until) = (FROM.max(call), FROM.max(call) + WATCHED.max(call));
    let traced = trace::start();
    let begun = Instant::now();
    let (others, mut used) = watched(|| run(&|_| begun.elapsed() < until));
    trace::stop();
    let devices = devices().map_or(0, |devices| devices.len());
    used.truncate(devices);
    let busy = |device| {
        traced.as_ref().map_or_else(|_| trace::Busy::default(), |()| trace::busy(device, begun + from..begun + until))
    };
    let all = || first.iter().chain(&counted).chain(&others);
    Together {
        workers,
        parameters: work.srs.len(),
        circuits: work.circuits,
        overlap: work.overlap,
        seconds: took.seconds,
        cpu_seconds: took.cpu_seconds,
        calls,
        right: all().flatten().all(|done| done.right),
        failures: all().filter_map(|call| call.as_ref().err().cloned()).collect(),
        used,
        computed: (0..devices).map(busy).collect(),
    }
}

/// What came of a call.
type Call = Result<Done, String>;

/// A call that gave proofs.
struct Done {
    seconds: f64,
    /// Whether all are the circuit's.
    right: bool,
}

impl<'m> Work<'m> {
    /// The calls of a worker, number `worker`, which makes another while `goes_on` says so of how many it has made.
    fn calls(&self, worker: usize, goes_on: impl Fn(usize) -> bool) -> Vec<Call> {
        let at_once = if self.overlap { 2 } else { 1 };
        let (mut calls, mut pending) = (Vec::new(), VecDeque::new());
        for made in 0.. {
            if !goes_on(made) {
                break;
            }
            let begun = Instant::now();
            match self.start(&self.srs[worker % self.srs.len()]) {
                Ok(started) => pending.push_back((begun, started)),
                Err(what) => calls.push(Err(what)),
            }
            if pending.len() >= at_once {
                calls.extend(pending.pop_front().map(|started| self.finish(started)));
            }
        }
        calls.extend(pending.into_iter().map(|started| self.finish(started)));
        calls
    }

    fn start(&self, srs: &Srs) -> Result<Box<dyn Pending + 'm>, String> {
        let evaluations: Vec<Evaluations<'_>> = (0..self.circuits).map(|_| self.made.evaluations()).collect();
        let batch = Batch {
            evaluations: &evaluations,
            witnesses: (0..self.circuits).map(|_| self.made.witness()).collect(),
            blindings: vec![self.made.blinding; self.circuits],
            srs: srs.parameters().clone(),
            locks: Locks::shared(),
            device: None,
        };
        start(batch).map_err(|error| error.to_string())
    }

    fn finish(&self, (begun, started): (Instant, Box<dyn Pending + 'm>)) -> Call {
        let proofs = started.finish().map_err(|error| error.to_string())?;
        let right = proofs.len() == self.circuits && proofs.iter().all(|proof| proof == self.proof);
        Ok(Done { seconds: begun.elapsed().as_secs_f64(), right })
    }
}
