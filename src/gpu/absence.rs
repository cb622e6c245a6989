//! Why there is no GPU to prove on, and what to do, in words. Each says what is, a semicolon, and the remedy.

#[cfg(any(test, interlock_cuda))]
use super::DeviceInfo;

/// This build has no CUDA, for the reason that the build script noted.
#[cfg(any(test, not(interlock_cuda)))]
pub fn no_cuda(why: &str) -> String {
    format!(
        "this interlock was built without CUDA ({why}); build it again where nvcc is found, which scripts/cuda-toolkit.sh brings \
         into its folder (the feature `cuda` makes a missing compiler an error)"
    )
}

/// There is no driver.
#[cfg(any(test, interlock_cuda))]
pub fn no_driver() -> String {
    "no NVIDIA driver was found (libcuda.so.1 could not be loaded); install the driver, or give the container access to the GPU \
     (docker run --gpus all)"
        .into()
}

/// The driver is older than the runtime this was built with; versions as CUDA gives them, 13000 for 13.0.
#[cfg(any(test, interlock_cuda))]
pub fn old_driver(driver: i32, runtime: i32) -> String {
    let dotted = |version: i32| format!("{}.{}", version / 1000, version % 1000 / 10);
    let (has, needs) = (dotted(driver), dotted(runtime));
    format!(
        "the NVIDIA driver is for CUDA {has} at most, and this interlock was built with CUDA {needs}; update the driver, or build \
         interlock with CUDA {has} or older"
    )
}

/// The driver shows no device; `visible` is the value of `CUDA_VISIBLE_DEVICES`.
#[cfg(any(test, interlock_cuda))]
pub fn no_device(visible: Option<&str>) -> String {
    match visible {
        Some(list) => {
            format!("CUDA_VISIBLE_DEVICES is {list:?}, which leaves no GPU; unset it or name one that nvidia-smi lists")
        }
        None => "the NVIDIA driver sees no GPU; check with nvidia-smi that there is one that works".into(),
    }
}

/// The driver's library and kernel module disagree.
#[cfg(any(test, interlock_cuda))]
pub fn mismatched_driver() -> String {
    "the NVIDIA driver's library and its kernel module are of different versions; reboot after a driver's update, or mount the \
     library of the host's driver into the container"
        .into()
}

/// CUDA would not start; `text` is CUDA's own and `code` its number.
#[cfg(any(test, interlock_cuda))]
pub fn no_start(text: &str, code: i32) -> String {
    format!(
        "CUDA does not start: {text} (CUDA error {code}); check that nvidia-smi works, and load no CUDA program in a process before \
         it forks"
    )
}

/// None of the devices can run the kernels that were compiled for `archs`.
#[cfg(any(test, interlock_cuda))]
pub fn no_code(devices: &[DeviceInfo], archs: &str) -> String {
    let of = |d: &DeviceInfo| format!("{} ({}.{})", d.name, d.compute_capability.0, d.compute_capability.1);
    let found: Vec<_> = devices.iter().map(of).collect();
    let wanted: Vec<_> =
        devices.iter().map(|d| format!("{}{}", d.compute_capability.0, d.compute_capability.1)).collect();
    format!(
        "this interlock has code for the architectures {archs} and the GPUs here are {}; build it again with INTERLOCK_CUDA_ARCHS={} \
         and a CUDA that knows them",
        found.join(", "),
        wanted.join(",")
    )
}

/// The device of this index is not one of those that can run the kernels, and others are.
#[cfg(any(test, interlock_cuda))]
pub fn no_code_for(index: usize, (major, minor): (u32, u32)) -> String {
    format!(
        "this interlock has no code for device {index}, of compute capability {major}.{minor}; name another device, or none, or build it \
         again with {major}{minor} among INTERLOCK_CUDA_ARCHS and a CUDA that knows it"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_told() {
        let text = old_driver(12040, 13000);
        assert!(text.contains("for CUDA 12.4 at most") && text.contains("built with CUDA 13.0"), "{text}");
    }

    #[test]
    fn a_hidden_device_is_told_from_a_missing_one() {
        assert!(no_device(Some("-1")).starts_with("CUDA_VISIBLE_DEVICES is \"-1\""));
        assert!(no_device(None).contains("nvidia-smi"));
    }

    #[test]
    fn the_device_without_code_is_named() {
        let old = DeviceInfo { name: "Tesla P4".into(), memory: 8 << 30, compute_capability: (6, 1), supported: false };
        let text = no_code(&[old], "75,80");
        assert!(
            text.contains("75,80 and the GPUs here are Tesla P4 (6.1)") && text.contains("INTERLOCK_CUDA_ARCHS=61"),
            "{text}"
        );
    }

    #[test]
    fn each_says_what_to_do() {
        for text in [
            no_cuda("x"),
            no_driver(),
            old_driver(1, 2),
            no_device(None),
            mismatched_driver(),
            no_start("x", 1),
            no_code(&[], ""),
            no_code_for(1, (6, 1)),
        ] {
            assert_eq!(text.matches(';').count(), 1, "{text}");
        }
    }
}
