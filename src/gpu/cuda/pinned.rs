//! Page-locked host memory, which the device copies from at the bus's full rate.

use std::ffi::c_void;

use super::{status::check, Plain};
use crate::error::Error;
use crate::logging::warning;
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
    /// [`Error::Cuda`].
    pub fn new(bytes: usize) -> Result<Self, Error> {
        let mut pointer = std::ptr::null_mut();
        // SAFETY: one pointer is written.
        check("cudaHostAlloc", unsafe { sys::cudaHostAlloc(&mut pointer, bytes, sys::HOST_ALLOC_PORTABLE) })?;
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

    /// Its address, for copies.
    pub fn as_raw(&self) -> *const c_void {
        self.pointer
    }
}

impl Drop for PinnedBuffer {
    fn drop(&mut self) {
        // SAFETY: the memory is ours; CUDA waits for copies from it.
        if let Err(error) = check("cudaFreeHost", unsafe { sys::cudaFreeHost(self.pointer) }) {
            warning!("pinned memory could not be given back: {error}");
        }
    }
}
