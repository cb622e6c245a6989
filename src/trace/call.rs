//! The calls that are traced: which worker, call and circuit what happens now belongs to.

use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{file, heed_environment, is_on};
use crate::threads;

/// What a span belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The worker, from 0 on.
    pub(super) worker: u32,
    /// The call's number in this process, from 1 on.
    pub(super) call: u32,
    /// The circuit's in its batch, where it is one circuit's alone.
    pub(super) circuit: Option<u32>,
}

thread_local! {
    static HERE: Cell<Option<Place>> = const { Cell::new(None) };
}

/// What this thread works for now.
pub(crate) fn here() -> Option<Place> {
    HERE.get()
}

/// Makes what this thread does belong to `place`, until dropped.
pub(crate) fn enter(place: Option<Place>) -> Entered {
    Entered { before: HERE.replace(place), _thread: PhantomData }
}

/// Makes what this thread does belong to a circuit of the call that it is in, until dropped.
pub(crate) fn within_circuit(number: usize) -> Entered {
    enter(here().map(|place| Place { circuit: Some(number as u32), ..place }))
}

/// Puts back what the thread worked for before.
#[derive(Debug)]
pub(crate) struct Entered {
    before: Option<Place>,
    _thread: PhantomData<*const ()>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        HERE.set(self.before);
    }
}

/// A call from its beginning to its end, on whatever threads. When it ends, the file that `INTERLOCK_TRACE` names is written if it is
/// time, and that may log: whoever drops a call holds no lock.
#[derive(Debug)]
pub(crate) struct Call {
    place: Option<Place>,
}

impl Call {
    /// A call that begins now. Whoever begins one holds no lock.
    pub(crate) fn begin() -> Self {
        heed_environment();
        // In a forked child, locks may be held by threads that it does not have.
        let is_traced = is_on() && threads::check_not_forked().is_ok();
        Self { place: is_traced.then(|| workers().begin()) }
    }

    /// Makes what this thread does belong to the call, until dropped.
    pub(crate) fn enter(&self) -> Entered {
        enter(self.place)
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            workers().end(place);
            file::call_ended();
        }
    }
}

/// Which workers have a call.
struct Workers {
    busy: Vec<bool>,
    calls: u32,
}

static WORKERS: Mutex<Workers> = Mutex::new(Workers { busy: Vec::new(), calls: 0 });

fn workers() -> MutexGuard<'static, Workers> {
    WORKERS.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Workers {
    fn begin(&mut self) -> Place {
        self.calls = self.calls.wrapping_add(1);
        let worker = self.busy.iter().position(|busy| !busy).unwrap_or_else(|| {
            self.busy.push(false);
            self.busy.len() - 1
        });
        self.busy[worker] = true;
        Place { worker: worker as u32, call: self.calls, circuit: None }
    }

    fn end(&mut self, place: Place) {
        self.busy[place.worker as usize] = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_worker_has_the_next_call() {
        let mut workers = Workers { busy: Vec::new(), calls: 0 };
        let calls = [workers.begin(), workers.begin(), workers.begin()];
        assert_eq!(calls.map(|place| (place.worker, place.call)), [(0, 1), (1, 2), (2, 3)]);
        workers.end(calls[1]);
        let next = [workers.begin(), workers.begin()];
        assert_eq!(next.map(|place| (place.worker, place.call)), [(1, 4), (3, 5)]);
    }

    #[test]
    fn what_a_thread_works_for_is_put_back() {
        let place = |circuit| Some(Place { worker: 1, call: 2, circuit });
        let outer = enter(place(None));
        let inner = enter(place(Some(3)));
        assert_eq!(here(), place(Some(3)));
        drop(inner);
        assert_eq!(here(), place(None));
        drop(outer);
        assert_eq!(here(), None);
    }
}
