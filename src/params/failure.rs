//! Why a load failed, apart from the name of the file: several callers may wait for one load under several names.

use std::io;
use std::path::Path;

use crate::error::{Error, ParamsFault};

/// Why a load failed. [`Failure::at`] makes an [`Error`] of it for each of those who waited.
#[derive(Debug)]
pub(super) enum Failure {
    /// The file is not what it should be.
    Fault(ParamsFault),
    /// A file operation failed.
    File {
        /// What was being done.
        operation: &'static str,
        /// Why it failed.
        source: io::Error,
    },
    /// There is no memory for the points.
    OutOfMemory {
        /// What it was for.
        what: &'static str,
        /// How much was asked for.
        bytes: usize,
    },
    /// The threads that read could not be had.
    Threads {
        /// How many were asked for.
        count: usize,
        /// What the system said.
        source: io::Error,
    },
    /// A CUDA call failed.
    Cuda {
        /// The function.
        call: &'static str,
        /// CUDA's number.
        code: i32,
        /// CUDA's words.
        text: String,
    },
    /// Something failed that has nothing to do with the file, in words.
    Other(String),
    /// The thread that loaded for all who waited panicked.
    Panicked,
}

impl Failure {
    /// The error for a caller who named the file `path`.
    pub(super) fn at(&self, path: &Path) -> Error {
        let path = path.to_owned();
        match self {
            Self::Fault(fault) => Error::Params { path, fault: fault.clone() },
            Self::File { operation, source } => Error::File { path, operation, source: again(source) },
            Self::OutOfMemory { what, bytes } => Error::OutOfMemory { what, bytes: *bytes },
            Self::Threads { count, source } => Error::Threads { count: *count, source: again(source) },
            Self::Cuda { call, code, text } => Error::Cuda { call, code: *code, text: text.clone() },
            Self::Other(what) => Error::Internal { what: what.clone() },
            Self::Panicked => {
                Error::Internal { what: format!("a thread panicked while it loaded {} for others too", path.display()) }
            }
        }
    }
}

impl From<ParamsFault> for Failure {
    fn from(fault: ParamsFault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Params { fault, .. } => Self::Fault(fault),
            Error::File { operation, source, .. } => Self::File { operation, source },
            Error::OutOfMemory { what, bytes } => Self::OutOfMemory { what, bytes },
            Error::Threads { count, source } => Self::Threads { count, source },
            Error::Cuda { call, code, text } => Self::Cuda { call, code, text },
            other => Self::Other(other.to_string()),
        }
    }
}

/// The same I/O error once more.
fn again(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(errno) => io::Error::from_raw_os_error(errno),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}
