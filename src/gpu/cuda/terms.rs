//! The terms of a query, listed on the device.

use super::{msm::at_least, status::check, DeviceSlice, Stream};
use crate::error::Error;
use crate::sys;

/// Variables in order: their classes and which of them are in the query.
#[derive(Debug)]
pub struct Variables<'a> {
    /// Two bits a variable, 32 variables a word, the first in the lowest: 0 for a scalar that is 0, 1 for 1, 2 for a full-size one.
    pub classes: &'a DeviceSlice<u64>,
    /// One bit a variable, 64 a word; none means that all are in the query.
    pub density: Option<&'a DeviceSlice<u64>>,
    /// How many variables there are.
    pub len: usize,
    /// Variables a chunk, a multiple of 8192, and the number of the first full-size scalar of each; none means that these are
    /// numbered through.
    pub chunks: Option<(usize, &'a DeviceSlice<u32>)>,
}

/// The terms of a query so far, as [`super::msm()`] and [`super::sum()`] take them.
#[derive(Debug)]
pub struct Lists<'a> {
    /// Positions in the query of the points that are multiplied by 1.
    pub ones: &'a DeviceSlice<u32>,
    /// Positions in the query of the points that are multiplied by full-size scalars.
    pub positions: &'a DeviceSlice<u32>,
    /// The numbers of these scalars.
    pub indices: &'a DeviceSlice<u32>,
    /// Three: how many points of the query have been listed, how many of them in `ones`, and how many in `positions`.
    pub counts: &'a DeviceSlice<u32>,
}

impl Variables<'_> {
    /// The launchers' form, its buffers' lengths checked.
    fn as_raw(&self) -> Result<sys::interlock_variables, Error> {
        at_least("classes", self.classes.len(), self.len.div_ceil(32))?;
        let density = match self.density {
            Some(density) => {
                at_least("density", density.len(), self.len.div_ceil(64))?;
                density.as_raw().cast_const().cast()
            }
            None => std::ptr::null(),
        };
        let (chunk, chunk_starts) = match self.chunks {
            Some((chunk, starts)) => {
                at_least("chunks", starts.len(), self.len.div_ceil(chunk.max(1)))?;
                (chunk, starts.as_raw().cast_const().cast())
            }
            None => (0, std::ptr::null()),
        };
        Ok(sys::interlock_variables {
            classes: self.classes.as_raw().cast_const().cast(),
            density,
            chunk_starts,
            chunk,
            n: self.len,
        })
    }
}

/// Bytes of scratch that [`Lists::append`] needs for so many variables.
pub fn terms_scratch_bytes(variables: usize) -> usize {
    // SAFETY: it takes a number.
    unsafe { sys::interlock_terms_scratch_bytes(variables) }
}

impl Lists<'_> {
    /// Enqueues the emptying of the lists.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn clear(&self, stream: &Stream) -> Result<(), Error> {
        self.counts.clear(stream)
    }

    /// Enqueues the listing of the terms of more variables, whose points follow those of the ones before. There must be room.
    ///
    /// # Errors
    /// [`Error::Size`] if a buffer of `variables` is too short, and [`Error::Cuda`].
    pub fn append(
        &self,
        variables: &Variables<'_>,
        scratch: &mut DeviceSlice<u8>,
        stream: &Stream,
    ) -> Result<(), Error> {
        at_least("scratch", scratch.len(), terms_scratch_bytes(variables.len))?;
        at_least("counts", self.counts.len(), 3)?;
        at_least("indices", self.indices.len(), self.positions.len())?;
        let lists = sys::interlock_query_terms {
            ones: self.ones.as_raw().cast(),
            positions: self.positions.as_raw().cast(),
            indices: self.indices.as_raw().cast(),
            counts: self.counts.as_raw().cast(),
        };
        let variables = variables.as_raw()?;
        // SAFETY: the ranges have the sizes that were checked, and the caller sees to the lists' room.
        check("interlock_terms", unsafe { sys::interlock_terms(scratch.as_raw(), &lists, &variables, stream.as_raw()) })
    }
}
