//! The MSM over the coefficients of h while its query passes by: buckets stay, and take the terms of part after part.

use std::ops::Range;

use super::aside::Aside;
use super::engine::Enqueuing;
use super::lease::{room_for, Region, Until};
use super::msm::{fill, reduce, Bucket};
use super::quotient::Coefficients;
use super::results::{Fetching, Layout, Query};
use super::worker::Worker;
use super::{DeviceSlice, Event, Shape, G1};
use crate::curve::G1Affine;
use crate::error::Error;
use crate::prove::plan::scratch::InParts;
use crate::prove::Plan;
use crate::trace;

/// Which points pass together, and what is left of them.
pub(super) struct HPassing {
    log2: u32,
    part: usize,
    shape: Shape,
    /// Their number among the layout's parts, and that of their entry, if there are points.
    sums: Option<(usize, usize)>,
}

impl HPassing {
    /// Those of a query of 2^`log2` − 1 points, whose sums are added to `layout`. Its buckets take what is theirs of `held` bytes.
    ///
    /// # Errors
    /// [`Error::Internal`] if the plan leaves too little.
    pub(super) fn new(log2: u32, plan: &Plan, held: usize, layout: &mut Layout) -> Result<Self, Error> {
        let in_parts = Self::planned(log2, plan, held);
        let in_parts = in_parts.ok_or_else(|| Error::Internal { what: format!("{held} bytes for buckets") })?;
        let shape = Shape::of(&in_parts.windows);
        let sums = (log2 > 0).then(|| (layout.begin_part(), layout.add(Query::H, Some(shape))));
        Ok(Self { log2, part: plan.h_part_points.max(1), shape, sums })
    }

    /// Bytes of the buckets, of `held` bytes, if there can be any.
    pub(super) fn room(log2: u32, plan: &Plan, held: usize) -> Option<usize> {
        Self::planned(log2, plan, held).map(|in_parts| room_for::<u8>(in_parts.bucket_bytes))
    }

    fn planned(log2: u32, plan: &Plan, held: usize) -> Option<InParts> {
        InParts::fastest((1 << log2) - 1, plan.h_part_points, plan.bucket_bytes(held), plan.scratch_bytes)
    }

    /// Takes the buckets from `region`.
    pub(super) fn buckets(&self, region: &mut Region) -> DeviceSlice<Bucket> {
        region.take(self.shape.buckets())
    }

    /// How many parts there are.
    pub(super) fn parts(&self) -> usize {
        self.points().div_ceil(self.part)
    }

    /// The points of part `i`.
    pub(super) fn range(&self, i: usize) -> Range<usize> {
        i * self.part..self.points().min((i + 1) * self.part)
    }

    fn points(&self) -> usize {
        (1 << self.log2) - 1
    }

    /// Enqueues the adding of part `i` to the buckets, behind `made` and `copied`, and returns the end of this.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn enqueue(
        &self,
        i: usize,
        (points, copied): (&DeviceSlice<G1Affine>, &Event),
        (h, made): (&Coefficients<'_>, &Event),
        buckets: &DeviceSlice<Bucket>,
        (engine, turn): (&Worker<'_>, &mut Enqueuing<'_>),
    ) -> Result<Until, Error> {
        let range = self.range(i);
        if h.ordered.is_some() {
            // Where they are put in order is what the part before reads.
            engine.scratch_uses().wait_for_aside(turn.stream)?;
            turn.stream.wait_for(made)?;
        }
        let terms = h.terms((points, &range), self.log2, turn.stream)?;
        let ordered = h.ordered.is_some().then(|| Event::record(turn.stream)).transpose()?;
        let mut aside = Aside::new(engine, turn, [made, copied].into_iter().chain(&ordered))?;
        if i == 0 {
            // What was there before was of a pass whose last turn wanted scratch, for which this stream waits; or of one that failed, for all of which the
            // copy of these points waited for.
            buckets.clear(aside.stream)?;
        }
        engine.timeline().traced(c"h MSM, a part", (trace::Stream::Aside, aside.stream), 0, || {
            fill(buckets, &terms, self.shape, &mut aside.scratch, aside.stream)
        })?;
        aside.until()
    }

    /// Enqueues what makes sums of the buckets when all parts are there, and their fetching.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn finish(
        &self,
        buckets: &DeviceSlice<Bucket>,
        turn: &mut Enqueuing<'_>,
        (fetching, sums): (&Fetching<'_>, &DeviceSlice<u64>),
    ) -> Result<(), Error> {
        let Some((number, entry)) = self.sums else { return Ok(()) };
        let mut of_h = fetching.layout().of::<G1>(entry, sums);
        reduce(&mut of_h, buckets, self.shape, &mut turn.scratch()?, turn.stream)?;
        fetching.fetch(number, sums, turn.stream)
    }
}
