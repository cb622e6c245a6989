//! The work of circuits on a device that has no room for their parameters: these pass by, part by part, from pinned host memory, while
//! kernels work on the parts before. Every part serves all circuits that are held at a time.

use std::ffi::CStr;
use std::marker::PhantomData;
use std::ops::Range;

use super::circuit::Circuit;
use super::decode::{decode_in_place, Faults, Run};
use super::engine::{Engine, Enqueuing};
use super::h_parts::HParts;
use super::lease::{room_for, Lease, Until};
use super::quotient::{Coefficients, Others, Quotient};
use super::raw::Raw;
use super::results::{Fetching, Layout, Results};
use super::witness::{Classified, Part, PartPoints, Rooms};
use super::{DeviceSlice, Event, Group, Stream, G1, G2};
use crate::error::Error;
use crate::params::Query;
use crate::prove::plan::SLOTS;
use crate::prove::{Plan, Residence};
use crate::trace;

/// Enqueues all of the circuits' work; nothing of them is needed any more on return. The results of each come in parts, to be added up.
///
/// # Errors
/// [`Error::NonCanonicalScalar`], [`Error::DeviceMemory`], [`Error::Cuda`], [`Error::OutOfMemory`].
pub(super) fn enqueue(engine: &Engine, circuits: &[Circuit<'_>], raw: &Raw) -> Result<Vec<Vec<Results>>, Error> {
    let limit = circuits.first().and_then(|circuit| circuit.locks.settings().budget);
    let plan = engine.plan(raw.counts(), Residence::Streamed, limit)?;
    let quotient = Quotient::new(engine, raw.counts().domain_log2(), &plan)?;
    let common = quotient.room_for_others() + SLOTS * plan.slot_bytes;
    let mut enqueued = Vec::new();
    let mut held: Vec<Member<'_>> = Vec::new();
    let mut parts = Vec::new();
    for circuit in circuits {
        if let Some(first) = held.first() {
            let member = Member::new(*circuit, raw, &plan, |_| parts.clone())?;
            let all = common + held.iter().chain([&member]).map(|member| member.room(&quotient)).sum::<usize>();
            // Half of the budget is left to other workers.
            if all <= engine.memory().budget() / 2 && first.circuit.witness.has_densities_of(circuit.witness) {
                held.push(member);
                continue;
            }
            enqueued.extend(enqueue_held(engine, std::mem::take(&mut held), raw, &parts, &plan, &quotient)?);
        }
        let most = engine.most_terms();
        let member = Member::new(*circuit, raw, &plan, |classified| {
            parts = classified.cut(|load| load.points_bytes() <= plan.slot_bytes && load.has_points_at_most(most));
            parts.clone()
        })?;
        held.push(member);
    }
    if !held.is_empty() {
        enqueued.extend(enqueue_held(engine, held, raw, &parts, &plan, &quotient)?);
    }
    Ok(enqueued)
}

/// A part in the order in which they pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Passing {
    H(usize),
    Witness(usize),
}

/// So many parts of `h`, whose MSMs take longer than their copying, among those of the witness, whose copying takes longer.
fn order(h: usize, witness: usize) -> Vec<Passing> {
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

/// A circuit that is held while the parameters pass.
struct Member<'a> {
    circuit: Circuit<'a>,
    classified: Classified<'a>,
    layout: Layout,
    h: HParts,
}

/// A circuit on the device.
struct Held<'e> {
    lease: Lease<'e>,
    rooms: Rooms,
    h: Coefficients<'e>,
    sums: DeviceSlice<u64>,
    fetching: Fetching<'e>,
}

impl<'a> Member<'a> {
    fn new(
        circuit: Circuit<'a>,
        raw: &Raw,
        plan: &Plan,
        parts: impl FnOnce(&Classified<'a>) -> Vec<Part>,
    ) -> Result<Self, Error> {
        let _circuit = trace::within_circuit(circuit.number);
        let mut layout = Layout::default();
        let mut classified = Classified::new(circuit.witness, |vector, i| circuit.not_canonical(vector, i))?;
        let parts = parts(&classified);
        classified.plan(&parts, plan, &mut layout)?;
        let h = HParts::new(raw.counts().domain_log2(), plan, &mut layout)?;
        Ok(Self { circuit, classified, layout, h })
    }

    fn room(&self, quotient: &Quotient) -> usize {
        self.classified.room() + quotient.room(self.h.longest()) + room_for::<u64>(self.layout.words())
    }

    /// Enqueues the making of h, and takes from `lease` what [`Member::room`] says.
    fn hold<'e>(
        &mut self,
        engine: &'e Engine,
        mut lease: Lease<'e>,
        quotient: &Quotient,
        others: &mut Others<'_>,
    ) -> Result<Held<'e>, Error> {
        let _circuit = trace::within_circuit(self.circuit.number);
        let rooms = self.classified.rooms(&mut lease);
        let mut h = quotient.coefficients(engine, self.h.longest(), &mut lease)?;
        let sums = lease.take(self.layout.words());
        let fetching = Fetching::new(std::mem::take(&mut self.layout), engine.pinned(), engine.compute())?;
        let until = quotient.enqueue(engine, self.circuit, &mut h, others)?;
        // The next circuit's uploads go where this one's vectors are.
        engine.uploads_wait_for(&until)?;
        Ok(Held { lease, rooms, h, sums, fetching })
    }
}

fn enqueue_held(
    engine: &Engine,
    mut members: Vec<Member<'_>>,
    raw: &Raw,
    parts: &[Part],
    plan: &Plan,
    quotient: &Quotient,
) -> Result<Vec<Vec<Results>>, Error> {
    let mut sizes: Vec<usize> = members.iter().map(|member| member.room(quotient)).collect();
    sizes.extend([quotient.room_for_others(), SLOTS * plan.slot_bytes]);
    let mut leases = engine.leases(&sizes, members.first().map(|member| member.circuit.locks))?;
    let (Some(mut slots), Some(others)) = (leases.pop(), leases.pop()) else {
        unreachable!("there is one for each size")
    };
    let mut others = quotient.others(engine, others)?;
    let held = members.iter_mut().zip(leases).map(|(member, lease)| member.hold(engine, lease, quotient, &mut others));
    let mut held = held.collect::<Result<Vec<_>, Error>>()?;
    others.release_after(&engine.all_enqueued()?);

    let mut pass = Pass::new(engine, raw, &mut slots, plan)?;
    for part in order(members.first().map_or(0, |member| member.h.len()), parts.len()) {
        match part {
            Passing::H(i) => pass.h(i, &members, &held)?,
            Passing::Witness(i) => pass.witness(i, &parts[i], &members, &mut held)?,
        }
    }
    let turn = engine.enqueue(c"results")?;
    let mut all = Vec::new();
    for held in held {
        all.push(vec![held.fetching.finish()?]);
        let until = turn.until()?;
        held.h.release_after(&until);
        held.lease.release_after(&until);
    }
    slots.release_after(&turn.until()?);
    Ok(all)
}

/// The passing of parameters through slots.
struct Pass<'p> {
    engine: &'p Engine,
    raw: &'p Raw,
    slots: Vec<Slot>,
    next: usize,
}

struct Slot {
    memory: DeviceSlice<u8>,
    /// Until when kernels use what it holds.
    used: Option<Until>,
}

impl<'p> Pass<'p> {
    fn new(engine: &'p Engine, raw: &'p Raw, lease: &mut Lease<'_>, plan: &Plan) -> Result<Self, Error> {
        let slots = (0..SLOTS).map(|_| Slot { memory: lease.take(plan.slot_bytes), used: None }).collect();
        // The slots may be used when uploads may: what was there before is over then.
        engine.passing().wait_for(&Event::record(engine.ring().copies())?)?;
        Ok(Self { engine, raw, slots, next: 0 })
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
        let Some(range) = members.first().map(|member| member.h.range(i)) else { return Ok(()) };
        let number = self.slot()?;
        let points = self.passing(range.len() * G1::ENCODED, || self.copied::<G1>(number, &mut 0, Query::H, &range))?;
        let mut turn = self.turn(c"h MSM, a part")?;
        let points = points.decoded(self.raw.faults(), turn.stream)?;
        for (member, held) in members.iter().zip(held) {
            member.h.enqueue(i, &points, &held.h, &mut turn, (&held.fetching, &held.sums))?;
        }
        self.slots[number].used = Some(turn.until()?);
        Ok(())
    }

    fn witness(&mut self, i: usize, part: &Part, members: &[Member<'_>], held: &mut [Held<'_>]) -> Result<(), Error> {
        let sent = members.iter().zip(held.iter_mut());
        let sent = sent.map(|(member, held)| member.classified.send(self.engine, i, &mut held.rooms));
        let sent = sent.collect::<Result<Vec<_>, Error>>()?;
        let number = self.slot()?;
        let (a, b) = (&part.a, &part.b);
        let bytes = (part.aux.len() + a.len() + b.len()) * G1::ENCODED + b.len() * G2::ENCODED;
        let (l, a, b_g1, b_g2) = self.passing(bytes, || {
            let mut taken = 0;
            Ok((
                self.copied::<G1>(number, &mut taken, Query::L, &part.aux)?,
                self.copied::<G1>(number, &mut taken, Query::A, a)?,
                self.copied::<G1>(number, &mut taken, Query::BG1, b)?,
                self.copied::<G2>(number, &mut taken, Query::BG2, b)?,
            ))
        })?;
        let mut turn = self.turn(c"witness MSMs, a part")?;
        let points = PartPoints {
            l: l.decoded(self.raw.faults(), turn.stream)?,
            a: a.decoded(self.raw.faults(), turn.stream)?,
            b_g1: b_g1.decoded(self.raw.faults(), turn.stream)?,
            b_g2: b_g2.decoded(self.raw.faults(), turn.stream)?,
        };
        for ((member, held), sent) in members.iter().zip(held.iter()).zip(&sent) {
            member.classified.enqueue(i, sent, &points, &mut turn, (&held.fetching, &held.sums))?;
        }
        let until = turn.until()?;
        held.iter_mut().for_each(|held| held.rooms.used_until(i, until.clone()));
        self.slots[number].used = Some(until);
        Ok(())
    }

    /// A turn, whose kernels come after the copies until now.
    fn turn(&self, what: &'static CStr) -> Result<Enqueuing<'p>, Error> {
        let there = Event::record(self.engine.passing())?;
        self.engine.enqueue_behind(what, Some(&there))
    }

    /// Does `copy`, which enqueues the copying of so many bytes to a slot.
    fn passing<T>(&self, bytes: usize, copy: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        self.engine.timeline().traced(c"copy", (trace::Stream::Passing, self.engine.passing()), bytes, copy)
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
