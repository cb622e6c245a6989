//! The work of circuits on a device that has no room for their parameters: these pass by, part by part, from pinned host memory, while
//! kernels work on the parts before. Every part serves all circuits that are held at a time.
//!
//! A worker leases vectors, makes h, and gives back all but that; then it has the device's memory for passing parameters when its turn comes.
//! So the vectors of the next one are uploaded meanwhile.

use std::ffi::CStr;
use std::marker::PhantomData;
use std::ops::Range;

use super::circuit::Circuit;
use super::decode::{decode_in_place, Faults, Run};
use super::engine::Enqueuing;
use super::h_parts::HParts;
use super::host_vectors::HostTurn;
use super::lease::{Lease, Until};
use super::passes::PassTurn;
use super::quotient::{Coefficients, Others, Quotient};
use super::raw::Raw;
use super::results::{Fetching, Layout, Results};
use super::witness::{Classified, Load, Part, PartPoints, Rooms};
use super::worker::Worker;
use super::{DeviceSlice, Event, Group, Stream, G1, G2};
use crate::error::Error;
use crate::mem::granule::ALIGNMENT;
use crate::params::Query;
use crate::prove::plan::results_bytes;
use crate::prove::{Plan, Residence};
use crate::trace;

/// Enqueues all of the circuits' work; nothing of them is needed any more on return. The results of each come in parts, to be added up.
///
/// # Errors
/// [`Error::NonCanonicalScalar`], [`Error::DeviceMemory`], [`Error::Cuda`], [`Error::OutOfMemory`].
pub(super) fn enqueue(engine: &Worker<'_>, circuits: &[Circuit<'_>], raw: &Raw) -> Result<Vec<Vec<Results>>, Error> {
    let limit = circuits.first().and_then(|circuit| circuit.locks.settings().budget);
    let plan = engine.plan(raw.counts(), Residence::Streamed, limit)?;
    let quotient = Quotient::new(engine, raw.counts().domain_log2(), &plan)?;
    let mut enqueued = Vec::new();
    let mut together: Option<Together<'_>> = None;
    for circuit in circuits {
        let member = Member::new(*circuit, raw, &plan)?;
        match &mut together {
            Some(others) if others.have_room_for(&member, engine, &plan, &quotient) => others.members.push(member),
            _ => {
                let next = Together::new(member, engine, &plan);
                if let Some(complete) = together.replace(next) {
                    enqueued.extend(complete.enqueue(engine, raw, &plan, &quotient)?);
                }
            }
        }
    }
    if let Some(last) = together {
        enqueued.extend(last.enqueue(engine, raw, &plan, &quotient)?);
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

/// Circuits that are held together, and the parts of their witnesses, which have points in the same places.
struct Together<'a> {
    members: Vec<Member<'a>>,
    parts: Vec<Part>,
}

/// A circuit on the device.
struct Held<'e> {
    lease: Lease<'e>,
    h: Coefficients<'e>,
    fetching: Fetching<'e>,
}

/// What it has while parameters pass.
struct Room {
    parts: Rooms,
    sums: DeviceSlice<u64>,
}

impl<'a> Member<'a> {
    fn new(circuit: Circuit<'a>, raw: &Raw, plan: &Plan) -> Result<Self, Error> {
        let _circuit = trace::within_circuit(circuit.number);
        let classified = Classified::new(circuit.witness, |vector, i| circuit.not_canonical(vector, i))?;
        let mut layout = Layout::default();
        let h = HParts::new(raw.counts().domain_log2(), plan, &mut layout)?;
        Ok(Self { circuit, classified, layout, h })
    }

    /// Enqueues the making of h, in a lease of [`Quotient::room`], and returns until when the other vectors are in use.
    fn hold<'e>(
        &mut self,
        engine: &'e Worker<'e>,
        (quotient, host_turn): (&Quotient, &'e HostTurn<'_>),
        mut lease: Lease<'e>,
        others: &mut Others<'_>,
    ) -> Result<(Held<'e>, Until), Error> {
        let _circuit = trace::within_circuit(self.circuit.number);
        let mut h = quotient.coefficients(host_turn, self.h.longest(), &mut lease)?;
        let fetching = Fetching::new(std::mem::take(&mut self.layout), engine.pinned(), engine.compute())?;
        let until = quotient.enqueue(engine, self.circuit, &mut h, others)?;
        Ok((Held { lease, h, fetching }, until))
    }
}

impl<'a> Together<'a> {
    fn new(member: Member<'a>, engine: &Worker<'_>, plan: &Plan) -> Self {
        let most = engine.most_terms();
        let fits = |load: &Load| load.points_bytes() <= plan.slot_bytes && load.has_points_at_most(most);
        Self { parts: member.classified.cut(fits), members: vec![member] }
    }

    /// Whether one more circuit can be held, which leaves half of the memory to other workers.
    fn have_room_for(&self, more: &Member<'a>, engine: &Worker<'_>, plan: &Plan, quotient: &Quotient) -> bool {
        let [first, ..] = self.members.as_slice() else { return true };
        let count = self.members.len() + 1;
        let vectors = quotient.room_for_others() + count * quotient.room(first.h.longest());
        let each = witness_share(plan, count);
        let mut members = self.members.iter().chain([more]);
        first.circuit.witness.has_densities_of(more.circuit.witness)
            && vectors <= engine.memory().short_budget() / 2
            && members.all(|member| each.is_some_and(|bytes| member.classified.least_room(&self.parts) <= bytes))
    }

    fn enqueue(
        mut self,
        engine: &Worker<'_>,
        raw: &Raw,
        plan: &Plan,
        quotient: &Quotient,
    ) -> Result<Vec<Vec<Results>>, Error> {
        let share = witness_share(plan, self.members.len()).unwrap_or(0);
        for member in &mut self.members {
            member.classified.plan(&self.parts, plan, share, &mut member.layout)?;
        }
        let host_turn = quotient.host_turn(engine);
        let held = self.hold(engine, quotient, &host_turn)?;
        self.pass(&held, Pass::new(engine, raw, plan)?)?;
        let turn = engine.enqueue(c"results")?;
        let mut all = Vec::new();
        for held in held {
            all.push(vec![held.fetching.finish()?]);
            let until = turn.until()?;
            held.h.release_after(&until);
            held.lease.release_after(&until);
        }
        Ok(all)
    }

    /// Enqueues the making of each h.
    fn hold<'e>(
        &mut self,
        engine: &'e Worker<'e>,
        quotient: &Quotient,
        host_turn: &'e HostTurn<'_>,
    ) -> Result<Vec<Held<'e>>, Error> {
        let mut sizes: Vec<usize> = self.members.iter().map(|member| quotient.room(member.h.longest())).collect();
        sizes.push(quotient.room_for_others());
        let mut leases = engine.leases(&sizes, self.members.first().map(|member| member.circuit.locks))?;
        let Some(others) = leases.pop() else { unreachable!("there is one for each size") };
        let mut others = quotient.others(host_turn, others)?;
        let mut all = Vec::new();
        let mut until: Option<Until> = None;
        for (member, lease) in self.members.iter_mut().zip(leases) {
            // Its uploads go where the vectors of the one before are.
            until.iter().try_for_each(|until| engine.uploads_wait_for(until))?;
            let (held, others_used) = member.hold(engine, (quotient, host_turn), lease, &mut others)?;
            all.push(held);
            until = Some(others_used);
        }
        if let Some(until) = until {
            others.release_after(&until);
        }
        Ok(all)
    }

    /// Enqueues the MSMs.
    fn pass(&self, held: &[Held<'_>], mut pass: Pass<'_>) -> Result<(), Error> {
        let mut rooms = pass.rooms(&self.members, held);
        for part in order(self.members.first().map_or(0, |member| member.h.len()), self.parts.len()) {
            match part {
                Passing::H(i) => pass.h(i, &self.members, held, &rooms)?,
                Passing::Witness(i) => pass.witness(i, &self.parts[i], (&self.members, held), &mut rooms)?,
            }
        }
        pass.memory.all_is_enqueued();
        Ok(())
    }
}

/// Bytes that each of so many circuits has for parts of its witness while parameters pass, beside its results.
fn witness_share(plan: &Plan, circuits: usize) -> Option<usize> {
    (plan.witness_bytes / circuits / ALIGNMENT * ALIGNMENT).checked_sub(results_bytes())
}

/// The passing of parameters through slots.
struct Pass<'p> {
    engine: &'p Worker<'p>,
    raw: &'p Raw,
    memory: PassTurn<'p>,
}

impl<'p> Pass<'p> {
    /// Waits for its turn.
    fn new(engine: &'p Worker<'p>, raw: &'p Raw, plan: &Plan) -> Result<Self, Error> {
        Ok(Self { engine, raw, memory: engine.passes()?.turn(engine, plan) })
    }

    fn rooms(&self, members: &[Member<'_>], held: &[Held<'_>]) -> Vec<Room> {
        let (mut region, until) = self.memory.witnesses();
        let mut room = |(member, held): (&Member<'_>, &Held<'_>)| {
            let parts = member.classified.rooms(&mut region, until);
            Room { parts, sums: region.take(held.fetching.layout().words()) }
        };
        members.iter().zip(held).map(&mut room).collect()
    }

    fn h(&mut self, i: usize, members: &[Member<'_>], held: &[Held<'_>], rooms: &[Room]) -> Result<(), Error> {
        let Some(range) = members.first().map(|member| member.h.range(i)) else { return Ok(()) };
        let number = self.memory.next_slot()?;
        let points = self.passing(range.len() * G1::ENCODED, || self.copied::<G1>(number, &mut 0, Query::H, &range))?;
        let mut turn = self.turn(c"h MSM, a part")?;
        let points = points.decoded(self.raw.faults(), turn.stream)?;
        for ((member, held), room) in members.iter().zip(held).zip(rooms) {
            member.h.enqueue(i, &points, &held.h, &mut turn, (&held.fetching, &room.sums))?;
        }
        self.memory.used_until(number, turn.until()?);
        Ok(())
    }

    fn witness(
        &mut self,
        i: usize,
        part: &Part,
        (members, held): (&[Member<'_>], &[Held<'_>]),
        rooms: &mut [Room],
    ) -> Result<(), Error> {
        let sent = members.iter().zip(rooms.iter_mut());
        let sent = sent.map(|(member, room)| member.classified.send(self.engine, i, &mut room.parts));
        let sent = sent.collect::<Result<Vec<_>, Error>>()?;
        let number = self.memory.next_slot()?;
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
        for (((member, held), room), sent) in members.iter().zip(held).zip(rooms.iter()).zip(&sent) {
            member.classified.enqueue(i, sent, &points, &mut turn, (&held.fetching, &room.sums))?;
        }
        let until = turn.until()?;
        rooms.iter_mut().for_each(|room| room.parts.used_until(i, until.clone()));
        self.memory.used_until(number, until);
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
        let room = self.memory.slot(number).range(*taken..*taken + bytes);
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
