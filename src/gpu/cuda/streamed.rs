//! The work of circuits on a device that has no room for their parameters: these pass by, part by part, from pinned host memory, while
//! kernels work on the parts before. Every part serves all circuits that are held at a time.

use std::ops::Range;

use super::circuit::Circuit;
use super::decode::{decode, Faults, Run};
use super::engine::{Engine, Enqueuing};
use super::lease::{room_for, Lease, Until};
use super::msm::{msm, msm_scratch_bytes, Scalars, Shape, Terms};
use super::quotient::Quotient;
use super::raw::Raw;
use super::results::{Layout, Query, Results};
use super::witness::{Classified, OnDevice, Part, PartPoints};
use super::{DeviceSlice, Event, Group, Stream, G1, G2};
use crate::curve::{Fr, G1Affine};
use crate::error::Error;
use crate::params;

/// Slots for parts on the device: one is worked on, one is full, one is filled.
const SLOTS: usize = 3;

/// How the parameters are cut, the same for all circuits.
pub(super) struct Cut {
    /// Points of `h` a part.
    h: Vec<Range<usize>>,
    /// Variables a part.
    witness: Vec<Part>,
    /// The points of `a` and `b` of each of these.
    points: Vec<[Range<usize>; 2]>,
    slot: usize,
}
