//! Number-theoretic transforms over a domain of 2^k points.
//!
//! Both directions split by blocks: with w a primitive m-th root of unity, layer ℓ works on 2^ℓ blocks and uses one
//! twiddle per block, w^±rev(block), so a single table in bit-reversed order serves every layer and both directions.
//! [`Domain::inverse`] goes from natural to bit-reversed order, [`Domain::forward`] back: nothing is ever reordered.
//!
//! The last layers work on contiguous blocks that stay in the L2 cache. The layers before them are taken several at a time:
//! a tile of equally spaced rows is copied into a small buffer, transformed there and copied back. In such a tile
//! a layer's blocks lie just as they do in a contiguous block, so that one kernel a direction does for both.

use std::marker::PhantomData;

use rayon::prelude::*;

use super::scalar::{butterfly, from_u64, inverse, inverse_butterfly, mul, multiply, pow, sum_and_difference};
use crate::curve::{Fr, FR_MODULUS, FR_ONE};
use crate::error::{self, Error};

/// The multiplicative generator of the scalar field whose coset the quotient is computed on, and whose power w is.
pub(super) const GENERATOR: u64 = 7;
/// log2 of the largest domain.
pub(super) const MAX_LOG2: u32 = 32;

/// log2 of a contiguous block: 128 KiB, so that a block and its twiddles fit in 512 KiB of L2.
const BLOCK_LOG2: u32 = 12;
/// The most layers that one pass over tiles takes.
const TILE_LAYERS: u32 = 8;
/// Columns of a tile: 256 contiguous bytes a row.
const TILE_COLUMNS: usize = 8;

/// A domain of 2^k points and its twiddles.
pub(super) struct Domain {
    log2: u32,
    /// w^rev(i) for i < m / 2, rev reversing k − 1 bits. 16 bytes a point of the domain.
    twiddles: Vec<Fr>,
}

/// Layers that one pass over tiles takes: `layers` of them, the first of which has 2^first blocks.
#[derive(Clone, Copy, Debug)]
struct Pass {
    first: u32,
    layers: u32,
}

impl Domain {
    /// The domain of 2^`log2` points. Runs on the current rayon pool.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; [`Error::Size`] if the scalar field has no such domain.
    pub(super) fn new(log2: u32) -> Result<Self, Error> {
        if log2 > MAX_LOG2 {
            return Err(Error::Size {
                field: "log2 of the domain".to_owned(),
                found: log2 as usize,
                expected: format!("the scalar field has roots of unity for 2^{MAX_LOG2} points at most"),
            });
        }
        let half = (1usize << log2) / 2;
        let mut twiddles = error::try_with_capacity(half, "NTT twiddles")?;
        twiddles.resize(half, FR_ONE);
        let root = root_of_unity(log2);
        // Entries 2^s .. 2^(s+1) are the ones before them, times w^rev(2^s).
        for s in 0..log2.saturating_sub(1) {
            let factor = pow(&root, &[1 << (log2 - 2 - s)]);
            let (done, rest) = twiddles.split_at_mut(1 << s);
            rest[..1 << s]
                .par_iter_mut()
                .zip(done.par_iter())
                .with_min_len(1 << BLOCK_LOG2)
                .for_each(|(new, old)| *new = mul(old, &factor));
        }
        Ok(Self { log2, twiddles })
    }

    /// Number of points.
    pub(super) fn size(&self) -> usize {
        1 << self.log2
    }

    /// log2 of the number of points.
    pub(super) fn log2(&self) -> u32 {
        self.log2
    }

    /// From evaluations in natural order to m times the coefficients in bit-reversed order; `then` sees each contiguous
    /// block of those, with the position of its first element, while it is in the cache.
    pub(super) fn inverse(&self, values: &mut [Fr], then: impl Fn(&mut [Fr], usize) + Sync) {
        for pass in self.passes() {
            self.inverse_pass(values, pass);
        }
        self.inverse_blocks(values, then);
    }

    /// Two vectors of coefficients in bit-reversed order, the product of whose evaluations goes back through
    /// [`Domain::inverse`] into `x`. `y` is destroyed. The last pass of one direction and the first
    /// of the other work on the same tiles, as one.
    pub(super) fn inverse_of_product(&self, x: &mut [Fr], y: &mut [Fr], then: impl Fn(&mut [Fr], usize) + Sync) {
        let mut passes = self.passes();
        self.forward_blocks(x);
        self.forward_blocks(y);
        if passes.is_empty() {
            multiply_each(x, y);
        } else {
            let outer = passes.remove(0);
            for &pass in passes.iter().rev() {
                self.forward_pass(x, pass);
                self.forward_pass(y, pass);
            }
            self.product_pass(x, y, outer);
            for &pass in &passes {
                self.inverse_pass(x, pass);
            }
        }
        self.inverse_blocks(x, then);
    }

    fn block_log2(&self) -> u32 {
        self.log2.min(BLOCK_LOG2)
    }

    /// The passes over tiles, the one of the largest blocks first; about equally many layers each.
    fn passes(&self) -> Vec<Pass> {
        let layers = self.log2 - self.block_log2();
        let count = layers.div_ceil(TILE_LAYERS);
        let bound = |i: u32| layers * i / count;
        (0..count).map(|i| Pass { first: bound(i), layers: bound(i + 1) - bound(i) }).collect()
    }

    fn inverse_blocks(&self, values: &mut [Fr], then: impl Fn(&mut [Fr], usize) + Sync) {
        let size = 1 << self.block_log2();
        values.par_chunks_exact_mut(size).enumerate().for_each(|(i, block)| {
            self.inverse_layers(block, i, self.block_log2());
            then(block, i * size);
        });
    }

    fn forward_blocks(&self, values: &mut [Fr]) {
        let size = 1 << self.block_log2();
        values
            .par_chunks_exact_mut(size)
            .enumerate()
            .for_each(|(i, block)| self.forward_layers(block, i, self.block_log2()));
    }

    fn inverse_pass(&self, values: &mut [Fr], pass: Pass) {
        for_each_tile([values], pass, |[tile], block| self.inverse_layers(tile, block, pass.layers));
    }

    fn forward_pass(&self, values: &mut [Fr], pass: Pass) {
        for_each_tile([values], pass, |[tile], block| self.forward_layers(tile, block, pass.layers));
    }

    fn product_pass(&self, x: &mut [Fr], y: &mut [Fr], pass: Pass) {
        for_each_tile([x, y], pass, |[x, y], block| {
            self.forward_layers(x, block, pass.layers);
            self.forward_layers(y, block, pass.layers);
            multiply_each(x, y);
            self.inverse_layers(x, block, pass.layers);
        });
    }

    /// Layers of the inverse transform on `values`, which are block `block` of the first of them.
    fn inverse_layers(&self, values: &mut [Fr], block: usize, layers: u32) {
        for layer in 0..layers {
            let size = values.len() >> layer;
            for (i, pair) in values.chunks_exact_mut(size).enumerate() {
                let (low, high) = pair.split_at_mut(size / 2);
                match (block << layer) | i {
                    0 => low.iter_mut().zip(high).for_each(|(x, y)| sum_and_difference(x, y)),
                    // 1/w^rev(i) = −w^(m/2 − rev(i)), which is the entry with the bits below the top one flipped.
                    i => {
                        let twiddle = &self.twiddles[i ^ ((1 << i.ilog2()) - 1)];
                        low.iter_mut().zip(high).for_each(|(x, y)| butterfly(x, y, twiddle));
                    }
                }
            }
        }
    }

    /// Layers of the forward transform on `values`, which are block `block` of the last of them.
    fn forward_layers(&self, values: &mut [Fr], block: usize, layers: u32) {
        for layer in (0..layers).rev() {
            let size = values.len() >> layer;
            for (i, pair) in values.chunks_exact_mut(size).enumerate() {
                let (low, high) = pair.split_at_mut(size / 2);
                match (block << layer) | i {
                    0 => low.iter_mut().zip(high).for_each(|(x, y)| sum_and_difference(x, y)),
                    i => {
                        let twiddle = &self.twiddles[i];
                        low.iter_mut().zip(high).for_each(|(x, y)| inverse_butterfly(x, y, twiddle));
                    }
                }
            }
        }
    }
}

fn multiply_each(x: &mut [Fr], y: &[Fr]) {
    x.iter_mut().zip(y).for_each(|(x, y)| multiply(x, y));
}

/// A primitive root of unity of order 2^`log2`.
fn root_of_unity(log2: u32) -> Fr {
    // r − 1 = 2^32 · t with t odd: limbs of (r − 1) / 2^32.
    let limb = |i: usize| FR_MODULUS[i] >> 32 | FR_MODULUS.get(i + 1).unwrap_or(&0) << 32;
    let mut root = pow(&from_u64(GENERATOR), &[limb(0), limb(1), limb(2), limb(3)]);
    for _ in log2..MAX_LOG2 {
        root = mul(&root, &root);
    }
    root
}

/// Runs `work` on every tile of a pass over `vectors` of one length, in parallel. A block of the pass's first layer is a
/// matrix of 2^layers rows, and a tile is [`TILE_COLUMNS`] neighbouring columns of it; `work` is given the tile of each
/// vector, row by row, and the block's number, and what it leaves there goes back.
fn for_each_tile<const N: usize>(vectors: [&mut [Fr]; N], pass: Pass, work: impl Fn([&mut [Fr]; N], usize) + Sync) {
    let grids = vectors.map(|vector| Grid::new(vector, pass));
    let tiles = grids[0].row / TILE_COLUMNS;
    let size = TILE_COLUMNS << pass.layers;
    (0..tiles << pass.first).into_par_iter().for_each_init(
        || std::array::from_fn::<_, N, _>(|_| vec![Fr::default(); size]),
        |buffers, i| {
            let (block, column) = (i / tiles, i % tiles * TILE_COLUMNS);
            for (grid, buffer) in grids.iter().zip(buffers.iter_mut()) {
                // SAFETY: each (block, column) is one task's, and different ones share no element.
                unsafe { grid.copy(block, column, buffer, |inside, tile| inside.copy_to(tile, TILE_COLUMNS)) };
            }
            work(buffers.each_mut().map(|buffer| &mut buffer[..]), block);
            for (grid, buffer) in grids.iter().zip(buffers.iter_mut()) {
                // SAFETY: as above.
                unsafe { grid.copy(block, column, buffer, |inside, tile| inside.copy_from(tile, TILE_COLUMNS)) };
            }
        },
    );
}

/// A vector that tasks take tiles from.
struct Grid<'a> {
    start: *mut Fr,
    len: usize,
    block: usize,
    row: usize,
    vector: PhantomData<&'a mut [Fr]>,
}

// SAFETY: the only use of a shared grid is the unsafe `copy`, whose callers keep tasks apart.
unsafe impl Sync for Grid<'_> {}

impl<'a> Grid<'a> {
    fn new(vector: &'a mut [Fr], pass: Pass) -> Self {
        let block = vector.len() >> pass.first;
        let row = block >> pass.layers;
        assert!(row >= TILE_COLUMNS, "a pass leaves rows of {row} elements");
        Self { start: vector.as_mut_ptr(), len: vector.len(), block, row, vector: PhantomData }
    }

    /// Calls `copy` with the address of each row of a tile in the vector and in `tile`, [`TILE_COLUMNS`] elements each.
    ///
    /// # Safety
    /// No other thread may touch those elements of the vector meanwhile.
    unsafe fn copy(&self, block: usize, column: usize, tile: &mut [Fr], copy: impl Fn(*mut Fr, *mut Fr)) {
        let first = block * self.block + column;
        let rows = tile.chunks_exact_mut(TILE_COLUMNS);
        assert!(first + (rows.len() - 1) * self.row + TILE_COLUMNS <= self.len);
        for (i, row) in rows.enumerate() {
            // SAFETY: the last row's last element is inside the vector, as just checked.
            copy(unsafe { self.start.add(first + i * self.row) }, row.as_mut_ptr());
        }
    }
}

/// Powers of a scalar in bit-reversed order: x^rev(i), rev reversing k bits, for a whole domain from two small tables.
pub(super) struct Powers {
    /// x^rev(i) for i < 2^b.
    low: Vec<Fr>,
    /// scale · x^rev(i·2^b).
    high: Vec<Fr>,
}

impl Powers {
    /// scale · x^rev(i) for the positions i of `domain`.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub(super) fn new(x: &Fr, scale: &Fr, domain: &Domain) -> Result<Self, Error> {
        let (log2, block) = (domain.log2, domain.block_log2());
        let low = Self::table(*x, log2 - block, block, FR_ONE)?;
        let high = Self::table(*x, 0, log2 - block, *scale)?;
        Ok(Self { low, high })
    }

    /// scale · x^(2^shift · rev(i)) for i < 2^bits.
    fn table(x: Fr, shift: u32, bits: u32, scale: Fr) -> Result<Vec<Fr>, Error> {
        let mut table = error::try_with_capacity(1 << bits, "coset powers")?;
        table.push(scale);
        for i in 0..bits {
            let factor = pow(&x, &[1 << (shift + bits - 1 - i)]);
            table.extend_from_within(..);
            table[1 << i..].iter_mut().for_each(|y| multiply(y, &factor));
        }
        Ok(table)
    }

    /// The factors of a contiguous block, as given to the `then` of [`Domain::inverse`]: for all of it, and for each element.
    pub(super) fn of_block(&self, position: usize) -> (Fr, &[Fr]) {
        (self.high[position / self.low.len()], &self.low)
    }
}

/// 1 / 2^`log2`.
pub(super) fn inverse_of_size(log2: u32) -> Fr {
    inverse(&from_u64(1 << log2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::random::Random;
    use crate::cpu::scalar::{add, sub};

    fn reverse(i: usize, log2: u32) -> usize {
        if log2 == 0 {
            0
        } else {
            i.reverse_bits() >> (usize::BITS - log2)
        }
    }

    fn evaluate(coefficients: &[Fr], x: &Fr) -> Fr {
        coefficients.iter().rev().fold(Fr::default(), |sum, c| add(&mul(&sum, x), c))
    }

    #[test]
    fn roots_have_their_order() {
        for log2 in 1..=MAX_LOG2 {
            let root = root_of_unity(log2);
            assert_eq!(pow(&root, &[1 << log2]), FR_ONE);
            assert_eq!(pow(&root, &[1 << (log2 - 1)]), sub(&Fr::default(), &FR_ONE));
        }
        assert!(Domain::new(33).is_err());
    }

    #[test]
    fn inverse_interpolates() {
        let mut random = Random::new(1);
        for log2 in 0..=6 {
            let domain = Domain::new(log2).unwrap();
            let values = random.scalars(1 << log2);
            let mut transformed = values.clone();
            domain.inverse(&mut transformed, |_, _| {});
            let scale = inverse_of_size(log2);
            let coefficients: Vec<Fr> = (0..1 << log2).map(|i| mul(&transformed[reverse(i, log2)], &scale)).collect();
            for (i, value) in values.iter().enumerate() {
                assert_eq!(evaluate(&coefficients, &pow(&root_of_unity(log2), &[i as u64])), *value, "2^{log2}");
            }
        }
    }

    /// (x·y)(w^i) through the transforms: with y the constant 1, the product is x, whatever the domain's size.
    #[test]
    fn forward_undoes_inverse() {
        let mut random = Random::new(2);
        for log2 in [0, 1, 5, 11, 12, 13, 14, 17] {
            let m = 1usize << log2;
            let domain = Domain::new(log2).unwrap();
            let mut x = random.scalars(m);
            let before = x.clone();
            let mut one = vec![Fr::default(); m];
            one[0] = FR_ONE;
            domain.inverse_of_product(&mut x, &mut one, |_, _| {});
            let scale = inverse_of_size(log2);
            assert!(x.iter().zip(&before).all(|(x, b)| mul(x, &scale) == *b), "2^{log2}");
        }
    }

    /// Squaring a polynomial of small degree through passes over tiles, against the coefficients of its square.
    #[test]
    fn products_are_products() {
        let mut random = Random::new(3);
        for log2 in [3, 12, 15, 21] {
            let domain = Domain::new(log2).unwrap();
            let (p, q) = (random.scalars(4), random.scalars(3));
            let place = |coefficients: &[Fr]| {
                let mut out = vec![Fr::default(); domain.size()];
                coefficients.iter().enumerate().for_each(|(i, c)| out[reverse(i, log2)] = *c);
                out
            };
            let (mut x, mut y) = (place(&p), place(&q));
            domain.inverse_of_product(&mut x, &mut y, |_, _| {});
            let mut expected = [Fr::default(); 8];
            for (i, p) in p.iter().enumerate() {
                for (j, q) in q.iter().enumerate() {
                    expected[i + j] = add(&expected[i + j], &mul(p, q));
                }
            }
            let scale = inverse_of_size(log2);
            for i in 0..domain.size() {
                let expected = expected.get(i).copied().unwrap_or_default();
                assert_eq!(mul(&x[reverse(i, log2)], &scale), expected, "2^{log2}, {i}");
            }
        }
    }

    #[test]
    fn powers_are_powers() {
        let mut random = Random::new(4);
        let x = random.scalar();
        for log2 in [0, 3, 14] {
            let domain = Domain::new(log2).unwrap();
            let powers = Powers::new(&x, &from_u64(5), &domain).unwrap();
            for i in (0..domain.size()).step_by(7) {
                let (high, low) = powers.of_block(i);
                let expected = mul(&from_u64(5), &pow(&x, &[reverse(i, log2) as u64]));
                assert_eq!(mul(&high, &low[i % low.len()]), expected);
            }
        }
    }
}
