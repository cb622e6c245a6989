//! CUDA's numbers as errors.

use std::ffi::CStr;

use crate::error::Error;
use crate::sys;

/// CUDA's words for an error number.
pub fn text(code: sys::Status) -> String {
    // SAFETY: any number may be asked for; CUDA answers with a string that lives as long as the process.
    let words = unsafe { sys::cudaGetErrorString(code) };
    if words.is_null() {
        return "unknown error".into();
    }
    // SAFETY: not null, and CUDA's strings end in NUL.
    unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned()
}

/// `Ok` where `code` is success, else the error of the function `call`, which is then no longer this thread's last error.
///
/// # Errors
/// [`Error::Cuda`].
pub fn check(call: &'static str, code: sys::Status) -> Result<(), Error> {
    if code == sys::SUCCESS {
        return Ok(());
    }
    forget_last_error();
    Err(Error::Cuda { call, code, text: text(code) })
}

/// Clears this thread's last error, so that the next launch's check does not report it as its own.
pub fn forget_last_error() {
    // SAFETY: takes nothing; the error it returns is the one at hand.
    let _ = unsafe { sys::cudaGetLastError() };
}
