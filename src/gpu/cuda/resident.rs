//! Parameters in device memory.

use std::ops::Range;

use super::engine::Block;
use super::h_multiples::HMultiples;
use super::lease::room_for;
use super::worker::Worker;
use super::{loader, DeviceSlice, Plain};
use crate::curve::{G1Affine, G2Affine};
use crate::error::Error;
use crate::params::{Counts, Parameters};
use crate::prove::plan::scratch::Multiples;
use crate::prove::Residence;

/// The queries of a circuit on a device, in the order of the file, in affine coordinates in Montgomery form.
///
/// Nothing may be enqueued that uses them when this is dropped.
#[derive(Debug)]
pub(super) struct Resident {
    pub(super) h: DeviceSlice<G1Affine>,
    pub(super) l: DeviceSlice<G1Affine>,
    pub(super) a: DeviceSlice<G1Affine>,
    pub(super) b_g1: DeviceSlice<G1Affine>,
    pub(super) b_g2: DeviceSlice<G2Affine>,
    /// Those of h, if they are kept.
    pub(super) multiples: Option<HMultiples>,
    /// How long the queries are.
    pub(super) counts: Counts,
    _block: Block,
}

impl Resident {
    /// The queries of `srs` on the engine's device, read from its file and checked, as is the rest of the file.
    ///
    /// # Errors
    /// [`Error::Params`] with the first thing that is wrong in the order of the file, [`Error::File`], [`Error::Cuda`],
    /// [`Error::DeviceMemory`], [`Error::Threads`], and [`Error::Setting`] if it is not clear whether multiples are asked for.
    pub(super) fn load(engine: &Worker<'_>, srs: &Parameters) -> Result<Self, Error> {
        let allocate = |multiples| {
            let resident = Self::allocate(engine, &srs.counts, multiples)?;
            // There must be room for proofs too, beside all that is kept.
            engine.plan(&srs.counts, Residence::Resident, None).map(|_| resident)
        };
        let resident = match HMultiples::chosen(engine, &srs.counts)? {
            None => allocate(None)?,
            Some(multiples) => match allocate(Some(multiples)) {
                // Others were faster to take the room.
                Err(error) if error.is_device_out_of_memory() => allocate(None)?,
                allocated => allocated?,
            },
        };
        // What decodes to it must be over before its memory goes.
        srs.read_encoded(|encoded| loader::load(engine.uploads(), encoded, &resident))
            .and_then(|()| resident.multiples.as_ref().map_or(Ok(()), |multiples| multiples.fill(engine)))
            .inspect_err(|_| engine.wait_for_all())?;
        Ok(resident)
    }

    /// Points of h, which their multiples follow if there are any.
    pub(super) fn h_points(&self, range: Range<usize>) -> DeviceSlice<G1Affine> {
        match &self.multiples {
            Some(multiples) => multiples.from(range.start),
            None => self.h.range(range),
        }
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

    fn allocate(engine: &Worker<'_>, counts: &Counts, multiples: Option<Multiples>) -> Result<Self, Error> {
        let Counts { h, l, a, b, .. } = *counts;
        let tables = multiples.map_or(1, |multiples| multiples.tables());
        let room = [tables * h, l, a, b].map(room_for::<G1Affine>).iter().sum::<usize>() + room_for::<G2Affine>(b);
        let block = engine.long_block(room)?;
        let mut taken = block.offset();
        fn take<T: Plain>(engine: &Worker<'_>, taken: &mut usize, len: usize) -> DeviceSlice<T> {
            // SAFETY: part of the block, whose size is the sum of these rooms.
            let slice = unsafe { DeviceSlice::from_raw(engine.address(*taken), len) };
            *taken += room_for::<T>(len);
            slice
        }
        let all_h = take(engine, &mut taken, tables * h);
        Ok(Self {
            h: all_h.range(0..h),
            l: take(engine, &mut taken, l),
            a: take(engine, &mut taken, a),
            b_g1: take(engine, &mut taken, b),
            b_g2: take(engine, &mut taken, b),
            multiples: multiples.map(|multiples| HMultiples::new(all_h, multiples)),
            counts: *counts,
            _block: block,
        })
    }
}
