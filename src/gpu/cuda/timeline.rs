//! When a device did what, for the trace.
//!
//! What is traced is between two events of its stream. When both have passed, their times are those since a *base*, an event on a stream
//! that is otherwise idle, so that it passes as soon as it is recorded, which is when the host's clock was read.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::CStr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::{Event, Stream};
use crate::error::Error;
use crate::trace::{self, DeviceSpan, Moment, Place};

/// How long a base serves: CUDA gives milliseconds in 24 bits, which are exact to a microsecond for 16 seconds.
const BASE_SERVES: Duration = Duration::from_secs(4);
/// Spans of a stream that wait for their ends, from which on it is looked for them before there are more: a proof over 2^27 points has
/// 800 uploads.
const MANY: usize = 256;
/// The most that wait; the oldest are given up for others.
const MOST: usize = 8192;

/// What is traced of each stream and not known to be over.
type Streams = BTreeMap<trace::Stream, VecDeque<Unsettled>>;

/// What a device is doing. The device must be current whenever it is used.
#[derive(Debug)]
pub struct Timeline {
    ordinal: usize,
    /// Does nothing but pass bases.
    idle: OnceLock<Stream>,
    base: Mutex<Option<Arc<Base>>>,
    unsettled: Mutex<Streams>,
}

#[derive(Debug)]
struct Base {
    event: Event,
    at: Instant,
}

/// Something that begins on a stream.
#[derive(Debug)]
pub(super) struct Begun {
    place: Place,
    event: Event,
    base: Arc<Base>,
}

#[derive(Debug)]
struct Unsettled {
    span: DeviceSpan,
    begun: Begun,
    end: Event,
}

impl Timeline {
    /// That of device `ordinal`, on which nothing is traced yet.
    pub fn new(ordinal: usize) -> Self {
        Self { ordinal, idle: OnceLock::new(), base: Mutex::default(), unsettled: Mutex::default() }
    }

    /// What is enqueued on `stream` from now on, if it is traced.
    pub(super) fn begin(&self, stream: &Stream) -> Option<Begun> {
        if !trace::is_on() {
            return None;
        }
        let place = trace::here()?;
        // A trace is no reason for a proof to fail: an error that matters comes again.
        let base = self.base().ok()?;
        Some(Begun { place, event: Event::record(stream).ok()?, base })
    }

    /// That it ends here; `bytes` are what it moves, or 0.
    pub(super) fn end(
        &self,
        begun: Option<Begun>,
        what: &'static CStr,
        (shown, stream): (trace::Stream, &Stream),
        bytes: usize,
    ) {
        let Some(begun) = begun else { return };
        let Ok(end) = Event::record(stream) else { return };
        let span = DeviceSpan { what, device: self.ordinal, stream: shown, place: begun.place, bytes };
        let mut unsettled = self.unsettled();
        let of_stream = unsettled.entry(shown).or_default();
        if of_stream.len() >= MANY {
            settle(of_stream);
            of_stream.drain(..of_stream.len().saturating_sub(MOST - 1));
        }
        of_stream.push_back(Unsettled { span, begun, end });
    }

    /// Does `work`, which enqueues something on a stream.
    ///
    /// # Errors
    /// Those of `work`.
    pub(super) fn traced<T>(
        &self,
        what: &'static CStr,
        on: (trace::Stream, &Stream),
        bytes: usize,
        work: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let begun = self.begin(on.1);
        let done = work()?;
        self.end(begun, what, on, bytes);
        Ok(done)
    }

    /// Records all that is over.
    pub(super) fn settle(&self) {
        self.unsettled().values_mut().for_each(settle);
    }

    fn base(&self) -> Result<Arc<Base>, Error> {
        let idle = match self.idle.get() {
            Some(idle) => idle,
            None => {
                let idle = Stream::new()?;
                self.idle.get_or_init(|| idle)
            }
        };
        let mut base = self.base.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(base) = base.as_ref().filter(|base| base.at.elapsed() < BASE_SERVES) {
            return Ok(base.clone());
        }
        let fresh = Arc::new(Base::new(idle)?);
        *base = Some(fresh.clone());
        Ok(fresh)
    }

    fn unsettled(&self) -> MutexGuard<'_, Streams> {
        self.unsettled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Records what is over of one stream: what it does first is over first.
fn settle(of_stream: &mut VecDeque<Unsettled>) {
    while let Some(Unsettled { span, begun, end }) = of_stream.front() {
        let at = |event: &Event| -> Result<Option<Moment>, Error> {
            let after = event.time_since(&begun.base.event)?;
            Ok(after.map(|after| Moment::of(begun.base.at).plus(after)))
        };
        match at(&begun.event).and_then(|begin| Ok(begin.zip(at(end)?))) {
            Ok(None) => return,
            Ok(Some((begin, end))) => trace::device_span(span, begin, end),
            // It is not known, and not asked for again.
            Err(_) => {}
        }
        of_stream.pop_front();
    }
}

impl Base {
    fn new(idle: &Stream) -> Result<Self, Error> {
        let before = Instant::now();
        let event = Event::record(idle)?;
        Ok(Self { event, at: before + before.elapsed() / 2 })
    }
}
