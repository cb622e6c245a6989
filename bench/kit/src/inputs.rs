//! What the operations are tried on: values at which carries, borrows and special cases happen, and random ones.

use blst::*;

use crate::operations::{blst_out, fp_one, fr_one, One, Pair, Points};

/// SplitMix64: the same inputs every time, from a seed that is printed with each failure.
pub struct Random(pub u64);

impl Random {
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.word() % n as u64) as usize
    }

    /// One of `choices`.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// A prime field as limbs; any limbs below the modulus are an element's.
pub trait Prime: Copy + Default {
    const LIMBS: usize;
    fn from_limbs(limbs: &[u64]) -> Self;
    fn limbs(&self) -> Vec<u64>;
    fn minus(&self, other: &Self) -> Self;
    fn one() -> Self;

    /// The modulus, from 0 − 1.
    fn modulus() -> Vec<u64> {
        let mut unit = vec![0; Self::LIMBS];
        unit[0] = 1;
        let mut limbs = Self::default().minus(&Self::from_limbs(&unit)).limbs();
        limbs[0] += 1;
        limbs
    }
}

macro_rules! prime {
    ($type:ty, $limbs:literal, $sub:ident, $one:expr) => {
        impl Prime for $type {
            const LIMBS: usize = $limbs;
            fn from_limbs(limbs: &[u64]) -> Self {
                let mut value = Self::default();
                value.l.copy_from_slice(limbs);
                value
            }
            fn limbs(&self) -> Vec<u64> {
                self.l.to_vec()
            }
            fn minus(&self, other: &Self) -> Self {
                blst_out!($type, $sub(self, other))
            }
            fn one() -> Self {
                $one
            }
        }
    };
}
prime!(blst_fp, 6, blst_fp_sub, fp_one());
prime!(blst_fr, 4, blst_fr_sub, fr_one());

fn is_below(a: &[u64], b: &[u64]) -> bool {
    a.iter().rev().lt(b.iter().rev())
}

/// Elements at the edges: 0, 1, the modulus less little, 1 and −1 in Montgomery form, powers of two and their neighbours.
pub fn edges<F: Prime>() -> Vec<F> {
    let modulus = F::modulus();
    let bits = 64 * F::LIMBS - modulus[F::LIMBS - 1].leading_zeros() as usize;
    let number = |n: u64| {
        let mut limbs = vec![0; F::LIMBS];
        limbs[0] = n;
        F::from_limbs(&limbs)
    };
    let zero = F::default();
    let mut values = vec![F::one(), zero.minus(&F::one())];
    for n in [0, 1, 2, 3, u64::from(u32::MAX), u64::MAX] {
        values.extend([number(n), zero.minus(&number(n))]);
    }
    for bit in (0..bits - 1).filter(|bit| bit % 32 == 0 || bit % 32 == 31 || bit % 11 == 0) {
        let mut limbs = vec![0; F::LIMBS];
        limbs[bit / 64] = 1 << (bit % 64);
        let power = F::from_limbs(&limbs);
        values.extend([power, power.minus(&number(1)), zero.minus(&power)]);
    }
    values
}

/// A random element; every second one of words that carry most.
pub fn random<F: Prime>(random: &mut Random) -> F {
    let modulus = F::modulus();
    let nasty = random.word() % 2 == 0;
    loop {
        let mut limbs: Vec<u64> = (0..F::LIMBS).map(|_| random.word()).collect();
        if nasty {
            for i in 0..F::LIMBS {
                let half = |random: &mut Random, of: u64| match random.below(6) {
                    0 => 0,
                    1 => 1,
                    2 => u64::from(u32::MAX),
                    3 => 1 << 31,
                    4 => of,
                    _ => random.word() & u64::from(u32::MAX),
                };
                limbs[i] = half(random, modulus[i] & u64::from(u32::MAX)) | half(random, modulus[i] >> 32) << 32;
            }
        }
        limbs[F::LIMBS - 1] &= u64::MAX >> modulus[F::LIMBS - 1].leading_zeros();
        if is_below(&limbs, &modulus) {
            return F::from_limbs(&limbs);
        }
    }
}

/// Elements of a field of the tower: its edges, and random ones.
pub trait Field: Copy + Default + PartialEq {
    fn edges() -> Vec<Self>;
    fn random(random: &mut Random) -> Self;
}

impl Field for blst_fp {
    fn edges() -> Vec<Self> {
        edges()
    }
    fn random(source: &mut Random) -> Self {
        random(source)
    }
}

impl Field for blst_fr {
    fn edges() -> Vec<Self> {
        edges()
    }
    fn random(source: &mut Random) -> Self {
        random(source)
    }
}

impl Field for blst_fp2 {
    fn edges() -> Vec<Self> {
        let parts = [blst_fp::default(), fp_one(), blst_fp::default().minus(&fp_one()), edges::<blst_fp>()[4]];
        parts.iter().flat_map(|c0| parts.map(|c1| blst_fp2 { fp: [*c0, c1] })).collect()
    }
    fn random(source: &mut Random) -> Self {
        blst_fp2 { fp: [random(source), random(source)] }
    }
}

/// `n` elements, the edges first.
pub fn ones<F: Field>(n: usize, random: &mut Random) -> Vec<One<F>> {
    let mut values: Vec<F> = F::edges();
    values.truncate(n);
    while values.len() < n {
        values.push(F::random(random));
    }
    values.into_iter().map(One).collect()
}

/// `n` pairs: half of them of edges, in an order that has all of these early, among them equal ones.
pub fn pairs<F: Field>(n: usize, random: &mut Random) -> Vec<Pair<F>> {
    let edges = F::edges();
    let e = edges.len();
    let of_edges = (0..e).flat_map(|shift| (0..e).map(move |i| (i, (i + shift) % e)));
    let mut values: Vec<_> = of_edges.take(n / 2).map(|(i, j)| Pair { a: edges[i], b: edges[j] }).collect();
    while values.len() < n {
        let a = F::random(random);
        let b = if random.below(64) == 0 { a } else { F::random(random) };
        values.push(Pair { a, b });
    }
    values
}

macro_rules! points {
    ($name:ident, $affine:ty, $jacobian:ty, $field:ty, $generator:ident, $mult:ident, $cneg:ident, $to:ident) => {
        /// `n` pairs of points: any two of a few, their negatives and infinity, so that equal and opposite ones abound.
        pub fn $name(n: usize, random: &mut Random) -> Vec<Points<$affine, $field>> {
            let mut pool = vec![<$affine>::default()];
            for _ in 0..12 {
                let scalar: Vec<u8> = (0..31).map(|_| random.word() as u8).collect();
                // SAFETY: blst's generator is one point.
                let generator = unsafe { *$generator() };
                let mut point = blst_out!($jacobian, $mult(&generator, scalar.as_ptr(), 8 * scalar.len()));
                pool.push(blst_out!($affine, $to(&point)));
                // SAFETY: `point` is one point.
                unsafe { $cneg(&mut point, true) };
                pool.push(blst_out!($affine, $to(&point)));
            }
            let z = |random: &mut Random| loop {
                let z = <$field>::random(random);
                if z != <$field>::default() {
                    return z;
                }
            };
            (0..n)
                .map(|i| Points {
                    p: pool[i % pool.len()],
                    q: pool[i / pool.len() % pool.len()],
                    zp: z(random),
                    zq: z(random),
                })
                .collect()
        }
    };
}
points!(g1_points, blst_p1_affine, blst_p1, blst_fp, blst_p1_generator, blst_p1_mult, blst_p1_cneg, blst_p1_to_affine);
points!(g2_points, blst_p2_affine, blst_p2, blst_fp2, blst_p2_generator, blst_p2_mult, blst_p2_cneg, blst_p2_to_affine);
