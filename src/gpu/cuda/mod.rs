//! What a build with CUDA has: safe wrappers of [`crate::sys`], each the owner of what it names, and the backend on them.

mod aside;
mod backend;
mod budget;
mod buffer;
mod circuit;
mod classes;
mod decode;
mod device;
mod engine;
mod event;
mod fifo;
mod group;
mod guard;
mod h_multiples;
mod h_parts;
mod h_passing;
mod host_vectors;
mod kept;
mod lanes;
mod lease;
mod load;
mod loader;
mod mapping;
mod msm;
mod ntt;
mod ones;
mod pairs;
mod passes;
mod pieces;
mod pinned;
mod pinned_points;
#[cfg(feature = "kit")]
mod pointwise;
mod quotient;
mod resident;
mod residents;
mod results;
mod round_trip;
#[cfg(test)]
mod samples;
mod section;
mod staging;
mod status;
mod stream;
mod streamed;
mod terms;
mod timeline;
mod witness;
mod worker;

use buffer::{DeviceBuffer, DeviceSlice, Plain};
use event::Event;
use group::{Group, G1, G2};
use guard::DeviceGuard;
use msm::Shape;
use ntt::Domain;
use stream::Stream;
use terms::{list, Lists, QueryVariables, Variables};
use timeline::Timeline;

use super::{absence, archs, DeviceInfo, DeviceMemory};
use crate::error::Error;
use crate::prove::Backend;

pub(super) use budget::device_memory;
pub(super) use device::{devices, driver_version, runtime_version, visible_devices};

/// The backend of this process.
///
/// # Errors
/// [`Error::NoGpu`].
pub(super) fn backend() -> Result<&'static dyn Backend, Error> {
    backend::Gpu::get().map(|gpu| gpu as &dyn Backend)
}

/// Gives back what no parameters and no proof need now: memory of devices that have been used, and page-locked memory of the host.
///
/// # Errors
/// [`Error::Cuda`].
pub(super) fn release_memory() -> Result<(), Error> {
    backend::Gpu::if_used().map_or(Ok(()), backend::Gpu::release_memory)
}

/// What `bench/kit` tests on a device.
#[cfg(feature = "kit")]
pub mod kit {
    pub use super::backend::{device_memory_used, points_on_device, points_when_streamed};
    pub use super::buffer::{DeviceBuffer, DeviceSlice, Plain};
    pub use super::classes::{Classes, CHUNK};
    pub use super::decode::{decode, Faults, Run};
    pub use super::event::Event;
    pub use super::group::{Group, G1, G2};
    pub use super::guard::DeviceGuard;
    pub use super::kept::{copy_terms, CopiedTerms};
    pub use super::msm::{
        combine, fill, fill_scratch_bytes, msm, msm_scratch_bytes, multiply_points, reduce, Bucket, Form, Scalars,
        Shape, Terms,
    };
    pub use super::ntt::Domain;
    pub use super::ones::{Accumulators, SumTerms};
    pub use super::pointwise::fr_mul;
    pub use super::staging::{ClassesOnDevice, Ring, Upload, Uploads};
    pub use super::status::check;
    pub use super::stream::Stream;
    pub use super::terms::{list, terms_scratch_bytes, Lists, QueryVariables, Variables};
    pub use super::timeline::Timeline;
    pub use crate::params::{spoilt_cases, PointFault, Sample, SpoiltCase, TO_SPOIL};
    pub use crate::prove::plan::scratch::Multiples;
}
