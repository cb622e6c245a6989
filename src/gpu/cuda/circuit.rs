//! The work of one circuit, enqueued on a device that has all its parameters.
//!
//! Two phases, each admitted for all the memory it takes: the MSMs over the witness, for which the least has to be uploaded, and then
//! the quotient and the MSM over it. While the device computes the first, the CPU prepares the second.

use super::engine::Engine;
use super::lease::room_for;
use super::msm::{msm, msm_scratch_bytes, Scalars, Shape, Terms};
use super::quotient::{Quotient, Vectors};
use super::resident::Resident;
use super::results::{Layout, Query, Results};
use super::witness::{Classified, Part, PartPoints};
use super::G1;
use crate::error::Error;
use crate::prove::{Evaluations, Witness};
use crate::trace;

/// One circuit's input, whose sizes agree with the parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circuit<'a> {
    /// Its place in the batch.
    pub(super) number: usize,
    pub(super) evaluations: &'a Evaluations<'a>,
    pub(super) witness: &'a Witness<'a>,
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
pub(super) fn enqueue(engine: &Engine, circuit: Circuit<'_>, resident: &Resident) -> Result<Vec<Results>, Error> {
    let _circuit = trace::within_circuit(circuit.number);
    let mut results = vec![witness(engine, circuit, resident)?];
    if !resident.h.is_empty() {
        results.push(h(engine, circuit, resident)?);
    }
    Ok(results)
}

fn witness(engine: &Engine, circuit: Circuit<'_>, resident: &Resident) -> Result<Results, Error> {
    let mut layout = Layout::default();
    let mut classified = Classified::new(circuit.witness, |vector, i| circuit.not_canonical(vector, i))?;
    classified.plan(Part::all(circuit.witness.aux.len(), usize::MAX), &mut layout)?;
    engine.need_scratch(classified.scratch_bytes())?;

    let [mut lease] = engine.lease([classified.room() + room_for::<u64>(layout.words())])?;
    let on_device = classified.send(engine, &mut lease)?;
    let sums = lease.take(layout.words());
    let points =
        PartPoints { l: resident.l.all(), a: resident.a.all(), b_g1: resident.b_g1.all(), b_g2: resident.b_g2.all() };
    let mut turn = engine.enqueue(c"witness MSMs")?;
    classified.enqueue(0, &on_device, &points, &mut turn, &layout, &sums)?;
    let results = Results::fetch(layout, &sums, engine.pinned(), turn.stream)?;
    lease.release_after(&turn.until()?);
    Ok(results)
}

fn h(engine: &Engine, circuit: Circuit<'_>, resident: &Resident) -> Result<Results, Error> {
    let len = resident.h.len();
    let log2 = (len + 1).trailing_zeros();
    let mut layout = Layout::default();
    let shape = Shape::for_terms(len);
    let entry = layout.add(Query::H, Some(shape));
    engine.need_scratch(msm_scratch_bytes::<G1>(len, shape)?)?;

    let quotient = Quotient::new(engine, log2, engine.has_vectors_to_spare(log2))?;
    let [mut kept, mut rest] =
        engine.lease([quotient.room() + room_for::<u64>(layout.words()), quotient.room_for_vectors()])?;
    let (mut h, sums) = (kept.take(quotient.len()), kept.take(layout.words()));
    let mut vectors = Vectors { b: rest.take(quotient.len()), c: rest.take(quotient.len_of_c()) };
    let until = quotient.enqueue(engine, circuit, &mut h, &mut vectors)?;
    rest.release_after(&until);
    let mut turn = engine.enqueue(c"h MSM")?;
    let terms = Terms {
        points: &resident.h,
        positions: None,
        scalars: &h,
        order: Scalars::Reversed { bits: log2, first: 0 },
        len,
        count: None,
    };
    msm::<G1>(&mut layout.of::<G1>(entry, &sums), &terms, shape, &mut turn.scratch, turn.stream)?;
    let results = Results::fetch(layout, &sums, engine.pinned(), turn.stream)?;
    kept.release_after(&turn.until()?);
    Ok(results)
}
