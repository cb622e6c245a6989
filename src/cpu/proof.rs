//! A proof from the sums of its queries.

use super::group::{Group, G1, G2};
use super::scalar::{mul, to_integer};
use crate::curve::{Fr, Proof};
use crate::params::Parameters;
use crate::prove::Blinding;

/// What the MSMs of a circuit come to, or some of their terms.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    /// Over the `h` query.
    pub(crate) h: blst::blst_p1,
    /// Over the `l` query.
    pub(crate) l: blst::blst_p1,
    /// Over the `a` query.
    pub(crate) a: blst::blst_p1,
    /// Over the `b` query in G1.
    pub(crate) b1: blst::blst_p1,
    /// Over the `b` query in G2.
    pub(crate) b2: blst::blst_p2,
}

/// A proof that grows with the sums of its queries, whatever their order:
/// A = α + r·δ + a, B = β + s·δ + b2 and C = s·a + r·b1 + rs·δ + s·α + r·β + h + l.
pub(crate) struct Unfinished {
    a: blst::blst_p1,
    b: blst::blst_p2,
    c: blst::blst_p1,
    /// r and s.
    factors: [[u64; 4]; 2],
}

impl Unfinished {
    /// One without any of the sums.
    pub(crate) fn new(blinding: &Blinding, srs: &Parameters) -> Self {
        let Blinding { r, s } = blinding;
        let c = [times::<G1>(&srs.delta_g1, &mul(r, s)), times::<G1>(&srs.alpha_g1, s), times::<G1>(&srs.beta_g1, r)];
        Self {
            a: G1::add_affine(&times::<G1>(&srs.delta_g1, r), &srs.alpha_g1),
            b: G2::add_affine(&times::<G2>(&srs.delta_g2, s), &srs.beta_g2),
            c: add_all::<G1>(&c),
            factors: [to_integer(r), to_integer(s)],
        }
    }

    /// Adds sums, those of some of the terms or of all.
    pub(crate) fn add(&mut self, sums: &Sums) {
        let [r, s] = &self.factors;
        self.a = G1::add(&self.a, &sums.a);
        self.b = G2::add(&self.b, &sums.b2);
        self.c = add_all::<G1>(&[self.c, product(&sums.a, s), product(&sums.b1, r), sums.h, sums.l]);
    }

    /// The proof, when all has been added.
    pub(crate) fn finish(&self) -> Proof {
        Proof { a: G1::to_affine(&self.a), b: G2::to_affine(&self.b), c: G1::to_affine(&self.c) }
    }
}

/// n·p, at once if p is infinity.
fn product(p: &blst::blst_p1, n: &[u64; 4]) -> blst::blst_p1 {
    if p.z.l == [0; 6] {
        return *p;
    }
    G1::multiply(p, n)
}

fn times<G: Group>(p: &G::Affine, x: &Fr) -> G::Jacobian {
    G::multiply(&G::from_affine(p), &to_integer(x))
}

fn add_all<G: Group>(points: &[G::Jacobian]) -> G::Jacobian {
    points.iter().fold(G::Jacobian::default(), |sum, p| G::add(&sum, p))
}
