//! Things that are lent, first come, first served.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Things for whoever comes first; the one that has been back for longest goes first.
#[derive(Debug)]
pub(super) struct Fifo<T> {
    queues: Mutex<Queues<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct Queues<T> {
    idle: VecDeque<T>,
    /// The number of the next to come, and of the next to be served.
    coming: u64,
    served: u64,
}

impl<T> Fifo<T> {
    pub(super) fn new(things: impl IntoIterator<Item = T>) -> Self {
        let queues = Queues { idle: things.into_iter().collect(), coming: 0, served: 0 };
        Self { queues: Mutex::new(queues), changed: Condvar::new() }
    }

    /// Waits until one is there and all who came before have theirs. Of several the first that `is_ready` is taken, or else the first.
    /// `is_ready` is asked with the queues locked.
    pub(super) fn take(&self, is_ready: impl Fn(&T) -> bool) -> T {
        let mut queues = self.lock();
        let number = queues.coming;
        queues.coming += 1;
        loop {
            if queues.served == number {
                let first = queues.idle.iter().position(&is_ready).unwrap_or(0);
                if let Some(thing) = queues.idle.remove(first) {
                    queues.served += 1;
                    self.changed.notify_all();
                    return thing;
                }
            }
            queues = self.changed.wait(queues).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The first that `is_ready`, if there is one and nobody waits. `is_ready` is asked with the queues locked.
    pub(super) fn take_at_once(&self, is_ready: impl Fn(&T) -> bool) -> Option<T> {
        let mut queues = self.lock();
        if queues.served < queues.coming {
            return None;
        }
        let first = queues.idle.iter().position(is_ready)?;
        queues.idle.remove(first)
    }

    /// Gives one back, to go last.
    pub(super) fn give_back(&self, thing: T) {
        self.lock().idle.push_back(thing);
        self.changed.notify_all();
    }

    /// Gives one back that was not used, to go first.
    pub(super) fn give_back_unused(&self, thing: T) {
        self.lock().idle.push_front(thing);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Queues<T>> {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::{channel, RecvTimeoutError};
    use std::time::Duration;

    fn any<T>(_: &T) -> bool {
        true
    }

    #[test]
    fn what_is_ready_goes_before_what_is_not() {
        let fifo = Fifo::new([1, 2, 3]);
        let even = |thing: &i32| thing % 2 == 0;
        assert_eq!([fifo.take(even), fifo.take(even), fifo.take(even)], [2, 1, 3]);
        let fifo = Fifo::new([1, 2]);
        assert_eq!(
            [fifo.take_at_once(even), fifo.take_at_once(even), fifo.take_at_once(any)],
            [Some(2), None, Some(1)]
        );
    }

    #[test]
    fn what_was_used_goes_last_and_what_was_not_goes_first() {
        let fifo = Fifo::new([1, 2, 3]);
        let (one, two) = (fifo.take(any), fifo.take(any));
        fifo.give_back(one);
        fifo.give_back_unused(two);
        assert_eq!([fifo.take(any), fifo.take(any), fifo.take(any)], [2, 3, 1]);
    }

    #[test]
    fn who_comes_first_is_served_first() {
        let fifo = Fifo::new([0]);
        let (served, order) = channel();
        let waiting = |fifo: &Fifo<i32>| {
            let queues = fifo.lock();
            queues.coming - queues.served
        };
        std::thread::scope(|scope| {
            let thing = fifo.take(any);
            for worker in 0..8 {
                let (fifo, served) = (&fifo, served.clone());
                scope.spawn(move || {
                    let thing = fifo.take(any);
                    served.send(worker).unwrap();
                    fifo.give_back(thing);
                });
                while waiting(fifo) != worker + 1 {
                    std::thread::yield_now();
                }
                assert_eq!(fifo.take_at_once(any), None);
            }
            assert_eq!(order.recv_timeout(Duration::from_millis(20)), Err(RecvTimeoutError::Timeout));
            fifo.give_back(thing);
        });
        drop(served);
        assert_eq!(order.iter().collect::<Vec<_>>(), (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn many_at_once_never_share() {
        const THINGS: usize = 3;
        let fifo = Fifo::new(0..THINGS);
        let holders: Vec<_> = (0..THINGS).map(|_| Mutex::new(())).collect();
        std::thread::scope(|scope| {
            for worker in 0..8 {
                let (fifo, holders) = (&fifo, &holders);
                scope.spawn(move || {
                    for round in 0..200 {
                        let thing = fifo.take(any);
                        let alone = holders[thing].try_lock().expect("nobody else has it");
                        std::thread::yield_now();
                        drop(alone);
                        if (worker + round) % 3 == 0 {
                            fifo.give_back_unused(thing);
                        } else {
                            fifo.give_back(thing);
                        }
                    }
                });
            }
        });
        let mut left: Vec<usize> = (0..THINGS).map(|_| fifo.take(any)).collect();
        left.sort_unstable();
        assert_eq!(left, (0..THINGS).collect::<Vec<_>>());
    }
}
