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
    /// The denominator of each pair's slope, and the product of the ones before it.
    denominators: Vec<(G::Coordinate, G::Coordinate)>,
}

impl<G: Group> Sums<G> {
    /// Points in the buffer. The additions of one filling share log2(longest run) inversions of about 75 multiplications
    /// each, and points and denominators should stay in an L2 cache of 1 MiB.
    pub(super) const CAPACITY: usize = (384 << 10) / size_of::<G::Affine>();

    /// An empty buffer.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(super) fn new() -> Result<Self, Error> {
        let what = "additions of points";
        Ok(Self {
            points: error::try_with_capacity(Self::CAPACITY, what)?,
            runs: error::try_with_capacity(Self::CAPACITY, what)?,
            pairs: error::try_with_capacity(Self::CAPACITY / 2, what)?,
            steps: error::try_with_capacity(Self::CAPACITY / 2, what)?,
            denominators: error::try_with_capacity(Self::CAPACITY / 2, what)?,
        })
    }

    /// How many more points the buffer takes.
    pub(super) fn room(&self) -> usize {
        Self::CAPACITY - self.points.len()
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
        self.denominators.clear();
        let mut product = G::Coordinate::ONE;
        for &(i, j) in &self.pairs {
            let (step, denominator) = Self::denominator(&mut self.points, i, j);
            self.steps.push(step);
            self.denominators.push((denominator, product));
            if !matches!(step, Step::Done) {
                product = product.mul(&denominator);
            }
        }
        let mut inverse = product.inverse();
        for ((&(i, j), step), (denominator, before)) in self.pairs.iter().zip(&self.steps).zip(&self.denominators).rev()
        {
            let (p, q) = (&self.points[i], &self.points[j]);
            let ((x1, y1), (x2, y2)) = (G::coordinates(p), G::coordinates(q));
            let numerator = match step {
                Step::Done => continue,
                Step::Chord => y2.sub(y1),
                Step::Tangent => {
                    let square = x1.square();
                    square.add(&square).add(&square)
                }
            };
            let slope = numerator.mul(&inverse.mul(before));
            inverse = inverse.mul(denominator);
            let x = slope.square().sub(x1).sub(x2);
            let y = slope.mul(&x1.sub(&x)).sub(y1);
            self.points[i] = G::from_coordinates(x, y);
        }
    }

    /// The denominator of the slope for points i and j, or their sum in place of point i if it has no slope.
    #[inline(always)]
    fn denominator(points: &mut [G::Affine], i: usize, j: usize) -> (Step, G::Coordinate) {
        let (p, q) = (&points[i], &points[j]);
        if G::is_infinity(q) {
            return (Step::Done, G::Coordinate::ONE);
        }
        if G::is_infinity(p) {
            points[i] = *q;
            return (Step::Done, G::Coordinate::ONE);
        }
        let ((x1, y1), (x2, y2)) = (G::coordinates(p), G::coordinates(q));
        let difference = x2.sub(x1);
        if difference != G::Coordinate::default() {
            (Step::Chord, difference)
        } else if y1 == y2 {
            (Step::Tangent, y1.add(y1))
        } else {
            points[i] = G::Affine::default();
            (Step::Done, G::Coordinate::ONE)
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

    fn check<G: Group>(p: &[G::Affine]) {
        let (zero, minus) = (G::Affine::default(), G::negate(&p[0]));
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
            vec![p[0], p[1], G::negate(&naive::<G>(&p[..2])), p[3]],
        ];
        let mut sums = Sums::<G>::new().unwrap();
        // Twice, as the buffer is reused.
        for _ in 0..2 {
            for run in &runs {
                sums.begin();
                run.iter().for_each(|p| sums.push(*p));
            }
            assert_eq!(sums.room(), Sums::<G>::CAPACITY - runs.iter().map(Vec::len).sum::<usize>());
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
