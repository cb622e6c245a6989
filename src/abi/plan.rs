//! Plans of proofs, without a device.

use super::outcome::{self, RustError};
use crate::prove::{self, Plan, Sizes};
use crate::raw::check_pointer;

/// Plans the proofs of one call within a budget of `budget` bytes of device memory, and writes to `*out` how they would
/// be made, what they would hold at a time and send over the bus. It asks no GPU: the budget is what
/// INTERLOCK_VRAM_BUDGET would say, and parameters and scratch count. (That of interlock_gpu_locks_set_budget() is for a
/// call beside these, and beside what else serves all calls on a device.) interlock_srs_sizes() gives the sizes of
/// parameters.
///
/// Errors: EINVAL for a null or misaligned pointer, and for sizes that no parameters have; -2, CUDA's number for a lack
/// of memory, if not even the smallest variant fits: the text says what budget would do. `*out` is written on success
/// only.
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
