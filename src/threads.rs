//! The CPU threads that all of the library shares.

use std::error::Error as _;
use std::panic::resume_unwind;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU8, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::Error;
use crate::settings;
use crate::trace;

/// The library's own pool of [`settings::cpu_threads`] threads, started on first use. It is not rayon's global pool, so
/// that neither the host program's work nor ours waits in the other's queue.
///
/// # Errors
/// [`Error::Threads`] if the system does not start that many. The next call tries again. [`Error::Forked`] as
/// [`check_not_forked`].
pub(crate) fn pool() -> Result<&'static ThreadPool, Error> {
    static POOL: OnceLock<ThreadPool> = OnceLock::new();
    static STARTING: Mutex<()> = Mutex::new(());
    check_not_forked()?;
    if let Some(pool) = POOL.get() {
        return Ok(pool);
    }
    // Not under the lock: it may log, and a log callback may prove.
    let threads = settings::cpu_threads();
    let _starting = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = POOL.get() {
        return Ok(pool);
    }
    mark_process();
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|i| format!("interlock-{i}"))
        .stack_size(STACK_BYTES)
        .build()
        .map_err(|error| refused(threads, system_error(&error)))?;
    Ok(POOL.get_or_init(|| pool))
}

/// Stack of each thread: what std gives by itself, unless RUST_MIN_STACK says otherwise.
pub(crate) const STACK_BYTES: usize = 2 << 20;

/// The process in which the pool was first started, or 0.
static STARTED_IN: AtomicU32 = AtomicU32::new(0);

/// A page that says 1 in the process in which the pool was first started, and 0 in a child that was forked since: processes may have the same
/// number in namespaces of their own. Null where the system has no such pages.
static MARK: AtomicPtr<AtomicU8> = AtomicPtr::new(null_mut());

/// Marks this process as the one in which the pool is started. Whoever calls holds the lock for starting it.
fn mark_process() {
    if STARTED_IN.swap(std::process::id(), Ordering::SeqCst) == 0 {
        MARK.store(marked_page().unwrap_or(null_mut()), Ordering::SeqCst);
    }
}

#[cfg(target_os = "linux")]
fn marked_page() -> Option<*mut AtomicU8> {
    // SAFETY: a page of our own, which is kept for good; it is as long as a page at least.
    unsafe {
        let bytes = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)).ok()?;
        let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        let page = libc::mmap(null_mut(), bytes, access, kind, -1, 0);
        if page == libc::MAP_FAILED {
            return None;
        }
        if libc::madvise(page, bytes, libc::MADV_WIPEONFORK) != 0 {
            libc::munmap(page, bytes);
            return None;
        }
        let mark: *mut AtomicU8 = page.cast();
        (*mark).store(1, Ordering::SeqCst);
        Some(mark)
    }
}

#[cfg(not(target_os = "linux"))]
fn marked_page() -> Option<*mut AtomicU8> {
    None
}

/// Whether this is a child that was forked after the pool had been started.
pub(crate) fn is_forked() -> bool {
    let started_in = STARTED_IN.load(Ordering::SeqCst);
    if started_in == 0 {
        return false;
    }
    // SAFETY: null, or a page that is kept for good.
    let mark = unsafe { MARK.load(Ordering::SeqCst).as_ref() };
    started_in != std::process::id() || mark.is_some_and(|mark| mark.load(Ordering::SeqCst) == 0)
}

/// Fails in a child that was forked after the pool had been started: the child does not have the pool's threads, and
/// locks that other threads held at the fork are never released in it. To wait for either is to wait for ever.
///
/// # Errors
/// [`Error::Forked`].
pub(crate) fn check_not_forked() -> Result<(), Error> {
    if is_forked() {
        return Err(Error::Forked { parent: STARTED_IN.load(Ordering::SeqCst) });
    }
    Ok(())
}

/// Runs `work` in the [`pool`] and waits for it, blocked. A panic in `work` goes on in the caller.
///
/// [`ThreadPool::install`] is not enough when the caller is a thread of another rayon pool: that thread would take other
/// jobs of its own pool while it waits, and one of them may need what this call's caller holds. So such a caller waits
/// for a thread that belongs to no pool.
///
/// # Errors
/// As [`pool`].
pub(crate) fn install<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R, Error> {
    let pool = pool()?;
    let here = trace::here();
    let work = || {
        let _here = trace::enter(here);
        work()
    };
    let in_another_pool = rayon::current_thread_index().is_some() && pool.current_thread_index().is_none();
    if !in_another_pool {
        return Ok(pool.install(work));
    }
    std::thread::scope(|scope| {
        let waiting = std::thread::Builder::new()
            .name("interlock-wait".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, || pool.install(work))
            .map_err(|source| refused(1, source))?;
        waiting.join().map_err(|panic| resume_unwind(panic))
    })
}

/// What the system said when it started no thread.
fn system_error(error: &rayon::ThreadPoolBuildError) -> std::io::Error {
    let said = error.source().and_then(|source| source.downcast_ref::<std::io::Error>());
    match said.and_then(std::io::Error::raw_os_error) {
        Some(errno) => std::io::Error::from_raw_os_error(errno),
        None => std::io::Error::other(error.to_string()),
    }
}

fn refused(count: usize, source: std::io::Error) -> Error {
    Error::Threads { count, source }
}

#[cfg(test)]
mod tests {
    use std::panic::{catch_unwind, AssertUnwindSafe};
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use super::*;

    #[test]
    fn there_is_one_pool_of_the_size_set() {
        let first = pool().unwrap();
        assert!(std::ptr::eq(first, pool().unwrap()));
        assert_eq!(first.current_num_threads(), settings::cpu_threads());
        assert!(install(|| pool().unwrap().current_thread_index().is_some()).unwrap());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_forked_child_knows_what_it_is() {
        pool().unwrap();
        assert!(!is_forked() && !MARK.load(Ordering::SeqCst).is_null());
        // SAFETY: the child only reads, and ends.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // As if it had its parent's number.
            STARTED_IN.store(std::process::id(), Ordering::SeqCst);
            // SAFETY: it ends the child.
            unsafe { libc::_exit(i32::from(is_forked())) };
        }
        let mut status = 0;
        // SAFETY: one number is written.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 1, "{status}");
        assert!(!is_forked());
    }

    #[test]
    fn a_caller_in_another_pool_takes_no_other_job_while_it_waits() {
        static WAITING: AtomicBool = AtomicBool::new(false);
        static TAKEN: AtomicBool = AtomicBool::new(false);
        let one_thread = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        one_thread.install(|| {
            one_thread.spawn(|| TAKEN.store(WAITING.load(Ordering::SeqCst), Ordering::SeqCst));
            WAITING.store(true, Ordering::SeqCst);
            install(|| std::thread::sleep(Duration::from_millis(50))).unwrap();
            WAITING.store(false, Ordering::SeqCst);
        });
        one_thread.install(|| ());
        assert!(!TAKEN.load(Ordering::SeqCst));
    }

    #[test]
    fn a_panic_goes_on_in_the_caller() {
        let other = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let here = || install(|| -> () { panic!("inside") });
        let there = || other.install(here);
        for caught in [catch_unwind(here), catch_unwind(AssertUnwindSafe(there))] {
            assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"inside"));
        }
    }
}
