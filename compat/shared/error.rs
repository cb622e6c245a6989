//! How errors reach callers: as values where the API has a `Result`, as panics where it has none.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// Why parameters could not be loaded.
pub struct Error {
    /// An errno (positive) or a negated cudaError, never 0.
    pub code: i32,
    source: interlock::Error,
}

impl From<interlock::Error> for Error {
    fn from(source: interlock::Error) -> Self {
        Self { code: source.code(), source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.source.fmt(f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.source()
    }
}

impl From<&Error> for String {
    fn from(error: &Error) -> Self {
        error.to_string()
    }
}

impl From<Error> for String {
    fn from(error: Error) -> Self {
        error.to_string()
    }
}

/// The value, or a panic whose payload is the message as a `&'static str`.
///
/// The functions that use it have no other way to fail. filecoin-ffi turns panics into error messages, but only those
/// with such a payload; for a `String`, which `panic!` with arguments makes, its users read that there is no
/// information.
#[track_caller]
pub(crate) fn or_panic<T>(result: Result<T, interlock::Error>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => std::panic::panic_any(leaked(format!("interlock: {error}"))),
    }
}

/// `message`, leaked. The same message is leaked once, so a caller that retries for ever does not fill the memory.
fn leaked(message: String) -> &'static str {
    static LEAKED: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = LEAKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(message) = known.get(message.as_str()) {
        return message;
    }
    let message: &'static str = message.leak();
    known.insert(message);
    message
}

/// Checks that there is one element a circuit.
pub(crate) fn expect_len(field: &str, found: usize, num_circuits: usize) -> Result<(), interlock::Error> {
    if found == num_circuits {
        return Ok(());
    }
    Err(interlock::Error::Size {
        field: format!("{field}.len()"),
        found,
        expected: format!("there are {num_circuits} circuits"),
    })
}

/// Checks that a type parameter of a caller's choice has the size of what it must be.
pub(crate) fn expect_size<T>(what: &str, bytes: usize) -> Result<(), interlock::Error> {
    if size_of::<T>() == bytes {
        return Ok(());
    }
    Err(interlock::Error::Size {
        field: format!("the size of {what} ({})", std::any::type_name::<T>()),
        found: size_of::<T>(),
        expected: format!("it has to be {bytes} bytes"),
    })
}
