//! What serves the passing of streamed parameters on a device: slots for their points, and room for what is held of witnesses meanwhile.
//!
//! It is kept from when such parameters are first loaded and serves one worker after the other. A worker has it while it enqueues; what is enqueued of the one
//! before still uses slots then. So what says until when a slot is used stays with it.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::engine::Block;
use super::lease::{Region, Until};
use super::worker::Worker;
use super::DeviceSlice;
use crate::error::Error;
use crate::lock::{Fence, Order, Turn};
use crate::prove::Plan;
use crate::trace::span;

/// A device's memory for passing parameters.
#[derive(Debug)]
pub(super) struct Passes {
    block: Block,
    order: Order,
    uses: Mutex<Uses>,
}

/// Whose points are in a slot. Uses of a kind end in the order in which they were enqueued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    H,
    Witness,
}

/// Until when what is enqueued uses what.
#[derive(Debug, Default)]
struct Uses {
    /// The numbers of slots, in the order of [`Kind`].
    slots: [VecDeque<(usize, Until)>; 2],
    /// What is held of witnesses.
    witnesses: Option<Until>,
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
        PassTurn {
            engine,
            slots: (0..plan.slots()).map(|_| region.take(plan.slot_bytes)).collect(),
            witnesses: region.take(plan.witness_bytes),
            uses: self.uses.lock().unwrap_or_else(PoisonError::into_inner),
            is_complete: false,
            _turn: turn,
        }
    }
}

impl Uses {
    /// Forgets what is over.
    fn retire(&mut self) {
        for uses in &mut self.slots {
            let over = uses.iter().take_while(|(_, until)| until.is_over()).count();
            uses.drain(..over);
        }
    }

    /// The number of one of so many slots that is not used any more.
    fn unused(&mut self, slots: usize) -> Option<usize> {
        self.retire();
        (0..slots).find(|number| self.slots.iter().flatten().all(|(used, _)| used != number))
    }
}

impl PassTurn<'_> {
    /// How many uses of a kind are not over.
    pub(super) fn uses(&mut self, kind: Kind) -> usize {
        self.uses.retire();
        self.uses.slots[kind as usize].len()
    }

    /// Waits for a slot that is not used any more, and returns its number and its memory.
    ///
    /// It is the host that waits, so that no more is enqueued than what the slots hold: what comes next is decided late, and uploads come in between.
    ///
    /// # Errors
    /// [`Error::Cuda`], which may be that of earlier work.
    pub(super) fn unused_slot(&mut self) -> Result<(usize, Region), Error> {
        let _waiting = span(c"waiting for a slot to pass through");
        loop {
            if let Some(number) = self.uses.unused(self.slots.len()) {
                return Ok((number, Region::new(self.slots[number].all())));
            }
            // Within a pass kernels of the witness take less time, and come first.
            let first = [Kind::Witness, Kind::H].into_iter().find_map(|kind| self.uses.slots[kind as usize].front());
            let (_, until) = first.ok_or_else(|| Error::Internal { what: "a pass without slots".to_owned() })?;
            until.event().synchronize()?;
        }
    }

    /// Waits until no slot is used, and returns their memory.
    ///
    /// # Errors
    /// [`Error::Cuda`], which may be that of earlier work.
    pub(super) fn all_slots(&mut self) -> Result<&[DeviceSlice<u8>], Error> {
        self.uses.slots.iter().flatten().try_for_each(|(_, until)| until.event().synchronize())?;
        Ok(&self.slots)
    }

    /// Says that a slot is in use until then.
    pub(super) fn used_until(&mut self, number: usize, kind: Kind, until: Until) {
        self.uses.slots[kind as usize].push_back((number, until));
    }

    /// Says that the memory for witnesses is in use until then.
    pub(super) fn witnesses_used_until(&mut self, until: Until) {
        self.uses.witnesses = Some(until);
    }

    /// The memory for witnesses, and until when the turns before use it.
    pub(super) fn witnesses(&self) -> (Region, Option<&Until>) {
        (Region::new(self.witnesses.all()), self.uses.witnesses.as_ref())
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
        let all = (0..self.slots.len()).zip(until.iter().cycle().cloned());
        self.uses.slots = [all.collect(), VecDeque::new()];
        self.uses.witnesses = until;
    }
}
