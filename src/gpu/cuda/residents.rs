//! What a device has of which parameters.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::pinned_points::PinnedPoints;
use super::resident::Resident;
use super::worker::Worker;
use crate::error::Error;
use crate::params::Parameters;

/// Where the points of parameters are while a device proves with them.
#[derive(Clone, Debug)]
pub(super) enum Points {
    /// In the device's memory.
    Resident(Arc<Resident>),
    /// In pinned host memory, to be passed through the device's.
    Streamed(Arc<PinnedPoints>),
}

/// What parameters keep of a device: their points, unless they had to make room for others.
type Place = Mutex<Option<Points>>;

/// The places of one device.
#[derive(Clone, Debug, Default)]
pub(super) struct Residents(Arc<Mutex<Vec<Weak<Place>>>>);

impl Residents {
    /// The points of `srs`, for work on `engine`'s device, which is current. They are loaded if they are not there, in
    /// place of others that nobody uses if need be.
    ///
    /// # Errors
    /// Those of [`Resident::load`] and [`PinnedPoints::load`], and [`Error::DeviceMemory`] if the budget is too small for any proof with them.
    pub(super) fn get(&self, engine: &Worker<'_>, srs: &Parameters) -> Result<Points, Error> {
        let place = srs.attached(engine.ordinal(), Place::default);
        let mut here = lock(&place);
        if let Some(points) = &*here {
            return Ok(points.clone());
        }
        let points = Self::load(engine, srs)?;
        *here = Some(points.clone());
        let mut places = lock(&self.0);
        places.retain(|other| other.strong_count() > 0 && !std::ptr::eq(other.as_ptr(), Arc::as_ptr(&place)));
        places.push(Arc::downgrade(&place));
        Ok(points)
    }

    fn load(engine: &Worker<'_>, srs: &Parameters) -> Result<Points, Error> {
        if engine.would_keep(&srs.counts)? {
            match Resident::load(engine, srs) {
                // They are streamed, then. Not said here: a log callback may prove with them, and waits for this.
                Err(error) if error.is_device_out_of_memory() => {}
                loaded => return Ok(Points::Resident(Arc::new(loaded?))),
            }
        }
        Ok(Points::Streamed(Arc::new(PinnedPoints::load(engine, srs)?)))
    }

    /// Whether the points of `srs` are here, or are being loaded.
    pub(super) fn have(ordinal: usize, srs: &Parameters) -> bool {
        let place = srs.attached(ordinal, Place::default);
        let here = place.try_lock();
        here.map_or(true, |points| points.is_some())
    }

    /// Gives the device memory back of some that nobody uses or is about to use, and says whether there were any. The least recently
    /// loaded go first.
    pub(super) fn make_room(&self) -> bool {
        let places: Vec<Arc<Place>> = lock(&self.0).iter().filter_map(Weak::upgrade).collect();
        places.iter().any(|place| {
            let Ok(mut here) = place.try_lock() else { return false };
            here.take_if(|points| matches!(points, Points::Resident(resident) if Arc::strong_count(resident) == 1))
                .is_some()
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
