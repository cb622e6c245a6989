//! Whether sppark's results are right, by blst.

use blst::{blst_p1, blst_p1_affine};

use crate::calls::Msm;
use crate::field::{add, from_u64, inverse, mul, root_of_unity, squared, sub, Fr};

/// Different points.
pub const TILE: usize = 1 << 16;

/// [`TILE`] points, each the double of the one before; the first is the generator.
pub fn tile() -> Vec<blst_p1_affine> {
    // SAFETY: the generator is a constant.
    let mut point = unsafe { *blst::blst_p1_generator() };
    let mut points = Vec::with_capacity(TILE);
    for _ in 0..TILE {
        points.push(point);
        // SAFETY: one point, in place.
        unsafe { blst::blst_p1_double(&mut point, &point) };
    }
    let mut affine = vec![blst_p1_affine::default(); TILE];
    // SAFETY: the list of pointers ends with null: all points follow the first. None is infinity, whose Z would be 0.
    unsafe { blst::blst_p1s_to_affine(affine.as_mut_ptr(), [points.as_ptr(), std::ptr::null()].as_ptr(), TILE) };
    affine
}

/// Whether the sum is that of the points of [`tile`], over and over.
pub fn is_right(msm: &Msm) -> bool {
    let mut factors = vec![Fr::default(); TILE];
    for scalars in msm.scalars.chunks(TILE) {
        for (factor, scalar) in factors.iter_mut().zip(scalars) {
            *factor = add(factor, scalar);
        }
    }
    // By Horner's rule, as the logarithms are powers of 2.
    let log = factors.iter().rev().fold(Fr::default(), |sum, factor| add(&add(&sum, &sum), factor));
    let (mut scalar, mut expected) = (blst::blst_scalar::default(), blst_p1::default());
    // SAFETY: a scalar of 255 bits is written and read, one point is written, two are compared.
    unsafe {
        blst::blst_scalar_from_fr(&mut scalar, &log);
        blst::blst_p1_mult(&mut expected, blst::blst_p1_generator(), scalar.b.as_ptr(), 255);
        blst::blst_p1_is_equal(&expected, &msm.sum)
    }
}

/// Whether h = (a·b − c) / (x^m − 1) at the coset's first point, 7, for the polynomials of these values over the domain of 2^`log2` points.
pub fn is_quotient(log2: u32, values: &[Vec<Fr>; 3], h: &[Fr]) -> bool {
    let seven = from_u64(7);
    let z = sub(&squared(&seven, log2), &from_u64(1));
    let root = root_of_unity(log2);
    let mut sums = [Fr::default(); 3];
    let mut power = from_u64(1);
    for j in 0..h.len() {
        let weight = mul(&power, &inverse(&sub(&seven, &power)));
        for (sum, values) in sums.iter_mut().zip(values) {
            *sum = add(sum, &mul(&values[j], &weight));
        }
        power = mul(&power, &root);
    }
    let scale = mul(&z, &inverse(&from_u64(1 << log2)));
    let [a, b, c] = sums.map(|sum| mul(&sum, &scale));
    let at_seven = h.iter().rev().fold(Fr::default(), |sum, coefficient| add(&mul(&sum, &seven), coefficient));
    mul(&at_seven, &z) == sub(&mul(&a, &b), &c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_that_of_its_terms() {
        let scalars: Vec<Fr> =
            (0..2 * TILE as u64).map(|i| from_u64(u64::from(i == 1 || i == TILE as u64 + 2))).collect();
        // 2·G + 4·G.
        let (mut sum, six) = (blst_p1::default(), [6u8]);
        // SAFETY: three bits are read, one point is written.
        unsafe { blst::blst_p1_mult(&mut sum, blst::blst_p1_generator(), six.as_ptr(), 3) };
        let mut msm = Msm { scalars, sum, seconds: Vec::new() };
        assert!(is_right(&msm));
        msm.scalars[0] = from_u64(1);
        assert!(!is_right(&msm));
    }

    #[test]
    fn a_quotient_divides() {
        // a = x, b = x^3, c = 1 over four points: a·b − c = x^4 − 1, and h = 1.
        let root = root_of_unity(2);
        let power = |n: u32| (0..n).fold(from_u64(1), |power, _| mul(&power, &root));
        let values = [(0..4).map(power).collect(), (0..4).map(|j| power(3 * j)).collect(), vec![from_u64(1); 4]];
        let [zero, one] = [0, 1].map(from_u64);
        assert!(is_quotient(2, &values, &[one, zero, zero, zero]));
        assert!(!is_quotient(2, &values, &[zero, one, zero, zero]));
    }
}
