//! The exported C functions: `include/interlock.h` is generated from this module.
//!
//! One file for each C object. Each function is a thin wrapper around [`crate::raw`] and its kin; [`outcome`] is the one
//! place where an error becomes a code and a message.

//!
//! # Safety
//! Of every function: a pointer argument is null, or points to what its type and the function's comment say, for the
//! length that the comment says, and nothing else writes there during the call. [`crate::raw`] checks all that can be
//! checked of it.

mod srs;

mod groth16;

mod locks;

mod control;

mod plan;

mod trace;

mod outcome;
