//! Device memory: what owns it, and views of it.

use std::ffi::c_void;
use std::marker::PhantomData;

use super::{
    status::{check, warn_unless_lost},
    Stream,
};
use crate::curve::{Fr, G1Affine, G2Affine};
use crate::error::Error;
use crate::sys;

/// What may be copied to a device and back.
///
/// # Safety
/// Every pattern of its bytes is a value, and it has no padding.
pub unsafe trait Plain: Copy {}
// SAFETY: integers, and blst's structs of integers without padding.
unsafe impl Plain for u8 {}
// SAFETY: as above.
unsafe impl Plain for u32 {}
// SAFETY: as above.
unsafe impl Plain for u64 {}
// SAFETY: as above.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}
// SAFETY: as above.
unsafe impl Plain for Fr {}
// SAFETY: as above.
unsafe impl Plain for blst::blst_fp {}
// SAFETY: as above.
unsafe impl Plain for blst::blst_fp2 {}
// SAFETY: as above.
unsafe impl Plain for G1Affine {}
// SAFETY: as above.
unsafe impl Plain for G2Affine {}

/// Values in memory that a device can address, which something else owns: a [`DeviceBuffer`], a block of the device's arena, or
/// page-locked memory of the host.
#[derive(Debug)]
pub struct DeviceSlice<T> {
    pointer: *mut c_void,
    len: usize,
    _values: PhantomData<T>,
}

// SAFETY: device memory belongs to no thread.
unsafe impl<T: Plain> Send for DeviceSlice<T> {}
// SAFETY: sharing it gives out no more than its address.
unsafe impl<T: Plain> Sync for DeviceSlice<T> {}

impl<T: Plain> DeviceSlice<T> {
    /// `len` values at `pointer`, which need not be null if there are none.
    ///
    /// # Safety
    /// It is memory that the device can address, with room for them, aligned to 16 bytes or, if that is less, to the size of a value, and stays
    /// so as long as anything uses it.
    pub unsafe fn from_raw(pointer: *mut c_void, len: usize) -> Self {
        Self { pointer, len, _values: PhantomData }
    }

    /// No values.
    pub(super) fn none() -> Self {
        // SAFETY: no memory is needed for none.
        unsafe { Self::from_raw(std::ptr::null_mut(), 0) }
    }

    /// All values.
    pub fn all(&self) -> Self {
        self.range(0..self.len)
    }

    /// The values from number `range.start` to before `range.end`.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn range(&self, range: std::ops::Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len, "{range:?} of {}", self.len);
        let pointer = self.pointer.wrapping_byte_add(range.start * size_of::<T>());
        Self { pointer, len: range.end - range.start, _values: PhantomData }
    }

    /// The values, after all that is enqueued on `stream`.
    ///
    /// # Errors
    /// [`Error::Cuda`], which may be that of earlier work, and [`Error::OutOfMemory`].
    pub fn to_host(&self, stream: &Stream) -> Result<Vec<T>, Error> {
        let mut values: Vec<T> = crate::error::try_with_capacity(self.len, "a copy of device memory")?;
        // SAFETY: both ranges have this many bytes; any bytes are values of `T`, and they are there when the stream is done.
        unsafe {
            let (to, bytes) = (values.as_mut_ptr(), self.len * size_of::<T>());
            check(
                "cudaMemcpyAsync",
                sys::cudaMemcpyAsync(to.cast(), self.pointer, bytes, sys::DEVICE_TO_HOST, stream.as_raw()),
            )?;
            stream.synchronize()?;
            values.set_len(self.len);
        }
        Ok(values)
    }

    /// Enqueues the clearing of all bytes.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn clear(&self, stream: &Stream) -> Result<(), Error> {
        if self.is_empty() {
            return Ok(());
        }
        // SAFETY: the memory has this many bytes.
        check("cudaMemsetAsync", unsafe {
            sys::cudaMemsetAsync(self.pointer, 0, self.len * size_of::<T>(), stream.as_raw())
        })
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The address on the device, for launchers.
    pub fn as_raw(&self) -> *mut c_void {
        self.pointer
    }
}

/// `len` values of `T` in the memory of the device that was current when it was made: a plain allocation, for what lives long.
#[derive(Debug)]
pub struct DeviceBuffer<T: Plain>(DeviceSlice<T>);

impl<T: Plain> DeviceBuffer<T> {
    /// Room for `len` values, which hold whatever was there.
    ///
    /// # Errors
    /// [`Error::DeviceFull`], [`Error::Cuda`].
    pub fn new(len: usize) -> Result<Self, Error> {
        let mut pointer = std::ptr::null_mut();
        let bytes = len.saturating_mul(size_of::<T>());
        // SAFETY: one pointer is written.
        let taken = check("cudaMalloc", unsafe { sys::cudaMalloc(&mut pointer, bytes) });
        taken.map_err(Error::of_taking_device_memory)?;
        Ok(Self(DeviceSlice { pointer, len, _values: PhantomData }))
    }

    /// A copy of `values`, complete on return.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    #[cfg(feature = "kit")]
    pub fn from_host(values: &[T], stream: &Stream) -> Result<Self, Error> {
        let buffer = Self::new(values.len())?;
        // SAFETY: both ranges have this many bytes, and `values` is borrowed until the copy is waited for below.
        let code = unsafe {
            let (to, from) = (buffer.pointer, values.as_ptr().cast());
            sys::cudaMemcpyAsync(to, from, size_of_val(values), sys::HOST_TO_DEVICE, stream.as_raw())
        };
        check("cudaMemcpyAsync", code)?;
        stream.synchronize()?;
        Ok(buffer)
    }
}

impl<T: Plain> std::ops::Deref for DeviceBuffer<T> {
    type Target = DeviceSlice<T>;

    fn deref(&self) -> &DeviceSlice<T> {
        &self.0
    }
}

impl<T: Plain> std::ops::DerefMut for DeviceBuffer<T> {
    fn deref_mut(&mut self) -> &mut DeviceSlice<T> {
        &mut self.0
    }
}

impl<T: Plain> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        // SAFETY: the memory is ours; CUDA waits for the device before it gives it back.
        warn_unless_lost("device memory", "cudaFree", unsafe { sys::cudaFree(self.pointer) });
    }
}
