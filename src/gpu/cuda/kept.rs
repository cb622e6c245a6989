//! Full-size terms of a witness whose points pass by: copied aside, part after part, until there are many for an MSM. The MSM of a part's
//! few is a chain of short kernels, and takes nearly as long as that of many.
//!
//! Where not all can be kept, there are two places for them by turns, so that the next terms need not wait for the MSMs of those before: the points
//! that pass would wait with them, and the bus.

use super::lease::{room_for, Region};
use super::msm::{at_least, Form, Scalars, Terms};
use super::{status::check, DeviceSlice, Group, Stream, G1, G2};
use crate::curve::{Fr, G1Affine, G2Affine};
use crate::error::Error;
use crate::mem::granule::ALIGNMENT;
use crate::sys;

/// How many terms `l`, `a` and each `b` have, at most.
pub(super) type PerQuery = [usize; 3];

/// The place of a part's terms among those that are kept for an MSM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// How many there are before its own.
    pub(super) first: PerQuery,
    /// How many there are with those of all parts.
    pub(super) all: PerQuery,
    /// Whether its own are the last.
    pub(super) is_last: bool,
    /// Which place these have, of [`PLACES`].
    pub(super) place: usize,
}

/// Places for terms that are kept together.
pub(super) const PLACES: usize = 2;

/// The shares of parts with so many terms, where `room` bytes are for those that are kept, and MSMs have scratch for `most` terms in G1, and in
/// G2. They have one place if that is enough.
pub(super) fn shares(parts: &[PerQuery], room: usize, most: [usize; 2]) -> Vec<Option<Share>> {
    let shares = shares_in(parts, room, most);
    if shares.iter().flatten().all(|share| share.place == 0) {
        return shares;
    }
    shares_in(parts, room / PLACES / ALIGNMENT * ALIGNMENT, most)
}

/// The same where each place has so many bytes. A part that takes more than half of that has no share: its terms are enough for an MSM of their own.
fn shares_in(parts: &[PerQuery], room: usize, most: [usize; 2]) -> Vec<Option<Share>> {
    let fit = |terms: PerQuery| {
        let [l, a, b] = terms;
        bytes(terms) <= room && l.max(a).max(b) <= most[0] && b <= most[1]
    };
    let mut shares = vec![None; parts.len()];
    // The first part of those whose terms are kept together, and how many these are.
    let (mut begin, mut all, mut place) = (0, PerQuery::default(), 0);
    for (i, own) in parts.iter().enumerate() {
        if !fit(sum(*own, *own)) {
            continue;
        }
        if !fit(sum(all, *own)) {
            close(&mut shares[begin..i], all);
            (begin, all, place) = (i, PerQuery::default(), (place + 1) % PLACES);
        }
        shares[i] = Some(Share { first: all, all: PerQuery::default(), is_last: false, place });
        all = sum(all, *own);
    }
    close(&mut shares[begin..], all);
    shares
}

/// Says to parts whose terms are kept together how many these are.
fn close(shares: &mut [Option<Share>], all: PerQuery) {
    shares.iter_mut().flatten().for_each(|share| share.all = all);
    if let Some(last) = shares.iter_mut().flatten().last() {
        last.is_last = true;
    }
}

fn sum(some: PerQuery, more: PerQuery) -> PerQuery {
    [0, 1, 2].map(|i| some[i] + more[i])
}

/// Bytes of a place, and how many there are.
pub(super) fn places(shares: impl Iterator<Item = Share>) -> (usize, usize) {
    shares.fold((0, 0), |(most, count), share| (most.max(bytes(share.all)), count.max(share.place + 1)))
}

/// Bytes that so many terms take.
fn bytes([l, a, b]: PerQuery) -> usize {
    let in_g1 = |terms| room_for::<G1Affine>(terms) + room_for::<Fr>(terms);
    in_g1(l) + in_g1(a) + in_g1(b) + room_for::<G2Affine>(b) + room_for::<Fr>(b)
}

/// The terms that are kept, by query.
pub(super) struct Kept {
    pub(super) l: KeptTerms<G1>,
    pub(super) a: KeptTerms<G1>,
    pub(super) b_g1: KeptTerms<G1>,
    pub(super) b_g2: KeptTerms<G2>,
}

impl Kept {
    /// Those of which a part has `share`, in `memory`, which has the bytes of all [`places`].
    pub(super) fn new(memory: &DeviceSlice<u8>, place: usize, share: &Share) -> Self {
        let region = &mut Region::new(memory.range(share.place * place..(share.place + 1) * place));
        let ([l, a, b], [all_l, all_a, all_b]) = (share.first, share.all);
        Self {
            l: KeptTerms::new(region, l, all_l),
            a: KeptTerms::new(region, a, all_a),
            b_g1: KeptTerms::new(region, b, all_b),
            b_g2: KeptTerms::new(region, b, all_b),
        }
    }

    /// Enqueues the copying of a part's terms in `l`, `a` and `b`, and of those of `b` in G2.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn append(
        &self,
        [l, a, b_g1]: [&Terms<'_, G1>; 3],
        b_g2: &Terms<'_, G2>,
        stream: &Stream,
    ) -> Result<(), Error> {
        copy_terms(&[self.l.copied(l), self.a.copied(a), self.b_g1.copied(b_g1)], stream)?;
        copy_terms(&[self.b_g2.copied(b_g2)], stream)
    }
}

/// Terms of one query.
pub(super) struct KeptTerms<G: Group> {
    points: DeviceSlice<G::Affine>,
    scalars: DeviceSlice<Fr>,
    /// How many of them are there.
    first: usize,
}

impl<G: Group> KeptTerms<G> {
    fn new(region: &mut Region, first: usize, all: usize) -> Self {
        Self { points: region.take(all), scalars: region.take(all), first }
    }

    /// More terms, and the place that they have here.
    fn copied<'a>(&self, terms: &'a Terms<'a, G>) -> CopiedTerms<'a, G> {
        let range = self.first..self.first + terms.len;
        CopiedTerms { points: self.points.range(range.clone()), scalars: self.scalars.range(range), terms }
    }

    /// All of them.
    pub(super) fn terms(&self) -> Terms<'_, G> {
        let Self { points, scalars, .. } = self;
        let (form, order) = (Form::Montgomery, Scalars::InOrder);
        Terms { points, positions: None, scalars, form, order, len: points.len(), count: None }
    }
}

/// Terms that have positions, indices and a count, and where they are copied to.
#[derive(Debug)]
pub struct CopiedTerms<'a, G: Group> {
    /// Room for as many points as there are terms.
    pub points: DeviceSlice<G::Affine>,
    /// Room for as many scalars.
    pub scalars: DeviceSlice<Fr>,
    /// The terms. Zeros stand for those that do not count.
    pub terms: &'a Terms<'a, G>,
}

impl<G: Group> CopiedTerms<'_, G> {
    /// The launchers' form, its buffers' lengths checked.
    fn as_raw(&self) -> Result<sys::interlock_copied_terms, Error> {
        at_least("points", self.points.len(), self.terms.len)?;
        at_least("scalars", self.scalars.len(), self.terms.len)?;
        let terms = self.terms.as_raw()?;
        Ok(sys::interlock_copied_terms { points: self.points.as_raw(), scalars: self.scalars.as_raw(), terms })
    }
}

/// Enqueues the copying of the terms of MSMs, three at most.
///
/// # Errors
/// [`Error::Size`] if a buffer is too short or there are too many MSMs, and [`Error::Cuda`].
pub fn copy_terms<G: Group>(copies: &[CopiedTerms<'_, G>], stream: &Stream) -> Result<(), Error> {
    at_least("copies at once", sys::INTERLOCK_COPIES as usize, copies.len())?;
    let copies = copies.iter().map(CopiedTerms::as_raw).collect::<Result<Vec<_>, _>>()?;
    // SAFETY: the ranges have the sizes that were checked, aligned as points and scalars are.
    check("interlock_copy_terms", unsafe { G::copy_terms(&copies, stream.as_raw()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: usize = 1 << 20;
    const MANY: [usize; 2] = [1 << 20; 2];

    /// The parts of each MSM, those of no share alone.
    fn groups(parts: &[PerQuery], room: usize, most: [usize; 2]) -> Vec<Vec<usize>> {
        let shares = shares(parts, room, most);
        let (place, places) = super::places(shares.iter().flatten().copied());
        assert!(place * places <= room);
        let one_is_enough = shares == shares_in(parts, room, most);
        let of_place = if one_is_enough { room } else { room / PLACES };
        let mut groups = Vec::new();
        let mut group = Vec::new();
        let (mut before, mut kept) = (PerQuery::default(), 0);
        for (i, (share, own)) in shares.iter().zip(parts).enumerate() {
            let Some(share) = share else {
                assert!(2 * bytes(*own) > of_place || own[0].max(own[1]) * 2 > most[0] || own[2] * 2 > most[1]);
                groups.push(vec![i]);
                continue;
            };
            assert_eq!(share.first, before);
            assert_eq!(share.place, kept % PLACES);
            group.push(i);
            before = sum(before, *own);
            if share.is_last {
                assert_eq!(share.all, before);
                assert!(bytes(share.all) <= place);
                kept += 1;
                groups.push(std::mem::take(&mut group));
                before = PerQuery::default();
            }
        }
        assert!(group.is_empty(), "{group:?} have no MSM");
        groups
    }

    #[test]
    fn terms_are_kept_until_there_is_no_room() {
        // 352 bytes for each b, 128 for the others, rounded up.
        assert_eq!(groups(&[[100, 100, 50]; 20], ROOM, MANY).len(), 1);
        assert_eq!(groups(&[[100, 100, 50]; 30], ROOM, MANY).len(), 3);
        assert_eq!(groups(&[[100, 100, 50]; 50], ROOM, MANY).len(), 5);
        assert_eq!(groups(&[[100, 100, 50]; 50], ROOM / 50, MANY).len(), 50);
        assert_eq!(groups(&[[100, 100, 50]; 50], 0, MANY).len(), 50);
        assert_eq!(groups(&[[0; 3]; 5], 0, MANY), [[0, 1, 2, 3, 4]]);
        assert!(groups(&[], ROOM, MANY).is_empty());
    }

    #[test]
    fn scratch_limits_what_is_kept() {
        assert_eq!(groups(&[[10, 10, 5]; 7], ROOM, [20, 1 << 20]), vec![vec![0, 1], vec![2, 3], vec![4, 5], vec![6]]);
        assert_eq!(groups(&[[10, 10, 5]; 7], ROOM, [1 << 20, 16]), vec![vec![0, 1, 2], vec![3, 4, 5], vec![6]]);
    }

    #[test]
    fn dense_parts_do_not_end_what_is_kept() {
        let (few, dense) = ([10, 10, 5], [5000, 5000, 0]);
        assert_eq!(groups(&[few, dense, dense, few, dense], ROOM, MANY), vec![vec![1], vec![2], vec![0, 3], vec![4]]);
    }
}
