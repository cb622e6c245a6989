//! The Rust API of `supraseal-c2` 0.1.2 on interlock: a drop-in for programs that use bellperson 0.26 or 0.27 with its
//! `cuda-supraseal` feature. See `compat/README.md` for how to swap it in.
//!
//! The functions take slices of raw pointers and are not marked `unsafe`, because their callers do not treat them as
//! such. What the pointers point to has to be readable all the same.
#![deny(unsafe_op_in_unsafe_fn, missing_docs)]
#![warn(clippy::undocumented_unsafe_blocks)]

#[path = "../../shared/mod.rs"]
mod shared;

use std::ptr;

use shared::error::or_panic;
use shared::prove::prove;
use shared::SameShape;
pub use shared::{generate_groth16_proofs, Assignment, Error, SRS};

/// Proves circuits that share their sizes and densities.
///
/// The slices of pointers, `r_s`, `s_s` and `proofs` have `num_circuits` elements; each pointer leads to
/// `ntt_scalars_actual_size`, `input_assignments_size` or `aux_assignments_size` scalars. Densities are 64-bit words.
/// For `S`, `PR` and `proofs`, see [`generate_groth16_proofs`].
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
    or_panic(prove(&provers, r_s, s_s, proofs, srs, ptr::null_mut(), -1));
}
