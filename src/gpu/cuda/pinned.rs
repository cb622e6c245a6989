//! Page-locked host memory, which the device copies from and to at the bus's full rate.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use super::{
    status::{check, forget_last_error, warn_unless_lost},
    DeviceSlice, Plain, Stream,
};
use crate::error::Error;
use crate::sys;

/// Host memory that CUDA has locked, usable from every device.
#[derive(Debug)]
pub struct PinnedBuffer {
    pointer: *mut c_void,
    bytes: usize,
}

// SAFETY: the memory belongs to no thread.
unsafe impl Send for PinnedBuffer {}

impl PinnedBuffer {
    /// `bytes` bytes of zeros.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if the host has no memory that can be locked, [`Error::Cuda`].
    pub fn new(bytes: usize) -> Result<Self, Error> {
        let mut pointer = std::ptr::null_mut();
        // SAFETY: one pointer is written.
        let code = unsafe { sys::cudaHostAlloc(&mut pointer, bytes, sys::HOST_ALLOC_PORTABLE) };
        check_locking("cudaHostAlloc", code, bytes)?;
        // SAFETY: the memory is ours and has this many bytes.
        unsafe { pointer.write_bytes(0, bytes) };
        Ok(Self { pointer, bytes })
    }

    /// The memory as values. A copy from it must be over before it is written again.
    pub fn values_mut<T: Plain>(&mut self) -> &mut [T] {
        const { assert!(align_of::<T>() <= 256) };
        // SAFETY: the memory is ours, initialised, borrowed as long as the slice, and aligned to 256 bytes at least; any bytes
        // are values of `T`.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.cast(), self.bytes / size_of::<T>()) }
    }

    /// How many bytes it has.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Its address, for copies and for kernels.
    pub fn as_raw(&self) -> *const c_void {
        self.pointer
    }
}

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        // SAFETY: the memory is ours; CUDA waits for copies from it.
        warn_unless_lost("pinned memory", "cudaFreeHost", unsafe { sys::cudaFreeHost(self.pointer) });
    }
}

/// `Ok` where the function `call`, which locks so many bytes of the host's memory, has succeeded. CUDA has one number for all memory.
///
/// # Errors
/// [`Error::OutOfMemory`] if the host has no memory that can be locked, [`Error::Cuda`].
pub(super) fn check_locking(call: &'static str, code: sys::Status, bytes: usize) -> Result<(), Error> {
    if code == sys::ERROR_MEMORY_ALLOCATION {
        forget_last_error();
        return Err(Error::OutOfMemory { what: "page-locked memory", bytes });
    }
    check(call, code)
}

/// Pinned buffers for results, which are made when there are too few and then kept, as giving one back waits for the device.
#[derive(Clone, Debug, Default)]
pub(super) struct PinnedPool(Arc<Mutex<Vec<PinnedBuffer>>>);

/// Bytes of the smallest buffer: more than the results of a proof take.
const LEAST: usize = 256 << 10;

impl PinnedPool {
    /// A buffer of at least `bytes` bytes, which goes back when it is dropped.
    ///
    /// # Errors
    /// Those of [`PinnedBuffer::new`].
    pub(super) fn take(&self, bytes: usize) -> Result<PinnedLease, Error> {
        let kept = {
            let mut buffers = self.lock();
            let fitting = buffers.iter().position(|buffer| buffer.bytes >= bytes);
            fitting.map(|i| buffers.swap_remove(i))
        };
        let buffer = match kept {
            Some(buffer) => buffer,
            None => PinnedBuffer::new(bytes.next_power_of_two().max(LEAST))?,
        };
        Ok(PinnedLease { buffer: Some(buffer), pool: self.clone() })
    }

    /// Gives those back that nobody has, when the device has done what it has to do.
    pub(super) fn give_back_idle(&self) {
        let idle = std::mem::take(&mut *self.lock());
        drop(idle);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<PinnedBuffer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A buffer of a pool. A copy to it must be over before it is dropped.
#[derive(Debug)]
pub(super) struct PinnedLease {
    buffer: Option<PinnedBuffer>,
    pool: PinnedPool,
}

impl PinnedLease {
    fn buffer(&self) -> &PinnedBuffer {
        let Some(buffer) = &self.buffer else { unreachable!("it goes back when it is dropped") };
        buffer
    }

    /// Enqueues the copying of `values` to where byte `first` is.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn fetch<T: Plain>(&self, first: usize, values: &DeviceSlice<T>, stream: &Stream) -> Result<(), Error> {
        let bytes = values.len() * size_of::<T>();
        super::msm::at_least("pinned memory", self.buffer().bytes, first + bytes)?;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: both ranges have this many bytes, and the buffer lives until the copy is over.
        check("cudaMemcpyAsync", unsafe {
            let (to, from) = (self.buffer().pointer.byte_add(first), values.as_raw());
            sys::cudaMemcpyAsync(to, from, bytes, sys::DEVICE_TO_HOST, stream.as_raw())
        })
    }

    /// `len` values from byte `first` on, a multiple of 8. What copies to them must be over.
    ///
    /// # Panics
    /// If there are not so many.
    pub(super) fn values<T: Plain>(&self, first: usize, len: usize) -> Vec<T> {
        let buffer = self.buffer();
        assert!(
            first % 8 == 0 && first + len * size_of::<T>() <= buffer.bytes,
            "{first} and {len} values of {}",
            buffer.bytes
        );
        // SAFETY: initialised memory inside the buffer; unaligned reads ask for no more.
        (0..len).map(|i| unsafe { buffer.pointer.byte_add(first).cast::<T>().add(i).read_unaligned() }).collect()
    }
}

impl Drop for PinnedLease {
    fn drop(&mut self) {
        if let Some(buffer) = self.buffer.take() {
            self.pool.lock().push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_s_memory_is_not_taken_for_a_device_s() {
        let outcome = |code| check_locking("cudaHostRegister", code, 4096).map_err(|error| error.code());
        assert_eq!(outcome(sys::SUCCESS), Ok(()));
        assert_eq!(outcome(sys::ERROR_MEMORY_ALLOCATION), Err(libc::ENOMEM));
        assert_eq!(outcome(sys::ERROR_NO_DEVICE), Err(-sys::ERROR_NO_DEVICE));
    }
}
