//! Plans of proofs, without a device.

use std::mem::offset_of;

use super::outcome::{self, RustError};
use crate::prove::{self, Plan, Sizes};
use crate::raw::check_pointer;

const _: () = {
    assert!(size_of::<Sizes>() == 48 && align_of::<Sizes>() == 8);
    assert!(offset_of!(Sizes, domain_log2) == 0);
    assert!(offset_of!(Sizes, inputs) == 8);
    assert!(offset_of!(Sizes, aux) == 16);
    assert!(offset_of!(Sizes, a) == 24);
    assert!(offset_of!(Sizes, b) == 32);
    assert!(offset_of!(Sizes, circuits) == 40);
    assert!(size_of::<Plan>() == 128 && align_of::<Plan>() == 8);
    assert!(offset_of!(Plan, parameters) == 0);
    assert!(offset_of!(Plan, vectors) == 4);
    assert!(offset_of!(Plan, parameter_bytes) == 8);
    assert!(offset_of!(Plan, scratch_bytes) == 16);
    assert!(offset_of!(Plan, slot_bytes) == 24);
    assert!(offset_of!(Plan, h_part_points) == 32);
    assert!(offset_of!(Plan, witness_part_bytes) == 40);
    assert!(offset_of!(Plan, witness_bytes) == 48);
    assert!(offset_of!(Plan, pass_bytes) == 56);
    assert!(offset_of!(Plan, witness_phase_bytes) == 64);
    assert!(offset_of!(Plan, h_phase_bytes) == 72);
    assert!(offset_of!(Plan, host_vector_bytes) == 80);
    assert!(offset_of!(Plan, copied_parameter_bytes) == 88);
    assert!(offset_of!(Plan, copied_scalar_bytes) == 96);
    assert!(offset_of!(Plan, mapped_bytes) == 104);
    assert!(offset_of!(Plan, seconds) == 112);
    assert!(offset_of!(Plan, host_parameter_bytes) == 120);
};

/// Plans the proofs of one call within a budget of `budget` bytes of device memory, and writes to `*out` how they would
/// be made, what they would hold at a time and send over the bus. It asks no GPU: the budget is what
/// INTERLOCK_VRAM_BUDGET would say (but 0 is nothing at all here), and parameters and scratch count. (That of
/// interlock_gpu_locks_set_budget() is for a call beside these, and beside what else serves all calls on a device.) With
/// INTERLOCK_H_MULTIPLES=1, parameters include multiples of points. interlock_srs_sizes() gives the sizes of parameters.
///
/// Errors: EINVAL for a null or misaligned pointer, for sizes that no parameters have, and for an INTERLOCK_H_MULTIPLES
/// that is neither 0 nor 1; -2, CUDA's number for a lack of memory, if not even the smallest variant fits: the text says
/// what budget would do. `*out` is written on success only.
#[no_mangle]
pub unsafe extern "C" fn interlock_plan(sizes: *const Sizes, budget: usize, out: *mut Plan) -> RustError {
    outcome::returning(|| {
        check_pointer(sizes, 1, || "sizes".to_owned())?;
        check_pointer(out, 1, || "out".to_owned())?;
        // SAFETY: neither null nor misaligned, and the caller's promise; numbers of any value.
        let sizes = unsafe { sizes.read() };
        let plan = prove::plan(&sizes, budget)?;
        // SAFETY: as above.
        unsafe { out.write(plan) };
        Ok(())
    })
}
