//! Every operation against blst.

use rayon::prelude::*;

use crate::inputs::{self, Random};
use crate::operations::{self, Operation};

/// What does the operations: the host or a device.
pub trait Engine {
    /// The operation of this name of each input.
    ///
    /// # Errors
    /// What went wrong, in words.
    fn run<In: Plain, Out: Plain + Default>(&self, name: &str, input: &[In]) -> Result<Vec<Out>, String>;
}

/// What crosses to an engine and back: any bytes are a value, and there is no padding.
#[cfg(device)]
pub use interlock::kit::Plain;

/// What crosses to an engine and back: any bytes are a value, and there is no padding.
///
/// # Safety
/// As it says.
#[cfg(not(device))]
pub unsafe trait Plain: Copy {}

/// Runs every operation on `n` inputs, those with an inversion on at most a sixteenth of that, and returns how many were compared.
///
/// # Errors
/// The first result that is not blst's, or what else went wrong.
pub fn all(engine: &impl Engine, n: usize, seed: u64) -> Result<usize, String> {
    let mut random = Random(seed);
    let few = n.div_ceil(16).max(n.min(700));
    let mut compared = 0;
    macro_rules! field {
        ($pairs:ident, $ones:ident) => {
            let input = inputs::pairs(n, &mut random);
            for operation in operations::$pairs() {
                compared += compare(engine, &operation, &input)?;
            }
            let input = inputs::ones(n, &mut random);
            for operation in operations::$ones() {
                let n = if operation.name.ends_with("invert") { few } else { n };
                compared += compare(engine, &operation, &input[..n])?;
            }
        };
    }
    field!(fp_pairs, fp_ones);
    field!(fp39_pairs, fp39_ones);
    field!(fr_pairs, fr_ones);
    let input = inputs::pairs(n, &mut random);
    for operation in operations::fr_multiplier_pairs() {
        compared += compare(engine, &operation, &input)?;
    }
    field!(fp2_pairs, fp2_ones);
    for operation in operations::g1_operations() {
        compared += compare(engine, &operation, &inputs::g1_points(few, &mut random))?;
    }
    for operation in operations::g1_39_operations() {
        compared += compare(engine, &operation, &inputs::g1_points(few, &mut random))?;
    }
    for operation in operations::g2_operations() {
        compared += compare(engine, &operation, &inputs::g2_points(few, &mut random))?;
    }
    for operation in operations::g2_39_operations() {
        compared += compare(engine, &operation, &inputs::g2_points(few, &mut random))?;
    }
    Ok(compared)
}

fn compare<In, Out>(engine: &impl Engine, operation: &Operation<In, Out>, input: &[In]) -> Result<usize, String>
where
    In: Plain + Sync + std::fmt::Debug,
    Out: Plain + Default + Sync + PartialEq + std::fmt::Debug,
{
    let output: Vec<Out> = engine.run(operation.name, input)?;
    let wrong = (input, &output).into_par_iter().find_first(|(input, output)| (operation.reference)(input) != **output);
    match wrong {
        None => Ok(output.len()),
        Some((input, output)) => Err(format!(
            "{} of {input:x?}\n is {output:x?}\n but blst says {:x?}",
            operation.name,
            (operation.reference)(input)
        )),
    }
}
