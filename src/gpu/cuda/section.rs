//! What is sent of a witness at a time: the classes, densities and full-size scalars of several parts, and the lists that are made of each part's.

use std::ops::Range;

use super::classes::{Classes, Counts, Span, CHUNK};
use super::lease::{room_for, Region, Until};
use super::load::Load;
use super::msm::{Form, Scalars, Terms};
use super::ones::SumTerms;
use super::staging::{ClassesOnDevice, Upload};
use super::worker::Worker;
use super::{list, DeviceSlice, Group, Lists, QueryVariables, Stream, Variables};
use crate::curve::Fr;
use crate::error::Error;
use crate::prove::Witness;
use crate::trace::span;

/// Words of a list's counts, and which of them count ones and full-size terms.
pub(super) const COUNTS: usize = 3;
const COUNT_OF_ONES: usize = 1;
const COUNT_OF_FULL: usize = 2;

/// Memory for a section, one after the other.
pub(super) struct SectionRoom {
    pub(super) memory: DeviceSlice<u8>,
    /// Until when kernels use what it holds.
    pub(super) used: Option<Until>,
}

/// Variables of several parts, on the device.
pub(super) struct Section {
    inp: SentClasses,
    aux: SentClasses,
    scalars: DeviceSlice<Fr>,
    a_aux: DeviceSlice<u64>,
    b_inp: DeviceSlice<u64>,
    b_aux: DeviceSlice<u64>,
}

impl Section {
    /// Enqueues the sending of these variables of a witness, inputs and private ones, to `room`.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn send(
        worker: &Worker<'_>,
        witness: &Witness<'_>,
        (inp, inputs): (&Classes, &Range<usize>),
        (aux, private): (&Classes, &Range<usize>),
        room: &mut SectionRoom,
    ) -> Result<Self, Error> {
        let _sending = span(c"sending the witness");
        if let Some(used) = room.used.take() {
            worker.uploads_wait_for(&used)?;
        }
        let mut region = Region::new(room.memory.all());
        let spans = [inp.of_range(inputs), aux.of_range(private)];
        let [of_inp, of_aux] = [0, 1].map(|i| spans[i].full_len());
        let scalars: DeviceSlice<Fr> = region.take(of_inp + of_aux);
        let full = [scalars.range(0..of_inp), scalars.range(of_inp..of_inp + of_aux)];
        let starts = [spans[0].starts(0), spans[1].starts(of_inp)];
        let mut uploads = Vec::new();
        let mut list = |i: usize, range: &Range<usize>| {
            SentClasses::list(&mut region, (&spans[i], range), &starts[i], &full[i], &mut uploads)
        };
        let (inp, aux) = (list(0, inputs)?, list(1, private)?);
        let Witness { a_aux_density, b_inp_density, b_aux_density, .. } = witness;
        let words = [(a_aux_density, private), (b_inp_density, inputs), (b_aux_density, private)]
            .map(|(density, range)| &density.raw_words()[range.start / 64..range.end.div_ceil(64)]);
        let [a_aux, b_inp, b_aux] = words.map(|words| region.take(words.len()));
        for (words, to) in words.into_iter().zip([&a_aux, &b_inp, &b_aux]) {
            uploads.push(Upload::new(words, to)?);
        }
        worker.uploads().upload(&uploads)?;
        Ok(Self { inp, aux, scalars, a_aux, b_inp, b_aux })
    }

    /// Enqueues the listing of the terms that some of the variables have, in `room`.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn list(
        &self,
        inputs: &Range<usize>,
        private: &Range<usize>,
        room: &ListsRoom,
        stream: &Stream,
    ) -> Result<(), Error> {
        let [l, a, b] = [0, 1, 2].map(|i| room.queries[i].lists());
        let (inp, aux) = (self.inp.of(inputs), self.aux.of(private));
        let (b_inp, a_aux, b_aux) = (inp.bits(&self.b_inp), aux.bits(&self.a_aux), aux.bits(&self.b_aux));
        let queries = [
            QueryVariables { lists: &l, inputs: None, private: aux.variables(None) },
            QueryVariables { lists: &a, inputs: Some(inp.variables(None)), private: aux.variables(Some(&a_aux)) },
            QueryVariables {
                lists: &b,
                inputs: Some(inp.variables(Some(&b_inp))),
                private: aux.variables(Some(&b_aux)),
            },
        ];
        list(&queries, &mut room.scratch.all(), stream)
    }

    /// The full-size terms of query number `i` that `room` lists, so many at most, of which the query has `points`.
    pub(super) fn full<'a, G: Group>(
        &'a self,
        (room, i): (&'a ListsRoom, usize),
        points: &'a DeviceSlice<G::Affine>,
        len: usize,
    ) -> Terms<'a, G> {
        let lists = &room.queries[i];
        Terms {
            points,
            positions: Some(&lists.positions),
            scalars: &self.scalars,
            form: Form::Montgomery,
            order: Scalars::Indexed(&lists.indices),
            len,
            count: Some((&lists.counts, COUNT_OF_FULL)),
        }
    }
}

/// The classes of scalars on the device.
struct SentClasses {
    range: Range<usize>,
    words: DeviceSlice<u64>,
    starts: DeviceSlice<u32>,
}

impl SentClasses {
    /// Adds those of a range, whose chunks have these `starts`, and their full-size scalars, which go to `full`, to what is to be uploaded.
    fn list<'u>(
        region: &mut Region,
        (classes, range): (&Span<'u>, &Range<usize>),
        starts: &'u [u32],
        full: &DeviceSlice<Fr>,
        uploads: &mut Vec<Upload<'u>>,
    ) -> Result<Self, Error> {
        let (words, numbers) = (region.take(classes.words_len()), region.take(classes.chunks_len()));
        ClassesOnDevice { words: &words, starts: &numbers, full }.list(classes, starts, uploads)?;
        Ok(Self { range: range.clone(), words, starts: numbers })
    }

    /// Some of them, whole chunks but for the end.
    fn of(&self, range: &Range<usize>) -> Run {
        let first = if range.is_empty() { 0 } else { range.start - self.range.start };
        let within = first..first + range.len();
        Run {
            words: self.words.range(within.start / 32..within.end.div_ceil(32)),
            starts: self.starts.range(within.start / CHUNK..within.end.div_ceil(CHUNK)),
            within,
        }
    }
}

/// Some variables of a section.
struct Run {
    words: DeviceSlice<u64>,
    starts: DeviceSlice<u32>,
    /// Which ones of the section's.
    within: Range<usize>,
}

impl Run {
    /// Their bits of a density.
    fn bits(&self, density: &DeviceSlice<u64>) -> DeviceSlice<u64> {
        density.range(self.within.start / 64..self.within.end.div_ceil(64))
    }

    fn variables<'a>(&'a self, density: Option<&'a DeviceSlice<u64>>) -> Variables<'a> {
        let chunks = Some((CHUNK, &self.starts));
        Variables { classes: &self.words, density, len: self.within.len(), chunks }
    }
}

/// Memory for the lists of a part, and for making them. Parts use it one after the other, on one stream.
pub(super) struct ListsRoom {
    queries: [QueryRoom; 3],
    scratch: DeviceSlice<u8>,
}

struct QueryRoom {
    ones: DeviceSlice<u32>,
    positions: DeviceSlice<u32>,
    indices: DeviceSlice<u32>,
    counts: DeviceSlice<u32>,
}

impl ListsRoom {
    /// For a part of this load, in `memory`, which has [`Load::lists_room`].
    pub(super) fn new(memory: &DeviceSlice<u8>, load: &Load) -> Self {
        let region = &mut Region::new(memory.all());
        let queries = load.terms.map(|terms| QueryRoom::new(region, &terms));
        Self { queries, scratch: region.take(load.listing_room()) }
    }

    /// The points of query number `i` whose scalars are 1, so many at most.
    pub(super) fn ones<'a, G: Group>(
        &'a self,
        i: usize,
        points: &'a DeviceSlice<G::Affine>,
        len: usize,
    ) -> SumTerms<'a, G> {
        let lists = &self.queries[i];
        SumTerms { points, positions: Some(&lists.ones), len, count: Some((&lists.counts, COUNT_OF_ONES)) }
    }
}

impl QueryRoom {
    fn new(region: &mut Region, terms: &Counts) -> Self {
        Self {
            ones: region.take(terms.ones),
            positions: region.take(terms.full),
            indices: region.take(terms.full),
            counts: region.take(COUNTS),
        }
    }

    fn lists(&self) -> Lists<'_> {
        Lists { ones: &self.ones, positions: &self.positions, indices: &self.indices, counts: &self.counts }
    }
}

/// Bytes of the lists of a query.
pub(super) fn lists_bytes(terms: &Counts) -> usize {
    room_for::<u32>(terms.ones) + 2 * room_for::<u32>(terms.full) + room_for::<u32>(COUNTS)
}
