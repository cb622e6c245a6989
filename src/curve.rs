//! The types of BLS12-381 as they cross the ABI.
//!
//! blst's own types are used throughout: they have exactly the layout that callers pass (little-endian 64-bit limbs,
//! Montgomery form, R = 2^256 for `Fr` and 2^384 for the coordinates), so nothing is converted at the boundary.

/// A scalar: 4 × u64 little-endian limbs in Montgomery form (R = 2^256), canonical, 32 bytes.
pub type Fr = blst::blst_fr;
/// A point of G1 in affine coordinates: x, y in Montgomery form (R = 2^384), 96 bytes. Infinity is all zeros.
pub type G1Affine = blst::blst_p1_affine;
/// A point of G2 in affine coordinates: x.c0, x.c1, y.c0, y.c1 in Montgomery form, 192 bytes. Infinity is all zeros.
pub type G2Affine = blst::blst_p2_affine;

/// A Groth16 proof: A (G1), B (G2), C (G1), 384 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// A = α + r·δ + Σ a.
    pub a: G1Affine,
    /// B = β + s·δ + Σ b, in G2.
    pub b: G2Affine,
    /// C = s·A + r·B1 − rs·δ + H + L.
    pub c: G1Affine,
}

impl Proof {
    /// The 192 bytes of the ZCash compressed encoding that verifiers take: A (48), B (96), C (48).
    pub fn to_compressed(&self) -> [u8; 192] {
        let mut out = [0u8; 192];
        // SAFETY: blst writes 48, 96 and 48 bytes at offsets 0, 48 and 144 of a 192-byte array.
        unsafe {
            blst::blst_p1_affine_compress(out.as_mut_ptr(), &self.a);
            blst::blst_p2_affine_compress(out.as_mut_ptr().add(48), &self.b);
            blst::blst_p1_affine_compress(out.as_mut_ptr().add(144), &self.c);
        }
        out
    }
}

/// The group order r, little-endian limbs.
pub const FR_MODULUS: [u64; 4] =
    [0xffff_ffff_0000_0001, 0x53bd_a402_fffe_5bfe, 0x3339_d808_09a1_d805, 0x73ed_a753_299d_7d48];

/// 1 in `Fr`, in Montgomery form.
pub const FR_ONE: Fr =
    Fr { l: [0x0000_0001_ffff_fffe, 0x5884_b7fa_0003_4802, 0x998c_4fef_ecbc_4ff5, 0x1824_b159_acc5_056f] };

/// Whether the limbs of `x` are below the modulus, as every element of `Fr` must be.
pub fn is_canonical(x: &Fr) -> bool {
    for i in (0..4).rev() {
        if x.l[i] != FR_MODULUS[i] {
            return x.l[i] < FR_MODULUS[i];
        }
    }
    false
}

/// Calls a function of blst that writes one element and reads the others.
macro_rules! call {
    ($function:ident, $($input:expr),+) => {{
        let mut out = Default::default();
        // SAFETY: blst writes one element to `out` and reads one from each reference; any limbs are allowed.
        unsafe { blst::$function(&mut out, $($input),+) };
        out
    }};
}
pub(crate) use call;

const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<Fr>() == 32 && align_of::<Fr>() == 8);
    assert!(offset_of!(Fr, l) == 0);
    assert!(size_of::<G1Affine>() == 96 && align_of::<G1Affine>() == 8);
    assert!(offset_of!(G1Affine, x) == 0);
    assert!(offset_of!(G1Affine, y) == 48);
    assert!(size_of::<G2Affine>() == 192 && align_of::<G2Affine>() == 8);
    assert!(offset_of!(G2Affine, x) == 0);
    assert!(offset_of!(G2Affine, y) == 96);
    assert!(size_of::<Proof>() == 384 && align_of::<Proof>() == 8);
    assert!(offset_of!(Proof, a) == 0);
    assert!(offset_of!(Proof, b) == 96);
    assert!(offset_of!(Proof, c) == 288);
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_blsts() {
        let mut one = Fr::default();
        // SAFETY: four limbs are read and one element is written.
        unsafe { blst::blst_fr_from_uint64(&mut one, [1u64, 0, 0, 0].as_ptr()) };
        assert_eq!(one, FR_ONE);
        // r − 1 is canonical for blst, r is not.
        let mut s = blst::blst_scalar::default();
        let mut limbs = FR_MODULUS;
        // SAFETY: `limbs` has four limbs.
        unsafe {
            blst::blst_scalar_from_uint64(&mut s, limbs.as_ptr());
            assert!(!blst::blst_scalar_fr_check(&s));
            limbs[0] -= 1;
            blst::blst_scalar_from_uint64(&mut s, limbs.as_ptr());
            assert!(blst::blst_scalar_fr_check(&s));
        }
        assert!(!is_canonical(&Fr { l: FR_MODULUS }));
        assert!(is_canonical(&Fr { l: limbs }));
        assert!(!is_canonical(&Fr { l: [u64::MAX; 4] }));
        assert!(is_canonical(&Fr { l: [0; 4] }));
    }
}
