//! The streams of uploads, in pairs: one that copies, and one that expands what was copied.
//!
//! A worker has a pair for as long as it enqueues. So what its uploads wait for (memory that kernels still use, or a product that frees
//! the place of c) delays nobody else's, and its kernels wait for its own uploads only. There are as many pairs as can be of use at once:
//! one bus serves all, and beside those whose uploads wait one or two suffice to fill it. With more workers some share a pair, which is as
//! right and may be slower.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::engine::EVENTS;
use super::Stream;
use crate::error::Error;
use crate::trace;

/// Pairs of a device.
const PAIRS: usize = 4;

/// The pairs of a device.
#[derive(Debug)]
pub(super) struct Pairs {
    pairs: [Pair; PAIRS],
    shares: Mutex<Shares>,
}

#[derive(Debug)]
struct Pair {
    copies: Stream,
    /// Not that of the copies, which would have to wait where the device has no room for the kernel beside others.
    expansions: Stream,
}

/// A pair for a worker, until this is dropped.
#[derive(Debug)]
pub(super) struct Lent<'p> {
    pairs: &'p Pairs,
    number: usize,
}

impl Pairs {
    /// Those of the current device.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn new() -> Result<Self, Error> {
        let copies = Stream::new()?.with_events(EVENTS)?;
        // One pool of events for all: none is made because a worker has another pair than the last time.
        let events = |stream: Stream| stream.with_events_of(&copies);
        let expansions = events(Stream::urgent()?);
        let pair = || Ok(Pair { copies: events(Stream::new()?), expansions: events(Stream::urgent()?) });
        let [second, third, fourth] = [pair()?, pair()?, pair()?];
        let first = Pair { copies, expansions };
        Ok(Self { pairs: [first, second, third, fourth], shares: Mutex::default() })
    }

    /// One that nobody has, if there is one.
    pub(super) fn lend(&self) -> Lent<'_> {
        Lent { pairs: self, number: self.shares().lend() }
    }

    fn shares(&self) -> MutexGuard<'_, Shares> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'p> Lent<'p> {
    pub(super) fn copies(&self) -> &'p Stream {
        &self.pairs.pairs[self.number].copies
    }

    pub(super) fn expansions(&self) -> &'p Stream {
        &self.pairs.pairs[self.number].expansions
    }

    /// The stream of copies, as the trace shows it.
    pub(super) fn shown_copies(&self) -> (trace::Stream, &'p Stream) {
        (trace::Stream::Copies(self.number as u8), self.copies())
    }

    /// That of expansions.
    pub(super) fn shown_expansions(&self) -> (trace::Stream, &'p Stream) {
        (trace::Stream::Expansions(self.number as u8), self.expansions())
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.pairs.shares().give_back(self.number);
    }
}

/// Who has which pair.
#[derive(Debug, Default)]
struct Shares {
    pairs: [Share; PAIRS],
    given_back: u64,
}

#[derive(Debug, Default)]
struct Share {
    workers: usize,
    /// When it was last given back: what was enqueued until then may be on its way for a while.
    since: u64,
}

impl Shares {
    /// That which the fewest have, and of those the one that was given back first.
    fn lend(&mut self) -> usize {
        let by_use = |(_, share): &(usize, &mut Share)| (share.workers, share.since);
        let least = self.pairs.iter_mut().enumerate().min_by_key(by_use);
        let Some((number, share)) = least else { unreachable!("there are some") };
        share.workers += 1;
        number
    }

    fn give_back(&mut self, number: usize) {
        self.given_back += 1;
        let share = &mut self.pairs[number];
        share.workers -= 1;
        share.since = self.given_back;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pair_that_has_been_idle_for_longest_is_lent_first() {
        let mut shares = Shares::default();
        let all: Vec<_> = (0..PAIRS).map(|_| shares.lend()).collect();
        assert_eq!(all, (0..PAIRS).collect::<Vec<_>>());
        shares.give_back(2);
        shares.give_back(0);
        assert_eq!([shares.lend(), shares.lend()], [2, 0]);
    }

    #[test]
    fn pairs_are_shared_evenly_where_there_are_too_few() {
        let mut shares = Shares::default();
        let mut uses = [0; PAIRS];
        (0..3 * PAIRS).for_each(|_| uses[shares.lend()] += 1);
        assert_eq!(uses, [3; PAIRS]);
        shares.give_back(1);
        assert_eq!(shares.lend(), 1);
    }
}
