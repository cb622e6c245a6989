//! What the bellperson packages prove. Each compiles it against its own version of bellperson.

mod case;
mod circuit;

pub use case::{seeded, Case};
pub use circuit::Preimage;
