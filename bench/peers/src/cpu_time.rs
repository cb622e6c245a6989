//! Wall-clock and CPU time side by side: on a busy machine only the second can be compared.

use std::time::Instant;

/// A point in time, and the CPU time that the process had used then.
#[derive(Clone, Copy, Debug)]
pub struct CpuTime {
    wall: Instant,
    cpu: f64,
}

impl CpuTime {
    /// Now.
    pub fn now() -> Self {
        // SAFETY: all-zero bytes are a valid rusage, which the call fills.
        let usage = unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            libc::getrusage(libc::RUSAGE_SELF, &mut usage);
            usage
        };
        let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
        Self { wall: Instant::now(), cpu: seconds(usage.ru_utime) + seconds(usage.ru_stime) }
    }

    /// Seconds of wall-clock time and of CPU time, all threads together, from `self` to `end`.
    pub fn until(&self, end: &Self) -> (f64, f64) {
        ((end.wall - self.wall).as_secs_f64(), end.cpu - self.cpu)
    }
}
