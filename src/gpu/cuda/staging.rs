//! Uploads of ordinary memory, through a ring of pinned slots that all workers of a device share and all CPU threads fill, and on streams
//! that each worker has of its own.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::classes::Span;
use super::fifo::Fifo;
use super::pairs::{Lent, Pairs};
use super::pieces::{pack, Packed, Room};
use super::pinned::PinnedBuffer;
use super::{msm::at_least, status::check, DeviceBuffer, DeviceSlice, Event, Plain, Stream, Timeline};
use crate::curve::Fr;
use crate::error::Error;
use crate::sys;
use crate::threads;
use crate::trace::span;

/// Bytes of a slot: 0.3 ms of the bus, long beside what a copy (3 µs) and a round of all threads (50 µs) cost to start.
pub const SLOT_BYTES: usize = 16 << 20;
/// Slots that a worker has on their way, at most, when it takes another: what keeps the bus busy.
const SHARE: usize = 3;
/// Slots that a worker has, at most: it takes a second one to fill only while fewer than [`SHARE`] are on their way.
const MOST: usize = SHARE + 1;
/// Slots: those of two workers whose uploads wait for kernels, and for a third one that is filled and one that is on its way.
const SLOTS: usize = 2 * MOST + 2;
/// Bytes that a task copies at a time.
const TASK: usize = 256 << 10;

/// The slots of a device, and the streams that empty them. The device must be current whenever it is used.
#[derive(Debug)]
pub struct Ring {
    free: Fifo<Memory>,
    pairs: Pairs,
    timeline: Arc<Timeline>,
}

/// What a slot has, on both sides.
#[derive(Debug)]
struct Memory {
    pinned: PinnedBuffer,
    /// Where what is expanded is copied first.
    device: DeviceBuffer<u8>,
    /// When a copy to `device` is over.
    copied: Event,
    /// When the slot may be used again, if it was used.
    over: Option<Arc<Event>>,
}

impl Ring {
    /// A ring for the current device: [`SLOT_BYTES`] for each slot, of pinned memory and of the device's. What it does is traced in
    /// `timeline`.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn new(timeline: Arc<Timeline>) -> Result<Self, Error> {
        let slot = |_| {
            Ok(Memory {
                pinned: PinnedBuffer::new(SLOT_BYTES)?,
                device: DeviceBuffer::new(SLOT_BYTES)?,
                copied: Event::new()?,
                over: None,
            })
        };
        Ok(Self {
            free: Fifo::new((0..SLOTS).map(slot).collect::<Result<Vec<_>, Error>>()?),
            pairs: Pairs::new()?,
            timeline,
        })
    }

    /// A worker's uploads.
    pub fn uploads(&self) -> Uploads<'_> {
        Uploads { ring: self, pair: self.pairs.lend(), sent: RefCell::default(), enqueued: Cell::default() }
    }
}

impl Memory {
    fn is_over(&self) -> bool {
        // After an error it is asked again, by whoever waits.
        self.over.as_ref().is_none_or(|over| over.is_over().unwrap_or(false))
    }
}

/// The uploads of a worker, on two streams that are its own until this is dropped, unless there are more workers than streams.
#[derive(Debug)]
pub struct Uploads<'r> {
    ring: &'r Ring,
    pair: Lent<'r>,
    /// The slots on their way, the oldest first: more than [`MOST`] would leave none to others while these wait for kernels.
    sent: RefCell<VecDeque<Arc<Event>>>,
    /// How many times something was enqueued, or was about to be.
    enqueued: Cell<u64>,
}

impl<'r> Uploads<'r> {
    /// The stream of [`Uploads::upload`]: whoever uses what they write waits for it.
    pub fn copies(&self) -> &'r Stream {
        self.pair.copies()
    }

    /// The stream of [`Uploads::send_scalars`] and [`Slot::send_through`], in the same way.
    pub fn expansions(&self) -> &'r Stream {
        self.pair.expansions()
    }

    /// Both.
    pub(super) fn streams(&self) -> [&'r Stream; 2] {
        [self.copies(), self.expansions()]
    }

    /// Makes what is sent from now on wait for `event`, on the device.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn wait_for(&self, event: &Event) -> Result<(), Error> {
        self.count();
        self.streams().iter().try_for_each(|stream| stream.wait_for(event))
    }

    /// A number that is another one if anything was enqueued since it was asked for last.
    pub(super) fn enqueued(&self) -> u64 {
        self.enqueued.get()
    }

    fn count(&self) {
        self.enqueued.set(self.enqueued.get() + 1);
    }

    /// Where what has been sent until now is over.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn ends(&self) -> Result<[Event; 2], Error> {
        Ok([Event::record(self.copies())?, Event::record(self.expansions())?])
    }

    /// Waits for a free slot, first come, first served. Who waits holds no other slot, and is no thread of the library's pool.
    ///
    /// # Errors
    /// [`Error::Cuda`], which may be that of earlier work.
    pub fn take(&self) -> Result<Slot<'_>, Error> {
        self.count();
        let _waiting = span(c"waiting for a slot");
        let oldest = {
            let mut sent = self.sent.borrow_mut();
            (sent.len() >= SHARE).then(|| sent.pop_front()).flatten()
        };
        oldest.map_or(Ok(()), |over| over.synchronize())?;
        let slot = Slot { uploads: self, memory: Some(self.ring.free.take(Memory::is_over)), used: false };
        slot.memory().over.as_ref().map_or(Ok(()), |over| over.synchronize())?;
        Ok(slot)
    }

    /// A free slot that may be used at once, if there is one and nobody waits for any.
    fn take_at_once(&self) -> Option<Slot<'_>> {
        let mut sent = self.sent.borrow_mut();
        let all_sent = sent.len() >= SHARE;
        if all_sent && !sent.front().is_some_and(|oldest| oldest.is_over().unwrap_or(false)) {
            return None;
        }
        let memory = self.ring.free.take_at_once(Memory::is_over)?;
        if all_sent {
            sent.pop_front();
        }
        self.count();
        Some(Slot { uploads: self, memory: Some(memory), used: false })
    }

    /// Enqueues copies of slices to places on the device. They are not needed any more on return.
    ///
    /// # Errors
    /// [`Error::Cuda`], which may be that of earlier work, and [`Error::Threads`].
    pub fn upload(&self, uploads: &[Upload<'_>]) -> Result<(), Error> {
        let mut load = Load::default();
        for upload in uploads {
            let (mut to, mut goes_on) = (upload.to, upload.follows);
            for mut bytes in upload.bytes.chunks(TASK) {
                while load.bytes + bytes.len() > SLOT_BYTES {
                    let (fits, rest) = bytes.split_at(SLOT_BYTES - load.bytes);
                    load.add(fits, to, goes_on);
                    self.send_load(&load)?;
                    load = Load::default();
                    goes_on = false;
                    (bytes, to) = (rest, to.wrapping_byte_add(fits.len()));
                }
                load.add(bytes, to, goes_on);
                goes_on = true;
                to = to.wrapping_byte_add(bytes.len());
            }
        }
        if load.bytes == 0 {
            return Ok(());
        }
        self.send_load(&load)
    }

    fn send_load(&self, load: &Load<'_>) -> Result<(), Error> {
        let mut slot = self.take()?;
        let mut rest = slot.values::<u8>();
        let mut tasks = Vec::with_capacity(load.pieces.len());
        for piece in &load.pieces {
            let (room, after) = rest.split_at_mut(piece.len());
            tasks.push((room, *piece));
            rest = after;
        }
        let copy = |(room, piece): (&mut [u8], &[u8])| room.copy_from_slice(piece);
        if load.bytes <= TASK {
            // Not by the pool, where it would wait for other workers' long tasks.
            tasks.into_iter().for_each(copy);
        } else {
            threads::install(|| tasks.into_par_iter().for_each(copy))?;
        }
        // SAFETY: what is uploaded has room where it goes.
        unsafe { slot.send_bytes(load.copies.iter().cloned()) }
    }

    /// Enqueues the writing of `scalars`, and of zeros after them, to `to`; or returns the index of the first scalar that is not
    /// below the group order, with some of it written. The scalars are not needed any more on return.
    ///
    /// # Errors
    /// [`Error::Size`] if there is no room, [`Error::Cuda`], which may be that of earlier work, and [`Error::Threads`].
    pub fn send_scalars(&self, scalars: &[Fr], to: &DeviceSlice<Fr>) -> Result<Result<(), usize>, Error> {
        at_least("the device's vector", to.len(), scalars.len())?;
        self.count();
        to.range(scalars.len()..to.len()).clear(self.expansions())?;
        let take = |may_wait| if may_wait { self.take().map(Some) } else { Ok(self.take_at_once()) };
        pack(scalars, take, |slot, packed| slot.send_packed(packed, &to.range(0..scalars.len())))
    }
}

/// Where what is in a [`Span`] goes.
#[derive(Clone, Copy, Debug)]
pub struct ClassesOnDevice<'a> {
    /// [`Span::words_len`] words.
    pub words: &'a DeviceSlice<u64>,
    /// [`Span::chunks_len`] numbers.
    pub starts: &'a DeviceSlice<u32>,
    /// [`Span::full_len`] scalars.
    pub full: &'a DeviceSlice<Fr>,
}

impl ClassesOnDevice<'_> {
    /// Adds the classes, the starts of their chunks, which are [`Span::starts`], and the full-size scalars to what is to be uploaded.
    ///
    /// # Errors
    /// [`Error::Size`] if there is no room.
    pub fn list<'u>(&self, classes: &Span<'u>, starts: &'u [u32], uploads: &mut Vec<Upload<'u>>) -> Result<(), Error> {
        Upload::list(uploads, classes.words(), self.words)?;
        Upload::list(uploads, [starts], self.starts)?;
        Upload::list(uploads, classes.full(), self.full)
    }
}

/// Values on the host that go to a place on the device, which has room for them.
#[derive(Debug)]
pub struct Upload<'a> {
    bytes: &'a [u8],
    to: *mut c_void,
    /// Whether it goes on in the slice of the one before it in a list, where that ends.
    follows: bool,
}

impl<'a> Upload<'a> {
    /// `values` to the beginning of `to`.
    ///
    /// # Errors
    /// [`Error::Size`] if there is no room.
    pub fn new<T: Plain>(values: &'a [T], to: &DeviceSlice<T>) -> Result<Self, Error> {
        at_least("the device's buffer", to.len(), values.len())?;
        Ok(Self { bytes: bytes_of(values), to: to.as_raw(), follows: false })
    }

    /// Slices that go to `to` one after the other, by one copy for a slot.
    fn list<T: Plain + 'a>(
        list: &mut Vec<Self>,
        slices: impl IntoIterator<Item = &'a [T]>,
        to: &DeviceSlice<T>,
    ) -> Result<(), Error> {
        let mut first = 0;
        for values in slices.into_iter().filter(|values| !values.is_empty()) {
            at_least("the device's buffer", to.len(), first + values.len())?;
            list.push(Self { follows: first > 0, ..Self::new(values, &to.range(first..to.len()))? });
            first += values.len();
        }
        Ok(())
    }
}

/// What a slot is filled with, and where it goes.
#[derive(Debug, Default)]
struct Load<'a> {
    pieces: Vec<&'a [u8]>,
    copies: Vec<(Range<usize>, *mut c_void)>,
    bytes: usize,
}

impl<'a> Load<'a> {
    /// Adds a piece, to the copy of the one before if it goes on where that ends in the same slice of the device. Slices may be side by side and
    /// yet of different allocations, which no copy may span.
    fn add(&mut self, piece: &'a [u8], to: *mut c_void, goes_on: bool) {
        let from = self.bytes..self.bytes + piece.len();
        match self.copies.last_mut() {
            Some((last, first)) if goes_on && first.wrapping_byte_add(last.len()) == to => last.end = from.end,
            _ => self.copies.push((from.clone(), to)),
        }
        self.bytes = from.end;
        self.pieces.push(piece);
    }
}

/// A slot that nobody else uses. Dropped, it is free again.
#[derive(Debug)]
pub struct Slot<'u> {
    uploads: &'u Uploads<'u>,
    memory: Option<Memory>,
    /// Whether anything was enqueued.
    used: bool,
}

impl Slot<'_> {
    /// Its [`SLOT_BYTES`] as values, which hold whatever was there.
    pub fn values<T: Plain>(&mut self) -> &mut [T] {
        match &mut self.memory {
            Some(memory) => memory.pinned.values_mut(),
            None => unreachable!("it goes back when it is dropped"),
        }
    }

    fn memory(&self) -> &Memory {
        let Some(memory) = &self.memory else { unreachable!("it goes back when it is dropped") };
        memory
    }

    /// Says that all is enqueued on `stream` that uses it.
    fn over(&mut self, stream: &Stream) -> Result<(), Error> {
        let over = Arc::new(Event::record(stream)?);
        self.uploads.sent.borrow_mut().push_back(over.clone());
        if let Some(memory) = &mut self.memory {
            memory.over = Some(over);
        }
        Ok(())
    }

    /// Enqueues copies of bytes of the slot.
    ///
    /// # Safety
    /// There is room for them where they go.
    unsafe fn send_bytes(mut self, copies: impl IntoIterator<Item = (Range<usize>, *mut c_void)>) -> Result<(), Error> {
        let Uploads { ring, pair, .. } = self.uploads;
        let begun = ring.timeline.begin(pair.copies());
        let mut bytes = 0;
        let sent = copies
            .into_iter()
            .inspect(|(from, _)| bytes += from.len())
            // SAFETY: as this function's.
            .try_for_each(|(from, to)| unsafe { self.copy(from, to) })
            .and_then(|()| self.over(pair.copies()));
        ring.timeline.end(begun, c"copy", pair.shown_copies(), bytes);
        self.settle(sent)
    }

    /// Enqueues the copying of the slot's first `len` bytes to its place on the device, and then, on the stream of expansions, what `work`
    /// enqueues with them there.
    ///
    /// # Errors
    /// [`Error::Size`] if the slot is too short, [`Error::Cuda`], and that of `work`.
    pub fn send_through(
        mut self,
        len: usize,
        work: impl FnOnce(&DeviceSlice<u8>, &Stream) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Uploads { ring, pair, .. } = self.uploads;
        let (copies, expansions) = (pair.copies(), pair.expansions());
        let bytes = self.memory().device.range(0..len.min(SLOT_BYTES));
        // SAFETY: the place on the device has the slot's size.
        let copied = || unsafe { self.copy(0..len, bytes.as_raw()) };
        let sent = ring
            .timeline
            .traced(c"copy", pair.shown_copies(), len, copied)
            .and_then(|()| self.memory().copied.move_to(copies))
            .and_then(|()| expansions.wait_for(&self.memory().copied))
            .and_then(|()| ring.timeline.traced(c"decoding", pair.shown_expansions(), 0, || work(&bytes, expansions)))
            .and_then(|()| self.over(expansions));
        self.settle(sent)
    }

    /// Enqueues the copying of what was packed to the slot's place on the device, and the writing of these pieces of a vector to `to`.
    fn send_packed(mut self, packed: &Packed, to: &DeviceSlice<Fr>) -> Result<(), Error> {
        const UNIT: usize = size_of::<Fr>();
        let Uploads { ring, pair, .. } = self.uploads;
        let (copies, expansions) = (pair.copies(), pair.expansions());
        let pieces = self.memory().device.as_raw();
        let bytes = packed.spans.iter().map(|span| span.len() * UNIT).sum();
        let copied = || {
            let mut spans = packed.spans.iter().map(|span| span.start * UNIT..span.end * UNIT);
            // SAFETY: the place on the device has the slot's size.
            spans.try_for_each(|span| unsafe { self.copy(span.clone(), pieces.wrapping_byte_add(span.start)) })
        };
        // SAFETY: `pack` has put a table of places at the beginning and the pieces, which are of the vector, at these; both are
        // aligned to 32 bytes.
        let expanded = || unsafe {
            let places = pieces.cast_const().cast();
            let status =
                sys::interlock_expand(to.as_raw(), to.len(), pieces, places, packed.pieces, expansions.as_raw());
            check("interlock_expand", status)
        };
        let sent = ring
            .timeline
            .traced(c"copy", pair.shown_copies(), bytes, copied)
            .and_then(|()| self.memory().copied.move_to(copies))
            .and_then(|()| expansions.wait_for(&self.memory().copied))
            .and_then(|()| ring.timeline.traced(c"expansion", pair.shown_expansions(), 0, expanded))
            .and_then(|()| self.over(expansions));
        self.settle(sent)
    }

    /// Enqueues a copy of bytes of the slot.
    ///
    /// # Safety
    /// There is room for them at `to`.
    unsafe fn copy(&mut self, from: Range<usize>, to: *mut c_void) -> Result<(), Error> {
        at_least("the slot", SLOT_BYTES, from.end)?;
        self.used = true;
        // SAFETY: the slot has these bytes, and is not written again before the copy is over.
        check("cudaMemcpyAsync", unsafe {
            let start = self.memory().pinned.as_raw().wrapping_byte_add(from.start);
            sys::cudaMemcpyAsync(to, start, from.len(), sys::HOST_TO_DEVICE, self.uploads.copies().as_raw())
        })
    }

    /// After a failure, waits for what was enqueued before it, as no event tells of its end.
    fn settle(&self, sent: Result<(), Error>) -> Result<(), Error> {
        if sent.is_err() {
            self.uploads.streams().iter().for_each(|stream| stream.drain());
        }
        sent
    }
}

// SAFETY: the pinned memory is the slot's until it goes back, and stays where it is.
unsafe impl Room for Slot<'_> {
    fn units(&mut self) -> *mut [Fr] {
        self.values()
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        let Some(memory) = self.memory.take() else { return };
        if self.used {
            self.uploads.ring.free.give_back(memory);
        } else {
            self.uploads.ring.free.give_back_unused(memory);
        }
    }
}

fn bytes_of<T: Plain>(values: &[T]) -> &[u8] {
    // SAFETY: `Plain` values have no padding, so that all their bytes are initialised.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}
