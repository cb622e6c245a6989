//! The few points that MSMs and sums leave: on the device, on their way to pinned memory, and added up.

use super::engine::Engine;
use super::lease::Until;
use super::msm::{combine, Shape};
use super::pinned::PinnedLease;
use super::status::wait_after_failure;
use super::{DeviceSlice, Group, Stream, G1, G2};
use crate::cpu::{Sums, Unfinished};
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
    /// Its first word of all, and of its part.
    first: usize,
    first_of_part: usize,
    shape: Option<Shape>,
}

/// Where the results of enqueued work will be: those of one part on the device at a time, all of them on the host.
#[derive(Debug, Default)]
pub(super) struct Layout {
    entries: Vec<Entry>,
    /// The first word of each part.
    parts: Vec<usize>,
    words: usize,
}

impl Layout {
    /// Begins a part, to which entries are added from now on, and returns its number.
    pub(super) fn begin_part(&mut self) -> usize {
        self.parts.push(self.words);
        self.parts.len() - 1
    }

    /// Adds the sums of an MSM in `shape`, or a single one, and returns the entry's number.
    pub(super) fn add(&mut self, query: Query, shape: Option<Shape>) -> usize {
        let sums = shape.map_or(1, |shape| shape.sums());
        let words = if query == Query::B2 { words::<G2>() } else { words::<G1>() };
        let first_of_part = self.words - self.parts.last().copied().unwrap_or(0);
        self.entries.push(Entry { query, first: self.words, first_of_part, shape });
        self.words += sums * words;
        self.entries.len() - 1
    }

    /// How many words the results of a part have at most.
    pub(super) fn words(&self) -> usize {
        (0..self.parts.len()).map(|part| self.of_part(part).len()).max().unwrap_or(0)
    }

    fn of_part(&self, part: usize) -> std::ops::Range<usize> {
        self.parts[part]..self.parts.get(part + 1).copied().unwrap_or(self.words)
    }

    /// Where the sums of entry `i` go in `results`, which has [`Layout::words`] words.
    pub(super) fn of<G: Group>(&self, i: usize, results: &DeviceSlice<u64>) -> DeviceSlice<G::Sum> {
        self.of_several::<G>(i, 1, results)
    }

    /// The same of `count` entries from number `i` on, which were added one after the other.
    pub(super) fn of_several<G: Group>(
        &self,
        i: usize,
        count: usize,
        results: &DeviceSlice<u64>,
    ) -> DeviceSlice<G::Sum> {
        let entries = &self.entries[i..i + count];
        let sums = entries.iter().map(|entry| entry.shape.map_or(1, |shape| shape.sums())).sum();
        let first = self.entries[i].first_of_part;
        let range = results.range(first..first + sums * words::<G>());
        // SAFETY: the same memory, with as many words as these sums have.
        unsafe { DeviceSlice::from_raw(range.as_raw(), sums) }
    }
}

fn words<G: Group>() -> usize {
    size_of::<G::Sum>() / size_of::<u64>()
}

/// Results that are enqueued part by part, on the stream of turns or the one beside it.
pub(super) struct Fetching<'e> {
    results: Option<(Layout, PinnedLease)>,
    engine: &'e Engine,
}

impl<'e> Fetching<'e> {
    /// None yet.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn new(layout: Layout, engine: &'e Engine) -> Result<Self, Error> {
        let memory = engine.pinned().take(layout.words * size_of::<u64>())?;
        Ok(Self { results: Some((layout, memory)), engine })
    }

    /// Where they will be.
    pub(super) fn layout(&self) -> &Layout {
        let Some((layout, _)) = &self.results else { unreachable!("it ends when it is finished") };
        layout
    }

    /// Enqueues the copying of a part's `results` on the stream of turns or the one beside it, behind what makes them and before what writes there
    /// next. All parts' have the same memory on the device. So who writes there on either stream has the scratch: whoever has that next waits for this.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn fetch(&self, part: usize, results: &DeviceSlice<u64>, stream: &Stream) -> Result<(), Error> {
        let Some((layout, memory)) = &self.results else { return Ok(()) };
        let words = layout.of_part(part);
        memory.fetch(words.start * size_of::<u64>(), &results.range(0..words.len()), stream)
    }

    /// All of them, which are there at a point that comes after what was enqueued.
    pub(super) fn finish(mut self, there: &Until) -> Results {
        let Some((layout, memory)) = self.results.take() else { unreachable!("it is finished once") };
        Results { layout, memory, there: there.clone() }
    }
}

impl Drop for Fetching<'_> {
    fn drop(&mut self) {
        if self.results.is_some() {
            // The pinned memory may serve others only when the copies to it are over.
            [self.engine.compute(), self.engine.aside()].into_iter().for_each(Stream::drain);
        }
    }
}

/// Results on their way.
pub(super) struct Results {
    layout: Layout,
    memory: PinnedLease,
    there: Until,
}

impl Results {
    /// Waits for them and adds them to `proof`.
    ///
    /// # Errors
    /// [`Error::Cuda`], which may be that of other work.
    pub(super) fn add_to(&self, proof: &mut Unfinished) -> Result<(), Error> {
        {
            let _waiting = span(c"waiting for results");
            self.there.event().synchronize()?;
        }
        let _adding = span(c"adding up");
        let mut sums = Sums::default();
        for entry in &self.layout.entries {
            match entry.query {
                Query::H => self.add::<G1>(entry, &mut sums.h),
                Query::L => self.add::<G1>(entry, &mut sums.l),
                Query::A => self.add::<G1>(entry, &mut sums.a),
                Query::B1 => self.add::<G1>(entry, &mut sums.b1),
                Query::B2 => self.add::<G2>(entry, &mut sums.b2),
            }
        }
        proof.add(&sums);
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
        wait_after_failure(|| self.there.event().synchronize());
    }
}
