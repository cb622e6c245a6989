//! What the two `supraseal-c2` crates have in common. Each includes it by path, so that there is only one crate to swap
//! in.

mod assignment;
pub(crate) mod error;
pub(crate) mod prove;
mod srs;

pub use assignment::Assignment;
pub(crate) use assignment::SameShape;
pub use error::Error;
pub use prove::generate_groth16_proofs;
pub use srs::SRS;
