//! What a batch must satisfy before anything is computed from it.

use rayon::prelude::*;

use crate::curve::{is_canonical, Fr};
use crate::error::Error;
use crate::params::Parameters;
use crate::prove::{Blinding, Evaluations, Witness};

/// The sizes of one circuit's input, under the names of the C struct's fields.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) abc_size: usize,
    pub(crate) inp_assignment_size: usize,
    pub(crate) aux_assignment_size: usize,
    pub(crate) a_aux_bit_len: usize,
    pub(crate) b_inp_bit_len: usize,
    pub(crate) b_aux_bit_len: usize,
}

impl Shape {
    /// Checks the sizes of circuit `circuit` against the SRS.
    pub(crate) fn check(&self, circuit: usize, srs: &Parameters) -> Result<(), Error> {
        let m = srs.domain_size();
        let inputs = srs.counts.inputs;
        let aux = srs.counts.l;
        if self.abc_size > m {
            let expected = format!("the SRS's domain holds at most {m} (its h query has {} points)", srs.counts.h);
            return Err(size(circuit, "abc_size", self.abc_size, expected));
        }
        for (field, found, needed, of) in [
            ("inp_assignment_size", self.inp_assignment_size, inputs, "public inputs, the constant one included"),
            ("aux_assignment_size", self.aux_assignment_size, aux, "private variables (points in its l query)"),
            ("a_aux_bit_len", self.a_aux_bit_len, aux, "private variables (points in its l query)"),
            ("b_inp_bit_len", self.b_inp_bit_len, inputs, "public inputs, the constant one included"),
            ("b_aux_bit_len", self.b_aux_bit_len, aux, "private variables (points in its l query)"),
        ] {
            if found != needed {
                return Err(size(circuit, field, found, format!("the SRS has {needed} {of}")));
            }
        }
        Ok(())
    }
}

/// Checks the numbers of set bits of circuit `circuit` against the lengths of the queries.
pub(crate) fn check_densities(circuit: usize, witness: &Witness<'_>, srs: &Parameters) -> Result<(), Error> {
    let a_aux = witness.a_aux_density.count_ones();
    if srs.counts.inputs + a_aux != srs.counts.a {
        let expected = format!(
            "the SRS's a query has {} points, which leaves {} after {} inputs",
            srs.counts.a,
            srs.counts.a as i128 - srs.counts.inputs as i128,
            srs.counts.inputs
        );
        return Err(size(circuit, "a_aux_popcount", a_aux, expected));
    }
    let b_inp = witness.b_inp_density.count_ones();
    let b_aux = witness.b_aux_density.count_ones();
    if b_inp + b_aux != srs.counts.b {
        let expected = format!("the SRS's b_g1 and b_g2 queries have {} points each", srs.counts.b);
        return Err(size(circuit, "b_inp_popcount + b_aux_popcount", b_inp + b_aux, expected));
    }
    Ok(())
}

/// Checks that every scalar of circuit `circuit` is below the group order. Runs on the current rayon pool.
pub(crate) fn check_scalars(
    circuit: usize,
    evaluations: &Evaluations<'_>,
    witness: &Witness<'_>,
    blinding: &Blinding,
) -> Result<(), Error> {
    for (name, scalars) in [
        ("a", evaluations.a),
        ("b", evaluations.b),
        ("c", evaluations.c),
        ("inp_assignment_data", witness.inp),
        ("aux_assignment_data", witness.aux),
    ] {
        if let Some(index) = scalars.par_iter().with_min_len(1 << 14).position_first(|x| !is_canonical(x)) {
            return Err(Error::NonCanonicalScalar { vector: format!("provers[{circuit}].{name}"), index });
        }
    }
    check_blinding(circuit, blinding)
}

/// Checks that r and s of circuit `circuit` are below the group order.
pub(crate) fn check_blinding(circuit: usize, blinding: &Blinding) -> Result<(), Error> {
    check_factor(circuit, "r_s", &blinding.r)?;
    check_factor(circuit, "s_s", &blinding.s)
}

fn check_factor(circuit: usize, name: &str, x: &Fr) -> Result<(), Error> {
    if is_canonical(x) {
        return Ok(());
    }
    Err(Error::NonCanonicalScalar { vector: name.to_owned(), index: circuit })
}

fn size(circuit: usize, field: &str, found: usize, expected: String) -> Error {
    Error::Size { field: format!("provers[{circuit}].{field}"), found, expected }
}
