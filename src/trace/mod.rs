//! What proofs do when: spans of time on the host and on devices, and the bytes that are held, kept in memory and written as a file
//! that <https://ui.perfetto.dev> and `chrome://tracing` show.
//!
//! `INTERLOCK_TRACE=/a/file.json` records from the first call on and keeps the file up to date (`%p` in it is the process's number);
//! [`start`], [`stop`] and [`write()`] do it by hand. `INTERLOCK_NVTX=1` names the host's spans to NVIDIA's profilers.
//!
//! Each call that proves or loads is on a *worker* of its own while it lasts, the one with the lowest number that is free: a batch from
//! its start until it is finished or dropped, whatever threads that happens on. A device has a thread of the trace for each of its
//! streams. What a device did is known when the call that asked for it has its results, and not before.
//!
//! Where nothing is recorded a span costs one relaxed load. Where it is, one on the host costs two readings of the clock and an entry in
//! a list, and one on a device two events more, whose times are asked for after the results are there: it makes no device wait.

mod busy;
mod call;
mod chrome;
mod file;
mod ring;
mod span;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::settings;
use ring::Ring;

pub use busy::{busy, Busy};
#[cfg(interlock_cuda)]
pub(crate) use call::Place;
pub(crate) use call::{enter, here, within_circuit, Call};
pub(crate) use span::span;
#[cfg(interlock_cuda)]
pub(crate) use span::{device_span, held, DeviceSpan, Span, Stream};

/// Set where spans are recorded.
const RECORDED: u8 = 1;
/// Set where spans are named to NVIDIA's profilers.
const PROFILED: u8 = 2;
static STATE: AtomicU8 = AtomicU8::new(0);
static RING: Mutex<Option<Ring>> = Mutex::new(None);

/// Forgets what was recorded and records from now on. Calls that are under way are left out.
///
/// The last 65,536 spans are kept, in 6 MiB that are taken now: hundreds of proofs, or fifteen of the largest.
///
/// # Errors
/// [`Error::OutOfMemory`]; then what was recorded stays, and nothing changes.
pub fn start() -> Result<(), Error> {
    let fresh = Ring::new(now())?;
    let before = ring().replace(fresh);
    STATE.fetch_or(RECORDED, Ordering::Relaxed);
    drop(before);
    Ok(())
}

/// Records nothing more. What was recorded stays, to be written, until [`start`] is called again.
pub fn stop() {
    STATE.fetch_and(!RECORDED, Ordering::Relaxed);
}

/// Writes what was recorded to `path`, in the place of what may be there, in Chrome's trace event format. Recording goes on.
/// A symbolic link is followed; one that leads nowhere is an error, as is the name of an open file, such as /dev/stdout.
///
/// # Errors
/// [`Error::NoTrace`] if nothing was ever recorded, [`Error::TraceFile`] if the file cannot be written; then what was there before stays.
pub fn write(path: &Path) -> Result<(), Error> {
    file::write(path)
}

/// A span, as `bench/kit` looks at it.
#[cfg(all(interlock_cuda, feature = "kit"))]
#[derive(Clone, Debug)]
pub struct Seen {
    /// What took the time.
    pub what: &'static str,
    /// The stream of a device that it was on, or none for the host.
    pub stream: Option<String>,
    /// The number of the call that it belongs to.
    pub call: u32,
    /// When it began and ended, in nanoseconds since some moment.
    pub time: std::ops::Range<u64>,
}

/// What was recorded, in the order in which it became known.
#[cfg(all(interlock_cuda, feature = "kit"))]
pub fn seen() -> Vec<Seen> {
    ring().iter().flat_map(Ring::iter).filter_map(chrome::seen).collect()
}

/// Whether spans are recorded now.
pub fn is_on() -> bool {
    state() & RECORDED != 0
}

fn state() -> u8 {
    STATE.load(Ordering::Relaxed)
}

fn ring() -> MutexGuard<'static, Option<Ring>> {
    RING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does what the environment asks for, once. It may log, so whoever calls holds no lock.
fn heed_environment() {
    // No Once: a log callback may call what comes here again.
    static HEEDED: AtomicBool = AtomicBool::new(false);
    if HEEDED.load(Ordering::Relaxed) || HEEDED.swap(true, Ordering::Relaxed) {
        return;
    }
    if settings::nvtx() && span::profile() {
        STATE.fetch_or(PROFILED, Ordering::Relaxed);
    }
    file::keep_current();
}

/// A moment, in nanoseconds since the first that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment(u64);

fn first() -> Instant {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    *FIRST.get_or_init(Instant::now)
}

pub(crate) fn now() -> Moment {
    Moment::of(Instant::now())
}

impl Moment {
    pub(crate) fn of(instant: Instant) -> Self {
        Self(instant.saturating_duration_since(first()).as_nanos() as u64)
    }

    #[cfg(interlock_cuda)]
    pub(crate) fn plus(self, time: Duration) -> Self {
        Self(self.0.saturating_add(time.as_nanos() as u64))
    }

    fn since(self, earlier: Self) -> Duration {
        Duration::from_nanos(self.0.saturating_sub(earlier.0))
    }
}

#[cfg(test)]
mod tests;
