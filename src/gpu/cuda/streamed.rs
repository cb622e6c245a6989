//! The work of circuits on a device that has no room for their parameters: these pass by, part by part, from pinned host memory, while
//! kernels work on the parts before. Every part serves all circuits that are held at a time.
//!
//! A worker leases vectors, makes h, and gives back all but that; then it has the device's memory for passing parameters when its turn comes.
//! So the vectors of the next one are uploaded meanwhile.

use std::collections::VecDeque;
use std::ops::Range;

use super::circuit::Circuit;
use super::h_passing::HPassing;
use super::host_vectors::HostTurn;
use super::lease::{Lease, Region, Until};
use super::load::Load;
use super::msm::Bucket;
use super::passes::{Kind, PassTurn};
use super::pinned_points::PinnedPoints;
use super::quotient::{Coefficients, Quotient};
use super::results::{Fetching, Layout, Results};
use super::witness::{Classified, Part, PartPoints, Rooms};
use super::worker::Worker;
use super::{DeviceSlice, Event, Group, Stream, G1, G2};
use crate::error::Error;
use crate::lock::Fence;
use crate::mem::granule::ALIGNMENT;
use crate::params::Query;
use crate::prove::plan::{results_bytes, sum_bytes};
use crate::prove::{Plan, Residence};
use crate::trace::{self, span};

/// Enqueues all of the circuits' work; nothing of them is needed any more on return. The results of each come in parts, to be added up.
///
/// # Errors
/// [`Error::NonCanonicalScalar`], [`Error::DeviceMemory`], [`Error::Cuda`], [`Error::OutOfMemory`].
pub(super) fn enqueue(
    engine: &Worker<'_>,
    circuits: &[Circuit<'_>],
    raw: &PinnedPoints,
) -> Result<Vec<Vec<Results>>, Error> {
    let limit = circuits.first().and_then(|circuit| circuit.locks.settings().budget);
    let plan = engine.plan(raw.counts(), Residence::Streamed, limit)?;
    let quotient = Quotient::new(engine, raw.counts().domain_log2(), &plan)?;
    let mut enqueued = Vec::new();
    let mut together: Option<Together<'_>> = None;
    let log2 = raw.counts().domain_log2();
    for circuit in circuits {
        let member = Member::new(*circuit)?;
        match &mut together {
            Some(others) if others.have_room_for(&member, engine, (log2, &plan, limit), &quotient) => {
                others.members.push(member)
            }
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

/// Parts of h, and of the witness, that are enqueued and not over, as long as there are others. What comes next is decided so far ahead of the device; and
/// so long the host may take to wake up, some 10 ms at 2^24.
const AHEAD: [usize; 2] = [5, 14];

/// A circuit that is held while the parameters pass.
struct Member<'a> {
    circuit: Circuit<'a>,
    classified: Classified<'a>,
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
    /// When that is made.
    made: Until,
    msm: HPassing,
    fetching: Fetching<'e>,
}

/// What it has while parameters pass.
struct Room {
    parts: Rooms,
    buckets: DeviceSlice<Bucket>,
    sums: DeviceSlice<u64>,
}

impl<'a> Member<'a> {
    fn new(circuit: Circuit<'a>) -> Result<Self, Error> {
        let _circuit = trace::within_circuit(circuit.number);
        let classified = Classified::new(circuit.witness, |vector, i| circuit.not_canonical(vector, i))?;
        Ok(Self { circuit, classified })
    }

    /// Plans what is enqueued of it, which is held in `share` bytes.
    fn plan(&mut self, parts: &[Part], (log2, plan): (u32, &Plan), share: usize) -> Result<(HPassing, Layout), Error> {
        let mut layout = Layout::default();
        let h = HPassing::new(log2, plan, share, &mut layout)?;
        let room = room_for_witness((log2, plan), share).unwrap_or(0);
        self.classified.plan(parts, plan, room, &mut layout)?;
        Ok((h, layout))
    }
}

impl<'a> Together<'a> {
    fn new(member: Member<'a>, engine: &Worker<'_>, plan: &Plan) -> Self {
        let most = engine.most_terms();
        let fits = |load: &Load| load.points_bytes() <= plan.slot_bytes && load.has_points_at_most(most);
        Self { parts: member.classified.cut(fits), members: vec![member] }
    }

    /// Whether one more circuit can be held, which leaves half of the memory to other workers, and takes no more than `limit` bytes.
    fn have_room_for(
        &self,
        more: &Member<'a>,
        engine: &Worker<'_>,
        (log2, plan, limit): (u32, &Plan, Option<usize>),
        quotient: &Quotient,
    ) -> bool {
        let [first, ..] = self.members.as_slice() else { return true };
        let count = self.members.len() + 1;
        let vectors = quotient.room_for_others() + count * quotient.room(plan.h_part_points);
        let each = room_for_witness((log2, plan), share_of(plan, count));
        let mut members = self.members.iter().chain([more]);
        // Those in host memory are no more than planned: 4 GiB for each circuit at 2^27.
        plan.vectors.keeps_h()
            && first.circuit.witness.has_densities_of(more.circuit.witness)
            && vectors <= limit.unwrap_or(usize::MAX).min(engine.memory().shortfall(0).largest / 2)
            && members.all(|member| each.is_some_and(|bytes| member.classified.least_room(&self.parts) <= bytes))
    }

    fn enqueue(
        mut self,
        engine: &Worker<'_>,
        raw: &PinnedPoints,
        plan: &Plan,
        quotient: &Quotient,
    ) -> Result<Vec<Vec<Results>>, Error> {
        let share = share_of(plan, self.members.len());
        let of_all = (raw.counts().domain_log2(), plan);
        let plan_of = |member: &mut Member<'_>| member.plan(&self.parts, of_all, share);
        let planned = self.members.iter_mut().map(plan_of).collect::<Result<Vec<_>, Error>>()?;
        let host_turn = quotient.host_turn(engine);
        let held = self.hold(engine, plan, (quotient, &host_turn), planned)?;
        let until = self.pass(&held, Pass::new(engine, raw, plan)?)?;
        let results = |held: Held<'_>| {
            held.h.release_after(&until);
            held.lease.release_after(&until);
            vec![held.fetching.finish(&until)]
        };
        Ok(held.into_iter().map(results).collect())
    }

    /// Enqueues the making of each h.
    fn hold<'e>(
        &self,
        engine: &'e Worker<'e>,
        plan: &Plan,
        (quotient, host_turn): (&Quotient, &'e HostTurn<'_>),
        planned: Vec<(HPassing, Layout)>,
    ) -> Result<Vec<Held<'e>>, Error> {
        let room = quotient.room(plan.h_part_points);
        let mut sizes = vec![room; self.members.len()];
        sizes.push(quotient.room_for_others());
        let mut leases = engine.leases(&sizes, self.members.first().map(|member| member.circuit.locks))?;
        let Some(others) = leases.pop() else { unreachable!("there is one for each size") };
        let mut others = quotient.others(host_turn, others)?;
        let mut all = Vec::new();
        let mut until: Option<Until> = None;
        for ((member, (msm, layout)), mut lease) in self.members.iter().zip(planned).zip(leases) {
            let _circuit = trace::within_circuit(member.circuit.number);
            // Its uploads go where the vectors of the one before are.
            until.iter().try_for_each(|until| engine.uploads_wait_for(until))?;
            let mut h = quotient.coefficients(host_turn, plan.h_part_points, &mut lease)?;
            let fetching = Fetching::new(layout, engine)?;
            let made = quotient.enqueue(engine, member.circuit, &mut h, &mut others)?;
            all.push(Held { lease, h, made: made.clone(), msm, fetching });
            until = Some(made);
        }
        if let Some(until) = until {
            others.release_after(&until);
        }
        Ok(all)
    }

    /// Enqueues the MSMs, and returns their end.
    ///
    /// Working on a part of h takes longer than its copying, and the other way round for a part of the witness. So each kind goes on by itself: how many
    /// of one pass while one of the other does depends on what else the device does.
    fn pass(&self, held: &[Held<'_>], mut pass: Pass<'_>) -> Result<Until, Error> {
        let mut rooms = pass.rooms(&self.members, held)?;
        let mut of_h = 0..held.first().map_or(0, |held| held.msm.parts());
        let mut of_witness = self.parts.iter().enumerate();
        loop {
            pass.kept(|until| until.is_over(), (&self.members, held), &mut rooms)?;
            match pass.next(of_h.len(), of_witness.len())? {
                Some(Kind::H) => of_h.next().map_or(Ok(()), |i| pass.h(i, held, &rooms))?,
                Some(Kind::Witness) => {
                    let Some((i, part)) = of_witness.next() else { continue };
                    pass.witness(i, part, (&self.members, held), &mut rooms)?
                }
                None => return pass.finish((&self.members, held), &mut rooms),
            }
        }
    }
}

/// Bytes that each of so many circuits has while parameters pass.
fn share_of(plan: &Plan, circuits: usize) -> usize {
    plan.witness_bytes / circuits / ALIGNMENT * ALIGNMENT
}

/// What a circuit has of its share for its witness, if there is any left: not the buckets of h, results, and sums.
fn room_for_witness((log2, plan): (u32, &Plan), share: usize) -> Option<usize> {
    let buckets = HPassing::room(log2, plan, share)?;
    share.checked_sub(buckets + results_bytes() + sum_bytes(plan.sum_blocks()))
}

/// The passing of parameters through slots.
struct Pass<'p> {
    engine: &'p Worker<'p>,
    raw: &'p PinnedPoints,
    memory: PassTurn<'p>,
    /// The parts of each kind that are not known to be over, in the order of [`Kind`].
    parts: [VecDeque<Until>; 2],
    /// How many parts of the witness were copied, and when the last one is there.
    copies: usize,
    copied: Option<Until>,
    /// The parts of which members complete what is kept of theirs, and when it is there: their MSMs are enqueued then, so that what goes on beside the
    /// turns does not wait for it.
    kept: VecDeque<(usize, usize, Until)>,
    /// Bytes of all sections of witnesses, and until when parts use them.
    section_bytes: usize,
    sections_used: Option<Until>,
}

impl<'p> Pass<'p> {
    /// Waits for its turn.
    fn new(engine: &'p Worker<'p>, raw: &'p PinnedPoints, plan: &Plan) -> Result<Self, Error> {
        let memory = engine.passes()?.turn(engine, plan);
        Ok(Self {
            engine,
            raw,
            memory,
            parts: Default::default(),
            copies: 0,
            copied: None,
            kept: VecDeque::new(),
            section_bytes: 0,
            sections_used: None,
        })
    }

    /// What is to pass next, if so many parts of h and of the witness are left: waits while enough of both is ahead.
    ///
    /// # Errors
    /// [`Error::Cuda`], which may be that of earlier work.
    fn next(&mut self, of_h: usize, of_witness: usize) -> Result<Option<Kind>, Error> {
        loop {
            for parts in &mut self.parts {
                let over = parts.iter().take_while(|until| until.is_over()).count();
                parts.drain(..over);
            }
            let [h, witness] =
                [Kind::H, Kind::Witness].map(|kind| self.parts[kind as usize].len() < AHEAD[kind as usize]);
            match (of_h, of_witness) {
                (0, 0) => return Ok(None),
                (0, _) => return Ok(Some(Kind::Witness)),
                (_, 0) => return Ok(Some(Kind::H)),
                _ if h => return Ok(Some(Kind::H)),
                _ if witness => return Ok(Some(Kind::Witness)),
                _ => {}
            }
            let _waiting = span(c"waiting for parts to pass");
            // Those of the witness take less time.
            self.parts[Kind::Witness as usize].front().map_or(Ok(()), |until| until.event().synchronize())?;
        }
    }

    fn rooms(&mut self, members: &[Member<'_>], held: &[Held<'_>]) -> Result<Vec<Room>, Error> {
        let mut region = self.memory.witnesses();
        let sections: Vec<_> = members.iter().map(|member| member.classified.section_rooms(&mut region)).collect();
        self.section_bytes = region.taken();
        let until = self.memory.sections_used(self.section_bytes);
        let room = |((member, held), sections): ((&Member<'_>, &Held<'_>), _)| {
            let parts = member.classified.rooms(sections, until, &mut region)?;
            let buckets = held.msm.buckets(&mut region);
            Ok(Room { parts, buckets, sums: region.take(held.fetching.layout().words()) })
        };
        members.iter().zip(held).zip(sections).map(room).collect()
    }

    fn h(&mut self, i: usize, held: &[Held<'_>], rooms: &[Room]) -> Result<(), Error> {
        let Some(range) = held.first().map(|held| held.msm.range(i)) else { return Ok(()) };
        let stream = &self.engine.passing().h;
        let (number, points, copied) =
            self.copy((Kind::H, stream), range.len() * G1::ENCODED, |slot| slot.take::<G1>(Query::H, &range))?;
        let mut turn = self.engine.enqueue(c"h, a part")?;
        let mut last = copied.clone();
        for (held, room) in held.iter().zip(rooms) {
            let h = (&held.h, held.made.event());
            last = held.msm.enqueue(i, (&points, copied.event()), h, &room.buckets, (self.engine, &mut turn))?;
        }
        self.used_until((Kind::H, number), last);
        Ok(())
    }

    fn witness(
        &mut self,
        i: usize,
        part: &Part,
        (members, held): (&[Member<'_>], &[Held<'_>]),
        rooms: &mut [Room],
    ) -> Result<(), Error> {
        let takes_their_place =
            |(member, before, _): &(usize, usize, Until)| members[*member].classified.share_a_place(i, *before);
        if self.kept.iter().any(takes_their_place) {
            self.kept(|_| true, (members, held), rooms)?;
        }
        for (member, room) in members.iter().zip(rooms.iter_mut()) {
            member.classified.send(self.engine, i, &mut room.parts)?;
        }
        let (a, b) = (&part.a, &part.b);
        let bytes = (part.aux.len() + a.len() + b.len()) * G1::ENCODED + b.len() * G2::ENCODED;
        // A stream whose copies are ready keeps others' from the bus, so that uploads would wait until this one waits for a slot: for most of a pass. So two
        // take turns, each of which waits for the other.
        let streams = &self.engine.passing().witness;
        let stream = &streams[self.copies % streams.len()];
        self.copies += 1;
        self.copied.iter().try_for_each(|before| stream.wait_for(before.event()))?;
        let (number, points, copied) = self.copy((Kind::Witness, stream), bytes, |slot| {
            Ok(PartPoints {
                l: slot.take::<G1>(Query::L, &part.aux)?,
                a: slot.take::<G1>(Query::A, a)?,
                b_g1: slot.take::<G1>(Query::BG1, b)?,
                b_g2: slot.take::<G2>(Query::BG2, b)?,
            })
        })?;
        let mut turn = self.engine.enqueue_behind(c"witness, a part", Some(copied.event()))?;
        self.copied = Some(copied);
        for ((member, held), room) in members.iter().zip(held).zip(rooms.iter()) {
            member.classified.enqueue(i, &room.parts, &points, &mut turn, (&held.fetching, &room.sums))?;
        }
        let until = turn.until()?;
        for (number, (member, room)) in members.iter().zip(rooms.iter_mut()).enumerate() {
            member.classified.used_until(i, until.clone(), &mut room.parts);
            if member.classified.completes_kept(i) {
                self.kept.push_back((number, i, until.clone()));
            }
        }
        self.sections_used = Some(until.clone());
        self.used_until((Kind::Witness, number), until);
        Ok(())
    }

    /// Enqueues the MSMs of what is kept, in order, as long as it `is_next`.
    fn kept(
        &mut self,
        is_next: impl Fn(&Until) -> bool,
        (members, held): (&[Member<'_>], &[Held<'_>]),
        rooms: &mut [Room],
    ) -> Result<(), Error> {
        while self.kept.front().is_some_and(|(_, _, until)| is_next(until)) {
            let Some((number, i, until)) = self.kept.pop_front() else { break };
            let turn = self.engine.enqueue(c"kept terms")?;
            let (room, to) = (&mut rooms[number], &held[number].fetching);
            let classified = &members[number].classified;
            classified.enqueue_kept(i, &mut room.parts, (self.engine, &turn, &until), (to, &room.sums))?;
        }
        Ok(())
    }

    /// Enqueues what is left when all parts have passed, ends the pass, and returns the end of all.
    fn finish(mut self, (members, held): (&[Member<'_>], &[Held<'_>]), rooms: &mut [Room]) -> Result<Until, Error> {
        self.kept(|_| true, (members, held), rooms)?;
        let mut turn = self.engine.enqueue(c"h, the buckets")?;
        for ((member, held), room) in members.iter().zip(held).zip(rooms) {
            member.classified.finish(&room.parts, &mut turn, (&held.fetching, &room.sums))?;
            // Where h has no parts, nothing else has waited for it.
            turn.stream.wait_for(held.made.event())?;
            held.msm.finish(&room.buckets, &mut turn, (&held.fetching, &room.sums))?;
        }
        let until = turn.until()?;
        drop(turn);
        let sections = self.sections_used.take().map(|until| (self.section_bytes, until));
        self.memory.witnesses_used_until(until.clone(), sections);
        self.memory.all_is_enqueued();
        Ok(until)
    }

    /// Says that a part is in a slot until then.
    fn used_until(&mut self, (kind, number): (Kind, usize), until: Until) {
        self.parts[kind as usize].push_back(until.clone());
        self.memory.used_until(number, until);
    }

    /// Enqueues the copying of `bytes` bytes of points to the next slot of a kind, and returns its number, what `copy` returns, and when the points are there.
    fn copy<T>(
        &mut self,
        (kind, stream): (Kind, &'p Stream),
        bytes: usize,
        copy: impl FnOnce(&mut Slot<'_>) -> Result<T, Error>,
    ) -> Result<(usize, T, Until), Error> {
        let number = self.memory.next_slot(kind, stream)?;
        let mut slot = Slot { raw: self.raw, region: Region::new(self.memory.slot(number).all()), stream };
        let shown = match kind {
            Kind::H => trace::Stream::PassingH,
            Kind::Witness => trace::Stream::PassingWitness,
        };
        let copied = self.engine.timeline().traced(c"copy", (shown, stream), bytes, || copy(&mut slot))?;
        Ok((number, copied, Until::new(Event::record(stream)?)))
    }
}

/// A slot, and what is left of its memory.
struct Slot<'p> {
    raw: &'p PinnedPoints,
    region: Region,
    stream: &'p Stream,
}

impl Slot<'_> {
    /// Takes room for points and enqueues their copying to it.
    fn take<G: Group>(&mut self, query: Query, range: &Range<usize>) -> Result<DeviceSlice<G::Affine>, Error> {
        let points = self.region.take(range.len());
        self.raw.copy::<G>(query, range.start, &points, self.stream)?;
        Ok(points)
    }
}
