//! Parameters in device memory.

use super::loader::Loader;
use super::DeviceBuffer;
use crate::curve::{G1Affine, G2Affine};
use crate::error::Error;
use crate::params::{Counts, Parameters};

/// The queries of a circuit on a device, in the order of the file, in affine coordinates in Montgomery form.
#[derive(Debug)]
pub(super) struct Resident {
    pub(super) h: DeviceBuffer<G1Affine>,
    pub(super) l: DeviceBuffer<G1Affine>,
    pub(super) a: DeviceBuffer<G1Affine>,
    pub(super) b_g1: DeviceBuffer<G1Affine>,
    pub(super) b_g2: DeviceBuffer<G2Affine>,
}

impl Resident {
    /// The queries of `srs` on the current device, read from its file and checked, as is the rest of the file.
    ///
    /// # Errors
    /// [`Error::Params`] with the first thing that is wrong in the order of the file, [`Error::File`], [`Error::Cuda`],
    /// [`Error::Threads`].
    pub(super) fn load(srs: &Parameters, loader: &mut Loader) -> Result<Self, Error> {
        let resident = Self::allocate(&srs.counts)?;
        srs.read_encoded(|encoded| loader.load(encoded, &resident))?;
        Ok(resident)
    }

    /// The queries, back in memory.
    ///
    /// # Errors
    /// [`Error::Cuda`], [`Error::OutOfMemory`].
    #[cfg(feature = "kit")]
    pub(super) fn to_host(&self) -> Result<crate::params::Points, Error> {
        let stream = super::Stream::new()?;
        Ok(crate::params::Points {
            h: self.h.to_host(&stream)?,
            l: self.l.to_host(&stream)?,
            a: self.a.to_host(&stream)?,
            b_g1: self.b_g1.to_host(&stream)?,
            b_g2: self.b_g2.to_host(&stream)?,
        })
    }

    fn allocate(counts: &Counts) -> Result<Self, Error> {
        let Counts { h, l, a, b, .. } = *counts;
        Ok(Self {
            h: DeviceBuffer::new(h)?,
            l: DeviceBuffer::new(l)?,
            a: DeviceBuffer::new(a)?,
            b_g1: DeviceBuffer::new(b)?,
            b_g2: DeviceBuffer::new(b)?,
        })
    }
}
