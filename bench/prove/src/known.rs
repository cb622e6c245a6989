//! Parameters whose discrete logarithms are known: point i of a query is 2^i times a random multiple of the generator. So points
//! cost a doubling each and are all different, sums over a query are sums in Fr, and the one over the `h` query is h's value at 2.

use interlock::curve::{Fr, G1Affine, G2Affine};

use crate::circuit::Densities;
use crate::scalar::{from_u64, mul, pow, Random};

/// The logarithm of each single point, and of the first point of each query.
#[derive(Clone, Copy, Debug)]
pub struct Logs {
    pub alpha: Fr,
    pub beta: Fr,
    pub gamma: Fr,
    pub delta: Fr,
    pub ic: Fr,
    pub h: Fr,
    pub l: Fr,
    pub a: Fr,
    pub b: Fr,
}

impl Logs {
    pub fn new() -> Self {
        let log = |i| Random(20).scalar(i);
        Self {
            alpha: log(0),
            beta: log(1),
            gamma: log(2),
            delta: log(3),
            ic: log(4),
            h: log(5),
            l: log(6),
            a: log(7),
            b: log(8),
        }
    }
}

/// The logarithm of point `i` of the query whose first has the logarithm `first`.
pub fn log(first: &Fr, i: usize) -> Fr {
    mul(first, &pow(&from_u64(2), i as u64))
}

/// How many points each query has.
#[derive(Clone, Copy, Debug)]
pub struct Counts {
    pub ic: usize,
    pub h: usize,
    pub l: usize,
    pub a: usize,
    pub b: usize,
}

impl Counts {
    pub fn of(densities: &Densities) -> Self {
        let sizes = densities.sizes;
        Self {
            ic: sizes.inputs,
            h: sizes.domain() - 1,
            l: sizes.aux,
            a: sizes.inputs + densities.a_aux().count_ones(),
            b: densities.b_inp().count_ones() + densities.b_aux().count_ones(),
        }
    }
}

/// A group as a parameter file holds it.
pub trait Group {
    type Affine: Clone + Default;
    /// Bytes of an encoded point.
    const BYTES: usize;
    /// The generator times `log`.
    fn multiple(log: &Fr) -> Self::Affine;
    /// The points with the logarithms `log`, 2·`log`, 4·`log` and so on, encoded one after the other in `out`.
    fn encode_doublings(log: &Fr, out: &mut [u8]);
}

pub struct G1;
pub struct G2;

macro_rules! group {
    ($group:ident, $affine:ident, $jacobian:ident, $bytes:literal, $generator:ident, $mult:ident, $double:ident, $to:ident, $all:ident,
     $serialize:ident) => {
        impl $group {
            fn jacobian(log: &Fr) -> blst::$jacobian {
                let (mut scalar, mut point) = (blst::blst_scalar::default(), blst::$jacobian::default());
                // SAFETY: a scalar of 255 bits is written and read, and one point is written.
                unsafe {
                    blst::blst_scalar_from_fr(&mut scalar, log);
                    blst::$mult(&mut point, blst::$generator(), scalar.b.as_ptr(), 255);
                }
                point
            }
        }

        impl Group for $group {
            type Affine = $affine;
            const BYTES: usize = $bytes;

            fn multiple(log: &Fr) -> $affine {
                let mut out = $affine::default();
                // SAFETY: one point is read, one is written.
                unsafe { blst::$to(&mut out, &Self::jacobian(log)) };
                out
            }

            fn encode_doublings(log: &Fr, out: &mut [u8]) {
                let n = out.len() / $bytes;
                let mut points = Vec::with_capacity(n);
                let mut point = Self::jacobian(log);
                for _ in 0..n {
                    points.push(point);
                    // SAFETY: one point, in place.
                    unsafe { blst::$double(&mut point, &point) };
                }
                let mut affine = vec![$affine::default(); n];
                // SAFETY: the list of pointers ends with null: all points follow the first. None is infinity, whose Z would be 0.
                unsafe { blst::$all(affine.as_mut_ptr(), [points.as_ptr(), std::ptr::null()].as_ptr(), n) };
                for (point, out) in affine.iter().zip(out.chunks_exact_mut($bytes)) {
                    // SAFETY: as many bytes are written as the encoding has.
                    unsafe { blst::$serialize(out.as_mut_ptr(), point) };
                }
            }
        }
    };
}
group!(
    G1,
    G1Affine,
    blst_p1,
    96,
    blst_p1_generator,
    blst_p1_mult,
    blst_p1_double,
    blst_p1_to_affine,
    blst_p1s_to_affine,
    blst_p1_affine_serialize
);
group!(
    G2,
    G2Affine,
    blst_p2,
    192,
    blst_p2_generator,
    blst_p2_mult,
    blst_p2_double,
    blst_p2_to_affine,
    blst_p2s_to_affine,
    blst_p2_affine_serialize
);

#[cfg(test)]
mod tests {
    use interlock::curve::FR_ONE;

    use super::*;

    #[test]
    fn doublings_have_their_logarithms() {
        fn check<G: Group<Affine: PartialEq + std::fmt::Debug>>() {
            let first = Logs::new().h;
            let mut chunk = vec![0; 5 * G::BYTES];
            G::encode_doublings(&log(&first, 70), &mut chunk);
            for i in 0..5 {
                let mut one = vec![0; G::BYTES];
                G::encode_doublings(&log(&first, 70 + i), &mut one);
                assert_eq!(chunk[i * G::BYTES..][..G::BYTES], one);
            }
        }
        check::<G1>();
        check::<G2>();
        assert_eq!(log(&FR_ONE, 65), mul(&from_u64(1 << 63), &from_u64(4)));
    }
}
