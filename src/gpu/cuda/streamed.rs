//! The work of circuits on a device that has no room for their parameters: these pass by, part by part, from pinned host memory, while
//! kernels work on the parts before. Every part serves all circuits that are held at a time.

use std::marker::PhantomData;
use std::ops::Range;

use super::circuit::Circuit;
use super::classes::CHUNK;
use super::decode::{decode_in_place, Faults, Run};
use super::engine::{Engine, Enqueuing};
use super::lease::{room_for, Lease, Until};
use super::msm::{msm, msm_scratch_bytes, Scalars, Shape, Terms};
use super::quotient::{Quotient, Vectors};
use super::raw::Raw;
use super::results::{self, Layout, Results};
use super::witness::{Classified, OnDevice, Part, PartPoints};
use super::{DeviceSlice, Event, Group, Stream, G1, G2};
use crate::curve::{Fr, G1Affine};
use crate::error::Error;
use crate::params::{Counts, Query};
use crate::prove::Witness;

/// Slots for parts on the device: one is worked on, one is full, one is filled.
const SLOTS: usize = 3;
/// Bytes of a slot, where the budget allows: 2^22 points of G1, whose MSM takes four times as long as their copying.
const MOST_SLOT: usize = 384 << 20;
/// What of the budget all slots take at most.
const SHARE_OF_SLOTS: usize = 8;
/// Private variables by which parts grow: the fewest, as a part that does not fit into a slot makes all of them larger.
const STEP: usize = CHUNK;

/// Enqueues all of the circuits' work; nothing of them is needed any more on return. The results of each come in parts, to be added up.
///
/// # Errors
/// [`Error::NonCanonicalScalar`], [`Error::DeviceMemory`], [`Error::Cuda`], [`Error::OutOfMemory`].
pub(super) fn enqueue(engine: &Engine, circuits: &[Circuit<'_>], raw: &Raw) -> Result<Vec<Vec<Results>>, Error> {
    let budget = engine.memory().budget();
    let slot = (budget / SHARE_OF_SLOTS / SLOTS).min(MOST_SLOT);
    let quotient = Quotient::new(engine, raw.counts().domain_log2(), false)?;
    let common = quotient.room_for_vectors() + SLOTS * slot;
    let mut enqueued = Vec::new();
    let mut held: Vec<Member<'_>> = Vec::new();
    let mut cut = None;
    for circuit in circuits {
        if let (Some(first), Some(of_first)) = (held.first(), &cut) {
            let member = Member::new(*circuit, of_first)?;
            let all = common + held.iter().chain([&member]).map(|member| member.room(&quotient)).sum::<usize>();
            // Half of the budget is left to other workers.
            if all <= budget / 2 && first.circuit.witness.has_densities_of(circuit.witness) {
                held.push(member);
                continue;
            }
        }
        if let Some(cut) = &cut {
            enqueued.extend(enqueue_held(engine, std::mem::take(&mut held), raw, cut, &quotient)?);
        }
        let own = Cut::new(raw.counts(), circuit.witness, slot);
        held.push(Member::new(*circuit, &own)?);
        cut = Some(own);
    }
    if let Some(cut) = &cut {
        enqueued.extend(enqueue_held(engine, held, raw, cut, &quotient)?);
    }
    Ok(enqueued)
}

/// How the parameters are cut into parts that a slot holds.
struct Cut {
    /// Points of `h`.
    h: Vec<Range<usize>>,
    /// Variables, and the points of `a` and of `b` that are theirs.
    witness: Vec<(Part, [Range<usize>; 2])>,
    /// Bytes of a slot, which takes each part.
    slot: usize,
}

/// A part in the order in which they pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passing {
    H(usize),
    Witness(usize),
}

impl Cut {
    fn new(counts: &Counts, witness: &Witness<'_>, slot: usize) -> Self {
        let per_part = (slot / G1::ENCODED).max(1);
        let h = (0..counts.h).step_by(per_part).map(|first| first..counts.h.min(first + per_part)).collect();
        let witness = parts_of_witness(witness, slot);
        let bytes = |(part, [a, b]): &(Part, [Range<usize>; 2])| bytes_of(part.aux.len(), a.len(), b.len());
        let slot = witness.iter().map(bytes).fold(slot, usize::max);
        Self { h, witness, slot }
    }

    /// The parts of `h`, whose MSMs take longer than their copying, among those of the witness, whose copying takes longer.
    fn order(&self) -> Vec<Passing> {
        let (h, witness) = (self.h.len(), self.witness.len());
        let mut order = Vec::with_capacity(h + witness);
        let mut passed = 0;
        for i in 0..h {
            order.push(Passing::H(i));
            let by_now = witness * (i + 1) / h;
            order.extend((passed..by_now).map(Passing::Witness));
            passed = by_now;
        }
        order.extend((passed..witness).map(Passing::Witness));
        order
    }
}

/// Cuts the variables into parts whose points have at most `slot` bytes, or the fewest variables that a part can have.
fn parts_of_witness(witness: &Witness<'_>, slot: usize) -> Vec<(Part, [Range<usize>; 2])> {
    let aux = witness.aux.len();
    let inputs = [witness.inp.len(), witness.b_inp_density.count_ones()];
    let mut parts = Vec::new();
    let mut start = 0;
    let mut points = [0, 0];
    loop {
        let is_first = parts.is_empty();
        let before = points;
        if is_first {
            points = inputs;
        }
        let mut end = start;
        loop {
            let next = aux.min(end + STEP);
            let more = [&witness.a_aux_density, &witness.b_aux_density].map(|d| d.count_ones_in(&(end..next)));
            let after = [points[0] + more[0], points[1] + more[1]];
            let bytes = bytes_of(next - start, after[0] - before[0], after[1] - before[1]);
            if next == end || (end > start && bytes > slot) {
                break;
            }
            (end, points) = (next, after);
        }
        let part = Part { aux: start..end, inputs: is_first };
        parts.push((part, [before[0]..points[0], before[1]..points[1]]));
        start = end;
        if start == aux {
            return parts;
        }
    }
}

/// Bytes in a slot of so many points of `l`, `a` and each `b`.
fn bytes_of(l: usize, a: usize, b: usize) -> usize {
    [l, a, b].map(|points| room_for::<G1Affine>(points)).iter().sum::<usize>() + b * G2::ENCODED
}

/// A circuit that is held while the parameters pass.
struct Member<'a> {
    circuit: Circuit<'a>,
    classified: Classified<'a>,
    layout: Layout,
    /// The entries of the parts of `h`.
    h: Vec<(usize, Shape)>,
}

/// A circuit on the device.
struct Held<'e> {
    lease: Lease<'e>,
    witness: OnDevice,
    h: DeviceSlice<Fr>,
    sums: DeviceSlice<u64>,
}

impl<'a> Member<'a> {
    fn new(circuit: Circuit<'a>, cut: &Cut) -> Result<Self, Error> {
        let mut layout = Layout::default();
        let mut classified = Classified::new(circuit.witness, |vector, i| circuit.not_canonical(vector, i))?;
        classified.plan(cut.witness.iter().map(|(part, _)| part.clone()).collect(), &mut layout)?;
        let entry = |part: &Range<usize>| {
            let shape = Shape::for_terms(part.len());
            (layout.add(results::Query::H, Some(shape)), shape)
        };
        let h = cut.h.iter().map(entry).collect();
        Ok(Self { circuit, classified, layout, h })
    }

    fn room(&self, quotient: &Quotient) -> usize {
        self.classified.room() + quotient.room() + room_for::<u64>(self.layout.words())
    }

    /// Enqueues the sending of the circuit and the making of h, to what [`Member::room`] says.
    fn hold<'e>(
        &self,
        engine: &'e Engine,
        mut lease: Lease<'e>,
        quotient: &Quotient,
        vectors: &mut Vectors,
    ) -> Result<Held<'e>, Error> {
        let witness = self.classified.send(engine, &mut lease)?;
        let (mut h, sums) = (lease.take(quotient.len()), lease.take(self.layout.words()));
        let until = quotient.enqueue(engine, self.circuit, &mut h, vectors)?;
        // The next circuit's uploads go where this one's vectors are.
        engine.uploads_wait_for(&until)?;
        Ok(Held { lease, witness, h, sums })
    }
}

fn enqueue_held(
    engine: &Engine,
    members: Vec<Member<'_>>,
    raw: &Raw,
    cut: &Cut,
    quotient: &Quotient,
) -> Result<Vec<Vec<Results>>, Error> {
    let of_h = cut.h.iter().map(|part| msm_scratch_bytes::<G1>(part.len(), Shape::for_terms(part.len())));
    let of_h = of_h.collect::<Result<Vec<_>, Error>>()?;
    let of_witness = members.iter().map(|member| member.classified.scratch_bytes());
    engine.need_scratch(of_h.into_iter().chain(of_witness).max().unwrap_or(0))?;

    let mut sizes: Vec<usize> = members.iter().map(|member| member.room(quotient)).collect();
    sizes.extend([quotient.room_for_vectors(), SLOTS * cut.slot.next_multiple_of(256)]);
    let mut leases = engine.leases(&sizes)?;
    let (Some(mut slots), Some(mut rest)) = (leases.pop(), leases.pop()) else {
        unreachable!("there is one for each size")
    };
    let mut vectors = Vectors { b: rest.take(quotient.len()), c: rest.take(quotient.len_of_c()) };
    let held = members.iter().zip(leases).map(|(member, lease)| member.hold(engine, lease, quotient, &mut vectors));
    let held = held.collect::<Result<Vec<_>, Error>>()?;
    rest.release_after(&engine.all_enqueued()?);

    let mut pass = Pass::new(engine, raw, &mut slots, cut)?;
    for part in cut.order() {
        match part {
            Passing::H(i) => pass.h(i, &members, &held)?,
            Passing::Witness(i) => pass.witness(i, &members, &held)?,
        }
    }
    let turn = engine.enqueue()?;
    let mut all = Vec::new();
    for (member, held) in members.into_iter().zip(held) {
        all.push(vec![Results::fetch(member.layout, &held.sums, engine.pinned(), turn.stream)?]);
        held.lease.release_after(&turn.until()?);
    }
    slots.release_after(&turn.until()?);
    Ok(all)
}

/// The passing of parameters through slots.
struct Pass<'p> {
    engine: &'p Engine,
    raw: &'p Raw,
    cut: &'p Cut,
    slots: Vec<Slot>,
    next: usize,
}

struct Slot {
    memory: DeviceSlice<u8>,
    /// Until when kernels use what it holds.
    used: Option<Until>,
}

impl<'p> Pass<'p> {
    fn new(engine: &'p Engine, raw: &'p Raw, lease: &mut Lease<'_>, cut: &'p Cut) -> Result<Self, Error> {
        let slots = (0..SLOTS).map(|_| Slot { memory: lease.take(cut.slot), used: None }).collect();
        // The slots may be used when uploads may: what was there before is over then.
        engine.passing().wait_for(&Event::record(engine.ring().copies())?)?;
        Ok(Self { engine, raw, cut, slots, next: 0 })
    }

    /// A slot, which is written only when nothing uses it any more.
    fn slot(&mut self) -> Result<usize, Error> {
        let number = self.next;
        self.next = (number + 1) % SLOTS;
        if let Some(used) = self.slots[number].used.take() {
            self.engine.passing().wait_for(used.event())?;
        }
        Ok(number)
    }

    fn h(&mut self, i: usize, members: &[Member<'_>], held: &[Held<'_>]) -> Result<(), Error> {
        let (number, range) = (self.slot()?, self.cut.h[i].clone());
        let points = self.copied::<G1>(number, &mut 0, Query::H, &range)?;
        let mut turn = self.turn()?;
        let points = points.decoded(self.raw.faults(), turn.stream)?;
        for (member, held) in members.iter().zip(held) {
            let (entry, shape) = member.h[i];
            let terms = Terms::<G1> {
                points: &points,
                positions: None,
                scalars: &held.h,
                order: Scalars::Reversed { bits: self.raw.counts().domain_log2(), first: range.start },
                len: range.len(),
                count: None,
            };
            let mut sums = member.layout.of::<G1>(entry, &held.sums);
            msm::<G1>(&mut sums, &terms, shape, &mut turn.scratch, turn.stream)?;
        }
        self.slots[number].used = Some(turn.until()?);
        Ok(())
    }

    fn witness(&mut self, i: usize, members: &[Member<'_>], held: &[Held<'_>]) -> Result<(), Error> {
        let number = self.slot()?;
        let (part, [a, b]) = self.cut.witness[i].clone();
        let mut taken = 0;
        let l = self.copied::<G1>(number, &mut taken, Query::L, &part.aux)?;
        let a = self.copied::<G1>(number, &mut taken, Query::A, &a)?;
        let b_g1 = self.copied::<G1>(number, &mut taken, Query::BG1, &b)?;
        let b_g2 = self.copied::<G2>(number, &mut taken, Query::BG2, &b)?;
        let mut turn = self.turn()?;
        let points = PartPoints {
            l: l.decoded(self.raw.faults(), turn.stream)?,
            a: a.decoded(self.raw.faults(), turn.stream)?,
            b_g1: b_g1.decoded(self.raw.faults(), turn.stream)?,
            b_g2: b_g2.decoded(self.raw.faults(), turn.stream)?,
        };
        for (member, held) in members.iter().zip(held) {
            member.classified.enqueue(i, &held.witness, &points, &mut turn, &member.layout, &held.sums)?;
        }
        self.slots[number].used = Some(turn.until()?);
        Ok(())
    }

    /// A turn, whose kernels come after the copies until now.
    fn turn(&self) -> Result<Enqueuing<'p>, Error> {
        let there = Event::record(self.engine.passing())?;
        let turn = self.engine.enqueue()?;
        turn.stream.wait_for(&there)?;
        Ok(turn)
    }

    /// Enqueues the copying of points to a slot, after its first `taken` bytes.
    fn copied<G: Group>(
        &self,
        number: usize,
        taken: &mut usize,
        query: Query,
        range: &Range<usize>,
    ) -> Result<Copied<G>, Error> {
        let bytes = range.len() * G::ENCODED;
        let room = self.slots[number].memory.range(*taken..*taken + bytes);
        *taken += bytes.next_multiple_of(256);
        self.raw.copy(query, range.start * G::ENCODED, &room, self.engine.passing())?;
        Ok(Copied { bytes: room, query, first: range.start, len: range.len(), _group: PhantomData })
    }
}

/// Encoded points in a slot.
struct Copied<G> {
    bytes: DeviceSlice<u8>,
    query: Query,
    first: usize,
    len: usize,
    _group: PhantomData<G>,
}

impl<G: Group> Copied<G> {
    /// Enqueues their decoding where they are: their bytes were checked when they were loaded.
    fn decoded(&self, faults: &Faults, stream: &Stream) -> Result<DeviceSlice<G::Affine>, Error> {
        let run = Run { bytes: &self.bytes, len: self.len, first: self.first as u64, query: self.query as usize };
        decode_in_place::<G>(&run, faults, stream)
    }
}
