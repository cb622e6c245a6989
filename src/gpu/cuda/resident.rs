//! Parameters in device memory.

use super::staging::Ring;
use super::DeviceBuffer;
use crate::curve::{G1Affine, G2Affine};
use crate::error::Error;
use crate::params::Parameters;

/// The queries of a circuit on a device, in the order and form of [`Parameters`].
#[derive(Debug)]
pub(super) struct Resident {
    pub(super) h: DeviceBuffer<G1Affine>,
    pub(super) l: DeviceBuffer<G1Affine>,
    pub(super) a: DeviceBuffer<G1Affine>,
    pub(super) b_g1: DeviceBuffer<G1Affine>,
    pub(super) b_g2: DeviceBuffer<G2Affine>,
}

impl Resident {
    /// Enqueues the copying of `parameters` to the current device.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn new(parameters: &Parameters, ring: &Ring) -> Result<Self, Error> {
        Ok(Self {
            h: ring.uploaded(&parameters.h)?,
            l: ring.uploaded(&parameters.l)?,
            a: ring.uploaded(&parameters.a)?,
            b_g1: ring.uploaded(&parameters.b_g1)?,
            b_g2: ring.uploaded(&parameters.b_g2)?,
        })
    }
}
