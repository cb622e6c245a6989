//! Work of a turn that is independent of each other, side by side: small MSMs are chains of short kernels, none of which fills a device.

use std::ops::Range;

use super::engine::Enqueuing;
use super::{DeviceSlice, Event, Stream};
use crate::error::Error;

/// Streams beside that of all turns.
pub(super) const BESIDE: usize = 3;
/// How many things are done side by side.
pub(super) const LANES: usize = BESIDE + 1;

/// Places for work. All of it is over for what is enqueued after they are dropped.
pub(super) struct Lanes<'t> {
    compute: &'t Stream,
    beside: &'t [Stream],
    lanes: [Lane<'t>; LANES],
}

/// A stream, and scratch that nothing else uses at the same time.
pub(super) struct Lane<'t> {
    pub(super) stream: &'t Stream,
    pub(super) scratch: DeviceSlice<u8>,
}

impl<'t> Lanes<'t> {
    /// Places for work that takes so many bytes of scratch each, of `memory`. Where that does not suffice for all at once, they are the same
    /// place, where one thing is done after the other.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn new(turn: &Enqueuing<'t>, memory: &DeviceSlice<u8>, scratch: [usize; LANES]) -> Result<Self, Error> {
        let (places, rooms) = places(scratch, memory.len());
        let beside = turn.beside.get(..rooms.len() - 1).unwrap_or(&[]);
        let there = Event::record(turn.stream)?;
        beside.iter().try_for_each(|stream| stream.wait_for(&there))?;
        // The first goes on where the turn is: with the most work, it is the last to end.
        let stream = |place: usize| place.checked_sub(1).and_then(|i| beside.get(i)).unwrap_or(turn.stream);
        let lanes = places.map(|place| Lane { stream: stream(place), scratch: memory.range(rooms[place].clone()) });
        Ok(Self { compute: turn.stream, beside, lanes })
    }

    /// The places, in the order of the sizes.
    pub(super) fn each(&mut self) -> &mut [Lane<'t>; LANES] {
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

impl Drop for Lanes<'_> {
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

/// The place of each lane, and which of so many bytes the places have.
fn places(scratch: [usize; LANES], bytes: usize) -> ([usize; LANES], Vec<Range<usize>>) {
    let scratch = scratch.map(|bytes| bytes.next_multiple_of(256));
    if scratch.iter().sum::<usize>() > bytes {
        return ([0; LANES], vec![0..bytes]);
    }
    let mut end = 0;
    let rooms = scratch.map(|bytes| {
        end += bytes;
        end - bytes..end
    });
    (std::array::from_fn(|lane| lane), rooms.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_places_for_all_or_one() {
        assert_eq!(places([0; 4], 0), ([0, 1, 2, 3], vec![0..0, 0..0, 0..0, 0..0]));
        assert_eq!(places([512, 1, 256, 0], 1024), ([0, 1, 2, 3], vec![0..512, 512..768, 768..1024, 1024..1024]));
        assert_eq!(places([512, 1, 256, 1], 1024), ([0; 4], vec![0..1024]));
    }
}
