//! The bytes of parameters in pinned host memory, for devices that have no room for them.

use std::ffi::c_void;
use std::io;

use rayon::prelude::*;

use super::decode::Faults;
use super::loader;
use super::msm::at_least;
use super::status::{check, warn_unless_lost};
use super::worker::Worker;
use super::{DeviceSlice, Stream};
use crate::error::Error;
use crate::params::{Counts, Encoded, Parameters, Query};
use crate::prove::plan::QUERY_ALIGNMENT;
use crate::sys;
use crate::threads;

/// Bytes that a thread reads at a time.
const READ: usize = 4 << 20;
/// The bytes of all queries of a parameter file, which have been checked.
///
/// Nothing may be enqueued that copies from it when this is dropped.
#[derive(Debug)]
pub(super) struct Raw {
    memory: Locked,
    starts: [usize; Query::ALL.len()],
    lens: [usize; Query::ALL.len()],
    counts: Counts,
    /// Where decoding says what is at fault: nothing is after the loading.
    faults: Faults,
}

impl Raw {
    /// The bytes of a query.
    #[cfg(feature = "kit")]
    pub(super) fn bytes(&self, query: Query) -> &[u8] {
        let (start, len) = (self.starts[query as usize], self.lens[query as usize]);
        &self.memory.shared()[start..start + len]
    }

    /// The queries of `srs`, read from its file, checked on the engine's device.
    ///
    /// # Errors
    /// [`Error::Params`] with the first thing that is wrong in the order of the file, [`Error::File`], [`Error::OutOfMemory`] if the
    /// host has no memory for them, [`Error::Cuda`] if CUDA cannot lock it, [`Error::Threads`].
    pub(super) fn load(engine: &Worker<'_>, srs: &Parameters) -> Result<Self, Error> {
        srs.read_encoded(|encoded| {
            let faults = Faults::new(Query::ALL.len(), engine.passing())?;
            let mut raw = Self::read(encoded, srs.counts, faults)?;
            raw.memory.lock()?;
            // Copies from it must be over before it goes.
            loader::check(engine, encoded, &raw).inspect_err(|_| engine.wait_for_all())?;
            Ok(raw)
        })
    }

    /// How long the queries are.
    pub(super) fn counts(&self) -> &Counts {
        &self.counts
    }

    /// What its decoding on the engine's device takes.
    pub(super) fn faults(&self) -> &Faults {
        &self.faults
    }

    /// Enqueues the copying of bytes of a query, from number `first` on, to all of `to`.
    ///
    /// # Errors
    /// [`Error::Size`] if there are not so many, [`Error::Cuda`].
    pub(super) fn copy(&self, query: Query, first: usize, to: &DeviceSlice<u8>, stream: &Stream) -> Result<(), Error> {
        if to.is_empty() {
            return Ok(());
        }
        at_least("the query's bytes", self.lens[query as usize], first + to.len())?;
        // SAFETY: both ranges have this many bytes, and the host's stays as it is until it is dropped.
        check("cudaMemcpyAsync", unsafe {
            let from = self.memory.pointer.byte_add(self.starts[query as usize] + first);
            sys::cudaMemcpyAsync(to.as_raw(), from, to.len(), sys::HOST_TO_DEVICE, stream.as_raw())
        })
    }

    fn read(encoded: Encoded<'_>, counts: Counts, faults: Faults) -> Result<Self, Error> {
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
        Ok(Self { memory, starts, lens, counts, faults })
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
        check("cudaHostRegister", unsafe {
            sys::cudaHostRegister(self.pointer, self.len, sys::HOST_REGISTER_PORTABLE)
        })?;
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
    use super::*;

    #[test]
    fn memory_is_zeros_that_can_be_written() {
        let mut memory = Locked::new(5000).unwrap();
        assert!(memory.shared().iter().all(|byte| *byte == 0));
        memory.bytes()[4999] = 7;
        assert_eq!((memory.shared()[4999], memory.shared().len()), (7, 5000));
        assert!(matches!(Locked::new(1 << 60), Err(Error::OutOfMemory { .. })));
    }
}
