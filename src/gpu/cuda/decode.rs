//! Points of parameter files, decoded on the device.

use std::ffi::c_int;

use super::{msm::at_least, status::check, DeviceBuffer, DeviceSlice, Group, Stream};
use crate::error::Error;
use crate::params::PointFault;
use crate::sys;

/// A run of encoded points of one query.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// Their bytes, from the first on.
    pub bytes: &'a DeviceSlice<u8>,
    /// How many there are.
    pub len: usize,
    /// The number of the first in its query.
    pub first: u64,
    /// Which of the [`Faults`] is the query's.
    pub query: usize,
}

/// Words on the device that keep the first point at fault of each of some queries.
#[derive(Debug)]
pub struct Faults(DeviceBuffer<u64>);

/// The word that says that no point is at fault.
const NO_FAULT: u64 = u64::MAX;

impl Faults {
    /// Words for so many queries, none with a fault; those that are enqueued on `stream` from now on may write them.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn new(queries: usize, stream: &Stream) -> Result<Self, Error> {
        let words = DeviceBuffer::new(queries)?;
        let ones = c_int::from(NO_FAULT.to_ne_bytes()[0]);
        // SAFETY: the buffer has this many bytes.
        check("cudaMemsetAsync", unsafe {
            sys::cudaMemsetAsync(words.as_raw(), ones, queries * size_of::<u64>(), stream.as_raw())
        })?;
        Ok(Self(words))
    }

    /// Waits for what is enqueued on `stream` and returns, for each query, the number of its first point at fault and what is
    /// wrong with it, if any is.
    ///
    /// # Errors
    /// [`Error::Cuda`], which may be that of earlier work.
    pub fn found(&self, stream: &Stream) -> Result<Vec<Option<(u64, PointFault)>>, Error> {
        Ok(self.0.to_host(stream)?.into_iter().map(fault_in).collect())
    }
}

/// Enqueues the decoding of `run` to `points`, from place `at` on.
///
/// # Errors
/// [`Error::Size`] if there is no room for the points, no byte for one, or no word for the query, and [`Error::Cuda`].
pub fn decode<G: Group>(
    points: &DeviceSlice<G::Affine>,
    at: usize,
    run: &Run<'_>,
    faults: &Faults,
    stream: &Stream,
) -> Result<(), Error> {
    at_least("points", points.len(), at + run.len)?;
    at_least("bytes", run.bytes.len(), run.len * G::ENCODED)?;
    at_least("faults", faults.0.len(), run.query + 1)?;
    // SAFETY: the ranges have as many points, aligned to 16 bytes as all slices of these are, and bytes, which begin at a multiple
    // of 256 or with a point; and there is a word.
    check("interlock_decode", unsafe {
        let to = points.as_raw().byte_add(at * size_of::<G::Affine>());
        let fault = faults.0.as_raw().cast::<u64>().add(run.query);
        G::decode(to, run.bytes.as_raw(), run.len, run.first, fault, stream.as_raw())
    })
}

/// Enqueues the decoding of the encodings that are in the places of `points`, which are those of one query from number `first` on.
///
/// # Errors
/// As [`decode`].
pub(super) fn decode_in_place<G: Group>(
    points: &DeviceSlice<G::Affine>,
    (query, first): (usize, u64),
    faults: &Faults,
    stream: &Stream,
) -> Result<(), Error> {
    let len = points.len();
    // SAFETY: the memory of the points, which take as many bytes as their encodings and may take their place.
    let bytes = unsafe { DeviceSlice::from_raw(points.as_raw(), len * G::ENCODED) };
    decode::<G>(points, 0, &Run { bytes: &bytes, len, first, query }, faults, stream)
}

/// The number of the first point at fault and what is wrong with it, if any is.
fn fault_in(word: u64) -> Option<(u64, PointFault)> {
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
