//! Turns, in the order of asking.

use std::time::{Duration, Instant};

use super::sync::{lock, wait, Condvar, Mutex};

/// A queue for so many turns at a time: one for the right to enqueue on a device's compute stream, more for the workers
/// of a handle. First come, first served.
///
/// A mutex would do for one turn, but those of the system let whoever asks at the right moment overtake for ever.
#[derive(Debug)]
pub struct Order {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// How many may have a turn at once.
    width: usize,
    /// How many have asked, ever.
    asked: u64,
    /// How many have been served, ever: whoever asked as this one from 0 on is next.
    served: u64,
    /// How many have a turn now.
    active: usize,
}

impl Order {
    /// A queue for `width` turns at a time, which is taken for 1 if it is 0.
    pub fn new(width: usize) -> Self {
        let state = State { width: width.max(1), asked: 0, served: 0, active: 0 };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits for a turn. It lasts until the guard is dropped.
    pub fn turn(&self) -> Turn<'_> {
        self.wait_for(self.ask())
    }

    /// Joins the queue: from here on nobody else is served before.
    fn ask(&self) -> u64 {
        let mut state = lock(&self.state);
        state.asked += 1;
        state.asked - 1
    }

    /// Waits until whoever asked before has been served and there is a turn to be had.
    fn wait_for(&self, number: u64) -> Turn<'_> {
        let mut state = lock(&self.state);
        let mut begun = None;
        while state.served != number || state.active >= state.width {
            begun.get_or_insert_with(Instant::now);
            state = wait(&self.changed, state);
        }
        state.served += 1;
        state.active += 1;
        drop(state);
        // With more than one turn at a time, whoever is next may have its own now.
        self.changed.notify_all();
        Turn { order: self, waited: begun.map(|begun| begun.elapsed()) }
    }

    /// How many wait for their turn.
    pub fn waiting(&self) -> u64 {
        let state = lock(&self.state);
        state.asked - state.served
    }

    /// Changes how many turns there are at a time; 0 is taken for 1. Turns that are taken last as long as they do.
    pub fn set_width(&self, width: usize) {
        lock(&self.state).width = width.max(1);
        self.changed.notify_all();
    }
}

/// A turn, until it is dropped.
#[derive(Debug)]
#[must_use]
pub struct Turn<'a> {
    order: &'a Order,
    waited: Option<Duration>,
}

impl Turn<'_> {
    /// How long it took to come, if it was not to be had at once.
    pub fn waited(&self) -> Option<Duration> {
        self.waited
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        lock(&self.order.state).active -= 1;
        self.order.changed.notify_all();
    }
}

#[cfg(test)]
mod tests;
