//! CUDA's numbers as errors.

use std::ffi::CStr;
use std::sync::OnceLock;

use crate::error::Error;
use crate::logging::warning;
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
    let text = text(code);
    if sys::fatal() == Some(code) {
        return Err(FATAL.get_or_init(|| Fatal { call, code, text }).error());
    }
    forget_last_error();
    Err(Error::Cuda { call, code, text })
}

/// `Ok` unless an earlier error has ended this process's use of CUDA.
///
/// # Errors
/// [`Error::DeviceLost`].
pub fn check_alive() -> Result<(), Error> {
    sys::fatal().map_or(Ok(()), |code| check("an earlier call", code))
}

/// Says that something could not be given back, unless nothing can any more.
pub fn warn_unless_lost(what: &str, call: &'static str, code: sys::Status) {
    match check(call, code) {
        Ok(()) | Err(Error::DeviceLost { .. }) => {}
        Err(error) => warning!("{what} could not be given back: {error}"),
    }
}

/// Does `wait`, which waits for what a failed proof may have enqueued: once more if it fails, as what is waited for would be used by two.
pub fn wait_after_failure(wait: impl Fn() -> Result<(), Error>) {
    match wait().or_else(|_| wait()) {
        Ok(()) | Err(Error::DeviceLost { .. }) => {}
        Err(error) => warning!("the work of a proof that failed could not be waited for: {error}"),
    }
}

/// The first call that a fatal error was seen at.
#[derive(Debug)]
struct Fatal {
    call: &'static str,
    code: sys::Status,
    text: String,
}

static FATAL: OnceLock<Fatal> = OnceLock::new();

impl Fatal {
    fn error(&self) -> Error {
        Error::DeviceLost { call: self.call, code: self.code, text: self.text.clone() }
    }
}

/// Clears this thread's last error, so that the next launch's check does not report it as its own.
pub fn forget_last_error() {
    // SAFETY: takes nothing; the error it returns is the one at hand.
    let _ = unsafe { sys::cudaGetLastError() };
}
