//! Whether h is the quotient, by what all of its coefficients and all evaluations are at one point of the coset.

use blst::blst_fr;
use rayon::prelude::*;

use crate::inputs::Random;
use crate::operations::fr_one;
use crate::scalar::{add, from_u64, inverse, mul, power, root_of_unity, sub};

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
    let x = mul(&from_u64(7), &power(&root, j));
    let vanishing = sub(&power(&x, m), &fr_one());
    let weights = weights(&root, &x, m);
    let scale = mul(&vanishing, &inverse(&from_u64(m as u64)));
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
