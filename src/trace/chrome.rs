//! Records in Chrome's trace event format, as an object: <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU>.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CStr;
use std::io::{self, Write};

use super::call::Place;
use super::ring::{About, Record, Stream, Track};
use super::Moment;

/// The process of the workers; that of device `i` is 1 + this + `i`.
const HOST: u32 = 1;

/// What is said of all records.
pub(super) struct Origin {
    /// The process that they are of.
    pub(super) process: u32,
    /// The moment that counts as 0.
    pub(super) zero: Moment,
    /// Older records that were not kept.
    pub(super) lost: u64,
}

/// Writes the records, which are put in order.
///
/// # Errors
/// Those of `to`.
pub(super) fn write(to: &mut impl Write, records: &mut [Record], origin: &Origin) -> io::Result<()> {
    records.sort_unstable_by_key(|record| (record.begin(), Reverse(record.end())));
    let Origin { process, zero, lost } = *origin;
    write!(
        to,
        r#"{{"displayTimeUnit":"ms","otherData":{{"interlock":"{}","process":{process},"lost":{lost}}},"traceEvents":["#,
        crate::VERSION
    )?;
    write!(to, r#"{{"ph":"M","name":"process_name","pid":{HOST},"args":{{"name":"interlock, process {process}"}}}}"#)?;
    for name in names(records) {
        write!(to, ",\n{name}")?;
    }
    // Times of a device are exact to a microsecond, and what its streams do one after the other must not seem to overlap.
    let mut ends: BTreeMap<Track, Moment> = BTreeMap::new();
    for record in records {
        match record {
            Record::Span { what, track, place, begin, end, about } => {
                let (mut begin, mut end) = (*begin, *end);
                if *track != Track::Worker {
                    let before = ends.entry(*track).or_insert(begin);
                    begin = begin.max(*before);
                    end = end.max(begin);
                    *before = end;
                }
                let (pid, tid) = lane(*track, place);
                let (at, took) = (begin.since(zero).as_nanos(), end.since(begin).as_nanos());
                write!(
                    to,
                    ",\n{{\"ph\":\"X\",\"name\":\"{}\",\"cat\":\"{}\",\"pid\":{pid},\"tid\":{tid},\"ts\":{},\"dur\":{},\"args\":{{{}}}}}",
                    text(what),
                    if *track == Track::Worker { "host" } else { "device" },
                    Microseconds(at),
                    Microseconds(took),
                    Details(place, about)
                )?;
            }
            Record::Held { device, at, by_proofs, by_parameters } => write!(
                to,
                ",\n{{\"ph\":\"C\",\"name\":\"bytes held\",\"pid\":{},\"tid\":0,\"ts\":{},\"args\":{{\"parameters\":{by_parameters},\"proofs\":{by_proofs}}}}}",
                process_of(*device),
                Microseconds(at.since(zero).as_nanos())
            )?,
        }
    }
    to.write_all(b"\n]}\n")
}

/// The events that name processes and threads, and put these in order.
fn names(records: &[Record]) -> Vec<String> {
    let mut lanes = BTreeSet::new();
    let mut devices = BTreeSet::new();
    for record in records {
        match record {
            Record::Span { track, place, .. } => {
                let (pid, tid) = lane(*track, place);
                let name = match track {
                    Track::Worker => format!("worker {}", place.worker),
                    Track::Device { stream, .. } => stream.name(),
                };
                lanes.insert((pid, tid, name));
                devices.extend(track.device());
            }
            Record::Held { device, .. } => _ = devices.insert(*device),
        }
    }
    let processes = devices.iter().flat_map(|device| {
        let pid = process_of(*device);
        [
            format!(r#"{{"ph":"M","name":"process_name","pid":{pid},"args":{{"name":"GPU {device}"}}}}"#),
            format!(r#"{{"ph":"M","name":"process_sort_index","pid":{pid},"args":{{"sort_index":{pid}}}}}"#),
        ]
    });
    let threads = lanes.iter().flat_map(|(pid, tid, name)| {
        let of = format!(r#""pid":{pid},"tid":{tid}"#);
        [
            format!(r#"{{"ph":"M","name":"thread_name",{of},"args":{{"name":"{name}"}}}}"#),
            format!(r#"{{"ph":"M","name":"thread_sort_index",{of},"args":{{"sort_index":{tid}}}}}"#),
        ]
    });
    processes.chain(threads).collect()
}

/// Process and thread.
fn lane(track: Track, place: &Place) -> (u32, u32) {
    match track {
        Track::Worker => (HOST, place.worker + 1),
        Track::Device { ordinal, stream } => (process_of(ordinal), stream.row() + 1),
    }
}

fn process_of(device: u16) -> u32 {
    HOST + 1 + u32::from(device)
}

/// A span without what only the file says.
#[cfg(all(interlock_cuda, feature = "kit"))]
pub(super) fn seen(record: &Record) -> Option<super::Seen> {
    let Record::Span { what, track, place, begin, end, .. } = record else { return None };
    let stream = match track {
        Track::Worker => None,
        Track::Device { stream, .. } => Some(stream.name()),
    };
    Some(super::Seen { what: text(what), stream, call: place.call, time: begin.0..end.0 })
}

/// Names are the library's own, of letters and spaces.
fn text(name: &'static CStr) -> &'static str {
    name.to_str().unwrap_or_default()
}

impl Track {
    fn device(self) -> Option<u16> {
        match self {
            Self::Worker => None,
            Self::Device { ordinal, .. } => Some(ordinal),
        }
    }
}

impl Stream {
    fn name(self) -> String {
        match self {
            Self::Compute => "compute".to_owned(),
            Self::Aside => "compute, beside".to_owned(),
            Self::Quotients => "compute, quotients".to_owned(),
            Self::PassingH => "parameters passing, h".to_owned(),
            Self::PassingWitness => "parameters passing, witness".to_owned(),
            Self::Copies(pair) => format!("uploads {}", pair + 1),
            Self::Expansions(pair) => format!("expansion of uploads {}", pair + 1),
        }
    }

    /// Its place among those of a device: the streams of a pair side by side.
    fn row(self) -> u32 {
        match self {
            Self::Compute => 0,
            Self::Aside => 1,
            Self::Quotients => 2,
            Self::PassingH => 3,
            Self::PassingWitness => 4,
            Self::Copies(pair) => 5 + 2 * u32::from(pair),
            Self::Expansions(pair) => 6 + 2 * u32::from(pair),
        }
    }
}

/// Nanoseconds, written as microseconds.
struct Microseconds(u128);

impl std::fmt::Display for Microseconds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

/// The arguments of a span.
struct Details<'a>(&'a Place, &'a About);

impl std::fmt::Display for Details<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self(Place { worker, call, circuit }, about) = self;
        write!(f, r#""call":{call},"worker":{worker}"#)?;
        if let Some(circuit) = circuit {
            write!(f, r#","circuit":{circuit}"#)?;
        }
        match about {
            About::Nothing => Ok(()),
            About::Bytes(bytes) => write!(f, r#","bytes":{bytes}"#),
            About::Batch { circuits, domain_log2, constraints, inputs, aux } => write!(
                f,
                r#","circuits":{circuits},"domain_log2":{domain_log2},"constraints":{constraints},"inputs":{inputs},"aux":{aux}"#
            ),
        }
    }
}

#[cfg(test)]
pub(super) mod json;
#[cfg(test)]
mod tests;
