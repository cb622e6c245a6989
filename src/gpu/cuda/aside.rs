//! Work that goes on beside the turns while parameters pass: the MSM over h, part by part, and the MSMs of the witness's terms that are kept. What turns
//! do meanwhile is hidden under their additions, and their sorting under that of turns.
//!
//! It is one stream, where one worker's work comes after the other's. The turns after it do not wait for it but where they want scratch, which is
//! shared, or the place of terms whose MSMs are made; and it waits for those before that wanted scratch. As turns come one after the other, so does the
//! enqueuing of all this. Results of both have the same memory, which is whose the scratch is.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::engine::Enqueuing;
use super::lease::Until;
use super::worker::Worker;
use super::{DeviceSlice, Event, Stream};
use crate::error::Error;

/// Until when scratch is used, and by whom.
#[derive(Debug, Default)]
pub(super) struct ScratchUses(Mutex<Uses>);

#[derive(Debug, Default)]
struct Uses {
    by_turns: Option<Until>,
    aside: Option<Until>,
}

impl ScratchUses {
    fn lock(&self) -> MutexGuard<'_, Uses> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a turn's stream wait for what is done beside the turns.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn wait_for_aside(&self, stream: &Stream) -> Result<(), Error> {
        let mut uses = self.lock();
        if let Some(until) = &uses.aside {
            stream.wait_for(until.event())?;
        }
        uses.aside = None;
        Ok(())
    }

    /// Says that a turn uses scratch until then.
    pub(super) fn used_until(&self, until: Option<Until>) {
        self.lock().by_turns = until;
    }
}

/// The stream, for as long as a turn enqueues there, and the scratch.
pub(super) struct Aside<'e> {
    worker: &'e Worker<'e>,
    pub(super) stream: &'e Stream,
    pub(super) scratch: DeviceSlice<u8>,
    is_complete: bool,
}

impl<'e> Aside<'e> {
    /// What is enqueued there waits for `events`, and for no turn's kernels but those that use scratch.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn new<'a>(
        worker: &'e Worker<'e>,
        _turn: &Enqueuing<'_>,
        events: impl IntoIterator<Item = &'a Event>,
    ) -> Result<Self, Error> {
        let stream = worker.aside();
        if let Some(until) = &worker.scratch_uses().lock().by_turns {
            stream.wait_for(until.event())?;
        }
        events.into_iter().try_for_each(|event| stream.wait_for(event))?;
        Ok(Self { worker, stream, scratch: worker.all_scratch(), is_complete: false })
    }

    /// The end of what is enqueued.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn until(mut self) -> Result<Until, Error> {
        let until = self.record()?;
        self.is_complete = true;
        Ok(until)
    }

    fn record(&self) -> Result<Until, Error> {
        let until = Until::new(Event::record(self.stream)?);
        self.worker.scratch_uses().lock().aside = Some(until.clone());
        Ok(until)
    }
}

impl Drop for Aside<'_> {
    /// After a failure: the scratch is the next turn's.
    fn drop(&mut self) {
        if !self.is_complete && self.record().is_err() {
            self.worker.wait_for_all();
        }
    }
}
