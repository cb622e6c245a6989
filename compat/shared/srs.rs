//! The parameters of a circuit.

use std::fmt;
use std::path::PathBuf;

use super::Error;

/// The parameters of a circuit, loaded; or, by [`Default`], nothing. Clones share them.
#[derive(Clone, Default)]
#[allow(clippy::upper_case_acronyms)] // The name that callers import.
pub struct SRS(Option<interlock::Srs>);

const _: () = {
    const fn shared_between_threads<T: Send + Sync>() {}
    shared_between_threads::<SRS>();
};

impl SRS {
    /// Loads the parameter file at `srs_path`, which may be any path, every point of it checked. With `cache`, the
    /// library keeps the parameters until they are evicted, and the next load of that file shares them.
    ///
    /// # Errors
    /// What is wrong with the file, or that memory or the device is.
    pub fn try_new(srs_path: PathBuf, cache: bool) -> Result<Self, Error> {
        Ok(Self(Some(interlock::Srs::open(&srs_path, cache)?)))
    }

    /// Drops the cache's reference to these parameters. They go when the last clone and the last proof do.
    pub fn evict(&self) {
        if let Some(srs) = &self.0 {
            srs.evict();
        }
    }

    pub(crate) fn get(&self) -> Option<&interlock::Srs> {
        self.0.as_ref()
    }
}

impl fmt::Debug for SRS {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("SRS");
        if let Some(srs) = &self.0 {
            let parameters = srs.parameters();
            out.field("inputs", &parameters.counts.inputs).field("domain_size", &parameters.domain_size());
        }
        out.finish()
    }
}
