//! A constraint system that only counts.

use bellpepper_core::{ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;
use ff::Field;

/// What bellperson's prover and generator count: with each public input comes a constraint, and a query has a point for each
/// variable that occurs in it.
#[derive(Default)]
pub struct Count {
    constraints: usize,
    inputs: usize,
    aux: usize,
    a_aux: Bits,
    b_inputs: Bits,
    b_aux: Bits,
}

/// Bits that are set once, and how many are.
#[derive(Default)]
struct Bits {
    words: Vec<u64>,
    ones: usize,
}

impl Bits {
    fn set(&mut self, i: usize) {
        if self.words.len() <= i / 64 {
            self.words.resize((i / 64 + 1).next_power_of_two(), 0);
        }
        let (word, bit) = (&mut self.words[i / 64], 1 << (i % 64));
        self.ones += usize::from(*word & bit == 0);
        *word |= bit;
    }
}

impl Count {
    /// With the constant one, which is an input.
    pub fn begin() -> Self {
        Self { inputs: 1, ..Self::default() }
    }

    /// log2 of the domain, constraints, inputs, private variables, points of the a and of the b query.
    pub fn sizes(&self) -> [usize; 6] {
        let constraints = self.constraints + self.inputs;
        let log2 = constraints.next_power_of_two().trailing_zeros() as usize;
        let (a, b) = (self.inputs + self.a_aux.ones, self.b_inputs.ones + self.b_aux.ones);
        [log2, constraints, self.inputs, self.aux, a, b]
    }
}

impl ConstraintSystem<Scalar> for Count {
    type Root = Self;

    fn alloc<F, A, AR>(&mut self, _annotation: A, _value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux += 1;
        Ok(Variable::new_unchecked(Index::Aux(self.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _annotation: A, _value: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs += 1;
        Ok(Variable::new_unchecked(Index::Input(self.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _annotation: A, a: LA, b: LB, _c: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        let (a, b) = (a(LinearCombination::zero()), b(LinearCombination::zero()));
        occurring(a.iter_aux()).for_each(|i| self.a_aux.set(i));
        occurring(b.iter_aux()).for_each(|i| self.b_aux.set(i));
        occurring(b.iter_inputs()).for_each(|i| self.b_inputs.set(i));
        self.constraints += 1;
    }

    fn push_namespace<NR, N>(&mut self, _name: N)
    where
        NR: Into<String>,
        N: FnOnce() -> NR,
    {
    }

    fn pop_namespace(&mut self) {}

    fn get_root(&mut self) -> &mut Self {
        self
    }
}

fn occurring<'a>(terms: impl Iterator<Item = (&'a usize, &'a Scalar)> + 'a) -> impl Iterator<Item = usize> + 'a {
    terms.filter(|(_, coefficient)| !bool::from(coefficient.is_zero())).map(|(i, _)| *i)
}
