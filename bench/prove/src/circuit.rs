//! A made circuit: densities, assignment and evaluations, all satisfied (c = a ∘ b).

use interlock::curve::{Fr, FR_ONE};
use interlock::prove::{Blinding, Density, Evaluations, Witness};
use rayon::prelude::*;

use crate::scalar::{mul, Random};
use crate::work::{Mix, Shares, Sizes, A_DENSITY, B_DENSITY};

/// Which variables have a point in which query. All mixes of a size share them, and so the parameters.
pub struct Densities {
    pub a_aux: Vec<u64>,
    pub b_inp: Vec<u64>,
    pub b_aux: Vec<u64>,
    pub sizes: Sizes,
}

impl Densities {
    pub fn new(sizes: Sizes) -> Self {
        let mut b_inp = vec![0; sizes.inputs.div_ceil(64)];
        b_inp[0] = 1;
        Self {
            a_aux: bits(sizes.aux, A_DENSITY, Random(1)),
            b_inp,
            b_aux: bits(sizes.aux, B_DENSITY, Random(2)),
            sizes,
        }
    }

    pub fn a_aux(&self) -> Density<'_> {
        Density::new(&self.a_aux, self.sizes.aux)
    }

    pub fn b_inp(&self) -> Density<'_> {
        Density::new(&self.b_inp, self.sizes.inputs)
    }

    pub fn b_aux(&self) -> Density<'_> {
        Density::new(&self.b_aux, self.sizes.aux)
    }
}

fn bits(len: usize, share: f64, random: Random) -> Vec<u64> {
    let word = |w: usize| {
        let here = 64.min(len - w * 64);
        (0..here).fold(0, |word, bit| word | u64::from(random.fraction((w * 64 + bit) as u64) < share) << bit)
    };
    (0..len.div_ceil(64)).into_par_iter().with_min_len(64).map(word).collect()
}

/// A circuit's input to the prover.
pub struct Made<'d> {
    pub densities: &'d Densities,
    pub inp: Vec<Fr>,
    pub aux: Vec<Fr>,
    pub a: Vec<Fr>,
    pub b: Vec<Fr>,
    pub c: Vec<Fr>,
    pub blinding: Blinding,
}

impl<'d> Made<'d> {
    pub fn new(densities: &'d Densities, mix: &Mix) -> Self {
        let Sizes { constraints, inputs, aux, .. } = densities.sizes;
        let in_b = |i: usize| densities.b_aux[i / 64] >> (i % 64) & 1 == 1;
        let aux = vector(aux, |i| value(Random(10), i, if in_b(i) { mix.aux_in_b } else { mix.aux_outside_b }));
        let a = vector(constraints, |i| value(Random(11), i, mix.a));
        let b = vector(constraints, |i| value(Random(12), i, mix.b));
        let c = vector(constraints, |i| mul(&a[i], &b[i]));
        let inp = vector(inputs, |i| if i == 0 { FR_ONE } else { Random(13).scalar(i as u64) });
        let blinding = Blinding { r: Random(14).scalar(0), s: Random(14).scalar(1) };
        Self { densities, inp, aux, a, b, c, blinding }
    }

    pub fn evaluations(&self) -> Evaluations<'_> {
        Evaluations { a: &self.a, b: &self.b, c: &self.c }
    }

    pub fn witness(&self) -> Witness<'_> {
        Witness {
            inp: &self.inp,
            aux: &self.aux,
            a_aux_density: self.densities.a_aux(),
            b_inp_density: self.densities.b_inp(),
            b_aux_density: self.densities.b_aux(),
        }
    }
}

fn vector(len: usize, value: impl Fn(usize) -> Fr + Sync + Send) -> Vec<Fr> {
    (0..len).into_par_iter().with_min_len(1 << 12).map(value).collect()
}

fn value(random: Random, index: usize, shares: Shares) -> Fr {
    let index = index as u64;
    let x = random.fraction(index);
    if x < shares.full {
        random.scalar(index)
    } else if x < shares.full + shares.ones {
        FR_ONE
    } else {
        Fr::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::POREP;

    #[test]
    fn shares_are_those_asked_for() {
        let densities = Densities::new(Sizes::of(18));
        let made = Made::new(&densities, &POREP);
        let close = |found: usize, of: usize, share: f64| (found as f64 / of as f64 - share).abs() < 0.004;
        let aux = made.aux.len();
        assert!(close(densities.a_aux().count_ones(), aux, A_DENSITY));
        assert!(close(densities.b_aux().count_ones(), aux, B_DENSITY));
        // 51.3, 47.1 and 1.6 % over all private variables.
        assert!(close(made.aux.iter().filter(|x| **x == Fr::default()).count(), aux, 0.513));
        assert!(close(made.aux.iter().filter(|x| **x == FR_ONE).count(), aux, 0.471));
        assert!(close(made.a.iter().filter(|x| **x == FR_ONE).count(), made.a.len(), 0.181));
        assert!(made.a.iter().chain(&made.aux).all(interlock::curve::is_canonical));
    }
}
