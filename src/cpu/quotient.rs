//! The coefficients of the quotient h = (a·b − c) / (x^m − 1).
//!
//! With z = g^m − 1, the value of x^m − 1 all over the coset of g: h = coset_iNTT(coset_NTT(iNTT a) ∘ coset_NTT(iNTT b)) / z
//! − iNTT(c) / z. As c has fewer than m coefficients its transform to the coset and back is left out, so that there are
//! six transforms. All scalings are done on blocks that a transform has just left in the cache.

use rayon::prelude::*;

use super::ntt::{inverse_of_size, Domain, Powers, GENERATOR};
use super::scalar::{from_u64, inverse, mul, multiply, pow, sub, subtract};
use crate::curve::{Fr, FR_ONE};
use crate::error::{self, Error};
use crate::prove::Evaluations;

/// What depends on the domain only.
pub(super) struct Quotient {
    domain: Domain,
    /// g^i: onto the coset.
    to_coset: Powers,
    /// g^−i / (m³·z): back from it, with the scalings of three transforms.
    from_coset: Powers,
    /// 1 / (m·z).
    of_c: Fr,
}

impl Quotient {
    /// For a domain of 2^`log2` points. Runs on the current rayon pool.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Size`] if there is no such domain.
    pub(super) fn new(log2: u32) -> Result<Self, Error> {
        let domain = Domain::new(log2)?;
        let generator = from_u64(GENERATOR);
        let per_size = inverse_of_size(log2);
        let z = sub(&pow(&generator, &[domain.size() as u64]), &FR_ONE);
        let of_c = mul(&inverse(&z), &per_size);
        let scale = mul(&of_c, &mul(&per_size, &per_size));
        Ok(Self {
            to_coset: Powers::new(&generator, &FR_ONE, &domain)?,
            from_coset: Powers::new(&inverse(&generator), &scale, &domain)?,
            of_c,
            domain,
        })
    }

    /// log2 of the domain's size.
    pub(super) fn log2(&self) -> u32 {
        self.domain.log2()
    }

    /// The m coefficients of h in bit-reversed order. Holds two vectors of m scalars at a time.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(super) fn coefficients(&self, evaluations: &Evaluations<'_>) -> Result<Vec<Fr>, Error> {
        let mut a = self.padded(evaluations.a)?;
        let mut b = self.padded(evaluations.b)?;
        for values in [&mut a, &mut b] {
            self.domain.inverse(values, |block, position| {
                let (all, each) = self.to_coset.of_block(position);
                block.iter_mut().zip(each).for_each(|(x, power)| multiply(x, &mul(power, &all)));
            });
        }
        self.domain.inverse_of_product(&mut a, &mut b, |block, position| {
            let (all, each) = self.from_coset.of_block(position);
            block.iter_mut().zip(each).for_each(|(x, power)| multiply(x, &mul(power, &all)));
        });
        self.pad_into(&mut b, evaluations.c);
        self.domain.inverse(&mut b, |block, _| block.iter_mut().for_each(|x| multiply(x, &self.of_c)));
        a.par_iter_mut().zip(&b).with_min_len(1 << 12).for_each(|(h, c)| subtract(h, c));
        Ok(a)
    }

    fn padded(&self, values: &[Fr]) -> Result<Vec<Fr>, Error> {
        let mut out = error::try_with_capacity(self.domain.size(), "a circuit's constraint evaluations")?;
        self.pad_into(&mut out, values);
        Ok(out)
    }

    /// Makes `out`, which has room for that, the domain's size: `values`, then zeros.
    fn pad_into(&self, out: &mut Vec<Fr>, values: &[Fr]) {
        (0..self.domain.size())
            .into_par_iter()
            .with_min_len(1 << 12)
            .map(|i| values.get(i).copied().unwrap_or_default())
            .collect_into_vec(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::random::Random;
    use crate::cpu::scalar::add;

    /// a·b − c = h·(x^m − 1) at a random point, with a, b and c interpolated by Lagrange's formula.
    fn check(log2: u32, satisfied: bool) {
        let mut random = Random::new(13 + u64::from(log2));
        let m = 1usize << log2;
        let n = m - m / 34;
        let (a, b) = (random.scalars(n), random.scalars(n));
        let c: Vec<Fr> = if satisfied { a.iter().zip(&b).map(|(a, b)| mul(a, b)).collect() } else { random.scalars(n) };
        let quotient = Quotient::new(log2).unwrap();
        let h = quotient.coefficients(&Evaluations { a: &a, b: &b, c: &c }).unwrap();
        assert_eq!(h.len(), m);

        // An unsatisfied circuit's h is the one whose values on the coset are right.
        let root = pow(&from_u64(GENERATOR), &group_order_over(log2));
        let on_coset = |i: usize| mul(&from_u64(GENERATOR), &pow(&root, &[i as u64]));
        let points =
            if satisfied { vec![random.scalar()] } else { vec![on_coset(0), on_coset(m / 3), on_coset(m - 1)] };
        for x in points {
            check_at(log2, &root, &x, [&a, &b, &c], &h);
        }
    }

    fn check_at(log2: u32, root: &Fr, x: &Fr, [a, b, c]: [&[Fr]; 3], h: &[Fr]) {
        let m = 1usize << log2;
        let vanishing = sub(&pow(x, &[m as u64]), &FR_ONE);
        let at = |values: &[Fr]| {
            let mut point = FR_ONE;
            let mut sum = Fr::default();
            for value in values {
                let term = mul(&mul(value, &point), &inverse(&sub(x, &point)));
                sum = add(&sum, &term);
                point = mul(&point, root);
            }
            mul(&mul(&sum, &vanishing), &inverse_of_size(log2))
        };
        let left = sub(&mul(&at(a), &at(b)), &at(c));
        let mut at_x = Fr::default();
        for (position, coefficient) in h.iter().enumerate() {
            let i = (position as u64).reverse_bits().checked_shr(64 - log2).unwrap_or(0);
            at_x = add(&at_x, &mul(coefficient, &pow(x, &[i])));
        }
        assert_eq!(left, mul(&at_x, &vanishing), "2^{log2}");
    }

    /// (r − 1) / 2^`log2`: the exponent that makes a primitive root of unity of the generator.
    fn group_order_over(log2: u32) -> [u64; 4] {
        let r = crate::curve::FR_MODULUS;
        std::array::from_fn(|i| {
            let high = r.get(i + 1).copied().unwrap_or(0);
            (r[i] - u64::from(i == 0)) >> log2 | if log2 == 0 { 0 } else { high << (64 - log2) }
        })
    }

    #[test]
    fn quotients_divide() {
        for log2 in [0, 1, 2, 5, 6, 11, 13] {
            check(log2, true);
            check(log2, false);
        }
    }
}
