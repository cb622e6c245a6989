//! The driver and the GPUs.

use std::fs;

use interlock::settings::{self, BackendChoice};
use interlock::{device_memory, driver_version, visible_devices, DeviceInfo, DeviceMemory, Error};

use crate::report::{bytes, Report};

/// Where a proof could be made.
#[derive(Debug)]
pub struct Gpu {
    /// Its number in CUDA's order.
    pub index: usize,
    /// Bytes of device memory for proofs.
    pub budget: usize,
}

/// Tells of the driver and each device, and returns those that can prove.
pub fn examine(report: &mut Report) -> Vec<Gpu> {
    report.section("driver");
    report.line(match (kernel_module(), driver_version()) {
        (None, None) => "none was found".to_owned(),
        (Some(module), None) => format!("NVIDIA's {module}"),
        (None, Some((major, minor))) => format!("for CUDA {major}.{minor}"),
        (Some(module), Some((major, minor))) => format!("NVIDIA's {module}, for CUDA {major}.{minor}"),
    });
    report.section("GPUs");
    let gpus = match visible_devices() {
        Ok(devices) => devices.iter().enumerate().filter_map(|(i, device)| tell_device(report, i, device)).collect(),
        Err(why) => {
            report.line(&why);
            Vec::new()
        }
    };
    if gpus.is_empty() {
        tell_absence(report);
    }
    gpus
}

fn tell_device(report: &mut Report, index: usize, device: &DeviceInfo) -> Option<Gpu> {
    if !device.supported {
        report.line(format_args!("{index}: {device}: this build has no code for it"));
        return None;
    }
    match device_memory(index) {
        Ok(DeviceMemory { free, budget, .. }) => {
            let why = match settings::vram_budget() {
                Ok(Some(_)) => "INTERLOCK_VRAM_BUDGET",
                _ => "what is free, less headroom",
            };
            let (free, of_proofs) = (bytes(free as u64), bytes(budget as u64));
            report.line(format_args!("{index}: {device}: has code here; {free} free, {of_proofs} for proofs ({why})"));
            Some(Gpu { index, budget })
        }
        // Told with the settings.
        Err(Error::Setting { .. }) => {
            report.line(format_args!("{index}: {device}: has code here"));
            None
        }
        Err(error) => {
            report.line(format_args!("{index}: {device}: has code here, but does not work"));
            report.fix(format_args!(
                "GPU {index}: {error}; check it with nvidia-smi, or hide it with CUDA_VISIBLE_DEVICES"
            ));
            None
        }
    }
}

/// That no GPU proves is something to fix where there is one, and none is ruled out. (Where one was asked for it is an error of
/// its own.)
fn tell_absence(report: &mut Report) {
    let there_is_one = fs::read_dir("/proc/driver/nvidia/gpus").is_ok_and(|mut gpus| gpus.next().is_some());
    let may_prove = matches!(settings::backend(), Ok(BackendChoice::Auto));
    if let (true, true, Err(why)) = (there_is_one, may_prove, interlock::devices()) {
        report.fix(format_args!("there is an NVIDIA GPU, but {why}; or set INTERLOCK_BACKEND=cpu"));
    }
}

/// The version of NVIDIA's kernel module, if it is loaded.
fn kernel_module() -> Option<String> {
    fs::read_to_string("/sys/module/nvidia/version").ok().map(|version| version.trim().to_owned())
}
