//! The recording of what calls do when, and the file of it.

use std::ffi::{c_char, CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::outcome::{self, RustError};
use crate::error::Error;
use crate::trace;

/// Forgets what was traced and traces the calls that begin from now on: their phases and waits on the host, uploads and
/// kernels on GPUs, and the GPU memory that is held. The last 65,536 spans are kept, in 6 MiB that are taken now.
///
/// INTERLOCK_TRACE=FILE in the environment starts it with the first call and keeps FILE up to date; each %p in it stands
/// for the number of the process. FILE is written after a call, at most every second, within seconds of the last one,
/// and when the program exits: but not at the exit of a Go program, and not when a signal or _exit() ends the process.
/// There call interlock_trace_write() for what came last.
///
/// Errors: ENOMEM; then nothing is changed.
#[no_mangle]
pub extern "C" fn interlock_trace_start() -> RustError {
    outcome::returning(trace::start)
}

/// Traces nothing more. What was traced stays, to be written, until interlock_trace_start() is called again.
#[no_mangle]
pub extern "C" fn interlock_trace_stop() {
    outcome::or((), "interlock_trace_stop", || {
        trace::stop();
        Ok(())
    });
}

/// Writes what was traced to the file at `path`, in the place of what may be there: JSON in Chrome's trace event format,
/// which https://ui.perfetto.dev and chrome://tracing show. Tracing goes on. What a GPU did is known once the call that
/// asked for it has ended.
///
/// `path`: NUL-terminated, in the file system's encoding. A symbolic link is followed; one that leads nowhere is an
/// error. A file that is replaced leaves its permissions, a new one has those that umask gives.
///
/// Errors: EINVAL if `path` is NULL; ENODATA if nothing was ever traced, which INTERLOCK_TRACE starts with the first
/// call that loads parameters or proves; ENOMEM; the errno of a file operation, such as ENOENT or EACCES, which is also
/// that of a link that neither this process's user nor root owns; ELOOP; EISDIR; ENOTSUP for what is no regular file,
/// and for the name of an open one, such as /dev/stdout. Then the file is as it was.
#[no_mangle]
pub unsafe extern "C" fn interlock_trace_write(path: *const c_char) -> RustError {
    outcome::returning(|| {
        if path.is_null() {
            return Err(Error::Null { what: "path".to_owned() });
        }
        // SAFETY: not null, and the caller promises that it ends in NUL.
        let path = unsafe { CStr::from_ptr(path) };
        trace::write(Path::new(OsStr::from_bytes(path.to_bytes())))
    })
}
