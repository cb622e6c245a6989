//! How much of a device's memory is ours to use.

use super::status::check;
use super::{DeviceGuard, DeviceMemory};
use crate::error::Error;
use crate::settings;
use crate::sys;

/// What is left to the kernels' own needs, to what is allocated apart from the arena, and to other programs: these bytes at least.
const LEAST_HEADROOM: usize = 768 << 20;
/// The share of the free memory that is left, if that is more.
const HEADROOM_SHARE: usize = 16;

/// The budget for the current device: what the user says, else what is free now less headroom.
///
/// # Errors
/// [`Error::Cuda`], and [`Error::Setting`] if INTERLOCK_VRAM_BUDGET is no size.
pub(super) fn of_current_device() -> Result<usize, Error> {
    memory_of_current_device().map(|memory| memory.budget)
}

/// What is free on the device `ordinal`, and the budget there.
///
/// # Errors
/// As [`of_current_device`].
pub fn device_memory(ordinal: usize) -> Result<DeviceMemory, Error> {
    let _current = DeviceGuard::set(ordinal)?;
    memory_of_current_device()
}

fn memory_of_current_device() -> Result<DeviceMemory, Error> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: two numbers are written.
    check("cudaMemGetInfo", unsafe { sys::cudaMemGetInfo(&mut free, &mut total) })?;
    Ok(DeviceMemory { free, budget: settings::vram_budget()?.unwrap_or_else(|| without_headroom(free)) })
}

fn without_headroom(free: usize) -> usize {
    free.saturating_sub(LEAST_HEADROOM.max(free / HEADROOM_SHARE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headroom_is_a_share_of_what_is_free_and_not_too_little() {
        assert_eq!(without_headroom(16 << 30), 15 << 30);
        assert_eq!(without_headroom(1 << 30), (1 << 30) - LEAST_HEADROOM);
        assert_eq!(without_headroom(1 << 20), 0);
    }
}
