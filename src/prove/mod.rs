//! Proving: from a batch to proofs.

mod backend;
mod check;
mod circuit;
mod select;

use crate::curve::Proof;
use crate::error::Error;

pub use backend::{Backend, Batch, Pending};
#[cfg(interlock_cuda)]
pub(crate) use check::check_blinding;
pub(crate) use check::{check_scalars, Shape};
pub use circuit::{Blinding, Density, Evaluations, Witness};
pub use select::{available, current};

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
/// let srs = Srs::open("circuit.params".as_ref(), true)?;
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
pub fn start<'w>(batch: Batch<'_, 'w>) -> Result<Box<dyn Pending + 'w>, Error> {
    check_batch(&batch)?;
    select::select(batch.device, Some(&batch.srs))?.start(batch)
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
