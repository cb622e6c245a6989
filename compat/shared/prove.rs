//! Proving a batch in one call.

use std::ffi::c_void;
use std::ptr;

use interlock::curve::{Fr, Proof};
use interlock::raw;

use super::error::{expect_len, expect_size, or_panic};
use super::{Assignment, SRS};

/// Proves circuits that may differ in their values and densities, but not in their parameters.
///
/// `r_s`, `s_s` and `proofs` have one element a circuit. `S` is a 32-byte scalar and `PR` a 384-byte proof: A (G1), B
/// (G2), C (G1), affine, as in `bellperson::groth16::Proof<Bls12>`. `proofs` may be uninitialised: each is written as a
/// whole. What `provers` points to must be readable for the whole call.
///
/// # Panics
/// If the batch cannot be proved, with a `&'static str` that says why. `proofs` is then as it was.
#[track_caller]
pub fn generate_groth16_proofs<S, PR>(provers: &[Assignment<S>], r_s: &[S], s_s: &[S], proofs: &mut [PR], srs: &SRS) {
    or_panic(prove(provers, r_s, s_s, proofs, srs, ptr::null_mut(), -1));
}

/// As [`generate_groth16_proofs`], on the device `gpu_index` (-1: the library's choice), in the queue of `gpu_locks`.
pub(crate) fn prove<S, PR>(
    provers: &[Assignment<S>],
    r_s: &[S],
    s_s: &[S],
    proofs: &mut [PR],
    srs: &SRS,
    gpu_locks: *mut c_void,
    gpu_index: i32,
) -> Result<(), interlock::Error> {
    check_blindings(provers.len(), r_s, s_s)?;
    check_proofs(provers.len(), proofs)?;
    // SAFETY: `Assignment<S>` has the layout of `RawAssignment`, and the slices have `provers.len()` elements of the
    // sizes just checked. What the assignments point to is the caller's promise, as documented.
    unsafe {
        raw::generate(
            provers.as_ptr().cast(),
            provers.len(),
            r_s.as_ptr().cast(),
            s_s.as_ptr().cast(),
            proofs.as_mut_ptr().cast(),
            srs.get(),
            gpu_locks,
            gpu_index,
        )
    }
}

/// Checks the size of `S`, and that there is one r and one s a circuit.
pub(crate) fn check_blindings<S>(num_circuits: usize, r_s: &[S], s_s: &[S]) -> Result<(), interlock::Error> {
    expect_size::<S>("a scalar", size_of::<Fr>())?;
    expect_len("r_s", r_s.len(), num_circuits)?;
    expect_len("s_s", s_s.len(), num_circuits)
}

/// Checks the size of `PR`, and that there is room for one proof a circuit.
pub(crate) fn check_proofs<PR>(num_circuits: usize, proofs: &[PR]) -> Result<(), interlock::Error> {
    expect_size::<PR>("a proof", size_of::<Proof>())?;
    expect_len("proofs", proofs.len(), num_circuits)
}
