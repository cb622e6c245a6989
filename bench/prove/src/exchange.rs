//! A circuit and its proof as a file that other provers read.
//!
//! Little-endian words of 64 bits: how many constraints, inputs and private variables there are; the densities a_aux, b_inp and
//! b_aux, 64 bits in a word; then the values, four words of Montgomery form each: inputs, private variables, a, b, c, r, s. The
//! proof's points A, B and C end it, in coordinates of six words in Montgomery form: 384 bytes.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use interlock::curve::{Fr, Proof};

use crate::circuit::Made;

/// Writes `made` and its `proof` at `path`, and returns the file's size.
pub fn write(path: &Path, made: &Made<'_>, proof: &Proof) -> io::Result<u64> {
    let Made { densities, inp, aux, a, b, c, blinding } = made;
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    words(&mut out, &[a.len(), inp.len(), aux.len()].map(|n| n as u64))?;
    for density in [&densities.a_aux, &densities.b_inp, &densities.b_aux] {
        words(&mut out, density)?;
    }
    for values in [inp, aux, a, b, c, &vec![blinding.r, blinding.s]] {
        scalars(&mut out, values)?;
    }
    for fp in [proof.a.x, proof.a.y, proof.b.x.fp[0], proof.b.x.fp[1], proof.b.y.fp[0], proof.b.y.fp[1]] {
        words(&mut out, &fp.l)?;
    }
    words(&mut out, &proof.c.x.l)?;
    words(&mut out, &proof.c.y.l)?;
    out.flush()?;
    Ok(out.get_ref().metadata()?.len())
}

fn words(out: &mut impl Write, words: &[u64]) -> io::Result<()> {
    words.iter().try_for_each(|word| out.write_all(&word.to_le_bytes()))
}

fn scalars(out: &mut impl Write, values: &[Fr]) -> io::Result<()> {
    values.iter().try_for_each(|value| words(out, &value.l))
}
