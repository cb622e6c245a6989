//! What the proof must be, from logarithms alone: no transform, no multiplication of points but three by the generator.

use interlock::curve::{Fr, Proof, FR_ONE};
use interlock::prove::Density;
use rayon::prelude::*;

use crate::circuit::Made;
use crate::known::{log, Group, Logs, G1, G2};
use crate::scalar::{add, from_u64, inverse, mul, pow, root_of_unity, sub};

/// Words of a density, or 64ths of the elements of a vector, that a task takes at a time.
const TASK: usize = 64;

/// The proof of `made` under parameters with the logarithms `logs`.
///
/// # Errors
/// If 2 is in the circuit's domain, where h's value at 2 is not to be had this way.
pub fn proof(made: &Made<'_>, logs: &Logs) -> Result<Proof, String> {
    let Made { densities, inp, aux, blinding, .. } = made;
    let (r, s) = (&blinding.r, &blinding.s);
    let of_inp = inp.iter().enumerate().fold(Fr::default(), |sum, (i, x)| add(&sum, &mul(x, &log(&FR_ONE, i))));
    let a_aux = mul(&log(&FR_ONE, inp.len()), &sum_dense(aux, densities.a_aux()));
    let a_query = mul(&logs.a, &add(&of_inp, &a_aux));
    let b_inp = sum_dense(inp, densities.b_inp());
    let b_aux = mul(&log(&FR_ONE, densities.b_inp().count_ones()), &sum_dense(aux, densities.b_aux()));
    let b_query = mul(&logs.b, &add(&b_inp, &b_aux));
    let all = vec![u64::MAX; aux.len().div_ceil(64)];
    let l = mul(&logs.l, &sum_dense(aux, Density::new(&all, aux.len())));
    let h = mul(&logs.h, &quotient_at(made, &from_u64(2)).ok_or("2 is in the domain")?);

    // The blinded A and B; C = s·A + r·B − r·s·δ + H + L.
    let a = sum([logs.alpha, mul(r, &logs.delta), a_query]);
    let b = sum([logs.beta, mul(s, &logs.delta), b_query]);
    let c = sub(&sum([mul(s, &a), mul(r, &b), h, l]), &mul(&mul(r, s), &logs.delta));
    Ok(Proof { a: G1::multiple(&a), b: G2::multiple(&b), c: G1::multiple(&c) })
}

fn sum<const N: usize>(terms: [Fr; N]) -> Fr {
    terms.iter().fold(Fr::default(), |sum, term| add(&sum, term))
}

/// Σ 2^p · x over the values x in `density`, p being how many of them stand before x.
fn sum_dense(values: &[Fr], density: Density<'_>) -> Fr {
    let words: Vec<u64> = (0..density.words()).map(|i| density.word(i)).collect();
    let mut before = 0usize;
    let tasks: Vec<(usize, &[u64], usize)> = words
        .chunks(TASK)
        .enumerate()
        .map(|(task, words)| {
            let start = before;
            before += words.iter().map(|word| word.count_ones() as usize).sum::<usize>();
            (task, words, start)
        })
        .collect();
    tasks
        .par_iter()
        .map(|(task, words, start)| {
            let mut power = log(&FR_ONE, *start);
            let mut total = Fr::default();
            for (word, values) in words.iter().zip(values[task * TASK * 64..].chunks(64)) {
                for (_, x) in values.iter().enumerate().filter(|(bit, _)| word >> bit & 1 == 1) {
                    add_product(&mut total, x, &power);
                    power = add(&power, &power);
                }
            }
            total
        })
        .reduce(Fr::default, |x, y| add(&x, &y))
}

/// sum += x·y, where x is often 0 or 1.
#[inline]
fn add_product(sum: &mut Fr, x: &Fr, y: &Fr) {
    if *x == FR_ONE {
        *sum = add(sum, y);
    } else if *x != Fr::default() {
        *sum = add(sum, &mul(x, y));
    }
}

/// h(τ) = (a(τ)·b(τ) − c(τ)) / (τ^m − 1): the circuit is satisfied, so h is this quotient without remainder.
///
/// a, b and c are known by their values on the domain: f(τ) = (τ^m − 1)/m · Σ f(ω^j)·ω^j/(τ − ω^j). `None` if τ is in the domain.
fn quotient_at(made: &Made<'_>, tau: &Fr) -> Option<Fr> {
    let log2 = made.densities.sizes.log2;
    let z = sub(&pow(tau, 1 << log2), &FR_ONE);
    if z == Fr::default() {
        return None;
    }
    let root = root_of_unity(log2);
    const LEN: usize = TASK * 64;
    let vectors = made.a.par_chunks(LEN).zip(made.b.par_chunks(LEN)).zip(made.c.par_chunks(LEN)).enumerate();
    let [a, b, c] = vectors
        .map(|(task, ((a, b), c))| {
            let weights = weights(&root, task * LEN, a.len(), tau);
            [a, b, c].map(|values| {
                let mut total = Fr::default();
                values.iter().zip(&weights).for_each(|(x, weight)| add_product(&mut total, x, weight));
                total
            })
        })
        .reduce(Default::default, |x, y| [add(&x[0], &y[0]), add(&x[1], &y[1]), add(&x[2], &y[2])])
        .map(|sum| mul(&sum, &mul(&z, &inverse(&from_u64(1 << log2)))));
    Some(mul(&sub(&mul(&a, &b), &c), &inverse(&z)))
}

/// ω^j/(τ − ω^j) for `len` j from `start` on. One inversion serves all.
fn weights(root: &Fr, start: usize, len: usize, tau: &Fr) -> Vec<Fr> {
    let mut power = pow(root, start as u64);
    let mut before = Vec::with_capacity(len);
    let mut product = FR_ONE;
    for _ in 0..len {
        let difference = sub(tau, &power);
        before.push((power, difference, product));
        product = mul(&product, &difference);
        power = mul(&power, root);
    }
    let mut rest = inverse(&product);
    let mut weights = vec![Fr::default(); len];
    for (weight, (power, difference, product)) in weights.iter_mut().zip(&before).rev() {
        *weight = mul(power, &mul(&rest, product));
        rest = mul(&rest, difference);
    }
    weights
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::Densities;
    use crate::work::{Sizes, POREP};

    /// f's coefficients by the definition of the transform's inverse.
    fn coefficients(values: &[Fr], log2: u32) -> Vec<Fr> {
        let (root, m) = (inverse(&root_of_unity(log2)), 1u64 << log2);
        let at = |i: u64| {
            let terms = values.iter().enumerate().map(|(j, x)| mul(x, &pow(&root, i * j as u64 % m)));
            mul(&terms.fold(Fr::default(), |sum, x| add(&sum, &x)), &inverse(&from_u64(m)))
        };
        (0..m).map(at).collect()
    }

    fn value_at(coefficients: &[Fr], tau: &Fr) -> Fr {
        coefficients.iter().rev().fold(Fr::default(), |sum, x| add(&mul(&sum, tau), x))
    }

    #[test]
    fn the_quotient_is_that_of_the_polynomials() {
        let densities = Densities::new(Sizes::of(6));
        let made = Made::new(&densities, &POREP);
        let tau = from_u64(2);
        let [a, b, c] = [&made.a, &made.b, &made.c].map(|values| value_at(&coefficients(values, 6), &tau));
        let z = sub(&pow(&tau, 64), &FR_ONE);
        assert_eq!(mul(&z, &quotient_at(&made, &tau).unwrap()), sub(&mul(&a, &b), &c));
        assert!(quotient_at(&made, &root_of_unity(6)).is_none());
    }

    #[test]
    fn dense_sums_skip_what_is_not_there() {
        let values: Vec<Fr> = (0..10_000).map(|i| from_u64(i + 1)).collect();
        let words: Vec<u64> = (0..157).map(|i| if i % 3 == 0 { 0x8000_0000_0000_0005 } else { 0 }).collect();
        let density = Density::new(&words, values.len());
        let mut expected = Fr::default();
        let there = values.iter().enumerate().filter(|(i, _)| words[i / 64] >> (i % 64) & 1 == 1);
        for (place, (_, x)) in there.enumerate() {
            expected = add(&expected, &mul(x, &pow(&from_u64(2), place as u64)));
        }
        assert_eq!(sum_dense(&values, density), expected);
    }
}
