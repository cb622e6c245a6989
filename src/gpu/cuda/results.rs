//! The few points that MSMs and sums leave: on the device, on their way to pinned memory, and added up.

use super::msm::{combine, Shape};
use super::pinned::{PinnedLease, PinnedPool};
use super::{DeviceSlice, Event, Group, Stream, G1, G2};
use crate::cpu::Sums;
use crate::error::Error;
use crate::trace::span;

/// Which sum of a proof a result belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Query {
    H,
    L,
    A,
    B1,
    B2,
}

/// One MSM's sums, or the one sum of a sum of points.
#[derive(Clone, Copy, Debug)]
struct Entry {
    query: Query,
    first: usize,
    shape: Option<Shape>,
}

/// Where the results of enqueued work will be.
#[derive(Debug, Default)]
pub(super) struct Layout {
    entries: Vec<Entry>,
    words: usize,
}

impl Layout {
    /// Adds the sums of an MSM in `shape`, or a single one, and returns the entry's number.
    pub(super) fn add(&mut self, query: Query, shape: Option<Shape>) -> usize {
        let sums = shape.map_or(1, |shape| shape.sums());
        let words = if query == Query::B2 { words::<G2>() } else { words::<G1>() };
        self.entries.push(Entry { query, first: self.words, shape });
        self.words += sums * words;
        self.entries.len() - 1
    }

    /// How many words all results have.
    pub(super) fn words(&self) -> usize {
        self.words
    }

    /// Where the sums of entry `i` go in `results`, which has [`Layout::words`] words.
    pub(super) fn of<G: Group>(&self, i: usize, results: &DeviceSlice<u64>) -> DeviceSlice<G::Sum> {
        let entry = self.entries[i];
        let sums = entry.shape.map_or(1, |shape| shape.sums());
        let range = results.range(entry.first..entry.first + sums * words::<G>());
        // SAFETY: the same memory, with as many words as these sums have.
        unsafe { DeviceSlice::from_raw(range.as_raw(), sums) }
    }
}

fn words<G: Group>() -> usize {
    size_of::<G::Sum>() / size_of::<u64>()
}

/// Results on their way.
pub(super) struct Results {
    layout: Layout,
    memory: PinnedLease,
    there: Event,
}

impl Results {
    /// Enqueues the copying of `results` to the host, behind what makes them on `stream`.
    pub(super) fn fetch(
        layout: Layout,
        results: &DeviceSlice<u64>,
        pool: &PinnedPool,
        stream: &Stream,
    ) -> Result<Self, Error> {
        let memory = pool.take(layout.words * size_of::<u64>())?;
        memory.fetch(results, stream)?;
        Ok(Self { layout, memory, there: Event::record(stream)? })
    }

    /// Waits for them and adds them to `sums`.
    pub(super) fn add_to(&self, sums: &mut Sums) -> Result<(), Error> {
        {
            let _waiting = span(c"waiting for results");
            self.there.synchronize()?;
        }
        let _adding = span(c"adding up");
        for entry in &self.layout.entries {
            match entry.query {
                Query::H => self.add::<G1>(entry, &mut sums.h),
                Query::L => self.add::<G1>(entry, &mut sums.l),
                Query::A => self.add::<G1>(entry, &mut sums.a),
                Query::B1 => self.add::<G1>(entry, &mut sums.b1),
                Query::B2 => self.add::<G2>(entry, &mut sums.b2),
            }
        }
        Ok(())
    }

    fn add<G: Group>(&self, entry: &Entry, total: &mut G::Jacobian) {
        let sums: Vec<G::Sum> = self.memory.values(entry.first * size_of::<u64>(), entry.shape.map_or(1, |s| s.sums()));
        let sum = match entry.shape {
            Some(shape) => combine::<G>(&sums, shape),
            None => G::to_jacobian(&sums[0]),
        };
        *total = G::add(total, &sum);
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        // The pinned memory may serve others only when the copy to it is over.
        let _ = self.there.synchronize();
    }
}
