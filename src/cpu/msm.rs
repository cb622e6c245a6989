//! Multi-scalar multiplication: Pippenger's algorithm with signed digits, sorted by bucket.
//!
//! For each window of c bits, the terms are sorted by their digit, so that the points of a bucket stand together and can
//! be summed pairwise: all additions of a level are independent and share an inversion ([`Sums`]), whatever the digits
//! are. Equal, opposite and repeated points and scalars need no care and cost no more than others. The sorted terms of a window are cut by
//! position, not by bucket, so that tasks are even too when all digits are the same.

use rayon::prelude::*;

use super::batch_add::Sums;
use super::group::Group;
use super::terms::{zeros, Terms, NEGATIVE};
use crate::error::{self, Error};

/// Terms that are sorted at a time: bounds the memory for sorted terms to 16 MiB a window.
const CHUNK: usize = 1 << 22;
/// Bits that digits must hold: those of a scalar below 2^254, and one for the sign.
const SCALAR_BITS: usize = 255;
const MAX_WINDOW: usize = 20;
/// Sorted terms below which cutting them further does not pay.
const MIN_SEGMENT: usize = 4096;
/// Tasks a thread, so that none waits long for the last one.
const TASKS_PER_THREAD: usize = 8;
/// Cost of emptying a bucket in units of adding a point to it: two Jacobian additions.
const BUCKET_COST: usize = 5;

/// Terms between a point's prefetch and its use: far enough for memory, near enough for the L1 cache.
const PREFETCH: usize = 24;

const WHAT: &str = "an MSM's buckets";

/// Σ scalar · point over the terms. Runs on the current rayon pool.
///
/// # Errors
/// [`Error::OutOfMemory`].
pub(super) fn msm<G: Group>(query: &[G::Affine], terms: &Terms) -> Result<G::Jacobian, Error> {
    let units = sum_of_units::<G>(query, terms)?;
    if terms.points.is_empty() {
        return Ok(units);
    }
    Ok(G::add(&units, &sum_by_windows::<G>(query, terms, CHUNK)?))
}

/// The points multiplied by ±1: one bucket.
fn sum_of_units<G: Group>(query: &[G::Affine], terms: &Terms) -> Result<G::Jacobian, Error> {
    let bounds = [0, terms.positive, terms.units.len()];
    let mut bucket = [G::Affine::default()];
    let sorted = Sorted { points: &terms.units, bounds: &bounds, buckets: &mut bucket };
    fill_buckets::<G>(query, vec![sorted])?;
    Ok(G::from_affine(&bucket[0]))
}

/// The points multiplied by anything else, of which there is one at least: `chunk` terms at a time.
fn sum_by_windows<G: Group>(query: &[G::Affine], terms: &Terms, chunk: usize) -> Result<G::Jacobian, Error> {
    let chunk = terms.points.len().min(chunk);
    let window = Window::for_terms(terms.points.len());
    let mut buckets = zeros::<G::Affine>(window.count() * window.buckets(), WHAT)?;
    let mut points = zeros::<u32>(window.count() * chunk, WHAT)?;
    let mut bounds = zeros::<usize>(window.count() * window.bounds(), WHAT)?;

    for (indices, scalars) in terms.points.chunks(chunk).zip(terms.scalars.chunks(chunk)) {
        let sorted = points
            .par_chunks_exact_mut(chunk)
            .zip(bounds.par_chunks_exact_mut(window.bounds()))
            .zip(buckets.par_chunks_exact_mut(window.buckets()))
            .enumerate()
            .map(|(w, ((points, bounds), buckets))| {
                window.sort(w, indices, scalars, points, bounds);
                Sorted { points, bounds, buckets }
            })
            .collect();
        fill_buckets::<G>(query, sorted)?;
    }
    drop(points);
    let sums: Vec<G::Jacobian> = buckets.par_chunks_exact(window.buckets()).map(weighted_sum::<G>).collect();
    Ok(sums.iter().rev().fold(G::Jacobian::default(), |high, low| {
        let shifted = (0..window.bits).fold(high, |p, _| G::double(&p));
        G::add(&shifted, low)
    }))
}

/// How scalars are cut into digits: windows of `bits` bits, digits from −2^(bits − 1) to 2^(bits − 1).
#[derive(Clone, Copy)]
struct Window {
    bits: usize,
}

impl Window {
    /// The cheapest one for `terms` terms.
    fn for_terms(terms: usize) -> Self {
        let cost = |window: &Self| window.count() * (terms + BUCKET_COST * window.buckets());
        let all = (2..=MAX_WINDOW).map(|bits| Self { bits });
        all.min_by_key(cost).unwrap_or(Self { bits: 2 })
    }

    fn count(self) -> usize {
        SCALAR_BITS.div_ceil(self.bits)
    }

    fn buckets(self) -> usize {
        1 << (self.bits - 1)
    }

    fn bounds(self) -> usize {
        2 * self.buckets() + 1
    }

    /// The `w`-th digit of a scalar: Booth's recoding needs no carry, only the bit below the window.
    #[inline(always)]
    fn digit(self, scalar: &[u64; 4], w: usize) -> (usize, bool) {
        let magnitude = [scalar[0], scalar[1], scalar[2], scalar[3] & !NEGATIVE];
        let bits = match (w * self.bits).checked_sub(1) {
            None => magnitude[0] << 1,
            Some(low) => {
                let (limb, shift) = (low / 64, low % 64);
                let next = magnitude.get(limb + 1).unwrap_or(&0);
                magnitude[limb] >> shift | (next << 1) << (63 - shift)
            }
        };
        let bits = bits as usize & ((2 << self.bits) - 1);
        let rounded = (bits >> 1) + (bits & 1);
        let high = bits >> self.bits == 1;
        let size = if high { (1 << self.bits) - rounded } else { rounded };
        (size, high ^ (scalar[3] & NEGATIVE != 0))
    }

    /// Sorts `indices` by the `w`-th digit of their scalars, zeros left out: the points whose digit is ±(b + 1) end up at
    /// bounds[2b] .. bounds[2b + 2], the ones to be negated from bounds[2b + 1] on.
    fn sort(self, w: usize, indices: &[u32], scalars: &[[u64; 4]], points: &mut [u32], bounds: &mut [usize]) {
        bounds.fill(0);
        let key = |scalar: &[u64; 4]| {
            let (size, negative) = self.digit(scalar, w);
            (size != 0).then(|| 2 * size - 2 + negative as usize)
        };
        for key in scalars.iter().filter_map(key) {
            bounds[key] += 1;
        }
        let mut end = 0;
        for bound in bounds.iter_mut() {
            (*bound, end) = (end, end + *bound);
        }
        for (index, scalar) in indices.iter().zip(scalars) {
            if let Some(key) = key(scalar) {
                points[bounds[key]] = *index;
                bounds[key] += 1;
            }
        }
        // Each bound has moved to the next one's place.
        bounds.copy_within(..bounds.len() - 1, 1);
        bounds[0] = 0;
    }
}

/// The terms of one window, sorted as [`Window::sort`] does it, and the buckets that they go to.
struct Sorted<'a, A> {
    points: &'a [u32],
    bounds: &'a [usize],
    buckets: &'a mut [A],
}

/// A task: the terms at `start..end` of a window. It owns the buckets that begin there, and may also hold the rest of the
/// bucket before them.
struct Segment<'a, A> {
    window: usize,
    points: &'a [u32],
    bounds: &'a [usize],
    start: usize,
    end: usize,
    first: usize,
    buckets: &'a mut [A],
}

/// Adds every sorted point to its bucket.
fn fill_buckets<G: Group>(query: &[G::Affine], mut windows: Vec<Sorted<'_, G::Affine>>) -> Result<(), Error> {
    let total: usize = windows.iter().map(|window| window.bounds[window.bounds.len() - 1]).sum();
    let size = (total / (rayon::current_num_threads() * TASKS_PER_THREAD)).max(MIN_SEGMENT);
    let mut segments = Vec::new();
    for (window, sorted) in windows.iter_mut().enumerate() {
        cut(window, sorted, size, &mut segments);
    }
    let rests = segments
        .into_par_iter()
        .with_max_len(1)
        .map(|segment| Ok((segment.window, segment.first, segment.sum::<G>(query)?)))
        .collect::<Result<Vec<_>, Error>>()?;
    for (window, first, rest) in rests {
        if !G::is_infinity(&rest) {
            let bucket = &mut windows[window].buckets[first - 1];
            *bucket = G::to_affine(&G::add_affine(&G::from_affine(bucket), &rest));
        }
    }
    Ok(())
}

/// Cuts a window into segments of about `size` terms.
fn cut<'s, A>(window: usize, sorted: &'s mut Sorted<'_, A>, size: usize, segments: &mut Vec<Segment<'s, A>>) {
    let (points, bounds) = (sorted.points, sorted.bounds);
    let count = sorted.buckets.len();
    let total = bounds[2 * count];
    let pieces = total.div_ceil(size);
    let mut rest = &mut sorted.buckets[..];
    let mut first = 0;
    for piece in 0..pieces {
        let (start, end) = (total * piece / pieces, total * (piece + 1) / pieces);
        // Empty buckets at the end belong to the last piece, as do all buckets that begin before its end.
        let next = if piece + 1 == pieces { count } else { first + begin_before(&bounds[2 * first..], end) };
        let (buckets, left) = rest.split_at_mut(next - first);
        rest = left;
        segments.push(Segment { window, points, bounds, start, end, first, buckets });
        first = next;
    }
}

/// How many of the buckets with these bounds begin before `position`.
fn begin_before(bounds: &[usize], position: usize) -> usize {
    let (mut low, mut high) = (0, bounds.len() / 2);
    while low < high {
        let middle = (low + high) / 2;
        if bounds[2 * middle] < position {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

impl<A: Copy + Default> Segment<'_, A> {
    /// Adds the segment's points to its buckets and returns the sum of those that belong to the bucket before them.
    fn sum<G: Group<Affine = A>>(self, query: &[A]) -> Result<A, Error> {
        let Self { points, bounds, start, end, first, buckets, .. } = self;
        // Each bucket may bring what it held before.
        let mut sums = Sums::<G>::new(2 * (end - start))?;
        let mut filled = error::try_with_capacity(sums.room(), WHAT)?;
        let mut rest = A::default();
        let mut position = start;
        // Where the segment begins inside a bucket, that is the bucket before its own.
        let mut bucket = if bounds[2 * first] > start { first - 1 } else { first };
        while position < end {
            filled.clear();
            while position < end && sums.room() > 1 {
                while bounds[2 * bucket + 2] <= position {
                    bucket += 1;
                }
                sums.begin();
                filled.push(bucket);
                let before = if bucket < first { &rest } else { &buckets[bucket - first] };
                if !G::is_infinity(before) {
                    sums.push(*before);
                }
                let stop = bounds[2 * bucket + 2].min(end).min(position + sums.room());
                let negated = bounds[2 * bucket + 1];
                for i in position..stop {
                    if let Some(ahead) = points.get(i + PREFETCH) {
                        prefetch(&query[*ahead as usize]);
                    }
                    let p = query[points[i] as usize];
                    if i < negated {
                        sums.push(p);
                    } else {
                        sums.push_negative(p);
                    }
                }
                position = stop;
            }
            sums.finish(|i, sum| {
                let bucket = filled[i];
                *(if bucket < first { &mut rest } else { &mut buckets[bucket - first] }) = sum;
            });
        }
        Ok(rest)
    }
}

/// Asks for a point that is needed soon: runs are short, and the branches at their ends would stop the CPU from looking ahead.
#[inline(always)]
fn prefetch<A>(p: &A) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..size_of::<A>()).step_by(64) {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        // SAFETY: a prefetch reads nothing, and the address is inside `p`.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(p).cast::<i8>().add(line)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = p;
}

/// Σ (b + 1) · buckets[b].
fn weighted_sum<G: Group>(buckets: &[G::Affine]) -> G::Jacobian {
    let mut running = G::Jacobian::default();
    let mut sum = G::Jacobian::default();
    for bucket in buckets.iter().rev() {
        running = G::add_affine(&running, bucket);
        sum = G::add(&sum, &running);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::group::{Coordinate, G1, G2};
    use crate::cpu::random::Random;
    use crate::cpu::scalar::{add, from_u64, inverse, mul, sub, to_integer};
    use crate::cpu::terms::{Part, Selection};
    use crate::curve::{Fr, FR_ONE};

    fn naive<G: Group>(query: &[G::Affine], scalars: &[Fr]) -> G::Jacobian {
        query
            .iter()
            .zip(scalars)
            .fold(G::Jacobian::default(), |sum, (p, x)| G::add(&sum, &G::multiply(&G::from_affine(p), &to_integer(x))))
    }

    fn fast<G: Group>(query: &[G::Affine], scalars: &[Fr]) -> G::Jacobian {
        msm::<G>(query, &Terms::new(&[Part { scalars, selection: Selection::All }]).unwrap()).unwrap()
    }

    fn check<G: Group>(query: &[G::Affine], scalars: &[Fr], what: &str) {
        assert!(fast::<G>(query, scalars) == naive::<G>(query, scalars), "{what}, {} terms", scalars.len());
    }

    /// Scalars and points that make additions meet everything that can go wrong in them.
    fn nasty<G: Group>(points: &[G::Affine], random: &mut Random) {
        let n = points.len();
        let minus_one = sub(&Fr::default(), &FR_ONE);
        let scalars = random.scalars(n);
        for len in [0, 1, 2, 3, n - 1, n] {
            check::<G>(&points[..len], &scalars[..len], "random");
        }
        let same = vec![points[0]; n];
        check::<G>(&same, &scalars, "one point");
        check::<G>(&same, &vec![scalars[0]; n], "one point and one scalar");
        check::<G>(points, &vec![scalars[0]; n], "one scalar");
        check::<G>(points, &vec![minus_one; n], "−1");
        check::<G>(points, &vec![FR_ONE; n], "1");
        check::<G>(points, &vec![Fr::default(); n], "0");
        let opposite: Vec<_> = (0..n)
            .map(|i| {
                let mut p = points[i / 4];
                if i % 2 == 1 {
                    G::coordinates_mut(&mut p).1.negate();
                }
                p
            })
            .collect();
        check::<G>(&opposite, &vec![scalars[1]; n], "opposite points, infinity");
        check::<G>(&opposite, &scalars, "opposite points");
        check::<G>(&vec![G::Affine::default(); n], &scalars, "infinity");
        let small: Vec<_> = (0..n).map(|_| from_u64(random.word() % 5)).collect();
        check::<G>(points, &small, "small scalars");
        let extreme: Vec<_> = (0..n)
            .map(|i| match i % 4 {
                0 => sub(&minus_one, &from_u64(random.word() % 3)),
                1 => from_u64(u64::MAX),
                // The two halves of the field meet here.
                2 => mul(&minus_one, &inverse(&from_u64(2))),
                _ => random.scalar(),
            })
            .collect();
        check::<G>(points, &extreme, "extreme scalars");
    }

    #[test]
    fn nasty_sums_in_g1() {
        let mut random = Random::new(9);
        let points = random.g1(333);
        nasty::<G1>(&points, &mut random);
    }

    #[test]
    fn nasty_sums_in_g2() {
        let mut random = Random::new(10);
        let points = random.g2(150);
        nasty::<G2>(&points, &mut random);
    }

    /// Enough terms for segments that begin inside a bucket; 64 points, so that the sum is known from sums of scalars.
    #[test]
    fn cut_buckets_are_put_together() {
        let mut random = Random::new(11);
        let (points, n) = (random.g1(64), 50_000);
        let query: Vec<_> = (0..n).map(|i| points[i % 64]).collect();
        let one = random.scalar();
        for scalars in [vec![one; n], random.scalars(n), vec![FR_ONE; n]] {
            let mut sums = vec![Fr::default(); 64];
            scalars.iter().enumerate().for_each(|(i, x)| sums[i % 64] = add(&sums[i % 64], x));
            assert!(fast::<G1>(&query, &scalars) == naive::<G1>(&points, &sums));
        }
    }

    #[test]
    fn chunks_add_up() {
        let mut random = Random::new(14);
        let (points, scalars) = (random.g1(200), random.scalars(200));
        let terms = Terms::new(&[Part { scalars: &scalars, selection: Selection::All }]).unwrap();
        let expected = naive::<G1>(&points, &scalars);
        for chunk in [1, 7, 64, 199, 200] {
            assert!(sum_by_windows::<G1>(&points, &terms, chunk).unwrap() == expected, "chunks of {chunk}");
        }
    }

    #[test]
    fn digits_add_up() {
        let mut random = Random::new(12);
        for bits in 2..=MAX_WINDOW {
            let window = Window { bits };
            let mut scalar = [random.word(), random.word(), random.word(), random.word() >> 2];
            if bits % 2 == 0 {
                scalar = [u64::MAX, u64::MAX, u64::MAX, u64::MAX >> 2];
            }
            let sum = (0..window.count()).rev().fold(Fr::default(), |sum, w| {
                let (size, negative) = window.digit(&scalar, w);
                assert!(size <= window.buckets());
                let shifted = mul(&sum, &from_u64(1 << bits));
                if negative {
                    sub(&shifted, &from_u64(size as u64))
                } else {
                    add(&shifted, &from_u64(size as u64))
                }
            });
            let mut expected = Fr::default();
            // SAFETY: four limbs below 2^254 are read, one element is written.
            unsafe { blst::blst_fr_from_uint64(&mut expected, scalar.as_ptr()) };
            assert_eq!(sum, expected, "{bits} bits");
            let negative = [scalar[0], scalar[1], scalar[2], scalar[3] | NEGATIVE];
            assert_eq!(window.digit(&negative, 0).0, window.digit(&scalar, 0).0);
            assert_ne!(window.digit(&negative, 0).1, window.digit(&scalar, 0).1);
        }
    }
}
