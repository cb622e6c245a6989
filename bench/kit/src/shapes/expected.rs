//! What a proof must be, from logarithms alone and by the definitions: no fast transform, no sum of points.

use blst::blst_fr;
use interlock::curve::Proof;

use super::circuit::Made;
use super::plan::Shape;
use super::points::{multiple_g1, multiple_g2, Pattern, Tile};
use crate::scalar::{add, from_u64, inverse, mul, power, root_of_unity, sub};

/// The proof of `made` with the parameters of `shape`. The time is quadratic in the domain's size.
pub fn proof(shape: &Shape, made: &Made, tile: &Tile) -> Proof {
    let (singles, patterns) = (&shape.singles, &shape.patterns);
    let [alpha, beta, beta_g2, delta] =
        [singles.alpha, singles.beta, singles.beta_g2, singles.delta].map(|single| *tile.log(single, 0));
    let (r, s) = (made.blinding.r, made.blinding.s);

    let in_a = made.inp.iter().chain(made.aux.iter().enumerate().filter(|(i, _)| bit(&made.a_aux, *i)).map(|(_, x)| x));
    let b_inp = made.inp.iter().enumerate().filter(|(i, _)| bit(&made.b_inp, *i));
    let b_aux = made.aux.iter().enumerate().filter(|(i, _)| bit(&made.b_aux, *i));
    let in_b: Vec<&blst_fr> = b_inp.chain(b_aux).map(|(_, x)| x).collect();
    let quotient = quotient(shape.log2, made);

    let a_query = sum(tile, patterns.a, in_a);
    let b1_query = sum(tile, patterns.b_g1, in_b.iter().copied());
    let b2_query = sum(tile, patterns.b_g2, in_b.iter().copied());
    let h = sum(tile, patterns.h, quotient.iter().take((1 << shape.log2) - 1));
    let l = sum(tile, patterns.l, made.aux.iter());

    let a = [alpha, mul(&r, &delta), a_query];
    let b = [beta_g2, mul(&s, &delta), b2_query];
    let c = [mul(&s, &a_query), mul(&r, &b1_query), mul(&mul(&r, &s), &delta), mul(&s, &alpha), mul(&r, &beta), h, l];
    Proof { a: multiple_g1(&total(&a)), b: multiple_g2(&total(&b)), c: multiple_g1(&total(&c)) }
}

fn bit(words: &[u64], i: usize) -> bool {
    words[i / 64] >> (i % 64) & 1 == 1
}

fn total(terms: &[blst_fr]) -> blst_fr {
    terms.iter().fold(blst_fr::default(), |sum, term| add(&sum, term))
}

/// The logarithm of Σ scalar·point over a query.
fn sum<'a>(tile: &Tile, pattern: Pattern, scalars: impl Iterator<Item = &'a blst_fr>) -> blst_fr {
    scalars.enumerate().fold(blst_fr::default(), |sum, (i, x)| add(&sum, &mul(x, tile.log(pattern, i))))
}

/// The coefficients of h: of a·b modulo x^m − g^m, less c's, through z = g^m − 1, where g = 7 generates the coset.
fn quotient(log2: u32, made: &Made) -> Vec<blst_fr> {
    let m = 1usize << log2;
    let [a, b, c] = [&made.a, &made.b, &made.c].map(|values| coefficients(log2, values));
    let shifted = power(&from_u64(7), m);
    let over_z = inverse(&sub(&shifted, &from_u64(1)));
    let mut h: Vec<_> = c.iter().map(|c| sub(&blst_fr::default(), c)).collect();
    for (i, a) in a.iter().enumerate() {
        let low = mul(a, &shifted);
        for (j, b) in b.iter().enumerate() {
            let product = if i + j < m { mul(a, b) } else { mul(&low, b) };
            let place = (i + j) % m;
            h[place] = add(&h[place], &product);
        }
    }
    h.iter().map(|h| mul(h, &over_z)).collect()
}

/// Of the polynomial with these values on the domain, by the definition of the inverse transform.
fn coefficients(log2: u32, values: &[blst_fr]) -> Vec<blst_fr> {
    let m = 1usize << log2;
    let root = inverse(&root_of_unity(log2));
    let mut powers = vec![from_u64(1)];
    (1..m).for_each(|i| powers.push(mul(&powers[i - 1], &root)));
    let scale = inverse(&from_u64(m as u64));
    let coefficient = |k: usize| {
        let terms = values.iter().enumerate().map(|(j, x)| mul(x, &powers[j * k % m]));
        mul(&terms.fold(blst_fr::default(), |sum, term| add(&sum, &term)), &scale)
    };
    (0..m).map(coefficient).collect()
}
