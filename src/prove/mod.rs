//! Proving: from a batch to proofs.

mod backend;
mod check;
mod circuit;
#[cfg(test)]
mod fake;
pub(crate) mod plan;
mod select;
mod srs;

use crate::curve::Proof;
use crate::error::Error;
use crate::logging;
use crate::trace::{self, Call};
use select::Selected;

pub use backend::{Backend, Batch, Pending};
#[cfg(interlock_cuda)]
pub(crate) use check::check_blinding;
pub(crate) use check::{check_scalars, Shape};
pub use circuit::{Blinding, Density, Evaluations, Witness};
pub use plan::{plan, Plan, Residence, Sizes, Vectors};
pub use select::{available, current};
pub use srs::Srs;

/// Proves a batch and returns one proof a circuit, in order. An empty batch gives none.
///
/// # Errors
/// [`Error::Size`] if a size disagrees with the SRS, [`Error::NonCanonicalScalar`] if a scalar is not below the group
/// order, and what [`start`] and [`Pending::finish`] report.
///
/// # Example
/// ```no_run
/// use interlock::prove::{prove, Batch, Blinding, Density, Evaluations, Witness};
/// use interlock::{curve::Fr, Locks, Srs};
///
/// # fn circuit() -> (Vec<Fr>, Vec<Fr>, Vec<Fr>, Vec<Fr>, Vec<Fr>, Vec<u64>, Vec<u64>, Vec<u64>) { unimplemented!() }
/// # fn random() -> Fr { unimplemented!() }
/// let srs = Srs::open("circuit.params", true)?;
/// let (a, b, c, inp, aux, a_aux, b_inp, b_aux) = circuit();
/// let evaluations = Evaluations { a: &a, b: &b, c: &c };
/// let witness = Witness {
///     inp: &inp,
///     aux: &aux,
///     a_aux_density: Density::new(&a_aux, aux.len()),
///     b_inp_density: Density::new(&b_inp, inp.len()),
///     b_aux_density: Density::new(&b_aux, aux.len()),
/// };
/// let proofs = prove(Batch {
///     evaluations: &[evaluations],
///     witnesses: vec![witness],
///     blindings: vec![Blinding { r: random(), s: random() }],
///     srs: srs.parameters().clone(),
///     locks: Locks::shared(),
///     device: None,
/// })?;
/// # Ok::<(), interlock::Error>(())
/// ```
pub fn prove(batch: Batch<'_, '_>) -> Result<Vec<Proof>, Error> {
    start(batch)?.finish()
}

/// Does a batch's work up to where a, b and c are no longer needed; [`Pending::finish`] does the rest.
///
/// # Errors
/// As [`prove`].
pub fn start<'w>(mut batch: Batch<'_, 'w>) -> Result<Box<dyn Pending + 'w>, Error> {
    let call = Call::begin();
    let rest = {
        let _within = call.enter();
        let _whole = trace::span(c"starting proofs").of(&batch);
        check_batch(&batch)?;
        batch.device = batch.device.or(batch.locks.settings().device);
        let selected = select::select(batch.device, Some(&batch.srs))?;
        let locks = batch.locks.clone();
        let _until_all_is_enqueued = locks.begin();
        start_on(selected, batch)?
    };
    Ok(Box::new(Traced { rest, call }))
}

/// A batch, and the call that it is part of.
struct Traced<'w> {
    rest: Box<dyn Pending + 'w>,
    call: Call,
}

impl Pending for Traced<'_> {
    fn finish(self: Box<Self>) -> Result<Vec<Proof>, Error> {
        let Self { rest, call } = *self;
        let _within = call.enter();
        let _whole = trace::span(c"finishing proofs");
        rest.finish()
    }
}

fn start_on<'w>(selected: Selected, batch: Batch<'_, 'w>) -> Result<Box<dyn Pending + 'w>, Error> {
    let Selected { backend, instead: Some(instead) } = selected else { return selected.backend.start(batch) };
    match backend.start(batch.clone()) {
        Err(error) if error.is_device_out_of_memory() => {
            logging::warning!("proving on the {}, which takes longer: {error}", instead.name());
            instead.start(batch)
        }
        result => result,
    }
}

fn check_batch(batch: &Batch<'_, '_>) -> Result<(), Error> {
    let circuits = batch.evaluations.len();
    for (field, found) in [("witnesses", batch.witnesses.len()), ("blindings", batch.blindings.len())] {
        if found != circuits {
            let expected = format!("there are evaluations of {circuits} circuits");
            return Err(Error::Size { field: format!("the number of {field}"), found, expected });
        }
    }
    for (circuit, (evaluations, witness)) in batch.evaluations.iter().zip(&batch.witnesses).enumerate() {
        let abc_size = evaluations.a.len();
        for (field, found) in [("b", evaluations.b.len()), ("c", evaluations.c.len())] {
            if found != abc_size {
                let expected = format!("a has {abc_size} scalars");
                return Err(Error::Size {
                    field: format!("provers[{circuit}]: the length of {field}"),
                    found,
                    expected,
                });
            }
        }
        Shape {
            abc_size,
            inp_assignment_size: witness.inp.len(),
            aux_assignment_size: witness.aux.len(),
            a_aux_bit_len: witness.a_aux_density.len(),
            b_inp_bit_len: witness.b_inp_density.len(),
            b_aux_bit_len: witness.b_aux_density.len(),
        }
        .check(circuit, &batch.srs)?;
        check::check_densities(circuit, witness, &batch.srs)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::fake::{Fake, OUTCOMES};
    use super::*;
    use crate::params::Sample;

    #[test]
    fn only_a_device_without_memory_makes_another_backend_prove() {
        let batch = Batch {
            evaluations: &[],
            witnesses: Vec::new(),
            blindings: Vec::new(),
            srs: Arc::new(Sample { ic: 0, h: 0, l: 0, a: 0, b: 0 }.parameters()),
            locks: crate::Locks::shared(),
            device: None,
        };
        for (number, (outcome, is_for_another)) in OUTCOMES.into_iter().enumerate() {
            for with_another in [false, true] {
                let (backend, another) = (Fake::new(outcome), Fake::that_succeeds());
                let instead = with_another.then_some(another as &dyn Backend);
                let asked = with_another && is_for_another;
                let proved = start_on(Selected { backend, instead }, batch.clone());
                assert_eq!(proved.is_ok(), outcome().is_ok() || asked, "{number}");
                assert_eq!((backend.starts(), another.starts()), (1, asked.into()), "{number}");
            }
        }
    }
}
