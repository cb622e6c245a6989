//! The current device, which belongs to the thread and so to its caller.

use std::ffi::c_int;

use super::status::check;
use crate::error::Error;
use crate::logging::warning;
use crate::sys;

/// Makes a device the thread's current one until dropped, when the caller's is restored.
#[derive(Debug)]
pub struct DeviceGuard {
    callers: c_int,
    /// What is restored is the state of this thread.
    _thread: std::marker::PhantomData<*const ()>,
}

impl DeviceGuard {
    /// Makes `ordinal`, in CUDA's order, current.
    ///
    /// # Errors
    /// [`Error::Cuda`]; the caller's device is then still current.
    pub fn set(ordinal: usize) -> Result<Self, Error> {
        let mut callers = 0;
        // SAFETY: one number is written.
        check("cudaGetDevice", unsafe { sys::cudaGetDevice(&mut callers) })?;
        let ordinal = c_int::try_from(ordinal).unwrap_or(c_int::MAX);
        // SAFETY: any number may be passed; one that names no device is an error.
        check("cudaSetDevice", unsafe { sys::cudaSetDevice(ordinal) })?;
        Ok(Self { callers, _thread: std::marker::PhantomData })
    }
}

impl Drop for DeviceGuard {
    fn drop(&mut self) {
        // SAFETY: the number is one that CUDA gave.
        if let Err(error) = check("cudaSetDevice", unsafe { sys::cudaSetDevice(self.callers) }) {
            warning!("the caller's device {} could not be made current again: {error}", self.callers);
        }
    }
}
