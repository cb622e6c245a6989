//! Points whose discrete logarithms are known, so that any sum of them can be checked in Fr.

use blst::*;
use interlock::kit::{Group, Plain, G1, G2};
use interlock_bench_measure::ceilings::{G1_ADDITIONS, G2_ADDITIONS};
use rayon::prelude::*;

use crate::inputs::Random;
use crate::operations::blst_out;
use crate::scalar::{add, from_u64, mul};

/// A group with what blst knows of it.
pub trait Known:
    Group<Affine: Send + Sync + PartialEq + Default + std::fmt::Debug, Sum: Send, Jacobian: Send + Sync>
{
    const NAME: &'static str;
    /// Mixed additions a second, as the kernel that adds makes them by itself on an H200.
    const ADDITIONS: f64;
    fn multiple_of_generator(log: &blst_fr) -> Self::Jacobian;
    fn to_affine(points: &[Self::Jacobian]) -> Vec<Self::Affine>;
    fn negate(point: &Self::Affine) -> Self::Affine;
    fn encode(point: &Self::Affine) -> Vec<u8>;
    fn deserialize(bytes: &[u8]) -> (Self::Affine, BLST_ERROR);
}

macro_rules! known {
    ($group:ty, $name:literal, $additions:ident, $affine:ident, $affines:ident, $generator:ident, $mult:ident, $jacobian:ident,
     $from:ident, $cneg:ident, $serialize:ident, $deserialize:ident) => {
        impl Known for $group {
            const NAME: &'static str = $name;
            const ADDITIONS: f64 = $additions;

            fn multiple_of_generator(log: &blst_fr) -> $jacobian {
                let scalar = blst_out!(blst_scalar, blst_scalar_from_fr(log));
                blst_out!($jacobian, $mult($generator(), scalar.b.as_ptr(), 255))
            }
            fn to_affine(points: &[$jacobian]) -> Vec<$affine> {
                points
                    .par_chunks(1 << 12)
                    .flat_map_iter(|chunk| {
                        one_by_one_if_infinite(chunk, |p| is_zero(&p.z), |all| $affines::from(all).as_slice().to_vec())
                    })
                    .collect()
            }
            fn negate(point: &$affine) -> $affine {
                let mut jacobian = blst_out!($jacobian, $from(point));
                // SAFETY: one point, in place.
                unsafe { $cneg(&mut jacobian, true) };
                Self::to_affine(&[jacobian])[0]
            }
            fn encode(point: &$affine) -> Vec<u8> {
                let mut bytes = vec![0; Self::ENCODED];
                // SAFETY: the encoding has as many bytes.
                unsafe { $serialize(bytes.as_mut_ptr(), point) };
                bytes
            }
            fn deserialize(bytes: &[u8]) -> ($affine, BLST_ERROR) {
                let mut point = <$affine>::default();
                assert_eq!(bytes.len(), Self::ENCODED);
                // SAFETY: as many bytes are read, one point is written.
                let status = unsafe { $deserialize(&mut point, bytes.as_ptr()) };
                (point, status)
            }
        }
    };
}
known!(
    G1,
    "G1",
    G1_ADDITIONS,
    blst_p1_affine,
    p1_affines,
    blst_p1_generator,
    blst_p1_mult,
    blst_p1,
    blst_p1_from_affine,
    blst_p1_cneg,
    blst_p1_affine_serialize,
    blst_p1_deserialize
);
known!(
    G2,
    "G2",
    G2_ADDITIONS,
    blst_p2_affine,
    p2_affines,
    blst_p2_generator,
    blst_p2_mult,
    blst_p2,
    blst_p2_from_affine,
    blst_p2_cneg,
    blst_p2_affine_serialize,
    blst_p2_deserialize
);

fn is_zero<F: Default + PartialEq>(x: &F) -> bool {
    *x == F::default()
}

/// blst's conversion of many points at once divides by the product of their Z, which must not be 0.
fn one_by_one_if_infinite<J: Copy, A: Default>(
    points: &[J],
    is_infinity: impl Fn(&J) -> bool,
    convert: impl Fn(&[J]) -> Vec<A>,
) -> Vec<A> {
    if !points.iter().any(&is_infinity) {
        return convert(points);
    }
    let one = |p: &J| if is_infinity(p) { A::default() } else { convert(&[*p]).remove(0) };
    points.iter().map(one).collect()
}

/// Points and their logarithms.
pub struct Points<G: Known> {
    pub points: Vec<G::Affine>,
    pub logs: Vec<blst_fr>,
}

impl<G: Known> Points<G> {
    /// `n` points whose logarithms are an arithmetic progression from a random one on, by a random step.
    pub fn new(n: usize, random: &mut Random) -> Self {
        const CHUNK: usize = 1 << 12;
        let (first, step) = (scalar(random), scalar(random));
        let step_point = G::multiple_of_generator(&step);
        let chunks: Vec<usize> = (0..n).step_by(CHUNK).collect();
        let parts: Vec<(Vec<_>, Vec<_>)> = chunks
            .into_par_iter()
            .map(|start| {
                let mut log = add(&first, &mul(&step, &from_u64(start as u64)));
                let mut point = G::multiple_of_generator(&log);
                let (mut points, mut logs) = (Vec::new(), Vec::new());
                for _ in start..n.min(start + CHUNK) {
                    points.push(point);
                    logs.push(log);
                    point = G::add(&point, &step_point);
                    log = add(&log, &step);
                }
                (G::to_affine(&points), logs)
            })
            .collect();
        let mut all = Self { points: Vec::with_capacity(n), logs: Vec::with_capacity(n) };
        for (points, logs) in parts {
            all.points.extend(points);
            all.logs.extend(logs);
        }
        all
    }

    /// The multiple of the generator by Σ over `terms` of log[position]·scalar.
    pub fn expected(&self, terms: impl IndexedParallelIterator<Item = (usize, blst_fr)>) -> G::Jacobian {
        let logs = &self.logs;
        let sum = terms
            .map(|(position, scalar)| mul(&logs[position % logs.len()], &scalar))
            .reduce(blst_fr::default, |a, b| add(&a, &b));
        G::multiple_of_generator(&sum)
    }
}

/// Whether both are the same point.
pub fn is_same<G: Known>(p: &G::Jacobian, q: &G::Jacobian) -> bool {
    G::to_affine(&[*p]) == G::to_affine(&[*q])
}

/// A random scalar; Montgomery form.
pub fn scalar(random: &mut Random) -> blst_fr {
    // Below 2^254, and so below r.
    blst_fr { l: [random.word(), random.word(), random.word(), random.word() >> 2] }
}

pub fn scalars(n: usize, seed: u64) -> Vec<blst_fr> {
    (0..n)
        .into_par_iter()
        .with_min_len(1 << 12)
        .map(|i| scalar(&mut Random(seed ^ (i as u64).wrapping_mul(0x9e37_79b9_97f4_a7c1))))
        .collect()
}

/// What `interlock::kit` says went wrong.
pub fn told<T>(what: impl std::fmt::Display, result: Result<T, interlock::Error>) -> Result<T, String> {
    result.map_err(|error| format!("{what}: {error}"))
}

/// A buffer whose every byte is 1 bits, so that what is not written is seen.
pub fn poisoned<T: Plain>(
    len: usize,
    stream: &interlock::kit::Stream,
) -> Result<interlock::kit::DeviceBuffer<T>, interlock::Error> {
    // SAFETY: any bytes are a value of a plain type.
    let value: T = unsafe { std::mem::transmute_copy(&[[u8::MAX; 64]; 8]) };
    assert!(size_of::<T>() <= 512);
    interlock::kit::DeviceBuffer::from_host(&vec![value; len], stream)
}
