//! Parameter files: layout, reading, and the cache of what has been read.

mod cache;
mod decode;
mod failure;
mod file;
mod layout;
mod load;
mod srs;

use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use self::cache::Cache;
use self::failure::Failure;
use self::file::ParamsFile;
use crate::error::Error;
use crate::{logging, settings, threads};

pub use srs::Parameters;

/// A reference-counted handle to loaded parameters. Cloning it shares them.
#[derive(Clone, Debug)]
pub struct Srs(Arc<Parameters>);

impl Srs {
    /// Loads the parameter file at `path`, or shares the copy that is already in memory.
    ///
    /// Returns when every point is in memory and checked: each coordinate below the field's modulus, the curve equation,
    /// and, if [`settings::check_subgroup`] says so, the order r. A file is the same file under all its names, until it is
    /// replaced or written to; of several callers who open it at once, one loads it and the others wait.
    ///
    /// With `cache`, the parameters also stay in memory when the last handle is dropped, until [`Srs::evict`] or until
    /// [`settings::srs_cache_capacity`] other files have been used since.
    ///
    /// # Errors
    /// [`Error::File`] if the system does not let the file be read, [`Error::Params`] with the first thing that is wrong
    /// in the file, [`Error::OutOfMemory`], [`Error::Threads`] if no threads can be had to read it, and
    /// [`Error::Setting`] if INTERLOCK_CHECK_SUBGROUP is neither 0 nor 1. Nothing is kept of
    /// a failed load: the next call tries again.
    pub fn open(path: &Path, cache: bool) -> Result<Self, Error> {
        threads::check_not_forked()?;
        let loaded = Self::cache();
        // Both before the load: they may log, and a log callback may load the same file.
        let check_subgroup = settings::check_subgroup()?;
        settings::cpu_threads();
        let mut took = None;
        let mut open = || -> Result<_, Arc<Failure>> {
            let file = ParamsFile::open(path)?;
            let start = Instant::now();
            loaded.get_or_load(file.id, cache, || {
                let params = load(&file, check_subgroup)?;
                took = Some((file.id.size, start.elapsed()));
                Ok(params)
            })
        };
        let params = open().map_err(|failure| failure.at(path))?;
        // Not before others who wait for this load have it: a log callback may be one of them.
        if let Some((size, time)) = took {
            logging::info!(
                "parameter file {}: domain 2^{}, {size} bytes, read and checked in {:.3} s",
                path.display(),
                params.domain_log2(),
                time.as_secs_f64()
            );
        }
        Ok(Self(params))
    }

    /// Drops the cache's own reference to these parameters, so that they go when the last handle and the last proof do.
    /// Does nothing if the cache has none.
    pub fn evict(&self) {
        Self::cache().evict(&self.0);
    }

    /// The parameters.
    pub fn parameters(&self) -> &Arc<Parameters> {
        &self.0
    }

    fn cache() -> &'static Cache {
        static CACHE: OnceLock<Cache> = OnceLock::new();
        let capacity = settings::srs_cache_capacity();
        CACHE.get_or_init(|| Cache::new(capacity))
    }
}

fn load(file: &ParamsFile, check_subgroup: bool) -> Result<Parameters, Failure> {
    let params = threads::install(|| load::read(&file.file, file.id.size, check_subgroup));
    // What looks like a fault of a file that something is writing is none.
    file.check_unchanged()?;
    params?
}

#[cfg(test)]
mod sample;
#[cfg(test)]
mod tests;
