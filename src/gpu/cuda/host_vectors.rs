//! Vectors in page-locked host memory, where kernels reach them over the bus: for devices that have no room for them.
//!
//! Two workers at most have such vectors at a time, first come, first served: one on whose vectors the device works, and one that uploads
//! its own meanwhile. More would gain nothing, and would lock as many times 8 GiB of the host's memory at 2^27. A worker takes its turn before it
//! holds a lease, and has it until all that uses its vectors is enqueued: see [`crate::lock`] for why nobody then waits for ever. A vector
//! that is given back carries the end of its use, for which the next worker's uploads wait on the device.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::lease::Until;
use super::pinned::PinnedBuffer;
use super::worker::Worker;
use super::DeviceSlice;
use crate::curve::Fr;
use crate::error::Error;
use crate::lock::{Fence, Order, Turn};
use crate::trace::span;

/// Workers that have vectors at a time.
const WORKERS: usize = 2;

/// Those of a device. They are made when there are too few, which takes a second for 4 GiB, and then kept until
/// memory is asked back.
#[derive(Debug)]
pub(super) struct HostVectors {
    order: Order,
    kept: Mutex<Kept<(PinnedBuffer, Until)>>,
}

/// A worker's turn to have vectors, which is over when this is dropped.
pub(super) struct HostTurn<'e> {
    worker: &'e Worker<'e>,
    /// None if the worker takes no vectors.
    turn: Option<Turn<'e>>,
}

/// One of a device's workers has it until it is released; dropped, it is when all is over that the worker has enqueued then.
pub(super) struct HostVector<'e> {
    worker: &'e Worker<'e>,
    buffer: Option<PinnedBuffer>,
}

impl Default for HostVectors {
    fn default() -> Self {
        Self { order: Order::new(WORKERS), kept: Mutex::default() }
    }
}

impl HostVectors {
    /// Gives those back that nobody has and no work uses, when the device has done what it has to do.
    pub(super) fn give_back_idle(&self) {
        let idle = self.kept().take_all(|(_, until)| until.is_over());
        drop(idle);
    }

    fn kept(&self) -> MutexGuard<'_, Kept<(PinnedBuffer, Until)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn keep(&self, buffer: PinnedBuffer, until: Until) {
        self.kept().put(buffer.bytes(), (buffer, until));
    }
}

impl<'e> HostTurn<'e> {
    /// Waits for a turn in which `worker`, which holds no lease, may take vectors; at once if it takes none.
    pub(super) fn wait(worker: &'e Worker<'e>, takes_any: bool) -> Self {
        let _waiting = span(c"waiting for host vectors");
        Self { worker, turn: takes_any.then(|| worker.host_vectors().order.turn()) }
    }
}

impl<'e> HostVector<'e> {
    /// One with room for `len` elements, which uploads may use from now on.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`] if the host has no memory that can be locked, [`Error::Cuda`], and [`Error::Internal`] if the turn is none for
    /// vectors.
    pub(super) fn take(turn: &'e HostTurn<'_>, len: usize) -> Result<Self, Error> {
        let HostTurn { worker, turn: Some(_) } = turn else {
            return Err(Error::Internal { what: "a host vector that was not planned".to_owned() });
        };
        let bytes = len * size_of::<Fr>();
        let kept = worker.host_vectors().kept().take(bytes);
        let buffer = match kept {
            Some((buffer, until)) => match worker.uploads_wait_for(&until) {
                Ok(()) => buffer,
                Err(error) => {
                    worker.host_vectors().keep(buffer, until);
                    return Err(error);
                }
            },
            None => PinnedBuffer::new(bytes)?,
        };
        Ok(Self { worker, buffer: Some(buffer) })
    }

    /// Its first `len` elements.
    ///
    /// # Panics
    /// If there are not so many.
    pub(super) fn slice(&self, len: usize) -> DeviceSlice<Fr> {
        let Some(buffer) = &self.buffer else { unreachable!("it is released last") };
        assert!(len * size_of::<Fr>() <= buffer.bytes(), "{len} elements in {} bytes", buffer.bytes());
        // SAFETY: page-locked memory has one address for host and devices and is aligned to pages; it is kept until what uses it is over.
        unsafe { DeviceSlice::from_raw(buffer.as_raw().cast_mut(), len) }
    }

    /// Gives it to whoever comes next, who waits for `until` on the device.
    pub(super) fn release_after(mut self, until: &Until) {
        if let Some(buffer) = self.buffer.take() {
            self.worker.host_vectors().keep(buffer, until.clone());
        }
    }
}

impl Drop for HostVector<'_> {
    fn drop(&mut self) {
        let Some(buffer) = self.buffer.take() else { return };
        match self.worker.all_enqueued() {
            Ok(until) => self.worker.host_vectors().keep(buffer, until),
            Err(_) => {
                self.worker.wait_for_all();
                drop(buffer);
            }
        }
    }
}

/// Things of so many bytes that nobody has, in the order in which they were given back.
#[derive(Debug)]
struct Kept<T>(Vec<(usize, T)>);

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Kept<T> {
    fn put(&mut self, bytes: usize, thing: T) {
        self.0.push((bytes, thing));
    }

    /// The smallest of at least so many bytes, and of several the one that was given back first.
    fn take(&mut self, bytes: usize) -> Option<T> {
        let fitting = self.0.iter().enumerate().filter(|(_, (size, _))| *size >= bytes);
        let (smallest, _) = fitting.min_by_key(|(_, (size, _))| *size)?;
        Some(self.0.remove(smallest).1)
    }

    /// All that are so.
    fn take_all(&mut self, are_so: impl Fn(&T) -> bool) -> Vec<T> {
        let (taken, left) = std::mem::take(&mut self.0).into_iter().partition(|(_, thing)| are_so(thing));
        self.0 = left;
        Vec::into_iter(taken).map(|(_, thing)| thing).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_that_fits_and_has_been_back_for_longest_is_taken() {
        let mut kept = Kept::default();
        for (bytes, name) in [(8, 'a'), (4, 'b'), (4, 'c'), (2, 'd')] {
            kept.put(bytes, name);
        }
        assert_eq!([kept.take(3), kept.take(3), kept.take(3), kept.take(3)], [Some('b'), Some('c'), Some('a'), None]);
        assert_eq!(kept.take(2), Some('d'));
    }

    #[test]
    fn what_is_left_stays_in_order() {
        let mut kept = Kept::default();
        "abcd".chars().for_each(|name| kept.put(4, name));
        assert_eq!(kept.take_all(|name| "ac".contains(*name)), ['a', 'c']);
        assert_eq!([kept.take(4), kept.take(4), kept.take(4)], [Some('b'), Some('d'), None]);
    }
}
