//! The MSM over the coefficients of h, some points at a time.

use std::ops::Range;

use super::engine::Enqueuing;
use super::h_multiples::HMultiples;
use super::msm::msm;
use super::quotient::Coefficients;
use super::results::{Fetching, Layout, Query};
use super::{DeviceSlice, Shape, G1};
use crate::curve::G1Affine;
use crate::error::Error;
use crate::prove::Plan;

/// Which points are worked on together, and what their MSMs leave.
pub(super) struct HParts {
    log2: u32,
    parts: Vec<Part>,
}

struct Part {
    range: Range<usize>,
    shape: Shape,
    /// Its number among the layout's parts, and that of its entry.
    part: usize,
    entry: usize,
}

impl HParts {
    /// Those of a query of 2^`log2` − 1 points, which may have multiples, and whose sums are added to `layout`.
    ///
    /// # Errors
    /// [`Error::Internal`] if the plan leaves a part too little scratch.
    pub(super) fn new(
        log2: u32,
        plan: &Plan,
        multiples: Option<&HMultiples>,
        layout: &mut Layout,
    ) -> Result<Self, Error> {
        let points = (1 << log2) - 1;
        let part = |first| {
            let range = first..points.min(first + plan.h_part_points);
            let shape = match multiples {
                Some(multiples) => multiples.shape(range.len(), plan.scratch_bytes)?,
                None => Shape::within::<G1>(range.len(), plan.scratch_bytes)?,
            };
            Ok(Part { range, shape, part: layout.begin_part(), entry: layout.add(Query::H, Some(shape)) })
        };
        let starts = (0..points).step_by(plan.h_part_points.max(1));
        Ok(Self { log2, parts: starts.map(part).collect::<Result<_, Error>>()? })
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// The points of part `i`.
    pub(super) fn range(&self, i: usize) -> Range<usize> {
        self.parts[i].range.clone()
    }

    /// The most points of a part.
    pub(super) fn longest(&self) -> usize {
        self.parts.iter().map(|part| part.range.len()).max().unwrap_or(0)
    }

    /// Enqueues the MSM of part `i`, whose points are `points`, and the fetching of its sums.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn enqueue(
        &self,
        i: usize,
        points: &DeviceSlice<G1Affine>,
        h: &Coefficients<'_>,
        turn: &mut Enqueuing<'_>,
        (fetching, sums): (&Fetching<'_>, &DeviceSlice<u64>),
    ) -> Result<(), Error> {
        let Part { range, shape, part, entry } = &self.parts[i];
        let terms = h.terms((points, range), self.log2, turn.stream)?;
        msm::<G1>(&mut fetching.layout().of::<G1>(*entry, sums), &terms, *shape, &mut turn.scratch()?, turn.stream)?;
        fetching.fetch(*part, sums, turn.stream)
    }
}
