//! Raw CUDA. This is the only module that calls it, and it counts each call by its function's name, so that tests can assert
//! which calls a path makes.
//!
//! The runtime is linked statically and loads the driver when first asked for it, so a program starts where there is no driver;
//! the driver's own functions are found by name at their first call. Errors are returned as CUDA's numbers: [`crate::gpu`]
//! makes values of [`crate::Error`] of them.
#![allow(non_snake_case, non_camel_case_types, clippy::upper_case_acronyms)]

mod launchers;

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// Sizes of the launchers' memory: arithmetic, not counted.
pub use launchers::interlock_quotient_domain_bytes;

/// A `cudaError_t` or `CUresult`: 0 is success, and the numbers agree where both have one.
pub type Status = c_int;
pub const SUCCESS: Status = 0;
pub const ERROR_INSUFFICIENT_DRIVER: Status = 35;
pub const ERROR_NO_DEVICE: Status = 100;
pub const ERROR_DRIVER_MISMATCH: Status = 803;

/// `cudaDevAttrComputeCapabilityMajor` and `…Minor`.
pub const ATTRIBUTE_COMPUTE_CAPABILITY: [c_int; 2] = [75, 76];

/// The CUDA version whose form of the driver's functions is meant.
const DRIVER_INTERFACE: c_uint = 12000;

pub type Stream = *mut launchers::CUstream_st;
pub type Event = *mut c_void;
pub const STREAM_NON_BLOCKING: c_uint = 1;
pub const EVENT_DEFAULT: c_uint = 0;
/// `cudaEventBlockingSync | cudaEventDisableTiming`.
pub const EVENT_UNTIMED_SLEEPING: c_uint = 3;
/// `cudaHostAllocPortable`.
pub const HOST_ALLOC_PORTABLE: c_uint = 1;
/// `cudaMemcpyHostToDevice`.
pub const HOST_TO_DEVICE: c_int = 1;
/// `cudaMemcpyDeviceToHost`.
pub const DEVICE_TO_HOST: c_int = 2;

/// What launchers take, and what they say of it without a call of CUDA.
pub use launchers::{
    interlock_msm_g1_scratch_bytes, interlock_msm_g2_scratch_bytes, interlock_msm_shape, interlock_msm_shape_for,
    interlock_msm_terms, interlock_query_terms, interlock_sum_g1_scratch_bytes, interlock_sum_g2_scratch_bytes,
    interlock_sum_terms, interlock_terms_scratch_bytes, interlock_variables, INTERLOCK_EXPAND_PIECE,
    INTERLOCK_TERMS_TILE,
};
#[cfg(feature = "kit")]
pub use launchers::{
    interlock_point_fault, INTERLOCK_POINT_COMPRESSED, INTERLOCK_POINT_COORDINATE, INTERLOCK_POINT_INFINITY,
    INTERLOCK_POINT_INFINITY_FLAG, INTERLOCK_POINT_OFF_CURVE, INTERLOCK_POINT_SIGN,
};

/// The functions that the library calls, each with a counter.
///
/// `runtime` are linked; `launchers` too, and are declared in `launchers.rs`; `driver` are found by name.
macro_rules! functions {
    (
        runtime { $($(#[$ra:meta])* fn $runtime:ident($($rarg:ident: $rtype:ty),*) -> $rret:ty;)* }
        launchers { $($(#[$la:meta])* fn $launcher:ident($($larg:ident: $ltype:ty),*);)* }
        driver { $($(#[$da:meta])* fn $driver:ident ($($darg:ident: $dtype:ty),*);)* }
    ) => {
        mod runtime {
            use super::*;
            extern "C" {
                $($(#[$ra])* pub fn $runtime($($rarg: $rtype),*) -> $rret;)*
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
            pub unsafe fn $runtime($($rarg: $rtype),*) -> $rret {
                count(Function::$runtime);
                // SAFETY: the caller keeps the contract that CUDA documents.
                unsafe { runtime::$runtime($($rarg),*) }
            }
        )*

        $(
            /// The launcher, counted.
            ///
            /// # Safety
            /// As `launchers.h` documents it.
            $(#[$la])*
            pub unsafe fn $launcher($($larg: $ltype),*) -> Status {
                count(Function::$launcher);
                // SAFETY: the caller keeps the contract of `launchers.h`.
                unsafe { launchers::$launcher($($larg),*) }
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
                count(Function::$driver);
                let mut entry = ENTRY.load(Ordering::Acquire);
                if entry.is_null() {
                    // SAFETY: the name ends in NUL and `entry` takes one pointer.
                    let status = unsafe {
                        interlock_driver_entry_point(concat!(stringify!($driver), "\0").as_ptr().cast(), DRIVER_INTERFACE, &mut entry)
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
            }
        )*
    };
}

functions! {
    runtime {
        fn cudaGetDeviceCount(count: *mut c_int) -> Status;
        fn cudaDriverGetVersion(version: *mut c_int) -> Status;
        fn cudaRuntimeGetVersion(version: *mut c_int) -> Status;
        fn cudaDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) -> Status;
        fn cudaGetErrorString(error: Status) -> *const c_char;
        fn cudaGetLastError() -> Status;
        fn cudaGetDevice(device: *mut c_int) -> Status;
        fn cudaSetDevice(device: c_int) -> Status;
        fn cudaMalloc(pointer: *mut *mut c_void, bytes: usize) -> Status;
        fn cudaFree(pointer: *mut c_void) -> Status;
        fn cudaHostAlloc(pointer: *mut *mut c_void, bytes: usize, flags: c_uint) -> Status;
        fn cudaFreeHost(pointer: *mut c_void) -> Status;
        fn cudaMemsetAsync(pointer: *mut c_void, value: c_int, bytes: usize, stream: Stream) -> Status;
        fn cudaStreamWaitEvent(stream: Stream, event: Event, flags: c_uint) -> Status;
        fn cudaMemcpyAsync(to: *mut c_void, from: *const c_void, bytes: usize, kind: c_int, stream: Stream) -> Status;
        fn cudaStreamCreateWithFlags(stream: *mut Stream, flags: c_uint) -> Status;
        fn cudaStreamCreateWithPriority(stream: *mut Stream, flags: c_uint, priority: c_int) -> Status;
        fn cudaStreamSynchronize(stream: Stream) -> Status;
        fn cudaStreamDestroy(stream: Stream) -> Status;
        fn cudaEventCreateWithFlags(event: *mut Event, flags: c_uint) -> Status;
        fn cudaEventRecord(event: Event, stream: Stream) -> Status;
        fn cudaEventSynchronize(event: Event) -> Status;
        #[cfg(feature = "kit")] fn cudaEventElapsedTime(milliseconds: *mut f32, from: Event, to: Event) -> Status;
        fn cudaEventDestroy(event: Event) -> Status;
    }
    launchers {
        fn interlock_driver_entry_point(symbol: *const c_char, version: c_uint, function: *mut *mut c_void);
        #[cfg(feature = "kit")]
        fn interlock_fr_mul(out: *mut c_void, a: *const c_void, b: *const c_void, n: usize, stream: Stream);
        fn interlock_quotient_domain(domain: *mut c_void, log2: c_uint, stream: Stream);
        fn interlock_quotient_product(a: *mut c_void, b: *mut c_void, domain: *const c_void, log2: c_uint, stream: Stream);
        fn interlock_quotient_finish(a: *mut c_void, c: *mut c_void, domain: *const c_void, log2: c_uint, stream: Stream);
        fn interlock_msm_g1(scratch: *mut c_void, sums: *mut c_void, terms: *const interlock_msm_terms, shape: interlock_msm_shape, stream: Stream);
        fn interlock_msm_g2(scratch: *mut c_void, sums: *mut c_void, terms: *const interlock_msm_terms, shape: interlock_msm_shape, stream: Stream);
        fn interlock_sum_g1(scratch: *mut c_void, sum: *mut c_void, terms: *const interlock_sum_terms, stream: Stream);
        fn interlock_sum_g2(scratch: *mut c_void, sum: *mut c_void, terms: *const interlock_sum_terms, stream: Stream);
        fn interlock_decode_g1(points: *mut c_void, bytes: *const c_void, n: usize, first: u64, fault: *mut u64, stream: Stream);
        fn interlock_decode_g2(points: *mut c_void, bytes: *const c_void, n: usize, first: u64, fault: *mut u64, stream: Stream);
        fn interlock_terms(
            scratch: *mut c_void, terms: *const interlock_query_terms, variables: *const interlock_variables, stream: Stream
        );
        fn interlock_expand(out: *mut c_void, n: usize, pieces: *const c_void, places: *const u32, stream: Stream);
    }
    driver {
        fn cuDeviceGet(device: *mut c_int, ordinal: c_int);
        fn cuDeviceGetName(name: *mut c_char, len: c_int, device: c_int);
        fn cuDeviceTotalMem(bytes: *mut usize, device: c_int);
    }
}

static COUNTS: [AtomicU64; NAMES.len()] = [const { AtomicU64::new(0) }; NAMES.len()];

fn count(function: Function) {
    COUNTS[function as usize].fetch_add(1, Ordering::Relaxed);
}

/// How often this process has called each of CUDA's functions and launchers, by name.
#[cfg(any(test, feature = "kit"))]
pub fn counts() -> std::collections::BTreeMap<&'static str, u64> {
    NAMES.iter().copied().zip(COUNTS.iter().map(|count| count.load(Ordering::Relaxed))).collect()
}
