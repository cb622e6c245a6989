//! The boundary: a `Result` becomes a code and a message, a panic an error, and the last error stays readable.

use std::cell::RefCell;
use std::ffi::{c_char, c_int, CStr, CString};
use std::mem::offset_of;
use std::ptr;

use crate::error::Error;
use crate::logging;
use crate::raw::guarded;

/// How a call went, returned by value.
///
/// `code` is 0 on success, an errno value (> 0) or a negated cudaError (< 0). `message` is NULL or a NUL-terminated
/// text that says what was expected, what was found and what to do; it belongs to the caller, who frees it with
/// `free()`.
#[repr(C)]
#[derive(Debug)]
pub struct RustError {
    /// 0, an errno, or a negated cudaError.
    pub code: c_int,
    /// NULL, or a text to be freed with `free()`.
    pub message: *mut c_char,
}

const _: () = {
    assert!(size_of::<RustError>() == 16 && align_of::<RustError>() == 8);
    assert!(offset_of!(RustError, code) == 0);
    assert!(offset_of!(RustError, message) == 8);
};

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Runs `f` for a function that returns its error.
pub(crate) fn returning(f: impl FnOnce() -> Result<(), Error>) -> RustError {
    let _whole = Uncancelled::new();
    match guarded(f) {
        Ok(()) => RustError { code: 0, message: ptr::null_mut() },
        Err(error) => {
            let text = remember(&error);
            RustError { code: error.code(), message: duplicate(&text) }
        }
    }
}

/// Runs `f` for a function that cannot return its error: it is logged, and `otherwise` is returned.
pub(crate) fn or<T>(otherwise: T, function: &str, f: impl FnOnce() -> Result<T, Error>) -> T {
    let _whole = Uncancelled::new();
    guarded(f).unwrap_or_else(|error| {
        let text = remember(&error);
        logging::warning!("{function}: {}", text.to_string_lossy());
        otherwise
    })
}

/// Puts a pthread_cancel() of this thread off until the call is over: it would unwind through Rust, which aborts.
struct Uncancelled {
    before: c_int,
}

#[cfg(target_os = "linux")]
extern "C" {
    fn pthread_setcancelstate(state: c_int, before: *mut c_int) -> c_int;
}

impl Uncancelled {
    fn new() -> Self {
        #[cfg_attr(not(target_os = "linux"), allow(unused_mut))]
        let mut before = 0;
        #[cfg(target_os = "linux")]
        // SAFETY: 1 is PTHREAD_CANCEL_DISABLE of glibc and musl; the state before is written to `before`.
        unsafe {
            pthread_setcancelstate(1, &mut before)
        };
        Self { before }
    }
}

impl Drop for Uncancelled {
    fn drop(&mut self) {
        #[cfg(target_os = "linux")]
        // SAFETY: a state that this thread had, and room for the one it has.
        unsafe {
            pthread_setcancelstate(self.before, &mut self.before)
        };
    }
}

/// Keeps the error's text for `interlock_last_error`.
fn remember(error: &Error) -> CString {
    let mut bytes = error.to_string().into_bytes();
    bytes.retain(|byte| *byte != 0);
    let text = CString::new(bytes).unwrap_or_default();
    // While a thread ends its slot may be gone already; then nobody is left to ask.
    let _ = LAST_ERROR.try_with(|slot| slot.replace(text.clone()));
    text
}

/// The text of this thread's last error; it stays where it is until the thread's next error.
pub(crate) fn last_error() -> *const c_char {
    LAST_ERROR.try_with(|slot| slot.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// A copy for the caller to free, or null if there is no memory for one.
pub(crate) fn duplicate(text: &CStr) -> *mut c_char {
    // SAFETY: `text` is NUL-terminated.
    unsafe { libc::strdup(text.as_ptr()) }
}
