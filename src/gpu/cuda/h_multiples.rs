//! Multiples of the points of h, with which the windows of the MSM over h share buckets: see `cuda/msm/msm.cuh`.

use super::msm::multiply_points;
use super::worker::Worker;
use super::{DeviceSlice, Shape};
use crate::curve::G1Affine;
use crate::error::Error;
use crate::params::Counts;
use crate::prove::plan::scratch::Multiples;
use crate::prove::{Residence, Sizes};
use crate::settings;
use crate::trace::span;

/// Tables of points, one after the other: those of the query, and their multiples.
#[derive(Debug)]
pub(super) struct HMultiples {
    points: DeviceSlice<G1Affine>,
    /// How long a table is.
    stride: usize,
    multiples: Multiples,
}

impl HMultiples {
    /// Which ones circuits with queries of these lengths are to have: those that are asked for, and for which there is room that proofs would not be
    /// faster with.
    ///
    /// # Errors
    /// [`Error::Setting`] if it is not clear whether they are asked for.
    pub(super) fn chosen(engine: &Worker<'_>, counts: &Counts) -> Result<Option<Multiples>, Error> {
        if !settings::h_multiples()? {
            return Ok(None);
        }
        let sizes = Sizes::from(counts);
        let (division, resident) = (engine.division(), Residence::Resident);
        let room = engine.memory().shortfall(0).largest.saturating_sub(sizes.resident_bytes(resident));
        // No more than a plan says.
        let most = sizes.room_alone(resident, division).unwrap_or(0);
        Ok(sizes.h_multiples(division, room.min(most)))
    }

    /// With memory for all tables.
    pub(super) fn new(points: DeviceSlice<G1Affine>, multiples: Multiples) -> Self {
        Self { stride: points.len() / multiples.tables(), points, multiples }
    }

    /// Makes all tables from the first. What is enqueued for that is over on return, unless there is an error.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn fill(&self, engine: &Worker<'_>) -> Result<(), Error> {
        let _making = span(c"multiples of h");
        let table = |i: usize| self.points.range(i * self.stride..(i + 1) * self.stride);
        let mut last = None;
        for i in 1..self.multiples.tables() {
            // A turn for each, so that proofs come between.
            let mut turn = engine.enqueue(c"multiples of h")?;
            let mut scratch = turn.scratch()?;
            multiply_points(&table(i), &table(i - 1), self.multiples.doublings(), &mut scratch, turn.stream)?;
            last = Some(turn.until()?);
        }
        last.map_or(Ok(()), |until| until.event().synchronize())
    }

    /// The points of the query from number `first` on, which their multiples follow.
    pub(super) fn from(&self, first: usize) -> DeviceSlice<G1Affine> {
        self.points.range(first..self.points.len())
    }

    /// How MSMs of up to `len` terms use them.
    ///
    /// # Errors
    /// As [`Shape::within`].
    pub(super) fn shape(&self, len: usize, scratch: usize) -> Result<Shape, Error> {
        Shape::sharing(&self.multiples, len, self.stride, scratch)
    }
}
