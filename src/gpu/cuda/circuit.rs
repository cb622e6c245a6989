//! The work of one circuit, enqueued on a device that has all its parameters.
//!
//! Two phases, each admitted for all the memory it takes: the MSMs over the witness, for which the least has to be uploaded, and then
//! the quotient and the MSM over it. While the device computes the first, the CPU prepares the second. Where the device has nothing else to do, the
//! first phase is two: the device works on the first variables while the CPU prepares the others.

use std::ops::Range;

use super::classes::CHUNK;
use super::h_parts::HParts;
use super::lease::room_for;
use super::quotient::Quotient;
use super::resident::Resident;
use super::results::{Fetching, Layout, Results};
use super::witness::{Classified, Part, PartPoints};
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

/// The share of a witness that a device without other work begins with: as much as it has to do while the rest is prepared. And how many private
/// variables a witness has for that at least, as an MSM takes some time however short it is.
const FIRST_SHARE: usize = 4;
const LEAST_TO_SPLIT: usize = 1 << 21;

/// Enqueues all of a circuit's work; nothing of it is needed any more on return. The results come in parts, to be added up. Whether the device `is_idle`
/// says how.
///
/// # Errors
/// [`Error::NonCanonicalScalar`], [`Error::DeviceMemory`], [`Error::Cuda`], [`Error::OutOfMemory`].
pub(super) fn enqueue(
    engine: &Worker<'_>,
    circuit: Circuit<'_>,
    resident: &Resident,
    is_idle: bool,
) -> Result<Vec<Results>, Error> {
    let _circuit = trace::within_circuit(circuit.number);
    let plan = engine.plan(&resident.counts, Residence::Resident, circuit.locks.settings().budget)?;
    let mut results = Vec::new();
    for variables in Variables::of(circuit.witness, is_idle) {
        results.push(witness(engine, circuit, &variables, resident, &plan)?);
    }
    if !resident.h.is_empty() {
        results.push(h(engine, circuit, resident, &plan)?);
    }
    Ok(results)
}

/// Variables that follow others, and how many points the others have in `l`, `a` and each `b`.
struct Variables<'a> {
    witness: Witness<'a>,
    before: [usize; 3],
}

impl<'a> Variables<'a> {
    /// All of a witness, or, for a device that `is_idle`, the first ones and the others.
    fn of(witness: &Witness<'a>, is_idle: bool) -> Vec<Self> {
        if !is_idle || witness.aux.len() < LEAST_TO_SPLIT {
            return vec![Self { witness: *witness, before: [0; 3] }];
        }
        let [first, others] = witness.split_at(witness.aux.len() / FIRST_SHARE / CHUNK * CHUNK);
        let a = first.inp.len() + first.a_aux_density.count_ones();
        let b = first.b_inp_density.count_ones() + first.b_aux_density.count_ones();
        let before = [first.aux.len(), a, b];
        vec![Self { witness: first, before: [0; 3] }, Self { witness: others, before }]
    }

    /// Their points, of parts of them.
    fn points(&self, part: &Part, resident: &Resident) -> PartPoints {
        let [l, a, b] = self.before;
        let behind = |range: &Range<usize>, before: usize| range.start + before..range.end + before;
        PartPoints {
            l: resident.l.range(behind(&part.aux, l)),
            a: resident.a.range(behind(&part.a, a)),
            b_g1: resident.b_g1.range(behind(&part.b, b)),
            b_g2: resident.b_g2.range(behind(&part.b, b)),
        }
    }
}

fn witness(
    engine: &Worker<'_>,
    circuit: Circuit<'_>,
    variables: &Variables<'_>,
    resident: &Resident,
    plan: &Plan,
) -> Result<Results, Error> {
    let mut layout = Layout::default();
    // Only the first ones have inputs, and none before them.
    let not_canonical = |vector: &str, i| circuit.not_canonical(vector, variables.before[0] + i);
    let mut classified = Classified::new(&variables.witness, not_canonical)?;
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
        let points = variables.points(part, resident);
        let mut turn = engine.enqueue(c"witness MSMs")?;
        classified.enqueue(i, &rooms, &points, &mut turn, (&fetching, &sums))?;
        if i + 1 == parts.len() {
            classified.finish(&rooms, &mut turn, (&fetching, &sums))?;
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
