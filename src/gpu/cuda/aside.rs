//! Work that goes on beside the turns while parameters pass: the MSM over h, part by part, with scratch of its own. What turns do meanwhile is hidden
//! under its additions, and the other way round.
//!
//! Turns do not wait for it but where they say so. It is one stream, where one worker's work comes after the other's.

use super::lease::Until;
use super::worker::Worker;
use super::{DeviceSlice, Event, Stream};
use crate::error::Error;
use crate::trace;

/// The stream, and memory that nothing else uses.
pub(super) struct Aside<'e> {
    worker: &'e Worker<'e>,
    pub(super) scratch: DeviceSlice<u8>,
}

impl<'e> Aside<'e> {
    /// With scratch that belongs to the worker's turn to pass parameters.
    pub(super) fn new(worker: &'e Worker<'e>, scratch: DeviceSlice<u8>) -> Self {
        Self { worker, scratch }
    }

    /// Does `work`, which enqueues something there.
    ///
    /// # Errors
    /// Those of `work`.
    pub(super) fn traced<T>(
        &self,
        what: &'static std::ffi::CStr,
        work: impl FnOnce(&Stream) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let stream = self.worker.aside();
        self.worker.timeline().traced(what, (trace::Stream::Aside, stream), 0, || work(stream))
    }

    /// Makes what is enqueued there from now on wait for `event`.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn wait_for(&self, event: &Event) -> Result<(), Error> {
        self.worker.aside().wait_for(event)
    }

    /// The end of what is enqueued there now.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn until(&self) -> Result<Until, Error> {
        Ok(Until::new(Event::record(self.worker.aside())?))
    }
}
