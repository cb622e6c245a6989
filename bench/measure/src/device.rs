//! What nvidia-smi sees of device 0 meanwhile.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Long beside the time that nvidia-smi takes to start, and beside the period over which the driver takes its shares.
const SECONDS: f64 = 2.5;

/// How much of device 0 was used, by all processes.
#[derive(Clone, Copy, Debug)]
pub struct DeviceUse {
    /// The most memory that was in use.
    pub mib: u64,
    /// The share of the time in which a kernel ran, as the driver samples it.
    pub busy: f64,
}

/// Repeats `call` for some seconds, twice at least, and returns how device 0 was used meanwhile; `None` without nvidia-smi.
///
/// # Errors
/// The first of `call`.
pub fn device_use(call: impl Fn() -> Result<(), String>) -> Result<Option<DeviceUse>, String> {
    let (done, used) = watched(|| {
        let start = Instant::now();
        call()?;
        while start.elapsed().as_secs_f64() < SECONDS {
            call()?;
        }
        call()
    });
    done.map(|()| used)
}

/// Runs `call`, which takes some seconds, and says how device 0 was used meanwhile; `None` without nvidia-smi.
pub fn watched<T>(call: impl FnOnce() -> T) -> (T, Option<DeviceUse>) {
    let query = ["--id=0", "--query-gpu=memory.used,utilization.gpu", "--format=csv,noheader,nounits", "--loop-ms=20"];
    let watch = Command::new("nvidia-smi").args(query).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let done = call();
    let Ok(mut watch) = watch else { return (done, None) };
    let mut said = String::new();
    let stopped = watch.kill();
    if let (Ok(()), Some(mut out)) = (stopped, watch.stdout.take()) {
        // What cannot be read is not counted.
        let _ = out.read_to_string(&mut said);
    }
    let _ = watch.wait();
    (done, summary(&said))
}

/// Of all samples but the first third, which tell of the time before too.
fn summary(said: &str) -> Option<DeviceUse> {
    let sample = |line: &str| {
        let (mib, busy) = line.split_once(',')?;
        Some((mib.trim().parse::<u64>().ok()?, busy.trim().parse::<f64>().ok()?))
    };
    let samples: Vec<(u64, f64)> = said.lines().filter_map(sample).collect();
    let late = &samples[samples.len() / 3..];
    let mib = samples.iter().map(|(mib, _)| *mib).max()?;
    Some(DeviceUse { mib, busy: late.iter().map(|(_, busy)| busy).sum::<f64>() / late.len() as f64 / 100.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_samples_count_and_broken_lines_do_not() {
        let used = summary("900, 0\n1000, 50\n800, 70\n80").unwrap();
        assert_eq!(used.mib, 1000);
        assert!((used.busy - 0.6).abs() < 1e-9);
        assert!(summary("[N/A], [N/A]\n").is_none());
    }
}
