//! Arithmetic in the scalar field by blst.

use blst::*;

use crate::operations::{blst_out, fr_one};

/// x + y.
pub fn add(x: &blst_fr, y: &blst_fr) -> blst_fr {
    blst_out!(blst_fr, blst_fr_add(x, y))
}

/// x − y.
pub fn sub(x: &blst_fr, y: &blst_fr) -> blst_fr {
    blst_out!(blst_fr, blst_fr_sub(x, y))
}

/// x · y.
pub fn mul(x: &blst_fr, y: &blst_fr) -> blst_fr {
    blst_out!(blst_fr, blst_fr_mul(x, y))
}

/// −x.
pub fn negative(x: &blst_fr) -> blst_fr {
    blst_out!(blst_fr, blst_fr_cneg(x, true))
}

/// 1 / x; 0 for x = 0.
pub fn inverse(x: &blst_fr) -> blst_fr {
    blst_out!(blst_fr, blst_fr_eucl_inverse(x))
}

/// The integer `n` as a scalar.
pub fn from_u64(n: u64) -> blst_fr {
    blst_out!(blst_fr, blst_fr_from_uint64([n, 0, 0, 0].as_ptr()))
}

/// The element in whose place in memory stands the integer that `x` stands for.
pub fn integer(x: &blst_fr) -> blst_fr {
    let mut of = blst_fr::default();
    // SAFETY: it writes four words.
    unsafe { blst_uint64_from_fr(of.l.as_mut_ptr(), x) };
    of
}

/// The inverse of [`integer`].
pub fn from_integer(x: &blst_fr) -> blst_fr {
    blst_out!(blst_fr, blst_fr_from_uint64(x.l.as_ptr()))
}

/// x^exponent.
pub fn power(x: &blst_fr, mut exponent: usize) -> blst_fr {
    let (mut result, mut square) = (fr_one(), *x);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = mul(&result, &square);
        }
        square = mul(&square, &square);
        exponent >>= 1;
    }
    result
}

/// A root of unity of order 2^log2: 7^((r − 1) / 2^32) to the power of 2^(32 − log2).
pub fn root_of_unity(log2: u32) -> blst_fr {
    const ODD_PART: [u64; 4] = [0xfffe_5bfe_ffff_ffff, 0x09a1_d805_53bd_a402, 0x299d_7d48_3339_d808, 0x73ed_a753];
    let mut root = fr_one();
    for word in ODD_PART.iter().rev() {
        for bit in (0..64).rev() {
            root = mul(&root, &root);
            if word >> bit & 1 == 1 {
                root = mul(&root, &from_u64(7));
            }
        }
    }
    power(&root, 1 << (32 - log2))
}
