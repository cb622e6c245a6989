//! A backend for tests: it proves nothing and counts how often it is asked.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Backend, Batch, Pending};
use crate::curve::Proof;
use crate::error::{Error, Shortfall};
use crate::params::Parameters;

/// Fails, or succeeds and makes no proofs.
pub(super) struct Fake {
    outcome: Outcome,
    loads: AtomicUsize,
    starts: AtomicUsize,
}

/// What comes of whatever is asked of one.
pub(super) type Outcome = fn() -> Result<(), Error>;

/// What can come of a backend's work, and whether another is to do it then.
pub(super) const OUTCOMES: [(Outcome, bool); 7] = [
    (|| Ok(()), false),
    (|| Err(Error::DeviceMemory(Shortfall { asked: 3, budget: 2, resident: 0, largest: 2 })), true),
    (|| Err(cuda("cudaMalloc", 2).of_taking_device_memory()), true),
    (|| Err(cuda("cudaMalloc", 46).of_taking_device_memory()), false),
    (|| Err(cuda("interlock_msm_g1", 2)), false),
    (|| Err(cuda("interlock_msm_g1", 700)), false),
    (|| Err(Error::OutOfMemory { what: "page-locked memory", bytes: 1 }), false),
];

fn cuda(call: &'static str, code: i32) -> Error {
    Error::Cuda { call, code, text: String::new() }
}

impl Fake {
    pub(super) fn new(outcome: Outcome) -> &'static Self {
        Box::leak(Box::new(Self { outcome, loads: AtomicUsize::new(0), starts: AtomicUsize::new(0) }))
    }

    pub(super) fn that_succeeds() -> &'static Self {
        Self::new(|| Ok(()))
    }

    pub(super) fn loads(&self) -> usize {
        self.loads.load(Ordering::Relaxed)
    }

    pub(super) fn starts(&self) -> usize {
        self.starts.load(Ordering::Relaxed)
    }
}

impl Backend for Fake {
    fn name(&self) -> &'static str {
        "fake"
    }

    fn can_prove(&self, _: &Parameters, _: Option<usize>) -> Result<(), Error> {
        Ok(())
    }

    fn load(&self, _: &Parameters) -> Result<(), Error> {
        self.loads.fetch_add(1, Ordering::Relaxed);
        (self.outcome)()
    }

    fn start<'w>(&self, _: Batch<'_, 'w>) -> Result<Box<dyn Pending + 'w>, Error> {
        self.starts.fetch_add(1, Ordering::Relaxed);
        (self.outcome)().map(|()| Box::new(Nothing) as Box<dyn Pending>)
    }
}

struct Nothing;

impl Pending for Nothing {
    fn finish(self: Box<Self>) -> Result<Vec<Proof>, Error> {
        Ok(Vec::new())
    }
}
