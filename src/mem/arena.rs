//! An address space that is carved into spans.
//!
//! A span that is given back may still be used by work that is enqueued on the device. So it comes back with a *fence*, a
//! point in the device's work, and whoever takes those addresses next is told the fences of all parts that it reuses.
//! The host waits for none of them.

use std::collections::BTreeMap;
use std::ops::Range;

use super::granule::{granule, ALIGNMENT};

/// The addresses from 0 to a capacity, each in one live [`Span`] or free.
///
/// Addresses from the limit on, which is the capacity at first, are given to nobody.
#[derive(Debug)]
pub struct Arena<F> {
    capacity: usize,
    limit: usize,
    /// Start → end. No two touch.
    free: BTreeMap<usize, usize>,
    /// Start → part of the free addresses that is fenced. No two overlap.
    fenced: BTreeMap<usize, Part<F>>,
    /// Start → end of the long-lived spans.
    long: BTreeMap<usize, usize>,
    given_back: u64,
}

/// Addresses and the fence they are behind.
#[derive(Clone, Debug)]
struct Part<F> {
    end: usize,
    fence: F,
    /// How many spans had been given back before: fences are over in about this order.
    age: u64,
}

/// Addresses that belong to whoever holds this. Give it back to the arena it came from: dropping it loses the addresses.
#[derive(Debug)]
#[must_use]
pub struct Span<F> {
    range: Range<usize>,
    long: bool,
    parts: Vec<(usize, Part<F>)>,
}

impl<F> Span<F> {
    /// The first address.
    pub fn offset(&self) -> usize {
        self.range.start
    }

    /// How many addresses: what was asked for, rounded up.
    pub fn bytes(&self) -> usize {
        self.range.len()
    }

    /// What must be over before the addresses are first used. A fence may come more than once.
    pub fn fences(&self) -> impl Iterator<Item = &F> {
        self.parts.iter().map(|(_, part)| &part.fence)
    }
}

/// How long spans are kept, which says where they are put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// For a phase of a proof: where earlier work is over soonest, and then where the gap is smallest.
    Short,
    /// For many proofs: as low as no other long-lived span is, even if short-lived ones have to leave first. So what stays
    /// lies together at the bottom, what is left for proofs is in one piece, and memory can be unmapped from the top.
    Long,
}

impl<F: Clone> Arena<F> {
    /// All addresses from 0 to `capacity`, rounded down to the alignment, free.
    pub fn new(capacity: usize) -> Self {
        let capacity = capacity / ALIGNMENT * ALIGNMENT;
        let free = (capacity > 0).then_some((0, capacity)).into_iter().collect();
        Self { capacity, limit: capacity, free, fenced: BTreeMap::new(), long: BTreeMap::new(), given_back: 0 }
    }

    /// Takes spans of at least these sizes in bytes, all or none, in the order of the sizes.
    pub fn take(&mut self, sizes: &[usize], term: Term) -> Option<Vec<Span<F>>> {
        let places = match term {
            Term::Short => place(sizes, self.free_below_limit(), |gaps, size| self.soonest(gaps, size))
                .or_else(|| place(sizes, self.free_below_limit(), smallest)),
            Term::Long => place(sizes, self.without_short(), lowest)
                .filter(|places| places.iter().all(|place| self.is_free(place))),
        }?;
        let taken: usize = places.iter().map(Range::len).sum();
        if self.used_bytes() + taken > self.limit {
            return None;
        }
        Some(places.into_iter().map(|place| self.carve(place, term == Term::Long)).collect())
    }

    /// Whether [`Arena::take`] would succeed if there were no short-lived spans. Where it says no of several sizes, they may yet happen to fit.
    pub fn could_take(&self, sizes: &[usize], term: Term) -> bool {
        let gap = match term {
            Term::Short => smallest,
            Term::Long => lowest,
        };
        place(sizes, self.without_short(), gap)
            .is_some_and(|places| self.long_bytes() + places.iter().map(Range::len).sum::<usize>() <= self.limit)
    }

    /// Gives addresses back, for others to use once `fence` is over. The fences that `span` came with must be over by
    /// then. Without a fence nothing has used the addresses, and those fences stay.
    ///
    /// Returns the fences that nobody needs any more, to be dropped wherever that is convenient.
    pub fn give_back(&mut self, span: Span<F>, fence: Option<F>) -> Vec<F> {
        let Span { range: Range { mut start, mut end }, long, parts } = span;
        if long {
            self.long.remove(&start);
        }
        let unneeded = match fence {
            Some(fence) => {
                self.given_back += 1;
                self.fenced.insert(start, Part { end, fence, age: self.given_back });
                parts.into_iter().map(|(_, part)| part.fence).collect()
            }
            None => {
                self.fenced.extend(parts);
                Vec::new()
            }
        };
        if let Some((&before, _)) = self.free.range(..start).next_back().filter(|(_, &before_end)| before_end == start)
        {
            start = before;
        }
        if let Some(after_end) = self.free.remove(&end) {
            end = after_end;
        }
        self.free.insert(start, end);
        unneeded
    }

    /// Forgets the fences that are over and returns them, to be dropped wherever that is convenient.
    pub fn retire(&mut self, is_over: impl Fn(&F) -> bool) -> Vec<F> {
        let over: Vec<_> =
            self.fenced.iter().filter(|(_, part)| is_over(&part.fence)).map(|(&start, _)| start).collect();
        over.iter().filter_map(|start| self.fenced.remove(start)).map(|part| part.fence).collect()
    }

    /// Gives out no address from `limit` on, and never more than `limit` bytes. What is live stays.
    pub fn set_limit(&mut self, limit: usize) {
        self.limit = limit.min(self.capacity) / ALIGNMENT * ALIGNMENT;
    }

    /// Where the addresses end that are given out.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The bytes in live spans.
    pub fn used_bytes(&self) -> usize {
        self.capacity - self.free.iter().map(|(start, end)| end - start).sum::<usize>()
    }

    /// The bytes in long-lived spans.
    pub fn long_bytes(&self) -> usize {
        self.long.iter().map(|(start, end)| end - start).sum()
    }

    /// The largest span that could be had if there were no short-lived ones.
    pub fn largest_without_short(&self) -> usize {
        let gap = self.without_short().iter().map(Range::len).max().unwrap_or(0);
        gap.min(self.limit.saturating_sub(self.long_bytes()))
    }

    /// From here on nothing is live, and nothing is behind a fence that [`Arena::retire`] has not seen over.
    pub fn high_water(&self) -> usize {
        let live = match self.free.last_key_value() {
            Some((&start, &end)) if end == self.capacity => start,
            _ => self.capacity,
        };
        live.max(self.fenced.last_key_value().map_or(0, |(_, part)| part.end))
    }

    fn free_below_limit(&self) -> Vec<Range<usize>> {
        self.free.iter().map(|(&start, &end)| start..end.min(self.limit)).filter(|gap| !gap.is_empty()).collect()
    }

    /// The gaps below the limit between long-lived spans.
    fn without_short(&self) -> Vec<Range<usize>> {
        let starts = std::iter::once(0).chain(self.long.values().copied());
        let ends = self.long.keys().copied().chain(std::iter::once(self.capacity));
        starts.zip(ends).map(|(start, end)| start..end.min(self.limit)).filter(|gap| !gap.is_empty()).collect()
    }

    fn is_free(&self, range: &Range<usize>) -> bool {
        self.free.range(..=range.start).next_back().is_some_and(|(_, &end)| range.end <= end)
    }

    /// The place for `size` bytes whose fences are over soonest, judged by their age, in the smallest such gap.
    fn soonest(&self, gaps: &[Range<usize>], size: usize) -> Option<(usize, Range<usize>)> {
        let candidates = gaps.iter().enumerate().filter(|(_, gap)| gap.len() >= size).flat_map(|(number, gap)| {
            let edges = self.fenced_in(gap).flat_map(|(&start, part)| [start, part.end]);
            let last = (gap.end - size) / granule(size) * granule(size);
            let starts = [gap.start, last].into_iter().chain(edges);
            starts.filter_map(move |start| Some((number, gap.len(), fit(&(start.max(gap.start)..gap.end), size)?)))
        });
        candidates
            .min_by_key(|(_, gap, place)| {
                let age = self.fenced_in(place).map(|(_, part)| part.age).max();
                (age, *gap, place.start)
            })
            .map(|(number, _, place)| (number, place))
    }

    /// The fenced parts that have addresses in `range`.
    fn fenced_in<'a>(&'a self, range: &'a Range<usize>) -> impl Iterator<Item = (&'a usize, &'a Part<F>)> {
        let first = self.fenced.range(..=range.start).next_back().map_or(range.start, |(&start, _)| start);
        self.fenced.range(first..range.end).filter(|(_, part)| part.end > range.start)
    }

    /// Makes free addresses a span.
    fn carve(&mut self, range: Range<usize>, long: bool) -> Span<F> {
        let parts = self.carve_fenced(&range);
        let gap = self.free.range(..=range.start).next_back().map(|(&start, &end)| start..end);
        let gap = gap.unwrap_or_else(|| range.clone());
        self.free.remove(&gap.start);
        for rest in [gap.start..range.start, range.end..gap.end] {
            if !rest.is_empty() {
                self.free.insert(rest.start, rest.end);
            }
        }
        if long {
            self.long.insert(range.start, range.end);
        }
        Span { range, long, parts }
    }

    /// Takes out the fenced parts of `range`; what lies outside stays.
    fn carve_fenced(&mut self, range: &Range<usize>) -> Vec<(usize, Part<F>)> {
        let starts: Vec<_> = self.fenced_in(range).map(|(&start, _)| start).collect();
        let mut inside = Vec::with_capacity(starts.len());
        for start in starts {
            let Some(part) = self.fenced.remove(&start) else { continue };
            if start < range.start {
                self.fenced.insert(start, Part { end: range.start, ..part.clone() });
            }
            if part.end > range.end {
                self.fenced.insert(range.end, part.clone());
            }
            inside.push((start.max(range.start), Part { end: part.end.min(range.end), ..part }));
        }
        inside
    }
}

/// The first place for `size` bytes in a gap.
fn fit(gap: &Range<usize>, size: usize) -> Option<Range<usize>> {
    let start = gap.start.checked_next_multiple_of(granule(size))?;
    let end = start.checked_add(size)?;
    (end <= gap.end).then_some(start..end)
}

/// The place in the smallest gap.
fn smallest(gaps: &[Range<usize>], size: usize) -> Option<(usize, Range<usize>)> {
    let fitting = gaps.iter().enumerate().filter_map(|(number, gap)| Some((number, fit(gap, size)?, gap.len())));
    fitting.min_by_key(|(_, _, gap)| *gap).map(|(number, place, _)| (number, place))
}

/// The place at the lowest address.
fn lowest(gaps: &[Range<usize>], size: usize) -> Option<(usize, Range<usize>)> {
    gaps.iter().enumerate().find_map(|(number, gap)| Some((number, fit(gap, size)?)))
}

/// Places for all of these sizes in these gaps, which are in order, the largest placed first.
fn place(
    sizes: &[usize],
    mut gaps: Vec<Range<usize>>,
    choose: impl Fn(&[Range<usize>], usize) -> Option<(usize, Range<usize>)>,
) -> Option<Vec<Range<usize>>> {
    let mut places = vec![0..0; sizes.len()];
    let mut order: Vec<_> = (0..sizes.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(sizes[i]));
    for i in order {
        let size = sizes[i].max(1).checked_next_multiple_of(granule(sizes[i]))?;
        let (number, place) = choose(&gaps, size)?;
        let gap = gaps[number].clone();
        let rest = [gap.start..place.start, place.end..gap.end];
        gaps.splice(number..=number, rest.into_iter().filter(|rest| !rest.is_empty()));
        places[i] = place;
    }
    Some(places)
}

#[cfg(test)]
mod properties;
#[cfg(test)]
mod tests;
