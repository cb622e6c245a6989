//! Where messages go: a callback, else the host program's `log` logger, else standard error. Never standard output.

use std::fmt::Arguments;
use std::io::Write;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, RwLock};

use crate::settings;
use crate::threads;

/// How grave a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub enum Level {
    /// Nothing is logged.
    Off = 0,
    /// Something failed that the caller does not learn of otherwise.
    Error = 1,
    /// Something works, but not as its user would want it to.
    Warn = 2,
    /// What a proof did and how long its phases took.
    Info = 3,
    /// Decisions on the way.
    Debug = 4,
    /// Everything.
    Trace = 5,
}

impl Level {
    /// The level of number `n`, if there is one.
    pub fn from_number(n: u8) -> Option<Self> {
        [Self::Off, Self::Error, Self::Warn, Self::Info, Self::Debug, Self::Trace].get(n as usize).copied()
    }

    /// The level called `name`, in lower case.
    pub fn from_name(name: &str) -> Option<Self> {
        const NAMES: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
        NAMES.iter().position(|n| *n == name).and_then(|i| Self::from_number(i as u8))
    }

    fn to_log(self) -> log::LevelFilter {
        match self {
            Self::Off => log::LevelFilter::Off,
            Self::Error => log::LevelFilter::Error,
            Self::Warn => log::LevelFilter::Warn,
            Self::Info => log::LevelFilter::Info,
            Self::Debug => log::LevelFilter::Debug,
            Self::Trace => log::LevelFilter::Trace,
        }
    }
}

/// A callback for messages. It may be called from any thread, several at once.
pub type Callback = Arc<dyn Fn(Level, &str) + Send + Sync>;

const UNSET: u8 = u8::MAX;
static LEVEL: AtomicU8 = AtomicU8::new(UNSET);
static CALLBACK: RwLock<Option<Callback>> = RwLock::new(None);

/// The level above which messages are dropped: what [`set_level`] said, else `INTERLOCK_LOG`, else warnings.
pub fn level() -> Level {
    match Level::from_number(LEVEL.load(Ordering::Relaxed)) {
        Some(level) => level,
        None => {
            let (level, complaint) = settings::log_level();
            LEVEL.store(level as u8, Ordering::Relaxed);
            if let Some(complaint) = complaint {
                emit(Level::Warn, format_args!("{complaint}"));
            }
            level
        }
    }
}

/// Drops messages less grave than `level` from now on.
pub fn set_level(level: Level) {
    LEVEL.store(level as u8, Ordering::Relaxed);
}

/// Sends messages to `callback` from now on, or, with `None`, back to where they went before.
pub fn set_callback(callback: Option<Callback>) {
    let mut current = CALLBACK.write().unwrap_or_else(|poisoned| poisoned.into_inner());
    let previous = std::mem::replace(&mut *current, callback);
    drop(current);
    // Not under the lock: what a callback owns may log while it is dropped.
    drop(previous);
}

/// Logs one message: to the callback, else to the program's `log` logger if that takes it, else to standard error.
///
/// A callback or logger that panics ends there: what it was told of is no reason for a proof to fail. Nothing is logged in a forked child that
/// cannot prove, where another thread's lock may be held for good.
pub fn emit(at: Level, message: Arguments<'_>) {
    if threads::is_forked() {
        return;
    }
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| pass_on(at, message))) {
        // Dropping it could panic again.
        std::mem::forget(payload);
    }
}

fn pass_on(at: Level, message: Arguments<'_>) {
    let callback = CALLBACK.read().unwrap_or_else(|poisoned| poisoned.into_inner()).clone();
    if let Some(callback) = callback {
        if at <= level() {
            callback(at, &message.to_string());
        }
        return;
    }
    let Some(log_level) = at.to_log().to_level() else { return };
    if log::log_enabled!(target: "interlock", log_level) {
        log::log!(target: "interlock", log_level, "{message}");
    } else if at <= level() {
        print(at, message);
    }
}

/// Warns on standard error, whatever the callback: when the program exits, what a callback needs may be gone.
pub(crate) fn warn_at_exit(message: &str) {
    if Level::Warn <= level() {
        print(Level::Warn, format_args!("{message}"));
    }
}

fn print(at: Level, message: Arguments<'_>) {
    let name = match at {
        Level::Error => "error",
        Level::Warn => "warning",
        _ => "note",
    };
    // A closed standard error must not become a panic.
    let _ = without_signals(|| writeln!(std::io::stderr().lock(), "interlock: {name}: {message}"));
}

/// Runs `write` so that a pipe whose reader is gone, and a file that may not grow, are errors to it, and no signals that end the process. (Rust
/// programs ignore SIGPIPE, others do not.)
pub(crate) fn without_signals<T>(write: impl FnOnce() -> T) -> T {
    // SAFETY: the sets are initialised before they are read, and the mask that was there is put back.
    unsafe {
        let (mut shut_out, mut before, mut pending) =
            std::mem::zeroed::<(libc::sigset_t, libc::sigset_t, libc::sigset_t)>();
        libc::sigpending(&mut pending);
        libc::sigemptyset(&mut shut_out);
        for signal in [libc::SIGPIPE, libc::SIGXFSZ] {
            // One that is pending already is not ours to take back.
            if libc::sigismember(&pending, signal) != 1 {
                libc::sigaddset(&mut shut_out, signal);
            }
        }
        if libc::pthread_sigmask(libc::SIG_BLOCK, &shut_out, &mut before) != 0 {
            return write();
        }
        let written = write();
        let at_once = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        while libc::sigtimedwait(&shut_out, std::ptr::null_mut(), &at_once) > 0 {}
        libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        written
    }
}

macro_rules! warning {
    ($($arg:tt)*) => { $crate::logging::emit($crate::logging::Level::Warn, format_args!($($arg)*)) };
}
macro_rules! info {
    ($($arg:tt)*) => { $crate::logging::emit($crate::logging::Level::Info, format_args!($($arg)*)) };
}
pub(crate) use {info, warning};
