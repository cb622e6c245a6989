//! Which backend proves a batch.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::cpu::Cpu;
use crate::error::Error;
use crate::gpu;
use crate::logging;
use crate::params::Parameters;
use crate::prove::Backend;
use crate::settings::{self, BackendChoice};

static CPU: Cpu = Cpu;

/// The backend to try, and the one that proves if that one's device has no memory left.
pub(crate) struct Selected {
    pub(crate) backend: &'static dyn Backend,
    pub(crate) instead: Option<&'static dyn Backend>,
}

impl Selected {
    /// Has the backend load `params`, or the other one if the device has no memory left. Returns the one that did, and why it
    /// was not the first.
    ///
    /// # Errors
    /// Those of [`Backend::load`].
    pub(crate) fn load(&self, params: &Parameters) -> Result<(&'static dyn Backend, Option<Error>), Error> {
        match (self.backend.load(params), self.instead) {
            (Err(error), Some(instead)) if error.is_device_out_of_memory() => {
                instead.load(params).map(|()| (instead, Some(error)))
            }
            (result, _) => result.map(|()| (self.backend, None)),
        }
    }
}

/// The backend for a batch with these parameters, for which `device` was asked; without parameters, for any.
///
/// # Errors
/// [`Error::NoGpu`] if a GPU was asked for and none can prove, [`Error::NoSuchDevice`] if `device` is out of range,
/// [`Error::Setting`] if the environment asks for something that does not exist.
pub(crate) fn select(device: Option<usize>, srs: Option<&Parameters>) -> Result<Selected, Error> {
    let gpu = || -> Result<&'static dyn Backend, Error> {
        let gpu = gpu::backend()?;
        srs.map_or(Ok(()), |srs| gpu.can_prove(srs, device))?;
        Ok(gpu)
    };
    let only = |backend| Selected { backend, instead: None };
    // A mistake in it is told where it is made, not where there is a GPU at last.
    settings::vram_budget()?;
    match (settings::backend()?, device) {
        (BackendChoice::Cpu, _) => Ok(only(&CPU)),
        (BackendChoice::Gpu, None) => gpu().map(only),
        (_, Some(index)) => {
            gpu::device("gpu_index", i64::try_from(index).unwrap_or(i64::MAX))?;
            gpu().map(only)
        }
        (BackendChoice::Auto, None) => Ok(match gpu() {
            Ok(backend) => Selected { backend, instead: Some(&CPU) },
            Err(why) => {
                say_why_not_on_a_gpu(&why);
                only(&CPU)
            }
        }),
    }
}

/// Says it once, except in builds that were meant to have no CUDA.
fn say_why_not_on_a_gpu(why: &Error) {
    // No Once: a log callback may call what comes here again.
    static SAID: AtomicBool = AtomicBool::new(false);
    if gpu::EXPECTED && !SAID.swap(true, Ordering::Relaxed) {
        logging::warning!("proving on the CPU, which takes far longer than a GPU: {why}");
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
    select(None, None).map(|selected| selected.backend.name())
}
