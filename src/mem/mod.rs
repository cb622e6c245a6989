//! Device memory as bookkeeping: which addresses of a reserved range are whose. No CUDA.

pub mod arena;
