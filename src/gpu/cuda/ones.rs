//! Sums of points whose scalars are 1, of several queries at once and part by part: accumulators take what each part adds.

use super::msm::{address, at_least, count_address};
use super::{status::check, DeviceSlice, Group, Stream};
use crate::error::Error;
use crate::sys::{self, INTERLOCK_SUM_BLOCK, INTERLOCK_SUM_QUERIES};

/// Queries whose points are added at once, at most.
const MOST_QUERIES: usize = INTERLOCK_SUM_QUERIES as usize;

/// The points of a query that are added.
#[derive(Debug)]
pub struct SumTerms<'a, G: Group> {
    /// The points, in Montgomery form.
    pub points: &'a DeviceSlice<G::Affine>,
    /// The positions in `points` of those that are added; none means the first `len`.
    pub positions: Option<&'a DeviceSlice<u32>>,
    /// How many there are, at most if there is a count.
    pub len: usize,
    /// A word on the device, by its place in the buffer, that says how many count.
    pub count: Option<(&'a DeviceSlice<u32>, usize)>,
}

impl<G: Group> SumTerms<'_, G> {
    /// The launchers' form, its buffers' lengths checked.
    fn as_raw(&self) -> Result<sys::interlock_sum_terms, Error> {
        at_least("positions", self.positions.map_or(self.points.len(), |positions| positions.len()), self.len)?;
        let (points, positions) = (self.points.as_raw().cast_const(), address(self.positions));
        Ok(sys::interlock_sum_terms { points, positions, count: count_address(self.count)?, n: self.len })
    }
}

/// Sums that grow, some for each query.
#[derive(Debug)]
pub struct Accumulators<G: Group> {
    sums: DeviceSlice<G::Sum>,
    queries: usize,
    blocks: usize,
}

impl<G: Group> Accumulators<G> {
    /// How many sums so many queries take that have so many blocks of threads each.
    pub const fn sums(queries: usize, blocks: usize) -> usize {
        queries * blocks * INTERLOCK_SUM_BLOCK as usize
    }

    /// Those of so many queries in `sums`, of which there are [`Accumulators::sums`].
    ///
    /// # Errors
    /// [`Error::Size`] if there are fewer, and if there are too many queries.
    pub fn new(sums: DeviceSlice<G::Sum>, queries: usize, blocks: usize) -> Result<Self, Error> {
        at_least("accumulators", sums.len(), Self::sums(queries, blocks.max(1)))?;
        at_least("queries at once", MOST_QUERIES, queries)?;
        Ok(Self { sums, queries, blocks })
    }

    /// Enqueues the emptying of all.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn clear(&self, stream: &Stream) -> Result<(), Error> {
        self.sums.clear(stream)
    }

    /// Enqueues the adding of points, those of the first query first.
    ///
    /// # Errors
    /// [`Error::Size`] if a buffer is too short or there are more queries than these are for, and [`Error::Cuda`].
    pub fn add(&self, terms: &[SumTerms<'_, G>], stream: &Stream) -> Result<(), Error> {
        at_least("queries", self.queries, terms.len())?;
        let terms = terms.iter().map(SumTerms::as_raw).collect::<Result<Vec<_>, Error>>()?;
        // SAFETY: the ranges have the sizes that were checked, aligned as points and sums are.
        check("interlock_sum", unsafe { G::sum(self.sums.as_raw(), self.blocks as u32, &terms, stream.as_raw()) })
    }

    /// Bytes of scratch that [`Accumulators::total`] takes.
    pub fn total_scratch(&self) -> usize {
        self.queries * self.blocks * size_of::<G::Sum>()
    }

    /// Enqueues the making of each query's sum.
    ///
    /// # Errors
    /// [`Error::Size`] if a buffer is too short, and [`Error::Cuda`].
    pub fn total(
        &self,
        sums: &mut DeviceSlice<G::Sum>,
        scratch: &mut DeviceSlice<u8>,
        stream: &Stream,
    ) -> Result<(), Error> {
        at_least("sums", sums.len(), self.queries)?;
        at_least("scratch", scratch.len(), self.total_scratch())?;
        let (queries, blocks) = (self.queries as u32, self.blocks as u32);
        // SAFETY: as above.
        check("interlock_total", unsafe {
            G::total(scratch.as_raw(), sums.as_raw(), self.sums.as_raw(), blocks, queries, stream.as_raw())
        })
    }
}
