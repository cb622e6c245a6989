//! The MSMs over a witness: which terms its queries have, part by part of its variables, and their enqueuing.

use std::ops::Range;

use super::classes::{Classes, CHUNK};
use super::engine::{Engine, Enqueuing};
use super::lease::{room_for, Lease};
use super::msm::{msm, msm_scratch_bytes, sum, sum_scratch_bytes, Scalars, SumTerms, Terms};
use super::results::{Layout, Query};
use super::staging::{ClassesOnDevice, Upload};
use super::{terms_scratch_bytes, DeviceSlice, Group, Lists, Shape, Variables, G1, G2};
use crate::curve::{Fr, G1Affine, G2Affine};
use crate::error::Error;
use crate::prove::{Density, Witness};
use crate::trace::span;

/// Private variables that are worked on at a time, and whether the inputs, which come before them in every query, are too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// From a multiple of [`CHUNK`] on.
    pub(super) aux: Range<usize>,
    pub(super) inputs: bool,
}

impl Part {
    /// All variables in parts of `aux` private variables, a multiple of [`CHUNK`], the inputs with the first.
    pub(super) fn all(len: usize, aux: usize) -> Vec<Self> {
        let starts = (0..len.max(1)).step_by(aux.max(CHUNK));
        starts.map(|start| Self { aux: start..len.min(start + aux.max(CHUNK)), inputs: start == 0 }).collect()
    }
}

/// The points of a part's variables, on the device.
pub(super) struct PartPoints {
    pub(super) l: DeviceSlice<G1Affine>,
    pub(super) a: DeviceSlice<G1Affine>,
    pub(super) b_g1: DeviceSlice<G1Affine>,
    pub(super) b_g2: DeviceSlice<G2Affine>,
}

/// A witness, its scalars by class, before anything of it is on the device.
pub(super) struct Classified<'w> {
    witness: &'w Witness<'w>,
    inp: Classes,
    aux: Classes,
    parts: Vec<Planned>,
}

/// What a part's sums will be.
struct Planned {
    part: Part,
    l: Entries,
    a: Entries,
    b_g1: Entries,
    b_g2: Entries,
}

impl<'w> Classified<'w> {
    /// Classifies the scalars. `not_canonical` makes the error of a vector's scalar that is not below the group order.
    ///
    /// # Errors
    /// That one, and [`Error::OutOfMemory`].
    pub(super) fn new(witness: &'w Witness<'w>, not_canonical: impl Fn(&str, usize) -> Error) -> Result<Self, Error> {
        let _classifying = span(c"classifying the witness");
        let inp = Classes::of(witness.inp)?.map_err(|index| not_canonical("inp_assignment_data", index))?;
        let aux = Classes::of(witness.aux)?.map_err(|index| not_canonical("aux_assignment_data", index))?;
        Ok(Self { witness, inp, aux, parts: Vec::new() })
    }

    /// Plans the sums of `parts`, and adds them to `layout`.
    ///
    /// # Errors
    /// [`Error::Cuda`] if CUDA does not answer.
    pub(super) fn plan(&mut self, parts: Vec<Part>, layout: &mut Layout) -> Result<(), Error> {
        for part in parts {
            let [l, a, b] = self.most(&part);
            self.parts.push(Planned {
                l: Entries::new::<G1>(layout, Query::L, &l)?,
                a: Entries::new::<G1>(layout, Query::A, &a)?,
                b_g1: Entries::new::<G1>(layout, Query::B1, &b)?,
                b_g2: Entries::new::<G2>(layout, Query::B2, &b)?,
                part,
            });
        }
        Ok(())
    }

    /// Bytes of scratch that the sums need.
    pub(super) fn scratch_bytes(&self) -> usize {
        let of = |planned: &Planned| {
            [&planned.l, &planned.a, &planned.b_g1, &planned.b_g2].map(|entries| entries.scratch).into_iter().max()
        };
        let sums = self.parts.iter().filter_map(of).max().unwrap_or(0);
        sums.max(terms_scratch_bytes(self.inp.len())).max(terms_scratch_bytes(self.aux.len()))
    }

    /// Bytes of a block that take it all: what is sent, and the lists of the largest part.
    pub(super) fn room(&self) -> usize {
        let densities = [self.witness.a_aux_density, self.witness.b_inp_density, self.witness.b_aux_density];
        room_of_classes(&self.inp)
            + room_of_classes(&self.aux)
            + room_for::<Fr>(self.inp.full_len() + self.aux.full_len())
            + densities.iter().map(|density| room_for::<u64>(density.words())).sum::<usize>()
            + self.largest_lists().iter().map(Most::room).sum::<usize>()
    }

    /// Enqueues the sending of it all to `lease`, on the copying stream.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn send(&self, engine: &Engine, lease: &mut Lease<'_>) -> Result<OnDevice, Error> {
        let _sending = span(c"sending the witness");
        let (of_inp, of_aux) = (self.inp.full_len(), self.aux.full_len());
        let scalars: DeviceSlice<Fr> = lease.take(of_inp + of_aux);
        let inp = SentClasses::new(engine, lease, &self.inp, 0, &scalars.range(0..of_inp))?;
        let aux = SentClasses::new(engine, lease, &self.aux, of_inp, &scalars.range(of_inp..of_inp + of_aux))?;
        let Witness { a_aux_density, b_inp_density, b_aux_density, .. } = self.witness;
        let densities = [a_aux_density, b_inp_density, b_aux_density];
        let [a_aux, b_inp, b_aux] = densities.map(|density| lease.take(density.words()));
        engine.ring().upload(&[
            Upload::new(a_aux_density.raw_words(), &a_aux)?,
            Upload::new(b_inp_density.raw_words(), &b_inp)?,
            Upload::new(b_aux_density.raw_words(), &b_aux)?,
        ])?;
        let lists = self.largest_lists().map(|most| ListRoom::new(lease, &most));
        Ok(OnDevice { scalars, inp, aux, a_aux, b_inp, b_aux, lists })
    }

    /// Enqueues the sums of part number `i`, whose points are `points`.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn enqueue(
        &self,
        i: usize,
        on_device: &OnDevice,
        points: &PartPoints,
        turn: &mut Enqueuing<'_>,
        layout: &Layout,
        sums: &DeviceSlice<u64>,
    ) -> Result<(), Error> {
        let planned = &self.parts[i];
        let [l, a, b] = [0, 1, 2].map(|i| on_device.lists[i].lists());
        let OnDevice { inp, aux, a_aux, b_inp, b_aux, .. } = on_device;
        for lists in [&l, &a, &b] {
            lists.clear(turn.stream)?;
        }
        if planned.part.inputs {
            inp.list(turn, &a, 0..inp.len, None)?;
            inp.list(turn, &b, 0..inp.len, Some(b_inp))?;
        }
        aux.list(turn, &l, planned.part.aux.clone(), None)?;
        aux.list(turn, &a, planned.part.aux.clone(), Some(a_aux))?;
        aux.list(turn, &b, planned.part.aux.clone(), Some(b_aux))?;
        let scalars = &on_device.scalars;
        planned.l.enqueue::<G1>(turn, layout, sums, &points.l, scalars, &l)?;
        planned.a.enqueue::<G1>(turn, layout, sums, &points.a, scalars, &a)?;
        planned.b_g1.enqueue::<G1>(turn, layout, sums, &points.b_g1, scalars, &b)?;
        planned.b_g2.enqueue::<G2>(turn, layout, sums, &points.b_g2, scalars, &b)
    }

    /// The most terms that the queries of a part can have: `l`, `a` and both `b`.
    fn most(&self, part: &Part) -> [Most; 3] {
        let aux = Most { ones: self.aux.ones_in(&part.aux), full: self.aux.full_in(&part.aux) };
        let inp = if part.inputs {
            Most { ones: self.inp.ones_in(&(0..self.inp.len())), full: self.inp.full_len() }
        } else {
            Most::default()
        };
        let within = |density: &Density<'_>| aux.limited(density.count_ones_in(&part.aux));
        let b_inp = if part.inputs { inp.limited(self.witness.b_inp_density.count_ones()) } else { Most::default() };
        [aux, inp.and(within(&self.witness.a_aux_density)), b_inp.and(within(&self.witness.b_aux_density))]
    }

    /// Room for the lists of every part.
    fn largest_lists(&self) -> [Most; 3] {
        let of = |planned: &Planned| [planned.l.most, planned.a.most, planned.b_g1.most];
        self.parts.iter().map(of).fold([Most::default(); 3], |most, of| {
            [0, 1, 2].map(|i| Most { ones: most[i].ones.max(of[i].ones), full: most[i].full.max(of[i].full) })
        })
    }
}

/// The most terms that a query can have.
#[derive(Clone, Copy, Debug, Default)]
struct Most {
    ones: usize,
    full: usize,
}

impl Most {
    fn limited(self, points: usize) -> Self {
        Self { ones: self.ones.min(points), full: self.full.min(points) }
    }

    fn and(self, other: Self) -> Self {
        Self { ones: self.ones + other.ones, full: self.full + other.full }
    }

    /// Bytes of its lists.
    fn room(&self) -> usize {
        room_for::<u32>(self.ones) + 2 * room_for::<u32>(self.full) + room_for::<u32>(COUNTS)
    }
}

/// Words of a list's counts, and which of them count ones and full-size terms.
const COUNTS: usize = 3;
const COUNT_OF_ONES: usize = 1;
const COUNT_OF_FULL: usize = 2;

struct ListRoom {
    ones: DeviceSlice<u32>,
    positions: DeviceSlice<u32>,
    indices: DeviceSlice<u32>,
    counts: DeviceSlice<u32>,
}

impl ListRoom {
    fn new(lease: &mut Lease<'_>, most: &Most) -> Self {
        Self {
            ones: lease.take(most.ones),
            positions: lease.take(most.full),
            indices: lease.take(most.full),
            counts: lease.take(COUNTS),
        }
    }

    fn lists(&self) -> Lists<'_> {
        Lists { ones: &self.ones, positions: &self.positions, indices: &self.indices, counts: &self.counts }
    }
}

/// What a query's sums are: an MSM of its full-size terms and a sum of its ones, where there can be such terms.
struct Entries {
    most: Most,
    full: Option<(usize, Shape)>,
    ones: Option<usize>,
    scratch: usize,
}

impl Entries {
    fn new<G: Group>(layout: &mut Layout, query: Query, most: &Most) -> Result<Self, Error> {
        let (mut full, mut ones, mut scratch) = (None, None, 0);
        if most.full > 0 {
            let shape = Shape::for_terms(most.full);
            full = Some((layout.add(query, Some(shape)), shape));
            scratch = msm_scratch_bytes::<G>(most.full, shape)?;
        }
        if most.ones > 0 {
            ones = Some(layout.add(query, None));
            scratch = scratch.max(sum_scratch_bytes::<G>());
        }
        Ok(Self { most: *most, full, ones, scratch })
    }

    fn enqueue<G: Group>(
        &self,
        turn: &mut Enqueuing<'_>,
        layout: &Layout,
        sums: &DeviceSlice<u64>,
        points: &DeviceSlice<G::Affine>,
        scalars: &DeviceSlice<Fr>,
        lists: &Lists<'_>,
    ) -> Result<(), Error> {
        if let Some((entry, shape)) = self.full {
            let terms = Terms::<G> {
                points,
                positions: Some(lists.positions),
                scalars,
                order: Scalars::Indexed(lists.indices),
                len: self.most.full,
                count: Some((lists.counts, COUNT_OF_FULL)),
            };
            msm::<G>(&mut layout.of::<G>(entry, sums), &terms, shape, &mut turn.scratch, turn.stream)?;
        }
        if let Some(entry) = self.ones {
            let count = Some((lists.counts, COUNT_OF_ONES));
            let terms = SumTerms::<G> { points, positions: Some(lists.ones), len: self.most.ones, count };
            sum::<G>(&mut layout.of::<G>(entry, sums), &terms, &mut turn.scratch, turn.stream)?;
        }
        Ok(())
    }
}

/// A witness on the device.
pub(super) struct OnDevice {
    scalars: DeviceSlice<Fr>,
    inp: SentClasses,
    aux: SentClasses,
    a_aux: DeviceSlice<u64>,
    b_inp: DeviceSlice<u64>,
    b_aux: DeviceSlice<u64>,
    lists: [ListRoom; 3],
}

/// The classes of scalars on the device.
struct SentClasses {
    words: DeviceSlice<u64>,
    starts: DeviceSlice<u32>,
    len: usize,
}

fn room_of_classes(classes: &Classes) -> usize {
    room_for::<u64>(classes.words_len()) + room_for::<u32>(classes.chunks_len())
}

impl SentClasses {
    /// Enqueues their sending, and that of their full-size scalars, which are numbered from `first` on, to `full`.
    fn new(
        engine: &Engine,
        lease: &mut Lease<'_>,
        classes: &Classes,
        first: usize,
        full: &DeviceSlice<Fr>,
    ) -> Result<Self, Error> {
        let (words, starts) = (lease.take(classes.words_len()), lease.take(classes.chunks_len()));
        engine.ring().send_classes(classes, first, &ClassesOnDevice { words: &words, starts: &starts, full })?;
        Ok(Self { words, starts, len: classes.len() })
    }

    fn list(
        &self,
        turn: &mut Enqueuing<'_>,
        lists: &Lists<'_>,
        range: Range<usize>,
        density: Option<&DeviceSlice<u64>>,
    ) -> Result<(), Error> {
        if range.is_empty() {
            return Ok(());
        }
        let classes = self.words.range(range.start / 32..range.end.div_ceil(32));
        let density = density.map(|density| density.range(range.start / 64..range.end.div_ceil(64)));
        let starts = self.starts.range(range.start / CHUNK..range.end.div_ceil(CHUNK));
        let (len, chunks) = (range.len(), Some((CHUNK, &starts)));
        let variables = Variables { classes: &classes, density: density.as_ref(), len, chunks };
        lists.append(&variables, &mut turn.scratch, turn.stream)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_cover_all_variables() {
        let parts = Part::all(3 * CHUNK + 5, 2 * CHUNK);
        assert_eq!(
            parts,
            [Part { aux: 0..2 * CHUNK, inputs: true }, Part { aux: 2 * CHUNK..3 * CHUNK + 5, inputs: false }]
        );
        assert_eq!(Part::all(0, CHUNK), [Part { aux: 0..0, inputs: true }]);
        assert_eq!(Part::all(7, usize::MAX), [Part { aux: 0..7, inputs: true }]);
    }
}
