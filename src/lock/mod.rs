//! The opaque `gpu_locks` handle: whose place in a device's queues a call takes.

#[cfg(any(test, feature = "kit", interlock_cuda))]
pub mod admission;
#[cfg(any(test, feature = "kit", interlock_cuda))]
pub mod load;
#[cfg(any(test, feature = "kit", interlock_cuda))]
pub mod memory;
#[cfg(any(test, feature = "kit", interlock_cuda))]
pub mod order;
#[cfg(any(test, feature = "kit", interlock_cuda))]
mod sync;

use std::ffi::c_void;
use std::sync::{Arc, LazyLock};

use crate::error::{Error, HandleKind};
use crate::handles::Registry;

#[cfg(interlock_cuda)]
pub(crate) use admission::Fence;
#[cfg(interlock_cuda)]
pub(crate) use order::{Order, Turn};

/// What a `gpu_locks` handle stands for. Callers that pass none share one of the library's own.
#[derive(Debug, Default)]
pub struct Locks(());

static HANDLES: Registry<Arc<Locks>> = Registry::new(
    HandleKind::Locks,
    ": create_gpu_locks and create_gpu_mutex give out such handles; a caller compiled for the ABI without the gpu_locks argument passes garbage there",
);
static SHARED: LazyLock<Arc<Locks>> = LazyLock::new(Arc::default);

/// Gives out a new handle.
pub(crate) fn create() -> *mut c_void {
    HANDLES.insert(Arc::default())
}

/// Ends a handle. Calls that are using it go on; null does nothing.
pub(crate) fn destroy(handle: *mut c_void) -> Result<(), Error> {
    if handle.is_null() {
        return Ok(());
    }
    HANDLES.remove(handle).map(drop)
}

/// What `handle` stands for; null is the library's own.
pub(crate) fn resolve(handle: *const c_void) -> Result<Arc<Locks>, Error> {
    if handle.is_null() {
        return Ok(SHARED.clone());
    }
    HANDLES.with(handle, Arc::clone)
}

impl Locks {
    /// The locks that calls without a handle share.
    pub fn shared() -> Arc<Self> {
        SHARED.clone()
    }
}
