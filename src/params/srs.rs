//! The decoded parameters of one circuit.

use crate::curve::{G1Affine, G2Affine};

/// The proving parameters of a circuit, every coordinate and the curve equation checked, in memory.
///
/// Lengths: `h` has m − 1 points (m a power of two, the domain's size), `ic` one an input, `l` one a private variable,
/// `a` one an input and one for each private variable in its density, `b_g1` and `b_g2` the same number.
#[derive(Debug)]
pub struct Parameters {
    /// α in G1.
    pub alpha_g1: G1Affine,
    /// β in G1.
    pub beta_g1: G1Affine,
    /// β in G2.
    pub beta_g2: G2Affine,
    /// δ in G1.
    pub delta_g1: G1Affine,
    /// δ in G2.
    pub delta_g2: G2Affine,
    /// Number of public inputs, the constant one included. (The points of `ic` and γ serve verification only; they are checked and not kept.)
    pub inputs: usize,
    /// The `h` query.
    pub h: Vec<G1Affine>,
    /// The `l` query.
    pub l: Vec<G1Affine>,
    /// The `a` query: all inputs, then the private variables of the a density.
    pub a: Vec<G1Affine>,
    /// The `b` query in G1: the inputs, then the private variables, of the b densities.
    pub b_g1: Vec<G1Affine>,
    /// The `b` query in G2.
    pub b_g2: Vec<G2Affine>,
}

impl Parameters {
    /// log2 of the domain's size m.
    pub fn domain_log2(&self) -> u32 {
        (self.h.len() + 1).trailing_zeros()
    }

    /// The domain's size m.
    pub fn domain_size(&self) -> usize {
        self.h.len() + 1
    }

    /// Bytes of the points held in memory.
    pub fn bytes(&self) -> usize {
        (self.h.len() + self.l.len() + self.a.len() + self.b_g1.len()) * size_of::<G1Affine>()
            + self.b_g2.len() * size_of::<G2Affine>()
    }
}
