//! Vectors of scalars, each of one character.

use blst::blst_fr;

use crate::inputs::{edges, random, Random};
use crate::operations::fr_one;
use crate::scalar::{from_u64, negative};

/// What the values of a vector are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mix {
    Zeros,
    Ones,
    MinusOnes,
    /// One full-size scalar throughout.
    Equal,
    /// Full-size scalars.
    Full,
    /// Limbs at which carries happen, and random ones.
    Edges,
    /// Zeros, and a full-size scalar among 64.
    Sparse,
    /// Zeros and ones, and a full-size scalar among 32.
    Bits,
    /// Integers below 2^16.
    Small,
    /// Runs of zeros, of ones and of full-size scalars, each of any length.
    Runs,
}

impl Mix {
    /// Any; those that a circuit has more often.
    pub fn any(random: &mut Random) -> Self {
        use Mix::*;
        random.pick(&[Zeros, Ones, MinusOnes, Equal, Full, Full, Edges, Sparse, Bits, Bits, Bits, Small, Runs, Runs])
    }

    /// `n` values.
    pub fn values(self, n: usize, random: &mut Random) -> Vec<blst_fr> {
        let (zero, one) = (blst_fr::default(), fr_one());
        match self {
            Self::Zeros => vec![zero; n],
            Self::Ones => vec![one; n],
            Self::MinusOnes => vec![negative(&one); n],
            Self::Equal => vec![full(random); n],
            Self::Full => (0..n).map(|_| full(random)).collect(),
            Self::Edges => with_edges(n, random),
            Self::Sparse => (0..n).map(|_| if random.below(64) == 0 { full(random) } else { zero }).collect(),
            Self::Bits => (0..n)
                .map(|_| match random.below(64) {
                    0 | 1 => full(random),
                    k if k % 2 == 0 => zero,
                    _ => one,
                })
                .collect(),
            Self::Small => (0..n).map(|_| from_u64(random.word() & 0xffff)).collect(),
            Self::Runs => runs(n, random),
        }
    }
}

fn full(random: &mut Random) -> blst_fr {
    // Below 2^254, and so below r.
    blst_fr { l: [random.word(), random.word(), random.word(), random.word() >> 2] }
}

fn with_edges(n: usize, source: &mut Random) -> Vec<blst_fr> {
    let edges = edges::<blst_fr>();
    (0..n).map(|_| if source.below(2) == 0 { source.pick(&edges) } else { random(source) }).collect()
}

fn runs(n: usize, random: &mut Random) -> Vec<blst_fr> {
    let mut values = Vec::with_capacity(n);
    while values.len() < n {
        let len = random.pick(&[1, 2, 31, 64, 300, n]).min(n - values.len());
        match random.below(3) {
            0 => values.extend(vec![blst_fr::default(); len]),
            1 => values.extend(vec![fr_one(); len]),
            _ => values.extend((0..len).map(|_| full(random))),
        }
    }
    values
}
