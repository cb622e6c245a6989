//! Streams.

use std::sync::Arc;

use super::{
    event::Pool,
    status::{check, wait_after_failure, warn_unless_lost},
    Event,
};
use crate::error::Error;
use crate::sys;

/// A stream of the device that was current when it was made; it does not wait for the legacy default stream.
#[derive(Debug)]
pub struct Stream {
    raw: sys::Stream,
    events: Arc<Pool>,
}

// SAFETY: CUDA's streams may be used from any thread, by several at once.
unsafe impl Send for Stream {}
// SAFETY: as above.
unsafe impl Sync for Stream {}

impl Stream {
    /// A new stream of the current device.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn new() -> Result<Self, Error> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: one handle is written.
        check("cudaStreamCreateWithFlags", unsafe {
            sys::cudaStreamCreateWithFlags(&mut raw, sys::STREAM_NON_BLOCKING)
        })?;
        Ok(Self { raw, events: Arc::default() })
    }

    /// A new stream of the current device whose kernels' blocks come before those of other streams that wait for a place.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn urgent() -> Result<Self, Error> {
        Self::with_priority(std::ffi::c_int::MIN)
    }

    /// A new stream of the current device whose kernels' blocks come before those of [`Stream::new`] and of lower levels, and after those of
    /// urgent streams. Devices have so many levels as a rule; where they have fewer, the highest are the same.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn preferred(level: u8) -> Result<Self, Error> {
        Self::with_priority(-std::ffi::c_int::from(level))
    }

    fn with_priority(priority: std::ffi::c_int) -> Result<Self, Error> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: one handle is written; CUDA takes the nearest priority it has for one that is beyond.
        check("cudaStreamCreateWithPriority", unsafe {
            sys::cudaStreamCreateWithPriority(&mut raw, sys::STREAM_NON_BLOCKING, priority)
        })?;
        Ok(Self { raw, events: Arc::default() })
    }

    /// With events for so many points that are in use at a time: how many there are depends on how far the host is ahead of the device, and a
    /// warm proof is to make none.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn with_events(self, events: usize) -> Result<Self, Error> {
        self.events.reserve(events)?;
        Ok(self)
    }

    /// With its events from where those of `other` come from, a stream of the same device.
    pub(super) fn with_events_of(mut self, other: &Self) -> Self {
        self.events = other.events.clone();
        self
    }

    /// Waits until all that was enqueued is done.
    ///
    /// # Errors
    /// [`Error::Cuda`], which may be that of earlier work.
    pub fn synchronize(&self) -> Result<(), Error> {
        // SAFETY: the stream lives.
        check("cudaStreamSynchronize", unsafe { sys::cudaStreamSynchronize(self.raw) })
    }

    /// Waits for all that was enqueued, where something has failed before.
    pub(super) fn drain(&self) {
        wait_after_failure(|| self.synchronize());
    }

    /// Makes what is enqueued from now on wait for `event`, on the device.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn wait_for(&self, event: &Event) -> Result<(), Error> {
        // SAFETY: both handles live.
        check("cudaStreamWaitEvent", unsafe { sys::cudaStreamWaitEvent(self.raw, event.as_raw(), 0) })
    }

    /// Where its events come from.
    pub(super) fn events(&self) -> &Arc<Pool> {
        &self.events
    }

    /// The handle, for launchers; it lives as long as `self`.
    pub fn as_raw(&self) -> sys::Stream {
        self.raw
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream is ours and is not used again; CUDA finishes what is enqueued.
        warn_unless_lost("a stream", "cudaStreamDestroy", unsafe { sys::cudaStreamDestroy(self.raw) });
    }
}
