//! Multi-scalar multiplications.
//!
//! Numbers in device memory (positions, indices, counts) cannot be checked here: one out of range makes a kernel read other
//! device memory, or fail with [`Error::Cuda`].

use super::{status::check, DeviceSlice, Group, Stream, G1};
use crate::curve::Fr;
use crate::error::Error;
use crate::prove::plan::scratch::Windows;
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

/// The terms of an MSM.
#[derive(Debug)]
pub struct Terms<'a, G: Group> {
    /// The points, in Montgomery form.
    pub points: &'a DeviceSlice<G::Affine>,
    /// The position in `points` of each term's point; none means that term i has point i.
    pub positions: Option<&'a DeviceSlice<u32>>,
    /// The scalars, in Montgomery form.
    pub scalars: &'a DeviceSlice<Fr>,
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
    pub fn for_terms(len: usize) -> Self {
        // SAFETY: it takes a number.
        Self(unsafe { sys::interlock_msm_shape_for(len) })
    }

    /// The one that suits `len` terms with as many windows at a time as so many bytes of scratch allow.
    ///
    /// # Errors
    /// [`Error::Internal`] if they do not allow one: terms are shared out so that they do.
    pub(super) fn within<G: Group>(len: usize, scratch: usize) -> Result<Self, Error> {
        let windows = Windows::within(len, size_of::<G::Sum>(), scratch);
        let windows =
            windows.ok_or_else(|| Error::Internal { what: format!("{len} terms for {scratch} bytes of scratch") })?;
        Ok(Self::of(&windows))
    }

    /// The one of a plan.
    pub(super) fn of(windows: &Windows) -> Self {
        let Windows { bits: window_bits, count: windows, group, segment_bits } = *windows;
        Self(sys::interlock_msm_shape { window_bits, windows, group, segment_bits })
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

    #[cfg(any(test, feature = "kit"))]
    fn as_planned(&self) -> Windows {
        let sys::interlock_msm_shape { window_bits, windows, group, segment_bits } = self.0;
        Windows { bits: window_bits, count: windows, group, segment_bits }
    }

    /// Windows of `bits` bits, `group` at a time.
    #[cfg(any(test, feature = "kit"))]
    pub fn new(bits: u32, group: u32, segment_bits: u32) -> Self {
        Self(sys::interlock_msm_shape { window_bits: bits, windows: 255u32.div_ceil(bits), group, segment_bits })
    }

    /// How many sums an MSM leaves.
    pub fn sums(&self) -> usize {
        (self.0.windows * self.sums_per_window()) as usize
    }

    /// How many buckets all windows have.
    pub fn buckets(&self) -> usize {
        (self.0.windows as usize) << (self.0.window_bits - 1)
    }

    /// The first window of each group.
    pub fn groups(&self) -> impl Iterator<Item = usize> {
        (0..self.windows()).step_by(self.0.group.max(1) as usize)
    }

    /// How many windows a scalar has.
    pub fn windows(&self) -> usize {
        self.0.windows as usize
    }

    fn sums_per_window(&self) -> u32 {
        self.0.window_bits - self.0.segment_bits
    }

    /// The power of two that sum number `i` is multiplied by.
    fn weight(&self, i: usize) -> u32 {
        let (window, j) = (i as u32 / self.sums_per_window(), i as u32 % self.sums_per_window());
        window * self.0.window_bits + if j == 0 { 0 } else { self.0.segment_bits + j - 1 }
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
    let terms = terms.as_raw()?;
    // SAFETY: the ranges have the sizes that were checked, aligned as points and sums are; scratch begins at a multiple of 256 bytes.
    check("interlock_msm", unsafe { G::msm(scratch.as_raw(), sums.as_raw(), &terms, shape.0, stream.as_raw()) })
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

/// The result of an MSM from the sums that it left: a point doubling for each bit of a scalar, and an addition for each sum.
pub fn combine<G: Group>(sums: &[G::Sum], shape: Shape) -> G::Jacobian {
    let mut order: Vec<usize> = (0..sums.len()).collect();
    order.sort_by_key(|i| std::cmp::Reverse(shape.weight(*i)));
    let mut result = G::Jacobian::default();
    let mut weight = order.first().map_or(0, |i| shape.weight(*i));
    for i in order {
        for _ in shape.weight(i)..weight {
            result = G::double(&result);
        }
        weight = shape.weight(i);
        result = G::add(&result, &G::to_jacobian(&sums[i]));
    }
    (0..weight).fold(result, |p, _| G::double(&p))
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

/// Enqueues the adding of terms to the buckets of a group of windows from number `first` on. `buckets` are those of all windows, cleared
/// at first.
///
/// # Errors
/// [`Error::Size`] if a buffer is too short, and [`Error::Cuda`].
pub fn fill(
    buckets: &DeviceSlice<Bucket>,
    terms: &Terms<'_, G1>,
    (shape, first): (Shape, usize),
    scratch: &mut DeviceSlice<u8>,
    stream: &Stream,
) -> Result<(), Error> {
    at_least("buckets", buckets.len(), shape.buckets())?;
    at_least("scratch", scratch.len(), fill_scratch_bytes(terms.len, shape)?)?;
    let terms = terms.as_raw()?;
    // SAFETY: the ranges have the sizes that were checked, aligned to 256 bytes.
    check("interlock_fill_g1", unsafe {
        sys::interlock_fill_g1(scratch.as_raw(), buckets.as_raw(), &terms, shape.0, first as u32, stream.as_raw())
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

    #[test]
    fn plans_have_the_kernels_shapes() {
        for log2 in 0..31 {
            for terms in [1 << log2, (1 << log2) + 1, 3 << log2, (5 << 24) / (log2 + 1)] {
                assert_eq!(Windows::suiting(terms), Shape::for_terms(terms).as_planned(), "{terms} terms");
            }
        }
        assert_eq!(Windows::suiting(0), Shape::for_terms(0).as_planned());
    }

    /// With CUDA's own number, which the C boundary passes on: 0 would be success there.
    #[test]
    fn scratch_is_asked_for_or_the_error_is_told() {
        let shape = Shape::for_terms(1000);
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
            let terms =
                sys::interlock_msm_terms { points, scalars, positions, indices, count, n: 0, first, reversed_bits };
            let (scratch, buckets, stream) = (std::ptr::null_mut(), std::ptr::null_mut(), std::ptr::null_mut());
            // SAFETY: with no terms nothing is read nor written but the terms themselves.
            unsafe { sys::interlock_fill_g1(scratch, buckets, &terms, Shape::for_terms(1).0, 0, stream) }
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
        for shape in [Shape::new(5, 3, 2), Shape::new(8, 1, 7), Shape::new(4, 64, 0)] {
            let mut expected = blst::blst_p1::default();
            for i in 0..shape.sums() {
                let term = (0..shape.weight(i)).fold(generator, |p, _| G1::double(&p));
                expected = G1::add(&expected, &term);
            }
            let sums = vec![words; shape.sums()];
            assert_eq!(combine::<G1>(&sums, shape), expected, "{shape:?}");
        }
        assert_eq!(combine::<G1>(&[[0; 24]; 3], Shape::new(5, 3, 2)), blst::blst_p1::default());
    }
}
