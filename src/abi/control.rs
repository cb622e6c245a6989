//! What this library adds to the matched names: version, backends, devices, errors, logging. All prefixed.

use std::ffi::{c_char, c_int, c_void, CString};
use std::sync::Arc;

use super::outcome::{self, duplicate, RustError};
use crate::error::Error;
use crate::logging::{self, Level};
use crate::raw::check_pointer;
use crate::settings::{self, BackendChoice};
use crate::{gpu, prove};

/// The library's version, such as "0.1.0". Static; do not free.
#[no_mangle]
pub extern "C" fn interlock_version() -> *const c_char {
    const { concat!(env!("CARGO_PKG_VERSION"), "\0") }.as_ptr().cast()
}

/// The text of the last error of a call on this thread, "" if there was none. It belongs to the library and stays
/// valid until the next error on this thread. Functions that return nothing leave their errors here too.
#[no_mangle]
pub extern "C" fn interlock_last_error() -> *const c_char {
    outcome::last_error()
}

/// Chooses which backend proves from now on, whatever INTERLOCK_BACKEND says: an interlock_backend value.
///
/// Errors: EINVAL for a number that is none; ENODEV for INTERLOCK_BACKEND_GPU if no GPU can prove, with the reason, and
/// then nothing is changed.
#[no_mangle]
pub extern "C" fn interlock_set_backend(backend: c_int) -> RustError {
    outcome::returning(|| {
        let choice = choice_from(backend)?;
        prove::available(choice)?;
        settings::set_backend(choice);
        Ok(())
    })
}

/// Whether a backend could prove now: an interlock_backend value. Success says yes. This ignores
/// INTERLOCK_BACKEND; interlock_current_backend() does not.
///
/// Errors: EINVAL for a number that is none; ENODEV with the reason and what to do.
#[no_mangle]
pub extern "C" fn interlock_backend_status(backend: c_int) -> RustError {
    outcome::returning(|| prove::available(choice_from(backend)?))
}

/// The name of the backend that would prove now, "cpu" or "gpu", by interlock_set_backend() or else by
/// INTERLOCK_BACKEND; NULL if none would (interlock_last_error() says why). Static; do not free.
#[no_mangle]
pub extern "C" fn interlock_current_backend() -> *const c_char {
    outcome::or(std::ptr::null(), "interlock_current_backend", || {
        Ok(match prove::current()? {
            "cpu" => c"cpu".as_ptr(),
            _ => c"gpu".as_ptr(),
        })
    })
}

/// Stores the number of CUDA devices in `*count`; 0 on error.
///
/// Errors: EINVAL if `count` is NULL; ENODEV with the reason why there are none: a build without CUDA, no driver, a
/// driver too old.
#[no_mangle]
pub unsafe extern "C" fn interlock_device_count(count: *mut usize) -> RustError {
    outcome::returning(|| {
        check_pointer(count, 1, || "count".to_owned())?;
        // SAFETY: neither null nor misaligned, and the caller's promise.
        unsafe { count.write(0) };
        let devices = gpu::devices()?;
        // SAFETY: as above.
        unsafe { count.write(devices.len()) };
        Ok(())
    })
}

/// Describes one CUDA device, for people: name, memory and compute capability in one line of text in `*text`, which
/// the caller frees with `free()`. `index` is in CUDA's order. On error `*text` is NULL.
///
/// Errors: EINVAL if `text` is NULL or there is no device of that index; ENODEV as interlock_device_count(); ENOMEM.
#[no_mangle]
pub unsafe extern "C" fn interlock_device_text(index: usize, text: *mut *mut c_char) -> RustError {
    outcome::returning(|| {
        check_pointer(text, 1, || "text".to_owned())?;
        // SAFETY: neither null nor misaligned, and the caller's promise.
        unsafe { text.write(std::ptr::null_mut()) };
        let devices = gpu::devices()?;
        let device = devices.get(index).ok_or(Error::NoSuchDevice {
            what: "index",
            index: index as i64,
            count: devices.len(),
        })?;
        let line = CString::new(device.to_string()).unwrap_or_default();
        let copy = duplicate(&line);
        if copy.is_null() {
            return Err(Error::OutOfMemory { what: "a device's description", bytes: line.as_bytes().len() + 1 });
        }
        // SAFETY: as above.
        unsafe { text.write(copy) };
        Ok(())
    })
}

/// A callback for log messages. `level` is an interlock_log_level, `message` is NUL-terminated and valid during the
/// call only, `user` is what was registered with it. It may run on any thread, several at once, and must not unwind.
/// It may call the library, whose messages then reach it again, inside that call: one that proves needs a guard of its
/// own against that, or the stack ends.
#[allow(non_camel_case_types)]
pub type interlock_log_callback = Option<unsafe extern "C" fn(level: c_int, message: *const c_char, user: *mut c_void)>;

/// Sends log messages to `callback` from now on; NULL sends them to standard error again. Nothing is ever written to
/// standard output. A message that is under way on another thread may still reach the previous callback.
#[no_mangle]
pub extern "C" fn interlock_set_log_callback(callback: interlock_log_callback, user: *mut c_void) {
    let user = User(user);
    logging::set_callback(callback.map(|callback| -> logging::Callback {
        Arc::new(move |level, message| {
            let user = &user;
            let text = CString::new(message.replace('\0', "")).unwrap_or_default();
            // SAFETY: the registrar promises a function of this type that may be called with `user` from any thread.
            unsafe { callback(level as c_int, text.as_ptr(), user.0) };
        })
    }));
}

/// Drops messages less grave than `level` from now on, whatever INTERLOCK_LOG says: an interlock_log_level.
///
/// Errors: EINVAL for a number that is none.
#[no_mangle]
pub extern "C" fn interlock_set_log_level(level: c_int) -> RustError {
    outcome::returning(|| {
        let known = u8::try_from(level).ok().and_then(Level::from_number);
        logging::set_level(known.ok_or_else(|| Error::Choice {
            name: "level",
            value: level.into(),
            expected: "an interlock_log_level, 0 to 5",
        })?);
        Ok(())
    })
}

/// The registrar's pointer, handed back to it.
struct User(*mut c_void);
// SAFETY: never followed here; the registrar promises that its callback may be called with it from any thread.
unsafe impl Send for User {}
// SAFETY: as above.
unsafe impl Sync for User {}

fn choice_from(backend: c_int) -> Result<BackendChoice, Error> {
    BackendChoice::from_number(backend).ok_or_else(|| Error::Choice {
        name: "backend",
        value: backend.into(),
        expected: "an interlock_backend, 0 to 2",
    })
}
