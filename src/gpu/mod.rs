//! The GPUs of this machine, and the backend that proves on them.

mod absence;
#[cfg(any(test, interlock_cuda))]
mod archs;
#[cfg(interlock_cuda)]
/// cbindgen:ignore
mod cuda;

#[cfg(all(interlock_cuda, feature = "kit"))]
pub use cuda::kit;

use crate::error::Error;
use crate::prove::Backend;

/// What is known of one GPU.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// Its name, as the driver gives it.
    pub name: String,
    /// Bytes of device memory.
    pub memory: u64,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// Whether this build has code for it.
    pub supported: bool,
}

/// The GPUs of this machine in CUDA's order, at least one of them supported, or why there is none.
///
/// This only asks: it makes no context, takes no memory, and is safe where there is no driver.
///
/// # Errors
/// [`Error::NoGpu`] with the reason and what to do.
pub fn devices() -> Result<Vec<DeviceInfo>, Error> {
    #[cfg(interlock_cuda)]
    return cuda::devices();
    #[cfg(not(interlock_cuda))]
    Err(Error::NoGpu { why: absence::no_cuda(env!("NO_CUDA_IN_INTERLOCK")) })
}

/// The GPUs that CUDA shows in this process, in its order, whether or not this build has code for them.
///
/// Asks as little as [`devices`].
///
/// # Errors
/// [`Error::NoGpu`] if it shows none, with the reason and what to do.
pub fn visible_devices() -> Result<Vec<DeviceInfo>, Error> {
    #[cfg(interlock_cuda)]
    return cuda::visible_devices();
    #[cfg(not(interlock_cuda))]
    devices()
}

/// The CUDA version, major and minor, that the driver is for; none without a driver, and in a build without CUDA.
pub fn driver_version() -> Option<(u32, u32)> {
    #[cfg(interlock_cuda)]
    return cuda::driver_version();
    #[cfg(not(interlock_cuda))]
    None
}

/// The version, major and minor, of the CUDA runtime that is linked.
#[cfg(interlock_cuda)]
pub(crate) fn runtime_version() -> Option<(u32, u32)> {
    cuda::runtime_version()
}

/// A device's memory now, and what of it is for proofs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceMemory {
    /// Bytes that are free.
    pub free: usize,
    /// The most bytes that proofs of this process would use: `INTERLOCK_VRAM_BUDGET`, else what is free less headroom.
    pub budget: usize,
}

/// What the device of this index, in CUDA's order, has for proofs. Makes a CUDA context there, as the first proof does, which takes
/// some hundred MiB until the process ends.
///
/// # Errors
/// [`Error::NoGpu`], [`Error::NoSuchDevice`], [`Error::Cuda`] if the device does not work, and [`Error::Setting`] if
/// `INTERLOCK_VRAM_BUDGET` is no size.
pub fn device_memory(index: usize) -> Result<DeviceMemory, Error> {
    let count = visible_devices()?.len();
    if index >= count {
        return Err(Error::NoSuchDevice { what: "index", index: index as i64, count });
    }
    #[cfg(interlock_cuda)]
    return cuda::device_memory(index);
    #[cfg(not(interlock_cuda))]
    devices().and(Err(Error::NoGpu { why: String::new() }))
}

/// The device that `index`, the value of the argument called `what`, names.
///
/// # Errors
/// [`Error::Choice`] for a negative number, those of [`devices`], and [`Error::NoSuchDevice`].
pub(crate) fn device(what: &'static str, index: i64) -> Result<usize, Error> {
    let expected = "-1, which lets the library choose, or a device's number from 0 on";
    let found = usize::try_from(index).map_err(|_| Error::Choice { name: what, value: index, expected })?;
    let count = devices()?.len();
    Some(found).filter(|found| *found < count).ok_or(Error::NoSuchDevice { what, index, count })
}

/// Whether whoever built this may think that it proves on GPUs: with CUDA, or without but not by choice.
pub(crate) const EXPECTED: bool = !cfg!(interlock_cuda_declined);

/// The backend that proves on GPUs, or why there is none.
pub(crate) fn backend() -> Result<&'static dyn Backend, Error> {
    #[cfg(interlock_cuda)]
    return cuda::backend();
    #[cfg(not(interlock_cuda))]
    devices().and(Err(Error::NoGpu { why: String::new() }))
}

/// Gives memory back that nothing needs now: that of devices, host memory in which scalars were sorted, and what is page-locked for results and for
/// vectors that a device has no room for. The latter waits for what devices do. What serves uploads to a device stays.
///
/// # Errors
/// [`Error::Cuda`].
pub fn release_memory() -> Result<(), Error> {
    #[cfg(interlock_cuda)]
    return cuda::release_memory();
    #[cfg(not(interlock_cuda))]
    Ok(())
}

impl std::fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (major, minor) = self.compute_capability;
        write!(f, "{}, {} MiB, compute capability {major}.{minor}", self.name, self.memory >> 20)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the machine, there is a list with something in it or a reason that says what to do.
    #[test]
    fn devices_are_listed_or_their_absence_is_explained() {
        match devices() {
            Ok(list) => {
                assert!(list.iter().any(|d| d.supported) && list.iter().all(|d| d.memory > 0 && !d.name.is_empty()))
            }
            Err(Error::NoGpu { why }) => assert!(why.contains(';'), "no remedy in {why:?}"),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn numbers_that_name_no_device_are_told_from_a_lack_of_devices() {
        let negative = device("device", -2).unwrap_err().to_string();
        assert!(negative.starts_with("device is -2, but must be -1, which lets"), "{negative}");
        match (devices(), device("device", 1_000_000).unwrap_err()) {
            (Ok(list), error) => {
                assert!(error
                    .to_string()
                    .starts_with(&format!("device is 1000000, but there are {} devices", list.len())))
            }
            (Err(why), error) => assert_eq!((error.to_string(), error.code()), (why.to_string(), libc::ENODEV)),
        }
    }

    #[cfg(not(interlock_cuda))]
    #[test]
    fn a_build_without_cuda_says_so() {
        assert!(devices()
            .unwrap_err()
            .to_string()
            .starts_with("no GPU can prove: this interlock was built without CUDA"));
    }

    #[cfg(interlock_cuda)]
    #[test]
    fn looking_for_devices_only_asks() {
        let before = crate::sys::counts();
        let _ = devices();
        let called: Vec<_> =
            crate::sys::counts().into_iter().filter(|(name, n)| before[name] != *n).map(|(name, _)| name).collect();
        assert!(called.contains(&"cudaGetDeviceCount"));
        for name in called {
            assert!(
                name.contains("Get") || name.contains("TotalMem") || name == "interlock_driver_entry_point",
                "{name}"
            );
        }
    }
}
