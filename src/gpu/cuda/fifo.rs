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

    /// Waits until one is there and all who came before have theirs.
    pub(super) fn take(&self) -> T {
        let mut queues = self.lock();
        let number = queues.coming;
        queues.coming += 1;
        loop {
            if queues.served == number {
                if let Some(thing) = queues.idle.pop_front() {
                    queues.served += 1;
                    self.changed.notify_all();
                    return thing;
                }
            }
            queues = self.changed.wait(queues).unwrap_or_else(PoisonError::into_inner);
        }
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

    #[test]
    fn what_was_used_goes_last_and_what_was_not_goes_first() {
        let fifo = Fifo::new([1, 2, 3]);
        let (one, two) = (fifo.take(), fifo.take());
        fifo.give_back(one);
        fifo.give_back_unused(two);
        assert_eq!([fifo.take(), fifo.take(), fifo.take()], [2, 3, 1]);
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
            let thing = fifo.take();
            for worker in 0..8 {
                let (fifo, served) = (&fifo, served.clone());
                scope.spawn(move || {
                    let thing = fifo.take();
                    served.send(worker).unwrap();
                    fifo.give_back(thing);
                });
                while waiting(fifo) != worker + 1 {
                    std::thread::yield_now();
                }
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
                        let thing = fifo.take();
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
        let mut left: Vec<usize> = (0..THINGS).map(|_| fifo.take()).collect();
        left.sort_unstable();
        assert_eq!(left, (0..THINGS).collect::<Vec<_>>());
    }
}
