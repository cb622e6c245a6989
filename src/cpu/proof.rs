//! A proof from the sums of its queries.

use super::group::{Group, G1, G2};
use super::scalar::{mul, to_integer};
use crate::curve::{Fr, Proof};
use crate::params::Parameters;
use crate::prove::Blinding;

/// What the MSMs of a circuit come to.
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

/// A = α + r·δ + a, B = β + s·δ + b2 and C = s·a + r·b1 + rs·δ + s·α + r·β + h + l.
pub(crate) fn assemble(sums: &Sums, blinding: &Blinding, srs: &Parameters) -> Proof {
    let Blinding { r, s } = blinding;
    let a = add_all::<G1>(&[G1::from_affine(&srs.alpha_g1), times::<G1>(&srs.delta_g1, r), sums.a]);
    let b = add_all::<G2>(&[G2::from_affine(&srs.beta_g2), times::<G2>(&srs.delta_g2, s), sums.b2]);
    let c = add_all::<G1>(&[
        G1::multiply(&sums.a, &to_integer(s)),
        G1::multiply(&sums.b1, &to_integer(r)),
        times::<G1>(&srs.delta_g1, &mul(r, s)),
        times::<G1>(&srs.alpha_g1, s),
        times::<G1>(&srs.beta_g1, r),
        sums.h,
        sums.l,
    ]);
    Proof { a: G1::to_affine(&a), b: G2::to_affine(&b), c: G1::to_affine(&c) }
}

fn times<G: Group>(p: &G::Affine, x: &Fr) -> G::Jacobian {
    G::multiply(&G::from_affine(p), &to_integer(x))
}

fn add_all<G: Group>(points: &[G::Jacobian]) -> G::Jacobian {
    points.iter().fold(G::Jacobian::default(), |sum, p| G::add(&sum, p))
}
