//! How much of a time a device computed.

use std::ops::Range;
use std::time::Instant;

use super::ring::{Record, Ring, Stream, Track};
use super::{ring, Moment};

/// The share of `window` in which the device with this number in CUDA's order worked on proofs' kernels, those of uploads left out; 0 if
/// nothing is known of that time. It counts from the first kernel of a batch of kernels to the end of the last one.
///
/// Of calls that have not ended, what their device did is not known yet; of spans that are no longer kept, neither.
pub fn busy(device: usize, window: Range<Instant>) -> f64 {
    let window = Moment::of(window.start)..Moment::of(window.end);
    ring().as_ref().map_or(0.0, |ring| share(ring, device, &window))
}

fn share(ring: &Ring, device: usize, window: &Range<Moment>) -> f64 {
    let computing = [Stream::Compute, Stream::Lane(0), Stream::Lane(1)];
    let computing = computing.map(|stream| Track::Device { ordinal: device as u16, stream });
    let mut spans: Vec<Range<Moment>> = ring
        .iter()
        .filter_map(|record| match record {
            Record::Span { track, begin, end, .. } if computing.contains(track) => Some(*begin..*end),
            _ => None,
        })
        .map(|span| span.start.max(window.start)..span.end.min(window.end))
        .filter(|span| !span.is_empty())
        .collect();
    spans.sort_by_key(|span| span.start);
    let mut busy = 0.0;
    let mut until = window.start;
    for span in spans {
        busy += span.end.since(span.start.max(until)).as_secs_f64();
        until = until.max(span.end);
    }
    match window.end.since(window.start).as_secs_f64() {
        0.0 => 0.0,
        all => busy / all,
    }
}

#[cfg(test)]
mod tests {
    use super::super::call::Place;
    use super::super::ring::About;
    use super::*;

    #[test]
    fn what_overlaps_counts_once_and_what_is_elsewhere_not_at_all() {
        let mut ring = Ring::new(Moment(0)).unwrap();
        let mut add = |ordinal, stream, begin, end| {
            let place = Place { worker: 0, call: 1, circuit: None };
            ring.push(Record::Span {
                what: c"kernels",
                track: Track::Device { ordinal, stream },
                place,
                begin: Moment(begin),
                end: Moment(end),
                about: About::Nothing,
            });
        };
        add(0, Stream::Compute, 300, 500);
        add(0, Stream::Lane(0), 100, 200);
        add(0, Stream::Compute, 150, 250);
        add(0, Stream::Lane(1), 160, 170);
        add(0, Stream::Compute, 900, 2000);
        add(0, Stream::Copies(0), 0, 1000);
        add(1, Stream::Compute, 0, 1000);
        let share = |device, window: Range<u64>| share(&ring, device, &(Moment(window.start)..Moment(window.end)));
        assert!((share(0, 0..1000) - 0.45).abs() < 1e-9);
        assert!((share(0, 200..400) - 0.75).abs() < 1e-9);
        assert_eq!(share(1, 0..1000), 1.0);
        assert_eq!(share(2, 0..1000), 0.0);
        assert_eq!(share(0, 600..600), 0.0);
    }
}
