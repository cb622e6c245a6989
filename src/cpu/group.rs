//! G1 and G2 as one trait, with blst underneath.

use crate::curve::{call, G1Affine, G2Affine};

/// The field of a group's coordinates. Results are written where they are to stay: returned by value they would be copied
/// 16 bytes at a time right after 8-byte stores, which stalls (measured on Zen 5: a seventh of an MSM).
pub(super) trait Coordinate: Copy + Default + PartialEq + Send + Sync {
    /// 1.
    const ONE: Self;
    /// self = x + y.
    fn set_sum(&mut self, x: &Self, y: &Self);
    /// self = x − y.
    fn set_difference(&mut self, x: &Self, y: &Self);
    /// self = x · y.
    fn set_product(&mut self, x: &Self, y: &Self);
    /// self = x².
    fn set_square(&mut self, x: &Self);
    /// self −= x.
    fn subtract(&mut self, x: &Self);
    /// self ·= x.
    fn multiply(&mut self, x: &Self);
    /// self = −self.
    fn negate(&mut self);
    /// 1 / self, and 0 for 0.
    fn inverse(&self) -> Self;
    /// Whether self is 0.
    fn is_zero(&self) -> bool;
}

/// A group of points y² = x³ + b without points of order 2. An affine point whose y is 0 stands for infinity.
pub(super) trait Group: Sized + 'static {
    /// The field of the coordinates.
    type Coordinate: Coordinate;
    /// A point in affine coordinates.
    type Affine: Copy + Default + PartialEq + Send + Sync;
    /// A point in Jacobian coordinates; the default is infinity.
    type Jacobian: Copy + Default + PartialEq + Send + Sync;

    /// x and y.
    fn coordinates(p: &Self::Affine) -> (&Self::Coordinate, &Self::Coordinate);
    /// x and y, to be changed.
    fn coordinates_mut(p: &mut Self::Affine) -> (&mut Self::Coordinate, &mut Self::Coordinate);
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
        Self::coordinates(p).1.is_zero()
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

macro_rules! coordinate {
    ($field:ty, $one:expr, $is_zero:expr, $add:ident, $sub:ident, $mul:ident, $square:ident, $cneg:ident, $inverse:ident) => {
        // SAFETY of every call here: blst reads one element from each input and writes one, which may be one of them.
        impl Coordinate for $field {
            const ONE: Self = $one;
            #[inline(always)]
            fn set_sum(&mut self, x: &Self, y: &Self) {
                // SAFETY: as above.
                unsafe { blst::$add(self, x, y) }
            }
            #[inline(always)]
            fn set_difference(&mut self, x: &Self, y: &Self) {
                // SAFETY: as above.
                unsafe { blst::$sub(self, x, y) }
            }
            #[inline(always)]
            fn set_product(&mut self, x: &Self, y: &Self) {
                // SAFETY: as above.
                unsafe { blst::$mul(self, x, y) }
            }
            #[inline(always)]
            fn set_square(&mut self, x: &Self) {
                // SAFETY: as above.
                unsafe { blst::$square(self, x) }
            }
            #[inline(always)]
            fn subtract(&mut self, x: &Self) {
                // SAFETY: as above.
                unsafe { blst::$sub(self, self, x) }
            }
            #[inline(always)]
            fn multiply(&mut self, x: &Self) {
                // SAFETY: as above.
                unsafe { blst::$mul(self, self, x) }
            }
            #[inline(always)]
            fn negate(&mut self) {
                // SAFETY: as above.
                unsafe { blst::$cneg(self, self, true) }
            }
            fn inverse(&self) -> Self {
                call!($inverse, self)
            }
            #[inline(always)]
            fn is_zero(&self) -> bool {
                $is_zero(self)
            }
        }
    };
}

/// One limb decides nearly always.
#[inline(always)]
fn fp_is_zero(x: &blst::blst_fp) -> bool {
    x.l[0] == 0 && x.l[1..] == [0; 5]
}

coordinate!(
    blst::blst_fp,
    FP_ONE,
    fp_is_zero,
    blst_fp_add,
    blst_fp_sub,
    blst_fp_mul,
    blst_fp_sqr,
    blst_fp_cneg,
    blst_fp_inverse
);
coordinate!(
    blst::blst_fp2,
    blst::blst_fp2 { fp: [FP_ONE, blst::blst_fp { l: [0; 6] }] },
    |x: &Self| fp_is_zero(&x.fp[0]) && fp_is_zero(&x.fp[1]),
    blst_fp2_add,
    blst_fp2_sub,
    blst_fp2_mul,
    blst_fp2_sqr,
    blst_fp2_cneg,
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
            fn coordinates(p: &$affine) -> (&$field, &$field) {
                (&p.x, &p.y)
            }
            #[inline(always)]
            fn coordinates_mut(p: &mut $affine) -> (&mut $field, &mut $field) {
                (&mut p.x, &mut p.y)
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
        let (zero, one) = (G::Coordinate::default(), G::Coordinate::ONE);
        let mut z = zero;
        z.set_product(x, &one);
        assert!(z == *x);
        z.multiply(&x.inverse());
        assert!(z == one && !z.is_zero() && zero.is_zero());
        z.set_square(x);
        z.multiply(&x.inverse());
        assert!(z == *x);
        z.set_sum(x, y);
        z.subtract(x);
        assert!(z == *y);
        z.set_difference(&zero, y);
        z.negate();
        assert!(z == *y);
        let mut opposite = p;
        G::coordinates_mut(&mut opposite).1.negate();
        let jacobian = G::from_affine(&p);
        assert!(G::to_affine(&jacobian) == p);
        assert!(G::add_affine(&jacobian, &p) == G::double(&jacobian));
        assert!(G::add_affine(&jacobian, &opposite) == G::Jacobian::default());
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
