//! Points of parameter files, decoded on the device.

use super::{msm::at_least, status::check, DeviceSlice, Group, Stream};
use crate::error::Error;
use crate::sys;

/// What is wrong with the bytes of a point, as the CPU's decoder tells it too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointFault {
    /// The flag of compressed points is set.
    Compressed,
    /// It is the point at infinity.
    Infinity,
    /// The flag of infinity is set, and other bits are too.
    InfinityFlag,
    /// The sign's flag is set.
    Sign,
    /// A coordinate is not below the field's modulus.
    Coordinate,
    /// The coordinates do not satisfy the curve's equation.
    OffCurve,
}

/// The word that says that no point is at fault; [`decode`] lowers it.
pub const NO_FAULT: u64 = u64::MAX;

/// Enqueues the decoding of as many points as `bytes` has, the first of which is number `first` of its query. The first word of
/// `fault` becomes the least of itself and what [`fault_in`] reads.
///
/// # Errors
/// [`Error::Size`] if there is no room for the points, and [`Error::Cuda`].
pub fn decode<G: Group>(
    points: &mut DeviceSlice<G::Affine>,
    bytes: &DeviceSlice<u8>,
    first: u64,
    fault: &mut DeviceSlice<u64>,
    stream: &Stream,
) -> Result<(), Error> {
    let n = bytes.len() / G::ENCODED;
    at_least("points", points.len(), n)?;
    at_least("fault", fault.len(), 1)?;
    let word = fault.as_raw().cast();
    // SAFETY: both ranges have `n` points, and cudaMalloc aligns to 256 bytes.
    check("interlock_decode", unsafe { G::decode(points.as_raw(), bytes.as_raw(), n, first, word, stream.as_raw()) })
}

/// The number of the first point at fault and what is wrong with it, if any is.
pub fn fault_in(word: u64) -> Option<(u64, PointFault)> {
    let fault = match (word & 0xff) as sys::interlock_point_fault {
        _ if word == NO_FAULT => return None,
        sys::INTERLOCK_POINT_COMPRESSED => PointFault::Compressed,
        sys::INTERLOCK_POINT_INFINITY => PointFault::Infinity,
        sys::INTERLOCK_POINT_INFINITY_FLAG => PointFault::InfinityFlag,
        sys::INTERLOCK_POINT_SIGN => PointFault::Sign,
        sys::INTERLOCK_POINT_COORDINATE => PointFault::Coordinate,
        other => {
            debug_assert_eq!(other, sys::INTERLOCK_POINT_OFF_CURVE);
            PointFault::OffCurve
        }
    };
    Some((word >> 8, fault))
}
