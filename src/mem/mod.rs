//! Device memory as bookkeeping: which addresses of a reserved range are whose. No CUDA.

#[cfg(any(test, feature = "kit", interlock_cuda))]
pub mod arena;
pub mod granule;
