//! Arithmetic in the scalar field by blst, and repeatable scalars.

use interlock::curve::{Fr, FR_ONE};

macro_rules! binary {
    ($(#[$doc:meta] $name:ident $blst:ident;)*) => {$(
        #[$doc]
        #[inline(always)]
        pub fn $name(x: &Fr, y: &Fr) -> Fr {
            let mut out = Fr::default();
            // SAFETY: two elements are read, one is written.
            unsafe { blst::$blst(&mut out, x, y) };
            out
        }
    )*};
}
binary! {
    /// x + y.
    add blst_fr_add;
    /// x − y.
    sub blst_fr_sub;
    /// x · y.
    mul blst_fr_mul;
}

/// 1 / x; 0 for x = 0.
pub fn inverse(x: &Fr) -> Fr {
    let mut out = Fr::default();
    // SAFETY: one element is read, one is written.
    unsafe { blst::blst_fr_inverse(&mut out, x) };
    out
}

/// The integer `n` as a scalar.
pub fn from_u64(n: u64) -> Fr {
    let mut out = Fr::default();
    // SAFETY: four limbs are read, one element is written.
    unsafe { blst::blst_fr_from_uint64(&mut out, [n, 0, 0, 0].as_ptr()) };
    out
}

/// x^n.
pub fn pow(x: &Fr, n: u64) -> Fr {
    let mut out = FR_ONE;
    for bit in (0..64 - n.leading_zeros()).rev() {
        out = mul(&out, &out);
        if n >> bit & 1 == 1 {
            out = mul(&out, x);
        }
    }
    out
}

/// The root of unity whose powers are the domain of 2^`log2` points, the one that Filecoin's proofs use: 7^((r − 1) / 2^`log2`).
pub fn root_of_unity(log2: u32) -> Fr {
    // (r − 1) / 2^32, least significant limb first.
    const ODD: [u64; 4] = [0xfffe_5bfe_ffff_ffff, 0x09a1_d805_53bd_a402, 0x299d_7d48_3339_d808, 0x73ed_a753];
    let seven = from_u64(7);
    let mut root = FR_ONE;
    for limb in ODD.iter().rev() {
        for bit in (0..64).rev() {
            root = mul(&root, &root);
            if limb >> bit & 1 == 1 {
                root = mul(&root, &seven);
            }
        }
    }
    for _ in log2..32 {
        root = mul(&root, &root);
    }
    root
}

/// Numbers that follow from a seed and their index alone, so that any thread can make any of them.
#[derive(Clone, Copy, Debug)]
pub struct Random(pub u64);

impl Random {
    /// Number `index`.
    #[inline]
    pub fn word(self, index: u64) -> u64 {
        // The finaliser of SplitMix64.
        let mut x = self.0.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// A number from 0 to 1, excluded.
    #[inline]
    pub fn fraction(self, index: u64) -> f64 {
        (self.word(index) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A full-size scalar.
    #[inline]
    pub fn scalar(self, index: u64) -> Fr {
        let word = |i| Self(self.0 ^ 0x5ca1_ab1e).word(4 * index + i);
        // Below 2^254, and so below r; in Montgomery form these are scalars of all sizes.
        Fr { l: [word(0), word(1), word(2), word(3) >> 2] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_of_unity_have_their_orders() {
        for log2 in [0, 1, 5, 20, 32] {
            let root = root_of_unity(log2);
            assert_eq!(pow(&root, 1 << log2), FR_ONE);
            assert!(log2 == 0 || pow(&root, 1 << (log2 - 1)) == sub(&Fr::default(), &FR_ONE));
        }
    }

    #[test]
    fn powers_and_inverses() {
        let x = Random(3).scalar(5);
        assert_eq!(pow(&x, 5), mul(&x, &mul(&mul(&x, &x), &mul(&x, &x))));
        assert_eq!(mul(&x, &inverse(&x)), FR_ONE);
        assert_eq!(sub(&add(&x, &x), &x), x);
    }
}
