//! What variables of a witness take: points, terms, and bytes on the device.

use super::classes::{Counts, CHUNK};
use super::lease::room_for;
use super::section::lists_bytes;
use super::terms::run_scratch_bytes;
use crate::curve::{Fr, G1Affine, G2Affine};

/// What some variables take.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    pub(super) inputs: usize,
    pub(super) aux: usize,
    /// Those that are full-size.
    pub(super) full: usize,
    /// Points of `l`, `a` and each `b`.
    pub(super) points: [usize; 3],
    /// The terms that these queries have.
    pub(super) terms: [Counts; 3],
}

impl Load {
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            inputs: self.inputs + other.inputs,
            aux: self.aux + other.aux,
            full: self.full + other.full,
            points: [0, 1, 2].map(|i| self.points[i] + other.points[i]),
            terms: [0, 1, 2].map(|i| self.terms[i].and(other.terms[i])),
        }
    }

    /// Bytes on the device of what is sent: scalars, classes and densities.
    pub(super) fn sent_room(&self) -> usize {
        let of =
            |variables: usize| room_for::<u64>(variables.div_ceil(32)) + room_for::<u32>(variables.div_ceil(CHUNK));
        of(self.inputs)
            + of(self.aux)
            + room_for::<Fr>(self.full)
            + room_for::<u64>(self.inputs.div_ceil(64))
            + 2 * room_for::<u64>(self.aux.div_ceil(64))
    }

    /// Bytes on the device of lists, and of what making them takes.
    pub(super) fn lists_room(&self) -> usize {
        self.terms.iter().map(lists_bytes).sum::<usize>() + self.listing_room()
    }

    /// Bytes of scratch for the making of its lists.
    pub(super) fn listing_room(&self) -> usize {
        room_for::<u8>(2 * run_scratch_bytes(self.inputs) + 3 * run_scratch_bytes(self.aux))
    }

    /// Bytes of all that.
    pub(super) fn room(&self) -> usize {
        self.sent_room() + self.lists_room()
    }

    /// Whether it is a part of so many bytes at most, and twice as many are enough for two parts that are sent and the lists of a third,
    /// if each is.
    pub(super) fn is_part_of(&self, bytes: usize) -> bool {
        self.room() <= bytes && self.sent_room() <= bytes / 8 * 5 && self.lists_room() <= bytes / 4 * 3
    }

    /// Bytes of the points.
    pub(super) fn points_bytes(&self) -> usize {
        let [.., b] = self.points;
        self.points.map(room_for::<G1Affine>).iter().sum::<usize>() + room_for::<G2Affine>(b)
    }

    /// Whether no query has more full-size terms than so many in G1, and in G2.
    pub(super) fn has_at_most(&self, [in_g1, in_g2]: [usize; 2]) -> bool {
        let [l, a, b] = self.terms.map(|terms| terms.full);
        l.max(a).max(b) <= in_g1 && b <= in_g2
    }

    /// Whether no query has more points than that, whatever their scalars are.
    pub(super) fn has_points_at_most(&self, [in_g1, in_g2]: [usize; 2]) -> bool {
        let [l, a, b] = self.points;
        l.max(a).max(b) <= in_g1 && b <= in_g2
    }
}
