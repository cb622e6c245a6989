//! Work that goes on beside the turns: MSMs whose terms come part by part. Two lanes, each with half of the scratch, so that one's sorting is
//! hidden under the other's additions, and what other turns do meanwhile is hidden too.
//!
//! The turns after it do not wait for it but where they want scratch, which is shared; and it waits for those before that wanted scratch. As
//! turns come one after the other, so does the enqueuing of all this.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::engine::Enqueuing;
use super::lease::Until;
use super::worker::Worker;
use super::{DeviceSlice, Event, Stream};
use crate::error::Error;
use crate::prove::plan::scratch::{lane_bytes, LANES};

/// Until when scratch is used, and by whom.
#[derive(Debug, Default)]
pub(super) struct ScratchUses(Mutex<Uses>);

#[derive(Debug, Default)]
struct Uses {
    /// By turns.
    turns: Option<Until>,
    /// Beside them.
    aside: Option<[Until; LANES]>,
}

impl ScratchUses {
    fn lock(&self) -> MutexGuard<'_, Uses> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a turn's stream wait for what is done beside the turns.
    pub(super) fn wait_for_aside(&self, stream: &Stream) -> Result<(), Error> {
        let mut uses = self.lock();
        if let Some(aside) = &uses.aside {
            aside.iter().try_for_each(|until| stream.wait_for(until.event()))?;
        }
        uses.aside = None;
        Ok(())
    }

    /// Says that a turn uses scratch until then.
    pub(super) fn used_until(&self, until: Option<Until>) {
        self.lock().turns = until;
    }
}

/// The lanes, for as long as a turn enqueues there.
pub(super) struct Aside<'e> {
    engine: &'e Worker<'e>,
    lanes: [Aisle<'e>; LANES],
    is_complete: bool,
}

/// A lane.
pub(super) struct Aisle<'e> {
    pub(super) stream: &'e Stream,
    pub(super) scratch: DeviceSlice<u8>,
}

impl<'e> Aside<'e> {
    /// The lanes, where what is enqueued waits for `events`, and not for other turns' kernels.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn new(engine: &'e Worker<'e>, _turn: &Enqueuing<'_>, events: &[&Event]) -> Result<Self, Error> {
        let (scratch, streams) = (engine.all_scratch(), engine.aside());
        let bytes = lane_bytes(scratch.len());
        let lane = |i| Aisle { stream: &streams[i], scratch: scratch.range(i * bytes..(i + 1) * bytes) };
        let lanes = std::array::from_fn(lane);
        if let Some(until) = &engine.scratch_uses().lock().turns {
            streams.iter().try_for_each(|stream| stream.wait_for(until.event()))?;
        }
        for event in events {
            streams.iter().try_for_each(|stream| stream.wait_for(event))?;
        }
        Ok(Self { engine, lanes, is_complete: false })
    }

    /// The lanes.
    pub(super) fn each(&mut self) -> &mut [Aisle<'e>; LANES] {
        &mut self.lanes
    }

    /// The ends of what is enqueued.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn until(mut self) -> Result<[Until; LANES], Error> {
        let until = self.record()?;
        self.engine.scratch_uses().lock().aside = Some(until.clone());
        self.is_complete = true;
        Ok(until)
    }

    fn record(&self) -> Result<[Until; LANES], Error> {
        let [first, second] = self.engine.aside();
        Ok([Until::new(Event::record(first)?), Until::new(Event::record(second)?)])
    }
}

impl Drop for Aside<'_> {
    /// After a failure: the scratch is the next turn's.
    fn drop(&mut self) {
        if self.is_complete {
            return;
        }
        match self.record() {
            Ok(until) => self.engine.scratch_uses().lock().aside = Some(until),
            Err(_) => self.engine.wait_for_all(),
        }
    }
}
