//! How much of a time a device computed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Instant;

use super::ring::{Record, Ring, Stream, Track};
use super::{ring, Moment};

/// The share of a time in which a device ran kernels of proofs, as far as it is known: when a batch of kernels began and ended, and until when
/// the host still enqueued it. Between kernels of a batch that wait for each other, some microseconds pass, which are not taken off.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Busy {
    /// Batches from their first kernel on, or from when all of the batch was enqueued if that was later: from then on its kernels follow each
    /// other without the host. Those beside the turns from their first kernel on: the host enqueues each within some 50 µs. Those of uploads
    /// are left out.
    pub at_least: f64,
    /// Batches from their first kernel to the end of the last one, and uploads' from when the last of what they had to wait for was there.
    pub at_most: f64,
}

/// How much of `window` the device with this number in CUDA's order computed: what lies side by side counts once. 0 if nothing is known of
/// that time.
///
/// Of calls that have not ended, what their device did is not known yet; of spans that are no longer kept, neither.
pub fn busy(device: usize, window: Range<Instant>) -> Busy {
    let window = Moment::of(window.start)..Moment::of(window.end);
    ring().as_ref().map_or(Busy::default(), |ring| share(ring, device, &window))
}

fn share(ring: &Ring, device: usize, window: &Range<Moment>) -> Busy {
    let mut calls: BTreeMap<_, Batches> = BTreeMap::new();
    let (mut aside, mut uploads) = (Vec::new(), Vec::new());
    for record in ring.iter() {
        let Record::Span { what, track, place, begin, end, .. } = record else { continue };
        let on = |stream| (place.call, place.circuit, stream);
        match track {
            Track::Worker => {
                let of = Stream::OF_TURNS.into_iter().find(|stream| stream.enqueuing() == *what);
                of.into_iter().for_each(|stream| calls.entry(on(stream)).or_default().enqueued.push(*end));
            }
            Track::Device { ordinal, stream } if usize::from(*ordinal) == device => match stream {
                Stream::Compute | Stream::Quotients => calls.entry(on(*stream)).or_default().ran.push(*begin..*end),
                Stream::Aside => aside.push(*begin..*end),
                Stream::Expansions(_) => uploads.push(*begin..*end),
                Stream::PassingH | Stream::PassingWitness | Stream::Copies(_) => {}
            },
            Track::Device { .. } => {}
        }
    }
    let certain = calls.values().flat_map(Batches::once_enqueued).chain(aside.clone()).collect();
    let all = calls.values().flat_map(|batches| batches.ran.clone()).chain(aside).chain(uploads).collect();
    Busy { at_least: covered(certain, window), at_most: covered(all, window) }
}

/// The batches of a circuit on a stream, in their order.
#[derive(Default)]
struct Batches {
    /// When the host was done with each.
    enqueued: Vec<Moment>,
    /// When the device was at each.
    ran: Vec<Range<Moment>>,
}

impl Batches {
    /// When the device was at each and had all of it. Nothing, where it is not known which is which.
    fn once_enqueued(&self) -> Vec<Range<Moment>> {
        if self.enqueued.len() != self.ran.len() {
            return Vec::new();
        }
        self.ran.iter().zip(&self.enqueued).map(|(ran, enqueued)| ran.start.max(*enqueued)..ran.end).collect()
    }
}

/// The share of `window` that lies in at least one of the spans.
fn covered(spans: Vec<Range<Moment>>, window: &Range<Moment>) -> f64 {
    let within = |span: Range<Moment>| span.start.max(window.start)..span.end.min(window.end);
    let mut spans: Vec<_> = spans.into_iter().map(within).filter(|span| !span.is_empty()).collect();
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

    const COMPUTE: Track = Track::Device { ordinal: 0, stream: Stream::Compute };

    fn add(ring: &mut Ring, (what, call): (&'static std::ffi::CStr, u32), track: Track, time: Range<u64>) {
        let place = Place { worker: 0, call, circuit: None };
        let (begin, end) = (Moment(time.start), Moment(time.end));
        ring.push(Record::Span { what, track, place, begin, end, about: About::Nothing });
    }

    #[test]
    fn what_overlaps_counts_once_and_what_is_elsewhere_not_at_all() {
        let mut ring = Ring::new(Moment(0)).unwrap();
        let kernels = (c"kernels", 1);
        for time in [300..500, 100..200, 160..170, 900..2000] {
            add(&mut ring, kernels, COMPUTE, time);
        }
        add(&mut ring, kernels, Track::Device { ordinal: 0, stream: Stream::Aside }, 150..250);
        add(&mut ring, kernels, Track::Device { ordinal: 0, stream: Stream::Copies(0) }, 0..1000);
        add(&mut ring, kernels, Track::Device { ordinal: 1, stream: Stream::Compute }, 0..1000);
        let share =
            |device, window: Range<u64>| share(&ring, device, &(Moment(window.start)..Moment(window.end))).at_most;
        assert!((share(0, 0..1000) - 0.45).abs() < 1e-9);
        assert!((share(0, 200..400) - 0.75).abs() < 1e-9);
        assert_eq!(share(1, 0..1000), 1.0);
        assert_eq!(share(2, 0..1000), 0.0);
        assert_eq!(share(0, 600..600), 0.0);
    }

    #[test]
    fn what_the_host_was_still_enqueuing_is_not_certain() {
        let mut ring = Ring::new(Moment(0)).unwrap();
        // A quotient of call 1, enqueued before its other batches; what streams did is recorded one stream after the other.
        add(&mut ring, (Stream::Quotients.enqueuing(), 1), Track::Worker, 40..45);
        // Of call 1, the first batch began while it was enqueued and the second one after that; call 2's host is not known.
        for (call, enqueued, ran) in [(1, 50..150, 100..300), (1, 160..180, 300..400)] {
            add(&mut ring, (Stream::Compute.enqueuing(), call), Track::Worker, enqueued);
            add(&mut ring, (c"kernels", call), COMPUTE, ran);
        }
        add(&mut ring, (c"kernels", 2), COMPUTE, 500..600);
        add(&mut ring, (c"expansion", 1), Track::Device { ordinal: 0, stream: Stream::Expansions(1) }, 350..450);
        add(&mut ring, (c"quotient", 1), Track::Device { ordinal: 0, stream: Stream::Quotients }, 120..170);
        let Busy { at_least, at_most } = share(&ring, 0, &(Moment(0)..Moment(1000)));
        assert!((at_least - 0.28).abs() < 1e-9, "{at_least}");
        assert!((at_most - 0.45).abs() < 1e-9, "{at_most}");
    }
}
