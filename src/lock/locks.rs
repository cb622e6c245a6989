//! The opaque `gpu_locks` handle: settings and statistics of the calls that are made with it.

use std::cell::Cell;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use super::order::{Order, Turn};
use super::sync::{lock, Mutex};
use crate::error::{Error, HandleKind};
use crate::handles::Registry;

/// What a `gpu_locks` handle stands for. Callers that pass none share one of the library's own.
///
/// Nothing of a device's safety hangs on it: calls with several handles, or with none, wait for each other all the same.
#[derive(Debug)]
pub struct Locks {
    workers: Order,
    settings: Mutex<LockSettings>,
    statistics: Mutex<LockStatistics>,
}

/// What can be set for the calls of a handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LockSettings {
    /// The device of calls that name none, in CUDA's order; `None` lets the library choose for each.
    pub device: Option<usize>,
    /// How many calls do their work at once; the others wait, first come, first served. `None` is as many as are made.
    pub workers: Option<NonZeroUsize>,
    /// The most bytes of device memory that a call plans with; `None` is what its device has to give. What serves all calls on a device
    /// does not count: scratch, parameters that stay in device memory, and the memory through which streamed ones pass. The budget
    /// of [`plan`](crate::prove::plan()) counts all of these.
    pub budget: Option<usize>,
}

/// What the calls of a handle did, since it was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockStatistics {
    /// Calls whose work began, after their checks. A call with several circuits is one.
    pub calls: u64,
    /// How often one of them waited, for others of the handle or for device memory.
    pub waits: u64,
    /// How long they waited in all.
    pub waited: Duration,
    /// Bytes of device memory that they were given in all; 0 on the CPU.
    pub bytes: u64,
}

impl LockStatistics {
    fn wait(&mut self, waited: Option<Duration>) {
        self.waits += u64::from(waited.is_some());
        self.waited += waited.unwrap_or_default();
    }
}

static HANDLES: Registry<Arc<Locks>> = Registry::new(
    HandleKind::Locks,
    ": create_gpu_locks and create_gpu_mutex give out such handles; a caller compiled for the ABI without the gpu_locks argument passes garbage there",
);
static SHARED: LazyLock<Arc<Locks>> = LazyLock::new(Arc::default);

/// Gives out a new handle.
pub(crate) fn create() -> *mut c_void {
    HANDLES.insert(Arc::default())
}

/// Ends a handle. Calls that are using it go on; null does nothing.
pub(crate) fn destroy(handle: *mut c_void) -> Result<(), Error> {
    if handle.is_null() {
        return Ok(());
    }
    HANDLES.remove(handle).map(drop)
}

/// What `handle` stands for; null is the library's own.
pub(crate) fn resolve(handle: *const c_void) -> Result<Arc<Locks>, Error> {
    if handle.is_null() {
        return Ok(SHARED.clone());
    }
    HANDLES.with(handle, Arc::clone)
}

impl Default for Locks {
    fn default() -> Self {
        Self { workers: Order::new(usize::MAX), settings: Mutex::default(), statistics: Mutex::default() }
    }
}

impl Locks {
    /// The locks that calls without a handle share.
    pub fn shared() -> Arc<Self> {
        SHARED.clone()
    }

    /// What is set. At first nothing is.
    pub fn settings(&self) -> LockSettings {
        *lock(&self.settings)
    }

    /// Sets the device of calls to come that name none.
    pub fn set_device(&self, device: Option<usize>) {
        lock(&self.settings).device = device;
    }

    /// Sets how many calls do their work at once. Calls that do go on; calls that wait go by the new limit.
    pub fn set_workers(&self, workers: Option<NonZeroUsize>) {
        let mut settings = lock(&self.settings);
        settings.workers = workers;
        self.workers.set_width(workers.map_or(usize::MAX, NonZeroUsize::get));
    }

    /// Sets the most bytes of device memory that calls to come plan with.
    pub fn set_budget(&self, budget: Option<usize>) {
        lock(&self.settings).budget = budget;
    }

    /// What calls did so far.
    pub fn statistics(&self) -> LockStatistics {
        *lock(&self.statistics)
    }

    /// How many calls wait to begin.
    pub fn waiting(&self) -> u64 {
        self.workers.waiting()
    }

    /// Begins a call's work: waits until it may. What is returned is to be dropped when all of the work is enqueued, not
    /// when it is done: a caller that starts two proofs before it finishes the first must not wait for itself. Nor does a call that a
    /// log callback makes on the thread of another: it begins at once, whatever the handles of both.
    pub fn begin(&self) -> Call<'_> {
        let turn = (UNDER_WAY.get() == 0).then(|| self.workers.turn());
        UNDER_WAY.set(UNDER_WAY.get() + 1);
        let mut statistics = lock(&self.statistics);
        statistics.calls += 1;
        statistics.wait(turn.as_ref().and_then(Turn::waited));
        Call { _turn: turn, _thread: PhantomData }
    }

    /// Counts device memory that a call was given, and how long it had waited for it if it had to.
    #[cfg(any(all(test, not(interlock_shuttle)), interlock_cuda))]
    pub(crate) fn count_memory(&self, bytes: usize, waited: Option<Duration>) {
        let mut statistics = lock(&self.statistics);
        statistics.bytes += bytes as u64;
        statistics.wait(waited);
    }
}

thread_local! {
    /// How many calls do their work on this thread, one within the other.
    static UNDER_WAY: Cell<usize> = const { Cell::new(0) };
}

/// A call that does its work, until this is dropped.
#[derive(Debug)]
#[must_use]
pub struct Call<'a> {
    _turn: Option<Turn<'a>>,
    _thread: PhantomData<*const ()>,
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        UNDER_WAY.set(UNDER_WAY.get() - 1);
    }
}

#[cfg(all(test, not(interlock_shuttle)))]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_handle_has_settings_and_statistics_of_its_own() {
        let (first, second) = (create(), create());
        let (locks, other) = (resolve(first).unwrap(), resolve(second).unwrap());
        locks.set_device(Some(2));
        locks.set_budget(Some(1 << 30));
        let call = locks.begin();
        drop(call);
        locks.count_memory(4096, None);
        locks.count_memory(4096, Some(Duration::from_secs(2)));
        let expected = LockStatistics { calls: 1, waits: 1, waited: Duration::from_secs(2), bytes: 8192 };
        assert_eq!(locks.statistics(), expected);
        assert_eq!(locks.settings(), LockSettings { device: Some(2), workers: None, budget: Some(1 << 30) });
        assert_eq!((other.settings(), other.statistics()), Default::default());
        destroy(first).unwrap();
        assert_eq!(locks.statistics(), expected, "whoever uses it still can");
        destroy(second).unwrap();
    }

    #[test]
    fn calls_beyond_the_limit_wait_for_others_of_the_handle() {
        let locks = Locks::default();
        locks.set_workers(NonZeroUsize::new(1));
        thread::scope(|scope| {
            let first = locks.begin();
            scope.spawn(|| drop(locks.begin()));
            while locks.waiting() == 0 {
                thread::sleep(Duration::from_millis(1));
            }
            drop(first);
        });
        let LockStatistics { calls, waits, waited, .. } = locks.statistics();
        assert_eq!((calls, waits), (2, 1));
        assert!(waited > Duration::ZERO);
        locks.set_workers(None);
        let _both = (locks.begin(), locks.begin());
    }

    #[test]
    fn a_call_within_another_does_not_wait_for_it() {
        let (locks, others) = (Locks::default(), Locks::default());
        for limited in [&locks, &others] {
            limited.set_workers(NonZeroUsize::new(1));
        }
        let outer = locks.begin();
        drop((locks.begin(), others.begin()));
        assert_eq!((locks.statistics().calls, locks.statistics().waits), (2, 0));
        thread::scope(|scope| {
            scope.spawn(|| drop(locks.begin()));
            while locks.waiting() == 0 {
                thread::sleep(Duration::from_millis(1));
            }
            drop(outer);
        });
        assert_eq!(locks.statistics().waits, 1, "the outer call had its turn to the end");
        let _next = locks.begin();
        let nested = locks.begin();
        drop(nested);
    }
}
