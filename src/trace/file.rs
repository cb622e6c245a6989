//! The file of a trace.
//!
//! A library is not told when its program ends. So the file that `INTERLOCK_TRACE` names is written when a call ends, by the thread that
//! made it, but at most every second, and for at most a hundredth of the time; and, for what came after that, when the program calls
//! `exit` or returns from `main`. A process that is killed leaves the file as it was up to a few seconds before, and always a whole one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use super::chrome::{self, Origin};
use super::{now, ring, start};
use crate::error::Error;
use crate::logging;
use crate::settings;

/// The least time between two writings.
const LEAST_BETWEEN: Duration = Duration::from_secs(1);
/// And how many times as long as the writing took.
const TIMES_AS_LONG: u32 = 99;

/// Writes what was recorded.
///
/// # Errors
/// Those of [`super::write`].
pub(super) fn write(path: &Path) -> Result<(), Error> {
    let (mut records, origin) = {
        let ring = ring();
        let ring = ring.as_ref().ok_or(Error::NoTrace)?;
        (ring.to_vec()?, Origin { process: std::process::id(), zero: ring.started, lost: ring.lost })
    };
    replace(path, |to| chrome::write(to, &mut records, &origin))
        .map_err(|source| Error::TraceFile { path: path.to_owned(), source })
}

/// Has `fill` write a new file and puts it where `path` says, all or nothing.
fn replace(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    // Not in the place of a link, and not of a device or a pipe.
    let path = &path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Err(io::Error::from_raw_os_error(libc::EISDIR)),
        Ok(found) if !found.is_file() => return Err(io::Error::from_raw_os_error(libc::ENOTSUP)),
        _ => {}
    }
    let unfinished = beside(path);
    let written = (|| {
        let mut file = BufWriter::new(OpenOptions::new().write(true).create_new(true).open(&unfinished)?);
        fill(&mut file)?;
        file.flush()?;
        fs::rename(&unfinished, path)
    })();
    if written.is_err() {
        // It may never have been made.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// A name beside `path` that no other thread or process uses.
fn beside(path: &Path) -> PathBuf {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed)));
    name.into()
}

/// The file that `INTERLOCK_TRACE` names.
struct Kept {
    path: PathBuf,
    process: u32,
    /// Held while it is written.
    writing: Mutex<()>,
    /// When it may be written again.
    due: AtomicU64,
    /// Whether a call has ended since.
    is_behind: AtomicBool,
    has_complained: AtomicBool,
}

static KEPT: OnceLock<Kept> = OnceLock::new();

/// Records, and keeps the file current, if the environment says so. May log.
pub(super) fn keep_current() {
    let Some(pattern) = settings::trace_file() else { return };
    if let Err(error) = start() {
        return logging::warning!("INTERLOCK_TRACE is set, but nothing is traced: {error}");
    }
    let process = std::process::id();
    let kept = Kept {
        path: with_process(&pattern, process),
        process,
        writing: Mutex::new(()),
        due: AtomicU64::new(0),
        is_behind: AtomicBool::new(false),
        has_complained: AtomicBool::new(false),
    };
    if KEPT.set(kept).is_ok() {
        // SAFETY: the function stays as long as the library. Where there is no room for it, the file is as current as the last call left it.
        let _ = unsafe { libc::atexit(at_exit) };
    }
}

/// A call has ended, which may be the time to write. May log.
pub(super) fn call_ended() {
    let Some(kept) = KEPT.get() else { return };
    kept.is_behind.store(true, Ordering::Relaxed);
    if now().0 < kept.due.load(Ordering::Relaxed) {
        return;
    }
    if let Err(error) = kept.write() {
        if !kept.has_complained.swap(true, Ordering::Relaxed) {
            logging::warning!("{error}");
        }
    }
}

impl Kept {
    /// Writes it, unless another thread does.
    fn write(&self) -> Result<(), Error> {
        let Ok(_writing) = self.writing.try_lock() else { return Ok(()) };
        self.is_behind.store(false, Ordering::Relaxed);
        let begun = now();
        let written = write(&self.path);
        let ended = now();
        let rest = LEAST_BETWEEN.max(ended.since(begun) * TIMES_AS_LONG);
        self.due.store(ended.0.saturating_add(rest.as_nanos() as u64), Ordering::Relaxed);
        written
    }
}

extern "C" fn at_exit() {
    // Nothing may unwind from here, and there is nobody to tell.
    let _ = std::panic::catch_unwind(|| {
        // In a forked child, locks may be held by threads that it does not have.
        let kept = KEPT.get().filter(|kept| kept.process == std::process::id());
        if let Some(kept) = kept.filter(|kept| kept.is_behind.load(Ordering::Relaxed)) {
            let _ = kept.write();
        }
    });
}

/// The path with the process's number for each `%p`.
fn with_process(pattern: &Path, process: u32) -> PathBuf {
    let mut path = Vec::new();
    let mut rest = pattern.as_os_str().as_bytes();
    while let Some(at) = rest.windows(2).position(|two| two == b"%p") {
        path.extend_from_slice(&rest[..at]);
        path.extend_from_slice(process.to_string().as_bytes());
        rest = &rest[at + 2..];
    }
    path.extend_from_slice(rest);
    std::ffi::OsString::from_vec(path).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_has_its_place_in_the_name() {
        for (pattern, path) in [("/t/%p.json", "/t/7.json"), ("%p%p%", "77%"), ("plain", "plain"), ("", "")] {
            assert_eq!(with_process(Path::new(pattern), 7), Path::new(path));
        }
    }

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = std::env::temp_dir().join(format!("interlock-trace-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (path, link) = (folder.join("trace"), folder.join("link"));
        replace(&path, |to| to.write_all(b"first")).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        replace(&link, |to| to.write_all(b"second")).unwrap();
        let failed = replace(&path, |to| to.write_all(b"third").and(Err(io::ErrorKind::StorageFull.into())));
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(replace(&folder, |_| Ok(())).unwrap_err().raw_os_error(), Some(libc::EISDIR));
        assert_eq!(replace(Path::new("/dev/null"), |_| Ok(())).unwrap_err().raw_os_error(), Some(libc::ENOTSUP));
        assert_eq!(replace(&path.join("below"), |_| Ok(())).unwrap_err().raw_os_error(), Some(libc::ENOTDIR));
        assert_eq!(replace(&folder.join("no/such"), |_| Ok(())).unwrap_err().raw_os_error(), Some(libc::ENOENT));
        let mut left: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["link", "trace"]);
        fs::remove_dir_all(&folder).unwrap();
    }
}
