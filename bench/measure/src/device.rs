//! What nvidia-smi sees of the devices meanwhile.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Long beside the time that nvidia-smi takes to start, and beside the period over which the driver takes its shares.
const SECONDS: f64 = 2.5;

/// How much of a device was used, by all processes.
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
    done.map(|()| used.first().copied())
}

/// Runs `call`, which takes some seconds, and says how each device was used meanwhile, in nvidia-smi's order; none without nvidia-smi.
pub fn watched<T>(call: impl FnOnce() -> T) -> (T, Vec<DeviceUse>) {
    let query = ["--query-gpu=index,memory.used,utilization.gpu", "--format=csv,noheader,nounits", "--loop-ms=20"];
    let watch = Command::new("nvidia-smi").args(query).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let done = call();
    let Ok(mut watch) = watch else { return (done, Vec::new()) };
    let mut said = String::new();
    let stopped = watch.kill();
    if let (Ok(()), Some(mut out)) = (stopped, watch.stdout.take()) {
        // What cannot be read is not counted.
        let _ = out.read_to_string(&mut said);
    }
    let _ = watch.wait();
    (done, summary(&said))
}

/// Of all samples of a device but the first third, which tell of the time before too.
fn summary(said: &str) -> Vec<DeviceUse> {
    let sample = |line: &str| {
        let mut fields = line.split(',').map(|field| field.trim().parse::<u64>().ok());
        Some((fields.next()??, (fields.next()??, fields.next()??)))
    };
    let mut devices: BTreeMap<u64, Vec<(u64, u64)>> = BTreeMap::new();
    for (device, sample) in said.lines().filter_map(sample) {
        devices.entry(device).or_default().push(sample);
    }
    let used = |samples: &Vec<(u64, u64)>| {
        let late = &samples[samples.len() / 3..];
        let mib = samples.iter().map(|(mib, _)| *mib).max()?;
        Some(DeviceUse {
            mib,
            busy: late.iter().map(|(_, busy)| *busy as f64).sum::<f64>() / late.len() as f64 / 100.0,
        })
    };
    devices.values().filter_map(used).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_samples_count_and_broken_lines_do_not() {
        let used = summary("0, 900, 0\n1, 7, 10\n0, 1000, 50\n1, 8, 30\n0, 800, 70\n0, 80");
        assert_eq!([used[0].mib, used[1].mib], [1000, 8]);
        assert!((used[0].busy - 0.6).abs() < 1e-9 && (used[1].busy - 0.2).abs() < 1e-9, "{used:?}");
        assert!(summary("0, [N/A], [N/A]\n").is_empty());
    }
}
