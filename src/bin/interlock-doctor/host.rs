//! What the machine has besides GPUs.

use std::fs;
use std::path::Path;

use crate::report::{bytes, Report};

/// The machine's memory.
#[derive(Clone, Copy, Debug)]
pub struct Host {
    /// Bytes that a program could have now.
    pub available: u64,
}

/// Tells of cores, memory, and limits that proofs could meet.
pub fn examine(report: &mut Report) -> Host {
    report.section("host");
    let meminfo = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let (total, free) = (kilobytes(&meminfo, "MemTotal:"), kilobytes(&meminfo, "MemAvailable:"));
    let limit = control_group_limit().filter(|limit| *limit < total);
    let available = limit.map_or(free, |limit| limit.min(free));
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let within =
        limit.map_or(String::new(), |limit| format!(", of which this control group may have {}", bytes(limit)));
    report.line(format_args!("{cores} cores; memory {}, {} of it available{within}", bytes(total), bytes(free)));
    if let Some(limit) = address_space_limit() {
        report.line(format_args!("address space: at most {} (ulimit -v)", bytes(limit)));
        report.fix("lift the limit of the address space (ulimit -v unlimited): CUDA reserves as much as all devices and the host have");
    }
    Host { available }
}

fn kilobytes(meminfo: &str, name: &str) -> u64 {
    let line = meminfo.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|rest| rest.trim().strip_suffix(" kB")?.parse::<u64>().ok()).unwrap_or(0) << 10
}

/// The memory limit of this process's control group, in version 2 of those.
fn control_group_limit() -> Option<u64> {
    let group = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = group.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let limits = Path::new("/sys/fs/cgroup")
        .join(path)
        .ancestors()
        .filter_map(|folder| {
            folder.starts_with("/sys/fs/cgroup").then_some(())?;
            fs::read_to_string(folder.join("memory.max")).ok()?.trim().parse().ok()
        })
        .collect::<Vec<u64>>();
    limits.into_iter().min()
}

fn address_space_limit() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: one struct is written.
    let code = unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) };
    (code == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_told_in_kilobytes() {
        let meminfo = "MemTotal:       24543216 kB\nMemFree:  3 kB\nMemAvailable:   12 kB\n";
        assert_eq!(kilobytes(meminfo, "MemTotal:"), 24_543_216 << 10);
        assert_eq!(kilobytes(meminfo, "MemAvailable:"), 12 << 10);
        assert_eq!(kilobytes(meminfo, "HugePages:"), 0);
    }
}
