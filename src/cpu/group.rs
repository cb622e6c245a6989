//! G1 and G2 as one trait, with blst underneath.

use crate::curve::{G1Affine, G2Affine};

/// The field of a group's coordinates.
pub(super) trait Coordinate: Copy + Default + PartialEq + Send + Sync {
    /// 1.
    const ONE: Self;
    /// x + y.
    fn add(&self, y: &Self) -> Self;
    /// x − y.
    fn sub(&self, y: &Self) -> Self;
    /// x · y.
    fn mul(&self, y: &Self) -> Self;
    /// x².
    fn square(&self) -> Self;
    /// 1 / x, and 0 for x = 0.
    fn inverse(&self) -> Self;
}

/// A group of points y² = x³ + b without points of order 2. An affine point whose y is 0 stands for infinity.
pub(super) trait Group: Sized + 'static {
    /// The field of the coordinates.
    type Coordinate: Coordinate;
    /// A point in affine coordinates.
    type Affine: Copy + Default + PartialEq + Send + Sync;
    /// A point in Jacobian coordinates; the default is infinity.
    type Jacobian: Copy + Default + PartialEq + Send + Sync;

    /// The point (x, y).
    fn from_coordinates(x: Self::Coordinate, y: Self::Coordinate) -> Self::Affine;
    /// x and y.
    fn coordinates(p: &Self::Affine) -> (&Self::Coordinate, &Self::Coordinate);
    /// The same point in Jacobian coordinates.
    fn from_affine(p: &Self::Affine) -> Self::Jacobian;
    /// The same point in affine coordinates.
    fn to_affine(p: &Self::Jacobian) -> Self::Affine;
    /// p + q, whatever they are.
    fn add(p: &Self::Jacobian, q: &Self::Jacobian) -> Self::Jacobian;
    /// p + q, whatever they are.
    fn add_affine(p: &Self::Jacobian, q: &Self::Affine) -> Self::Jacobian;
    /// 2p.
    fn double(p: &Self::Jacobian) -> Self::Jacobian;
    /// n·p for an integer n below 2^255, little-endian limbs, in constant time.
    fn multiply(p: &Self::Jacobian, n: &[u64; 4]) -> Self::Jacobian;

    /// Whether p is infinity.
    #[inline(always)]
    fn is_infinity(p: &Self::Affine) -> bool {
        *Self::coordinates(p).1 == Self::Coordinate::default()
    }

    /// −p.
    #[inline(always)]
    fn negate(p: &Self::Affine) -> Self::Affine {
        let (x, y) = Self::coordinates(p);
        Self::from_coordinates(*x, Self::Coordinate::default().sub(y))
    }
}

/// The group of G1.
pub(super) struct G1;
/// The group of G2.
pub(super) struct G2;

const FP_ONE: blst::blst_fp = blst::blst_fp {
    l: [
        0x7609_0000_0002_fffd,
        0xebf4_000b_c40c_0002,
        0x5f48_9857_53c7_58ba,
        0x77ce_5853_7052_5745,
        0x5c07_1a97_a256_ec6d,
        0x15f6_5ec3_fa80_e493,
    ],
};

/// Calls a function of blst that writes one element and reads the others.
macro_rules! call {
    ($function:ident, $($input:expr),+) => {{
        let mut out = Default::default();
        // SAFETY: blst writes one element to `out` and reads one from each reference; any limbs are allowed.
        unsafe { blst::$function(&mut out, $($input),+) };
        out
    }};
}

macro_rules! coordinate {
    ($field:ty, $one:expr, $add:ident, $sub:ident, $mul:ident, $square:ident, $inverse:ident) => {
        impl Coordinate for $field {
            const ONE: Self = $one;
            #[inline(always)]
            fn add(&self, y: &Self) -> Self {
                call!($add, self, y)
            }
            #[inline(always)]
            fn sub(&self, y: &Self) -> Self {
                call!($sub, self, y)
            }
            #[inline(always)]
            fn mul(&self, y: &Self) -> Self {
                call!($mul, self, y)
            }
            #[inline(always)]
            fn square(&self) -> Self {
                call!($square, self)
            }
            fn inverse(&self) -> Self {
                call!($inverse, self)
            }
        }
    };
}

coordinate!(blst::blst_fp, FP_ONE, blst_fp_add, blst_fp_sub, blst_fp_mul, blst_fp_sqr, blst_fp_inverse);
coordinate!(
    blst::blst_fp2,
    blst::blst_fp2 { fp: [FP_ONE, blst::blst_fp { l: [0; 6] }] },
    blst_fp2_add,
    blst_fp2_sub,
    blst_fp2_mul,
    blst_fp2_sqr,
    blst_fp2_inverse
);

macro_rules! group {
    ($group:ty, $affine:ty, $jacobian:ty, $field:ty, $from_affine:ident, $to_affine:ident, $add:ident, $add_affine:ident,
     $double:ident, $multiply:ident) => {
        impl Group for $group {
            type Coordinate = $field;
            type Affine = $affine;
            type Jacobian = $jacobian;

            #[inline(always)]
            fn from_coordinates(x: $field, y: $field) -> $affine {
                let mut out = <$affine>::default();
                (out.x, out.y) = (x, y);
                out
            }
            #[inline(always)]
            fn coordinates(p: &$affine) -> (&$field, &$field) {
                (&p.x, &p.y)
            }
            fn from_affine(p: &$affine) -> $jacobian {
                call!($from_affine, p)
            }
            fn to_affine(p: &$jacobian) -> $affine {
                call!($to_affine, p)
            }
            #[inline(always)]
            fn add(p: &$jacobian, q: &$jacobian) -> $jacobian {
                call!($add, p, q)
            }
            #[inline(always)]
            fn add_affine(p: &$jacobian, q: &$affine) -> $jacobian {
                call!($add_affine, p, q)
            }
            fn double(p: &$jacobian) -> $jacobian {
                call!($double, p)
            }
            fn multiply(p: &$jacobian, n: &[u64; 4]) -> $jacobian {
                let bytes: [[u8; 8]; 4] = n.map(u64::to_le_bytes);
                call!($multiply, p, bytes.as_flattened().as_ptr(), 255)
            }
        }
    };
}

group!(
    G1,
    G1Affine,
    blst::blst_p1,
    blst::blst_fp,
    blst_p1_from_affine,
    blst_p1_to_affine,
    blst_p1_add_or_double,
    blst_p1_add_or_double_affine,
    blst_p1_double,
    blst_p1_mult
);
group!(
    G2,
    G2Affine,
    blst::blst_p2,
    blst::blst_fp2,
    blst_p2_from_affine,
    blst_p2_to_affine,
    blst_p2_add_or_double,
    blst_p2_add_or_double_affine,
    blst_p2_double,
    blst_p2_mult
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::random::Random;

    fn laws<G: Group>(p: G::Affine, q: G::Affine) {
        let (x, y) = G::coordinates(&p);
        assert!(*x == x.mul(&G::Coordinate::ONE) && *y == y.add(&G::Coordinate::default()));
        assert!(x.mul(&x.inverse()) == G::Coordinate::ONE && x.square() == x.mul(x));
        let jacobian = G::from_affine(&p);
        assert!(G::to_affine(&jacobian) == p);
        assert!(G::add_affine(&jacobian, &p) == G::double(&jacobian));
        assert!(G::add_affine(&jacobian, &G::negate(&p)) == G::Jacobian::default());
        assert!(G::add(&jacobian, &G::from_affine(&q)) == G::add_affine(&jacobian, &q));
        assert!(G::multiply(&jacobian, &[3, 0, 0, 0]) == G::add(&jacobian, &G::double(&jacobian)));
        assert!(G::is_infinity(&G::to_affine(&G::Jacobian::default())) && !G::is_infinity(&p));
        assert!(G::add_affine(&G::Jacobian::default(), &p) == jacobian);
        assert!(G::add_affine(&jacobian, &G::Affine::default()) == jacobian);
    }

    #[test]
    fn groups_are_groups() {
        let mut random = Random::new(5);
        let (p, q) = (random.g1(2), random.g2(2));
        laws::<G1>(p[0], p[1]);
        laws::<G2>(q[0], q[1]);
    }
}
