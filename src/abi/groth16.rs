//! Proofs: `generate_groth16_proofs_c` and its two halves.

use std::ffi::c_void;

use super::outcome::{self, RustError};
use super::srs::{self, SRS};
use crate::curve::{Fr, Proof};
use crate::raw::{self, RawAssignment};

/// Proves `num_circuits` circuits, 1,048,576 at most, with one SRS and writes one proof for each.
///
/// `provers`, `r_s`, `s_s`: `num_circuits` elements each; r and s are the blinding scalars. `proofs`: room for
/// `num_circuits` proofs, which may be uninitialised; all are written on success and none otherwise. `gpu_locks`: NULL,
/// or what create_gpu_locks() returned. Everything still belongs to the caller, and nothing of it is needed after the
/// call.
///
/// The proofs are a pure function of the inputs: byte for byte those of bellperson's own prover. With `num_circuits` 0
/// the call succeeds and looks at nothing. Any number of threads may call at once.
///
/// Errors: EINVAL for too many circuits, a null or misaligned pointer, an empty SRS, a size that disagrees with the SRS,
/// a popcount that disagrees with its bits, a scalar that is not below the group order, a `gpu_locks` value that is
/// none; ENOMEM; ENODEV if a GPU was asked for and none can prove; a negated cudaError; -2, CUDA's number for a lack of
/// memory, also if a budget (INTERLOCK_VRAM_BUDGET, interlock_gpu_locks_set_budget()) is too small and the CPU may not
/// prove instead; ESTALE if the parameter file was written to before what proves had taken the points from it;
/// ENOTRECOVERABLE for a fault of the library's own.
#[no_mangle]
pub unsafe extern "C" fn generate_groth16_proofs_c(
    provers: *const RawAssignment,
    num_circuits: usize,
    r_s: *const Fr,
    s_s: *const Fr,
    proofs: *mut Proof,
    srs: *const SRS,
    gpu_locks: *mut c_void,
) -> RustError {
    outcome::returning(|| {
        if num_circuits == 0 {
            return Ok(());
        }
        // SAFETY: the caller's promise.
        unsafe {
            let srs = srs::resolve(srs)?;
            raw::generate(provers, num_circuits, r_s, s_s, proofs, Some(&srs), gpu_locks, -1)
        }
    })
}

/// Begins the proofs of `num_circuits` circuits and stores a handle to the rest of the work in `*pending_out`.
///
/// Arguments are those of generate_groth16_proofs_c(). When the call returns, the caller may free or overwrite a, b, c,
/// `r_s`, `s_s` and the array `provers`. The densities and the inp and aux assignments must stay, unchanged, until
/// finalize_groth16_proof_c() or destroy_pending_proof(). The handle may be used from any thread, and need not be the
/// only one: begin the next batch while this one is pending. On error `*pending_out` is NULL.
///
/// Errors: those of generate_groth16_proofs_c(), and EINVAL if `pending_out` is NULL.
#[no_mangle]
pub unsafe extern "C" fn generate_groth16_proofs_start_c(
    provers: *const RawAssignment,
    num_circuits: usize,
    r_s: *const Fr,
    s_s: *const Fr,
    srs: *const SRS,
    gpu_locks: *mut c_void,
    pending_out: *mut *mut c_void,
) -> RustError {
    outcome::returning(|| {
        raw::check_pointer(pending_out, 1, || "pending_out".to_owned())?;
        // SAFETY: neither null nor misaligned, and the caller's promise.
        unsafe {
            pending_out.write(std::ptr::null_mut());
            let srs = if num_circuits == 0 { None } else { Some(srs::resolve(srs)?) };
            pending_out.write(raw::start(provers, num_circuits, r_s, s_s, srs.as_ref(), gpu_locks, -1)?);
        }
        Ok(())
    })
}

/// Finishes what generate_groth16_proofs_start_c() began and writes its proofs.
///
/// `proofs`: room for as many proofs as the batch has circuits; all are written on success and none otherwise. The
/// handle is used up either way, unless `proofs` itself is NULL or misaligned; a second call with it is an error, and
/// destroy_pending_proof() on it does nothing.
///
/// Errors: EINVAL for a handle that is none, or was finalized or destroyed before; otherwise those of
/// generate_groth16_proofs_c().
#[no_mangle]
pub unsafe extern "C" fn finalize_groth16_proof_c(pending: *mut c_void, proofs: *mut Proof) -> RustError {
    // SAFETY: the caller's promise.
    outcome::returning(|| unsafe { raw::finalize(pending, proofs) })
}

/// Gives up what generate_groth16_proofs_start_c() began. NULL and handles that were finalized or destroyed before are
/// left alone, so an error path may call this without knowing how far it came.
#[no_mangle]
pub extern "C" fn destroy_pending_proof(pending: *mut c_void) {
    outcome::or((), "destroy_pending_proof", || raw::destroy_pending(pending));
}
