//! The operations of `cuda/operations.cuh`, and blst's answer to each.

use blst::*;

/// One field element or point; the alignment is that of the kernels' types.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct One<T>(pub T);

/// Two field elements.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair<F> {
    pub a: F,
    pub b: F,
}

/// Two points in affine coordinates, each with the factor z ≠ 0 that scales its XYZZ coordinates.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Points<A, F> {
    pub p: A,
    pub q: A,
    pub zp: F,
    pub zq: F,
}

/// A name that the kernels know, and what blst makes of an input.
pub struct Operation<In, Out> {
    pub name: &'static str,
    pub reference: fn(&In) -> Out,
}

/// The value that one of blst's functions writes to its first argument.
macro_rules! blst_out {
    ($type:ty, $function:ident($($argument:expr),*)) => {{
        let mut out = <$type>::default();
        // SAFETY: blst writes one value, and reads one at each of the other pointers, which are borrows.
        unsafe { $function(&mut out, $($argument),*) };
        out
    }};
}
pub(crate) use blst_out;

macro_rules! field_operations {
    ($pairs:ident, $ones:ident, $type:ty, $prefix:literal, $one:expr, $add:ident, $sub:ident, $mul:ident, $sqr:ident, $cneg:ident, $inverse:ident) => {
        /// Those that take two elements.
        pub fn $pairs() -> Vec<Operation<Pair<$type>, One<$type>>> {
            vec![
                Operation { name: concat!($prefix, "_add"), reference: |v| One(blst_out!($type, $add(&v.a, &v.b))) },
                Operation {
                    name: concat!($prefix, "_subtract"),
                    reference: |v| One(blst_out!($type, $sub(&v.a, &v.b))),
                },
                Operation {
                    name: concat!($prefix, "_multiply"),
                    reference: |v| One(blst_out!($type, $mul(&v.a, &v.b))),
                },
                Operation {
                    name: concat!($prefix, "_equal"),
                    reference: |v| One(if v.a == v.b { $one } else { <$type>::default() }),
                },
            ]
        }

        /// Those that take one; the last is the inversion.
        pub fn $ones() -> Vec<Operation<One<$type>, One<$type>>> {
            vec![
                Operation { name: concat!($prefix, "_square"), reference: |v| One(blst_out!($type, $sqr(&v.0))) },
                Operation {
                    name: concat!($prefix, "_negate"),
                    reference: |v| One(blst_out!($type, $cneg(&v.0, true))),
                },
                Operation { name: concat!($prefix, "_double"), reference: |v| One(blst_out!($type, $add(&v.0, &v.0))) },
                Operation { name: concat!($prefix, "_invert"), reference: |v| One(blst_out!($type, $inverse(&v.0))) },
            ]
        }
    };
}

field_operations!(
    fp_pairs,
    fp_ones,
    blst_fp,
    "fp",
    fp_one(),
    blst_fp_add,
    blst_fp_sub,
    blst_fp_mul,
    blst_fp_sqr,
    blst_fp_cneg,
    blst_fp_inverse
);
field_operations!(
    fr_pairs,
    fr_ones,
    blst_fr,
    "fr",
    fr_one(),
    blst_fr_add,
    blst_fr_sub,
    blst_fr_mul,
    blst_fr_sqr,
    blst_fr_cneg,
    blst_fr_inverse
);
field_operations!(
    fp2_pairs,
    fp2_ones,
    blst_fp2,
    "fp2",
    fp2_one(),
    blst_fp2_add,
    blst_fp2_sub,
    blst_fp2_mul,
    blst_fp2_sqr,
    blst_fp2_cneg,
    blst_fp2_inverse
);

/// Products in Fr with a number whose quotient is kept beside it: of an element, of one with the modulus added, and the negative.
pub fn fr_multiplier_pairs() -> Vec<Operation<Pair<blst_fr>, One<blst_fr>>> {
    fn product(v: &Pair<blst_fr>) -> blst_fr {
        blst_out!(blst_fr, blst_fr_mul(&v.a, &v.b))
    }
    vec![
        Operation { name: "fr_multiply_by", reference: |v| One(product(v)) },
        Operation { name: "fr_multiply_unreduced_by", reference: |v| One(product(v)) },
        Operation {
            name: "fr_multiply_by_negative",
            reference: |v| One(blst_out!(blst_fr, blst_fr_cneg(&product(v), true))),
        },
    ]
}

/// Those of Fp in digits of 39 bits that take two elements.
pub fn fp39_pairs() -> Vec<Operation<Pair<blst_fp>, One<blst_fp>>> {
    renamed(fp_pairs(), &["fp39_add", "fp39_subtract", "fp39_multiply", "fp39_equal"])
}

/// Those that take one.
pub fn fp39_ones() -> Vec<Operation<One<blst_fp>, One<blst_fp>>> {
    renamed(fp_ones(), &["fp39_square", "fp39_negate", "fp39_double"])
}

/// Sums and differences of points by it: of a sum and a point, and of two points.
pub fn g1_39_operations() -> Vec<Operation<Points<blst_p1_affine, blst_fp>, One<blst_p1_affine>>> {
    let names = ["g1_add_mixed_39", "g1_add_affine_39", "g1_subtract_mixed_39", "g1_subtract_affine_39"];
    renamed(g1_operations(), &names)
}

/// The same in G2.
pub fn g2_39_operations() -> Vec<Operation<Points<blst_p2_affine, blst_fp2>, One<blst_p2_affine>>> {
    let names = ["g2_add_mixed_39", "g2_add_affine_39", "g2_subtract_mixed_39", "g2_subtract_affine_39"];
    renamed(g2_operations(), &names)
}

/// The first operations under other names.
fn renamed<In, Out>(operations: Vec<Operation<In, Out>>, names: &[&'static str]) -> Vec<Operation<In, Out>> {
    operations.into_iter().zip(names).map(|(operation, name)| Operation { name, ..operation }).collect()
}

/// 1 in Montgomery form.
pub fn fp_one() -> blst_fp {
    blst_out!(blst_fp, blst_fp_from_uint64([1, 0, 0, 0, 0, 0].as_ptr()))
}

/// 1 in Montgomery form.
pub fn fr_one() -> blst_fr {
    blst_out!(blst_fr, blst_fr_from_uint64([1, 0, 0, 0].as_ptr()))
}

/// 1.
pub fn fp2_one() -> blst_fp2 {
    blst_fp2 { fp: [fp_one(), blst_fp::default()] }
}

macro_rules! curve_operations {
    ($operations:ident, $affine:ty, $field:ty, $jacobian:ty, $prefix:literal, $from:ident, $add:ident, $cneg:ident, $double:ident, $to:ident) => {
        /// Sums, differences and doubles, in affine coordinates.
        pub fn $operations() -> Vec<Operation<Points<$affine, $field>, One<$affine>>> {
            type In = Points<$affine, $field>;
            fn sum(v: &In, negate: bool) -> One<$affine> {
                let p = blst_out!($jacobian, $from(&v.p));
                let mut q = blst_out!($jacobian, $from(&v.q));
                // SAFETY: `q` is one point.
                unsafe { $cneg(&mut q, negate) };
                let sum = blst_out!($jacobian, $add(&p, &q));
                One(blst_out!($affine, $to(&sum)))
            }
            vec![
                Operation { name: concat!($prefix, "_add_mixed"), reference: |v| sum(v, false) },
                Operation { name: concat!($prefix, "_add_full"), reference: |v| sum(v, false) },
                Operation { name: concat!($prefix, "_subtract_mixed"), reference: |v| sum(v, true) },
                Operation { name: concat!($prefix, "_subtract_full"), reference: |v| sum(v, true) },
                Operation {
                    name: concat!($prefix, "_double"),
                    reference: |v| {
                        let p = blst_out!($jacobian, $from(&v.p));
                        let double = blst_out!($jacobian, $double(&p));
                        One(blst_out!($affine, $to(&double)))
                    },
                },
            ]
        }
    };
}

curve_operations!(
    g1_operations,
    blst_p1_affine,
    blst_fp,
    blst_p1,
    "g1",
    blst_p1_from_affine,
    blst_p1_add_or_double,
    blst_p1_cneg,
    blst_p1_double,
    blst_p1_to_affine
);
curve_operations!(
    g2_operations,
    blst_p2_affine,
    blst_fp2,
    blst_p2,
    "g2",
    blst_p2_from_affine,
    blst_p2_add_or_double,
    blst_p2_cneg,
    blst_p2_double,
    blst_p2_to_affine
);
