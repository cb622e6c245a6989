//! Scalars by blst.

pub use blst::blst_fr as Fr;

macro_rules! binary {
    ($(#[$doc:meta] $name:ident $blst:ident;)*) => {$(
        #[$doc]
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

/// x^(2^n).
pub fn squared(x: &Fr, n: u32) -> Fr {
    (0..n).fold(*x, |x, _| mul(&x, &x))
}

/// The root of unity whose powers are the domain of 2^`log2` points: 7^((r − 1) / 2^`log2`).
pub fn root_of_unity(log2: u32) -> Fr {
    // (r − 1) / 2^32, most significant word first.
    const ODD: [u64; 4] = [0x73ed_a753, 0x299d_7d48_3339_d808, 0x09a1_d805_53bd_a402, 0xfffe_5bfe_ffff_ffff];
    let bits = ODD.iter().flat_map(|word| (0..64).rev().map(move |bit| word >> bit & 1));
    let root = bits.fold(from_u64(1), |root, bit| {
        let square = mul(&root, &root);
        if bit == 1 {
            mul(&square, &from_u64(7))
        } else {
            square
        }
    });
    squared(&root, 32 - log2)
}
