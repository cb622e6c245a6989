//! A Groth16 prover for Filecoin's proofs over BLS12-381, with the C ABI of `supraseal-c2`.
//!
//! Rust programs load parameters with [`Srs::open`] and call [`prove()`](prove::prove) or, to overlap their own work,
//! [`start`](prove::start) and [`Pending::finish`](prove::Pending). C, C++ and Go programs use `include/interlock.h`.
//! Programs that already use bellperson's `cuda-supraseal` feature swap in one of the crates under `compat/`.
//!
//! A proof is a pure function of the assignment, the blinding scalars and the parameters: the same bytes as bellperson's.
#![deny(unsafe_op_in_unsafe_fn, missing_docs, rustdoc::broken_intra_doc_links)]
#![warn(clippy::undocumented_unsafe_blocks)]

#[cfg(feature = "capi")]
mod abi;
/// cbindgen:ignore
mod build;
mod cpu;
pub mod curve;
mod error;
/// cbindgen:ignore
mod gpu;
mod handles;
/// cbindgen:ignore
mod lock;
pub mod logging;
/// cbindgen:ignore
mod mem;
mod params;
pub mod prove;
pub mod raw;
pub mod settings;
#[cfg(interlock_cuda)]
/// cbindgen:ignore
mod sys;
mod threads;
pub mod trace;

pub use build::{Build, Cuda};
pub use error::{Error, HandleKind, ParamsFault, Shortfall};
pub use gpu::{device_memory, devices, driver_version, release_memory, visible_devices, DeviceInfo, DeviceMemory};
pub use lock::{Call, LockSettings, LockStatistics, Locks};
pub use params::{Counts, Parameters, Points};
pub use prove::Srs;

/// What `bench/kit` tests on a device and `bench/simulate` simulates. No API: it changes without notice.
#[cfg(feature = "kit")]
#[doc(hidden)]
pub mod kit {
    #[cfg(interlock_cuda)]
    pub use crate::cpu::quotient_coefficients;
    #[cfg(interlock_cuda)]
    pub use crate::gpu::kit::*;
    pub use crate::lock::{admission, load, memory, order};
    pub use crate::mem::arena;
    pub use crate::prove::plan::forced::force;
    #[cfg(interlock_cuda)]
    pub use crate::sys::{counts, fail_after, failure_is_due};
}

/// The version of this library.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
