//! A circuit's input to the prover, as its plan says.

use blst::blst_fr;
use interlock::prove::{Blinding, Density, Evaluations, Witness};

use super::density::packed;
use super::plan::{Circuit, Queries, Shape};
use super::values::Mix;
use crate::inputs::Random;
use crate::scalar::mul;

/// The densities of a shape, as bits.
pub struct Densities {
    a_aux: Vec<bool>,
    /// Of the inputs, then of the private variables.
    b: Vec<bool>,
}

impl Densities {
    pub fn new(shape: &Shape) -> Self {
        let random = &mut Random(!shape.seed);
        let a_aux = shape.a_aux.bits(shape.aux, random);
        let mut b = shape.b_inp.bits(shape.inputs, random);
        b.extend(shape.b_aux.bits(shape.aux, random));
        Self { a_aux, b }
    }

    /// How many points each query has.
    pub fn counts(&self, shape: &Shape) -> Queries<usize> {
        let ones = |bits: &[bool]| bits.iter().filter(|bit| **bit).count();
        let b = ones(&self.b);
        Queries {
            ic: shape.inputs,
            h: (1 << shape.log2) - 1,
            l: shape.aux,
            a: shape.inputs + ones(&self.a_aux),
            b_g1: b,
            b_g2: b,
        }
    }
}

/// A circuit's input.
#[derive(Clone)]
pub struct Made {
    pub a_aux: Vec<u64>,
    pub b_inp: Vec<u64>,
    pub b_aux: Vec<u64>,
    pub a: Vec<blst_fr>,
    pub b: Vec<blst_fr>,
    pub c: Vec<blst_fr>,
    pub inp: Vec<blst_fr>,
    pub aux: Vec<blst_fr>,
    pub blinding: Blinding,
}

impl Made {
    pub fn new(shape: &Shape, circuit: &Circuit, densities: &Densities) -> Self {
        let random = &mut Random(circuit.seed);
        let (a_bits, b_bits) = (turned(&densities.a_aux, circuit.turned), turned(&densities.b, circuit.turned));
        let (b_inp, b_aux) = b_bits.split_at(shape.inputs);
        let mut vector = |mix: Mix, n: usize| mix.values(n, random);
        let (a, b) = (vector(circuit.a, circuit.constraints), vector(circuit.b, circuit.constraints));
        let c = match circuit.c {
            None => a.iter().zip(&b).map(|(a, b)| mul(a, b)).collect(),
            Some(mix) => vector(mix, circuit.constraints),
        };
        let (inp, aux) = (vector(circuit.inp, shape.inputs), vector(circuit.aux, shape.aux));
        let blinding = Blinding { r: circuit.r.value(random), s: circuit.s.value(random) };
        Self {
            a_aux: packed(&a_bits, random),
            b_inp: packed(b_inp, random),
            b_aux: packed(b_aux, random),
            a,
            b,
            c,
            inp,
            aux,
            blinding,
        }
    }

    pub fn evaluations(&self) -> Evaluations<'_> {
        Evaluations { a: &self.a, b: &self.b, c: &self.c }
    }

    pub fn witness(&self) -> Witness<'_> {
        Witness {
            inp: &self.inp,
            aux: &self.aux,
            a_aux_density: Density::new(&self.a_aux, self.aux.len()),
            b_inp_density: Density::new(&self.b_inp, self.inp.len()),
            b_aux_density: Density::new(&self.b_aux, self.aux.len()),
        }
    }
}

fn turned(bits: &[bool], by: usize) -> Vec<bool> {
    let mut bits = bits.to_vec();
    if !bits.is_empty() {
        let by = by % bits.len();
        bits.rotate_left(by);
    }
    bits
}
