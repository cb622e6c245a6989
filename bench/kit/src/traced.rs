//! What the trace says of proofs on a GPU.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::thread;
use std::time::Instant;

use interlock::kit::counts;
use interlock::settings::{set_backend, BackendChoice};
use interlock::trace::{self, Seen};

use crate::shapes;
use crate::warm::ALLOWED;

/// How far the two clocks may be apart, in nanoseconds.
const TOLERANCE: u64 = 200_000;
const WORKERS: usize = 3;
/// The stream of kernels, as the trace names it.
const KERNELS: &str = "compute";
/// Domains of the proofs of a round.
const SIZES: [u32; 2] = [6, 14];
/// Calls of a round: two are pending at a time.
const CALLS: usize = 2 * SIZES.len();

/// Traces proofs, one after the other and then by several workers, and checks that each call's work on the device lies within it, that
/// kernels do one thing at a time, that nothing is missing, and that tracing calls of CUDA what it may.
///
/// # Errors
/// What is wrong.
pub fn check(file: Option<&Path>) -> Result<String, String> {
    set_backend(BackendChoice::Gpu);
    let ordinary = shapes::Ordinary::new("traced", &SIZES)?;
    let prove = || ordinary.prove().map(drop);
    prove()?;
    trace::start().map_err(|error| error.to_string())?;
    prove()?;
    prove()?;
    let before = counts();
    prove()?;
    only_allowed(&before)?;
    let alone = Calls::of(&trace::seen());
    alone.check(3 * CALLS)?;

    trace::start().map_err(|error| error.to_string())?;
    let begun = Instant::now();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(|| prove().and_then(|()| prove()))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().unwrap_or_else(|_| Err("a panic".to_owned())))
    })?;
    let busy = trace::busy(0, begun..Instant::now());
    trace::stop();
    let together = Calls::of(&trace::seen());
    together.check(2 * WORKERS * CALLS)?;
    if !(0.0 < busy.at_least && busy.at_least <= busy.at_most && busy.at_most <= 1.0) {
        return Err(format!("the share of the time in which the device computed is {busy:?}"));
    }
    let known = trace::seen().len();
    prove()?;
    if trace::seen().len() != known {
        return Err("something was traced after the trace was stopped".to_owned());
    }
    if let Some(file) = file {
        trace::write(file).map_err(|error| error.to_string())?;
    }
    Ok(format!(
        "{} calls alone and {} of {WORKERS} workers are as they must be; the device computed in {:.1} to {:.1} % of the latter",
        alone.0.len(),
        together.0.len(),
        busy.at_least * 100.0,
        busy.at_most * 100.0
    ))
}

fn only_allowed(before: &BTreeMap<&'static str, u64>) -> Result<(), String> {
    // The last events of a call may come back after the next has begun, which then makes others.
    let of_traces = ["cudaEventElapsedTime", "cudaEventCreateWithFlags"];
    let after = counts();
    let others = after.iter().filter(|(name, calls)| {
        let may = ALLOWED.contains(name) || of_traces.contains(name) || name.starts_with("interlock_");
        **calls > before[*name] && !may
    });
    let others: Vec<_> = others.map(|(name, _)| *name).collect();
    if others.is_empty() {
        return Ok(());
    }
    Err(format!("a traced proof called {}", others.join(", ")))
}

/// The spans of each call.
struct Calls(BTreeMap<u32, Vec<Seen>>);

impl Calls {
    fn of(seen: &[Seen]) -> Self {
        let mut calls: BTreeMap<u32, Vec<Seen>> = BTreeMap::new();
        for span in seen {
            calls.entry(span.call).or_default().push(span.clone());
        }
        Self(calls)
    }

    fn check(&self, calls: usize) -> Result<(), String> {
        if self.0.len() != calls {
            return Err(format!("{calls} calls were made, and {} traced", self.0.len()));
        }
        let wrong = |(call, spans): (&u32, &Vec<Seen>)| {
            complete(spans).and_then(|()| within(spans)).map_err(|what| format!("call {call}: {what}; {spans:#?}"))
        };
        self.0.iter().try_for_each(wrong)?;
        self.one_at_a_time()
    }

    /// That kernels do one thing at a time. Uploads of several threads are enqueued side by side, and what is traced of one
    /// may have another's within it.
    fn one_at_a_time(&self) -> Result<(), String> {
        let mut streams: BTreeMap<&str, Vec<Range<u64>>> = BTreeMap::new();
        for span in self.0.values().flatten() {
            if let Some(stream) = span.stream.as_deref().filter(|stream| *stream == KERNELS) {
                streams.entry(stream).or_default().push(span.time.clone());
            }
        }
        for (stream, mut times) in streams {
            times.sort_by_key(|time| time.start);
            if let Some(two) = times.windows(2).find(|two| two[1].start + TOLERANCE < two[0].end) {
                return Err(format!("{stream} does two things at once: {two:?}"));
            }
        }
        Ok(())
    }
}

/// Whether all is there that a call has, once for each circuit.
fn complete(spans: &[Seen]) -> Result<(), String> {
    let count = |what: &str, on_device: bool| {
        spans.iter().filter(|span| span.what == what && span.stream.is_some() == on_device).count()
    };
    let once = ["starting proofs", "finishing proofs"].into_iter().find(|what| count(what, false) != 1);
    let circuits = count("assembling", false);
    let missing =
        ["witness MSMs", "product", "quotient", "h MSM"].into_iter().find(|what| count(what, true) != circuits);
    let waited = ["waiting for memory", "waiting for a turn", "enqueuing", "waiting for a slot", "sending a"];
    let host = waited.into_iter().find(|what| count(what, false) < circuits);
    let uploads = ["copy", "expansion"].into_iter().find(|what| count(what, true) < circuits);
    match once.or(missing).or(host).or(uploads) {
        None if circuits > 0 => Ok(()),
        what => Err(format!("{:?} is not there as often as it must be", what.unwrap_or("assembling"))),
    }
}

/// Whether what the device did lies between the beginning and the end of the call.
fn within(spans: &[Seen]) -> Result<(), String> {
    let of = |what: &str| spans.iter().find(|span| span.what == what).map(|span| &span.time);
    let (Some(starting), Some(finishing)) = (of("starting proofs"), of("finishing proofs")) else {
        return Err("it has no beginning or no end".to_owned());
    };
    let call = starting.start.saturating_sub(TOLERANCE)..finishing.end + TOLERANCE;
    match spans.iter().find(|span| span.time.start < call.start || span.time.end > call.end) {
        None => Ok(()),
        Some(span) => Err(format!("{:?} at {:?} is not within {call:?}", span.what, span.time)),
    }
}
