//! The last of what was recorded.

use std::collections::VecDeque;
use std::ffi::CStr;

use super::call::Place;
use super::Moment;
use crate::error::Error;

/// Records that are kept: some 4,000 come of a proof over 2^27 points, whose 12 GiB of vectors pass in slots of 16 MiB, and 50 of a
/// small one.
pub(super) const CAPACITY: usize = 1 << 16;

/// What was recorded.
#[derive(Clone, Debug)]
pub(super) enum Record {
    /// Something that took time.
    Span { what: &'static CStr, track: Track, place: Place, begin: Moment, end: Moment, about: About },
    /// How much of a device's memory was held, in bytes.
    #[cfg_attr(not(interlock_cuda), allow(dead_code))]
    Held { device: u16, at: Moment, by_proofs: u64, by_parameters: u64 },
}

/// Where a span is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Track {
    /// That of the worker in the span's place.
    Worker,
    /// A stream of a device.
    #[cfg_attr(not(interlock_cuda), allow(dead_code))]
    Device { ordinal: u16, stream: Stream },
}

/// What a device does one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(not(interlock_cuda), allow(dead_code))]
pub(crate) enum Stream {
    Compute,
    /// Copies of parameters that pass: those for h, and those for the witness.
    PassingH,
    PassingWitness,
    /// What goes on beside the turns.
    Aside,
    /// Quotients, while parameters pass.
    Quotients,
    /// Copies of the pair of upload streams of this number, and their expansions.
    Copies(u8),
    Expansions(u8),
}

impl Stream {
    /// The streams of turns.
    pub(super) const OF_TURNS: [Self; 2] = [Self::Compute, Self::Quotients];

    /// What a worker does from when it has a turn on this stream until its batch of kernels is enqueued.
    pub(crate) fn enqueuing(self) -> &'static CStr {
        match self {
            Self::Quotients => c"enqueuing a quotient",
            _ => c"enqueuing",
        }
    }
}

/// What else is known of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    Nothing,
    #[cfg_attr(not(interlock_cuda), allow(dead_code))]
    Bytes(u64),
    Batch {
        circuits: u32,
        domain_log2: u32,
        constraints: u64,
        inputs: u64,
        aux: u64,
    },
}

/// The last [`CAPACITY`] records.
#[derive(Clone, Debug)]
pub(super) struct Ring {
    records: VecDeque<Record>,
    /// Records that had to go.
    pub(super) lost: u64,
    /// Nothing from before is kept.
    pub(super) started: Moment,
}

impl Ring {
    /// None yet, with room for all.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(super) fn new(started: Moment) -> Result<Self, Error> {
        let mut records = VecDeque::new();
        records.try_reserve_exact(CAPACITY).map_err(|_| out_of_memory())?;
        Ok(Self { records, lost: 0, started })
    }

    /// Adds one, in the place of the oldest if need be. One that began before the ring is left out.
    pub(super) fn push(&mut self, record: Record) {
        if record.begin() < self.started {
            return;
        }
        if self.records.len() == CAPACITY {
            self.records.pop_front();
            self.lost += 1;
        }
        self.records.push_back(record);
    }

    /// All records, in the order in which they came.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Record> {
        self.records.iter()
    }

    /// A copy of all records.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(super) fn to_vec(&self) -> Result<Vec<Record>, Error> {
        let mut copy = Vec::new();
        copy.try_reserve_exact(self.records.len()).map_err(|_| out_of_memory())?;
        copy.extend(self.records.iter().cloned());
        Ok(copy)
    }
}

impl Record {
    pub(super) fn begin(&self) -> Moment {
        match self {
            Self::Span { begin, .. } => *begin,
            Self::Held { at, .. } => *at,
        }
    }

    pub(super) fn end(&self) -> Moment {
        match self {
            Self::Span { end, .. } => *end,
            Self::Held { at, .. } => *at,
        }
    }
}

fn out_of_memory() -> Error {
    Error::OutOfMemory { what: "the trace", bytes: CAPACITY * size_of::<Record>() }
}
