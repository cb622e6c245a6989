//! Events.

use std::sync::{Arc, Mutex, PoisonError};

use super::{status::{check, warn_unless_lost}, Stream};
use crate::error::Error;
use crate::sys;

/// A point in a stream, with its time. Its handle comes from the stream's pool and goes back there: no event is made or destroyed
/// once as many exist as are in use at a time.
#[derive(Debug)]
pub struct Event {
    raw: Raw,
    pool: Arc<Pool>,
}

/// Handles of one device that are not in use.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<Vec<Raw>>);

/// A handle that is destroyed when dropped.
#[derive(Debug)]
struct Raw(sys::Event);

// SAFETY: CUDA's events may be used from any thread.
unsafe impl Send for Raw {}
// SAFETY: as above, by several at once.
unsafe impl Sync for Raw {}

impl Event {
    /// A point after all that is enqueued on `stream` now.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn record(stream: &Stream) -> Result<Self, Error> {
        let pool = stream.events().clone();
        let kept = pool.lock().pop();
        let raw = kept.map_or_else(Raw::new, Ok)?;
        let event = Self { raw, pool };
        // SAFETY: both handles live.
        check("cudaEventRecord", unsafe { sys::cudaEventRecord(event.as_raw(), stream.as_raw()) })?;
        Ok(event)
    }

    /// Waits for this point.
    ///
    /// # Errors
    /// [`Error::Cuda`], which may be that of earlier work.
    pub fn synchronize(&self) -> Result<(), Error> {
        // SAFETY: the event lives.
        check("cudaEventSynchronize", unsafe { sys::cudaEventSynchronize(self.as_raw()) })
    }

    /// Whether this point has been reached.
    ///
    /// # Errors
    /// [`Error::Cuda`], which may be that of earlier work.
    pub(super) fn is_over(&self) -> Result<bool, Error> {
        // SAFETY: the event lives.
        match unsafe { sys::cudaEventQuery(self.as_raw()) } {
            sys::ERROR_NOT_READY => {
                super::status::forget_last_error();
                Ok(false)
            }
            code => check("cudaEventQuery", code).map(|()| true),
        }
    }

    /// The handle; it lives as long as `self`.
    pub fn as_raw(&self) -> sys::Event {
        self.raw.0
    }

    /// Waits for this point and returns the seconds since `earlier`.
    ///
    /// # Errors
    /// [`Error::Cuda`], which may be that of earlier work.
    #[cfg(feature = "kit")]
    pub fn seconds_since(&self, earlier: &Event) -> Result<f64, Error> {
        let mut milliseconds = 0.0;
        self.synchronize()?;
        // SAFETY: the events live, and one number is written.
        check("cudaEventElapsedTime", unsafe {
            sys::cudaEventElapsedTime(&mut milliseconds, earlier.as_raw(), self.as_raw())
        })?;
        Ok(f64::from(milliseconds) / 1e3)
    }
}

impl Drop for Event {
    /// What waits for the point goes on waiting for it: a wait is for what was recorded when it was enqueued.
    fn drop(&mut self) {
        let raw = Raw(std::mem::replace(&mut self.raw.0, std::ptr::null_mut()));
        self.pool.lock().push(raw);
    }
}

impl Pool {
    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Raw>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Raw {
    fn new() -> Result<Self, Error> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: one handle is written.
        check("cudaEventCreateWithFlags", unsafe { sys::cudaEventCreateWithFlags(&mut raw, sys::EVENT_DEFAULT) })?;
        Ok(Self(raw))
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        if self.0.is_null() {
            return;
        }
        // SAFETY: the event is ours and is not used again.
        warn_unless_lost("an event", "cudaEventDestroy", unsafe { sys::cudaEventDestroy(self.0) });
    }
}
