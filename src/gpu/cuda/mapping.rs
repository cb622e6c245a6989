//! Device memory by the driver's virtual memory functions: a range of addresses, and physical memory mapped into it as it is
//! needed. None of these calls waits for kernels, so a device's memory can grow and shrink while others compute.

use std::ffi::{c_int, c_void};
use std::sync::{Mutex, PoisonError};

use super::status::{check, warn_unless_lost};
use crate::error::Error;
use crate::sys;

/// Bytes of a piece of physical memory: a multiple of every device's granularity (2 MiB), and few enough pieces for all of a
/// device's memory.
const PIECE: usize = 64 << 20;

/// A range of a device's addresses, mapped from its beginning on as far as has been asked for.
#[derive(Debug)]
pub(super) struct Mapping {
    device: c_int,
    base: sys::DevicePointer,
    reserved: usize,
    pieces: Mutex<Vec<sys::MemoryHandle>>,
}

impl Mapping {
    /// `bytes` bytes of addresses, rounded up to whole pieces, without memory. The device must be current.
    ///
    /// # Errors
    /// [`Error::Cuda`], for instance if the device has no virtual memory management.
    pub(super) fn reserve(ordinal: usize, bytes: usize) -> Result<Self, Error> {
        let reserved = bytes.max(1).next_multiple_of(PIECE);
        let mut base = 0;
        // SAFETY: one address is written.
        check("cuMemAddressReserve", unsafe { sys::cuMemAddressReserve(&mut base, reserved, 0, 0, 0) })?;
        Ok(Self { device: ordinal as c_int, base, reserved, pieces: Mutex::default() })
    }

    /// Maps memory until at least `bytes` from the beginning have it, or the device has none left, and returns how many have.
    ///
    /// # Errors
    /// [`Error::Cuda`]; what had been mapped until then stays.
    pub(super) fn grow(&self, bytes: usize) -> Result<usize, Error> {
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        let needed = bytes.min(self.reserved).div_ceil(PIECE);
        while pieces.len() < needed {
            match self.piece(self.base + (pieces.len() * PIECE) as u64).map_err(Error::of_taking_device_memory) {
                Err(error) if error.is_device_out_of_memory() => break,
                piece => pieces.push(piece?),
            }
        }
        Ok(pieces.len() * PIECE)
    }

    /// Unmaps what lies above `bytes`, which nothing may use, and returns how many are mapped.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn shrink(&self, bytes: usize) -> Result<usize, Error> {
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        while pieces.len() > bytes.div_ceil(PIECE) {
            let at = self.base + ((pieces.len() - 1) * PIECE) as u64;
            // SAFETY: a piece that is mapped there, and that nothing uses.
            check("cuMemUnmap", unsafe { sys::cuMemUnmap(at, PIECE) })?;
            let Some(handle) = pieces.pop() else { break };
            // SAFETY: the handle is ours, and is no longer mapped.
            check("cuMemRelease", unsafe { sys::cuMemRelease(handle) })?;
        }
        Ok(pieces.len() * PIECE)
    }

    /// The first address.
    pub(super) fn base(&self) -> *mut c_void {
        self.base as *mut c_void
    }

    fn piece(&self, at: sys::DevicePointer) -> Result<sys::MemoryHandle, Error> {
        let location = sys::MemoryLocation { kind: 1, device: self.device };
        let properties = sys::MemoryProperties {
            kind: 1,
            handle_types: 0,
            location,
            win32_meta_data: std::ptr::null_mut(),
            flags: [0; 8],
        };
        let access = sys::MemoryAccess { location, flags: 3 };
        let mut handle = 0;
        // SAFETY: one handle is written; the properties are read before the call returns.
        check("cuMemCreate", unsafe { sys::cuMemCreate(&mut handle, PIECE, &properties, 0) })?;
        // SAFETY: the addresses are part of our reservation and not mapped, and the handle is of this size.
        let mapped = check("cuMemMap", unsafe { sys::cuMemMap(at, PIECE, 0, handle, 0) }).and_then(|()| {
            // SAFETY: these addresses have just been mapped; the access is read before the call returns.
            check("cuMemSetAccess", unsafe { sys::cuMemSetAccess(at, PIECE, &access, 1) }).inspect_err(|_| {
                // SAFETY: as above, and nothing uses them.
                warn_unless_lost("device memory", "cuMemUnmap", unsafe { sys::cuMemUnmap(at, PIECE) });
            })
        });
        if let Err(error) = mapped {
            // SAFETY: the handle is ours and not mapped.
            warn_unless_lost("device memory", "cuMemRelease", unsafe { sys::cuMemRelease(handle) });
            return Err(error);
        }
        Ok(handle)
    }
}

impl Drop for Mapping {
    /// The owner sees to it that the device no longer uses this memory: unmapping waits for nothing.
    fn drop(&mut self) {
        let pieces = self.pieces.get_mut().unwrap_or_else(PoisonError::into_inner);
        if !pieces.is_empty() {
            // SAFETY: exactly what has been mapped, which nothing uses any more.
            warn_unless_lost("device memory", "cuMemUnmap", unsafe {
                sys::cuMemUnmap(self.base, pieces.len() * PIECE)
            });
        }
        for handle in pieces.drain(..) {
            // SAFETY: the handle is ours, and is no longer mapped.
            warn_unless_lost("device memory", "cuMemRelease", unsafe { sys::cuMemRelease(handle) });
        }
        // SAFETY: the whole reservation, in which nothing is mapped.
        warn_unless_lost("device memory", "cuMemAddressFree", unsafe {
            sys::cuMemAddressFree(self.base, self.reserved)
        });
    }
}
