//! Arithmetic in the scalar field, with blst underneath.

use crate::curve::{Fr, FR_ONE};

/// x − y.
#[inline(always)]
pub(super) fn sub(x: &Fr, y: &Fr) -> Fr {
    let mut out = Fr::default();
    // SAFETY: two elements are read, one is written; any limbs are allowed.
    unsafe { blst::blst_fr_sub(&mut out, x, y) };
    out
}

/// x · y.
#[inline(always)]
pub(super) fn mul(x: &Fr, y: &Fr) -> Fr {
    let mut out = Fr::default();
    // SAFETY: as in `sub`.
    unsafe { blst::blst_fr_mul(&mut out, x, y) };
    out
}

/// x ·= y.
#[inline(always)]
pub(super) fn multiply(x: &mut Fr, y: &Fr) {
    // SAFETY: as in `sub`; the result may be one of the inputs.
    unsafe { blst::blst_fr_mul(x, x, y) };
}

/// x −= y.
#[inline(always)]
pub(super) fn subtract(x: &mut Fr, y: &Fr) {
    // SAFETY: as in `multiply`.
    unsafe { blst::blst_fr_sub(x, x, y) };
}

/// (x, y) = (x − twiddle·y, x + twiddle·y). Written in place, as all that runs often here: see [`Coordinate`].
///
/// [`Coordinate`]: super::group::Coordinate
#[inline(always)]
pub(super) fn butterfly(x: &mut Fr, y: &mut Fr, twiddle: &Fr) {
    let t = mul(y, twiddle);
    // SAFETY: as in `multiply`.
    unsafe {
        blst::blst_fr_add(y, x, &t);
        blst::blst_fr_sub(x, x, &t);
    }
}

/// (x, y) = (x + y, twiddle·(x − y)).
#[inline(always)]
pub(super) fn inverse_butterfly(x: &mut Fr, y: &mut Fr, twiddle: &Fr) {
    let t = sub(x, y);
    // SAFETY: as in `multiply`.
    unsafe {
        blst::blst_fr_add(x, x, y);
        blst::blst_fr_mul(y, &t, twiddle);
    }
}

/// (x, y) = (x + y, x − y).
#[inline(always)]
pub(super) fn sum_and_difference(x: &mut Fr, y: &mut Fr) {
    let t = *y;
    // SAFETY: as in `multiply`.
    unsafe {
        blst::blst_fr_sub(y, x, &t);
        blst::blst_fr_add(x, x, &t);
    }
}

/// 1 / x, and 0 for x = 0.
pub(super) fn inverse(x: &Fr) -> Fr {
    let mut out = Fr::default();
    // SAFETY: as in `sub`.
    unsafe { blst::blst_fr_inverse(&mut out, x) };
    out
}

/// x as an integer below r, little-endian limbs.
#[inline(always)]
pub(super) fn to_integer(x: &Fr) -> [u64; 4] {
    let mut limbs = [0u64; 4];
    // SAFETY: four limbs are written, one element is read.
    unsafe { blst::blst_uint64_from_fr(limbs.as_mut_ptr(), x) };
    limbs
}

/// The integer `n` as a scalar.
pub(super) fn from_u64(n: u64) -> Fr {
    let mut out = Fr::default();
    // SAFETY: four limbs are read, one element is written.
    unsafe { blst::blst_fr_from_uint64(&mut out, [n, 0, 0, 0].as_ptr()) };
    out
}

/// x to the power of the integer in the limbs `exponent`, least significant first.
pub(super) fn pow(x: &Fr, exponent: &[u64]) -> Fr {
    let mut out = FR_ONE;
    for limb in exponent.iter().rev() {
        for bit in (0..64).rev() {
            out = mul(&out, &out);
            if limb >> bit & 1 == 1 {
                out = mul(&out, x);
            }
        }
    }
    out
}

/// x + y.
#[cfg(test)]
pub(super) fn add(x: &Fr, y: &Fr) -> Fr {
    let mut out = Fr::default();
    // SAFETY: as in `sub`.
    unsafe { blst::blst_fr_add(&mut out, x, y) };
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::FR_MODULUS;

    #[test]
    fn powers_and_inverses() {
        let seven = from_u64(7);
        assert_eq!(pow(&seven, &[3]), from_u64(343));
        assert_eq!(pow(&seven, &[0, 0]), FR_ONE);
        assert_eq!(mul(&seven, &inverse(&seven)), FR_ONE);
        // Fermat: the exponent is the integer r.
        assert_eq!(pow(&seven, &FR_MODULUS), seven);
        assert_eq!(to_integer(&sub(&from_u64(3), &from_u64(5)))[0], FR_MODULUS[0] - 2);
        assert_eq!(to_integer(&add(&seven, &seven)), [14, 0, 0, 0]);
    }
}
