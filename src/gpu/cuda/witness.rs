//! The MSMs over a witness: which terms its queries have, part by part of its variables, and their enqueuing.

use std::ops::Range;

use rayon::prelude::*;

use super::aside::Aside;
use super::classes::{chosen, Classes, Counts, CHUNK};
use super::engine::Enqueuing;
use super::kept::{self, Kept, PerQuery, Share, PLACES};
use super::lanes::Lanes;
use super::lease::{Region, Until};
use super::load::Load;
use super::msm::{msm, msm_scratch_bytes, Terms};
use super::ones::Accumulators;
use super::results::{Fetching, Layout, Query};
use super::section::{ListsRoom, Section, SectionRoom};
use super::worker::Worker;
use super::{DeviceSlice, Group, Shape, Stream, G1, G2};
use crate::curve::{G1Affine, G2Affine};
use crate::error::Error;
use crate::prove::plan::scratch::{most_terms, G1_SUM, G2_SUM};
use crate::prove::plan::{sum_bytes, STEP};
use crate::prove::{Plan, Residence, Witness};
use crate::threads;
use crate::trace::{self, span};

/// Sections that are held at a time: one is sent while another is worked on.
const SECTIONS: usize = 2;
/// The share of a witness's memory that a section has: the rest is for terms that are kept.
const SECTION_SHARE: usize = 8;
/// Chunks that a thread counts together, at least.
const LEAST_CHUNKS: usize = 32;
/// Queries in G1 whose sums of ones grow side by side: `l`, `a` and `b`.
const IN_G1: usize = 3;

const _: () = assert!(STEP == CHUNK, "a plan counts with the steps of parts");
const _: () = assert!(
    sum_bytes(1) == Accumulators::<G1>::sums(IN_G1, 1) * G1_SUM + Accumulators::<G2>::sums(1, 1) * G2_SUM
        && G1_SUM == size_of::<<G1 as Group>::Sum>()
        && G2_SUM == size_of::<<G2 as Group>::Sum>(),
    "a plan counts with the kernels' sums"
);

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

/// A witness, its scalars by class, before anything of it is on the device.
pub(super) struct Classified<'w> {
    witness: &'w Witness<'w>,
    inp: Classes,
    aux: Classes,
    /// What the chunks of inputs, and of private variables, take.
    loads: [Vec<Load>; 2],
    parts: Vec<Planned>,
    /// The parts that are sent together.
    sections: Vec<Range<usize>>,
    /// Bytes of a place for terms that are kept, and how many there are.
    places: (usize, usize),
    ones: Ones,
}

/// The sums of points whose scalars are 1, over all parts.
#[derive(Clone, Copy, Debug, Default)]
struct Ones {
    /// How many blocks add them up.
    blocks: usize,
    /// Their number among the layout's parts: they come after all of these, or else with the last.
    number: Option<usize>,
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

/// Memory for sections and lists, and for what is kept from part to part.
pub(super) struct Rooms {
    sections: Vec<SectionRoom>,
    /// The section that was sent last.
    sent: Option<Section>,
    lists: DeviceSlice<u8>,
    /// Terms that are kept, and until when MSMs read those of each place.
    terms: DeviceSlice<u8>,
    read: [Option<Until>; PLACES],
    in_g1: Accumulators<G1>,
    in_g2: Accumulators<G2>,
}

impl Rooms {
    /// Bytes of scratch for the adding up of what accumulators have: of those in G2, and of the others.
    fn total_scratch(&self) -> [usize; 2] {
        [self.in_g2.total_scratch(), self.in_g1.total_scratch()]
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
                    let b = chosen(words, &witness.b_inp_density, range.start / 64);
                    let points = [0, range.len(), witness.b_inp_density.count_ones_in(&range)];
                    Load { inputs: range.len(), aux: 0, full: all.full, points, terms: [Counts::default(), all, b] }
                }),
                loads_of(&aux, |range, words, all| {
                    let densities = [&witness.a_aux_density, &witness.b_aux_density];
                    let [a, b] = densities.map(|density| chosen(words, density, range.start / 64));
                    let [a_points, b_points] = densities.map(|density| density.count_ones_in(&range));
                    let points = [range.len(), a_points, b_points];
                    Load { inputs: 0, aux: range.len(), full: all.full, points, terms: [all, a, b] }
                }),
            ]
        })?;
        Ok(Self {
            witness,
            inp,
            aux,
            loads,
            parts: Vec::new(),
            sections: Vec::new(),
            places: (0, 0),
            ones: Ones::default(),
        })
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
        let most = |room: fn(&Load) -> usize| parts.iter().map(|part| room(&self.load(part))).max().unwrap_or(0);
        parts.len().min(SECTIONS) * most(Load::sent_room) + most(Load::lists_room)
    }

    /// Plans the sums of `parts`, and adds them to `layout`. So many bytes, [`Classified::least_room`] or more, may be held of them at a
    /// time.
    ///
    /// # Errors
    /// [`Error::Internal`] if the plan leaves them too little scratch.
    pub(super) fn plan(&mut self, parts: &[Part], plan: &Plan, bytes: usize, layout: &mut Layout) -> Result<(), Error> {
        let loads: Vec<Load> = parts.iter().map(|part| self.load(part)).collect();
        let terms: Vec<_> = loads.iter().map(|load| load.terms.map(|terms| terms.full)).collect();
        let most = [G1_SUM, G2_SUM].map(|sum| most_terms(sum, plan.scratch_bytes));
        // Lists of points whose scalars are 1 take many times what is sent of these.
        let beside_lists = bytes.saturating_sub(largest_lists(&loads)) / SECTIONS;
        self.sections = sections(&loads, beside_lists.min(bytes / SECTION_SHARE));
        let spare = bytes.saturating_sub(sections_room(&self.sections, &loads));
        let shares = match plan.parameters {
            // Their parts are as long as MSMs want them.
            Residence::Resident => vec![None; parts.len()],
            Residence::Streamed => kept::shares(&terms, spare, most),
        };
        self.places = kept::places(shares.iter().flatten().copied());
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
        // What is kept ends after the last part.
        let number = (plan.parameters == Residence::Streamed).then(|| layout.begin_part());
        let [l, _, _, b_g2] = [Query::L, Query::A, Query::B1, Query::B2].map(|query| layout.add(query, None));
        self.ones = Ones { blocks: plan.sum_blocks(), number, entries: [l, b_g2] };
        Ok(())
    }

    /// Bytes that [`Classified::rooms`] takes.
    pub(super) fn room(&self) -> usize {
        sections_room(&self.sections, &self.planned_loads()) + self.kept_bytes() + sum_bytes(self.ones.blocks)
    }

    /// Takes memory for sections from `region`.
    pub(super) fn section_rooms(&self, region: &mut Region) -> Vec<DeviceSlice<u8>> {
        let bytes = largest_section(&self.sections, &self.planned_loads());
        (0..self.sections.len().min(SECTIONS)).map(|_| region.take(bytes)).collect()
    }

    /// Takes memory for the parts, beside that for `sections` which kernels use `until` then, from `region`.
    ///
    /// # Errors
    /// [`Error::Size`] if the plan counts other sums.
    pub(super) fn rooms(
        &self,
        sections: Vec<DeviceSlice<u8>>,
        until: Option<&Until>,
        region: &mut Region,
    ) -> Result<Rooms, Error> {
        let loads = self.planned_loads();
        let room = |memory| SectionRoom { memory, used: until.cloned() };
        let sections = sections.into_iter().map(room).collect();
        let lists = region.take(largest_lists(&loads));
        let terms = region.take(self.kept_bytes());
        let blocks = self.ones.blocks;
        let in_g1 = Accumulators::new(region.take(Accumulators::<G1>::sums(IN_G1, blocks)), IN_G1, blocks)?;
        let in_g2 = Accumulators::new(region.take(Accumulators::<G2>::sums(1, blocks)), 1, blocks)?;
        Ok(Rooms { sections, sent: None, lists, terms, read: Default::default(), in_g1, in_g2 })
    }

    fn kept_bytes(&self) -> usize {
        let (bytes, places) = self.places;
        bytes * places
    }

    fn planned_loads(&self) -> Vec<Load> {
        self.parts.iter().map(|planned| planned.load).collect()
    }

    /// Enqueues the sending of the section that begins with part number `i`, if one does, where an earlier one was if there are more than rooms.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn send(&self, worker: &Worker<'_>, i: usize, rooms: &mut Rooms) -> Result<(), Error> {
        let Some(number) = self.sections.iter().position(|section| section.start == i) else { return Ok(()) };
        let parts = self.parts[self.sections[number].clone()].iter().map(|planned| &planned.part);
        let whole = parts.fold(Part::default(), |whole, part| whole.and(part));
        let room = number % rooms.sections.len();
        let (inp, aux) = ((&self.inp, &whole.inp), (&self.aux, &whole.aux));
        rooms.sent = Some(Section::send(worker, self.witness, inp, aux, &mut rooms.sections[room])?);
        Ok(())
    }

    /// Says that the section of part `i` is in use until then.
    pub(super) fn used_until(&self, i: usize, until: Until, rooms: &mut Rooms) {
        let Some(number) = self.sections.iter().position(|section| section.contains(&i)) else { return };
        let room = number % rooms.sections.len();
        rooms.sections[room].used = Some(until);
    }

    /// Whether the terms of part number `i` are kept where those of part number `before` are.
    pub(super) fn share_a_place(&self, i: usize, before: usize) -> bool {
        let place = |i: usize| self.parts[i].share.map(|share: Share| share.place);
        place(i).is_some() && place(i) == place(before)
    }

    /// Whether the terms of part number `i` are the last that are kept with those before, if there are any: [`Classified::enqueue_kept`] is next.
    pub(super) fn completes_kept(&self, i: usize) -> bool {
        self.parts[i].share.is_some_and(|share| share.is_last && share.all != PerQuery::default())
    }

    /// Enqueues the work on part number `i`, which has been sent and whose points are `points`, and the fetching of its sums, the last part's
    /// with those of all ones if parameters are resident: those of terms that are kept come later.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn enqueue(
        &self,
        i: usize,
        rooms: &Rooms,
        points: &PartPoints,
        turn: &mut Enqueuing<'_>,
        (fetching, sums): (&Fetching<'_>, &DeviceSlice<u64>),
    ) -> Result<(), Error> {
        let planned = &self.parts[i];
        let Planned { part, load, share, .. } = planned;
        let Some(section) = &rooms.sent else {
            return Err(Error::Internal { what: "a part is sent first".to_owned() });
        };
        let lists = ListsRoom::new(&rooms.lists, load);
        section.list(&part.inp, &part.aux, &lists, turn.stream)?;
        let terms = load.terms.map(|terms| terms.full);
        let l = section.full::<G1>((&lists, 0), &points.l, terms[0]);
        let a = section.full::<G1>((&lists, 1), &points.a, terms[1]);
        let b_g1 = section.full::<G1>((&lists, 2), &points.b_g1, terms[2]);
        let b_g2 = section.full::<G2>((&lists, 2), &points.b_g2, terms[2]);
        if let Some(share) = share {
            rooms.read[share.place].iter().try_for_each(|until| turn.stream.wait_for(until.event()))?;
            self.kept(rooms, share).append([&l, &a, &b_g1], &b_g2, turn.stream)?;
            // It waits for nobody's scratch.
            let mut lanes = Lanes::new(turn, &DeviceSlice::none(), [0; 2])?;
            let [first, second] = lanes.each();
            self.add_ones(i, rooms, &lists, points, [first.stream, second.stream])?;
            return lanes.join();
        }
        let with_totals = self.ones.number.is_none() && i + 1 == self.parts.len();
        let [g2_total, g1_total] = if with_totals { rooms.total_scratch() } else { [0; 2] };
        let scratch = [
            scratch_of::<G2>(&planned.b_g2)?,
            scratch_of::<G1>(&planned.l)?,
            scratch_of::<G1>(&planned.a)?,
            scratch_of::<G1>(&planned.b_g1)?,
            g2_total,
            g1_total,
        ];
        let memory = if scratch == [0; 6] { DeviceSlice::none() } else { turn.scratch()? };
        let to = (fetching.layout(), sums);
        let mut lanes = Lanes::new(turn, &memory, scratch)?;
        let [first, second, third, fourth, of_g2, of_g1] = lanes.each();
        // The MSMs are long chains of short kernels, beside which ones are added.
        enqueue_msm::<G2>(&planned.b_g2, to, &b_g2, first.as_mut())?;
        enqueue_msm::<G1>(&planned.l, to, &l, second.as_mut())?;
        enqueue_msm::<G1>(&planned.a, to, &a, third.as_mut())?;
        enqueue_msm::<G1>(&planned.b_g1, to, &b_g1, fourth.as_mut())?;
        self.add_ones(i, rooms, &lists, points, [of_g2.stream, of_g1.stream])?;
        if with_totals {
            self.total(rooms, to, [of_g2.as_mut(), of_g1.as_mut()])?;
        }
        lanes.join()?;
        fetching.fetch(planned.number, sums, turn.stream)
    }

    /// Where the terms of a part are kept, and those that are kept with them.
    fn kept(&self, rooms: &Rooms, share: &Share) -> Kept {
        let (bytes, _) = self.places;
        Kept::new(&rooms.terms, bytes, share)
    }

    /// Enqueues beside the turns, behind `kept`, the MSMs of the terms that are kept with those of part number `i`, which completes them, and the
    /// fetching of their sums.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn enqueue_kept(
        &self,
        i: usize,
        rooms: &mut Rooms,
        (worker, turn, kept): (&Worker<'_>, &Enqueuing<'_>, &Until),
        (fetching, sums): (&Fetching<'_>, &DeviceSlice<u64>),
    ) -> Result<(), Error> {
        let planned = &self.parts[i];
        let Some(share) = &planned.share else { return Ok(()) };
        let terms = self.kept(rooms, share);
        let to = (fetching.layout(), sums);
        let mut aside = Aside::new(worker, turn, Some(kept.event()))?;
        let (stream, scratch) = (aside.stream, &mut aside.scratch);
        worker.timeline().traced(c"witness MSMs", (trace::Stream::Aside, stream), 0, || {
            enqueue_msm::<G2>(&planned.b_g2, to, &terms.b_g2.terms(), (stream, scratch))?;
            enqueue_msm::<G1>(&planned.l, to, &terms.l.terms(), (stream, scratch))?;
            enqueue_msm::<G1>(&planned.a, to, &terms.a.terms(), (stream, scratch))?;
            enqueue_msm::<G1>(&planned.b_g1, to, &terms.b_g1.terms(), (stream, scratch))?;
            fetching.fetch(planned.number, sums, stream)
        })?;
        rooms.read[share.place] = Some(aside.until()?);
        Ok(())
    }

    /// Enqueues the adding of a part's points whose scalars are 1: those in G2 on one stream, the others on another.
    fn add_ones(
        &self,
        i: usize,
        rooms: &Rooms,
        lists: &ListsRoom,
        points: &PartPoints,
        [of_g2, of_g1]: [&Stream; 2],
    ) -> Result<(), Error> {
        if i == 0 {
            rooms.in_g2.clear(of_g2)?;
            rooms.in_g1.clear(of_g1)?;
        }
        let ones = self.parts[i].load.terms.map(|terms| terms.ones);
        rooms.in_g2.add(&[lists.ones(2, &points.b_g2, ones[2])], of_g2)?;
        let queries = [&points.l, &points.a, &points.b_g1];
        rooms.in_g1.add(&[0, 1, 2].map(|query| lists.ones(query, queries[query], ones[query])), of_g1)
    }

    /// Enqueues what is left of parameters that pass, when all parts and all that is kept of them are enqueued, and the fetching of that.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn finish(
        &self,
        rooms: &Rooms,
        turn: &mut Enqueuing<'_>,
        (fetching, sums): (&Fetching<'_>, &DeviceSlice<u64>),
    ) -> Result<(), Error> {
        let Some(number) = self.ones.number else { return Ok(()) };
        let memory = turn.scratch()?;
        let mut lanes = Lanes::new(turn, &memory, rooms.total_scratch())?;
        let [first, second] = lanes.each();
        self.total(rooms, (fetching.layout(), sums), [first.as_mut(), second.as_mut()])?;
        lanes.join()?;
        fetching.fetch(number, sums, turn.stream)
    }

    /// Enqueues the adding up of what accumulators have: those in G2 in one place, the others in another.
    fn total(
        &self,
        rooms: &Rooms,
        (layout, sums): (&Layout, &DeviceSlice<u64>),
        [(of_g2, g2_scratch), (of_g1, g1_scratch)]: [(&Stream, &mut DeviceSlice<u8>); 2],
    ) -> Result<(), Error> {
        let [in_g1, in_g2] = self.ones.entries;
        rooms.in_g2.total(&mut layout.of::<G2>(in_g2, sums), g2_scratch, of_g2)?;
        rooms.in_g1.total(&mut layout.of_several::<G1>(in_g1, IN_G1, sums), g1_scratch, of_g1)
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
        join(&mut self.inp, &inp);
        join(&mut self.aux, &aux);
        let [_, a, b] = load.points;
        self.a.end += a;
        self.b.end += b;
    }

    /// The variables of this one and of one that follows.
    fn and(mut self, next: &Self) -> Self {
        join(&mut self.inp, &next.inp);
        join(&mut self.aux, &next.aux);
        self
    }

    /// The part that begins with the chunk that follows this one.
    fn following(&self, inp: Range<usize>, aux: Range<usize>, load: &Load) -> Self {
        let (a, b) = (self.a.end..self.a.end, self.b.end..self.b.end);
        let mut next = Self { inp: 0..0, aux: 0..0, a, b };
        next.extend(inp, aux, load);
        next
    }
}

/// Makes a range longer by one that follows. Either may be empty.
fn join(own: &mut Range<usize>, more: &Range<usize>) {
    if Range::is_empty(own) {
        *own = more.clone();
    } else if !more.is_empty() {
        own.end = more.end;
    }
}

/// The parts with these loads, cut into sections of so many bytes at most, but a part at least.
fn sections(loads: &[Load], bytes: usize) -> Vec<Range<usize>> {
    let most = bytes.max(loads.iter().map(Load::sent_room).max().unwrap_or(0));
    let mut sections: Vec<Range<usize>> = Vec::new();
    let mut sent = Load::default();
    for (i, load) in loads.iter().enumerate() {
        let together = sent.and(*load);
        match sections.last_mut().filter(|_| together.sent_room() <= most) {
            Some(last) => (last.end, sent) = (i + 1, together),
            None => {
                sections.push(i..i + 1);
                sent = *load;
            }
        }
    }
    sections
}

/// Bytes of the largest section.
fn largest_section(sections: &[Range<usize>], loads: &[Load]) -> usize {
    let room = |section: &Range<usize>| {
        loads[section.clone()].iter().fold(Load::default(), |all, load| all.and(*load)).sent_room()
    };
    sections.iter().map(room).max().unwrap_or(0)
}

/// Bytes of the lists of the part that has most.
fn largest_lists(loads: &[Load]) -> usize {
    loads.iter().map(Load::lists_room).max().unwrap_or(0)
}

/// Bytes of the sections that are held at a time, and of a part's lists.
fn sections_room(sections: &[Range<usize>], loads: &[Load]) -> usize {
    sections.len().min(SECTIONS) * largest_section(sections, loads) + largest_lists(loads)
}

/// The loads of all chunks, of which each has a range, classes, and so many ones and full-size scalars.
fn loads_of(classes: &Classes, load: impl Fn(Range<usize>, &[u64], Counts) -> Load + Sync) -> Vec<Load> {
    let chunks: Vec<_> = chunks_of(classes.len()).zip(classes.chunk_words()).zip(classes.chunks()).collect();
    let load = |((range, words), counts)| load(range, words, counts);
    chunks.into_par_iter().with_min_len(LEAST_CHUNKS).map(load).collect()
}

/// The ranges of chunks of `len` variables.
fn chunks_of(len: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len).step_by(CHUNK).map(move |start| start..len.min(start + CHUNK))
}

/// The terms of a part's MSM in query number `i`: its own, or all that are kept if its own are the last of these.
fn terms_at_once(i: usize, load: &Load, share: Option<Share>) -> usize {
    match share {
        None => load.terms[i].full,
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
        let shape = Shape::yielding::<G>(terms, plan.scratch_bytes)?;
        Ok(Some(Self { entry: layout.add(query, Some(shape)), shape, terms }))
    }
}

/// Bytes of scratch that it needs.
fn scratch_of<G: Group>(full: &Option<Full>) -> Result<usize, Error> {
    full.as_ref().map_or(Ok(0), |full| msm_scratch_bytes::<G>(full.terms, full.shape))
}

/// Enqueues it if there is one.
fn enqueue_msm<G: Group>(
    full: &Option<Full>,
    (layout, sums): (&Layout, &DeviceSlice<u64>),
    terms: &Terms<'_, G>,
    (stream, scratch): (&Stream, &mut DeviceSlice<u8>),
) -> Result<(), Error> {
    let Some(Full { entry, shape, .. }) = full else { return Ok(()) };
    let mut to = layout.of::<G>(*entry, sums);
    msm::<G>(&mut to, terms, *shape, scratch, stream)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{Fr, FR_ONE};
    use crate::gpu::cuda::h_passing::HPassing;
    use crate::prove::plan::results_bytes;
    use crate::prove::{plan, Density, Sizes};

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
                match most {
                    0 => assert_eq!(parts.len(), steps.max(1)),
                    _ if most >= inputs + aux => assert_eq!(parts.len(), 1),
                    _ => assert!((2..=steps).contains(&parts.len()), "{parts:?}"),
                }
            }
        }
    }

    /// What plans promise of any witness, here of the densest ones.
    #[test]
    fn parts_take_no_more_than_planned() {
        let (mut kept_somewhere, mut some_together) = (false, false);
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
                            classified.cut(|load| load.is_part_of(plan.witness_part_bytes) && load.has_at_most(most))
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
                    let largest = classified.parts.iter().map(|planned| planned.load.room()).max().unwrap_or(0);
                    assert!(largest <= plan.witness_part_bytes, "{mix:?} {plan:?}");
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
                    let in_sections = classified.sections.iter().flat_map(Range::clone);
                    assert!(in_sections.eq(0..classified.parts.len()), "{:?} {plan:?}", classified.sections);
                    some_together |= classified.sections.iter().any(|section| section.len() > 1);
                    assert!(held + plan.slots() * plan.slot_bytes <= plan.witness_phase_bytes, "{mix:?} {plan:?}");
                    if plan.parameters == Residence::Streamed {
                        assert!(classified.parts.iter().all(|planned| planned.load.points_bytes() <= plan.slot_bytes));
                    }
                }
                assert!(checked > 100, "{checked}");
            }
        }
        assert!(kept_somewhere && some_together);
    }

    /// Parts with much to send, beside parts whose lists are long.
    #[test]
    fn parts_of_all_kinds_share_what_is_planned() {
        let full = 40 * CHUNK;
        let mut example = Example::new(0, 2 * full, [0, 1, 0]);
        example.aux[..full].fill(FULL);
        for density in [&mut example.a_aux, &mut example.b_aux] {
            density[..full / 64].fill(0);
            density[full / 64..].fill(u64::MAX);
        }
        let witness = example.witness();
        let classified = classified(&witness);
        for bytes in [57 * CHUNK + 8192, 100 * CHUNK, 333 * CHUNK, 1000 * CHUNK] {
            let parts = classified.cut(|load| load.is_part_of(bytes));
            assert!(parts.len() > 2 && classified.least_room(&parts) <= 2 * bytes, "{bytes}");
        }
    }

    /// Circuits that share a device's memory may have no more than that each.
    #[test]
    fn the_least_room_is_enough() {
        for mix in [[1, 0, 0], [0, 1, 0], [1, 40, 60]] {
            let example = Example::new(300, 12 * CHUNK, mix);
            let witness = example.witness();
            let plan = Plan { parameters: Residence::Streamed, ..plan(&example.sizes(), 8 << 30).unwrap() };
            for most in [CHUNK, 3 * CHUNK] {
                let parts = classified(&witness).cut(|load| load.inputs + load.aux <= most);
                let least = classified(&witness).least_room(&parts);
                for bytes in (0..8).map(|i| least + i * least / 16) {
                    let mut classified = classified(&witness);
                    classified.plan(&parts, &plan, bytes, &mut Layout::default()).unwrap();
                    assert!(classified.room() <= bytes + sum_bytes(plan.sum_blocks()), "{mix:?} {most} {bytes}");
                }
            }
        }
    }
}
