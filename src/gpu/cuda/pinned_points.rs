//! The points of parameters in pinned host memory, for devices that have no room for them.

use std::ffi::c_void;
use std::io;

use rayon::prelude::*;

use super::msm::at_least;
use super::pinned::check_locking;
use super::round_trip;
use super::status::{check, warn_unless_lost};
use super::worker::Worker;
use super::{DeviceSlice, Group, Stream};
use crate::error::Error;
use crate::params::{Counts, Encoded, Parameters, Query};
use crate::prove::plan::QUERY_ALIGNMENT;
use crate::sys;
use crate::threads;

/// Bytes that a thread reads at a time.
const READ: usize = 4 << 20;

/// The queries of a circuit, in the order of the file, in affine coordinates in Montgomery form: they take as many bytes as in the file.
///
/// Nothing may be enqueued that copies from it when this is dropped.
#[derive(Debug)]
pub(super) struct PinnedPoints {
    memory: Locked,
    /// Where each query begins, and how many bytes it has.
    starts: [usize; Query::ALL.len()],
    lens: [usize; Query::ALL.len()],
    counts: Counts,
}

impl PinnedPoints {
    /// The queries of `srs`, read from its file, decoded and checked on the engine's device.
    ///
    /// # Errors
    /// [`Error::Params`] with the first thing that is wrong in the order of the file, [`Error::File`], [`Error::OutOfMemory`] if the
    /// host has no memory for them that can be locked, [`Error::Cuda`], [`Error::Threads`].
    pub(super) fn load(engine: &Worker<'_>, srs: &Parameters) -> Result<Self, Error> {
        srs.read_encoded(|encoded| {
            let mut points = Self::read(encoded, srs.counts)?;
            points.memory.lock()?;
            round_trip::decode(engine, encoded, &mut points)?;
            Ok(points)
        })
    }

    /// How long the queries are.
    pub(super) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Enqueues the copying of points of a query, from number `first` on, to all of `to`.
    ///
    /// # Errors
    /// [`Error::Size`] if there are not so many, [`Error::Cuda`].
    pub(super) fn copy<G: Group>(
        &self,
        query: Query,
        first: usize,
        to: &DeviceSlice<G::Affine>,
        stream: &Stream,
    ) -> Result<(), Error> {
        if to.is_empty() {
            return Ok(());
        }
        let (from, bytes) = self.place::<G>(query, first, to.len())?;
        // SAFETY: both ranges have this many bytes, and the host's stays as it is until it is dropped.
        check("cudaMemcpyAsync", unsafe {
            sys::cudaMemcpyAsync(to.as_raw(), from, bytes, sys::HOST_TO_DEVICE, stream.as_raw())
        })
    }

    /// Enqueues the copying of all of `from` to points of a query, from number `first` on, which nothing else uses until that is over.
    ///
    /// # Errors
    /// [`Error::Size`] if there are not so many, [`Error::Cuda`].
    pub(super) fn replace<G: Group>(
        &mut self,
        query: Query,
        first: usize,
        from: &DeviceSlice<G::Affine>,
        stream: &Stream,
    ) -> Result<(), Error> {
        if from.is_empty() {
            return Ok(());
        }
        let (to, bytes) = self.place::<G>(query, first, from.len())?;
        // SAFETY: both ranges have this many bytes, and nothing else uses the host's meanwhile, nor drops it.
        check("cudaMemcpyAsync", unsafe {
            sys::cudaMemcpyAsync(to, from.as_raw(), bytes, sys::DEVICE_TO_HOST, stream.as_raw())
        })
    }

    /// All of them, copied.
    #[cfg(feature = "kit")]
    pub(super) fn to_points(&self) -> crate::params::Points {
        use super::{G1, G2};
        crate::params::Points {
            h: self.to_vec::<G1>(Query::H),
            l: self.to_vec::<G1>(Query::L),
            a: self.to_vec::<G1>(Query::A),
            b_g1: self.to_vec::<G1>(Query::BG1),
            b_g2: self.to_vec::<G2>(Query::BG2),
        }
    }

    #[cfg(feature = "kit")]
    fn to_vec<G: Group>(&self, query: Query) -> Vec<G::Affine> {
        let bytes = self.bytes(query);
        // SAFETY: initialised memory whose beginning is aligned to QUERY_ALIGNMENT; any bytes are values of a `Plain` type.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast::<G::Affine>(), bytes.len() / G::ENCODED) }.to_vec()
    }

    #[cfg(any(test, feature = "kit"))]
    fn bytes(&self, query: Query) -> &[u8] {
        let (start, len) = (self.starts[query as usize], self.lens[query as usize]);
        &self.memory.shared()[start..start + len]
    }

    /// The address of `len` points of a query, from number `first` on, and how many bytes they have.
    fn place<G: Group>(&self, query: Query, first: usize, len: usize) -> Result<(*mut c_void, usize), Error> {
        at_least("the query's points", self.lens[query as usize] / G::ENCODED, first + len)?;
        let start = self.starts[query as usize] + first * G::ENCODED;
        // SAFETY: inside of the memory, where the query has so many.
        Ok((unsafe { self.memory.pointer.byte_add(start) }, len * G::ENCODED))
    }

    /// Memory with the queries as they are in the file.
    fn read(encoded: Encoded<'_>, counts: Counts) -> Result<Self, Error> {
        let lens = Query::ALL.map(|query| encoded.bytes(query));
        let mut end = 0;
        let starts = lens.map(|len| {
            let start = end;
            end += len.next_multiple_of(QUERY_ALIGNMENT);
            start
        });
        let mut memory = Locked::new(end)?;
        let mut rest = memory.bytes();
        let mut tasks = Vec::new();
        for (query, len) in Query::ALL.into_iter().zip(lens) {
            let (own, after) = rest.split_at_mut(len.next_multiple_of(QUERY_ALIGNMENT));
            tasks.extend(own[..len].chunks_mut(READ).enumerate().map(|(i, part)| (query, i * READ, part)));
            rest = after;
        }
        threads::install(|| {
            tasks.into_par_iter().try_for_each(|(query, offset, part)| encoded.read(query, offset, part))
        })??;
        Ok(Self { memory, starts, lens, counts })
    }
}

/// Memory of whole pages, which CUDA locks as one range: it copies from within one only.
#[derive(Debug)]
struct Locked {
    pointer: *mut c_void,
    len: usize,
    is_locked: bool,
}

// SAFETY: the memory belongs to no thread.
unsafe impl Send for Locked {}
// SAFETY: nothing is written while it is shared.
unsafe impl Sync for Locked {}

impl Locked {
    /// `len` bytes of zeros, of which the system finds the pages when they are first written.
    fn new(len: usize) -> Result<Self, Error> {
        let len = len.max(QUERY_ALIGNMENT);
        // SAFETY: new memory, wherever there is room.
        let pointer = unsafe {
            let (protection, flags) =
                (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE);
            libc::mmap(std::ptr::null_mut(), len, protection, flags, -1, 0)
        };
        if pointer == libc::MAP_FAILED {
            return Err(Error::OutOfMemory { what: "parameters that are streamed", bytes: len });
        }
        // Large pages are found and locked many times faster; without them it works too.
        // SAFETY: the memory that was just mapped.
        let _ = unsafe { libc::madvise(pointer, len, libc::MADV_HUGEPAGE) };
        Ok(Self { pointer, len, is_locked: false })
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the memory is ours, readable and writable, zeros or what was written, and borrowed as long as the slice.
        unsafe { std::slice::from_raw_parts_mut(self.pointer.cast(), self.len) }
    }

    #[cfg(any(test, feature = "kit"))]
    fn shared(&self) -> &[u8] {
        // SAFETY: as above, and nobody writes meanwhile.
        unsafe { std::slice::from_raw_parts(self.pointer.cast(), self.len) }
    }

    fn lock(&mut self) -> Result<(), Error> {
        // SAFETY: our memory, which is not locked yet.
        let code = unsafe { sys::cudaHostRegister(self.pointer, self.len, sys::HOST_REGISTER_PORTABLE) };
        check_locking("cudaHostRegister", code, self.len)?;
        self.is_locked = true;
        Ok(())
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        if self.is_locked {
            // SAFETY: what was locked, and nobody copies from.
            warn_unless_lost("locked memory", "cudaHostUnregister", unsafe { sys::cudaHostUnregister(self.pointer) });
        }
        // SAFETY: what mmap gave, and nobody uses.
        if unsafe { libc::munmap(self.pointer, self.len) } != 0 {
            crate::logging::warning!("memory could not be given back: {}", io::Error::last_os_error());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{G1, G2};
    use super::*;
    use crate::params::Sample;

    #[test]
    fn memory_is_zeros_that_can_be_written() {
        let mut memory = Locked::new(5000).unwrap();
        assert!(memory.shared().iter().all(|byte| *byte == 0));
        memory.bytes()[4999] = 7;
        assert_eq!((memory.shared()[4999], memory.shared().len()), (7, 5000));
        assert!(matches!(Locked::new(1 << 60), Err(Error::OutOfMemory { .. })));
    }

    #[test]
    fn queries_have_their_own_bytes_and_places() {
        // More bytes of h than a thread reads at a time.
        let sample = Sample { ic: 2, h: (1 << 16) - 1, l: 50, a: 3, b: 7 };
        let srs = sample.parameters();
        let points = srs.read_encoded(|encoded| PinnedPoints::read(encoded, srs.counts)).unwrap();
        let lens = [(1 << 16) - 1, 50, 3, 7, 7];
        let (bytes, mut at) = (sample.bytes(), 864 + 4 + 2 * 96);
        for (query, len) in Query::ALL.into_iter().zip(lens) {
            let per_point = if query == Query::BG2 { 192 } else { 96 };
            at += 4;
            assert!(points.bytes(query) == &bytes[at..at + len * per_point], "{query:?}");
            at += len * per_point;
            let start = points.bytes(query).as_ptr();
            assert_eq!(start as usize % QUERY_ALIGNMENT, 0);
            let place = |first, count| match query {
                Query::BG2 => points.place::<G2>(query, first, count),
                _ => points.place::<G1>(query, first, count),
            };
            let (pointer, size) = place(2, len - 2).unwrap();
            assert_eq!((pointer as usize, size), (start as usize + 2 * per_point, (len - 2) * per_point));
            assert!(matches!(place(2, len - 1), Err(Error::Size { .. })));
        }
        assert_eq!(at, bytes.len());
    }
}
