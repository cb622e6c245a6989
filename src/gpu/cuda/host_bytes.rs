//! The encoded queries in page-locked host memory, for proofs that copy them to a device which has no room for them.

use std::ffi::c_void;
use std::ptr::NonNull;

use super::loader::{read, Loader};
use super::status::check;
use crate::error::Error;
use crate::logging::warning;
use crate::params::{Encoded, Parameters, Query};
use crate::sys;

/// Bytes of a chunk: 2^21 points of G1 or 2^20 of G2, and whole pages of 4 KiB and of 2 MiB. CUDA copies from within one range
/// that it has locked, so chunks are what is copied from.
const CHUNK: usize = 192 << 20;

/// The bytes of all queries as they stand in the file.
#[derive(Debug)]
pub(super) struct HostBytes {
    queries: [QueryBytes; 5],
}

/// Those of one query.
#[derive(Debug)]
struct QueryBytes {
    memory: Pages,
    point_bytes: usize,
    /// How many of its chunks are read and locked, from the first on.
    locked: usize,
}

impl HostBytes {
    /// The bytes of `srs`, read from its file and checked on the current device, as is the rest of the file.
    ///
    /// # Errors
    /// [`Error::Params`] with the first thing that is wrong in the order of the file, [`Error::File`], [`Error::OutOfMemory`],
    /// [`Error::Cuda`], [`Error::Threads`].
    pub(super) fn load(srs: &Parameters, loader: &mut Loader) -> Result<Self, Error> {
        let counts = &srs.counts;
        let sizes = [(counts.h, 96), (counts.l, 96), (counts.a, 96), (counts.b, 96), (counts.b, 192)];
        let [h, l, a, b_g1, b_g2] = sizes.map(|(len, point_bytes)| {
            Ok(QueryBytes { memory: Pages::new(len * point_bytes)?, point_bytes, locked: 0 })
        });
        let mut host = Self { queries: [h?, l?, a?, b_g1?, b_g2?] };
        srs.read_encoded(|encoded| loader.load_host(encoded, &mut host))?;
        Ok(host)
    }

    /// The bytes of `query` from point `first` on, to the end of its chunk, which is page-locked: at least one point, or none where the
    /// query ends. Chunks have 2^21 points of G1 or 2^20 of G2.
    pub(super) fn chunk(&self, query: Query, first: usize) -> &[u8] {
        let of = &self.queries[query as usize];
        let start = first * of.point_bytes;
        let end = ((start / CHUNK + 1) * CHUNK).min(of.memory.as_slice().len());
        of.memory.as_slice().get(start..end).unwrap_or_default()
    }

    /// Reads and locks the chunk of `query` that begins with point `first`, after those before it.
    ///
    /// # Errors
    /// [`Error::File`], [`Error::Threads`], [`Error::Cuda`].
    pub(super) fn read(&mut self, encoded: Encoded<'_>, query: Query, first: usize) -> Result<&[u8], Error> {
        let of = &mut self.queries[query as usize];
        let start = first * of.point_bytes;
        debug_assert_eq!(start, of.locked * CHUNK);
        let end = (start + CHUNK).min(of.memory.as_slice().len());
        read(encoded, query, start, &mut of.memory.as_mut_slice()[start..end])?;
        let chunk = &of.memory.as_slice()[start..end];
        // SAFETY: the range is mapped and stays so until it is unlocked.
        check("cudaHostRegister", unsafe {
            sys::cudaHostRegister(chunk.as_ptr().cast_mut().cast(), chunk.len(), sys::HOST_REGISTER_PORTABLE)
        })?;
        of.locked += 1;
        Ok(chunk)
    }
}

impl Drop for QueryBytes {
    fn drop(&mut self) {
        for chunk in self.memory.as_mut_slice().chunks_mut(CHUNK).take(self.locked) {
            // SAFETY: the range was locked from here on; CUDA waits for copies from it.
            let status = unsafe { sys::cudaHostUnregister(chunk.as_mut_ptr().cast()) };
            if let Err(error) = check("cudaHostUnregister", status) {
                warning!("host memory could not be unlocked: {error}");
            }
        }
    }
}

/// Memory of its own pages, zeros at first, of 2 MiB where the system has them.
#[derive(Debug)]
struct Pages {
    start: NonNull<c_void>,
    bytes: usize,
}

// SAFETY: the memory belongs to no thread.
unsafe impl Send for Pages {}
// SAFETY: it is written through `&mut` only.
unsafe impl Sync for Pages {}

impl Pages {
    fn new(bytes: usize) -> Result<Self, Error> {
        if bytes == 0 {
            return Ok(Self { start: NonNull::dangling(), bytes });
        }
        let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: new memory, wherever the system puts it.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
        match NonNull::new(start).filter(|_| start != libc::MAP_FAILED) {
            Some(start) => {
                // SAFETY: the range is mapped. A system that refuses this has small pages, which do too.
                unsafe { libc::madvise(start.as_ptr(), bytes, libc::MADV_HUGEPAGE) };
                Ok(Self { start, bytes })
            }
            None => Err(Error::OutOfMemory { what: "the bytes of a query", bytes }),
        }
    }

    fn as_slice(&self) -> &[u8] {
        // SAFETY: the memory is ours, initialised, and borrowed as long as the slice.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr().cast(), self.bytes) }
    }

    fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: as above, and borrowed by nobody else.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr().cast(), self.bytes) }
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        if self.bytes > 0 {
            // SAFETY: the range is ours and nothing of it is locked or borrowed any more.
            unsafe { libc::munmap(self.start.as_ptr(), self.bytes) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_ends_where_locking_does_and_where_the_query_does() {
        let of = |points: usize, point_bytes| {
            let memory = Pages::new(points * point_bytes).unwrap();
            QueryBytes { memory, point_bytes, locked: 0 }
        };
        let chunk = 1 << 21;
        let host = HostBytes { queries: [of(chunk + 5, 96), of(7, 96), of(0, 96), of(1, 96), of(chunk, 192)] };
        for (query, first, bytes) in [
            (Query::H, 0, CHUNK),
            (Query::H, chunk - 1, 96),
            (Query::H, chunk, 5 * 96),
            (Query::H, chunk + 5, 0),
            (Query::L, 3, 4 * 96),
            (Query::A, 0, 0),
            (Query::BG2, chunk / 2 - 1, 192),
            (Query::BG2, chunk / 2, CHUNK),
        ] {
            assert_eq!(host.chunk(query, first).len(), bytes, "{query:?} from {first} on");
        }
    }

    #[test]
    fn pages_are_zeros_that_can_be_written() {
        let mut pages = Pages::new(5000).unwrap();
        assert!(pages.as_slice().iter().all(|byte| *byte == 0));
        pages.as_mut_slice()[4999] = 7;
        assert_eq!((pages.as_slice()[4999], pages.as_slice().len()), (7, 5000));
        assert!(Pages::new(0).unwrap().as_slice().is_empty());
        assert!(matches!(Pages::new(1 << 60), Err(Error::OutOfMemory { .. })));
    }
}
