//! Opaque handles as tokens.
//!
//! A handle that crosses the C boundary is a number, never an address: it is looked up and not followed, so a stale or
//! garbage one is an error rather than undefined behaviour. Tokens lie outside the user address space, so that no
//! real pointer passes for one, and are never used twice.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard};

use crate::error::{Error, HandleKind};

#[cfg(not(target_pointer_width = "64"))]
compile_error!("interlock needs a 64-bit target");

/// The live handles of one kind.
pub(crate) struct Registry<T> {
    kind: HandleKind,
    /// What an unknown handle of this kind often means.
    hint: &'static str,
    state: Mutex<State<T>>,
}

struct State<T> {
    given_out: u64,
    live: BTreeMap<u64, T>,
}

impl<T> Registry<T> {
    pub(crate) const fn new(kind: HandleKind, hint: &'static str) -> Self {
        Self { kind, hint, state: Mutex::new(State { given_out: 0, live: BTreeMap::new() }) }
    }

    /// Bits 48 to 63 of this kind's tokens.
    fn prefix(&self) -> u64 {
        let tag = match self.kind {
            HandleKind::Locks => 1,
            HandleKind::Srs => 2,
            HandleKind::Pending => 3,
        };
        (0xa110 + tag) << 48
    }

    fn state(&self) -> MutexGuard<'_, State<T>> {
        // A panic cannot leave the map half changed, so a poisoned lock is as good as any.
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Keeps `value` and gives out a new handle to it.
    pub(crate) fn insert(&self, value: T) -> *mut c_void {
        let mut state = self.state();
        state.given_out += 1;
        let token = self.prefix() | state.given_out << 4;
        state.live.insert(token, value);
        token as usize as *mut c_void
    }

    /// What `read` makes of the value behind `handle`.
    pub(crate) fn with<R>(&self, handle: *const c_void, read: impl FnOnce(&T) -> R) -> Result<R, Error> {
        let state = self.state();
        match state.live.get(&(handle as usize as u64)) {
            Some(value) => Ok(read(value)),
            None => Err(self.missing(&state, handle)),
        }
    }

    /// Ends `handle` and returns its value.
    pub(crate) fn remove(&self, handle: *const c_void) -> Result<T, Error> {
        let mut state = self.state();
        match state.live.remove(&(handle as usize as u64)) {
            Some(value) => Ok(value),
            None => Err(self.missing(&state, handle)),
        }
    }

    fn missing(&self, state: &State<T>, handle: *const c_void) -> Error {
        let value = handle as usize;
        let number = (value as u64 ^ self.prefix()) >> 4;
        if value & 15 == 0 && (1..=state.given_out).contains(&number) {
            let how = match self.kind {
                HandleKind::Pending => "finalized or destroyed already",
                HandleKind::Srs => "dropped already",
                HandleKind::Locks => "destroyed already",
            };
            Error::StaleHandle { kind: self.kind, value, how }
        } else {
            Error::UnknownHandle { kind: self.kind, value, hint: self.hint }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_live_once() {
        let registry = Registry::new(HandleKind::Locks, "");
        let first = registry.insert(7);
        let second = registry.insert(8);
        assert_ne!(first, second);
        assert_eq!(registry.with(first, |v| *v).unwrap(), 7);
        assert_eq!(registry.remove(first).unwrap(), 7);
        assert!(matches!(registry.remove(first), Err(Error::StaleHandle { .. })));
        assert!(matches!(registry.with(first, |v| *v), Err(Error::StaleHandle { .. })));
        assert_eq!(registry.remove(second).unwrap(), 8);
    }

    #[test]
    fn garbage_is_unknown() {
        let registry = Registry::new(HandleKind::Pending, "");
        let handle = registry.insert(());
        let wrong_kind = Registry::new(HandleKind::Srs, "").insert(());
        let local = 0u64;
        for garbage in [
            wrong_kind,
            &raw const local as *mut c_void,
            (handle as usize + 1) as *mut c_void,
            (handle as usize + 16) as *mut c_void,
            usize::MAX as *mut c_void,
            std::ptr::without_provenance_mut(1),
        ] {
            assert!(matches!(registry.with(garbage, |_| ()), Err(Error::UnknownHandle { .. })), "{garbage:?}");
        }
    }
}
