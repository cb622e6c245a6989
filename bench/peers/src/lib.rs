//! A made circuit with the shape and the mix of values of a proof of replication, at any size.
//!
//! Private variables, constraints and coefficients follow from their numbers alone, so that every prover's executable makes the same
//! circuit for itself. For a domain of m there are m − m/34 constraints, 328 inputs and m − m/33 private variables, 99.7 % of
//! which occur in A and 25.4 % in B. Constraint j is (coefficient · variable) · (variable) = constant.

use blst::blst_fr as Fr;

mod cpu_time;
pub use cpu_time::CpuTime;

/// 1 in Montgomery form.
pub const ONE: Fr =
    Fr { l: [0x0000_0001_ffff_fffe, 0x5884_b7fa_0003_4802, 0x998c_4fef_ecbc_4ff5, 0x1824_b159_acc5_056f] };

/// One constraint: (a_coefficient · a_variable + spare) · (b_variable, or the constant one) = c.
#[derive(Clone, Copy, Debug)]
pub struct Constraint {
    /// Number of the private variable in A.
    pub a_variable: usize,
    /// Its coefficient.
    pub a_coefficient: Fr,
    /// A private variable of value 0 that occurs in A only here.
    pub spare: Option<usize>,
    /// Number of the private variable in B; `None` for the constant one.
    pub b_variable: Option<usize>,
    /// The constant on the right-hand side.
    pub c: Fr,
}

/// The circuit for a domain of 2^k.
#[derive(Clone, Debug)]
pub struct Made {
    /// Public inputs, the constant one first.
    pub inputs: Vec<Fr>,
    /// Private variables.
    pub aux: Vec<Fr>,
    /// All constraints but the ones that the proof system adds, one an input.
    pub constraints: Vec<Constraint>,
    /// Blinds A.
    pub r: Fr,
    /// Blinds B.
    pub s: Fr,
}

const IN_A_PER_THOUSAND: u64 = 997;
const IN_B_PER_THOUSAND: u64 = 254;

impl Made {
    /// Makes it.
    ///
    /// # Panics
    /// If k is below 8: there would be no room for constraints beside the inputs.
    pub fn new(k: u32) -> Self {
        assert!(k >= 8, "the made circuit needs a domain of 2^8 at least");
        let m = 1usize << k;
        let inputs: Vec<Fr> =
            (0..328.min(m / 8)).map(|i| if i == 0 { ONE } else { full_size(hash(0, i as u64)) }).collect();
        let constraints = m - m / 34 - inputs.len();
        let aux: Vec<Fr> = (0..m - m / 33).map(|i| if i < constraints { value(i) } else { Fr::default() }).collect();
        let in_b: Vec<usize> = (0..aux.len()).filter(|i| in_b(*i)).collect();
        let small_in_b: Vec<usize> =
            in_b.iter().copied().filter(|i| aux[*i] == ONE || aux[*i] == Fr::default()).collect();
        let constraint = |j: usize| {
            let candidate = j % aux.len();
            // Variables outside A leave their constraint to the first one.
            let a_variable = if in_a(candidate) { candidate } else { 0 };
            let h = hash(2, j as u64);
            let a_coefficient = if h % 1000 < 384 { ONE } else { full_size(h) };
            let b_variable = match j {
                0 => None,
                _ if j <= in_b.len() => Some(in_b[j - 1]),
                _ => Some(small_in_b[j % small_in_b.len()]),
            };
            let a = multiply(&a_coefficient, &aux[a_variable]);
            let c = multiply(&a, &b_variable.map_or(ONE, |i| aux[i]));
            let spare = Some(constraints + j).filter(|i| *i < aux.len() && in_a(*i));
            Constraint { a_variable, a_coefficient, spare, b_variable, c }
        };
        let constraints = (0..constraints).map(constraint).collect();
        Self { inputs, aux, constraints, r: full_size(hash(3, 0)), s: full_size(hash(3, 1)) }
    }

    /// The values of A, B and C, the constraints of the inputs last.
    pub fn evaluations(&self) -> [Vec<Fr>; 3] {
        let a = self.constraints.iter().map(|c| multiply(&c.a_coefficient, &self.aux[c.a_variable]));
        let b = self.constraints.iter().map(|c| c.b_variable.map_or(ONE, |i| self.aux[i]));
        let zeros = || self.inputs.iter().map(|_| Fr::default());
        [
            a.chain(self.inputs.iter().copied()).collect(),
            b.chain(zeros()).collect(),
            self.constraints.iter().map(|c| c.c).chain(zeros()).collect(),
        ]
    }

    /// Which private variables occur in A and in B, and which inputs in B, 64 in a word.
    pub fn densities(&self) -> [Vec<u64>; 3] {
        let mut a = vec![0; self.aux.len().div_ceil(64)];
        let mut b = a.clone();
        let mut b_inputs = vec![0; self.inputs.len().div_ceil(64)];
        for constraint in &self.constraints {
            set(&mut a, constraint.a_variable);
            constraint.spare.iter().for_each(|i| set(&mut a, *i));
            match constraint.b_variable {
                Some(i) => set(&mut b, i),
                None => set(&mut b_inputs, 0),
            }
        }
        [a, b, b_inputs]
    }
}

/// Points that the parameters are made of: multiples 1, 2, … of the generator, over and over. They satisfy no
/// equation of a trusted set-up, and a proof made with them verifies nowhere; the work is the same.
pub const TILE: usize = 1 << 14;

fn in_a(i: usize) -> bool {
    i == 0 || hash(4, i as u64) % 1000 < IN_A_PER_THOUSAND
}

fn in_b(i: usize) -> bool {
    hash(5, i as u64) % 1000 < IN_B_PER_THOUSAND
}

/// 51.3 % zeros, 47.1 % ones and 1.6 % others; 47.9, 47.4 and 4.6 % where the variable occurs in B.
fn value(i: usize) -> Fr {
    let h = hash(1, i as u64);
    let (zeros, ones) = if in_b(i) { (479, 953) } else { (524, 994) };
    match h % 1000 {
        x if x < zeros => Fr::default(),
        x if x < ones => ONE,
        _ => full_size(h),
    }
}

fn set(words: &mut [u64], i: usize) {
    words[i / 64] |= 1 << (i % 64);
}

/// A mixing of two numbers (splitmix64).
fn hash(stream: u64, i: u64) -> u64 {
    let mut x = i.wrapping_mul(8).wrapping_add(stream + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn full_size(seed: u64) -> Fr {
    let limbs = [hash(6, seed), hash(7, seed), hash(6, !seed), hash(7, !seed) >> 2];
    let mut out = Fr::default();
    // SAFETY: four limbs are read, one element is written.
    unsafe { blst::blst_fr_from_uint64(&mut out, limbs.as_ptr()) };
    out
}

fn multiply(x: &Fr, y: &Fr) -> Fr {
    let mut out = Fr::default();
    // SAFETY: two elements are read, one is written.
    unsafe { blst::blst_fr_mul(&mut out, x, y) };
    out
}
