//! Whether h is the quotient, by what all of its coefficients and all evaluations are at one point of the coset.

use blst::*;
use rayon::prelude::*;

use crate::inputs::Random;
use crate::operations::{blst_out, fr_one};

const CHUNK: usize = 1 << 12;

/// Checks a·b − c = h·(x^m − 1) at a point g·w^j, with a, b and c interpolated there by Lagrange's formula,
/// p(x) = (x^m − 1)/m · Σ p(w^i)·w^i / (x − w^i). `h` is in bit-reversed order.
///
/// # Errors
/// That it is not so.
pub fn check(log2: u32, evaluations: [&[blst_fr]; 3], h: &[blst_fr], seed: u64) -> Result<(), String> {
    let m = 1usize << log2;
    let root = root_of_unity(log2);
    let j = Random(seed).word() as usize % m;
    let x = mul(&number(7), &power(&root, j));
    let vanishing = sub(&power(&x, m), &fr_one());
    let weights = weights(&root, &x, m);
    let scale = mul(&vanishing, &inverse(&number(m as u64)));
    let [a, b, c] = evaluations.map(|values| mul(&scale, &inner_product(values, &weights)));
    let powers = reversed_powers(&x, log2);
    let right = mul(&vanishing, &inner_product(h, &powers));
    if sub(&mul(&a, &b), &c) == right {
        Ok(())
    } else {
        Err(format!("h over 2^{log2} is not (a·b − c)/(x^m − 1) at the point {j} of the coset"))
    }
}

/// w^i / (x − w^i).
fn weights(root: &blst_fr, x: &blst_fr, m: usize) -> Vec<blst_fr> {
    let mut weights = vec![blst_fr::default(); m];
    weights.par_chunks_mut(CHUNK).enumerate().for_each(|(n, chunk)| {
        let mut points = Vec::with_capacity(chunk.len());
        let mut products = Vec::with_capacity(chunk.len());
        let (mut point, mut product) = (power(root, n * CHUNK), fr_one());
        for _ in 0..chunk.len() {
            points.push(point);
            products.push(product);
            product = mul(&product, &sub(x, &point));
            point = mul(&point, root);
        }
        let mut inverse = inverse(&product);
        for i in (0..chunk.len()).rev() {
            chunk[i] = mul(&points[i], &mul(&inverse, &products[i]));
            inverse = mul(&inverse, &sub(x, &points[i]));
        }
    });
    weights
}

/// x^rev(i), i < 2^log2.
fn reversed_powers(x: &blst_fr, log2: u32) -> Vec<blst_fr> {
    let mut powers = Vec::with_capacity(1 << log2);
    powers.push(fr_one());
    for bit in (0..log2).rev() {
        let factor = power(x, 1 << bit);
        let next: Vec<_> = powers.par_iter().map(|power| mul(power, &factor)).collect();
        powers.extend(next);
    }
    powers
}

fn inner_product(x: &[blst_fr], y: &[blst_fr]) -> blst_fr {
    let zero = blst_fr::default;
    (x, y).into_par_iter().fold(zero, |sum, (x, y)| add(&sum, &mul(x, y))).reduce(zero, |x, y| add(&x, &y))
}

/// A root of unity of order 2^log2: 7^((r − 1) / 2^32) to the power of 2^(32 − log2).
fn root_of_unity(log2: u32) -> blst_fr {
    const ODD_PART: [u64; 4] = [0xfffe_5bfe_ffff_ffff, 0x09a1_d805_53bd_a402, 0x299d_7d48_3339_d808, 0x73ed_a753];
    let mut root = fr_one();
    for word in ODD_PART.iter().rev() {
        for bit in (0..64).rev() {
            root = mul(&root, &root);
            if word >> bit & 1 == 1 {
                root = mul(&root, &number(7));
            }
        }
    }
    power(&root, 1 << (32 - log2))
}

fn power(x: &blst_fr, mut exponent: usize) -> blst_fr {
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

fn number(n: u64) -> blst_fr {
    blst_out!(blst_fr, blst_fr_from_uint64([n, 0, 0, 0].as_ptr()))
}

fn inverse(x: &blst_fr) -> blst_fr {
    blst_out!(blst_fr, blst_fr_eucl_inverse(x))
}

fn mul(x: &blst_fr, y: &blst_fr) -> blst_fr {
    blst_out!(blst_fr, blst_fr_mul(x, y))
}

fn add(x: &blst_fr, y: &blst_fr) -> blst_fr {
    blst_out!(blst_fr, blst_fr_add(x, y))
}

fn sub(x: &blst_fr, y: &blst_fr) -> blst_fr {
    blst_out!(blst_fr, blst_fr_sub(x, y))
}
