//! The least that the work takes at the ceilings that were measured on one NVIDIA H200 (NOTES.md).

use interlock::curve::{Fr, FR_ONE};
use interlock::prove::Density;
use interlock_bench_measure::ceilings::{seconds_of_h, G1_ADDITIONS, G2_ADDITIONS};
use rayon::prelude::*;

use crate::circuit::Made;

/// Bytes a second from pinned memory to the device.
const BUS: f64 = 55e9;
/// Bits of a scalar.
const BITS: u32 = 255;

/// Seconds to bring a file of parameters to the device.
pub fn loading(bytes: u64) -> f64 {
    bytes as f64 / BUS
}

/// Seconds of a proof: its multiplications and additions one after the other, or the bus where that takes longer.
pub fn proof(made: &Made<'_>) -> f64 {
    let Made { densities, inp, aux, a, b, c, .. } = made;
    let m = densities.sizes.domain();
    let everywhere = vec![u64::MAX; aux.len().div_ceil(64)];
    let in_l = Values::of(aux, Density::new(&everywhere, aux.len()));
    let in_a = Values::of(aux, densities.a_aux()).and(inp.len());
    let in_b = Values::of(aux, densities.b_aux()).and(densities.b_inp().count_ones());
    let g1 = dense(m - 1) + in_l.additions() + in_a.additions() + in_b.additions();
    let arithmetic = seconds_of_h(densities.sizes.log2) + g1 / G1_ADDITIONS + in_b.additions() / G2_ADDITIONS;

    // Two bits say which values are 0, 1 or neither; those travel too.
    let sent = |values: &[Fr]| values.len() as f64 / 4.0 + 32.0 * full(values) as f64;
    arithmetic.max([a, b, c, aux].map(|values| sent(values)).iter().sum::<f64>() / BUS)
}

/// The values of an MSM that are not 0.
struct Values {
    ones: usize,
    full: usize,
}

impl Values {
    fn of(values: &[Fr], density: Density<'_>) -> Self {
        let words = (0..density.words()).into_par_iter().with_min_len(64);
        let count = words.map(|i| {
            let word = density.word(i);
            let chosen = values[i * 64..].iter().take(64).enumerate().filter(|(bit, _)| word >> bit & 1 == 1);
            chosen.fold([0, 0], |[ones, full], (_, x)| {
                let one = *x == FR_ONE;
                [ones + usize::from(one), full + usize::from(!one && *x != Fr::default())]
            })
        });
        let [ones, full] = count.reduce(|| [0, 0], |x, y| [x[0] + y[0], x[1] + y[1]]);
        Self { ones, full }
    }

    fn and(self, full: usize) -> Self {
        Self { full: self.full + full, ..self }
    }

    fn additions(&self) -> f64 {
        self.ones as f64 + dense(self.full)
    }
}

fn full(values: &[Fr]) -> usize {
    values.par_iter().with_min_len(1 << 12).filter(|x| **x != FR_ONE && **x != Fr::default()).count()
}

/// Mixed additions of an MSM of `n` full-size scalars: one a term and window. Windows are of the bits that would be the best if
/// each of their buckets, for signed digits, took two additions of 14 multiplications where a mixed one has 10.
pub fn dense(n: usize) -> f64 {
    let terms = |bits: u32| f64::from(BITS.div_ceil(bits)) * n as f64;
    let buckets = |bits: u32| f64::from(BITS.div_ceil(bits)) * f64::from(bits - 1).exp2() * 2.8;
    let best = (2..=24).min_by(|x, y| (terms(*x) + buckets(*x)).total_cmp(&(terms(*y) + buckets(*y))));
    best.map_or(0.0, terms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::Densities;
    use crate::work::{Sizes, POREP, TWELVE};

    #[test]
    fn windows_are_those_of_the_notes() {
        for (log2, windows) in [(20, 16.0), (22, 15.0), (24, 13.0), (26, 12.0)] {
            assert_eq!(dense(1 << log2), windows * f64::from(log2).exp2());
        }
        assert_eq!(dense(0), 0.0);
    }

    #[test]
    fn denser_values_take_longer() {
        let densities = Densities::new(Sizes::of(16));
        let [few, many] = [&POREP, &TWELVE].map(|mix| proof(&Made::new(&densities, mix)));
        let h = dense((1 << 16) - 1) / G1_ADDITIONS;
        assert!(h < few && few < many && many < 3.0 * h, "{h} {few} {many}");
    }
}
