//! How large a circuit is.

use bellperson::{Circuit, ConstraintSystem, Index, LinearCombination, SynthesisError, Variable};
use blstrs::Scalar;

/// The numbers that a prover cares about.
#[derive(Clone, Copy, Default)]
pub struct Size {
    /// Constraints, with those that Groth16 adds, one an input.
    pub constraints: usize,
    /// Public inputs, with the constant one.
    pub inputs: usize,
    /// Private variables.
    pub aux: usize,
}

impl Size {
    /// The size of `circuit`.
    pub fn of(circuit: impl Circuit<Scalar>) -> Result<Self, SynthesisError> {
        let mut size = Self::new();
        circuit.synthesize(&mut size)?;
        size.constraints += size.inputs;
        Ok(size)
    }

    /// log2 of the domain's size.
    pub fn domain_log2(&self) -> u32 {
        self.constraints.next_power_of_two().ilog2()
    }
}

/// Counts, and forgets what it counted.
impl ConstraintSystem<Scalar> for Size {
    type Root = Self;

    fn new() -> Self {
        Self { inputs: 1, ..Self::default() }
    }

    fn alloc<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.aux += 1;
        Ok(Variable::new_unchecked(Index::Aux(self.aux - 1)))
    }

    fn alloc_input<F, A, AR>(&mut self, _: A, _: F) -> Result<Variable, SynthesisError>
    where
        F: FnOnce() -> Result<Scalar, SynthesisError>,
        A: FnOnce() -> AR,
        AR: Into<String>,
    {
        self.inputs += 1;
        Ok(Variable::new_unchecked(Index::Input(self.inputs - 1)))
    }

    fn enforce<A, AR, LA, LB, LC>(&mut self, _: A, _: LA, _: LB, _: LC)
    where
        A: FnOnce() -> AR,
        AR: Into<String>,
        LA: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LB: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
        LC: FnOnce(LinearCombination<Scalar>) -> LinearCombination<Scalar>,
    {
        self.constraints += 1;
    }

    fn push_namespace<NR, N>(&mut self, _: N)
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
