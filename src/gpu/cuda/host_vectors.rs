//! Vectors in page-locked host memory, where kernels reach them over the bus: for devices that have no room for them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::lease::Until;
use super::pinned::PinnedBuffer;
use super::worker::Worker;
use super::DeviceSlice;
use crate::curve::Fr;
use crate::error::Error;

/// Those that nobody has now. They are made when there are too few, which takes a second for 4 GiB, and then kept.
#[derive(Debug, Default)]
pub(super) struct HostVectors(Mutex<Vec<(PinnedBuffer, Until)>>);

/// One of a device's workers has it until it is released; dropped, it is when all is over that the worker has enqueued then.
pub(super) struct HostVector<'e> {
    worker: &'e Worker<'e>,
    buffer: Option<PinnedBuffer>,
}

impl HostVectors {
    fn lock(&self) -> MutexGuard<'_, Vec<(PinnedBuffer, Until)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The smallest with so many bytes.
    fn kept(&self, bytes: usize) -> Option<(PinnedBuffer, Until)> {
        let mut kept = self.lock();
        let fitting = kept.iter().enumerate().filter(|(_, (buffer, _))| buffer.bytes() >= bytes);
        let smallest = fitting.min_by_key(|(_, (buffer, _))| buffer.bytes()).map(|(i, _)| i)?;
        Some(kept.remove(smallest))
    }
}

impl<'e> HostVector<'e> {
    /// One with room for `len` elements, which uploads may use from now on.
    ///
    /// # Errors
    /// [`Error::Cuda`], for instance if the host has no memory that can be locked.
    pub(super) fn take(worker: &'e Worker<'e>, len: usize) -> Result<Self, Error> {
        let bytes = len * size_of::<Fr>();
        let buffer = match worker.host_vectors().kept(bytes) {
            Some((buffer, until)) => {
                worker.uploads_wait_for(&until)?;
                buffer
            }
            None => PinnedBuffer::new(bytes)?,
        };
        Ok(Self { worker, buffer: Some(buffer) })
    }

    /// Its first `len` elements.
    ///
    /// # Panics
    /// If there are not so many.
    pub(super) fn slice(&self, len: usize) -> DeviceSlice<Fr> {
        let Some(buffer) = &self.buffer else { unreachable!("it is released last") };
        assert!(len * size_of::<Fr>() <= buffer.bytes(), "{len} elements in {} bytes", buffer.bytes());
        // SAFETY: page-locked memory has one address for host and devices and is aligned to pages; it is kept until what uses it is over.
        unsafe { DeviceSlice::from_raw(buffer.as_raw().cast_mut(), len) }
    }

    /// Gives it to whoever comes next, who waits for `until` on the device.
    pub(super) fn release_after(mut self, until: &Until) {
        if let Some(buffer) = self.buffer.take() {
            self.worker.host_vectors().lock().push((buffer, until.clone()));
        }
    }
}

impl Drop for HostVector<'_> {
    fn drop(&mut self) {
        let Some(buffer) = self.buffer.take() else { return };
        match self.worker.all_enqueued() {
            Ok(until) => self.worker.host_vectors().lock().push((buffer, until)),
            Err(_) => {
                self.worker.wait_for_all();
                drop(buffer);
            }
        }
    }
}
