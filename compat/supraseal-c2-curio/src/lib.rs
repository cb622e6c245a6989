//! The Rust API of Curio's `supraseal-c2` on interlock: a drop-in for Curio's bellperson and for cuzk. See
//! `compat/README.md` for how to swap it in.
//!
//! Beyond version 0.1.2 it has queues for a device (`gpu_mtx`), a choice of device (`gpu_index`), and proofs in two
//! steps: [`start_groth16_proof`] and [`finish_groth16_proof`].
//!
//! The functions take slices of raw pointers and are not marked `unsafe`, because their callers do not treat them as
//! such. What the pointers point to has to be readable all the same. Handles, in contrast, are checked: one that was
//! never given out, or was used up, is an error.
#![deny(unsafe_op_in_unsafe_fn, missing_docs)]
#![warn(clippy::undocumented_unsafe_blocks)]

#[cfg(not(cudart_linked))]
mod pinned;
#[path = "../../shared/mod.rs"]
mod shared;

use std::ffi::c_void;

use interlock::logging::{self, Level};
use interlock::raw;
use shared::error::or_panic;
use shared::prove::{check_blindings, check_proofs, prove};
use shared::SameShape;
pub use shared::{generate_groth16_proofs, Assignment, Error, SRS};

/// Proves circuits that share their sizes and densities.
///
/// The slices of pointers, `r_s`, `s_s` and `proofs` have `num_circuits` elements; each pointer leads to
/// `ntt_scalars_actual_size`, `input_assignments_size` or `aux_assignments_size` scalars. Densities are 64-bit words.
/// For `S`, `PR` and `proofs`, see [`generate_groth16_proofs`]. `gpu_mtx` comes from [`alloc_gpu_mutex`] or is null;
/// `gpu_index` names a device in CUDA's order or, as -1, leaves the choice to the library.
///
/// # Panics
/// If the batch cannot be proved, with a `&'static str` that says why. `proofs` is then as it was.
#[allow(clippy::too_many_arguments)]
#[track_caller]
pub fn generate_groth16_proof<S, D, PR>(
    ntt_a_scalars: &[*const S],
    ntt_b_scalars: &[*const S],
    ntt_c_scalars: &[*const S],
    ntt_scalars_actual_size: usize,
    input_assignments: &[*const S],
    aux_assignments: &[*const S],
    input_assignments_size: usize,
    aux_assignments_size: usize,
    a_aux_density_bv: &[D],
    b_g1_input_density_bv: &[D],
    b_g1_aux_density_bv: &[D],
    a_aux_total_density: usize,
    b_g1_input_total_density: usize,
    b_g1_aux_total_density: usize,
    num_circuits: usize,
    r_s: &[S],
    s_s: &[S],
    proofs: &mut [PR],
    srs: &SRS,
    gpu_mtx: *mut c_void,
    gpu_index: i32,
) {
    let circuits = SameShape {
        num_circuits,
        ntt_a_scalars,
        ntt_b_scalars,
        ntt_c_scalars,
        ntt_scalars_actual_size,
        input_assignments,
        aux_assignments,
        input_assignments_size,
        aux_assignments_size,
        a_aux_density_bv,
        b_g1_input_density_bv,
        b_g1_aux_density_bv,
        a_aux_total_density,
        b_g1_input_total_density,
        b_g1_aux_total_density,
    };
    let provers = or_panic(circuits.assignments());
    or_panic(prove(&provers, r_s, s_s, proofs, srs, gpu_mtx, gpu_index));
}

/// Does the part of [`generate_groth16_proof`] that needs a, b, c, `r_s` and `s_s`, and returns a handle for the rest.
///
/// Those may be freed or changed once this returns. The densities, the inputs and the private variables must stay until
/// [`finish_groth16_proof`] or [`drop_pending_proof`] has returned, which may happen on any thread.
///
/// # Panics
/// As [`generate_groth16_proof`]. Nothing is left pending then.
#[allow(clippy::too_many_arguments)]
#[track_caller]
pub fn start_groth16_proof<S, D>(
    ntt_a_scalars: &[*const S],
    ntt_b_scalars: &[*const S],
    ntt_c_scalars: &[*const S],
    ntt_scalars_actual_size: usize,
    input_assignments: &[*const S],
    aux_assignments: &[*const S],
    input_assignments_size: usize,
    aux_assignments_size: usize,
    a_aux_density_bv: &[D],
    b_g1_input_density_bv: &[D],
    b_g1_aux_density_bv: &[D],
    a_aux_total_density: usize,
    b_g1_input_total_density: usize,
    b_g1_aux_total_density: usize,
    num_circuits: usize,
    r_s: &[S],
    s_s: &[S],
    srs: &SRS,
    gpu_mtx: *mut c_void,
    gpu_index: i32,
) -> *mut c_void {
    let circuits = SameShape {
        num_circuits,
        ntt_a_scalars,
        ntt_b_scalars,
        ntt_c_scalars,
        ntt_scalars_actual_size,
        input_assignments,
        aux_assignments,
        input_assignments_size,
        aux_assignments_size,
        a_aux_density_bv,
        b_g1_input_density_bv,
        b_g1_aux_density_bv,
        a_aux_total_density,
        b_g1_input_total_density,
        b_g1_aux_total_density,
    };
    or_panic(start(&circuits, r_s, s_s, srs, gpu_mtx, gpu_index))
}

fn start<S, D>(
    circuits: &SameShape<'_, S, D>,
    r_s: &[S],
    s_s: &[S],
    srs: &SRS,
    gpu_mtx: *mut c_void,
    gpu_index: i32,
) -> Result<*mut c_void, interlock::Error> {
    let provers = circuits.assignments()?;
    check_blindings(provers.len(), r_s, s_s)?;
    // SAFETY: `Assignment<S>` has the layout of `RawAssignment`, and the slices have `provers.len()` elements of the
    // size just checked. What the assignments point to is the caller's promise, as documented.
    unsafe {
        raw::start(
            provers.as_ptr().cast(),
            provers.len(),
            r_s.as_ptr().cast(),
            s_s.as_ptr().cast(),
            srs.get(),
            gpu_mtx,
            gpu_index,
        )
    }
}

/// Waits for the proofs of `handle`, which [`start_groth16_proof`] returned, and writes them to `proofs`, one a circuit.
/// The handle is used up, whether this succeeds or not, unless `proofs` has the wrong length.
///
/// # Panics
/// If the proofs could not be made, or the handle is not one that is pending, with a `&'static str` that says why.
/// `proofs` is then as it was.
#[track_caller]
pub fn finish_groth16_proof<PR>(handle: *mut c_void, proofs: &mut [PR]) {
    or_panic(finish(handle, proofs));
}

fn finish<PR>(handle: *mut c_void, proofs: &mut [PR]) -> Result<(), interlock::Error> {
    check_proofs(raw::pending_circuits(handle)?, proofs)?;
    // SAFETY: `proofs` has room for as many proofs as the handle has circuits.
    unsafe { raw::finalize(handle, proofs.as_mut_ptr().cast()) }
}

/// Gives up the proofs of `handle`. Does nothing for a null handle and for one that is used up, and logs a warning for
/// one that was never given out. Never panics, so it may be called while unwinding.
///
/// # Safety
/// None is needed: handles are checked. The function is `unsafe` because its callers write it so.
pub unsafe fn drop_pending_proof(handle: *mut c_void) {
    warn_of("drop_pending_proof", raw::destroy_pending(handle));
}

/// Makes a queue for a device: calls that name the same one take turns on it in the order they came.
/// [`free_gpu_mutex`] frees it.
pub fn alloc_gpu_mutex() -> *mut c_void {
    raw::create_locks()
}

/// Frees what [`alloc_gpu_mutex`] returned. Calls that use it go on; later ones get an error. Does nothing for null, and
/// logs a warning for anything else. Never panics.
///
/// # Safety
/// None is needed: handles are checked. The function is `unsafe` because its callers write it so.
pub unsafe fn free_gpu_mutex(ptr: *mut c_void) {
    warn_of("free_gpu_mutex", raw::destroy_locks(ptr));
}

fn warn_of(function: &str, outcome: Result<(), interlock::Error>) {
    if let Err(error) = outcome {
        logging::emit(Level::Warn, format_args!("{function}: {error}"));
    }
}
