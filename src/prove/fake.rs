//! A backend for tests: it proves nothing and counts how often it is asked.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Backend, Batch, Pending};
use crate::curve::Proof;
use crate::error::Error;
use crate::params::Parameters;

/// Fails with a CUDA error, or succeeds and makes no proofs if that is 0.
pub(super) struct Fake {
    code: i32,
    loads: AtomicUsize,
    starts: AtomicUsize,
}

impl Fake {
    pub(super) fn new(code: i32) -> &'static Self {
        Box::leak(Box::new(Self { code, loads: AtomicUsize::new(0), starts: AtomicUsize::new(0) }))
    }

    pub(super) fn loads(&self) -> usize {
        self.loads.load(Ordering::Relaxed)
    }

    pub(super) fn starts(&self) -> usize {
        self.starts.load(Ordering::Relaxed)
    }

    fn outcome(&self) -> Result<(), Error> {
        match self.code {
            0 => Ok(()),
            code => Err(Error::Cuda { call: "fake", code, text: String::new() }),
        }
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
        self.outcome()
    }

    fn start<'w>(&self, _: Batch<'_, 'w>) -> Result<Box<dyn Pending + 'w>, Error> {
        self.starts.fetch_add(1, Ordering::Relaxed);
        self.outcome().map(|()| Box::new(Nothing) as Box<dyn Pending>)
    }
}

struct Nothing;

impl Pending for Nothing {
    fn finish(self: Box<Self>) -> Result<Vec<Proof>, Error> {
        Ok(Vec::new())
    }
}
