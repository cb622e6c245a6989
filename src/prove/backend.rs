//! What a backend is: the seam at which the CPU and the GPU provers stand side by side.

use std::sync::Arc;

use crate::curve::Proof;
use crate::error::Error;
use crate::lock::Locks;
use crate::params::Parameters;
use crate::prove::{Blinding, Evaluations, Witness};

/// A batch of proofs of one SRS, validated: every size agrees with the SRS and every popcount with its bits.
#[derive(Clone, Debug)]
pub struct Batch<'e, 'w> {
    /// Constraint evaluations, one a circuit. Needed until [`Backend::start`] returns.
    pub evaluations: &'e [Evaluations<'e>],
    /// Assignments and densities, one a circuit. Needed until the batch is finished or dropped.
    pub witnesses: Vec<Witness<'w>>,
    /// Blinding scalars, one pair a circuit.
    pub blindings: Vec<Blinding>,
    /// The parameters of the circuits.
    pub srs: Arc<Parameters>,
    /// Whose place in the queues of the device is used. The CPU backend has no device to share and ignores it.
    pub locks: Arc<Locks>,
    /// The device asked for, in CUDA's order; `None` asks for that of the locks, and if they have none lets the backend choose.
    pub device: Option<usize>,
}

/// Something that proves.
pub trait Backend: Sync {
    /// Its name: `"cpu"` or `"gpu"`.
    fn name(&self) -> &'static str;

    /// Whether it has the means to prove with these parameters, on `device` if one is asked for.
    ///
    /// # Errors
    /// [`Error::NoGpu`] with what is lacking, [`Error::NoSuchDevice`].
    fn can_prove(&self, srs: &Parameters, device: Option<usize>) -> Result<(), Error>;

    /// Reads all of the parameters' file, checks every point, and keeps with the parameters what proofs need of it. Once is
    /// enough; a proof without it does what is lacking.
    ///
    /// # Errors
    /// [`Error::Params`] with the first thing that is wrong in the order of the file, or that the file was written to since it
    /// was opened; [`Error::File`], [`Error::OutOfMemory`], [`Error::Threads`], and what the backend's device reports.
    fn load(&self, srs: &Parameters) -> Result<(), Error>;

    /// Does all of a batch's work that needs a, b and c, and starts or sets aside the rest.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], those of [`Backend::load`], and what the backend's device reports. Nothing is left running after an
    /// error.
    fn start<'w>(&self, batch: Batch<'_, 'w>) -> Result<Box<dyn Pending + 'w>, Error>;
}

/// A batch whose evaluations are no longer needed. Dropping it gives up what is left to do.
pub trait Pending: Send {
    /// Waits for the rest of the work and returns one proof a circuit, in the batch's order.
    ///
    /// # Errors
    /// As [`Backend::start`].
    fn finish(self: Box<Self>) -> Result<Vec<Proof>, Error>;
}
