//! The terms of queries, listed on the device.

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

/// The terms of a query, as [`super::msm::Terms`] and [`super::ones::SumTerms`] take them.
#[derive(Debug)]
pub struct Lists<'a> {
    /// Positions in the query of the points that are multiplied by 1.
    pub ones: &'a DeviceSlice<u32>,
    /// Positions in the query of the points that are multiplied by full-size scalars.
    pub positions: &'a DeviceSlice<u32>,
    /// The numbers of these scalars.
    pub indices: &'a DeviceSlice<u32>,
    /// Three: how many points the query has, and how long `ones` and `positions` are.
    pub counts: &'a DeviceSlice<u32>,
}

/// A query: what its terms become, and the variables that its points belong to.
#[derive(Debug)]
pub struct QueryVariables<'a> {
    /// Room for all terms. What is there does not matter.
    pub lists: &'a Lists<'a>,
    /// Public inputs, whose points are the query's first, if it has points of inputs.
    pub inputs: Option<Variables<'a>>,
    /// Private variables, whose points follow.
    pub private: Variables<'a>,
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

    fn scratch_bytes(&self) -> usize {
        run_scratch_bytes(self.len)
    }
}

impl Lists<'_> {
    /// The launchers' form, its buffers' lengths checked as far as they are known.
    fn as_raw(&self) -> Result<sys::interlock_query_terms, Error> {
        at_least("counts", self.counts.len(), 3)?;
        at_least("indices", self.indices.len(), self.positions.len())?;
        Ok(sys::interlock_query_terms {
            ones: self.ones.as_raw().cast(),
            positions: self.positions.as_raw().cast(),
            indices: self.indices.as_raw().cast(),
            counts: self.counts.as_raw().cast(),
        })
    }
}

impl QueryVariables<'_> {
    /// The launchers' form, its buffers' lengths checked.
    fn as_raw(&self) -> Result<sys::interlock_query, Error> {
        let inputs = self.inputs.as_ref().map_or(Ok(NONE), Variables::as_raw)?;
        Ok(sys::interlock_query { terms: self.lists.as_raw()?, runs: [inputs, self.private.as_raw()?] })
    }

    /// Bytes of scratch that its variables take.
    fn scratch_bytes(&self) -> usize {
        self.inputs.as_ref().map_or(0, Variables::scratch_bytes) + self.private.scratch_bytes()
    }
}

/// No variables.
const NONE: sys::interlock_variables = sys::interlock_variables {
    classes: std::ptr::null(),
    density: std::ptr::null(),
    chunk_starts: std::ptr::null(),
    chunk: 0,
    n: 0,
};

/// Bytes of scratch that [`list`] needs for so many variables of a query.
pub(super) fn run_scratch_bytes(variables: usize) -> usize {
    // SAFETY: it takes a number.
    unsafe { sys::interlock_terms_scratch_bytes(variables) }
}

/// Bytes of scratch that [`list`] needs for these queries.
pub fn terms_scratch_bytes(queries: &[QueryVariables<'_>]) -> usize {
    queries.iter().map(QueryVariables::scratch_bytes).sum()
}

/// Enqueues the listing of the terms of queries, three at most.
///
/// # Errors
/// [`Error::Size`] if a buffer is too short or there are too many queries, and [`Error::Cuda`].
pub fn list(queries: &[QueryVariables<'_>], scratch: &mut DeviceSlice<u8>, stream: &Stream) -> Result<(), Error> {
    at_least("queries at once", sys::INTERLOCK_QUERIES as usize, queries.len())?;
    at_least("scratch", scratch.len(), terms_scratch_bytes(queries))?;
    let queries = queries.iter().map(QueryVariables::as_raw).collect::<Result<Vec<_>, _>>()?;
    // SAFETY: the ranges have the sizes that were checked, and the caller sees to the lists' room.
    check("interlock_terms", unsafe {
        sys::interlock_terms(scratch.as_raw(), queries.as_ptr(), queries.len(), stream.as_raw())
    })
}
