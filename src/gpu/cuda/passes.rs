//! What serves the passing of streamed parameters on a device: slots for their points, and room for what is held of witnesses meanwhile.
//!
//! It is kept from when such parameters are first loaded and serves one worker after the other. On the host a worker has it while it enqueues; on the device,
//! what the next one copies waits for kernels of the one before, slot by slot. So what says until when a slot is used stays with it.
//!
//! Points of h and of the witness have slots of their own, and streams, so that neither waits for the other's kernels.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::engine::Block;
use super::lease::{Region, Until};
use super::worker::Worker;
use super::{DeviceSlice, Stream};
use crate::error::Error;
use crate::lock::{Order, Turn};
use crate::prove::plan::LEAST_SLOTS;
use crate::prove::Plan;
use crate::trace::span;

/// A device's memory for passing parameters.
#[derive(Debug)]
pub(super) struct Passes {
    block: Block,
    order: Order,
    uses: Mutex<Uses>,
}

/// Slots of points of h: one that is worked on, and one that is copied to.
const OF_H: usize = 2;
const _: () = assert!(OF_H < LEAST_SLOTS, "there are some for the witness");

/// Whose points are in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    H,
    Witness,
}

/// Until when what is enqueued uses what.
#[derive(Debug, Default)]
struct Uses {
    slots: Vec<Option<Until>>,
    /// How many of each kind were used, in the order of [`Kind`].
    used: [usize; 2],
    /// What is held of witnesses; and so many bytes of it, from its beginning on, which only sections of these are in.
    witnesses: Option<Until>,
    sections: Option<(usize, Until)>,
}

/// A worker's turn. What it has enqueued when it drops this without [`PassTurn::all_is_enqueued`], the next one waits for as a whole.
pub(super) struct PassTurn<'e> {
    engine: &'e Worker<'e>,
    slots: Vec<DeviceSlice<u8>>,
    witnesses: DeviceSlice<u8>,
    uses: MutexGuard<'e, Uses>,
    is_complete: bool,
    _turn: Turn<'e>,
}

impl Passes {
    /// With a long-lived block, which nothing uses.
    pub(super) fn new(block: Block) -> Self {
        Self { block, order: Order::new(1), uses: Mutex::default() }
    }

    /// Waits for a turn, whose memory is divided as `plan` says.
    pub(super) fn turn<'e>(&'e self, engine: &'e Worker<'e>, plan: &Plan) -> PassTurn<'e> {
        let turn = {
            let _waiting = span(c"waiting for a pass");
            self.order.turn()
        };
        // SAFETY: all of the block, which is mapped as long as the engine is there.
        let bytes = unsafe { DeviceSlice::from_raw(engine.address(self.block.offset()), self.block.bytes()) };
        let mut region = Region::new(bytes);
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        uses.slots.resize(plan.slots(), None);
        PassTurn {
            engine,
            slots: (0..plan.slots()).map(|_| region.take(plan.slot_bytes)).collect(),
            witnesses: region.take(plan.witness_bytes),
            uses,
            is_complete: false,
            _turn: turn,
        }
    }
}

impl PassTurn<'_> {
    /// The number of the next slot of a kind, which copies on `stream` may use from now on.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn next_slot(&mut self, kind: Kind, stream: &Stream) -> Result<usize, Error> {
        let of_kind = self.numbers(kind);
        let number = of_kind.start + self.uses.used[kind as usize] % of_kind.len();
        self.uses.used[kind as usize] += 1;
        if let Some(used) = self.uses.slots[number].take() {
            stream.wait_for(used.event())?;
        }
        Ok(number)
    }

    fn numbers(&self, kind: Kind) -> Range<usize> {
        match kind {
            Kind::H => 0..OF_H,
            Kind::Witness => OF_H..self.slots.len(),
        }
    }

    /// The memory of a slot.
    pub(super) fn slot(&self, number: usize) -> &DeviceSlice<u8> {
        &self.slots[number]
    }

    /// All slots, which copies on `stream` may use from now on.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn all_slots(&mut self, stream: &Stream) -> Result<&[DeviceSlice<u8>], Error> {
        self.uses.slots.iter().flatten().try_for_each(|used| stream.wait_for(used.event()))?;
        Ok(&self.slots)
    }

    /// Says that a slot is in use until then.
    pub(super) fn used_until(&mut self, number: usize, until: Until) {
        self.uses.slots[number] = Some(until);
    }

    /// Says that the memory for witnesses is in use until then, and its first bytes, where sections are, only until some time before.
    pub(super) fn witnesses_used_until(&mut self, until: Until, sections: Option<(usize, Until)>) {
        self.uses.witnesses = Some(until);
        self.uses.sections = sections;
    }

    /// The memory for witnesses, whose sections come first.
    pub(super) fn witnesses(&self) -> Region {
        Region::new(self.witnesses.all())
    }

    /// Until when the turns before use the first `bytes` bytes of that.
    pub(super) fn sections_used(&self, bytes: usize) -> Option<&Until> {
        match &self.uses.sections {
            Some((of_sections, until)) if bytes <= *of_sections => Some(until),
            _ => self.uses.witnesses.as_ref(),
        }
    }

    /// Ends the turn: it is known until when all that was enqueued uses what.
    pub(super) fn all_is_enqueued(mut self) {
        self.is_complete = true;
    }
}

impl Drop for PassTurn<'_> {
    fn drop(&mut self) {
        if self.is_complete {
            return;
        }
        let until = self.engine.all_enqueued().ok();
        if until.is_none() {
            self.engine.wait_for_all();
        }
        self.uses.slots.iter_mut().for_each(|used| *used = until.clone());
        self.uses.witnesses = until;
        self.uses.sections = None;
    }
}
