//! Which parameters are in the memory of a device.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::loader::Loader;
use super::resident::Resident;
use super::DeviceGuard;
use crate::error::Error;
use crate::logging::warning;
use crate::params::Parameters;

/// The parameters on one device, and what loads them there.
#[derive(Debug)]
pub(super) struct Residents {
    ordinal: usize,
    loader: Mutex<Option<Loader>>,
    places: Mutex<Vec<Weak<Place>>>,
}

/// What parameters keep of a device: their queries there, unless they had to make room for others.
#[derive(Debug)]
struct Place {
    ordinal: usize,
    resident: Mutex<Option<Arc<Resident>>>,
}

impl Residents {
    /// None yet on device `ordinal`.
    pub(super) fn new(ordinal: usize) -> Self {
        Self { ordinal, loader: Mutex::default(), places: Mutex::default() }
    }

    /// The queries of `srs` on the device. They are loaded if they are not there; if there is no memory for them, after those
    /// that nobody proves with have gone.
    ///
    /// # Errors
    /// Those of [`Resident::load`].
    pub(super) fn get(&self, srs: &Parameters) -> Result<Arc<Resident>, Error> {
        let place = srs.attached(self.ordinal, || Place { ordinal: self.ordinal, resident: Mutex::default() });
        let mut here = lock(&place.resident);
        if let Some(resident) = &*here {
            return Ok(resident.clone());
        }
        let resident = Arc::new(match self.load(srs) {
            Err(error) if error.is_device_out_of_memory() && self.make_room()? => self.load(srs)?,
            loaded => loaded?,
        });
        *here = Some(resident.clone());
        let mut places = lock(&self.places);
        places.retain(|other| other.strong_count() > 0 && !std::ptr::eq(other.as_ptr(), Arc::as_ptr(&place)));
        places.push(Arc::downgrade(&place));
        Ok(resident)
    }

    fn load(&self, srs: &Parameters) -> Result<Resident, Error> {
        self.with_loader(|loader| Resident::load(srs, loader))
    }

    /// What `work` does with the device's loader, while the device is current.
    ///
    /// # Errors
    /// Those of `work`, and [`Error::Cuda`].
    pub(super) fn with_loader<T>(&self, work: impl FnOnce(&mut Loader) -> Result<T, Error>) -> Result<T, Error> {
        let _current = DeviceGuard::set(self.ordinal)?;
        let mut loader = lock(&self.loader);
        let done = match &mut *loader {
            Some(loader) => work(loader),
            none => work(none.insert(Loader::new()?)),
        };
        if matches!(done, Err(Error::Cuda { .. })) {
            // Whatever state a failure leaves it in, the next load starts afresh.
            *loader = None;
        }
        done
    }

    /// Gives the memory back of those that are not in use, and says whether there were any.
    fn make_room(&self) -> Result<bool, Error> {
        let _current = DeviceGuard::set(self.ordinal)?;
        let places: Vec<Arc<Place>> = lock(&self.places).iter().filter_map(Weak::upgrade).collect();
        Ok(places.iter().filter(|place| place.make_room()).count() > 0)
    }
}

impl Place {
    /// Gives the memory back if nobody else uses it or is about to, and says whether it did.
    fn make_room(&self) -> bool {
        let Ok(mut here) = self.resident.try_lock() else { return false };
        here.take_if(|resident| Arc::strong_count(resident) == 1).is_some()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let resident = self.resident.get_mut().unwrap_or_else(PoisonError::into_inner);
        if resident.is_some() {
            // Memory is given back where it is, without a context of some other device.
            match DeviceGuard::set(self.ordinal) {
                Ok(_current) => *resident = None,
                Err(error) => warning!("device {} could not be made current: {error}", self.ordinal),
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
