//! Events.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{
    status::{check, warn_unless_lost},
    Stream,
};
use crate::error::Error;
use crate::sys;

/// A point in a stream. Whoever waits for it sleeps.
///
/// The handle of one that [`Event::record`] makes comes from the stream's pool and goes back there: none is made or destroyed once as
/// many exist as are in use at a time.
#[derive(Debug)]
pub struct Event {
    raw: Raw,
    pool: Option<Arc<Pool>>,
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
    /// A point after all that is enqueued on `stream` now, with its time.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn record(stream: &Stream) -> Result<Self, Error> {
        let pool = stream.events().clone();
        let kept = pool.lock().pop();
        let raw = kept.map_or_else(|| Raw::new(sys::EVENT_SLEEPING), Ok)?;
        let event = Self { raw, pool: Some(pool) };
        event.move_to(stream)?;
        Ok(event)
    }

    /// An event for many uses, without a time, in no stream yet: it is over.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn new() -> Result<Self, Error> {
        Ok(Self { raw: Raw::new(sys::EVENT_UNTIMED_SLEEPING)?, pool: None })
    }

    /// Makes it a point after all that is enqueued on `stream` now. Who waits already, waits for the point that it was.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn move_to(&self, stream: &Stream) -> Result<(), Error> {
        // SAFETY: both handles live.
        check("cudaEventRecord", unsafe { sys::cudaEventRecord(self.as_raw(), stream.as_raw()) })
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

    /// The time from `earlier` to this point, or `None` if one of them has not been reached; 0 if this one came first. Both were made by
    /// [`Event::record`].
    ///
    /// # Errors
    /// [`Error::Cuda`], which may be that of earlier work.
    pub(super) fn time_since(&self, earlier: &Event) -> Result<Option<Duration>, Error> {
        let mut milliseconds = 0.0;
        // SAFETY: the events live, and one number is written.
        match unsafe { sys::cudaEventElapsedTime(&mut milliseconds, earlier.as_raw(), self.as_raw()) } {
            sys::ERROR_NOT_READY => {
                super::status::forget_last_error();
                Ok(None)
            }
            code => check("cudaEventElapsedTime", code)
                .map(|()| Some(Duration::try_from_secs_f64(f64::from(milliseconds) / 1e3).unwrap_or_default())),
        }
    }

    /// Waits for this point and returns the seconds since `earlier`, which comes before it.
    ///
    /// # Errors
    /// [`Error::Cuda`], which may be that of earlier work.
    #[cfg(feature = "kit")]
    pub fn seconds_since(&self, earlier: &Event) -> Result<f64, Error> {
        self.synchronize()?;
        Ok(self.time_since(earlier)?.unwrap_or_default().as_secs_f64())
    }
}

impl Drop for Event {
    /// What waits for the point goes on waiting for it: a wait is for what was recorded when it was enqueued.
    fn drop(&mut self) {
        if let Some(pool) = &self.pool {
            pool.lock().push(Raw(std::mem::replace(&mut self.raw.0, std::ptr::null_mut())));
        }
    }
}

impl Pool {
    /// Makes it have so many.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn reserve(&self, events: usize) -> Result<(), Error> {
        let mut kept = self.lock();
        while kept.len() < events {
            kept.push(Raw::new(sys::EVENT_SLEEPING)?);
        }
        Ok(())
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Raw>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Raw {
    fn new(flags: std::ffi::c_uint) -> Result<Self, Error> {
        let mut raw = std::ptr::null_mut();
        // SAFETY: one handle is written.
        check("cudaEventCreateWithFlags", unsafe { sys::cudaEventCreateWithFlags(&mut raw, flags) })?;
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
