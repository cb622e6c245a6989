//! When the synthesis of a circuit ends: what comes after it, up to the proof, is proving.

use std::sync::OnceLock;
use std::time::Instant;

use bellperson::{Circuit, ConstraintSystem, SynthesisError};
use blstrs::Scalar;

/// A circuit that notes when it has been synthesised.
pub struct Timed<'a, C> {
    /// The circuit.
    pub circuit: C,
    /// When its synthesis ended.
    pub synthesized: &'a OnceLock<Instant>,
}

impl<C: Circuit<Scalar>> Circuit<Scalar> for Timed<'_, C> {
    fn synthesize<CS: ConstraintSystem<Scalar>>(self, cs: &mut CS) -> Result<(), SynthesisError> {
        self.circuit.synthesize(cs)?;
        self.synthesized.get_or_init(Instant::now);
        Ok(())
    }
}
