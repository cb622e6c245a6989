//! The file of a trace.
//!
//! A library is not told when its program ends. So the file that `INTERLOCK_TRACE` names is written when a call ends, by the thread that
//! made it, but at most every second, and for at most a hundredth of the time; for a call that comes too soon after that, when it is time,
//! by a thread that ends then; and, for what came last, when the program calls `exit` or returns from `main`. A process that ends
//! otherwise leaves the file as it was up to a few seconds before, and always a whole one.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, TryLockError};
use std::thread;
use std::time::Duration;

use super::chrome::{self, Origin};
use super::{now, ring, start};
use crate::error::Error;
use crate::logging;
use crate::settings;
use crate::threads::STACK_BYTES;

/// The least time between two writings.
const LEAST_BETWEEN: Duration = Duration::from_secs(1);
/// And how many times as long as the writing took.
const TIMES_AS_LONG: u32 = 99;

/// The least time for which a thread waits.
const LEAST_WAIT: Duration = Duration::from_millis(10);
/// How long the program's end waits for a writing that another thread has begun.
const MOST_AT_EXIT: Duration = Duration::from_secs(1);

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

/// Has `fill` write a new file and puts it where `path` says, all or nothing. It has the permissions of the file whose place it takes, or
/// those that the process gives to new ones.
fn replace(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> io::Result<()> {
    let (path, replaced) = resolve(path)?;
    let (unfinished, file) = create_beside(&path)?;
    let written = logging::without_signals(|| {
        let mut file = BufWriter::new(file);
        fill(&mut file)?;
        file.flush()?;
        if let Some(replaced) = replaced {
            file.get_ref().set_permissions(Permissions::from_mode(replaced.mode() & 0o777))?;
        }
        fs::rename(&unfinished, path)
    });
    if written.is_err() {
        // Another program may have removed it.
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// How many links are followed, one to the other: as many as Linux does.
const MOST_LINKS: usize = 40;

/// The place that `path` stands for, in a folder that is there, without links; and the regular file in it, if there is one.
///
/// A link that somebody else than this process's user or root has put there is not followed, and no name of an open file is: what such a
/// file is used for is another's to know.
fn resolve(path: &Path) -> io::Result<(PathBuf, Option<Metadata>)> {
    let refused = |errno| Err(io::Error::from_raw_os_error(errno));
    let mut path = path.to_owned();
    for links in 0..=MOST_LINKS {
        let is_folder = [&b"/"[..], b"/.", b"/.."].iter().any(|end| path.as_os_str().as_bytes().ends_with(end));
        let (folder, name) = match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) if !is_folder => (folder, name),
            _ => return refused(if path.as_os_str().is_empty() { libc::ENOENT } else { libc::EISDIR }),
        };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder }.canonicalize()?;
        let place = folder.join(name);
        if is_open_file(&folder, &place) {
            return refused(libc::ENOTSUP);
        }
        let found = match fs::symlink_metadata(&place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && links == 0 => return Ok((place, None)),
            found => found?,
        };
        if found.is_file() {
            return Ok((place, Some(found)));
        }
        if !found.is_symlink() {
            return refused(if found.is_dir() { libc::EISDIR } else { libc::ENOTSUP });
        }
        // SAFETY: it only asks.
        if ![0, unsafe { libc::geteuid() }].contains(&found.uid()) {
            return refused(libc::EACCES);
        }
        path = folder.join(fs::read_link(&place)?);
    }
    refused(libc::ELOOP)
}

/// Whether it names a file that a process has open, such as /dev/stdout.
fn is_open_file(folder: &Path, place: &Path) -> bool {
    (folder.starts_with("/proc") && folder.ends_with("fd"))
        || ["/dev/stdin", "/dev/stdout", "/dev/stderr"].iter().any(|name| place == Path::new(name))
}

/// A new file in the folder of `path`, under a short name that no other thread or process uses.
fn create_beside(path: &Path) -> io::Result<(PathBuf, File)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let unfinished = path.with_file_name(format!(".interlock-{}-{number}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&unfinished) {
            // Of a process that had this number and was killed.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return Ok((unfinished, opened?)),
        }
    }
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
    /// Whether a thread waits until it may be written.
    has_thread: AtomicBool,
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
    // So that at_exit() has nothing to say of it.
    logging::level();
    let path = with_process(&pattern, process);
    let kept = Kept {
        // The program may change its folder. One that has none any more will have nowhere to write.
        path: std::path::absolute(&path).unwrap_or(path),
        process,
        writing: Mutex::new(()),
        due: AtomicU64::new(0),
        is_behind: AtomicBool::new(false),
        has_thread: AtomicBool::new(false),
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
    kept.is_behind.store(true, Ordering::SeqCst);
    if kept.rest().is_zero() {
        kept.write_or_warn();
    } else {
        kept.write_when_due();
    }
}

impl Kept {
    /// How long it may not be written again.
    fn rest(&self) -> Duration {
        Duration::from_nanos(self.due.load(Ordering::Relaxed).saturating_sub(now().0))
    }

    /// Has a thread write it when it may be, unless one is there. Where none can be started, the next call or the program's end is waited for.
    fn write_when_due(&'static self) {
        if self.process != std::process::id() || self.has_thread.swap(true, Ordering::SeqCst) {
            return;
        }
        let thread = thread::Builder::new().name("interlock-trace".to_owned()).stack_size(STACK_BYTES);
        if thread.spawn(|| self.wait_and_write()).is_err() {
            self.has_thread.store(false, Ordering::SeqCst);
        }
    }

    fn wait_and_write(&self) {
        loop {
            thread::sleep(self.rest().max(LEAST_WAIT));
            self.has_thread.store(false, Ordering::SeqCst);
            if self.is_behind.load(Ordering::SeqCst) {
                self.write_or_warn();
            }
            // It still is if a writer that had begun before the last call had ended was at it.
            if !self.is_behind.load(Ordering::SeqCst) || self.has_thread.swap(true, Ordering::SeqCst) {
                return;
            }
        }
    }

    /// May log.
    fn write_or_warn(&self) {
        if let Some(complaint) = self.write() {
            logging::warning!("{complaint}");
        }
    }

    fn is_being_written(&self) -> bool {
        matches!(self.writing.try_lock(), Err(TryLockError::WouldBlock))
    }

    /// Writes it, unless another thread does. Returns what is to be said of it if that fails for the first time.
    #[must_use]
    fn write(&self) -> Option<String> {
        let Ok(_writing) = self.writing.try_lock() else { return None };
        self.is_behind.store(false, Ordering::SeqCst);
        let begun = now();
        let written = write(&self.path);
        let ended = now();
        let rest = LEAST_BETWEEN.max(ended.since(begun) * TIMES_AS_LONG);
        self.due.store(ended.0.saturating_add(rest.as_nanos() as u64), Ordering::Relaxed);
        let error = written.err()?;
        let is_first = !self.has_complained.swap(true, Ordering::Relaxed);
        is_first.then(|| format!("INTERLOCK_TRACE: {error}"))
    }
}

extern "C" fn at_exit() {
    // Nothing may unwind from here.
    let _ = std::panic::catch_unwind(|| {
        // In a forked child, locks may be held by threads that it does not have.
        let kept = KEPT.get().filter(|kept| kept.process == std::process::id());
        let Some(kept) = kept else { return };
        // What another thread has begun is to be whole. This very one may have called exit() while it wrote.
        for _ in 0..MOST_AT_EXIT.as_millis() {
            if !kept.is_being_written() {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
        if kept.is_behind.load(Ordering::SeqCst) {
            if let Some(complaint) = kept.write() {
                logging::warn_at_exit(&complaint);
            }
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
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_process_has_its_place_in_the_name() {
        for (pattern, path) in [("/t/%p.json", "/t/7.json"), ("%p%p%", "77%"), ("plain", "plain"), ("", "")] {
            assert_eq!(with_process(Path::new(pattern), 7), Path::new(path));
        }
    }

    /// A folder that goes with its test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("interlock-trace-{name}-{}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            Self(folder)
        }

        fn join(&self, name: &str) -> PathBuf {
            self.0.join(name)
        }

        fn names(&self) -> Vec<std::ffi::OsString> {
            let mut names: Vec<_> = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn errno(path: &Path) -> Option<i32> {
        replace(path, |_| Ok(())).unwrap_err().raw_os_error()
    }

    #[test]
    fn a_file_is_replaced_whole_or_not_at_all() {
        let folder = Folder::new("whole");
        let (path, link) = (folder.join("trace"), folder.join("link"));
        replace(&path, |to| to.write_all(b"first")).unwrap();
        symlink("trace", &link).unwrap();
        replace(&link, |to| to.write_all(b"second")).unwrap();
        let failed = replace(&path, |to| to.write_all(b"third").and(Err(io::ErrorKind::StorageFull.into())));
        assert_eq!(failed.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(errno(&folder.0), Some(libc::EISDIR));
        assert_eq!(errno(&folder.join("new/")), Some(libc::EISDIR));
        assert_eq!(errno(Path::new("/")), Some(libc::EISDIR));
        assert_eq!(errno(Path::new("")), Some(libc::ENOENT));
        assert_eq!(errno(Path::new("/dev/null")), Some(libc::ENOTSUP));
        assert_eq!(errno(&path.join("below")), Some(libc::ENOTDIR));
        assert_eq!(errno(&folder.join("no/such")), Some(libc::ENOENT));
        assert_eq!(folder.names(), ["link", "trace"]);
    }

    #[test]
    fn links_stay_and_lead_somewhere() {
        let folder = Folder::new("links");
        for (name, to) in [("nowhere", "missing"), ("one", "other"), ("other", "one"), ("in", "missing/trace")] {
            symlink(to, folder.join(name)).unwrap();
        }
        for (name, expected) in [("nowhere", libc::ENOENT), ("one", libc::ELOOP), ("in", libc::ENOENT)] {
            assert_eq!(errno(&folder.join(name)), Some(expected), "{name}");
            assert!(folder.join(name).is_symlink(), "{name}");
        }
        assert_eq!(folder.names(), ["in", "nowhere", "one", "other"]);
    }

    #[test]
    fn names_of_open_files_are_refused() {
        let folder = Folder::new("open");
        let open = File::create(folder.join("open")).unwrap();
        let number = std::os::fd::AsRawFd::as_raw_fd(&open);
        symlink(format!("/proc/self/fd/{number}"), folder.join("link")).unwrap();
        let process = std::process::id();
        for path in [
            format!("/proc/self/fd/{number}"),
            format!("/dev/fd/{number}"),
            format!("/proc/{process}/task/{process}/fd/{number}"),
            "/proc/self/fd/1000000".to_owned(),
            "/dev/stdout".to_owned(),
            "/dev/../dev/stderr".to_owned(),
            folder.join("link").to_string_lossy().into_owned(),
        ] {
            assert_eq!(errno(Path::new(&path)), Some(libc::ENOTSUP), "{path}");
        }
        assert_eq!(folder.names(), ["link", "open"]);
    }

    #[test]
    fn links_of_other_users_are_not_followed() {
        let folder = Folder::new("others");
        fs::write(folder.join("trace"), "theirs").unwrap();
        symlink("trace", folder.join("link")).unwrap();
        // Only root can give a link away.
        if std::os::unix::fs::lchown(folder.join("link"), Some(12345), None).is_ok() {
            assert_eq!(errno(&folder.join("link")), Some(libc::EACCES));
        } else {
            assert!(replace(&folder.join("link"), |_| Ok(())).is_ok());
        }
    }

    #[test]
    fn permissions_stay_as_they_were() {
        let folder = Folder::new("mode");
        let path = folder.join("trace");
        replace(&path, |_| Ok(())).unwrap();
        for mode in [0o600, 0o664] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            replace(&path, |_| Ok(())).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, mode);
        }
    }

    #[test]
    fn the_longest_name_can_be_written() {
        let folder = Folder::new("long");
        let path = folder.join(&"x".repeat(255));
        replace(&path, |to| to.write_all(b"short")).unwrap();
        replace(&path, |to| to.write_all(b"again")).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"again");
        assert_eq!(errno(&folder.join(&"x".repeat(256))), Some(libc::ENAMETOOLONG));
    }

    #[test]
    fn what_a_killed_process_left_is_passed_over() {
        let folder = Folder::new("left");
        let path = folder.join("trace");
        let (left, _) = create_beside(&path).unwrap();
        let number: u64 = left.to_str().unwrap().rsplit('-').next().unwrap().parse().unwrap();
        for next in 1..100 {
            fs::write(folder.join(&format!(".interlock-{}-{}", std::process::id(), number + next)), "").unwrap();
        }
        replace(&path, |_| Ok(())).unwrap();
        assert!(path.is_file());
    }
}
