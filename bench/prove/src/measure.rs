//! Wall clock, CPU time and device memory.

use std::io::Read;
use std::process::{Command, Stdio};
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

/// Repeats `call` for a second or so and returns the most MiB of device 0's memory that were in use meanwhile, by all processes;
/// `None` without nvidia-smi.
///
/// # Errors
/// The first of `call`.
pub fn device_memory(call: impl Fn() -> Result<(), String>) -> Result<Option<u64>, String> {
    let query = ["--id=0", "--query-gpu=memory.used", "--format=csv,noheader,nounits", "--loop-ms=20"];
    let watch = Command::new("nvidia-smi").args(query).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut watch) = watch else { return Ok(None) };
    let start = Instant::now();
    let mut done = Ok(());
    while done.is_ok() && start.elapsed().as_secs_f64() < 1.0 {
        done = call();
    }
    let mut said = String::new();
    let stopped = watch.kill();
    if let (Ok(()), Some(mut out)) = (stopped, watch.stdout.take()) {
        // What cannot be read is not counted.
        let _ = out.read_to_string(&mut said);
    }
    let _ = watch.wait();
    done?;
    Ok(said.lines().filter_map(|line| line.trim().parse().ok()).max())
}
