//! Multi-scalar multiplications.
//!
//! Numbers in device memory (positions, indices, counts) cannot be checked here: one out of range makes a kernel read other
//! device memory, or fail with [`Error::Cuda`].

use super::{status::check, DeviceSlice, Group, Stream, G1};
use crate::curve::{Fr, G1Affine};
use crate::error::Error;
use crate::prove::plan::scratch::{Multiples, Windows};
use crate::sys;

/// Which scalar a term has.
#[derive(Clone, Copy, Debug)]
pub enum Scalars<'a> {
    /// Term i has scalar i.
    InOrder,
    /// Term i has the scalar whose number stands at i.
    Indexed(&'a DeviceSlice<u32>),
    /// Term i has the scalar whose number is `first` + i with `bits` of its lowest bits reversed.
    Reversed {
        /// How many bits are reversed: there are 2^`bits` scalars.
        bits: u32,
        /// The number of the first term.
        first: usize,
    },
}

/// How scalars are represented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// x·2^256 modulo the group order for the scalar x, as everywhere else.
    Montgomery,
    /// x itself, below the group order.
    Integers,
}

/// The terms of an MSM.
#[derive(Debug)]
pub struct Terms<'a, G: Group> {
    /// The points, in Montgomery form.
    pub points: &'a DeviceSlice<G::Affine>,
    /// The position in `points` of each term's point; none means that term i has point i.
    pub positions: Option<&'a DeviceSlice<u32>>,
    /// The scalars.
    pub scalars: &'a DeviceSlice<Fr>,
    /// In which form these are.
    pub form: Form,
    /// Which of them each term has.
    pub order: Scalars<'a>,
    /// How many terms there are, at most if there is a count.
    pub len: usize,
    /// A word on the device, by its place in the buffer, that says how many terms count.
    pub count: Option<(&'a DeviceSlice<u32>, usize)>,
}

impl<G: Group> Terms<'_, G> {
    /// The launchers' form, its buffers' lengths checked.
    pub(super) fn as_raw(&self) -> Result<sys::interlock_msm_terms, Error> {
        at_least("positions", self.positions.map_or(self.points.len(), |positions| positions.len()), self.len)?;
        let (indices, reversed_bits, first) = match self.order {
            Scalars::InOrder => {
                at_least("scalars", self.scalars.len(), self.len)?;
                (std::ptr::null(), 0, 0)
            }
            Scalars::Indexed(indices) => {
                at_least("indices", indices.len(), self.len)?;
                (indices.as_raw().cast_const().cast(), 0, 0)
            }
            Scalars::Reversed { bits, first } => {
                at_least("scalars", self.scalars.len(), 1 << bits)?;
                (std::ptr::null(), bits, first)
            }
        };
        Ok(sys::interlock_msm_terms {
            points: self.points.as_raw(),
            scalars: self.scalars.as_raw(),
            positions: address(self.positions),
            indices,
            count: count_address(self.count)?,
            n: self.len,
            first,
            reversed_bits,
            integers: (self.form == Form::Integers).into(),
        })
    }
}

/// The sum of a bucket, in G1.
pub type Bucket = <G1 as Group>::Sum;

/// How an MSM's scalars are cut into windows: `launchers.h` says what each number is.
#[derive(Clone, Copy, Debug)]
pub struct Shape(sys::interlock_msm_shape);

impl Shape {
    /// The one that suits `len` terms.
    #[cfg(any(test, feature = "kit"))]
    pub fn for_terms<G: Group>(len: usize) -> Self {
        Self::of(&Windows::suiting(len, size_of::<G::Sum>()))
    }

    /// The one that suits `len` terms with as many windows at a time as so many bytes of scratch allow.
    ///
    /// # Errors
    /// [`Error::Internal`] if they do not allow one: terms are shared out so that they do.
    pub(super) fn within<G: Group>(len: usize, scratch: usize) -> Result<Self, Error> {
        Self::found(Windows::within(len, size_of::<G::Sum>(), scratch), len, scratch)
    }

    /// The same for an MSM beside which uploads go on: it has no kernels that these would wait for for long.
    ///
    /// # Errors
    /// As [`Shape::within`].
    pub(super) fn yielding<G: Group>(len: usize, scratch: usize) -> Result<Self, Error> {
        Self::found(Windows::yielding(len, size_of::<G::Sum>(), scratch), len, scratch)
    }

    fn found(windows: Option<Windows>, len: usize, scratch: usize) -> Result<Self, Error> {
        let windows =
            windows.ok_or_else(|| Error::Internal { what: format!("{len} terms for {scratch} bytes of scratch") })?;
        Ok(Self::of(&windows))
    }

    /// The one of a plan.
    pub(super) fn of(windows: &Windows) -> Self {
        let Windows { bits: window_bits, count: windows, group, segment, sets } = *windows;
        Self(sys::interlock_msm_shape { window_bits, windows, group, segment, sets, stride: 0 })
    }

    /// The one for up to `len` points with these multiples, each `stride` places after the one before, as many windows at a time as so many bytes
    /// of scratch allow.
    ///
    /// # Errors
    /// As [`Shape::within`].
    pub fn sharing(multiples: &Multiples, len: usize, stride: usize, scratch: usize) -> Result<Self, Error> {
        let Self(shape) = Self::found(multiples.windows_within(len, scratch), len, scratch)?;
        Ok(Self(sys::interlock_msm_shape { stride, ..shape }))
    }

    /// The same, so many windows at a time.
    #[cfg(feature = "kit")]
    pub fn in_groups_of(self, group: u32) -> Self {
        Self(sys::interlock_msm_shape { group, ..self.0 })
    }

    /// What a plan takes for the bytes of scratch in this shape, at least as many as [`msm_scratch_bytes`] says.
    #[cfg(feature = "kit")]
    pub fn planned_scratch_bytes<G: Group>(&self, len: usize) -> usize {
        self.as_planned().scratch(len, size_of::<G::Sum>())
    }

    fn as_planned(&self) -> Windows {
        let sys::interlock_msm_shape { window_bits, windows, group, segment, sets, stride: _ } = self.0;
        Windows { bits: window_bits, count: windows, group, segment, sets }
    }

    /// Windows of `bits` bits, `group` at a time, and segments of so many buckets.
    #[cfg(any(test, feature = "kit"))]
    pub fn new(bits: u32, group: u32, segment: u32) -> Self {
        let windows = 255u32.div_ceil(bits);
        Self(sys::interlock_msm_shape { window_bits: bits, windows, group, segment, sets: windows, stride: 0 })
    }

    /// How many sums an MSM leaves.
    pub fn sums(&self) -> usize {
        (self.0.sets * self.sums_per_window()) as usize
    }

    /// How many points, the last multiple of the last among them, an MSM of the first `len` points reads; 0 where none have multiples.
    fn reach(&self, len: usize) -> usize {
        let sys::interlock_msm_shape { windows, sets, stride, .. } = self.0;
        match stride {
            0 => 0,
            _ => ((windows - 1) / sets) as usize * stride + len,
        }
    }

    /// How many buckets there are in all.
    pub fn buckets(&self) -> usize {
        (self.0.sets as usize) << (self.0.window_bits - 1)
    }

    /// The first window of each group.
    fn groups(&self) -> impl Iterator<Item = usize> {
        (0..self.windows()).step_by(self.0.group.max(1) as usize)
    }

    /// How many windows a scalar has.
    pub fn windows(&self) -> usize {
        self.0.windows as usize
    }

    fn sums_per_window(&self) -> u32 {
        self.as_planned().sums_per_window()
    }

    /// The power of two that sum number `i` is multiplied by, and whether by the segment's length without its powers of two, too.
    fn weight(&self, i: usize) -> (u32, bool) {
        let (window, j) = (i as u32 / self.sums_per_window(), i as u32 % self.sums_per_window());
        let of_window = window * self.0.window_bits;
        match j.checked_sub(1) {
            None => (of_window, false),
            Some(bit) => (of_window + self.0.segment.trailing_zeros() + bit, true),
        }
    }
}

/// Bytes of scratch that [`msm`] needs for `len` terms.
///
/// # Errors
/// [`Error::Cuda`].
pub fn msm_scratch_bytes<G: Group>(len: usize, shape: Shape) -> Result<usize, Error> {
    let mut bytes = 0;
    check("interlock_msm_scratch_bytes", G::msm_scratch_bytes(len, shape.0, &mut bytes))?;
    Ok(bytes)
}

/// Enqueues Σ scalar · point over the terms; [`combine`] makes the result of the [`Shape::sums`] sums that it leaves.
///
/// # Errors
/// [`Error::Size`] if a buffer is too short, and [`Error::Cuda`].
pub fn msm<G: Group>(
    sums: &mut DeviceSlice<G::Sum>,
    terms: &Terms<'_, G>,
    shape: Shape,
    scratch: &mut DeviceSlice<u8>,
    stream: &Stream,
) -> Result<(), Error> {
    at_least("sums", sums.len(), shape.sums())?;
    at_least("scratch", scratch.len(), msm_scratch_bytes::<G>(terms.len, shape)?)?;
    at_least("points with their multiples", terms.points.len(), shape.reach(terms.len))?;
    let terms = terms.as_raw()?;
    // SAFETY: the ranges have the sizes that were checked, aligned as points and sums are; scratch begins at a multiple of 256 bytes.
    check("interlock_msm", unsafe { G::msm(scratch.as_raw(), sums.as_raw(), &terms, shape.0, stream.as_raw()) })
}

/// Enqueues the making of the points times 2^`doublings`, with what scratch there is.
///
/// # Errors
/// [`Error::Size`] if there are not as many of both, and [`Error::Cuda`].
pub fn multiply_points(
    to: &DeviceSlice<G1Affine>,
    from: &DeviceSlice<G1Affine>,
    doublings: u32,
    scratch: &mut DeviceSlice<u8>,
    stream: &Stream,
) -> Result<(), Error> {
    at_least("points", to.len(), from.len())?;
    let (room, bytes) = (scratch.as_raw(), scratch.len());
    // SAFETY: the ranges have the sizes that were checked; scratch begins at a multiple of 256 bytes.
    check("interlock_multiples_g1", unsafe {
        sys::interlock_multiples_g1(room, bytes, to.as_raw(), from.as_raw(), from.len(), doublings, stream.as_raw())
    })
}

/// Enqueues the putting in order of scalars: `out` becomes those numbered from `first` on, the numbers having `bits` bits that are reversed.
///
/// # Errors
/// [`Error::Size`] if there are not so many, and [`Error::Cuda`].
pub(super) fn gather(
    out: &DeviceSlice<Fr>,
    scalars: &DeviceSlice<Fr>,
    bits: u32,
    first: usize,
    stream: &Stream,
) -> Result<(), Error> {
    at_least("scalars", scalars.len(), 1 << bits)?;
    at_least("scalars", 1 << bits, first + out.len())?;
    // SAFETY: the ranges have the sizes that were checked.
    check("interlock_gather", unsafe {
        sys::interlock_gather(out.as_raw(), scalars.as_raw(), bits, first, out.len(), stream.as_raw())
    })
}

/// The result of an MSM from the sums that it left: one or two point doublings for each bit of a scalar, and an addition for each sum.
pub fn combine<G: Group>(sums: &[G::Sum], shape: Shape) -> G::Jacobian {
    let factor = shape.0.segment >> shape.0.segment.trailing_zeros();
    let (mut scaled, mut plain) = (Vec::new(), Vec::new());
    for (i, sum) in sums.iter().enumerate() {
        let (weight, is_scaled) = shape.weight(i);
        if is_scaled && factor > 1 { &mut scaled } else { &mut plain }.push((weight, sum));
    }
    let scaled = weighted::<G>(scaled);
    G::add(&times::<G>(&scaled, factor), &weighted::<G>(plain))
}

/// The sum of sums, each times a power of two.
fn weighted<G: Group>(mut sums: Vec<(u32, &G::Sum)>) -> G::Jacobian {
    sums.sort_by_key(|(weight, _)| std::cmp::Reverse(*weight));
    let mut result = G::Jacobian::default();
    let mut weight = sums.first().map_or(0, |(weight, _)| *weight);
    for (next, sum) in sums {
        for _ in next..weight {
            result = G::double(&result);
        }
        weight = next;
        result = G::add(&result, &G::to_jacobian(sum));
    }
    (0..weight).fold(result, |p, _| G::double(&p))
}

/// factor·p.
fn times<G: Group>(p: &G::Jacobian, factor: u32) -> G::Jacobian {
    let bits = (0..32 - factor.leading_zeros()).rev().map(|bit| factor >> bit & 1);
    bits.fold(G::Jacobian::default(), |result, bit| {
        let doubled = G::double(&result);
        if bit == 1 {
            G::add(&doubled, p)
        } else {
            doubled
        }
    })
}

/// Bytes of scratch that [`fill`] needs for `len` terms.
///
/// # Errors
/// [`Error::Cuda`].
pub fn fill_scratch_bytes(len: usize, shape: Shape) -> Result<usize, Error> {
    let mut bytes = 0;
    // SAFETY: one number is written.
    check("interlock_fill_g1_scratch_bytes", unsafe {
        sys::interlock_fill_g1_scratch_bytes(len, shape.0.group, &mut bytes)
    })?;
    Ok(bytes)
}

/// Enqueues the adding of terms to the buckets of all windows, which are cleared at first.
///
/// # Errors
/// [`Error::Size`] if a buffer is too short, and [`Error::Cuda`].
pub fn fill(
    buckets: &DeviceSlice<Bucket>,
    terms: &Terms<'_, G1>,
    shape: Shape,
    scratch: &mut DeviceSlice<u8>,
    stream: &Stream,
) -> Result<(), Error> {
    at_least("buckets", buckets.len(), shape.buckets())?;
    at_least("scratch", scratch.len(), fill_scratch_bytes(terms.len, shape)?)?;
    let terms = terms.as_raw()?;
    shape.groups().try_for_each(|first| {
        // SAFETY: the ranges have the sizes that were checked, aligned to 256 bytes.
        check("interlock_fill_g1", unsafe {
            sys::interlock_fill_g1(scratch.as_raw(), buckets.as_raw(), &terms, shape.0, first as u32, stream.as_raw())
        })
    })
}

/// Enqueues what makes of buckets the sums that an MSM of all their terms leaves.
///
/// # Errors
/// [`Error::Size`] if a buffer is too short, and [`Error::Cuda`].
pub fn reduce(
    sums: &mut DeviceSlice<Bucket>,
    buckets: &DeviceSlice<Bucket>,
    shape: Shape,
    scratch: &mut DeviceSlice<u8>,
    stream: &Stream,
) -> Result<(), Error> {
    at_least("sums", sums.len(), shape.sums())?;
    at_least("buckets", buckets.len(), shape.buckets())?;
    // SAFETY: it takes a value.
    at_least("scratch", scratch.len(), unsafe { sys::interlock_reduce_g1_scratch_bytes(shape.0) })?;
    // SAFETY: the ranges have the sizes that were checked, aligned to 256 bytes.
    check("interlock_reduce_g1", unsafe {
        sys::interlock_reduce_g1(scratch.as_raw(), sums.as_raw(), buckets.as_raw(), shape.0, stream.as_raw())
    })
}

pub(super) fn address(numbers: Option<&DeviceSlice<u32>>) -> *const u32 {
    numbers.map_or(std::ptr::null(), |numbers| numbers.as_raw().cast_const().cast())
}

pub(super) fn count_address(count: Option<(&DeviceSlice<u32>, usize)>) -> Result<*const u32, Error> {
    let Some((buffer, place)) = count else { return Ok(std::ptr::null()) };
    at_least("count", buffer.len(), place + 1)?;
    Ok(address(Some(buffer)).wrapping_add(place))
}

/// Checks that a buffer has the length that a launcher is told.
pub(super) fn at_least(what: &str, found: usize, needed: usize) -> Result<(), Error> {
    if found < needed {
        return Err(Error::Size { field: what.into(), found, expected: format!("{needed} are needed") });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::cuda::G1;
    use crate::prove::plan::scratch::{G1_SUM, G2_SUM};

    #[test]
    fn plans_have_the_kernels_shapes() {
        let have = |terms| {
            // SAFETY: they take a number.
            let (g1, g2) = unsafe { (sys::interlock_msm_g1_shape_for(terms), sys::interlock_msm_g2_shape_for(terms)) };
            assert_eq!(Windows::suiting(terms, G1_SUM), Shape(g1).as_planned(), "{terms} terms in G1");
            assert_eq!(Windows::suiting(terms, G2_SUM), Shape(g2).as_planned(), "{terms} terms in G2");
        };
        for log2 in 0..31 {
            [1 << log2, (1 << log2) + 1, 3 << log2, (5 << 24) / (log2 + 1)].into_iter().for_each(have);
        }
        have(0);
    }

    /// With CUDA's own number, which the C boundary passes on: 0 would be success there.
    #[test]
    fn scratch_is_asked_for_or_the_error_is_told() {
        let shape = Shape::for_terms::<G1>(1000);
        for asked in [msm_scratch_bytes::<G1>(1000, shape), fill_scratch_bytes(1000, shape)] {
            match asked {
                Ok(bytes) => assert!(bytes > 0),
                Err(error) => assert!(error.code() < 0, "{error}"),
            }
        }
    }

    /// Of no terms: a launcher looks at what it is asked for, and does nothing.
    #[test]
    fn the_largest_domain_is_taken() {
        let launched = |reversed_bits, first| {
            let (points, scalars) = (std::ptr::null(), std::ptr::null());
            let (positions, indices, count) = (std::ptr::null(), std::ptr::null(), std::ptr::null());
            let terms = sys::interlock_msm_terms {
                points,
                scalars,
                positions,
                indices,
                count,
                n: 0,
                first,
                reversed_bits,
                integers: 0,
            };
            let (scratch, buckets, stream) = (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
            // SAFETY: with no terms nothing is read nor written but the terms themselves.
            unsafe { sys::interlock_fill_g1(scratch, buckets, &terms, Shape::for_terms::<G1>(1).0, 0, stream) }
        };
        assert_eq!([launched(1, 2), launched(31, 1 << 31), launched(32, 1 << 32)], [sys::SUCCESS; 3]);
        for (reversed_bits, first) in [(0, 1), (31, (1 << 31) + 1), (32, (1 << 32) + 1), (33, 0)] {
            assert_ne!(launched(reversed_bits, first), sys::SUCCESS, "2^{reversed_bits} from {first} on");
        }
    }

    /// Every sum is the generator, so that the result is the sum of the weights times it.
    #[test]
    fn sums_are_combined_by_their_weights() {
        // SAFETY: a constant of blst.
        let generator = unsafe { *blst::blst_p1_generator() };
        let mut words = [0u64; 24];
        let one = generator.z;
        for (i, coordinate) in [generator.x, generator.y, one, one].iter().enumerate() {
            words[6 * i..6 * i + 6].copy_from_slice(&coordinate.l);
        }
        let shared = |bits, sets| Shape::sharing(&Multiples::new(bits, sets), 1 << 12, 1 << 12, 1 << 30).unwrap();
        for (shape, per_window) in [
            (Shape::new(5, 3, 4), 3),
            (Shape::new(8, 1, 128), 1),
            (Shape::new(4, 64, 1), 4),
            (Shape::new(5, 3, 3), 4),
            (Shape::new(8, 1, 127), 2),
            (Shape::new(10, 1, 20), 6),
            (shared(8, 3), 8),
            (shared(5, 1), 5),
        ] {
            let mut expected = blst::blst_p1::default();
            for window in 0..shape.0.sets {
                let weight = |power: u32| (0..power).fold(generator, |p, _| G1::double(&p));
                expected = G1::add(&expected, &weight(window * shape.0.window_bits));
                for bit in 0..per_window - 1 {
                    let term = weight(window * shape.0.window_bits + bit);
                    expected = (0..shape.0.segment).fold(expected, |p, _| G1::add(&p, &term));
                }
            }
            assert_eq!(shape.sums(), (shape.0.sets * per_window) as usize, "{shape:?}");
            let sums = vec![words; shape.sums()];
            assert_eq!(combine::<G1>(&sums, shape), expected, "{shape:?}");
        }
        assert_eq!(combine::<G1>(&[[0; 24]; 3], Shape::new(5, 3, 3)), blst::blst_p1::default());
    }
}
