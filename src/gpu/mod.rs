//! The GPUs of this machine.

/// What is known of one GPU.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// Its name, as the driver gives it.
    pub name: String,
    /// Bytes of device memory.
    pub memory: u64,
    /// Compute capability, major and minor.
    pub compute_capability: (u32, u32),
}

/// The GPUs of this machine in CUDA's order, or why there are none.
///
/// # Errors
/// [`crate::Error::NoGpu`] with the reason and what to do.
pub fn devices() -> Result<Vec<DeviceInfo>, crate::Error> {
    Err(crate::Error::NoGpu { why: String::new() })
}

/// Whether device code is part of this build.
pub(crate) const BUILT_WITH_CUDA: bool = cfg!(interlock_cuda);

/// The backend that proves on GPUs, or why there is none.
pub(crate) fn backend() -> Result<&'static dyn crate::prove::Backend, crate::Error> {
    devices()?;
    Err(crate::Error::NoGpu { why: "this version of interlock proves on the CPU only".to_owned() })
}

impl std::fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (major, minor) = self.compute_capability;
        write!(f, "{}, {} MiB, compute capability {major}.{minor}", self.name, self.memory >> 20)
    }
}
