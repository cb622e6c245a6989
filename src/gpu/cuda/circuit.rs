//! The work of one circuit, enqueued on a device that has all its parameters.
//!
//! Two phases, each admitted for all the memory it takes: the MSMs over the witness, for which the least has to be uploaded, and then
//! the quotient and the MSM over it. While the device computes the first, the CPU prepares the second.

use super::h_parts::HParts;
use super::lease::room_for;
use super::quotient::Quotient;
use super::resident::Resident;
use super::results::{Fetching, Layout, Results};
use super::witness::{Classified, PartPoints};
use super::worker::Worker;
use crate::error::Error;
use crate::lock::Locks;
use crate::prove::{Evaluations, Plan, Residence, Witness};
use crate::trace;

/// One circuit's input, whose sizes agree with the parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circuit<'a> {
    /// Its place in the batch.
    pub(super) number: usize,
    pub(super) evaluations: &'a Evaluations<'a>,
    pub(super) witness: &'a Witness<'a>,
    /// Those that the call came with: what they limit and count.
    pub(super) locks: &'a Locks,
}

impl Circuit<'_> {
    /// The error of a scalar that is not below the group order.
    pub(super) fn not_canonical(&self, vector: &str, index: usize) -> Error {
        Error::NonCanonicalScalar { vector: format!("provers[{}].{vector}", self.number), index }
    }
}

/// Enqueues all of a circuit's work; nothing of it is needed any more on return. The results come in parts, to be added up.
///
/// # Errors
/// [`Error::NonCanonicalScalar`], [`Error::DeviceMemory`], [`Error::Cuda`], [`Error::OutOfMemory`].
pub(super) fn enqueue(engine: &Worker<'_>, circuit: Circuit<'_>, resident: &Resident) -> Result<Vec<Results>, Error> {
    let _circuit = trace::within_circuit(circuit.number);
    let plan = engine.plan(&resident.counts, Residence::Resident, circuit.locks.settings().budget)?;
    let mut results = vec![witness(engine, circuit, resident, &plan)?];
    if !resident.h.is_empty() {
        results.push(h(engine, circuit, resident, &plan)?);
    }
    Ok(results)
}

fn witness(engine: &Worker<'_>, circuit: Circuit<'_>, resident: &Resident, plan: &Plan) -> Result<Results, Error> {
    let mut layout = Layout::default();
    let mut classified = Classified::new(circuit.witness, |vector, i| circuit.not_canonical(vector, i))?;
    let most = engine.most_terms();
    let parts = classified.cut(|load| load.is_part_of(plan.witness_part_bytes) && load.has_at_most(most));
    classified.plan(&parts, plan, plan.witness_bytes, &mut layout)?;

    let [mut lease] = engine.lease([classified.room() + room_for::<u64>(layout.words())], Some(circuit.locks))?;
    let sections = classified.section_rooms(lease.region());
    let mut rooms = classified.rooms(sections, None, lease.region())?;
    let sums = lease.take(layout.words());
    let fetching = Fetching::new(layout, engine)?;
    for (i, part) in parts.iter().enumerate() {
        classified.send(engine, i, &mut rooms)?;
        let points = PartPoints {
            l: resident.l.range(part.aux.clone()),
            a: resident.a.range(part.a.clone()),
            b_g1: resident.b_g1.range(part.b.clone()),
            b_g2: resident.b_g2.range(part.b.clone()),
        };
        let mut turn = engine.enqueue(c"witness MSMs")?;
        classified.enqueue(i, &rooms, &points, &mut turn, (&fetching, &sums))?;
        if i + 1 == parts.len() {
            let until = turn.until()?;
            let results = fetching.finish(&until);
            lease.release_after(&until);
            return Ok(results);
        }
        classified.used_until(i, turn.until()?, &mut rooms);
    }
    Err(Error::Internal { what: "a witness has a part".to_owned() })
}

fn h(engine: &Worker<'_>, circuit: Circuit<'_>, resident: &Resident, plan: &Plan) -> Result<Results, Error> {
    let log2 = resident.counts.domain_log2();
    let mut layout = Layout::default();
    let parts = HParts::new(log2, plan, resident.multiples.as_ref(), &mut layout)?;
    let quotient = Quotient::new(engine, log2, plan)?;
    let host_turn = quotient.host_turn(engine);
    let room = quotient.room(parts.longest()) + room_for::<u64>(layout.words());
    let [mut kept, others] = engine.lease([room, quotient.room_for_others()], Some(circuit.locks))?;
    let mut others = quotient.others(&host_turn, others)?;
    let mut h = quotient.coefficients(&host_turn, parts.longest(), &mut kept)?;
    let sums = kept.take(layout.words());
    let fetching = Fetching::new(layout, engine)?;
    let until = quotient.enqueue(engine, circuit, &mut h, &mut others)?;
    others.release_after(&until);

    let mut turn = engine.enqueue(c"h MSM")?;
    for i in 0..parts.len() {
        parts.enqueue(i, &resident.h_points(parts.range(i)), &h, &mut turn, (&fetching, &sums))?;
    }
    let until = turn.until()?;
    let results = fetching.finish(&until);
    h.release_after(&until);
    kept.release_after(&until);
    Ok(results)
}
