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
    /// A device failed, or something else that has nothing to do with the file.
    Other(Error),
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
            Self::Other(error) => same(error),
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
            other => Self::Other(other),
        }
    }
}

/// The same error of a device once more; of anything else, which no load reports, the words.
fn same(error: &Error) -> Error {
    match error {
        Error::Cuda { call, code, text } => Error::Cuda { call, code: *code, text: text.clone() },
        Error::DeviceLost { call, code, text } => Error::DeviceLost { call, code: *code, text: text.clone() },
        Error::DeviceFull { call, text } => Error::DeviceFull { call, text: text.clone() },
        Error::DeviceMemory(shortfall) => Error::DeviceMemory(*shortfall),
        Error::NoGpu { why } => Error::NoGpu { why: why.clone() },
        other => Error::Internal { what: other.to_string() },
    }
}

/// The same I/O error once more.
fn again(error: &io::Error) -> io::Error {
    match error.raw_os_error() {
        Some(errno) => io::Error::from_raw_os_error(errno),
        None => io::Error::new(error.kind(), error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_stays_what_it_is_under_another_name() {
        let source = || io::Error::from_raw_os_error(libc::EIO);
        let path = || Path::new("first").to_owned();
        for error in [
            Error::Params { path: path(), fault: ParamsFault::Changed },
            Error::File { path: path(), operation: "read", source: source() },
            Error::OutOfMemory { what: "h", bytes: 7 },
            Error::Threads { count: 3, source: source() },
            Error::Cuda { call: "cudaMalloc", code: 2, text: "out of memory".into() },
            Error::DeviceFull { call: "cudaMalloc", text: "out of memory".into() },
            Error::NoGpu { why: "there is none; buy one".into() },
        ] {
            let (code, text, kind) = (error.code(), error.to_string(), std::mem::discriminant(&error));
            let second = Failure::from(error).at(Path::new("second"));
            assert_eq!((second.code(), std::mem::discriminant(&second)), (code, kind));
            assert_eq!(second.to_string(), text.replace("first", "second"));
        }
    }
}
