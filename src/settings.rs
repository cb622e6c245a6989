//! What a user can set: by environment variable, read once, or by a call, which wins.

use std::num::NonZeroUsize;
use std::path::PathBuf;
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
    match variable("INTERLOCK_BACKEND").map(|name| name.to_ascii_lowercase()).as_deref() {
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
///
/// At most the larger of 64 and four a core: rayon's idle threads look for work at each other, which takes minutes for
/// thousands. 0 means all cores.
pub fn cpu_threads() -> usize {
    static THREADS: OnceLock<usize> = OnceLock::new();
    once(&THREADS, |complaints| {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let most = (cores * THREADS_PER_CORE).max(64);
        let names = ["INTERLOCK_CPU_THREADS", "RAYON_NUM_THREADS"];
        match names.iter().find_map(|name| Some((name, number(name, complaints)?))) {
            None | Some((_, 0)) => cores,
            Some((name, threads)) if threads > most => {
                complaints.push(format!(
                    "{name} is {threads}, but {most} threads are used: the larger of 64 and {THREADS_PER_CORE} for each of {cores} cores"
                ));
                most
            }
            Some((_, threads)) => threads,
        }
    })
}

/// The most threads of the CPU backend that a core is given, where that is more than 64.
const THREADS_PER_CORE: usize = 4;

/// How many parameter files loaded with `cache` stay in memory: `INTERLOCK_SRS_CACHE`, else 4.
pub fn srs_cache_capacity() -> usize {
    static CAPACITY: OnceLock<usize> = OnceLock::new();
    once(&CAPACITY, |complaints| number("INTERLOCK_SRS_CACHE", complaints).unwrap_or(4))
}

/// Whether every point of a parameter file is checked to be of order r: `INTERLOCK_CHECK_SUBGROUP=1`. The CPU's threads do it,
/// also where a GPU loads the file.
///
/// # Errors
/// [`Error::Setting`] if the variable holds anything but 0 or 1: who asks for a check must not go without it.
pub fn check_subgroup() -> Result<bool, Error> {
    zero_or_one("INTERLOCK_CHECK_SUBGROUP")
}

/// The most device memory that parameters and proofs take on each GPU, in bytes: `INTERLOCK_VRAM_BUDGET`, a whole number with `K`,
/// `M`, `G` or `T` (powers of 1024; `GiB` and its like too) or of bytes. None set, and 0, means what is free when a device is first used,
/// less headroom.
///
/// # Errors
/// [`Error::Setting`] if the variable holds anything else: who sets a limit has other programs to protect.
pub fn vram_budget() -> Result<Option<usize>, Error> {
    const NAME: &str = "INTERLOCK_VRAM_BUDGET";
    let Some(value) = variable(NAME) else { return Ok(None) };
    match parse_bytes(&value) {
        Some(bytes) => Ok(Some(bytes).filter(|bytes| *bytes > 0)),
        None => Err(Error::Setting {
            name: NAME,
            value,
            expected: "a size such as 12G, 12GiB, 12000M or a number of bytes",
        }),
    }
}

/// Whether GPUs that keep parameters keep multiples of the points of `h` beside them, where there is room: `INTERLOCK_H_MULTIPLES=1`.
///
/// # Errors
/// [`Error::Setting`] if the variable holds anything but 0 or 1.
pub fn h_multiples() -> Result<bool, Error> {
    zero_or_one("INTERLOCK_H_MULTIPLES")
}

fn zero_or_one(name: &'static str) -> Result<bool, Error> {
    match variable(name).as_deref() {
        None | Some("0") => Ok(false),
        Some("1") => Ok(true),
        Some(other) => Err(Error::Setting { name, value: other.to_owned(), expected: "0 or 1" }),
    }
}

/// The file that a trace of all calls is kept in: `INTERLOCK_TRACE`, with the process's number in the place of each `%p`.
pub fn trace_file() -> Option<PathBuf> {
    std::env::var_os("INTERLOCK_TRACE").filter(|name| !name.is_empty()).map(PathBuf::from)
}

/// Whether what calls do is named to NVIDIA's profilers: `INTERLOCK_NVTX=1`. May log, of any value but 0 and 1.
pub fn nvtx() -> bool {
    match variable("INTERLOCK_NVTX").as_deref() {
        None | Some("0") => false,
        Some("1") => true,
        Some(other) => {
            logging::warning!("INTERLOCK_NVTX is {other:?}, but must be 0 or 1; 0 is used");
            false
        }
    }
}

fn parse_bytes(text: &str) -> Option<usize> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let shift = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "k" | "kib" => 10,
        "m" | "mib" => 20,
        "g" | "gib" => 30,
        "t" | "tib" => 40,
        _ => return None,
    };
    number.parse::<usize>().ok()?.checked_mul(1 << shift)
}

/// `INTERLOCK_LOG`: off, error, warn, info, debug or trace. Warnings by default; and what is to be said of a value that
/// is none of these.
pub(crate) fn log_level() -> (Level, Option<String>) {
    let Some(name) = variable("INTERLOCK_LOG") else { return (Level::Warn, None) };
    match Level::from_name(&name.to_ascii_lowercase()) {
        Some(level) => (level, None),
        None => {
            let complaint =
                format!("INTERLOCK_LOG is {name:?}, but must be off, error, warn, info, debug or trace; warn is used");
            (Level::Warn, Some(complaint))
        }
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|v| v.to_string_lossy().trim().to_owned()).filter(|v| !v.is_empty())
}

/// What is kept in `cell`, which `find` finds the first time. What `find` complains of is logged once, and only when the
/// value is there: a log callback may call what asks for it.
fn once<T: Copy>(cell: &OnceLock<T>, find: impl FnOnce(&mut Vec<String>) -> T) -> T {
    if let Some(value) = cell.get() {
        return *value;
    }
    let mut complaints = Vec::new();
    let found = find(&mut complaints);
    if cell.set(found).is_ok() {
        complaints.iter().for_each(|complaint| logging::warning!("{complaint}"));
    }
    cell.get().copied().unwrap_or(found)
}

/// The number in a variable that is set; a value that is none is complained of and then passed over.
fn number(name: &'static str, complaints: &mut Vec<String>) -> Option<usize> {
    let value = variable(name)?;
    let parsed = value.parse().ok();
    if parsed.is_none() {
        complaints.push(format!("{name} is {value:?}, which is no whole number from 0 on; it is not used"));
    }
    parsed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in
            [("0", 0), ("123", 123), ("5k", 5 << 10), ("12 GiB", 12 << 30), ("7m", 7 << 20), ("1T", 1 << 40), ("9B", 9)]
        {
            assert_eq!(parse_bytes(text), Some(bytes), "{text}");
        }
        for text in ["", "G", "1.5G", "-1", "12GB", "99999999999999999999", "16777216T", "1 2"] {
            assert_eq!(parse_bytes(text), None, "{text}");
        }
    }
}
