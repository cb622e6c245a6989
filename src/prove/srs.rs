//! The handle to parameters that a backend has loaded.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::select::{select, Selected};
use crate::error::Error;
use crate::params::{self, Parameters};
use crate::trace::{self, Call};
use crate::{logging, settings, threads};

/// A reference-counted handle to loaded parameters. Cloning it shares them.
#[derive(Clone, Debug)]
pub struct Srs(Arc<Parameters>);

impl Srs {
    /// Loads the parameter file at `path`, or shares the copy that is already in memory.
    ///
    /// Returns when every point has been read and checked by the backend that would prove now: each coordinate below the
    /// field's modulus, the curve equation, and, if [`settings::check_subgroup`] says so, the order r, which the CPU's
    /// threads do whichever backend it is. The CPU backend has the points in memory then, the GPU backend on a device;
    /// another that proves reads the file, which stays open, once more. A file is the same file under all its names,
    /// until it is replaced or written to; of several callers who open it at once, one loads it and the others wait.
    ///
    /// With `cache`, the parameters also stay in memory when the last handle is dropped, until [`Srs::evict`] or until
    /// [`settings::srs_cache_capacity`] other files have been used since.
    ///
    /// # Errors
    /// [`Error::File`] if the system does not let the file be read, [`Error::Params`] with the first thing that is wrong
    /// in the file, [`Error::OutOfMemory`], [`Error::Threads`] if no threads can be had to read it,
    /// [`Error::NoGpu`] if a GPU was asked for and none can prove, [`Error::Cuda`], and [`Error::Setting`] if a variable of
    /// the environment that matters here is neither of what it may be. Nothing is kept of a failed load: the next call
    /// tries again.
    pub fn open(path: impl AsRef<Path>, cache: bool) -> Result<Self, Error> {
        Self::open_on(path.as_ref(), cache, |params| select(None, Some(params)))
    }

    fn open_on(
        path: &Path,
        cache: bool,
        select: impl FnOnce(&Parameters) -> Result<Selected, Error>,
    ) -> Result<Self, Error> {
        threads::check_not_forked()?;
        let call = Call::begin();
        let _within = call.enter();
        let _whole = trace::span(c"opening parameters");
        let loaded = params::cache();
        // All of these before the load: they may log, and a log callback may load the same file.
        let check_subgroup = settings::check_subgroup()?;
        settings::h_multiples()?;
        settings::cpu_threads();
        let opened = Parameters::open(path, check_subgroup)?;
        let selected = select(&opened)?;
        let mut took = None;
        let params = loaded.get_or_load(path, opened, cache, |params| {
            let start = Instant::now();
            let _loading = trace::span(c"loading parameters");
            let (by, instead_because) = selected.load(params)?;
            took = Some((by.name(), instead_because, start.elapsed()));
            Ok(())
        })?;
        // Not before others who wait for this load have it: a log callback may be one of them.
        if let Some((by, instead_because, time)) = took {
            if let Some(why) = instead_because {
                logging::warning!("loading parameters for the {by}, which takes longer and proves more slowly: {why}");
            }
            logging::info!(
                "parameter file {}: domain 2^{}, {} bytes, read and checked for the {by} in {:.3} s",
                path.display(),
                params.domain_log2(),
                params.file_bytes(),
                time.as_secs_f64()
            );
        }
        Ok(Self(params))
    }

    /// Drops the cache's own reference to these parameters, so that they go when the last handle and the last proof do.
    /// Does nothing if the cache has none.
    pub fn evict(&self) {
        params::cache().evict(&self.0);
    }

    /// The parameters.
    pub fn parameters(&self) -> &Arc<Parameters> {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::Barrier;
    use std::thread;

    use super::*;
    use crate::params::Sample;
    use crate::prove::fake::{Fake, OUTCOMES};
    use crate::prove::Backend;

    /// A parameter file that goes with its test.
    struct File(PathBuf);

    impl File {
        fn new() -> Self {
            static FILES: AtomicUsize = AtomicUsize::new(0);
            let name = format!("interlock-srs-{}-{}", std::process::id(), FILES.fetch_add(1, Ordering::Relaxed));
            let path = std::env::temp_dir().join(name);
            std::fs::write(&path, Sample { ic: 1, h: 3, l: 2, a: 2, b: 1 }.bytes()).unwrap();
            Self(path)
        }

        fn open(&self, backend: &'static Fake, instead: Option<&'static Fake>) -> Result<Srs, Error> {
            let instead = instead.map(|fake| fake as &dyn Backend);
            Srs::open_on(&self.0, false, |_| Ok(Selected { backend, instead }))
        }
    }

    impl Drop for File {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    #[test]
    fn racing_callers_have_the_backend_load_once() {
        let (file, backend, start) = (File::new(), Fake::that_succeeds(), Barrier::new(4));
        let opened: Vec<Srs> = thread::scope(|scope| {
            let open = || {
                start.wait();
                file.open(backend, None).unwrap()
            };
            let callers = [(); 4].map(|()| scope.spawn(open));
            callers.into_iter().map(|caller| caller.join().unwrap()).collect()
        });
        assert!(opened.iter().all(|srs| Arc::ptr_eq(srs.parameters(), opened[0].parameters())));
        assert_eq!(backend.loads(), 1);
        drop(opened);
        file.open(backend, None).unwrap();
        assert_eq!(backend.loads(), 2);
    }

    #[test]
    fn only_a_device_without_memory_makes_another_backend_load() {
        for (number, (outcome, is_for_another)) in OUTCOMES.into_iter().enumerate() {
            for with_another in [false, true] {
                let (file, backend, another) = (File::new(), Fake::new(outcome), Fake::that_succeeds());
                let asked = with_another && is_for_another;
                let opened = file.open(backend, with_another.then_some(another)).map(drop);
                assert_eq!((backend.loads(), another.loads()), (1, asked.into()), "{number}");
                let expected = if asked { Ok(()) } else { outcome() };
                assert_eq!(opened.map_err(|error| error.to_string()), expected.map_err(|error| error.to_string()));
            }
        }
    }
}
