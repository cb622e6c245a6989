//! What tracing costs.

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use interlock::trace;
use interlock_bench_measure::{median, sorted, timed, Took};

/// Proofs are made in blocks of the same kind, for so long each.
const BLOCK: Duration = Duration::from_millis(1_500);
/// Before a block, so that what is written of the trace of the one before is written.
const PAUSE: Duration = Duration::from_millis(1_200);
/// Which blocks are traced: in an order in which what changes in the meantime changes both kinds.
const TRACED: [bool; 8] = [false, true, true, false, true, false, false, true];

/// What proofs took.
pub struct Cost {
    without: Vec<Took>,
    with: Vec<Took>,
}

/// Times proofs with a trace and without. Whether it is kept in a file too, the environment says.
///
/// # Errors
/// What went wrong, in words.
pub fn cost(prove: impl Fn() -> Result<(), String>) -> Result<Cost, String> {
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for traced in TRACED {
        thread::sleep(PAUSE);
        if traced {
            trace::start().map_err(|error| error.to_string())?;
        }
        prove()?;
        let begun = Instant::now();
        let block = if traced { &mut with } else { &mut without };
        while begun.elapsed() < BLOCK {
            let (done, took) = timed(&prove);
            done?;
            block.push(took);
        }
        trace::stop();
    }
    Ok(Cost { without, with })
}

/// As fields of a table.
impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds = [&self.without, &self.with];
        let seconds = kinds.map(|took| sorted(took.iter().map(|took| took.seconds).collect()));
        let cpu = kinds.map(|took| took.iter().map(|took| took.cpu_seconds).sum::<f64>() / took.len() as f64);
        let means = seconds.each_ref().map(|seconds| seconds.iter().sum::<f64>() / seconds.len() as f64);
        let medians = seconds.each_ref().map(|seconds| median(seconds));
        let more = |[without, with]: [f64; 2]| (with / without - 1.0) * 100.0;
        write!(f, "{} and {} |", seconds[0].len(), seconds[1].len())?;
        for (seconds, median) in seconds.iter().zip(medians) {
            write!(f, " {median:.5} | {:.5} – {:.5} |", seconds[0], seconds[seconds.len() - 1])?;
        }
        write!(f, " {:+.2} % | {:+.2} % | {:+.2} %", more(medians), more(means), more(cpu))
    }
}
