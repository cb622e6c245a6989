//! Vectors of scalars as they are sent: pieces of classes and full-size scalars, side by side in slots.
//!
//! A slot is counted in units of 32 bytes. First comes a table of the pieces in it and the units at which they begin, then the pieces, each
//! its words of classes and then its full-size scalars. Every task fills a part of a slot by itself, with whatever piece of the
//! vector is next, so that pieces are in no order. Two slots are filled at a time: tasks that are done with their part of the first go on in
//! the second, and no thread waits for the slowest.

use std::any::Any;
use std::collections::VecDeque;
use std::ops::Range;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::classes::{classify, PER_WORD};
use crate::curve::Fr;
use crate::error::Error;
use crate::sys::INTERLOCK_EXPAND_PIECE;
use crate::threads;

/// Scalars of a piece.
const PIECE: usize = INTERLOCK_EXPAND_PIECE as usize;
const WORDS: usize = PIECE / PER_WORD;
const WORDS_A_UNIT: usize = 4;
/// Units of a piece's classes, and of a piece at most.
const HEAD: usize = WORDS / WORDS_A_UNIT;
const MOST: usize = HEAD + PIECE;
/// Pieces a slot has at most, 2^23 scalars: what little a slot then holds is sent before all of a vector is read.
const TABLE: usize = 4096;
const PLACES_A_UNIT: usize = 4;
/// Units of the table.
const HEADER: usize = TABLE / PLACES_A_UNIT;
/// Slots that are filled at a time.
const AT_ONCE: usize = 2;

/// A slot to be filled.
///
/// # Safety
/// The units stay where they are and are nobody else's until this is dropped, wherever it is moved.
pub(super) unsafe trait Room {
    /// Its units, which hold anything: for the table, and for one piece at least.
    fn units(&mut self) -> *mut [Fr];
}

/// What a slot was filled with.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Packed {
    /// How many pieces are in it, and in its table.
    pub(super) pieces: usize,
    /// The units that hold something, ascending.
    pub(super) spans: Vec<Range<usize>>,
}

/// Packs `scalars` into slots, which `take` gives and `send` gets back when they are full, or returns the index of the first scalar that is
/// not below the group order, with some of them sent. `take` is asked whether it may wait: only if no other slot is had. All threads of the
/// library's pool take part, and not this one.
///
/// # Errors
/// Those of `take` and `send`, and [`Error::Threads`].
pub(super) fn pack<R: Room>(
    scalars: &[Fr],
    mut take: impl FnMut(bool) -> Result<Option<R>, Error>,
    mut send: impl FnMut(R, &Packed) -> Result<(), Error>,
) -> Result<Result<(), usize>, Error> {
    let packing = Arc::new(Packing { scalars, next: AtomicUsize::new(0), fault: AtomicUsize::new(usize::MAX) });
    let mut slots = VecDeque::new();
    loop {
        while slots.len() < AT_ONCE && packing.left() > 0 {
            let Some(slot) = take(slots.is_empty())? else { break };
            slots.push_back(Filling::begin(slot, &packing)?);
        }
        let Some(oldest) = slots.pop_front() else { break };
        let (slot, packed) = oldest.wait();
        if packed.pieces > 0 && packing.fault().is_none() {
            send(slot, &packed)?;
        }
    }
    Ok(packing.fault().map_or(Ok(()), Err))
}

/// A vector whose pieces tasks take, one after the other.
struct Packing {
    /// Lives until no task is left.
    scalars: *const [Fr],
    /// The number of the next piece.
    next: AtomicUsize,
    /// The index of the first scalar seen that is none, or the greatest number.
    fault: AtomicUsize,
}

// SAFETY: the scalars are only read.
unsafe impl Send for Packing {}
// SAFETY: as above.
unsafe impl Sync for Packing {}

impl Packing {
    fn pieces(&self) -> usize {
        self.scalars.len().div_ceil(PIECE)
    }

    /// How many pieces no task has taken.
    fn left(&self) -> usize {
        self.pieces().saturating_sub(self.next.load(Ordering::Relaxed))
    }

    fn fault(&self) -> Option<usize> {
        Some(self.fault.load(Ordering::Relaxed)).filter(|index| *index != usize::MAX)
    }

    /// Fills a part of a slot with the next pieces, `most` of them, while there is room for any. Pieces are begun in order, and finished: so
    /// the least of all tasks' faults is the first of all.
    ///
    /// # Safety
    /// The scalars are there.
    unsafe fn fill(&self, room: &mut [Fr], most: usize) -> Filled {
        // SAFETY: the caller says so.
        let scalars = unsafe { &*self.scalars };
        let mut filled = Filled::default();
        while filled.places.len() < most && room.len() - filled.units >= MOST {
            let piece = self.next.fetch_add(1, Ordering::Relaxed);
            if piece >= self.pieces() {
                break;
            }
            let first = piece * PIECE;
            let scalars = &scalars[first..scalars.len().min(first + PIECE)];
            let (head, full) = room[filled.units..].split_at_mut(HEAD);
            let mut words = [0; WORDS];
            let full = match classify(scalars, &mut words[..scalars.len().div_ceil(PER_WORD)], full) {
                Ok(full) => full,
                Err(index) => {
                    self.fault.fetch_min(first + index, Ordering::Relaxed);
                    self.next.fetch_max(self.pieces(), Ordering::Relaxed);
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
}

/// A part of a slot.
#[derive(Debug, Default)]
struct Filled {
    /// The pieces in it, and the units at which they begin.
    places: Vec<(usize, usize)>,
    units: usize,
}

/// A slot that tasks fill. Dropped, it waits for them.
struct Filling<R: Room> {
    slot: Option<R>,
    /// Units of a task's part.
    part: usize,
    tasks: Arc<Tasks>,
}

impl<R: Room> Filling<R> {
    /// Has tasks fill `slot`; if one is enough, this thread does.
    ///
    /// # Errors
    /// [`Error::Threads`].
    fn begin(mut slot: R, packing: &Arc<Packing>) -> Result<Self, Error> {
        let pool = threads::pool()?;
        let units = slot.units();
        let room = units.len() - HEADER;
        let count = pool.current_num_threads().min(packing.left()).min(room / MOST).clamp(1, TABLE);
        let part = room / count;
        let filling = Self { slot: Some(slot), part, tasks: Arc::new(Tasks::new(count)) };
        for number in 0..count {
            let (packing, tasks) = (packing.clone(), filling.tasks.clone());
            let room = Part { start: units.cast::<Fr>().wrapping_add(HEADER + number * part), len: part };
            // SAFETY: the scalars and the slot are there until the task is over, for which `filling` waits; no other task has the part.
            let fill = move || tasks.run(number, || unsafe { packing.fill(room.as_mut(), TABLE / count) });
            if count == 1 {
                fill();
            } else {
                pool.spawn(fill);
            }
        }
        Ok(filling)
    }

    /// Waits for the tasks and writes the table. A panic in one goes on here.
    fn wait(mut self) -> (R, Packed) {
        let parts = self.tasks.wait().unwrap_or_else(|panic| resume_unwind(panic));
        let Some(mut slot) = self.slot.take() else { unreachable!("it is only taken here") };
        // SAFETY: no task has it any more.
        let table = unsafe { &mut (&mut *slot.units())[..HEADER] };
        let start = |number: usize| HEADER + number * self.part;
        let mut pieces = 0;
        for (number, filled) in parts.iter().enumerate() {
            for (piece, place) in &filled.places {
                set_place(table, pieces, *piece, start(number) + place);
                pieces += 1;
            }
        }
        let filled = parts.iter().enumerate().map(|(number, filled)| start(number)..start(number) + filled.units);
        let spans = join(std::iter::once(0..pieces.div_ceil(PLACES_A_UNIT)).chain(filled));
        (slot, Packed { pieces, spans })
    }
}

impl<R: Room> Drop for Filling<R> {
    fn drop(&mut self) {
        let _ = self.tasks.wait();
    }
}

/// A task's part of a slot.
struct Part {
    start: *mut Fr,
    len: usize,
}

// SAFETY: it is one task's alone.
unsafe impl Send for Part {}

impl Part {
    /// # Safety
    /// The slot is there, and nobody else uses the part.
    #[allow(clippy::mut_from_ref)]
    unsafe fn as_mut(&self) -> &mut [Fr] {
        // SAFETY: the caller says so.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }
}

type Panic = Box<dyn Any + Send>;

/// Tasks that fill a slot.
struct Tasks {
    state: Mutex<State>,
    over: Condvar,
}

struct State {
    left: usize,
    /// What each has filled.
    filled: Vec<Filled>,
    panic: Option<Panic>,
}

impl Tasks {
    fn new(count: usize) -> Self {
        let filled = (0..count).map(|_| Filled::default()).collect();
        Self { state: Mutex::new(State { left: count, filled, panic: None }), over: Condvar::new() }
    }

    /// Runs one of them.
    fn run(&self, number: usize, fill: impl FnOnce() -> Filled) {
        let filled = catch_unwind(AssertUnwindSafe(fill));
        let mut state = self.lock();
        match filled {
            Ok(filled) => state.filled[number] = filled,
            Err(panic) => state.panic = Some(panic),
        }
        state.left -= 1;
        if state.left == 0 {
            self.over.notify_all();
        }
    }

    /// Waits for all, and takes what they have filled.
    fn wait(&self) -> Result<Vec<Filled>, Panic> {
        let mut state =
            self.over.wait_while(self.lock(), |state| state.left > 0).unwrap_or_else(PoisonError::into_inner);
        state.panic.take().map_or(Ok(std::mem::take(&mut state.filled)), Err)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An entry is as `interlock_place`: two numbers of 32 bits, the piece's first.
fn set_place(table: &mut [Fr], entry: usize, piece: usize, place: usize) {
    table[entry / PLACES_A_UNIT].l[entry % PLACES_A_UNIT] = piece as u64 | (place as u64) << 32;
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

    /// Of how many units, and what the slot holds before.
    struct Slot(Vec<Fr>);

    // SAFETY: the vector's memory stays where it is.
    unsafe impl Room for Slot {
        fn units(&mut self) -> *mut [Fr] {
            &raw mut self.0[..]
        }
    }

    fn slot(units: usize) -> Slot {
        Slot(vec![Fr { l: [0x5555_5555_5555_5555; 4] }; units])
    }

    /// Writes to `to` what the device makes of a slot's units, of which it has those of the spans only, and counts the scalars.
    fn unpack(packed: &Packed, slot: &Slot, to: &mut [Fr], written: &mut [bool]) {
        let mut device = vec![Fr { l: [u64::MAX; 4] }; slot.0.len()];
        packed.spans.iter().for_each(|span| device[span.clone()].copy_from_slice(&slot.0[span.clone()]));
        for entry in 0..packed.pieces {
            let limb = device[entry / 4].l[entry % 4];
            let (piece, place) = (limb as u32 as usize, (limb >> 32) as usize);
            let (words, mut full) = (&device[place..place + HEAD], device[place + HEAD..].iter());
            for i in 0..PIECE {
                let scalar = match words[i / 128].l[i / 32 % 4] >> (2 * (i % 32)) & 3 {
                    0 => Fr::default(),
                    1 => FR_ONE,
                    _ => *full.next().unwrap(),
                };
                match to.get_mut(piece * PIECE + i) {
                    Some(at) => *at = scalar,
                    None => assert_eq!(scalar, Fr::default()),
                }
            }
            assert!(!std::mem::replace(&mut written[piece], true), "piece {piece} is there twice");
        }
    }

    /// Packs into slots of `units`, and returns how many were sent.
    fn check(scalars: &[Fr], units: usize) -> usize {
        let mut found = vec![Fr { l: [1; 4] }; scalars.len()];
        let (mut written, mut sent) = (vec![false; scalars.len().div_ceil(PIECE)], 0);
        let mut had = 0;
        let take = |may_wait: bool| {
            // Every third time none is there.
            had += 1;
            Ok((may_wait || had % 3 != 0).then(|| slot(units)))
        };
        let send = |slot: Slot, packed: &Packed| {
            sent += 1;
            assert!(packed.pieces <= TABLE);
            unpack(packed, &slot, &mut found, &mut written);
            Ok(())
        };
        pack(scalars, take, send).unwrap().unwrap();
        assert!(written.iter().all(|written| *written) && found == scalars, "{} scalars", scalars.len());
        sent
    }

    #[test]
    fn slots_unpack_to_the_vector() {
        for units in [HEADER + MOST, HEADER + 5 * MOST - 1, HEADER + 70 * MOST] {
            for scalars in samples::vectors() {
                let sent = check(&scalars, units);
                assert_eq!(sent == 0, scalars.is_empty());
                assert!(units != HEADER + MOST || sent == scalars.len().div_ceil(PIECE));
                assert!(units != HEADER + 70 * MOST || sent <= AT_ONCE, "{sent} slots for {} scalars", scalars.len());
            }
        }
    }

    #[test]
    fn what_is_no_scalar_is_found() {
        for (scalars, first) in samples::faulty() {
            for units in [HEADER + MOST, HEADER + 200 * MOST] {
                let found = pack(&scalars, |_| Ok(Some(slot(units))), |_, _| Ok(()));
                assert_eq!(found.unwrap().unwrap_err(), first);
            }
        }
    }

    #[test]
    fn a_slot_has_no_more_pieces_than_its_table() {
        assert!(check(&vec![Fr::default(); PIECE * TABLE + 1], HEADER + (TABLE + 64) * HEAD + 64 * MOST) >= 2);
    }

    #[test]
    fn errors_wait_for_the_tasks() {
        // Full-size, so that no slot holds all of them.
        let scalars = vec![Fr { l: [3, 0, 0, 0] }; 100 * PIECE];
        let refused = || Error::Internal { what: "refused".to_owned() };
        let units = HEADER + 20 * MOST;
        let mut left = 2;
        let take = |_| {
            left -= 1;
            if left == 0 {
                Err(refused())
            } else {
                Ok(Some(slot(units)))
            }
        };
        assert!(pack(&scalars, take, |_, _| Ok(())).is_err());
        assert!(pack(&scalars, |_| Ok(Some(slot(units))), |_, _| Err(refused())).is_err());
    }

    #[test]
    fn a_panic_goes_on_in_who_waits() {
        let tasks = Tasks::new(2);
        tasks.run(1, Filled::default);
        tasks.run(0, || panic!("inside"));
        assert_eq!(tasks.wait().unwrap_err().downcast_ref::<&str>(), Some(&"inside"));
    }

    #[test]
    fn small_gaps_are_joined() {
        let spans = [0..10, 10..10, 10 + MOST - 1..3 * MOST, 4 * MOST..4 * MOST, 4 * MOST..5 * MOST];
        assert_eq!(join(spans.into_iter()), [0..3 * MOST, 4 * MOST..5 * MOST]);
    }
}
