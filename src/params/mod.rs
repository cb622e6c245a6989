//! Parameter files: layout, reading, and the cache of what has been read.

mod srs;

use std::path::Path;
use std::sync::Arc;

use crate::error::Error;

pub use srs::Parameters;

/// A reference-counted handle to loaded parameters. Cloning it shares them.
#[derive(Clone, Debug)]
pub struct Srs(Arc<Parameters>);

impl Srs {
    /// Loads the parameter file at `path`, or shares the copy that is already in memory.
    pub fn open(path: &Path, cache: bool) -> Result<Self, Error> {
        let _ = (path, cache);
        Err(Error::EmptySrs)
    }

    /// Drops the cache's own reference to these parameters, so that they go when the last handle and the last proof do.
    pub fn evict(&self) {}

    /// The parameters.
    pub fn parameters(&self) -> &Arc<Parameters> {
        &self.0
    }
}
