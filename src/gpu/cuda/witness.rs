//! The MSMs over a witness: which terms its queries have, part by part of its variables, and their enqueuing.

use std::ops::Range;
use std::rc::Rc;

use rayon::prelude::*;

use super::classes::{chosen, Classes, Counts, Span, CHUNK};
use super::engine::Enqueuing;
use super::kept::{self, Kept, Share};
use super::lanes::{Lane, Lanes};
use super::lease::{room_for, Region, Until};
use super::msm::{msm, msm_scratch_bytes, Scalars, Terms};
use super::ones::{Accumulators, SumTerms};
use super::results::{Fetching, Layout, Query};
use super::staging::{ClassesOnDevice, Upload};
use super::terms::run_scratch_bytes;
use super::worker::Worker;
use super::{list, DeviceSlice, Group, Lists, QueryVariables, Shape, Stream, Variables, G1, G2};
use crate::curve::{Fr, G1Affine, G2Affine};
use crate::error::Error;
use crate::prove::plan::scratch::{most_terms, G1_SUM, G2_SUM};
use crate::prove::plan::{sum_bytes, STEP};
use crate::prove::{Density, Plan, Residence, Witness};
use crate::threads;
use crate::trace::span;

const _: () = assert!(STEP == CHUNK, "a plan counts with the steps of parts");

/// Parts that are held at a time, where there is room, before terms are kept: so many are sent before they are worked on.
const SENT_EARLIER: usize = 4;
/// Chunks that a thread counts together, at least.
const LEAST_CHUNKS: usize = 32;
/// Queries in G1 whose sums of ones grow side by side: `l`, `a` and `b`.
const IN_G1: usize = 3;

/// Variables that are worked on at a time, and their points. Inputs come before private variables in every query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// Inputs, from a multiple of [`CHUNK`] on.
    pub(super) inp: Range<usize>,
    /// Private variables, likewise, and the points of `l` that are theirs.
    pub(super) aux: Range<usize>,
    /// Points of `a`.
    pub(super) a: Range<usize>,
    /// Points of each `b`.
    pub(super) b: Range<usize>,
}

/// The points of a part's variables, on the device.
pub(super) struct PartPoints {
    pub(super) l: DeviceSlice<G1Affine>,
    pub(super) a: DeviceSlice<G1Affine>,
    pub(super) b_g1: DeviceSlice<G1Affine>,
    pub(super) b_g2: DeviceSlice<G2Affine>,
}

/// What some variables take.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    inputs: usize,
    aux: usize,
    /// Those that are full-size.
    full: usize,
    /// Points of `l`, `a` and each `b`.
    points: [usize; 3],
    /// The most terms that these queries can have.
    most: [Most; 3],
}

impl Load {
    fn and(self, other: Self) -> Self {
        Self {
            inputs: self.inputs + other.inputs,
            aux: self.aux + other.aux,
            full: self.full + other.full,
            points: [0, 1, 2].map(|i| self.points[i] + other.points[i]),
            most: [0, 1, 2].map(|i| self.most[i].and(other.most[i])),
        }
    }

    /// Bytes on the device of scalars, densities and lists.
    pub(super) fn room(&self) -> usize {
        let of =
            |variables: usize| room_for::<u64>(variables.div_ceil(32)) + room_for::<u32>(variables.div_ceil(CHUNK));
        of(self.inputs)
            + of(self.aux)
            + room_for::<Fr>(self.full)
            + room_for::<u64>(self.inputs.div_ceil(64))
            + 2 * room_for::<u64>(self.aux.div_ceil(64))
            + self.most.iter().map(Most::room).sum::<usize>()
            + self.listing_room()
    }

    /// Bytes of scratch for the making of its lists.
    fn listing_room(&self) -> usize {
        room_for::<u8>(2 * run_scratch_bytes(self.inputs) + 3 * run_scratch_bytes(self.aux))
    }

    /// Bytes of the points.
    pub(super) fn points_bytes(&self) -> usize {
        let [.., b] = self.points;
        self.points.map(room_for::<G1Affine>).iter().sum::<usize>() + room_for::<G2Affine>(b)
    }

    /// Whether no query has more full-size terms than so many in G1, and in G2.
    pub(super) fn has_at_most(&self, [in_g1, in_g2]: [usize; 2]) -> bool {
        let [l, a, b] = self.most.map(|most| most.full);
        l.max(a).max(b) <= in_g1 && b <= in_g2
    }

    /// Whether no query has more points than that, whatever their scalars are.
    pub(super) fn has_points_at_most(&self, [in_g1, in_g2]: [usize; 2]) -> bool {
        let [l, a, b] = self.points;
        l.max(a).max(b) <= in_g1 && b <= in_g2
    }
}

/// A witness, its scalars by class, before anything of it is on the device.
pub(super) struct Classified<'w> {
    witness: &'w Witness<'w>,
    inp: Classes,
    aux: Classes,
    /// What the chunks of inputs, and of private variables, take.
    loads: [Vec<Load>; 2],
    parts: Vec<Planned>,
    /// How many parts are held at a time.
    rooms: usize,
    ones: Ones,
}

/// The sums of points whose scalars are 1, over all parts.
#[derive(Clone, Copy, Debug, Default)]
struct Ones {
    /// How many blocks add them up.
    blocks: usize,
    /// Their first entry in G1, and that in G2.
    entries: [usize; 2],
}

/// What a part's sums will be.
struct Planned {
    part: Part,
    load: Load,
    /// Its number among the layout's parts.
    number: usize,
    /// The place of its full-size terms, if they are kept.
    share: Option<Share>,
    l: Option<Full>,
    a: Option<Full>,
    b_g1: Option<Full>,
    b_g2: Option<Full>,
}

/// Memory for parts of a witness, one after the other, and for what is kept from part to part.
pub(super) struct Rooms {
    parts: Vec<Room>,
    kept: Rc<KeptRoom>,
}

/// Memory for terms and sums.
struct KeptRoom {
    terms: DeviceSlice<u8>,
    in_g1: Accumulators<G1>,
    in_g2: Accumulators<G2>,
}

struct Room {
    memory: DeviceSlice<u8>,
    /// Until when kernels use what it holds.
    used: Option<Until>,
}

impl Rooms {
    /// Says that part `i` is in use until then.
    pub(super) fn used_until(&mut self, i: usize, until: Until) {
        let rooms = self.parts.len();
        self.parts[i % rooms].used = Some(until);
    }
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
        let loads = threads::install(|| {
            [
                loads_of(&inp, |range, words, all| {
                    let b = Most::chosen(words, &witness.b_inp_density, &range);
                    let points = [0, range.len(), witness.b_inp_density.count_ones_in(&range)];
                    Load { inputs: range.len(), aux: 0, full: all.full, points, most: [Most::default(), all, b] }
                }),
                loads_of(&aux, |range, words, all| {
                    let densities = [&witness.a_aux_density, &witness.b_aux_density];
                    let [a, b] = densities.map(|density| Most::chosen(words, density, &range));
                    let [a_points, b_points] = densities.map(|density| density.count_ones_in(&range));
                    let points = [range.len(), a_points, b_points];
                    Load { inputs: 0, aux: range.len(), full: all.full, points, most: [all, a, b] }
                }),
            ]
        })?;
        Ok(Self { witness, inp, aux, loads, parts: Vec::new(), rooms: 0, ones: Ones::default() })
    }

    /// Cuts all variables into parts, each as long as it `fits`, and a chunk at least. There is a part if there are no variables.
    pub(super) fn cut(&self, fits: impl Fn(&Load) -> bool) -> Vec<Part> {
        let mut parts = vec![Part::default()];
        let mut load = Load::default();
        let [of_inp, of_aux] = &self.loads;
        let inp = chunks_of(self.inp.len()).zip(of_inp).map(|(range, load)| (range, 0..0, load));
        let aux = chunks_of(self.aux.len()).zip(of_aux).map(|(range, load)| (0..0, range, load));
        for (inp, aux, more) in inp.chain(aux) {
            let Some(last) = parts.last_mut() else { unreachable!("there is one at first") };
            let together = load.and(*more);
            if load.inputs + load.aux > 0 && !fits(&together) {
                load = *more;
                let next = last.following(inp, aux, more);
                parts.push(next);
            } else {
                load = together;
                last.extend(inp, aux, more);
            }
        }
        parts
    }

    /// The least with which `parts` can be worked on, in bytes: one of them is sent while another is worked on.
    pub(super) fn least_room(&self, parts: &[Part]) -> usize {
        parts.len().min(2) * parts.iter().map(|part| self.load(part).room()).max().unwrap_or(0)
    }

    /// Plans the sums of `parts`, and adds them to `layout`. So many bytes, [`Classified::least_room`] or more, may be held of them at a
    /// time.
    ///
    /// # Errors
    /// [`Error::Internal`] if the plan leaves them too little scratch.
    pub(super) fn plan(&mut self, parts: &[Part], plan: &Plan, bytes: usize, layout: &mut Layout) -> Result<(), Error> {
        let loads: Vec<Load> = parts.iter().map(|part| self.load(part)).collect();
        let terms: Vec<_> = loads.iter().map(|load| load.most.map(|most| most.full)).collect();
        let most = [G1_SUM, G2_SUM].map(|sum| most_terms(sum, plan.scratch_bytes));
        let largest = loads.iter().map(Load::room).max().unwrap_or(0);
        let spare = bytes.saturating_sub(parts.len().min(SENT_EARLIER) * largest);
        let shares = match plan.parameters {
            // Their parts are as long as MSMs want them.
            Residence::Resident => vec![None; parts.len()],
            Residence::Streamed => kept::shares(&terms, spare, most),
        };
        for ((part, load), share) in parts.iter().zip(loads).zip(shares) {
            let [l, a, b] = [0, 1, 2].map(|i| terms_at_once(i, &load, share));
            self.parts.push(Planned {
                number: layout.begin_part(),
                share,
                l: Full::new::<G1>(layout, Query::L, l, plan)?,
                a: Full::new::<G1>(layout, Query::A, a, plan)?,
                b_g1: Full::new::<G1>(layout, Query::B1, b, plan)?,
                b_g2: Full::new::<G2>(layout, Query::B2, b, plan)?,
                part: part.clone(),
                load,
            });
        }
        let [l, _, _, b_g2] = [Query::L, Query::A, Query::B1, Query::B2].map(|query| layout.add(query, None));
        self.ones = Ones { blocks: plan.sum_blocks(), entries: [l, b_g2] };
        self.rooms = (bytes.saturating_sub(self.kept_bytes()) / self.largest().max(1)).min(self.parts.len());
        Ok(())
    }

    /// Bytes that [`Classified::rooms`] takes.
    pub(super) fn room(&self) -> usize {
        self.rooms * self.largest() + self.kept_bytes() + sum_bytes(self.ones.blocks)
    }

    /// Takes memory for the parts from `region`, which kernels use `until` then.
    ///
    /// # Errors
    /// [`Error::Size`] if the plan counts other sums.
    pub(super) fn rooms(&self, region: &mut Region, until: Option<&Until>) -> Result<Rooms, Error> {
        let mut room = || Room { memory: region.take(self.largest()), used: until.cloned() };
        let parts = (0..self.rooms).map(|_| room()).collect();
        let terms = region.take(self.kept_bytes());
        let blocks = self.ones.blocks;
        let in_g1 = Accumulators::new(region.take(Accumulators::<G1>::sums(IN_G1, blocks)), IN_G1, blocks)?;
        let in_g2 = Accumulators::new(region.take(Accumulators::<G2>::sums(1, blocks)), 1, blocks)?;
        Ok(Rooms { parts, kept: Rc::new(KeptRoom { terms, in_g1, in_g2 }) })
    }

    fn kept_bytes(&self) -> usize {
        self.parts.iter().filter_map(|planned| planned.share).map(|share| kept::bytes(share.all)).max().unwrap_or(0)
    }

    fn largest(&self) -> usize {
        self.parts.iter().map(|planned| planned.load.room()).max().unwrap_or(0)
    }

    /// Enqueues the sending of part number `i`, where an earlier one was if there are more than rooms.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn send(&self, engine: &Worker<'_>, i: usize, rooms: &mut Rooms) -> Result<OnDevice, Error> {
        let _sending = span(c"sending the witness");
        let count = rooms.parts.len();
        let room = &mut rooms.parts[i % count];
        if let Some(used) = room.used.take() {
            engine.uploads_wait_for(&used)?;
        }
        let mut region = Region::new(room.memory.all());
        let Planned { part, load, .. } = &self.parts[i];
        let (inp, aux) = (self.inp.of_range(&part.inp), self.aux.of_range(&part.aux));
        let scalars: DeviceSlice<Fr> = region.take(load.full);
        let (of_inp, of_aux) = (inp.full_len(), aux.full_len());
        let inp = SentClasses::new(engine, &mut region, &inp, 0, &scalars.range(0..of_inp), part.inp.len())?;
        let of_aux = scalars.range(of_inp..of_inp + of_aux);
        let aux = SentClasses::new(engine, &mut region, &aux, of_inp, &of_aux, part.aux.len())?;
        let Witness { a_aux_density, b_inp_density, b_aux_density, .. } = self.witness;
        let [a_aux, b_inp, b_aux] =
            [(a_aux_density, &part.aux), (b_inp_density, &part.inp), (b_aux_density, &part.aux)].map(
                |(density, range)| {
                    let words = &density.raw_words()[range.start / 64..range.end.div_ceil(64)];
                    (words, region.take(words.len()))
                },
            );
        let upload = |(words, to): &(&'w [u64], DeviceSlice<u64>)| Upload::new(words, to);
        engine.uploads().upload(&[upload(&a_aux)?, upload(&b_inp)?, upload(&b_aux)?])?;
        let lists = load.most.map(|most| ListRoom::new(&mut region, &most));
        let listing = region.take(load.listing_room());
        let kept = rooms.kept.clone();
        Ok(OnDevice { scalars, inp, aux, a_aux: a_aux.1, b_inp: b_inp.1, b_aux: b_aux.1, lists, listing, kept })
    }

    /// Enqueues the sums of part number `i`, which has been sent and whose points are `points`, and their fetching.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn enqueue(
        &self,
        i: usize,
        on_device: &OnDevice,
        points: &PartPoints,
        turn: &mut Enqueuing<'_>,
        (fetching, sums): (&Fetching<'_>, &DeviceSlice<u64>),
    ) -> Result<(), Error> {
        let planned = &self.parts[i];
        on_device.list(turn.stream)?;
        let full = [0, 1, 2].map(|i| on_device.full_terms(i, planned.load.most[i].full));
        let [l, a, b] = &full;
        let kept = planned.share.map(|share| Kept::new(&on_device.kept.terms, &share));
        let kept = kept.as_ref();
        if let Some(kept) = kept {
            kept.append([l.of(&points.l), a.of(&points.a), b.of(&points.b_g1)], b.of(&points.b_g2), turn.stream)?;
        }
        let msms = [&planned.b_g2, &planned.l, &planned.a, &planned.b_g1];
        let [b_g2_scratch, others @ ..] = msms;
        let [l_scratch, a_scratch, b_g1_scratch] = others.map(scratch_of::<G1>);
        let scratch = [scratch_of::<G2>(b_g2_scratch)?, l_scratch?, a_scratch?, b_g1_scratch?];
        let memory = if msms.iter().any(|full| full.is_some()) { Some(turn.scratch()?) } else { None };
        let is_first = i == 0;
        let to = (fetching.layout(), sums);
        let mut lanes = Lanes::new(turn, memory, scratch)?;
        let [first, second, third, fourth] = lanes.each();
        self.add_ones_g2(is_first, on_device, points, planned, first)?;
        self.add_ones_g1(is_first, on_device, points, planned, second)?;
        enqueue_msm::<G2>(&planned.b_g2, to, kept.map(|kept| kept.b_g2.terms()), b.of(&points.b_g2), first)?;
        enqueue_msm::<G1>(&planned.l, to, kept.map(|kept| kept.l.terms()), l.of(&points.l), second)?;
        enqueue_msm::<G1>(&planned.a, to, kept.map(|kept| kept.a.terms()), a.of(&points.a), third)?;
        enqueue_msm::<G1>(&planned.b_g1, to, kept.map(|kept| kept.b_g1.terms()), b.of(&points.b_g1), fourth)?;
        lanes.join()?;
        if i + 1 == self.parts.len() {
            self.total_ones(on_device, turn, to)?;
        }
        fetching.fetch(planned.number, sums)
    }

    fn add_ones_g1(
        &self,
        is_first: bool,
        on_device: &OnDevice,
        points: &PartPoints,
        planned: &Planned,
        lane: &Lane<'_>,
    ) -> Result<(), Error> {
        let sums = &on_device.kept.in_g1;
        if is_first {
            sums.clear(lane.stream)?;
        }
        let queries = [&points.l, &points.a, &points.b_g1];
        let of = |i: usize| on_device.ones(i, queries[i], planned.load.most[i].ones);
        sums.add(&[of(0), of(1), of(2)], lane.stream)
    }

    fn add_ones_g2(
        &self,
        is_first: bool,
        on_device: &OnDevice,
        points: &PartPoints,
        planned: &Planned,
        lane: &Lane<'_>,
    ) -> Result<(), Error> {
        let sums = &on_device.kept.in_g2;
        if is_first {
            sums.clear(lane.stream)?;
        }
        sums.add(&[on_device.ones(2, &points.b_g2, planned.load.most[2].ones)], lane.stream)
    }

    fn total_ones(
        &self,
        on_device: &OnDevice,
        turn: &mut Enqueuing<'_>,
        (layout, sums): (&Layout, &DeviceSlice<u64>),
    ) -> Result<(), Error> {
        let [in_g1, in_g2] = self.ones.entries;
        let (mut to_g1, mut to_g2) = (layout.of_several::<G1>(in_g1, IN_G1, sums), layout.of::<G2>(in_g2, sums));
        let mut scratch = turn.scratch()?;
        on_device.kept.in_g1.total(&mut to_g1, &mut scratch, turn.stream)?;
        on_device.kept.in_g2.total(&mut to_g2, &mut scratch, turn.stream)
    }

    /// What a part takes.
    fn load(&self, part: &Part) -> Load {
        let of = |loads: &[Load], range: &Range<usize>| {
            let chunks = &loads[range.start / CHUNK..range.end.div_ceil(CHUNK)];
            chunks.iter().fold(Load::default(), |all, load| all.and(*load))
        };
        let [of_inp, of_aux] = &self.loads;
        of(of_inp, &part.inp).and(of(of_aux, &part.aux))
    }
}

impl Part {
    /// Adds a chunk that follows it.
    fn extend(&mut self, inp: Range<usize>, aux: Range<usize>, load: &Load) {
        for (own, more) in [(&mut self.inp, inp), (&mut self.aux, aux)] {
            if Range::is_empty(own) {
                *own = more;
            } else if !more.is_empty() {
                own.end = more.end;
            }
        }
        let [_, a, b] = load.points;
        self.a.end += a;
        self.b.end += b;
    }

    /// The part that begins with the chunk that follows this one.
    fn following(&self, inp: Range<usize>, aux: Range<usize>, load: &Load) -> Self {
        let (a, b) = (self.a.end..self.a.end, self.b.end..self.b.end);
        let mut next = Self { inp: 0..0, aux: 0..0, a, b };
        next.extend(inp, aux, load);
        next
    }
}

/// The loads of all chunks, of which each has a range, classes, and so many ones and full-size scalars.
fn loads_of(classes: &Classes, load: impl Fn(Range<usize>, &[u64], Most) -> Load + Sync) -> Vec<Load> {
    let chunks: Vec<_> = chunks_of(classes.len()).zip(classes.chunk_words()).zip(classes.chunks()).collect();
    let load = |((range, words), Counts { ones, full })| load(range, words, Most { ones, full });
    chunks.into_par_iter().with_min_len(LEAST_CHUNKS).map(load).collect()
}

/// The ranges of chunks of `len` variables.
fn chunks_of(len: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len).step_by(CHUNK).map(move |start| start..len.min(start + CHUNK))
}

/// The most terms that a query can have.
#[derive(Clone, Copy, Debug, Default)]
struct Most {
    ones: usize,
    full: usize,
}

impl Most {
    /// Those that `density` chooses of `range`, whose classes are `words`.
    fn chosen(words: &[u64], density: &Density<'_>, range: &Range<usize>) -> Self {
        let Counts { ones, full } = chosen(words, density, range.start / 64);
        Self { ones, full }
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
    fn new(region: &mut Region, most: &Most) -> Self {
        Self {
            ones: region.take(most.ones),
            positions: region.take(most.full),
            indices: region.take(most.full),
            counts: region.take(COUNTS),
        }
    }

    fn lists(&self) -> Lists<'_> {
        Lists { ones: &self.ones, positions: &self.positions, indices: &self.indices, counts: &self.counts }
    }
}

/// The terms of a part's MSM in query number `i`: its own, or all that are kept if its own are the last of these.
fn terms_at_once(i: usize, load: &Load, share: Option<Share>) -> usize {
    match share {
        None => load.most[i].full,
        Some(share) if share.is_last => share.all[i],
        Some(_) => 0,
    }
}

/// An MSM of full-size terms.
struct Full {
    entry: usize,
    shape: Shape,
    terms: usize,
}

impl Full {
    /// The one of so many terms, if there are any.
    fn new<G: Group>(layout: &mut Layout, query: Query, terms: usize, plan: &Plan) -> Result<Option<Self>, Error> {
        if terms == 0 {
            return Ok(None);
        }
        let shape = Shape::within::<G>(terms, plan.scratch_bytes)?;
        Ok(Some(Self { entry: layout.add(query, Some(shape)), shape, terms }))
    }
}

/// Bytes of scratch that it needs.
fn scratch_of<G: Group>(full: &Option<Full>) -> Result<usize, Error> {
    full.as_ref().map_or(Ok(0), |full| msm_scratch_bytes::<G>(full.terms, full.shape))
}

/// Enqueues it if there is one: of the terms that are kept, or else of the part's own.
fn enqueue_msm<G: Group>(
    full: &Option<Full>,
    (layout, sums): (&Layout, &DeviceSlice<u64>),
    kept: Option<Terms<'_, G>>,
    own: Terms<'_, G>,
    lane: &mut Lane<'_>,
) -> Result<(), Error> {
    let Some(Full { entry, shape, .. }) = full else { return Ok(()) };
    let mut to = layout.of::<G>(*entry, sums);
    msm::<G>(&mut to, &kept.unwrap_or(own), *shape, &mut lane.scratch, lane.stream)
}

/// A query's full-size terms in a part, without their points.
struct FullTerms<'a> {
    lists: Lists<'a>,
    scalars: &'a DeviceSlice<Fr>,
    len: usize,
}

impl<'a> FullTerms<'a> {
    fn of<'t, G: Group>(&'t self, points: &'t DeviceSlice<G::Affine>) -> Terms<'t, G> {
        Terms {
            points,
            positions: Some(self.lists.positions),
            scalars: self.scalars,
            order: Scalars::Indexed(self.lists.indices),
            len: self.len,
            count: Some((self.lists.counts, COUNT_OF_FULL)),
        }
    }
}

/// A part of a witness on the device.
pub(super) struct OnDevice {
    scalars: DeviceSlice<Fr>,
    inp: SentClasses,
    aux: SentClasses,
    a_aux: DeviceSlice<u64>,
    b_inp: DeviceSlice<u64>,
    b_aux: DeviceSlice<u64>,
    lists: [ListRoom; 3],
    /// Scratch for the making of lists.
    listing: DeviceSlice<u8>,
    kept: Rc<KeptRoom>,
}

impl OnDevice {
    /// Enqueues the listing of all terms.
    fn list(&self, stream: &Stream) -> Result<(), Error> {
        let [l, a, b] = [0, 1, 2].map(|i| self.lists[i].lists());
        let Self { inp, aux, a_aux, b_inp, b_aux, .. } = self;
        let queries = [
            QueryVariables { lists: &l, inputs: None, private: aux.variables(None) },
            QueryVariables { lists: &a, inputs: Some(inp.variables(None)), private: aux.variables(Some(a_aux)) },
            QueryVariables { lists: &b, inputs: Some(inp.variables(Some(b_inp))), private: aux.variables(Some(b_aux)) },
        ];
        list(&queries, &mut self.listing.all(), stream)
    }

    /// The full-size terms of query number `i`, so many at most.
    fn full_terms(&self, i: usize, len: usize) -> FullTerms<'_> {
        FullTerms { lists: self.lists[i].lists(), scalars: &self.scalars, len }
    }

    /// The points of query number `i` whose scalars are 1, so many at most.
    fn ones<'a, G: Group>(&'a self, i: usize, points: &'a DeviceSlice<G::Affine>, len: usize) -> SumTerms<'a, G> {
        let room = &self.lists[i];
        SumTerms { points, positions: Some(&room.ones), len, count: Some((&room.counts, COUNT_OF_ONES)) }
    }
}

/// The classes of scalars on the device.
struct SentClasses {
    words: DeviceSlice<u64>,
    starts: DeviceSlice<u32>,
    len: usize,
}

impl SentClasses {
    /// Enqueues the sending of those of `len` variables, and that of their full-size scalars, which are numbered from `first` on, to `full`.
    fn new(
        engine: &Worker<'_>,
        region: &mut Region,
        classes: &Span<'_>,
        first: usize,
        full: &DeviceSlice<Fr>,
        len: usize,
    ) -> Result<Self, Error> {
        let (words, starts) = (region.take(classes.words_len()), region.take(classes.chunks_len()));
        engine.uploads().send_classes(classes, first, &ClassesOnDevice { words: &words, starts: &starts, full })?;
        Ok(Self { words, starts, len })
    }

    fn variables<'a>(&'a self, density: Option<&'a DeviceSlice<u64>>) -> Variables<'a> {
        Variables { classes: &self.words, density, len: self.len, chunks: Some((CHUNK, &self.starts)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::FR_ONE;
    use crate::gpu::cuda::h_passing::HPassing;
    use crate::prove::plan::results_bytes;
    use crate::prove::{plan, Sizes};

    const FULL: Fr = Fr { l: [7, 0, 0, 0] };

    /// Scalars in turn full-size, 1 and 0, so many of each; a in every second private variable, b in every third, inputs too.
    struct Example {
        inp: Vec<Fr>,
        aux: Vec<Fr>,
        a_aux: Vec<u64>,
        b_inp: Vec<u64>,
        b_aux: Vec<u64>,
    }

    impl Example {
        fn new(inputs: usize, aux: usize, [full, one, zero]: [usize; 3]) -> Self {
            let cycle =
                || [vec![FULL; full], vec![FR_ONE; one], vec![Fr::default(); zero]].concat().into_iter().cycle();
            let words = |len: usize, step: usize| {
                let mut words = vec![0; len.div_ceil(64)];
                (0..len).step_by(step).for_each(|i| words[i / 64] |= 1 << (i % 64));
                words
            };
            let (inp, values) = (cycle().take(inputs).collect(), cycle().take(aux).collect());
            Self { inp, aux: values, a_aux: words(aux, 2), b_inp: words(inputs, 3), b_aux: words(aux, 3) }
        }

        fn witness(&self) -> Witness<'_> {
            Witness {
                inp: &self.inp,
                aux: &self.aux,
                a_aux_density: Density::new(&self.a_aux, self.aux.len()),
                b_inp_density: Density::new(&self.b_inp, self.inp.len()),
                b_aux_density: Density::new(&self.b_aux, self.aux.len()),
            }
        }

        fn sizes(&self) -> Sizes {
            let (inputs, aux) = (self.inp.len(), self.aux.len());
            let a = inputs + aux.div_ceil(2);
            Sizes { domain_log2: 16, inputs, aux, a, b: inputs.div_ceil(3) + aux.div_ceil(3), circuits: 1 }
        }
    }

    fn classified<'w>(witness: &'w Witness<'w>) -> Classified<'w> {
        Classified::new(witness, |_, _| unreachable!("all are canonical")).unwrap()
    }

    #[test]
    fn parts_cover_all_variables_and_points() {
        for (inputs, aux) in [(0, 0), (3, 0), (0, 5), (CHUNK + 1, 0), (CHUNK, 3 * CHUNK + 5), (2 * CHUNK + 7, CHUNK)] {
            let example = Example::new(inputs, aux, [1, 2, 1]);
            let (witness, sizes) = (example.witness(), example.sizes());
            let classified = classified(&witness);
            for most in [0, 2 * CHUNK, 1 << 30] {
                let parts = classified.cut(|load| load.inputs + load.aux <= most);
                let mut ends = [0; 4];
                for part in &parts {
                    for (end, range) in ends.iter_mut().zip([&part.inp, &part.aux, &part.a, &part.b]) {
                        assert!(range.is_empty() || range.start == *end, "{parts:?}");
                        *end = range.end.max(*end);
                    }
                    assert!(part.inp.len() + part.aux.len() <= most.max(CHUNK));
                    let points = classified.load(part).points;
                    assert_eq!(points, [part.aux.len(), part.a.len(), part.b.len()]);
                }
                assert_eq!(ends, [inputs, aux, sizes.a, sizes.b]);
                let steps = inputs.div_ceil(CHUNK) + aux.div_ceil(CHUNK);
                assert_eq!(
                    parts.len(),
                    if most == 0 {
                        steps.max(1)
                    } else if most == 1 << 30 {
                        1
                    } else {
                        parts.len()
                    }
                );
            }
        }
    }

    /// What plans promise of any witness, here of the densest ones.
    #[test]
    fn parts_take_no_more_than_planned() {
        let mut kept_somewhere = false;
        for mix in [[1, 0, 0], [0, 1, 0], [1, 1, 0], [1, 40, 60]] {
            for (inputs, aux) in [(1, 9), (300, 20 * CHUNK + 1), (3 * CHUNK, 4 * CHUNK)] {
                let example = Example::new(inputs, aux, mix);
                let (witness, sizes) = (example.witness(), example.sizes());
                let mut checked = 0;
                for budget in (0..200).map(|i| (5 << 20) + (i << 18)) {
                    let Ok(plan) = plan(&sizes, budget) else { continue };
                    checked += 1;
                    let mut classified = classified(&witness);
                    let most = [G1_SUM, G2_SUM].map(|sum| most_terms(sum, plan.scratch_bytes));
                    let parts = match plan.parameters {
                        Residence::Resident => {
                            classified.cut(|load| load.room() <= plan.witness_part_bytes && load.has_at_most(most))
                        }
                        Residence::Streamed => classified
                            .cut(|load| load.points_bytes() <= plan.slot_bytes && load.has_points_at_most(most)),
                    };
                    let mut layout = Layout::default();
                    let sums = sum_bytes(plan.sum_blocks());
                    let bytes = match plan.parameters {
                        Residence::Resident => plan.witness_bytes,
                        Residence::Streamed => {
                            let buckets = HPassing::room(16, &plan, plan.witness_bytes).unwrap();
                            plan.witness_bytes - results_bytes() - sums - buckets
                        }
                    };
                    assert!(classified.least_room(&parts) <= bytes, "{mix:?} {plan:?}");
                    classified.plan(&parts, &plan, bytes, &mut layout).unwrap();
                    assert!(classified.largest() <= plan.witness_part_bytes, "{mix:?} {plan:?}");
                    assert!(classified.parts.iter().all(|planned| planned.load.has_at_most(most)));
                    let mut keeping = 0;
                    for share in classified.parts.iter().filter_map(|planned| planned.share) {
                        let [l, a, b] = share.all;
                        assert!(l.max(a).max(b) <= most[0] && b <= most[1], "{share:?} {plan:?}");
                        keeping += 1;
                    }
                    kept_somewhere |= keeping > 1;
                    let held = plan.parameter_bytes + plan.scratch_bytes + classified.room() + 8 * layout.words();
                    assert!(classified.room() <= bytes + sums, "{mix:?} {plan:?}");
                    assert!(8 * layout.words() <= results_bytes(), "{mix:?} {plan:?}");
                    assert!(classified.rooms >= classified.parts.len().min(2), "{mix:?} {plan:?}");
                    assert!(held + plan.slots() * plan.slot_bytes <= plan.witness_phase_bytes, "{mix:?} {plan:?}");
                    if plan.parameters == Residence::Streamed {
                        assert!(classified.parts.iter().all(|planned| planned.load.points_bytes() <= plan.slot_bytes));
                    }
                }
                assert!(checked > 100, "{checked}");
            }
        }
        assert!(kept_somewhere);
    }
}
