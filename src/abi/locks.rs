//! The opaque `gpu_locks` handles.

use std::ffi::c_void;

use super::outcome;
use crate::raw;

/// Gives out a `gpu_locks` handle, for proofs that are to share a place in a GPU's queues. Never NULL.
///
/// Handles are numbers, not addresses. One handle serves any number of threads and proofs; passing NULL to the proof
/// functions uses one of the library's own. End it with destroy_gpu_locks() or destroy_gpu_mutex().
#[no_mangle]
pub extern "C" fn create_gpu_locks() -> *mut c_void {
    raw::create_locks()
}

/// Ends a handle that create_gpu_locks() or create_gpu_mutex() gave out. Proofs that are using it go on. NULL is left
/// alone; any other value is logged as a warning and does nothing.
#[no_mangle]
pub extern "C" fn destroy_gpu_locks(gpu_locks: *mut c_void) {
    outcome::or((), "destroy_gpu_locks", || raw::destroy_locks(gpu_locks));
}

/// The same as create_gpu_locks(), under the name that callers of `supraseal-c2` know.
#[no_mangle]
pub extern "C" fn create_gpu_mutex() -> *mut c_void {
    create_gpu_locks()
}

/// The same as destroy_gpu_locks(), under the name that callers of `supraseal-c2` know.
#[no_mangle]
pub extern "C" fn destroy_gpu_mutex(gpu_locks: *mut c_void) {
    destroy_gpu_locks(gpu_locks);
}
