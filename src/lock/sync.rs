//! The lock and the condition variable that the queues stand on, std's or, with `--cfg interlock_shuttle`, those of the
//! model checker. A holder that panicked leaves nothing half changed behind them, so poison is ignored.

#[cfg(interlock_shuttle)]
pub(super) use shuttle::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(interlock_shuttle))]
pub(super) use std::sync::{Condvar, Mutex, MutexGuard};

use std::sync::PoisonError;

/// Locks `mutex`.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits for `changed`, with the lock let go meanwhile. May return without cause.
pub(super) fn wait<'a, T>(changed: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    changed.wait(guard).unwrap_or_else(PoisonError::into_inner)
}
