//! Repeatable inputs for tests.

use super::scalar;
use crate::curve::{Fr, G1Affine, G2Affine};

/// A xorshift generator.
pub(crate) struct Random(u64);

impl Random {
    /// A generator that always yields the same sequence for the same `seed`.
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// 64 bits.
    pub(crate) fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A full-size scalar.
    pub(crate) fn scalar(&mut self) -> Fr {
        let limbs = [self.word(), self.word(), self.word(), self.word() >> 2];
        let mut out = Fr::default();
        // SAFETY: four limbs below 2^254 are read, one element is written.
        unsafe { blst::blst_fr_from_uint64(&mut out, limbs.as_ptr()) };
        // A product is spread over all of the field, above 2^254 too.
        scalar::mul(&out, &out)
    }

    /// `n` full-size scalars.
    pub(crate) fn scalars(&mut self, n: usize) -> Vec<Fr> {
        (0..n).map(|_| self.scalar()).collect()
    }

    /// `n` multiples of the generator of G1.
    pub(crate) fn g1(&mut self, n: usize) -> Vec<G1Affine> {
        (0..n)
            .map(|_| {
                let (mut point, mut out) = (blst::blst_p1::default(), G1Affine::default());
                // SAFETY: a 64-bit scalar of 8 bytes is read; the outputs are one point each.
                unsafe {
                    let scalar = self.word().to_le_bytes();
                    blst::blst_p1_mult(&mut point, blst::blst_p1_generator(), scalar.as_ptr(), 64);
                    blst::blst_p1_to_affine(&mut out, &point);
                }
                out
            })
            .collect()
    }

    /// `n` multiples of the generator of G2.
    pub(crate) fn g2(&mut self, n: usize) -> Vec<G2Affine> {
        (0..n)
            .map(|_| {
                let (mut point, mut out) = (blst::blst_p2::default(), G2Affine::default());
                // SAFETY: as in `g1`.
                unsafe {
                    let scalar = self.word().to_le_bytes();
                    blst::blst_p2_mult(&mut point, blst::blst_p2_generator(), scalar.as_ptr(), 64);
                    blst::blst_p2_to_affine(&mut out, &point);
                }
                out
            })
            .collect()
    }
}
