//! Many independent additions of affine points with one inversion (Montgomery's trick): 5 multiplications and 1 squaring
//! an addition, where adding an affine to a Jacobian point takes 11 or more.

use super::group::{Coordinate, Group};
use crate::error::{self, Error};

/// What is left to do for a pair once its denominator is known.
#[derive(Clone, Copy)]
enum Step {
    /// Nothing: one of the two was infinity, or they were opposite.
    Done,
    /// The chord through two points.
    Chord,
    /// The tangent at one point.
    Tangent,
}

/// Sums groups of points, each given as a run of a buffer of fixed size. Reused from one filling of the buffer to the next.
pub(super) struct Sums<G: Group> {
    points: Vec<G::Affine>,
    /// Start and length of each run.
    runs: Vec<(usize, usize)>,
    pairs: Vec<(usize, usize)>,
    steps: Vec<Step>,
    /// The denominator of each pair's slope.
    denominators: Vec<G::Coordinate>,
    /// The product of the denominators before each pair.
    products: Vec<G::Coordinate>,
    capacity: usize,
}

impl<G: Group> Sums<G> {
    /// The most points that a buffer holds. The additions of one filling share log2(longest run) inversions of about 75
    /// multiplications each, and points and denominators should stay in an L2 cache of 1 MiB.
    pub(super) const MAX_CAPACITY: usize = (384 << 10) / size_of::<G::Affine>();

    /// An empty buffer for at least 2 points, and no more than `points` or [`Self::MAX_CAPACITY`] otherwise.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(super) fn new(points: usize) -> Result<Self, Error> {
        let what = "additions of points";
        let capacity = points.clamp(2, Self::MAX_CAPACITY);
        let pairs = capacity / 2;
        let mut sums = Self {
            points: error::try_with_capacity(capacity, what)?,
            runs: error::try_with_capacity(capacity, what)?,
            pairs: error::try_with_capacity(pairs, what)?,
            steps: error::try_with_capacity(pairs, what)?,
            denominators: error::try_with_capacity(pairs, what)?,
            products: error::try_with_capacity(pairs + 1, what)?,
            capacity,
        };
        sums.denominators.resize(pairs, G::Coordinate::ONE);
        sums.products.resize(pairs + 1, G::Coordinate::ONE);
        Ok(sums)
    }

    /// How many more points the buffer takes.
    pub(super) fn room(&self) -> usize {
        self.capacity - self.points.len()
    }

    /// Starts a new run.
    pub(super) fn begin(&mut self) {
        self.runs.push((self.points.len(), 0));
    }

    /// Adds a point to the run that was begun last.
    #[inline(always)]
    pub(super) fn push(&mut self, p: G::Affine) {
        self.points.push(p);
        if let Some((_, len)) = self.runs.last_mut() {
            *len += 1;
        }
    }

    /// Adds a point's negative to the run that was begun last.
    #[inline(always)]
    pub(super) fn push_negative(&mut self, p: G::Affine) {
        self.push(p);
        if let Some(p) = self.points.last_mut() {
            G::coordinates_mut(p).1.negate();
        }
    }

    /// Sums every run, calls `result` with each run's number and sum, in order, and empties the buffer.
    pub(super) fn finish(&mut self, mut result: impl FnMut(usize, G::Affine)) {
        let mut stride = 1;
        loop {
            self.pairs.clear();
            for &(start, len) in &self.runs {
                self.pairs.extend((stride..len).step_by(2 * stride).map(|i| (start + i - stride, start + i)));
            }
            if self.pairs.is_empty() {
                break;
            }
            self.add_pairs();
            stride *= 2;
        }
        for (i, &(start, len)) in self.runs.iter().enumerate() {
            result(i, if len == 0 { G::Affine::default() } else { self.points[start] });
        }
        self.points.clear();
        self.runs.clear();
    }

    /// For each pair (i, j): points[i] becomes points[i] + points[j]. No point is in two pairs.
    fn add_pairs(&mut self) {
        self.steps.clear();
        for (k, &(i, j)) in self.pairs.iter().enumerate() {
            let denominator = &mut self.denominators[k];
            let step = Self::denominator(denominator, &mut self.points, i, j);
            self.steps.push(step);
            let (before, after) = self.products.split_at_mut(k + 1);
            match step {
                Step::Done => after[0] = before[k],
                _ => after[0].set_product(&before[k], denominator),
            }
        }
        let mut inverse = self.products[self.pairs.len()].inverse();
        let (mut slope, mut t) = (G::Coordinate::default(), G::Coordinate::default());
        for (k, (&(i, j), step)) in self.pairs.iter().zip(&self.steps).enumerate().rev() {
            let (p, q) = (self.points[i], self.points[j]);
            let ((x1, y1), (x2, y2)) = (G::coordinates(&p), G::coordinates(&q));
            match step {
                Step::Done => continue,
                Step::Chord => slope.set_difference(y2, y1),
                Step::Tangent => {
                    t.set_square(x1);
                    slope.set_sum(&t, &t);
                    let twice = slope;
                    slope.set_sum(&twice, &t);
                }
            }
            t.set_product(&inverse, &self.products[k]);
            inverse.multiply(&self.denominators[k]);
            slope.multiply(&t);
            let (x, y) = G::coordinates_mut(&mut self.points[i]);
            t.set_square(&slope);
            t.subtract(x1);
            x.set_difference(&t, x2);
            t.set_difference(x1, x);
            t.multiply(&slope);
            y.set_difference(&t, y1);
        }
    }

    /// Sets the denominator of the slope for points i and j, or puts their sum in place of point i if it has no slope.
    #[inline(always)]
    fn denominator(denominator: &mut G::Coordinate, points: &mut [G::Affine], i: usize, j: usize) -> Step {
        let (p, q) = (&points[i], &points[j]);
        if G::is_infinity(q) {
            return Step::Done;
        }
        if G::is_infinity(p) {
            points[i] = *q;
            return Step::Done;
        }
        let ((x1, y1), (x2, y2)) = (G::coordinates(p), G::coordinates(q));
        denominator.set_difference(x2, x1);
        if !denominator.is_zero() {
            Step::Chord
        } else if y1 == y2 {
            denominator.set_sum(y1, y1);
            Step::Tangent
        } else {
            points[i] = G::Affine::default();
            Step::Done
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::group::{G1, G2};
    use crate::cpu::random::Random;

    fn naive<G: Group>(points: &[G::Affine]) -> G::Affine {
        G::to_affine(&points.iter().fold(G::Jacobian::default(), |sum, p| G::add_affine(&sum, p)))
    }

    fn negative<G: Group>(mut p: G::Affine) -> G::Affine {
        G::coordinates_mut(&mut p).1.negate();
        p
    }

    fn check<G: Group>(p: &[G::Affine]) {
        let (zero, minus) = (G::Affine::default(), negative::<G>(p[0]));
        let runs: Vec<Vec<G::Affine>> = vec![
            vec![],
            vec![p[0]],
            p.to_vec(),
            vec![p[0]; 13],
            vec![p[0], minus],
            vec![p[0], minus, p[0], minus, p[1]],
            vec![p[0], p[0], minus, minus],
            vec![zero, zero, zero],
            vec![zero, p[0], p[1], zero, zero],
            vec![p[0], p[1], negative::<G>(naive::<G>(&p[..2])), p[3]],
        ];
        let mut sums = Sums::<G>::new(100).unwrap();
        // Twice, as the buffer is reused.
        for pass in 0..2 {
            for run in &runs {
                sums.begin();
                match pass {
                    0 => run.iter().for_each(|p| sums.push(*p)),
                    _ => run.iter().for_each(|p| sums.push_negative(negative::<G>(*p))),
                }
            }
            assert_eq!(sums.room(), 100 - runs.iter().map(Vec::len).sum::<usize>());
            let mut found = Vec::new();
            sums.finish(|i, sum| found.push((i, sum)));
            assert_eq!(found.len(), runs.len());
            for (i, sum) in found {
                assert!(sum == naive::<G>(&runs[i]), "run {i}");
            }
        }
    }

    #[test]
    fn sums_are_sums() {
        let mut random = Random::new(6);
        check::<G1>(&random.g1(21));
        check::<G2>(&random.g2(21));
    }
}
