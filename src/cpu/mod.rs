//! The CPU backend: the same proofs with blst's arithmetic on rayon.

use crate::error::Error;
use crate::prove::{Backend, Batch, Pending};

pub(crate) struct Cpu;

impl Backend for Cpu {
    fn name(&self) -> &'static str {
        "cpu"
    }

    fn start<'w>(&self, _batch: Batch<'_, 'w>) -> Result<Box<dyn Pending + 'w>, Error> {
        Err(Error::Internal { what: "no prover yet".to_owned() })
    }
}
