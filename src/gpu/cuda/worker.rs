//! A worker on a device: a call that proves or loads, for as long as it enqueues.
//!
//! # Why memory is not used by two
//!
//! A lease's memory was used before by work that its fences lie after: events of the streams of turns, or what [`Worker::all_enqueued`]
//! gives. What the next holder does with it comes after them, on every stream that it uses:
//!
//! - Its pair of upload streams waits for the fences when it gets the lease ([`Worker::leases`]), before anything is enqueued there for
//!   that memory. Other workers' pairs do not wait: they write nothing there.
//! - On each of the two streams of turns, the first turn after anything was enqueued on its pair waits for the ends of that
//!   ([`Worker::enqueue`]), and so for what the pair waits for; later turns come after it.
//! - The streams beside the compute stream begin and end within a turn, at events of the compute stream ([`super::lanes`]).
//! - What goes on beside the turns ([`super::aside`]) begins after the vector that it reads was made, and was put in order on the compute stream if that is
//!   needed, or after the turn that completed the terms which it reads; and a later turn of the worker waits for its end.
//! - The streams of parameters that pass write to no lease.
//!
//! What the holder did is over at the fence that it leaves:
//!
//! - [`Lease::release_after`] is given the end of a turn. All uploads to that memory were enqueued by the same worker, hence on its own pair, and
//!   before the turn began, hence the turn waits for them. Where the quotient was made on the stream of quotients, the last turn of the pass waits for it too.
//! - Where an error comes between, the lease is dropped: then the fence lies after the ends of the worker's own pair, of passing parameters, of quotients, of what goes on
//!   beside the turns, and of the compute stream, to which those beside it have been joined. If it cannot be had, the host waits for all of these.
//!
//! Two workers that share a pair only wait for more than that. What is recorded is recorded before anybody is told of it, and a stream waits only
//! for what was recorded before, so the waits form no circle. A worker's pair goes to another while work is on its way there: that work has
//! been waited for in turns whose ends are the fences. A slot of the ring passes from one pair to another when the host has seen the end of its
//! last use.

use std::cell::Cell;
use std::ffi::CStr;
use std::ops::Deref;
use std::time::Instant;

use super::engine::{Block, Engine, Enqueuing, On};
use super::lease::{Lease, Until};
use super::residents::Points;
use super::staging::Uploads;
use super::{Event, Stream};
use crate::error::Error;
use crate::lock::Locks;
use crate::params::Parameters;
use crate::trace::span;

/// A worker, on one thread. What it enqueues on streams of uploads is on its own, see [`Uploads`].
#[derive(Debug)]
pub(super) struct Worker<'e> {
    engine: &'e Engine,
    uploads: Uploads<'e>,
    /// How much of it the streams of turns, in the order of [`On`], have been made to wait for.
    waited_for: [Cell<u64>; 2],
}

impl Deref for Worker<'_> {
    type Target = Engine;

    fn deref(&self) -> &Engine {
        self.engine
    }
}

impl<'e> Worker<'e> {
    /// One that has enqueued nothing yet.
    pub(super) fn new(engine: &'e Engine) -> Self {
        Self { engine, uploads: engine.ring().uploads(), waited_for: Default::default() }
    }

    /// Its uploads.
    pub(super) fn uploads(&self) -> &Uploads<'e> {
        &self.uploads
    }

    /// The points of `srs`, for proofs here.
    ///
    /// # Errors
    /// Those of [`super::residents::Residents::get`].
    pub(super) fn points(&self, srs: &Parameters) -> Result<Points, Error> {
        self.residents().get(self, srs)
    }

    /// Waits for blocks of these sizes, which its uploads may use from then on. It is counted by `locks`.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`] if the device's budget does not hold them, and [`Error::Cuda`].
    pub(super) fn leases(&self, sizes: &[usize], locks: Option<&Locks>) -> Result<Vec<Lease<'_>>, Error> {
        let blocks = {
            let _waiting = span(c"waiting for memory");
            let (blocks, waited) = match self.memory().try_acquire(sizes)? {
                Some(blocks) => (blocks, None),
                None => {
                    let start = Instant::now();
                    (self.memory().acquire(sizes)?, Some(start.elapsed()))
                }
            };
            if let Some(locks) = locks {
                locks.count_memory(blocks.iter().map(Block::bytes).sum(), waited);
            }
            blocks
        };
        self.trace_memory();
        let leases: Vec<_> = blocks.into_iter().map(|block| Lease::new(self, block)).collect();
        for until in leases.iter().flat_map(Lease::fences) {
            self.uploads_wait_for(until)?;
        }
        Ok(leases)
    }

    /// As [`Worker::leases`], for so many.
    ///
    /// # Errors
    /// As [`Worker::leases`].
    pub(super) fn lease<const N: usize>(
        &self,
        sizes: [usize; N],
        locks: Option<&Locks>,
    ) -> Result<[Lease<'_>; N], Error> {
        let leases = self.leases(&sizes, locks)?;
        leases.try_into().map_err(|_| Error::Internal { what: "a lease for each size".to_owned() })
    }

    /// Makes its uploads from now on wait for `until`.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn uploads_wait_for(&self, until: &Until) -> Result<(), Error> {
        self.uploads.wait_for(until.event())
    }

    /// Waits for a turn on the compute stream, where what is enqueued waits for the worker's uploads until now. The trace calls it
    /// `what`.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn enqueue(&self, what: &'static CStr) -> Result<Enqueuing<'_>, Error> {
        self.enqueue_behind(what, None)
    }

    /// As [`Worker::enqueue`], where what is enqueued waits for `event` too.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn enqueue_behind(&self, what: &'static CStr, event: Option<&Event>) -> Result<Enqueuing<'_>, Error> {
        self.enqueue_turn(On::Compute, what, event)
    }

    /// As [`Worker::enqueue`], on another stream.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn enqueue_on(&self, on: On, what: &'static CStr) -> Result<Enqueuing<'_>, Error> {
        self.enqueue_turn(on, what, None)
    }

    fn enqueue_turn(&self, on: On, what: &'static CStr, event: Option<&Event>) -> Result<Enqueuing<'_>, Error> {
        let (waited_for, enqueued) = (&self.waited_for[on as usize], self.uploads.enqueued());
        // Not once more for what the stream has waited for: CUDA has fewer queues than there are streams, and the end of uploads that were over
        // long ago can be behind those of other workers.
        let ends = (waited_for.get() != enqueued).then(|| self.uploads.ends()).transpose()?;
        let turn = self.engine.enqueue_behind(what, on, ends.iter().flatten().chain(event))?;
        waited_for.set(enqueued);
        Ok(turn)
    }

    /// The end of all that it has enqueued, uploads and kernels; and of other workers' kernels until now.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn all_enqueued(&self) -> Result<Until, Error> {
        let [copies, expansions] = self.uploads.ends()?;
        let shared = self.passing().streams().chain([self.aside(), self.quotients()]).map(Event::record);
        let shared = shared.collect::<Result<Vec<_>, Error>>()?;
        [copies, expansions].iter().chain(&shared).try_for_each(|end| self.compute().wait_for(end))?;
        Ok(Until::new(Event::record(self.compute())?))
    }

    /// Waits for all that it has enqueued, uploads and kernels, where no fence can be had.
    pub(super) fn wait_for_all(&self) {
        let streams = self.uploads.streams().into_iter().chain(self.engine.streams());
        streams.for_each(Stream::drain);
    }
}
