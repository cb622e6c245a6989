//! Events.

use super::{status::check, Stream};
use crate::error::Error;
use crate::logging::warning;
use crate::sys;

/// A point in a stream, with its time.
#[derive(Debug)]
pub struct Event {
    raw: sys::Event,
}

// SAFETY: CUDA's events may be used from any thread.
unsafe impl Send for Event {}

impl Event {
    /// A point after all that is enqueued on `stream` now.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn record(stream: &Stream) -> Result<Self, Error> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: one handle is written.
        check("cudaEventCreateWithFlags", unsafe { sys::cudaEventCreateWithFlags(&mut raw, sys::EVENT_DEFAULT) })?;
        let event = Self { raw };
        // SAFETY: both handles live.
        check("cudaEventRecord", unsafe { sys::cudaEventRecord(event.raw, stream.as_raw()) })?;
        Ok(event)
    }

    /// An event for many uses, without a time, in no stream yet: it is over. Who waits for it sleeps.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn new() -> Result<Self, Error> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: one handle is written.
        check("cudaEventCreateWithFlags", unsafe {
            sys::cudaEventCreateWithFlags(&mut raw, sys::EVENT_UNTIMED_SLEEPING)
        })?;
        Ok(Self { raw })
    }

    /// Makes it a point after all that is enqueued on `stream` now. Who waits already, waits for the point that it was.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn move_to(&self, stream: &Stream) -> Result<(), Error> {
        // SAFETY: both handles live.
        check("cudaEventRecord", unsafe { sys::cudaEventRecord(self.raw, stream.as_raw()) })
    }

    /// Waits for this point.
    ///
    /// # Errors
    /// [`Error::Cuda`], which may be that of earlier work.
    pub fn synchronize(&self) -> Result<(), Error> {
        // SAFETY: the event lives.
        check("cudaEventSynchronize", unsafe { sys::cudaEventSynchronize(self.raw) })
    }

    /// The handle; it lives as long as `self`.
    pub fn as_raw(&self) -> sys::Event {
        self.raw
    }

    /// Waits for this point and returns the seconds since `earlier`.
    ///
    /// # Errors
    /// [`Error::Cuda`], which may be that of earlier work.
    #[cfg(feature = "kit")]
    pub fn seconds_since(&self, earlier: &Event) -> Result<f64, Error> {
        let mut milliseconds = 0.0;
        // SAFETY: the events live, and one number is written.
        unsafe {
            self.synchronize()?;
            check("cudaEventElapsedTime", sys::cudaEventElapsedTime(&mut milliseconds, earlier.raw, self.raw))?;
        }
        Ok(f64::from(milliseconds) / 1e3)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the event is ours and is not used again.
        if let Err(error) = check("cudaEventDestroy", unsafe { sys::cudaEventDestroy(self.raw) }) {
            warning!("an event could not be given back: {error}");
        }
    }
}
