//! Proving: from a validated batch to proofs.

mod backend;
mod circuit;

pub(crate) use backend::Backend;
pub use backend::{Batch, Pending};
pub use circuit::{Blinding, Density, Evaluations, Witness};
