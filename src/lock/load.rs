//! Which device takes a call that wishes for none.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The work that each device has and has not done, in estimated time.
#[derive(Debug)]
pub struct Loads(Mutex<Vec<Duration>>);

impl Loads {
    /// So many devices without work.
    pub fn new(devices: usize) -> Arc<Self> {
        Arc::new(Self(Mutex::new(vec![Duration::ZERO; devices])))
    }

    /// Gives work to the device that will have done it first: of those for which `cost` says how long it takes there.
    /// `None` if there is no such device. Of equals the first one is taken.
    pub fn assign(self: &Arc<Self>, cost: impl Fn(usize) -> Option<Duration>) -> Option<Assigned> {
        let devices = self.lock().len();
        let costs: Vec<_> = (0..devices).filter_map(|device| Some((device, cost(device)?))).collect();
        let mut loads = self.lock();
        let (device, cost) = costs.into_iter().min_by_key(|(device, cost)| loads[*device].saturating_add(*cost))?;
        loads[device] = loads[device].saturating_add(cost);
        Some(Assigned { loads: self.clone(), device, cost })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Duration>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Work that counts as its device's until this is dropped.
#[derive(Debug)]
#[must_use]
pub struct Assigned {
    loads: Arc<Loads>,
    device: usize,
    cost: Duration,
}

impl Assigned {
    /// The device.
    pub fn device(&self) -> usize {
        self.device
    }
}

impl Drop for Assigned {
    fn drop(&mut self) {
        let load = &mut self.loads.lock()[self.device];
        *load = load.saturating_sub(self.cost);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(times: &'static [u64]) -> impl Fn(usize) -> Option<Duration> {
        |device| times.get(device).filter(|time| **time > 0).map(|time| Duration::from_secs(*time))
    }

    #[test]
    fn work_goes_where_it_is_done_first() {
        let loads = Loads::new(3);
        let equal = seconds(&[2, 2, 2]);
        let taken: Vec<_> = (0..4).filter_map(|_| loads.assign(&equal)).collect();
        assert_eq!(taken.iter().map(Assigned::device).collect::<Vec<_>>(), [0, 1, 2, 0]);
        // 4, 2 and 2 seconds of work: a device that takes 5 for this loses to one that is busier and takes 1.
        assert_eq!(loads.assign(seconds(&[1, 5, 5])).unwrap().device(), 0);
        drop(taken);
        assert_eq!(loads.assign(equal).unwrap().device(), 0);
    }

    #[test]
    fn only_devices_that_can_are_asked() {
        let loads = Loads::new(2);
        let _busy = loads.assign(seconds(&[0, 100])).unwrap();
        assert_eq!(loads.assign(seconds(&[0, 1])).unwrap().device(), 1);
        assert!(loads.assign(seconds(&[0, 0])).is_none());
        assert!(Loads::new(0).assign(seconds(&[1])).is_none());
    }
}
