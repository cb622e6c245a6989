//! The classes of scalars: most of them are 0 or 1, which takes two bits each; only the others are sent whole.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use crate::curve::{is_canonical, Fr, FR_MODULUS, FR_ONE};
use crate::error::Error;
use crate::prove::Density;
use crate::sys::INTERLOCK_TERMS_TILE;
use crate::threads;

/// Classes in a word, the first in the lowest bits: 0 for 0, 1 for 1, 2 for the others.
pub(super) const PER_WORD: usize = 32;
/// The low bit of every class.
const LOW_BITS: u64 = 0x5555_5555_5555_5555;

/// Scalars of a chunk, whose full-size ones are numbered from a known number on: the least that kernels take, 256 KiB, so
/// that a core's cache holds what a chunk's full-size ones may take.
pub const CHUNK: usize = INTERLOCK_TERMS_TILE as usize;

/// How many of some scalars are 1 and how many are full-size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) ones: usize,
    pub(super) full: usize,
}

impl Counts {
    /// Those of both.
    pub(super) fn and(self, other: Self) -> Self {
        Self { ones: self.ones + other.ones, full: self.full + other.full }
    }
}

/// Writes the classes of `scalars` to `words`, of which there must be one for every [`PER_WORD`] scalars begun; what is past the
/// end is 0. The full-size ones, whose number is returned, go to the beginning of `out`, in order; it must have room for [`PER_WORD`] a
/// word, and what follows them is not specified. The index of the first that is not below the group order is the error.
pub(super) fn classify(scalars: &[Fr], words: &mut [u64], out: &mut [Fr]) -> Result<usize, usize> {
    let (mut all_full, mut highest) = (0, 0);
    let mut padded = [Fr::default(); PER_WORD];
    for (i, word) in words.iter_mut().enumerate() {
        let rest = &scalars[i * PER_WORD..];
        let group = rest.first_chunk().unwrap_or_else(|| {
            padded[..rest.len()].copy_from_slice(rest);
            &padded
        });
        let Some(out) = out[all_full..].first_chunk_mut() else { unreachable!("there is room for all") };
        let full;
        (*word, full) = classify_word(group, out, &mut highest);
        all_full += full;
    }
    // As good as never does a canonical scalar have the modulus's highest limb.
    let suspect = if highest < FR_MODULUS[3] { &[] } else { scalars };
    suspect.iter().position(|x| !is_canonical(x)).map_or(Ok(all_full), Err)
}

/// The classes of a word's scalars, and how many are full-size.
///
/// There is no branch on a scalar: which is 0, 1 or neither cannot be foretold, and a wrong guess costs as much as ten scalars.
/// So each is stored, and the next is stored over it if it was not full-size.
#[inline(always)]
fn classify_word(group: &[Fr; PER_WORD], out: &mut [Fr; PER_WORD], highest: &mut u64) -> (u64, usize) {
    fetch_ahead(group);
    let (mut word, mut full) = (0, 0);
    for (i, x) in group.iter().enumerate() {
        let [a, b, c, d] = x.l;
        let [e, f, g, h] = FR_ONE.l;
        let not_zero = a | b | c | d != 0;
        let not_one = (a ^ e) | (b ^ f) | (c ^ g) | (d ^ h) != 0;
        let is_full = not_zero & not_one;
        // The remainder changes nothing, and says that the place is in the array.
        out[full % PER_WORD] = *x;
        full += usize::from(is_full);
        word |= (u64::from(!not_one) | u64::from(is_full) << 1) << (2 * i);
        *highest = d.max(*highest);
    }
    (word, full)
}

/// Has the processor fetch what comes 4 KiB after a word's scalars. What fetches ahead by itself stops at the end of a page, and servers have
/// cores that wait for memory twice as long as they compute here.
#[inline(always)]
fn fetch_ahead(group: &[Fr; PER_WORD]) {
    #[cfg(target_arch = "x86_64")]
    for line in 0..PER_WORD / 2 {
        use std::arch::x86_64::{_mm_prefetch, _MM_HINT_T0};
        let ahead = group.as_ptr().wrapping_byte_add(4096).wrapping_add(2 * line);
        // SAFETY: every x86-64 has SSE, and an address that is not there is only not fetched.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(ahead.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = group;
}

/// Chunks that a thread classifies together, or nearly twice as many: each such part has memory of its own, and all need as much of it.
const TOGETHER: usize = 16;
/// Parts for each thread, or half as many, where parts of [`TOGETHER`] chunks would be fewer: all would wait for the slowest.
const PARTS_A_THREAD: usize = 4;

/// Scalars by class, on the host until there is room for them on a device.
#[derive(Debug, Default)]
pub struct Classes {
    len: usize,
    /// Some chunks each, in order.
    parts: Vec<Part>,
}

/// Some chunks that a thread has classified, or all before something was wrong. Its memory is kept when it is dropped.
#[derive(Debug, Default)]
struct Part {
    memory: Memory,
    fault: Option<Fault>,
}

#[derive(Debug, Default)]
struct Memory {
    words: Vec<u64>,
    full: Vec<Fr>,
    /// How many are 1 and how many full-size, by chunk.
    chunks: Vec<Counts>,
}

/// Memory of parts that were dropped, and its bytes: for the next ones, since new memory takes the system as long to find as a thread
/// needs to classify what goes there.
static KEPT: Mutex<(Vec<Memory>, usize)> = Mutex::new((Vec::new(), 0));

/// Bytes that are kept at most: those of two vectors of 2^27 as a rule.
const MOST_KEPT: usize = 256 << 20;

/// Gives the system the memory that is kept for vectors to come.
pub(super) fn give_back_idle() {
    let idle = std::mem::take(&mut *kept());
    drop(idle);
}

fn kept() -> MutexGuard<'static, (Vec<Memory>, usize)> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Memory {
    fn bytes(&self) -> usize {
        let Self { words, full, chunks } = self;
        size_of::<u64>() * words.capacity()
            + size_of::<Fr>() * full.capacity()
            + size_of::<Counts>() * chunks.capacity()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let mut memory = std::mem::take(&mut self.memory);
        memory.words.clear();
        memory.full.clear();
        memory.chunks.clear();
        let bytes = memory.bytes();
        let mut kept = kept();
        if bytes > 0 && kept.1 + bytes <= MOST_KEPT && kept.0.try_reserve(1).is_ok() {
            kept.1 += bytes;
            kept.0.push(memory);
        }
    }
}

#[derive(Debug)]
enum Fault {
    /// The index of a scalar that is none.
    NotCanonical(usize),
    NoMemory(Error),
}

impl Classes {
    /// Classifies `scalars`, or returns the index of the first that is not below the group order. All of the library's CPU
    /// threads take part if there is more than a chunk.
    ///
    /// # Errors
    /// As [`threads::install`], and [`Error::OutOfMemory`].
    pub fn of(scalars: &[Fr]) -> Result<Result<Self, usize>, Error> {
        let parts = PARTS_A_THREAD * threads::pool()?.current_num_threads();
        Self::in_parts(scalars, (scalars.len() / CHUNK / parts).clamp(1, TOGETHER))
    }

    /// The same with so many chunks in a part.
    fn in_parts(scalars: &[Fr], together: usize) -> Result<Result<Self, usize>, Error> {
        let add = |mut part: Part, (number, chunk)| {
            if part.fault.is_none() {
                part.fault = part.add(number * CHUNK, chunk).err();
            }
            part
        };
        let mut parts: Vec<Part> = match scalars.len() {
            0 => Vec::new(),
            // Waking a thread takes longer.
            1..=CHUNK => vec![Part::of_chunk(scalars)],
            _ => threads::install(|| {
                let chunks = scalars.par_chunks(CHUNK).enumerate().with_min_len(together).with_max_len(together);
                chunks.fold(Part::new, add).collect()
            })?,
        };
        match parts.iter_mut().find_map(|part| part.fault.take()) {
            Some(Fault::NotCanonical(index)) => Ok(Err(index)),
            Some(Fault::NoMemory(error)) => Err(error),
            None => Ok(Ok(Self { parts, len: scalars.len() })),
        }
    }

    /// How many scalars there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// How many scalars of each chunk are 1 and how many full-size.
    pub(super) fn chunks(&self) -> impl Iterator<Item = Counts> + '_ {
        self.parts.iter().flat_map(|part| part.memory.chunks.iter().copied())
    }

    /// The words of each chunk's classes.
    pub(super) fn chunk_words(&self) -> impl Iterator<Item = &[u64]> {
        self.parts.iter().flat_map(|part| part.memory.words.chunks(CHUNK / PER_WORD))
    }

    /// The scalars of `range`, which starts at a multiple of [`CHUNK`] and ends at one or at the end.
    pub fn of_range(&self, range: &Range<usize>) -> Span<'_> {
        let (first, end) = (range.start / CHUNK, range.end.div_ceil(CHUNK));
        let mut pieces = Vec::new();
        let mut before = 0;
        for part in self.parts.iter().map(|part| &part.memory) {
            let chunks = part.chunks.len();
            let (from, to) =
                (first.clamp(before, before + chunks) - before, end.clamp(before, before + chunks) - before);
            before += chunks;
            if from >= to {
                continue;
            }
            let words = |chunk: usize| (chunk * (CHUNK / PER_WORD)).min(part.words.len());
            let full = |chunks: &[Counts]| chunks.iter().map(|counts| counts.full).sum::<usize>();
            let start = full(&part.chunks[..from]);
            let chunks = &part.chunks[from..to];
            let words = &part.words[words(from)..words(to)];
            pieces.push(Piece { words, full: &part.full[start..start + full(chunks)], chunks });
        }
        Span { pieces }
    }
}

/// Some scalars of [`Classes`], whole chunks but for the end.
#[derive(Debug)]
pub struct Span<'a> {
    /// In order.
    pieces: Vec<Piece<'a>>,
}

#[derive(Debug)]
struct Piece<'a> {
    words: &'a [u64],
    full: &'a [Fr],
    chunks: &'a [Counts],
}

impl<'a> Span<'a> {
    /// How many scalars are full-size.
    pub fn full_len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.full.len()).sum()
    }

    /// How many words the classes take.
    pub fn words_len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.words.len()).sum()
    }

    /// The words of the classes, as slices that follow one another.
    pub fn words(&self) -> impl Iterator<Item = &'a [u64]> + '_ {
        self.pieces.iter().map(|piece| piece.words)
    }

    /// The full-size scalars, as slices that follow one another.
    pub fn full(&self) -> impl Iterator<Item = &'a [Fr]> + '_ {
        self.pieces.iter().map(|piece| piece.full)
    }

    /// How many chunks of [`CHUNK`] scalars there are.
    pub fn chunks_len(&self) -> usize {
        self.pieces.iter().map(|piece| piece.chunks.len()).sum()
    }

    /// The number of the first full-size scalar of each chunk, the first of all being number `first`.
    pub fn starts(&self, first: usize) -> Vec<u32> {
        let mut next = first as u32;
        let number = |counts: &Counts| {
            let start = next;
            next += counts.full as u32;
            start
        };
        self.pieces.iter().flat_map(|piece| piece.chunks).map(number).collect()
    }
}

/// How many scalars that a density chooses are 1 and how many full-size: of those whose classes are `words`, and whose bits begin with
/// word `first` of the density.
pub(super) fn chosen(words: &[u64], density: &Density<'_>, first: usize) -> Counts {
    let mut chosen = Counts::default();
    for (i, word) in words.iter().enumerate() {
        let bits = density.word(first + i / 2) >> (i % 2 * PER_WORD);
        let bits = every_second(bits as u32);
        chosen.ones += (word & bits).count_ones() as usize;
        chosen.full += (word >> 1 & bits).count_ones() as usize;
    }
    chosen
}

/// A word whose even bits are these.
fn every_second(bits: u32) -> u64 {
    [
        (16, 0x0000_ffff_0000_ffff),
        (8, 0x00ff_00ff_00ff_00ff),
        (4, 0x0f0f_0f0f_0f0f_0f0f),
        (2, 0x3333_3333_3333_3333),
        (1, LOW_BITS),
    ]
    .iter()
    .fold(u64::from(bits), |word, (shift, mask)| (word | word << shift) & mask)
}

thread_local! {
    /// Where a chunk's full-size scalars are put first, as there may be as many as it has scalars. Kept, since new memory is slower to
    /// find than a chunk is to classify.
    static ROOM: RefCell<Vec<Fr>> = const { RefCell::new(Vec::new()) };
}

impl Part {
    /// A part of nothing, with memory that was kept if there is any.
    fn new() -> Self {
        let mut kept = kept();
        let memory = kept.0.pop().unwrap_or_default();
        kept.1 -= memory.bytes();
        Self { memory, fault: None }
    }

    /// The only one of a vector that is a chunk at most.
    fn of_chunk(scalars: &[Fr]) -> Self {
        let mut part = Self::new();
        let mut room = Vec::new();
        let room_for_all = grow(&mut room, scalars.len().next_multiple_of(PER_WORD), Fr::default());
        part.fault = room_for_all.and_then(|()| part.add_with(0, scalars, &mut room)).err();
        part
    }

    /// Adds a chunk, whose first scalar is number `first` of all.
    fn add(&mut self, first: usize, scalars: &[Fr]) -> Result<(), Fault> {
        ROOM.with_borrow_mut(|room| {
            if room.is_empty() {
                grow(room, CHUNK, Fr::default())?;
            }
            self.add_with(first, scalars, room)
        })
    }

    fn add_with(&mut self, first: usize, scalars: &[Fr], room: &mut [Fr]) -> Result<(), Fault> {
        let known = self.memory.words.len();
        grow(&mut self.memory.words, scalars.len().div_ceil(PER_WORD), 0)?;
        let Memory { words, full: all_full, chunks } = &mut self.memory;
        let full = classify(scalars, &mut words[known..], room).map_err(|found| Fault::NotCanonical(first + found))?;
        reserve(all_full, full)?;
        all_full.extend_from_slice(&room[..full]);
        let ones = words[known..].iter().map(|word| (word & LOW_BITS).count_ones() as usize).sum();
        reserve(chunks, 1)?;
        chunks.push(Counts { ones, full });
        Ok(())
    }
}

/// Makes room for `more` values, or fails where `push` would abort.
fn reserve<T>(values: &mut Vec<T>, more: usize) -> Result<(), Fault> {
    let bytes = values.len().saturating_add(more).saturating_mul(size_of::<T>());
    let no_memory = |_| Fault::NoMemory(Error::OutOfMemory { what: "the classes of scalars", bytes });
    values.try_reserve(more).map_err(no_memory)
}

/// Appends `more` values.
fn grow<T: Clone>(values: &mut Vec<T>, more: usize, value: T) -> Result<(), Fault> {
    reserve(values, more)?;
    values.resize(values.len() + more, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::cuda::samples;

    fn class(x: &Fr) -> u64 {
        match x {
            _ if *x == Fr::default() => 0,
            _ if *x == FR_ONE => 1,
            _ => 2,
        }
    }

    fn of_class(scalars: &[Fr], wanted: u64) -> Vec<Fr> {
        scalars.iter().filter(|x| class(x) == wanted).copied().collect()
    }

    /// Vectors and their classes, in short parts and in long ones.
    fn classified() -> impl Iterator<Item = (Vec<Fr>, Classes)> {
        samples::vectors().into_iter().flat_map(|scalars| {
            [1, 3, TOGETHER].map(|together| {
                let classes = Classes::in_parts(&scalars, together).unwrap().unwrap();
                (scalars.clone(), classes)
            })
        })
    }

    #[test]
    fn each_scalar_has_its_class() {
        for (scalars, classes) in classified() {
            let all = classes.of_range(&(0..scalars.len()));
            let words: Vec<u64> = all.words().flatten().copied().collect();
            assert_eq!((words.len(), all.words_len()), (scalars.len().div_ceil(PER_WORD), words.len()));
            for (i, x) in scalars.iter().enumerate() {
                assert_eq!(words[i / PER_WORD] >> (2 * (i % PER_WORD)) & 3, class(x), "{i} of {}", scalars.len());
            }
            let past = scalars.len() % PER_WORD;
            assert!(past == 0 || words.last().unwrap() >> (2 * past) == 0);
            let full: Vec<Fr> = all.full().flatten().copied().collect();
            assert_eq!((all.full_len(), &full), (full.len(), &of_class(&scalars, 2)));
            let counts = |scalars| Counts { ones: of_class(scalars, 1).len(), full: of_class(scalars, 2).len() };
            assert_eq!(classes.chunks().collect::<Vec<_>>(), scalars.chunks(CHUNK).map(counts).collect::<Vec<_>>());
            let mut start = 5;
            let expected = scalars.chunks(CHUNK).map(|chunk| {
                start += of_class(chunk, 2).len() as u32;
                start - of_class(chunk, 2).len() as u32
            });
            assert_eq!(all.starts(5), expected.collect::<Vec<_>>());
            assert_eq!(all.chunks_len(), scalars.len().div_ceil(CHUNK));
        }
    }

    #[test]
    fn ranges_are_those_of_the_scalars() {
        for (scalars, classes) in classified() {
            for first in (0..scalars.len()).step_by(CHUNK) {
                for end in [first + CHUNK, first + 3 * CHUNK, scalars.len()].map(|end| end.min(scalars.len())) {
                    let (found, alone) =
                        (classes.of_range(&(first..end)), Classes::of(&scalars[first..end]).unwrap().unwrap());
                    let alone = alone.of_range(&(0..end - first));
                    assert!(found.words().flatten().eq(alone.words().flatten()), "{first}..{end} of {}", scalars.len());
                    assert!(found.full().flatten().eq(alone.full().flatten()));
                    assert_eq!(found.starts(3), alone.starts(3));
                }
            }
            assert_eq!(classes.of_range(&(0..0)).words_len(), 0);
        }
    }

    #[test]
    fn those_that_a_density_chooses_are_counted() {
        for (scalars, classes) in classified() {
            let words: Vec<u64> =
                (0..scalars.len().div_ceil(64) as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
            let density = Density::new(&words, scalars.len());
            let of_class = |range: Range<usize>, wanted| {
                range.filter(|i| words[i / 64] >> (i % 64) & 1 == 1 && class(&scalars[*i]) == wanted).count()
            };
            for (number, chunk) in classes.chunk_words().enumerate() {
                let range = number * CHUNK..scalars.len().min((number + 1) * CHUNK);
                let Counts { ones, full } = chosen(chunk, &density, range.start / 64);
                assert_eq!((ones, full), (of_class(range.clone(), 1), of_class(range, 2)), "{number}");
            }
            assert_eq!(classes.chunk_words().count(), scalars.len().div_ceil(CHUNK));
        }
    }

    #[test]
    fn what_is_no_scalar_is_found() {
        for (scalars, first) in samples::faulty() {
            for together in [1, 3, TOGETHER] {
                let found = Classes::in_parts(&scalars, together).unwrap().unwrap_err();
                assert_eq!(found, first, "of {}, {together} chunks together", scalars.len());
            }
        }
    }

    #[test]
    fn the_highest_limb_alone_condemns_nothing() {
        let [a, b, c, d] = FR_MODULUS;
        for l in [[a - 1, b, c, d], [u64::MAX, b - 1, c, d], [0, 0, 0, d]] {
            let (mut word, mut full) = ([0], [Fr::default(); PER_WORD]);
            assert_eq!(classify(&[Fr { l }], &mut word, &mut full), Ok(1));
            assert_eq!((word, full[0]), ([2], Fr { l }));
        }
    }
}
