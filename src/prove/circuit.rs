//! One circuit's input to the prover, as safe slices.

use rayon::prelude::*;

use crate::curve::Fr;
use crate::threads;

/// A density bit vector: which variables have a point in a query. Bit 0 of word 0 is the first variable;
/// bits past `len` in the last word are garbage and never looked at.
#[derive(Clone, Copy, Debug)]
pub struct Density<'a> {
    words: &'a [u64],
    len: usize,
    /// How many bits are set.
    ones: usize,
}

impl<'a> Density<'a> {
    /// `len` bits held in `words`, which must be exactly `len.div_ceil(64)` long. They are counted here, once, where there are many by all
    /// of the library's CPU threads.
    ///
    /// # Panics
    /// If the number of words is another.
    pub fn new(words: &'a [u64], len: usize) -> Self {
        assert_eq!(words.len(), len.div_ceil(64), "density words for {len} bits");
        let mut density = Self { words, len, ones: 0 };
        density.ones = density.counted();
        density
    }

    /// Number of bits.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no bits at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Word `i` with the bits past the end cleared.
    pub fn word(&self, i: usize) -> u64 {
        let tail = self.len - i * 64;
        if tail >= 64 {
            self.words[i]
        } else {
            self.words[i] & ((1u64 << tail) - 1)
        }
    }

    /// The words, with whatever stands past the end.
    pub fn raw_words(&self) -> &'a [u64] {
        self.words
    }

    /// Number of words.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Number of bits that are set.
    pub fn count_ones(&self) -> usize {
        self.ones
    }

    fn counted(&self) -> usize {
        const MANY: usize = 1 << 14;
        let Some((_, whole)) = self.words.split_last() else { return 0 };
        let count = |words: &[u64]| words.iter().map(|word| word.count_ones() as usize).sum::<usize>();
        let by_many = || whole.par_chunks(MANY).map(count).sum();
        let counted = (whole.len() > MANY).then(|| threads::install(by_many).ok()).flatten();
        counted.unwrap_or_else(|| count(whole)) + self.word(whole.len()).count_ones() as usize
    }

    /// Whether the same bits are set.
    #[cfg(interlock_cuda)]
    fn is_same(&self, other: &Density<'_>) -> bool {
        self.len == other.len && (0..self.words.len()).all(|i| self.word(i) == other.word(i))
    }

    /// Number of bits that are set in `range`, which starts at a multiple of 64 and ends at one or at the last bit.
    #[cfg(any(test, interlock_cuda))]
    pub(crate) fn count_ones_in(&self, range: &std::ops::Range<usize>) -> usize {
        (range.start / 64..range.end.div_ceil(64)).map(|i| self.word(i).count_ones() as usize).sum()
    }
}

/// The evaluations of a circuit's constraints: each of length n ≤ m, the domain's size; shorter than m is padded with zeros.
#[derive(Clone, Copy, Debug)]
pub struct Evaluations<'a> {
    /// A's evaluations, `n` scalars.
    pub a: &'a [Fr],
    /// B's evaluations, `n` scalars.
    pub b: &'a [Fr],
    /// C's evaluations, `n` scalars.
    pub c: &'a [Fr],
}

/// A circuit's assignment and which of its variables occur in which query.
#[derive(Clone, Copy, Debug)]
pub struct Witness<'a> {
    /// Public inputs, the constant one first.
    pub inp: &'a [Fr],
    /// Private variables.
    pub aux: &'a [Fr],
    /// Private variables that have a point in the `a` query (all inputs have one).
    pub a_aux_density: Density<'a>,
    /// Inputs that have a point in the `b_g1` and `b_g2` queries.
    pub b_inp_density: Density<'a>,
    /// Private variables that have a point in the `b_g1` and `b_g2` queries.
    pub b_aux_density: Density<'a>,
}

#[cfg(interlock_cuda)]
impl Witness<'_> {
    /// Whether the same variables as in `other` have a point in each query.
    pub(crate) fn has_densities_of(&self, other: &Witness<'_>) -> bool {
        self.a_aux_density.is_same(&other.a_aux_density)
            && self.b_inp_density.is_same(&other.b_inp_density)
            && self.b_aux_density.is_same(&other.b_aux_density)
    }
}

/// The blinding scalars of one proof.
#[derive(Clone, Copy, Debug)]
pub struct Blinding {
    /// Blinds A.
    pub r: Fr,
    /// Blinds B.
    pub s: Fr,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_past_the_end_do_not_count() {
        let words = [u64::MAX, u64::MAX];
        assert_eq!(Density::new(&words, 65).count_ones(), 65);
        assert_eq!(Density::new(&words, 128).count_ones(), 128);
        assert_eq!([0..64, 64..65, 64..64].map(|range| Density::new(&words, 65).count_ones_in(&range)), [64, 1, 0]);
        assert_eq!(Density::new(&words[..1], 1).word(0), 1);
        assert_eq!(Density::new(&[], 0).count_ones(), 0);
        let many: Vec<u64> = (0..100_001_u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
        for len in [64_usize * 16_384, 64 * 16_385, 64 * 100_000 + 1] {
            let density = Density::new(&many[..len.div_ceil(64)], len);
            assert_eq!(density.count_ones(), (0..len).filter(|i| many[i / 64] >> (i % 64) & 1 == 1).count());
        }
    }
}
