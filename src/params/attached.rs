//! What backends keep with parameters.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use super::Parameters;

/// One thing a device, of a type that the backend knows; it is dropped with the parameters.
#[derive(Default)]
pub(super) struct Attached(Mutex<HashMap<usize, Arc<dyn Any + Send + Sync>>>);

impl Parameters {
    /// What the GPU backend keeps with these parameters for device `ordinal`; `make` makes it the first time, under a lock
    /// and so without doing work of its own. All calls have one type `T`.
    pub(crate) fn attached<T: Any + Send + Sync>(&self, ordinal: usize, make: impl FnOnce() -> T) -> Arc<T> {
        let mut all = self.attached.0.lock().unwrap_or_else(PoisonError::into_inner);
        let thing = all.entry(ordinal).or_insert_with(|| Arc::new(make())).clone();
        match thing.downcast() {
            Ok(thing) => thing,
            Err(_) => unreachable!("one backend attaches, and one type"),
        }
    }
}

impl fmt::Debug for Attached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        f.debug_list().entries(all.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::sample::Sample;

    #[test]
    fn a_thing_is_made_once_a_device_and_goes_with_the_parameters() {
        let params = Sample { ic: 1, h: 1, l: 1, a: 1, b: 1 }.parameters();
        let first = params.attached(0, || Mutex::new(0));
        *first.lock().unwrap() = 7;
        assert_eq!(*params.attached(0, || Mutex::new(0)).lock().unwrap(), 7);
        assert_eq!(*params.attached(3, || Mutex::new(1)).lock().unwrap(), 1);
        let weak = Arc::downgrade(&first);
        drop(first);
        assert!(weak.upgrade().is_some());
        drop(params);
        assert!(weak.upgrade().is_none());
    }
}
