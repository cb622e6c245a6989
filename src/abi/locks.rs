//! The opaque `gpu_locks` handles.

use std::ffi::{c_int, c_void};
use std::mem::offset_of;
use std::num::NonZeroUsize;

use super::outcome::{self, RustError};
use crate::lock::LockStatistics;
use crate::raw::{self, check_pointer};
use crate::{gpu, lock};

/// Gives out a `gpu_locks` handle, for proofs that are to share a place in a GPU's queues. Never NULL, but in a forked
/// child that cannot prove.
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

/// Sets the device of proofs with this handle whose `gpu_index` is -1 or whose function has none: a device in CUDA's
/// order, or -1 to let the library choose for each the one that will be free first, which is so at first. NULL sets it
/// for calls without a handle.
///
/// Errors: EINVAL for a handle that is none or was destroyed, and for a number that names no device; ENODEV where there
/// are none, with the reason.
#[no_mangle]
pub extern "C" fn interlock_gpu_locks_set_device(gpu_locks: *mut c_void, device: c_int) -> RustError {
    outcome::returning(|| {
        let locks = lock::resolve(gpu_locks)?;
        locks.set_device(match device {
            -1 => None,
            _ => Some(gpu::device("device", device.into())?),
        });
        Ok(())
    })
}

/// Sets how many calls with this handle do their work at once, 0 for as many as are made, which is so at first; the
/// others wait, first come, first served. A call's work is done, for this, when all of it has been given to the device.
/// A proof that a log callback makes on the thread of a call that does its work begins at once. NULL sets it for calls
/// without a handle.
///
/// Errors: EINVAL for a handle that is none or was destroyed.
#[no_mangle]
pub extern "C" fn interlock_gpu_locks_set_workers(gpu_locks: *mut c_void, workers: usize) -> RustError {
    outcome::returning(|| {
        lock::resolve(gpu_locks)?.set_workers(NonZeroUsize::new(workers));
        Ok(())
    })
}

/// Sets the most bytes of device memory that a call with this handle plans with; 0 for what the device has to give (see
/// INTERLOCK_VRAM_BUDGET), which is so at first. NULL sets it for calls without a handle.
///
/// It does not count what serves all calls on a device: scratch, parameters that stay in device memory, and the memory
/// through which streamed ones pass. The budget of interlock_plan(), like INTERLOCK_VRAM_BUDGET, counts all of these. A
/// call whose budget is too small fails with -2, or proves on the CPU where it may.
///
/// Errors: EINVAL for a handle that is none or was destroyed.
#[no_mangle]
pub extern "C" fn interlock_gpu_locks_set_budget(gpu_locks: *mut c_void, bytes: usize) -> RustError {
    outcome::returning(|| {
        lock::resolve(gpu_locks)?.set_budget(Some(bytes).filter(|bytes| *bytes > 0));
        Ok(())
    })
}

/// What the calls with a handle did since it was created.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types)]
pub struct interlock_gpu_locks_statistics {
    /// Calls whose work began, after their checks. A call with several circuits is one.
    pub calls: u64,
    /// How often one of them waited, for others of the handle or for device memory.
    pub waits: u64,
    /// How long they waited in all, in nanoseconds.
    pub waited_ns: u64,
    /// Bytes of device memory that they were given in all; 0 on the CPU.
    pub bytes: u64,
}

const _: () = {
    assert!(size_of::<interlock_gpu_locks_statistics>() == 32 && align_of::<interlock_gpu_locks_statistics>() == 8);
    assert!(offset_of!(interlock_gpu_locks_statistics, calls) == 0);
    assert!(offset_of!(interlock_gpu_locks_statistics, waits) == 8);
    assert!(offset_of!(interlock_gpu_locks_statistics, waited_ns) == 16);
    assert!(offset_of!(interlock_gpu_locks_statistics, bytes) == 24);
};

/// Stores what the calls with a handle did in `*statistics`; NULL for those without a handle. On error it is left alone.
///
/// Errors: EINVAL if `statistics` is NULL, and for a handle that is none or was destroyed.
#[no_mangle]
pub unsafe extern "C" fn interlock_gpu_locks_get_statistics(
    gpu_locks: *const c_void,
    statistics: *mut interlock_gpu_locks_statistics,
) -> RustError {
    outcome::returning(|| {
        check_pointer(statistics, 1, || "statistics".to_owned())?;
        let LockStatistics { calls, waits, waited, bytes } = lock::resolve(gpu_locks)?.statistics();
        let waited_ns = u64::try_from(waited.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: neither null nor misaligned, and the caller's promise.
        unsafe { statistics.write(interlock_gpu_locks_statistics { calls, waits, waited_ns, bytes }) };
        Ok(())
    })
}

/// Gives memory back to the system that no parameters and no proof need now; what proofs need is taken again as they
/// need it. It is device memory, and page-locked host memory: that of results, and that of vectors which a budget had no
/// room for on the device, 4 GiB each at a domain of 2^27, and up to 256 MiB in which scalars were sorted. Parameters
/// stay where they are as long as they are loaded, and what serves uploads to a device that was used stays, too. To give
/// back page-locked memory waits for what devices are doing and holds up who else uses them, so call this when they are
/// idle. Does nothing where there is no GPU.
///
/// Errors: those of CUDA.
#[no_mangle]
pub extern "C" fn interlock_release_gpu_memory() -> RustError {
    outcome::returning(gpu::release_memory)
}
