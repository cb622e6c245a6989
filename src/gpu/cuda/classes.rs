//! The classes of scalars: most of a witness is 0 or 1, which takes two bits each; only the others are sent whole.

use rayon::prelude::*;

use crate::curve::{is_canonical, Fr, FR_ONE};
use crate::error::Error;
use crate::threads;

/// Variables that a task classifies, and that full-size scalars are numbered by: a multiple of the kernels' tile.
pub(super) const CHUNK: usize = 1 << 16;
const PER_WORD: usize = 32;

/// Scalars by class.
#[derive(Debug, Default)]
pub(super) struct Classes {
    /// Two bits a scalar, 32 a word, the first in the lowest: 0 for 0, 1 for 1, 2 for the others.
    pub(super) words: Vec<u64>,
    /// How many are 1.
    pub(super) ones: usize,
    /// The others, in order, by chunks of [`CHUNK`] scalars.
    pub(super) full: Vec<Vec<Fr>>,
}

struct Chunk {
    words: Vec<u64>,
    ones: usize,
    full: Vec<Fr>,
}

impl Classes {
    /// Classifies `scalars`, or returns the index of the first that is not below the group order. All of the library's CPU
    /// threads take part.
    ///
    /// # Errors
    /// As [`threads::install`].
    pub(super) fn of(scalars: &[Fr]) -> Result<Result<Self, usize>, Error> {
        let chunks: Vec<_> = threads::install(|| scalars.par_chunks(CHUNK).map(classify).collect())?;
        Ok(Self::join(chunks))
    }

    fn join(chunks: Vec<Result<Chunk, usize>>) -> Result<Self, usize> {
        let mut all = Self::default();
        for (i, chunk) in chunks.into_iter().enumerate() {
            let Chunk { words, ones, full } = chunk.map_err(|found| i * CHUNK + found)?;
            all.words.extend_from_slice(&words);
            all.ones += ones;
            all.full.push(full);
        }
        Ok(all)
    }

    /// How many scalars are full-size.
    pub(super) fn full_len(&self) -> usize {
        self.full.iter().map(Vec::len).sum()
    }

    /// The number of the first full-size scalar of each chunk, the first of all being number `first`.
    pub(super) fn starts(&self, first: usize) -> Vec<u32> {
        let mut next = first;
        let number = |chunk: &Vec<Fr>| {
            let start = next as u32;
            next += chunk.len();
            start
        };
        self.full.iter().map(number).collect()
    }
}

fn classify(scalars: &[Fr]) -> Result<Chunk, usize> {
    let mut chunk = Chunk { words: Vec::with_capacity(scalars.len().div_ceil(PER_WORD)), ones: 0, full: Vec::new() };
    for (w, group) in scalars.chunks(PER_WORD).enumerate() {
        let mut word = 0u64;
        for (i, x) in group.iter().enumerate() {
            if *x == Fr::default() {
                continue;
            }
            if *x == FR_ONE {
                word |= 1 << (2 * i);
                chunk.ones += 1;
                continue;
            }
            if !is_canonical(x) {
                return Err(w * PER_WORD + i);
            }
            word |= 2 << (2 * i);
            chunk.full.push(*x);
        }
        chunk.words.push(word);
    }
    Ok(chunk)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::FR_MODULUS;

    #[test]
    fn each_scalar_has_its_class() {
        let other = Fr { l: [7, 0, 0, 1] };
        let kinds = [Fr::default(), FR_ONE, other];
        let scalars: Vec<Fr> = (0..CHUNK + 77).map(|i| kinds[i % 7 % 3]).collect();
        let classes = Classes::of(&scalars).unwrap().unwrap();
        for (i, x) in scalars.iter().enumerate() {
            let class = classes.words[i / 32] >> (2 * (i % 32)) & 3;
            assert_eq!(kinds[class as usize], *x, "{i}");
        }
        let count = |kind: &Fr| scalars.iter().filter(|x| *x == kind).count();
        assert_eq!((classes.ones, classes.full_len()), (count(&FR_ONE), count(&other)));
        let in_first = scalars[..CHUNK].iter().filter(|x| **x == other).count();
        assert_eq!(classes.starts(5), [5, 5 + in_first as u32]);
        assert!(Classes::of(&[]).unwrap().unwrap().words.is_empty());
    }

    #[test]
    fn what_is_no_scalar_is_found() {
        let mut scalars = vec![FR_ONE; 2 * CHUNK];
        scalars[CHUNK + 3] = Fr { l: FR_MODULUS };
        scalars[CHUNK + 9] = Fr { l: [u64::MAX; 4] };
        assert_eq!(Classes::of(&scalars).unwrap().unwrap_err(), CHUNK + 3);
    }
}
