//! The queues under a model checker, which runs these with many interleavings of their threads: a wake-up that is lost
//! shows as a deadlock.
//!
//! `RUSTFLAGS="--cfg interlock_shuttle" cargo test --lib models`

use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

use shuttle::rand::Rng;
use shuttle::sync::atomic::{AtomicUsize, Ordering};
use shuttle::sync::{Arc, Mutex};
use shuttle::thread;

/// Random schedules of each model, half of them by priorities that change a few times only.
const SCHEDULES: usize = 50_000;

pub(super) fn explore(model: impl Fn() + Send + Sync + Copy + 'static) {
    shuttle::check_random(model, SCHEDULES / 2);
    shuttle::check_pct(model, SCHEDULES / 2, 3);
}

/// What threads did, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Log(Arc<Mutex<Vec<usize>>>);

impl Log {
    /// Adds `who` at the moment of `act`.
    pub(super) fn at<T>(&self, who: usize, act: impl FnOnce() -> T) -> T {
        let mut log = self.0.lock().unwrap();
        let done = act();
        log.push(who);
        done
    }

    pub(super) fn read(&self) -> Vec<usize> {
        self.0.lock().unwrap().clone()
    }
}

/// Runs `work(0)`, `work(1)`, … in a thread each, and waits for all.
pub(super) fn threads(count: usize, work: impl Fn(usize) + Send + Sync + 'static) {
    let work = Arc::new(work);
    let running: Vec<_> = (0..count)
        .map(|number| {
            let work = work.clone();
            thread::spawn(move || work(number))
        })
        .collect();
    running.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Panics in `work`, and goes on.
pub(super) fn panicking(work: impl FnOnce()) {
    let caught = catch_unwind(AssertUnwindSafe(|| {
        work();
        resume_unwind(Box::new("on purpose"));
    }));
    assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"on purpose"));
}

pub(super) fn choose(below: usize) -> usize {
    shuttle::rand::thread_rng().gen_range(0..below)
}

/// How many are inside, and that there are never too many.
#[derive(Debug, Default)]
pub(super) struct Inside(AtomicUsize);

impl Inside {
    pub(super) fn with(&self, most: usize, act: impl FnOnce()) {
        assert!(self.0.fetch_add(1, Ordering::SeqCst) < most);
        act();
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
