//! What this build of the library is.

/// How the library was built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Build {
    /// The library's version.
    pub version: &'static str,
    /// What it has for GPUs, or why it proves on the CPU only.
    pub cuda: Result<Cuda, &'static str>,
}

/// What a build has for GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cuda {
    /// The release of the nvcc that compiled the kernels, such as `13.0`.
    pub nvcc: &'static str,
    /// Major and minor version of the CUDA runtime that is linked, if it says one.
    pub runtime: Option<(u32, u32)>,
    /// The architectures that there is machine code for, such as `80,90`.
    pub archs: &'static str,
    /// The architecture of the PTX, which later GPUs can run, or `""` if there is none.
    pub ptx: &'static str,
}

impl Build {
    /// The build that this is. It asks no driver.
    pub fn this() -> Self {
        #[cfg(interlock_cuda)]
        let cuda = Ok(Cuda {
            nvcc: env!("NVCC_OF_INTERLOCK"),
            runtime: crate::gpu::runtime_version(),
            archs: env!("ARCHS_OF_INTERLOCK"),
            ptx: env!("PTX_OF_INTERLOCK"),
        });
        #[cfg(not(interlock_cuda))]
        let cuda = Err(env!("NO_CUDA_IN_INTERLOCK"));
        Self { version: crate::VERSION, cuda }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_says_what_it_has_or_why_it_has_not() {
        match Build::this().cuda {
            Ok(cuda) => {
                let runtime = cuda.runtime.map(|(major, minor)| format!("{major}.{minor}"));
                assert_eq!(runtime.as_deref(), Some(cuda.nvcc), "the runtime is that of the compiler");
                assert!(!cuda.archs.is_empty());
            }
            Err(why) => assert!(why.contains("CUDA") || why.contains("INTERLOCK_NVCC"), "{why}"),
        }
    }
}
