//! The decoding of points in pinned host memory, by way of the device: their encodings go there piece by piece, are decoded and checked,
//! and come back to where they were. Pieces come back while others go: the bus does both at once.

use std::ops::Range;

use super::decode::{decode_in_place, Faults};
use super::lease::Region;
use super::loader::first_fault;
use super::passes::PassTurn;
use super::pinned_points::PinnedPoints;
use super::worker::Worker;
use super::{DeviceSlice, Event, Group, Stream, G1, G2};
use crate::error::Error;
use crate::params::{Encoded, Query};
use crate::prove::plan::LEAST_SLOTS;
use crate::prove::Residence;
use crate::trace;

/// Places for pieces on the device: one goes there, one is decoded, one comes back.
const PLACES: usize = 3;
const _: () = assert!(PLACES <= LEAST_SLOTS, "each is in a slot of its own");
/// Bytes of a piece, if a slot has so many: 0.9 ms of the bus.
const PIECE: usize = 48 << 20;

/// Decodes and checks all queries, whose encodings are in the places of `points`. All that it enqueues is over on return.
///
/// # Errors
/// That of the first point at fault in the order of the file, [`Error::Params`]; [`Error::Cuda`], and [`Error::DeviceMemory`].
pub(super) fn decode(engine: &Worker<'_>, encoded: Encoded<'_>, points: &mut PinnedPoints) -> Result<(), Error> {
    let passing = &engine.passing().h;
    let faults = Faults::new(Query::ALL.len(), passing)?;
    let plan = engine.plan(points.counts(), Residence::Streamed, None)?;
    let mut memory = engine.passes()?.turn(engine, &plan);
    let trip = RoundTrip::new((engine, passing), &mut memory, plan.slot_bytes.min(PIECE), &faults)?;
    let done = trip
        .enqueue_all(encoded, points)
        .and_then(|()| trip.back.synchronize())
        .and_then(|()| first_fault(encoded, &faults, passing));
    // Nothing may be on its way from or to `points` on return.
    done.inspect_err(|_| trip.drain())?;
    memory.all_is_enqueued();
    Ok(())
}

/// Where pieces go, and the streams that carry them.
struct RoundTrip<'e> {
    engine: &'e Worker<'e>,
    faults: &'e Faults,
    places: Vec<Place>,
    /// Bytes of a place.
    bytes: usize,
    /// What carries pieces there, and decodes them.
    there: &'e Stream,
    /// What carries them back.
    back: Stream,
}

/// Memory for a piece.
struct Place {
    memory: DeviceSlice<u8>,
    /// When the piece that was sent there last is decoded.
    decoded: Event,
    /// When it has come back.
    returned: Event,
}

impl<'e> RoundTrip<'e> {
    /// With `bytes` of each slot that it takes, a multiple of 256.
    fn new(
        (engine, there): (&'e Worker<'e>, &'e Stream),
        memory: &mut PassTurn<'_>,
        bytes: usize,
        faults: &'e Faults,
    ) -> Result<Self, Error> {
        let place = |slot: &DeviceSlice<u8>| {
            Ok(Place { memory: slot.range(0..bytes), decoded: Event::new()?, returned: Event::new()? })
        };
        let places = memory.all_slots(there)?.iter().take(PLACES).map(place).collect::<Result<_, Error>>()?;
        Ok(Self { engine, faults, places, bytes, there, back: Stream::new()? })
    }

    fn enqueue_all(&self, encoded: Encoded<'_>, points: &mut PinnedPoints) -> Result<(), Error> {
        let pieces = Query::ALL.into_iter().flat_map(|query| pieces(query, encoded.len(query), self.bytes));
        pieces.zip(self.places.iter().cycle()).try_for_each(|((query, range), place)| match query {
            Query::BG2 => self.enqueue::<G2>(query, range, place, points),
            _ => self.enqueue::<G1>(query, range, place, points),
        })
    }

    /// Enqueues a piece's way to the device and back, which begins when the one before has left the place.
    fn enqueue<G: Group>(
        &self,
        query: Query,
        range: Range<usize>,
        place: &Place,
        points: &mut PinnedPoints,
    ) -> Result<(), Error> {
        let piece = Region::new(place.memory.all()).take::<G::Affine>(range.len());
        let (there, back) = (self.there, &self.back);
        there.wait_for(&place.returned)?;
        let bytes = range.len() * G::ENCODED;
        self.engine.timeline().traced(c"decoding", (trace::Stream::PassingH, there), bytes, || {
            points.copy::<G>(query, range.start, &piece, there)?;
            decode_in_place::<G>(&piece, (query as usize, range.start as u64), self.faults, there)
        })?;
        place.decoded.move_to(there)?;
        back.wait_for(&place.decoded)?;
        points.replace::<G>(query, range.start, &piece, back)?;
        place.returned.move_to(back)
    }

    /// Waits for all of it after a failure.
    fn drain(&self) {
        self.there.drain();
        self.back.drain();
    }
}

/// The ranges of a query's points that go together, whose bytes are `most` at most.
fn pieces(query: Query, len: usize, most: usize) -> impl Iterator<Item = (Query, Range<usize>)> {
    let per_point = if query == Query::BG2 { G2::ENCODED } else { G1::ENCODED };
    let per_piece = most / per_point;
    (0..len).step_by(per_piece).map(move |first| (query, first..len.min(first + per_piece)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_all_points_in_order() {
        for query in Query::ALL {
            let per_point = if query == Query::BG2 { 192 } else { 96 };
            for (len, most, count) in [(0, 1024, 0), (1, 256, 1), (10, 5 * per_point, 2), (11, 5 * per_point, 3)] {
                let pieces: Vec<_> = pieces(query, len, most).collect();
                assert_eq!(pieces.len(), count, "{query:?}: {len} points in {most} bytes");
                let mut next = 0;
                for (of, range) in pieces {
                    assert_eq!((of, range.start), (query, next));
                    assert!(!range.is_empty() && range.len() * per_point <= most);
                    next = range.end;
                }
                assert_eq!(next, len);
            }
        }
    }
}
