//! Work of a turn that is independent of each other, side by side: small MSMs are chains of short kernels, none of which fills a device.

use std::ops::Range;

use super::engine::Enqueuing;
use super::{DeviceSlice, Event, Stream};
use crate::error::Error;

/// Streams beside that of all turns, one less than things are done side by side at most.
pub(super) const BESIDE: usize = 5;

/// `N` places for work. All of it is over for what is enqueued after they are dropped.
pub(super) struct Lanes<'t, const N: usize> {
    compute: &'t Stream,
    beside: &'t [Stream],
    lanes: [Lane<'t>; N],
}

/// A stream, and scratch that nothing else uses at the same time.
pub(super) struct Lane<'t> {
    pub(super) stream: &'t Stream,
    pub(super) scratch: DeviceSlice<u8>,
}

impl<'t> Lane<'t> {
    /// Its parts, for a launcher.
    pub(super) fn as_mut(&mut self) -> (&'t Stream, &mut DeviceSlice<u8>) {
        (self.stream, &mut self.scratch)
    }
}

impl<'t, const N: usize> Lanes<'t, N> {
    /// Places for work that takes so many bytes of scratch each, of `memory`. Where that does not suffice for all at once, they are the same
    /// place, where one thing is done after the other.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn new(turn: &Enqueuing<'t>, memory: &DeviceSlice<u8>, scratch: [usize; N]) -> Result<Self, Error> {
        const { assert!(0 < N && N <= BESIDE + 1, "a stream for each") };
        let rooms = rooms(scratch, memory.len());
        let beside = if rooms.is_some() { &turn.beside[..N - 1] } else { &[] };
        let there = Event::record(turn.stream)?;
        beside.iter().try_for_each(|stream| stream.wait_for(&there))?;
        let lanes = std::array::from_fn(|i| match &rooms {
            None => Lane { stream: turn.stream, scratch: memory.all() },
            Some(rooms) => {
                // The first goes on where the turn is: with the most work, it is the last to end.
                let stream = i.checked_sub(1).and_then(|i| beside.get(i)).unwrap_or(turn.stream);
                Lane { stream, scratch: memory.range(rooms[i].clone()) }
            }
        });
        Ok(Self { compute: turn.stream, beside, lanes })
    }

    /// The places, in the order of the sizes.
    pub(super) fn each(&mut self) -> &mut [Lane<'t>; N] {
        &mut self.lanes
    }

    /// Makes what the turn enqueues from now on wait for all of it.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn join(mut self) -> Result<(), Error> {
        wait_for_all(self.compute, self.beside)?;
        // Only now: until it has been waited for, dropping this must wait.
        self.beside = &[];
        Ok(())
    }
}

impl<const N: usize> Drop for Lanes<'_, N> {
    /// After a failure, too: the scratch is the next turn's.
    fn drop(&mut self) {
        if wait_for_all(self.compute, self.beside).is_err() {
            // Not on the device, then: by the host.
            self.beside.iter().for_each(Stream::drain);
        }
    }
}

fn wait_for_all(compute: &Stream, beside: &[Stream]) -> Result<(), Error> {
    beside.iter().try_for_each(|stream| compute.wait_for(&Event::record(stream)?))
}

/// Which of so many bytes the places have, if these suffice for all.
fn rooms<const N: usize>(scratch: [usize; N], bytes: usize) -> Option<[Range<usize>; N]> {
    let mut end = 0;
    let rooms = scratch.map(|bytes| {
        let first = end;
        end += bytes.next_multiple_of(256);
        first..end
    });
    (end <= bytes).then_some(rooms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_room_for_all_or_none() {
        assert_eq!(rooms([0; 4], 0), Some([0..0, 0..0, 0..0, 0..0]));
        assert_eq!(rooms([512, 1, 256, 0], 1024), Some([0..512, 512..768, 768..1024, 1024..1024]));
        assert_eq!(rooms([512, 1, 256, 1], 1024), None);
    }
}
