//! Raw CUDA. This is the only module that calls it, and it counts each call by its function's name, so that tests can assert
//! which calls a path makes.
//!
//! The runtime is linked statically and loads the driver when first asked for it, so a program starts where there is no driver;
//! the driver's own functions are found by name at their first call. Errors are returned as CUDA's numbers: [`crate::gpu`]
//! makes values of [`crate::Error`] of them.
#![allow(non_snake_case, non_camel_case_types, clippy::upper_case_acronyms)]

mod launchers;

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicI32, AtomicPtr, AtomicU64, Ordering};

/// Sizes of the launchers' memory: arithmetic, not counted.
pub use launchers::interlock_quotient_domain_bytes;
/// Ranges for profilers: no calls of CUDA.
pub use launchers::{interlock_profiler_pop, interlock_profiler_push, interlock_profiler_start};

/// A `cudaError_t` or `CUresult`: 0 is success, and the numbers agree where both have one.
pub type Status = c_int;
pub const SUCCESS: Status = 0;
/// `cudaErrorMemoryAllocation`.
pub const ERROR_MEMORY_ALLOCATION: Status = 2;
pub const ERROR_INSUFFICIENT_DRIVER: Status = 35;
pub const ERROR_NO_DEVICE: Status = 100;
pub const ERROR_DRIVER_MISMATCH: Status = 803;
/// `cudaErrorNotReady`: not an error, what was asked for is not over yet.
pub const ERROR_NOT_READY: Status = 600;

/// `cudaDevAttrComputeCapabilityMajor` and `…Minor`.
pub const ATTRIBUTE_COMPUTE_CAPABILITY: [c_int; 2] = [75, 76];

/// The CUDA version whose form of the driver's functions is meant.
const DRIVER_INTERFACE: c_uint = 12000;

pub type Stream = *mut launchers::CUstream_st;
pub type Event = *mut c_void;
/// `CUdeviceptr`.
pub type DevicePointer = u64;
/// `CUmemGenericAllocationHandle`.
pub type MemoryHandle = u64;

/// `CUmemLocation` of a device: type 1 and its ordinal.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MemoryLocation {
    pub kind: c_int,
    pub device: c_int,
}

/// `CUmemAllocationProp`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MemoryProperties {
    /// `CU_MEM_ALLOCATION_TYPE_PINNED` is 1.
    pub kind: c_int,
    pub handle_types: c_int,
    pub location: MemoryLocation,
    pub win32_meta_data: *mut c_void,
    pub flags: [u8; 8],
}

/// `CUmemAccessDesc`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MemoryAccess {
    pub location: MemoryLocation,
    /// `CU_MEM_ACCESS_FLAGS_PROT_READWRITE` is 3.
    pub flags: c_int,
}
pub const STREAM_NON_BLOCKING: c_uint = 1;
/// `cudaEventBlockingSync`.
pub const EVENT_SLEEPING: c_uint = 1;
/// `cudaEventBlockingSync | cudaEventDisableTiming`.
pub const EVENT_UNTIMED_SLEEPING: c_uint = 3;
/// `cudaHostAllocPortable`.
pub const HOST_ALLOC_PORTABLE: c_uint = 1;
/// `cudaHostRegisterPortable`.
pub const HOST_REGISTER_PORTABLE: c_uint = 1;
/// `cudaMemcpyHostToDevice`.
pub const HOST_TO_DEVICE: c_int = 1;
/// `cudaMemcpyDeviceToHost`.
pub const DEVICE_TO_HOST: c_int = 2;

/// What launchers take, and what they say of it without a call of CUDA.
pub use launchers::{
    interlock_copied_terms, interlock_msm_shape, interlock_msm_terms, interlock_place, interlock_query,
    interlock_query_terms, interlock_reduce_g1_scratch_bytes, interlock_sum_terms, interlock_terms_scratch_bytes,
    interlock_variables, INTERLOCK_COPIES, INTERLOCK_EXPAND_PIECE, INTERLOCK_QUERIES, INTERLOCK_SUM_BLOCK,
    INTERLOCK_SUM_QUERIES, INTERLOCK_TERMS_TILE,
};
#[cfg(test)]
pub use launchers::{interlock_msm_g1_shape_for, interlock_msm_g2_shape_for};
pub use launchers::{
    interlock_point_fault, INTERLOCK_POINT_COMPRESSED, INTERLOCK_POINT_COORDINATE, INTERLOCK_POINT_INFINITY,
    INTERLOCK_POINT_INFINITY_FLAG, INTERLOCK_POINT_OFF_CURVE, INTERLOCK_POINT_SIGN,
};

/// The functions that the library calls, each with a counter.
///
/// `runtime` are linked; `launchers` too, and are declared in `launchers.rs`; `driver` are found by name.
macro_rules! functions {
    (
        runtime { $($(#[$ra:meta])* fn $runtime:ident($($rarg:ident: $rtype:ty),*);)* }
        launchers { $($(#[$la:meta])* fn $launcher:ident($($larg:ident: $ltype:ty),*);)* }
        driver { $($(#[$da:meta])* fn $driver:ident ($($darg:ident: $dtype:ty),*);)* }
    ) => {
        mod runtime {
            use super::*;
            extern "C" {
                $($(#[$ra])* pub fn $runtime($($rarg: $rtype),*) -> Status;)*
            }
        }

        #[derive(Clone, Copy)]
        enum Function {
            $($(#[$ra])* $runtime,)*
            $($(#[$la])* $launcher,)*
            $($(#[$da])* $driver,)*
        }

        const NAMES: &[&str] = &[
            $($(#[$ra])* stringify!($runtime),)*
            $($(#[$la])* stringify!($launcher),)*
            $($(#[$da])* stringify!($driver),)*
        ];

        $(
            /// The runtime's function, counted.
            ///
            /// # Safety
            /// As CUDA documents it.
            $(#[$ra])*
            pub unsafe fn $runtime($($rarg: $rtype),*) -> Status {
                // SAFETY: the caller keeps the contract that CUDA documents.
                called(Function::$runtime, || unsafe { runtime::$runtime($($rarg),*) })
            }
        )*

        $(
            /// The launcher, counted.
            ///
            /// # Safety
            /// As `launchers.h` documents it.
            $(#[$la])*
            pub unsafe fn $launcher($($larg: $ltype),*) -> Status {
                // SAFETY: the caller keeps the contract of `launchers.h`.
                called(Function::$launcher, || unsafe { launchers::$launcher($($larg),*) })
            }
        )*

        $(
            /// The driver's function, counted; an error where the driver is absent or lacks it.
            ///
            /// # Safety
            /// As CUDA documents it.
            $(#[$da])*
            pub unsafe fn $driver($($darg: $dtype),*) -> Status {
                static ENTRY: AtomicPtr<c_void> = AtomicPtr::new(std::ptr::null_mut());
                let mut entry = ENTRY.load(Ordering::Acquire);
                called(Function::$driver, || {
                    if entry.is_null() {
                        // SAFETY: the name ends in NUL and `entry` takes one pointer.
                        let status = unsafe {
                            launchers::interlock_driver_entry_point(concat!(stringify!($driver), "\0").as_ptr().cast(), DRIVER_INTERFACE, &mut entry)
                        };
                        if status != SUCCESS {
                            return status;
                        }
                        ENTRY.store(entry, Ordering::Release);
                    }
                    // SAFETY: the driver gave this address for this name and version, whose signature it is; the caller keeps the
                    // function's contract.
                    unsafe {
                        let function: unsafe extern "C" fn($($dtype),*) -> Status = std::mem::transmute(entry);
                        function($($darg),*)
                    }
                })
            }
        )*
    };
}

functions! {
    runtime {
        fn cudaGetDeviceCount(count: *mut c_int);
        fn cudaDriverGetVersion(version: *mut c_int);
        fn cudaRuntimeGetVersion(version: *mut c_int);
        fn cudaDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int);
        fn cudaGetLastError();
        fn cudaGetDevice(device: *mut c_int);
        fn cudaSetDevice(device: c_int);
        fn cudaMalloc(pointer: *mut *mut c_void, bytes: usize);
        fn cudaFree(pointer: *mut c_void);
        fn cudaMemGetInfo(free: *mut usize, total: *mut usize);
        fn cudaHostAlloc(pointer: *mut *mut c_void, bytes: usize, flags: c_uint);
        fn cudaFreeHost(pointer: *mut c_void);
        fn cudaHostRegister(pointer: *mut c_void, bytes: usize, flags: c_uint);
        fn cudaHostUnregister(pointer: *mut c_void);
        fn cudaMemsetAsync(pointer: *mut c_void, value: c_int, bytes: usize, stream: Stream);
        fn cudaStreamWaitEvent(stream: Stream, event: Event, flags: c_uint);
        fn cudaMemcpyAsync(to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int, stream: Stream);
        fn cudaStreamCreateWithFlags(stream: *mut Stream, flags: c_uint);
        fn cudaStreamCreateWithPriority(stream: *mut Stream, flags: c_uint, priority: c_int);
        fn cudaStreamSynchronize(stream: Stream);
        fn cudaStreamDestroy(stream: Stream);
        fn cudaEventCreateWithFlags(event: *mut Event, flags: c_uint);
        fn cudaEventRecord(event: Event, stream: Stream);
        fn cudaEventSynchronize(event: Event);
        fn cudaEventQuery(event: Event);
        fn cudaEventElapsedTime(milliseconds: *mut f32, from: Event, to: Event);
        fn cudaEventDestroy(event: Event);
    }
    launchers {
        #[cfg(feature = "kit")]
        fn interlock_fr_mul(out: *mut c_void, a: *const c_void, b: *const c_void, n: usize, stream: Stream);
        fn interlock_quotient_domain(domain: *mut c_void, log2: c_uint, stream: Stream);
        fn interlock_quotient_product(a: *mut c_void, b: *mut c_void, domain: *const c_void, log2: c_uint, stream: Stream);
        fn interlock_quotient_finish(a: *mut c_void, c: *mut c_void, domain: *const c_void, log2: c_uint, stream: Stream);
        fn interlock_gather(out: *mut c_void, scalars: *const c_void, bits: c_uint, first: usize, n: usize, stream: Stream);
        fn interlock_msm_g1_scratch_bytes(n: usize, shape: interlock_msm_shape, bytes: *mut usize);
        fn interlock_msm_g2_scratch_bytes(n: usize, shape: interlock_msm_shape, bytes: *mut usize);
        fn interlock_msm_g1(scratch: *mut c_void, sums: *mut c_void, terms: *const interlock_msm_terms, shape: interlock_msm_shape, stream: Stream);
        fn interlock_msm_g2(scratch: *mut c_void, sums: *mut c_void, terms: *const interlock_msm_terms, shape: interlock_msm_shape, stream: Stream);
        fn interlock_multiples_g1(
            scratch: *mut c_void, bytes: usize, to: *mut c_void, from: *const c_void, n: usize, doublings: c_uint, stream: Stream
        );
        fn interlock_copy_terms_g1(copies: *const interlock_copied_terms, n: usize, stream: Stream);
        fn interlock_copy_terms_g2(copies: *const interlock_copied_terms, n: usize, stream: Stream);
        fn interlock_fill_g1_scratch_bytes(n: usize, windows: c_uint, bytes: *mut usize);
        fn interlock_fill_g1(
            scratch: *mut c_void, buckets: *mut c_void, terms: *const interlock_msm_terms, shape: interlock_msm_shape, first: c_uint,
            stream: Stream
        );
        fn interlock_reduce_g1(
            scratch: *mut c_void, sums: *mut c_void, buckets: *const c_void, shape: interlock_msm_shape, stream: Stream
        );
        fn interlock_sum_g1(
            accumulators: *mut c_void, blocks: c_uint, terms: *const interlock_sum_terms, queries: c_uint, stream: Stream
        );
        fn interlock_sum_g2(
            accumulators: *mut c_void, blocks: c_uint, terms: *const interlock_sum_terms, queries: c_uint, stream: Stream
        );
        fn interlock_total_g1(
            scratch: *mut c_void, sums: *mut c_void, accumulators: *const c_void, blocks: c_uint, queries: c_uint, stream: Stream
        );
        fn interlock_total_g2(
            scratch: *mut c_void, sums: *mut c_void, accumulators: *const c_void, blocks: c_uint, queries: c_uint, stream: Stream
        );
        fn interlock_decode_g1(points: *mut c_void, bytes: *const c_void, n: usize, first: u64, fault: *mut u64, stream: Stream);
        fn interlock_decode_g2(points: *mut c_void, bytes: *const c_void, n: usize, first: u64, fault: *mut u64, stream: Stream);
        fn interlock_terms(scratch: *mut c_void, queries: *const interlock_query, n: usize, stream: Stream);
        fn interlock_expand(
            out: *mut c_void, n: usize, pieces: *const c_void, places: *const interlock_place, count: usize, stream: Stream
        );
    }
    driver {
        fn cuDeviceGet(device: *mut c_int, ordinal: c_int);
        fn cuDeviceGetName(name: *mut c_char, len: c_int, device: c_int);
        fn cuDeviceTotalMem(bytes: *mut usize, device: c_int);
        fn cuMemAddressReserve(
            address: *mut DevicePointer, bytes: usize, alignment: usize, wanted: DevicePointer, flags: u64
        );
        fn cuMemAddressFree(address: DevicePointer, bytes: usize);
        fn cuMemCreate(handle: *mut MemoryHandle, bytes: usize, properties: *const MemoryProperties, flags: u64);
        fn cuMemRelease(handle: MemoryHandle);
        fn cuMemMap(address: DevicePointer, bytes: usize, offset: usize, handle: MemoryHandle, flags: u64);
        fn cuMemUnmap(address: DevicePointer, bytes: usize);
        fn cuMemSetAccess(address: DevicePointer, bytes: usize, access: *const MemoryAccess, count: usize);
    }
}

extern "C" {
    /// CUDA's words for an error: not counted, and may always be asked for.
    pub fn cudaGetErrorString(error: Status) -> *const c_char;
}

static COUNTS: [AtomicU64; NAMES.len()] = [const { AtomicU64::new(0) }; NAMES.len()];

/// Counts a call and makes it, unless an earlier one has shown that no more will succeed: then that one's error is the result.
fn called(function: Function, call: impl FnOnce() -> Status) -> Status {
    let fatal = FATAL.load(Ordering::Relaxed);
    if fatal != SUCCESS {
        return fatal;
    }
    COUNTS[function as usize].fetch_add(1, Ordering::Relaxed);
    #[cfg(feature = "kit")]
    if let Some(status) = injected(function) {
        return noted(status);
    }
    noted(call())
}

/// The first error after which CUDA does nothing more in this process, or 0.
static FATAL: AtomicI32 = AtomicI32::new(SUCCESS);

/// What CUDA documents as leaving the process inconsistent, "to continue using CUDA, the process must be terminated and
/// relaunched", and what its driver answers from then on.
const FATAL_ERRORS: [Status; 13] = [4, 214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718];
const LAUNCH_FAILURE: Status = 719;

fn noted(status: Status) -> Status {
    if status == LAUNCH_FAILURE || FATAL_ERRORS.contains(&status) {
        // The first one stays: it says what happened.
        let _ = FATAL.compare_exchange(SUCCESS, status, Ordering::Relaxed, Ordering::Relaxed);
    }
    status
}

/// The error that has ended this process's use of CUDA, if one has.
pub fn fatal() -> Option<Status> {
    Some(FATAL.load(Ordering::Relaxed)).filter(|status| *status != SUCCESS)
}

/// How many more calls succeed before the first one fails, as set by [`fail_after`]; then, downwards, how many have failed.
#[cfg(feature = "kit")]
static LEFT: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new(i64::MIN);
/// How many fail.
#[cfg(feature = "kit")]
static FAILING: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new(0);
#[cfg(feature = "kit")]
static FAILURE: AtomicI32 = AtomicI32::new(SUCCESS);

/// Makes `in_a_row` calls fail with `status` without being made, those after the next `calls`, and no others; to test what comes of it.
/// Negative numbers of calls take it back. What asks for the last error never fails.
#[cfg(feature = "kit")]
pub fn fail_after(calls: i64, in_a_row: u32, status: Status) {
    LEFT.store(i64::MIN, Ordering::SeqCst);
    FAILURE.store(status, Ordering::SeqCst);
    FAILING.store(in_a_row.into(), Ordering::SeqCst);
    if calls >= 0 {
        LEFT.store(calls, Ordering::SeqCst);
    }
}

/// Whether no failure that [`fail_after`] ordered has come yet.
#[cfg(feature = "kit")]
pub fn failure_is_due() -> bool {
    LEFT.load(Ordering::SeqCst) >= 0
}

#[cfg(feature = "kit")]
fn injected(function: Function) -> Option<Status> {
    if matches!(function, Function::cudaGetLastError) {
        return None;
    }
    let last = -FAILING.load(Ordering::SeqCst);
    let before = LEFT.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| (left > last).then(|| left - 1));
    before.is_ok_and(|left| left <= 0).then(|| FAILURE.load(Ordering::SeqCst))
}

/// How often this process has called each of CUDA's functions and launchers, by name.
#[cfg(any(test, feature = "kit"))]
pub fn counts() -> std::collections::BTreeMap<&'static str, u64> {
    NAMES.iter().copied().zip(COUNTS.iter().map(|count| count.load(Ordering::Relaxed))).collect()
}
