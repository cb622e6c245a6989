//! Vectors of scalars as they are sent: pieces of classes and full-size scalars, side by side in a slot.
//!
//! A slot is counted in units of 32 bytes. First comes a table of the units at which the pieces begin, then the pieces, each
//! its words of classes and then its full-size scalars. Every task fills a part of the slot by itself, with one piece after the
//! other, so that pieces are in no order.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::classes::{classify, PER_WORD};
use crate::curve::Fr;
use crate::sys::INTERLOCK_EXPAND_PIECE;

/// Scalars of a piece.
pub(super) const PIECE: usize = INTERLOCK_EXPAND_PIECE as usize;
const WORDS: usize = PIECE / PER_WORD;
const WORDS_A_UNIT: usize = 4;
/// Units of a piece's classes, and of a piece at most.
const HEAD: usize = WORDS / WORDS_A_UNIT;
const MOST: usize = HEAD + PIECE;
/// Pieces a slot has at most, 2^23 scalars: what little a slot then holds is sent before all of a vector is read.
const TABLE: usize = 4096;
const PLACES_A_UNIT: usize = 8;

/// What [`pack`] has done.
#[derive(Debug)]
pub(super) struct Packed {
    /// How many pieces, the first ones, are in the slot.
    pub(super) pieces: usize,
    /// The units of the slot that hold something, ascending.
    pub(super) spans: Vec<Range<usize>>,
}

/// Packs as many of the first pieces of `scalars` as find room in `slot`, one at least, or returns the index of the first scalar
/// among them that is not below the group order. All threads of the current pool take part.
pub(super) fn pack(scalars: &[Fr], slot: &mut [Fr]) -> Result<Packed, usize> {
    let (table, room) = slot.split_at_mut(TABLE / PLACES_A_UNIT);
    let pieces = scalars.len().div_ceil(PIECE).min(TABLE);
    let tasks = rayon::current_num_threads().min(pieces).min(room.len() / MOST).max(1);
    let part = room.len() / tasks;
    let next = AtomicUsize::new(0);
    let fill = |room: &mut [Fr]| fill(scalars, pieces, &next, room);
    let parts: Vec<Filled> = room.par_chunks_mut(part).with_max_len(1).map(fill).collect();
    if let Some(index) = parts.iter().filter_map(|filled| filled.fault).min() {
        return Err(index);
    }
    let start = |number: usize| TABLE / PLACES_A_UNIT + number * part;
    for (number, filled) in parts.iter().enumerate() {
        for (piece, place) in &filled.places {
            set_place(table, *piece, (start(number) + place) as u32);
        }
    }
    let filled = parts.iter().enumerate().map(|(number, filled)| start(number)..start(number) + filled.units);
    Ok(Packed { pieces: next.into_inner().min(pieces), spans: join(std::iter::once(0..start(0)).chain(filled)) })
}

/// A part of a slot.
struct Filled {
    /// The pieces in it, and the units at which they begin.
    places: Vec<(usize, usize)>,
    units: usize,
    /// The index of a scalar that is none: the first of those that this task saw.
    fault: Option<usize>,
}

/// Fills a part of the slot with the next pieces, while there is room for any. Pieces are begun in order, and finished: so the
/// least of all tasks' faults is the first of all.
fn fill(scalars: &[Fr], pieces: usize, next: &AtomicUsize, room: &mut [Fr]) -> Filled {
    let mut filled = Filled { places: Vec::new(), units: 0, fault: None };
    while room.len() - filled.units >= MOST {
        let piece = next.fetch_add(1, Ordering::Relaxed);
        if piece >= pieces {
            break;
        }
        let first = piece * PIECE;
        let scalars = &scalars[first..scalars.len().min(first + PIECE)];
        let (head, full) = room[filled.units..].split_at_mut(HEAD);
        let mut words = [0; WORDS];
        let full = match classify(scalars, &mut words[..scalars.len().div_ceil(PER_WORD)], full) {
            Ok(full) => full,
            Err(index) => {
                filled.fault = Some(first + index);
                break;
            }
        };
        for (unit, words) in head.iter_mut().zip(words.chunks_exact(WORDS_A_UNIT)) {
            unit.l.copy_from_slice(words);
        }
        filled.places.push((piece, filled.units));
        filled.units += HEAD + full;
    }
    filled
}

/// Entries of the table are 32 bits wide, two a limb.
fn set_place(table: &mut [Fr], piece: usize, place: u32) {
    let limb = &mut table[piece / PLACES_A_UNIT].l[piece % PLACES_A_UNIT / 2];
    let shift = 32 * (piece % 2);
    *limb = *limb & !(u64::from(u32::MAX) << shift) | u64::from(place) << shift;
}

/// Joins spans with small gaps between them: that of a part that is full is less than a piece, 1.2 µs of the bus, where a copy of
/// its own costs 3 µs.
fn join(spans: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for span in spans.filter(|span| !span.is_empty()) {
        match joined.last_mut() {
            Some(last) if span.start - last.end < MOST => last.end = span.end,
            _ => joined.push(span),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::FR_ONE;
    use crate::gpu::cuda::samples;
    use crate::threads;

    const HEADER: usize = TABLE / PLACES_A_UNIT;

    /// What the device makes of a slot's units, of which it has those of the spans only.
    fn unpacked(packed: &Packed, slot: &[Fr], len: usize) -> Vec<Fr> {
        let mut device = vec![Fr { l: [u64::MAX; 4] }; slot.len()];
        packed.spans.iter().for_each(|span| device[span.clone()].copy_from_slice(&slot[span.clone()]));
        let mut scalars = Vec::new();
        for piece in 0..packed.pieces {
            let place = (device[piece / 8].l[piece % 8 / 2] >> (32 * (piece % 2))) as u32 as usize;
            let (words, mut full) = (&device[place..place + HEAD], device[place + HEAD..].iter());
            let class = |i: usize| words[i / 128].l[i / 32 % 4] >> (2 * (i % 32)) & 3;
            let scalar = |i| match class(i) {
                0 => Fr::default(),
                1 => FR_ONE,
                _ => *full.next().unwrap(),
            };
            scalars.extend((0..PIECE).map(scalar));
        }
        let past = scalars.split_off(scalars.len().min(len));
        assert!(past.iter().all(|x| *x == Fr::default()) && past.len() < PIECE);
        scalars
    }

    #[test]
    fn slots_unpack_to_the_vector() {
        let junk = Fr { l: [0x5555_5555_5555_5555; 4] };
        for units in [HEADER + MOST, HEADER + 5 * MOST - 1, HEADER + 70 * MOST] {
            for scalars in samples::vectors() {
                let mut slot = vec![junk; units];
                let (mut first, mut rounds) = (0, 0);
                while first < scalars.len() {
                    let rest = &scalars[first..];
                    let packed = threads::install(|| pack(rest, &mut slot)).unwrap().unwrap();
                    let found = unpacked(&packed, &slot, rest.len());
                    assert!(found == rest[..found.len()], "{first} of {}", scalars.len());
                    (first, rounds) = (first + found.len(), rounds + 1);
                }
                assert!(rounds <= 1 || scalars.len() > PIECE);
                if units == HEADER + 70 * MOST {
                    assert!(rounds <= 1, "{} scalars in {rounds} rounds", scalars.len());
                }
            }
        }
    }

    #[test]
    fn what_is_no_scalar_is_found() {
        for (scalars, first) in samples::faulty() {
            let mut slot = vec![Fr::default(); HEADER + 200 * MOST];
            assert_eq!(threads::install(|| pack(&scalars, &mut slot)).unwrap().unwrap_err(), first);
        }
    }

    #[test]
    fn a_slot_has_no_more_pieces_than_its_table() {
        let zeros = vec![Fr::default(); PIECE * TABLE + 1];
        let mut slot = vec![Fr::default(); HEADER + (TABLE + 64) * HEAD + 64 * MOST];
        let packed = threads::install(|| pack(&zeros, &mut slot)).unwrap().unwrap();
        assert_eq!(packed.pieces, TABLE);
        assert!(unpacked(&packed, &slot, zeros.len()) == zeros[..PIECE * TABLE]);
    }

    #[test]
    fn small_gaps_are_joined() {
        let spans = [0..10, 10..10, 10 + MOST - 1..3 * MOST, 4 * MOST..4 * MOST, 4 * MOST..5 * MOST];
        assert_eq!(join(spans.into_iter()), [0..3 * MOST, 4 * MOST..5 * MOST]);
    }
}
