//! Wall clock and CPU time.

use std::time::Instant;

/// What a call took.
#[derive(Clone, Copy, Debug)]
pub struct Took {
    /// Wall clock.
    pub seconds: f64,
    /// CPU time of all threads of this process, system time included.
    pub cpu_seconds: f64,
}

/// Runs `call`.
pub fn timed<T>(call: impl FnOnce() -> T) -> (T, Took) {
    let (start, cpu) = (Instant::now(), cpu_seconds());
    let value = call();
    (value, Took { seconds: start.elapsed().as_secs_f64(), cpu_seconds: cpu_seconds() - cpu })
}

fn cpu_seconds() -> f64 {
    // SAFETY: all-zero bytes are a valid rusage, which the call fills.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}
