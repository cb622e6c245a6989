//! The terms of an MSM: scalars in Montgomery form, matched with the points of their query and sorted by what they cost.

use rayon::prelude::*;

use super::scalar::to_integer;
use crate::curve::{Fr, FR_MODULUS, FR_ONE};
use crate::error::{self, Error};
use crate::prove::Density;

/// Set in the highest limb of a scalar of [`Terms`] that stands for its negative.
pub(super) const NEGATIVE: u64 = 1 << 63;

/// Variables that are classified as one task: a multiple of 64, the bits of a density's word.
const BLOCK: usize = 1 << 12;

/// A product of a query's points with scalars, zeros left out.
#[derive(Debug)]
pub(super) struct Terms {
    /// Indices of the points multiplied by 1, then of those multiplied by −1.
    pub(super) units: Vec<u32>,
    /// How many of `units` are multiplied by 1.
    pub(super) positive: usize,
    /// Indices of the points multiplied by anything else.
    pub(super) points: Vec<u32>,
    /// The scalars of `points`: integers below 2^254, little-endian limbs, with [`NEGATIVE`] where they are negative.
    pub(super) scalars: Vec<[u64; 4]>,
}

/// Which variables have a point in the query, and which point it is.
#[derive(Clone, Copy)]
pub(super) enum Selection<'a> {
    /// All, in order.
    All,
    /// Those in a density, in order.
    Dense(Density<'a>),
    /// All: variable i has the point whose number is i with its lowest bits, so many, reversed.
    Reversed(u32),
}

/// Scalars that stand side by side, and their place in the query.
#[derive(Clone, Copy)]
pub(super) struct Part<'a> {
    /// One scalar a variable.
    pub(super) scalars: &'a [Fr],
    /// Which of the variables are in the query.
    pub(super) selection: Selection<'a>,
}

#[derive(Clone, Copy, PartialEq)]
enum Class {
    Zero,
    One,
    MinusOne,
    Other,
}

/// −1 in Montgomery form: r − FR_ONE.
const MINUS_ONE: Fr = Fr { l: subtract(FR_MODULUS, FR_ONE.l) };

#[derive(Clone, Copy, Default)]
struct Counts {
    chosen: usize,
    ones: usize,
    minus_ones: usize,
    others: usize,
}

/// A task: some variables of one part, and where what they give goes.
struct Block<'a, 'o> {
    part: Part<'a>,
    first: usize,
    point: usize,
    ones: &'o mut [u32],
    minus_ones: &'o mut [u32],
    points: &'o mut [u32],
    scalars: &'o mut [[u64; 4]],
}

impl Terms {
    /// The terms of `parts`, whose points follow each other in the query. Runs on the current rayon pool.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(super) fn new(parts: &[Part<'_>]) -> Result<Self, Error> {
        let what = "the terms of an MSM";
        let firsts = || parts.iter().flat_map(|part| (0..part.scalars.len()).step_by(BLOCK).map(move |i| (*part, i)));
        let mut counts = zeros::<Counts>(firsts().count(), what)?;
        let mut blocks = error::try_with_capacity(counts.len(), what)?;
        blocks.extend(firsts());
        counts.par_iter_mut().zip(&blocks).for_each(|(counts, (part, first))| *counts = part.count(*first));

        let total = |field: fn(&Counts) -> usize| counts.iter().map(field).sum::<usize>();
        let (ones, minus_ones, others) = (total(|c| c.ones), total(|c| c.minus_ones), total(|c| c.others));
        let mut terms = Self {
            units: zeros(ones + minus_ones, what)?,
            positive: ones,
            points: zeros(others, what)?,
            scalars: zeros(others, what)?,
        };
        let mut tasks = error::try_with_capacity(blocks.len(), what)?;
        let (mut ones, mut minus_ones) = terms.units.split_at_mut(ones);
        let (mut points, mut scalars) = (&mut terms.points[..], &mut terms.scalars[..]);
        let mut point = 0;
        for ((part, first), counts) in blocks.into_iter().zip(&counts) {
            tasks.push(Block {
                part,
                first,
                point,
                ones: take(&mut ones, counts.ones),
                minus_ones: take(&mut minus_ones, counts.minus_ones),
                points: take(&mut points, counts.others),
                scalars: take(&mut scalars, counts.others),
            });
            point += counts.chosen;
        }
        tasks.into_par_iter().for_each(Block::fill);
        Ok(terms)
    }
}

impl Part<'_> {
    /// Calls `visit` with each chosen variable of the block at `first`, in order.
    #[inline(always)]
    fn chosen(&self, first: usize, mut visit: impl FnMut(usize)) {
        let end = self.scalars.len().min(first + BLOCK);
        match self.selection {
            Selection::Dense(density) => {
                for word in first / 64..end.div_ceil(64) {
                    let mut bits = density.word(word);
                    while bits != 0 {
                        visit(word * 64 + bits.trailing_zeros() as usize);
                        bits &= bits - 1;
                    }
                }
            }
            Selection::All | Selection::Reversed(_) => (first..end).for_each(visit),
        }
    }

    fn count(&self, first: usize) -> Counts {
        let mut counts = Counts::default();
        self.chosen(first, |i| {
            counts.chosen += 1;
            match classify(&self.scalars[i]) {
                Class::Zero => {}
                Class::One => counts.ones += 1,
                Class::MinusOne => counts.minus_ones += 1,
                Class::Other => counts.others += 1,
            }
        });
        counts
    }
}

impl Block<'_, '_> {
    fn fill(self) {
        let Self { part, first, mut point, ones, minus_ones, points, scalars } = self;
        let (mut ones, mut minus_ones) = (ones.iter_mut(), minus_ones.iter_mut());
        let mut others = points.iter_mut().zip(scalars);
        part.chosen(first, |i| {
            let index = match part.selection {
                Selection::Reversed(bits) => (i as u32).reverse_bits().checked_shr(u32::BITS - bits).unwrap_or(0),
                _ => point as u32,
            };
            point += 1;
            match classify(&part.scalars[i]) {
                Class::Zero => {}
                Class::One => put(ones.next(), index),
                Class::MinusOne => put(minus_ones.next(), index),
                Class::Other => {
                    if let Some((to, scalar)) = others.next() {
                        (*to, *scalar) = (index, signed(to_integer(&part.scalars[i])));
                    }
                }
            }
        });
    }
}

fn put(to: Option<&mut u32>, index: u32) {
    if let Some(to) = to {
        *to = index;
    }
}

fn take<'o, T>(rest: &mut &'o mut [T], len: usize) -> &'o mut [T] {
    let (taken, left) = std::mem::take(rest).split_at_mut(len);
    *rest = left;
    taken
}

/// `len` default values, or an error instead of an abort.
pub(super) fn zeros<T: Clone + Default>(len: usize, what: &'static str) -> Result<Vec<T>, Error> {
    let mut out = error::try_with_capacity(len, what)?;
    out.resize(len, T::default());
    Ok(out)
}

#[inline(always)]
fn classify(x: &Fr) -> Class {
    if x.l == [0; 4] {
        Class::Zero
    } else if x.l == FR_ONE.l {
        Class::One
    } else if x.l == MINUS_ONE.l {
        Class::MinusOne
    } else {
        Class::Other
    }
}

/// Of n and n − r the one nearer to 0.
#[inline(always)]
fn signed(n: [u64; 4]) -> [u64; 4] {
    let mut negated = subtract(FR_MODULUS, n);
    if negated.iter().rev().lt(n.iter().rev()) {
        negated[3] |= NEGATIVE;
        negated
    } else {
        n
    }
}

/// x − y for x ≥ y.
const fn subtract(x: [u64; 4], y: [u64; 4]) -> [u64; 4] {
    let mut out = [0; 4];
    let mut borrow = false;
    let mut i = 0;
    while i < 4 {
        let (difference, first) = x[i].overflowing_sub(y[i]);
        let (difference, second) = difference.overflowing_sub(borrow as u64);
        out[i] = difference;
        borrow = first || second;
        i += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::random::Random;
    use crate::cpu::scalar::{from_u64, sub};

    fn expand(terms: &Terms) -> Vec<(u32, Fr)> {
        let mut out: Vec<_> = terms
            .units
            .iter()
            .enumerate()
            .map(|(i, p)| (*p, if i < terms.positive { FR_ONE } else { MINUS_ONE }))
            .collect();
        for (point, scalar) in terms.points.iter().zip(&terms.scalars) {
            let mut limbs = *scalar;
            limbs[3] &= !NEGATIVE;
            assert!(limbs[3] < 1 << 62);
            let mut x = Fr::default();
            // SAFETY: four limbs are read, one element is written.
            unsafe { blst::blst_fr_from_uint64(&mut x, limbs.as_ptr()) };
            out.push((*point, if scalar[3] & NEGATIVE == 0 { x } else { sub(&Fr::default(), &x) }));
        }
        out.sort_by_key(|(point, _)| *point);
        out
    }

    fn mixture(random: &mut Random, n: usize) -> Vec<Fr> {
        (0..n)
            .map(|_| match random.word() % 5 {
                0 => Fr::default(),
                1 => FR_ONE,
                2 => MINUS_ONE,
                3 => from_u64(random.word() % 7),
                _ => random.scalar(),
            })
            .collect()
    }

    #[test]
    fn terms_are_the_chosen_scalars() {
        let mut random = Random::new(7);
        for n in [0, 1, 63, 64, 65, BLOCK, 2 * BLOCK + 17] {
            let (inputs, aux) = (mixture(&mut random, 5), mixture(&mut random, n));
            let words: Vec<u64> = (0..n.div_ceil(64)).map(|_| random.word()).collect();
            let density = Density::new(&words, n);
            let parts = [
                Part { scalars: &inputs, selection: Selection::All },
                Part { scalars: &aux, selection: Selection::Dense(density) },
            ];
            let chosen = aux.iter().enumerate().filter(|(i, _)| words[i / 64] >> (i % 64) & 1 == 1).map(|(_, x)| x);
            let expected: Vec<(u32, Fr)> = inputs
                .iter()
                .chain(chosen)
                .enumerate()
                .map(|(i, x)| (i as u32, *x))
                .filter(|(_, x)| *x != Fr::default())
                .collect();
            assert_eq!(expand(&Terms::new(&parts).unwrap()), expected, "{n} variables");
        }
    }

    #[test]
    fn reversed_terms_have_reversed_points() {
        let mut random = Random::new(8);
        let scalars = random.scalars(8);
        let terms = Terms::new(&[Part { scalars: &scalars[..7], selection: Selection::Reversed(3) }]).unwrap();
        assert_eq!(terms.points, [0, 4, 2, 6, 1, 5, 3]);
        let terms = Terms::new(&[Part { scalars: &scalars[..1], selection: Selection::Reversed(0) }]).unwrap();
        assert_eq!(terms.points, [0]);
    }
}
