//! Parameters of few points whose discrete logarithms are known, as a file.

use blst::*;

use super::plan::{Queries, Shape, Singles};
use crate::inputs::Random;
use crate::operations::blst_out;
use crate::scalar::negative;

/// Different points, no two of them opposite.
const TILE: usize = 1024;

/// Which points a query has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// The tile's one after the other, from this one on.
    InTurn(usize),
    /// The first few of the tile in turn: equal points are near each other.
    Few(usize),
    /// The first few of the tile in turn, each followed by its opposite.
    Opposite(usize),
    /// Any of the tile and their opposites.
    Any(u64),
}

impl Pattern {
    /// Any.
    pub fn any(random: &mut Random) -> Self {
        let few = random.pick(&[1, 1, 2, 3, 64]);
        let patterns = [
            Self::InTurn(random.below(TILE)),
            Self::InTurn(random.below(TILE)),
            Self::Few(few),
            Self::Opposite(few),
            Self::Any(random.word()),
        ];
        random.pick(&patterns)
    }

    /// The place of point `i` in the tile.
    fn place(self, i: usize) -> usize {
        match self {
            Self::InTurn(start) => (start + i) % TILE,
            Self::Few(n) => i % n,
            Self::Opposite(n) => i / 2 % n + TILE * (i % 2),
            Self::Any(seed) => Random(seed.wrapping_add(i as u64)).below(2 * TILE),
        }
    }
}

/// Points of both groups with the same logarithms: first different ones, then their opposites.
pub struct Tile {
    g1: Vec<[u8; 96]>,
    g2: Vec<[u8; 192]>,
    logs: Vec<blst_fr>,
}

impl Tile {
    pub fn new() -> Self {
        let random = &mut Random(0);
        let mut logs: Vec<_> = (0..TILE)
            .map(|_| blst_fr { l: [random.word(), random.word(), random.word(), random.word() >> 2] })
            .collect();
        logs.extend_from_within(..);
        logs[TILE..].iter_mut().for_each(|log| *log = negative(log));
        Self {
            g1: logs.iter().map(|log| encoded_g1(&multiple_g1(log))).collect(),
            g2: logs.iter().map(|log| encoded_g2(&multiple_g2(log))).collect(),
            logs,
        }
    }

    /// The logarithm of point `i` of a query.
    pub fn log(&self, pattern: Pattern, i: usize) -> &blst_fr {
        &self.logs[pattern.place(i)]
    }

    /// The parameter file of a shape whose queries have as many points as `counts` says.
    pub fn file(&self, shape: &Shape, counts: &Queries<usize>) -> Vec<u8> {
        let Singles { alpha, beta, beta_g2, gamma, delta } = shape.singles;
        let (patterns, mut file) = (&shape.patterns, Vec::new());
        for single in [self.g1(alpha, 0), self.g1(beta, 0), self.g2(beta_g2, 0), self.g2(gamma, 0)] {
            file.extend_from_slice(single);
        }
        file.extend_from_slice(self.g1(delta, 0));
        file.extend_from_slice(self.g2(delta, 0));
        for (pattern, count) in [
            (patterns.ic, counts.ic),
            (patterns.h, counts.h),
            (patterns.l, counts.l),
            (patterns.a, counts.a),
            (patterns.b_g1, counts.b_g1),
        ] {
            file.extend_from_slice(&(count as u32).to_be_bytes());
            (0..count).for_each(|i| file.extend_from_slice(self.g1(pattern, i)));
        }
        file.extend_from_slice(&(counts.b_g2 as u32).to_be_bytes());
        (0..counts.b_g2).for_each(|i| file.extend_from_slice(self.g2(patterns.b_g2, i)));
        file
    }

    fn g1(&self, pattern: Pattern, i: usize) -> &[u8] {
        &self.g1[pattern.place(i)]
    }

    fn g2(&self, pattern: Pattern, i: usize) -> &[u8] {
        &self.g2[pattern.place(i)]
    }
}

/// The generator of G1 times `log`.
pub fn multiple_g1(log: &blst_fr) -> blst_p1_affine {
    let scalar = blst_out!(blst_scalar, blst_scalar_from_fr(log));
    let point = blst_out!(blst_p1, blst_p1_mult(blst_p1_generator(), scalar.b.as_ptr(), 255));
    blst_out!(blst_p1_affine, blst_p1_to_affine(&point))
}

/// The generator of G2 times `log`.
pub fn multiple_g2(log: &blst_fr) -> blst_p2_affine {
    let scalar = blst_out!(blst_scalar, blst_scalar_from_fr(log));
    let point = blst_out!(blst_p2, blst_p2_mult(blst_p2_generator(), scalar.b.as_ptr(), 255));
    blst_out!(blst_p2_affine, blst_p2_to_affine(&point))
}

fn encoded_g1(point: &blst_p1_affine) -> [u8; 96] {
    let mut bytes = [0; 96];
    // SAFETY: 96 bytes are written, one point is read.
    unsafe { blst_p1_affine_serialize(bytes.as_mut_ptr(), point) };
    bytes
}

fn encoded_g2(point: &blst_p2_affine) -> [u8; 192] {
    let mut bytes = [0; 192];
    // SAFETY: 192 bytes are written, one point is read.
    unsafe { blst_p2_affine_serialize(bytes.as_mut_ptr(), point) };
    bytes
}
