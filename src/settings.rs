//! What a user can set: by environment variable, read once, or by a call, which wins.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::OnceLock;

use crate::error::Error;
use crate::logging::{self, Level};

/// Which backend proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum BackendChoice {
    /// A GPU where one can prove, else the CPU.
    Auto = 0,
    /// The CPU.
    Cpu = 1,
    /// A GPU, and an error where none can prove.
    Gpu = 2,
}

impl BackendChoice {
    /// The choice of number `n`, if there is one.
    pub fn from_number(n: i32) -> Option<Self> {
        [Self::Auto, Self::Cpu, Self::Gpu].into_iter().find(|choice| *choice as i32 == n)
    }
}

const UNSET: u8 = u8::MAX;
static BACKEND: AtomicU8 = AtomicU8::new(UNSET);

/// The backend asked for: by [`set_backend`], else by `INTERLOCK_BACKEND` (`auto`, `cpu` or `gpu`), else `Auto`.
///
/// # Errors
/// [`Error::Setting`] if the variable holds anything else: a typing error there must not mean hours on the wrong backend.
pub fn backend() -> Result<BackendChoice, Error> {
    if let Some(choice) = BackendChoice::from_number(BACKEND.load(Ordering::Relaxed).into()) {
        return Ok(choice);
    }
    match variable("INTERLOCK_BACKEND").as_deref() {
        None | Some("auto") => Ok(BackendChoice::Auto),
        Some("cpu") => Ok(BackendChoice::Cpu),
        Some("gpu") => Ok(BackendChoice::Gpu),
        Some(other) => {
            Err(Error::Setting { name: "INTERLOCK_BACKEND", value: other.to_owned(), expected: "auto, cpu or gpu" })
        }
    }
}

/// Chooses the backend for the calls that follow, whatever the environment says.
pub fn set_backend(choice: BackendChoice) {
    BACKEND.store(choice as u8, Ordering::Relaxed);
}

/// The CPU backend's thread limit: `INTERLOCK_CPU_THREADS`, else `RAYON_NUM_THREADS`, else the cores there are.
pub fn cpu_threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    *THREADS.get_or_init(|| {
        number("INTERLOCK_CPU_THREADS")
            .or_else(|| number("RAYON_NUM_THREADS"))
            .or_else(|| std::thread::available_parallelism().ok().map(NonZeroUsize::get))
            .unwrap_or(1)
    })
}

/// How many parameter files loaded with `cache` stay in memory: `INTERLOCK_SRS_CACHE`, else 4.
pub fn srs_cache_capacity() -> usize {
    static CAPACITY: OnceLock<usize> = OnceLock::new();
    *CAPACITY.get_or_init(|| number("INTERLOCK_SRS_CACHE").unwrap_or(4))
}

/// Whether every point of a parameter file is checked to be of order r: `INTERLOCK_CHECK_SUBGROUP=1`.
pub fn check_subgroup() -> bool {
    static CHECK: OnceLock<bool> = OnceLock::new();
    *CHECK.get_or_init(|| number("INTERLOCK_CHECK_SUBGROUP").unwrap_or(0) != 0)
}

/// `INTERLOCK_LOG`: off, error, warn, info, debug or trace. Warnings by default.
pub(crate) fn log_level() -> Level {
    let Some(name) = variable("INTERLOCK_LOG") else { return Level::Warn };
    Level::from_name(&name.to_ascii_lowercase()).unwrap_or(Level::Warn)
}

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|v| v.to_string_lossy().trim().to_owned()).filter(|v| !v.is_empty())
}

/// The number in a variable that is set; a value that is none is said once and then passed over.
fn number(name: &'static str) -> Option<usize> {
    let value = variable(name)?;
    let parsed = value.parse().ok();
    if parsed.is_none() {
        logging::warning!("{name} is {value:?}, which is no number; it is not used");
    }
    parsed
}
