//! Which backend proves a batch.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::cpu::Cpu;
use crate::error::Error;
use crate::gpu;
use crate::logging;
use crate::prove::Backend;
use crate::settings::{self, BackendChoice};

static CPU: Cpu = Cpu;

/// The backend for a batch for which `device` was asked.
///
/// # Errors
/// [`Error::NoGpu`] if a GPU was asked for and none can prove, [`Error::NoSuchDevice`] if `device` is out of range,
/// [`Error::Setting`] if the environment asks for something that does not exist.
pub(crate) fn select(device: Option<usize>) -> Result<&'static dyn Backend, Error> {
    match (settings::backend()?, device) {
        (BackendChoice::Cpu, _) => Ok(&CPU),
        (BackendChoice::Gpu, None) => gpu::backend(),
        (_, Some(index)) => {
            let count = gpu::devices().map_or(0, |devices| devices.len());
            if index >= count {
                return Err(Error::NoSuchDevice { index: index as i64, count });
            }
            gpu::backend()
        }
        (BackendChoice::Auto, None) => Ok(gpu::backend().unwrap_or_else(|why| {
            if gpu::BUILT_WITH_CUDA {
                // No Once: a log callback may call what comes here again.
                static SAID: AtomicBool = AtomicBool::new(false);
                if !SAID.swap(true, Ordering::Relaxed) {
                    logging::warning!("proving on the CPU, which takes far longer than a GPU: {why}");
                }
            }
            &CPU
        })),
    }
}

/// Whether `choice` could prove now, and if not why.
///
/// # Errors
/// As the proof itself would give.
pub fn available(choice: BackendChoice) -> Result<(), Error> {
    match choice {
        BackendChoice::Auto | BackendChoice::Cpu => Ok(()),
        BackendChoice::Gpu => gpu::backend().map(drop),
    }
}

/// The name of the backend that would prove now if no particular device was asked for: `"cpu"` or `"gpu"`.
///
/// # Errors
/// As the proof itself would give.
pub fn current() -> Result<&'static str, Error> {
    select(None).map(Backend::name)
}
