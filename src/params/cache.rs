//! What has been loaded: one copy of each file in memory, and the files that stay there while nobody uses them.

use std::collections::HashMap;
use std::mem::take;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use super::failure::Failure;
use super::file::FileId;
use super::srs::Parameters;
use crate::error::Error;

type Outcome = Result<Arc<Parameters>, Arc<Failure>>;

/// The parameters of each file that are in memory. Its lock is never held while a file is read or memory is freed.
#[derive(Debug)]
pub(crate) struct Cache {
    capacity: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    loading: HashMap<FileId, Arc<Flight>>,
    live: HashMap<FileId, Weak<Parameters>>,
    /// What the cache itself keeps alive, the least recently used first.
    kept: Vec<(FileId, Arc<Parameters>)>,
}

impl Cache {
    /// A cache that keeps up to `capacity` files alive by itself.
    pub(super) fn new(capacity: usize) -> Self {
        Self { capacity, state: Mutex::default() }
    }

    /// The parameters of the file that was `opened` under the name `path`: those in memory, or those that another caller is
    /// loading, or these, on which `load` is called. If `keep` says so, the cache keeps them alive.
    ///
    /// # Errors
    /// What `load`, of this or of the other caller, reports, for the file `path`. The next call tries again.
    pub(crate) fn get_or_load(
        &self,
        path: &Path,
        opened: Parameters,
        keep: bool,
        load: impl FnOnce(&Parameters) -> Result<(), Error>,
    ) -> Result<Arc<Parameters>, Error> {
        let id = opened.id();
        let load = || load(&opened).map_err(Failure::from).map(|()| opened);
        self.get_or(id, keep, load).map_err(|failure| failure.at(path))
    }

    fn get_or(&self, id: FileId, keep: bool, load: impl FnOnce() -> Result<Parameters, Failure>) -> Outcome {
        let params = match self.find(id) {
            Found::Live(params) => params,
            Found::Loading(flight) => flight.wait()?,
            Found::Nothing(flight) => {
                let mut landing = Landing { cache: self, id, flight, outcome: Err(Arc::new(Failure::Panicked)) };
                landing.outcome = load().map(Arc::new).map_err(Arc::new);
                landing.outcome.clone()?
            }
        };
        self.touch(id, &params, keep);
        Ok(params)
    }

    /// Drops the cache's own reference to `params`, if it has one.
    pub(crate) fn evict(&self, params: &Arc<Parameters>) {
        let mut state = self.lock();
        let evicted = state.kept.iter().position(|(_, kept)| Arc::ptr_eq(kept, params)).map(|i| state.kept.remove(i));
        drop(state);
        drop(evicted);
    }

    fn find(&self, id: FileId) -> Found {
        let mut state = self.lock();
        if let Some(params) = state.live.get(&id).and_then(Weak::upgrade) {
            return Found::Live(params);
        }
        if let Some(flight) = state.loading.get(&id) {
            return Found::Loading(flight.clone());
        }
        let flight = Arc::new(Flight::default());
        state.loading.insert(id, flight.clone());
        Found::Nothing(flight)
    }

    /// Makes `params` the most recently used, if the cache keeps them or `keep` asks it to.
    fn touch(&self, id: FileId, params: &Arc<Parameters>, keep: bool) {
        let mut state = self.lock();
        let was_kept = state.kept.iter().any(|(kept, _)| *kept == id);
        let mut dropped = Vec::new();
        if keep || was_kept {
            // An earlier content of the same file cannot be asked for again.
            (dropped, state.kept) = take(&mut state.kept).into_iter().partition(|(kept, _)| kept.is_same_file(&id));
            state.kept.push((id, params.clone()));
            let excess = state.kept.len().saturating_sub(self.capacity);
            dropped.extend(state.kept.drain(..excess));
        }
        drop(state);
        drop(dropped);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Found {
    Live(Arc<Parameters>),
    Loading(Arc<Flight>),
    /// The caller loads, and the others wait for this.
    Nothing(Arc<Flight>),
}

/// A load that others wait for.
#[derive(Debug, Default)]
struct Flight {
    outcome: Mutex<Option<Outcome>>,
    landed: Condvar,
}

impl Flight {
    fn wait(&self) -> Outcome {
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(outcome) = &*outcome {
                return outcome.clone();
            }
            outcome = self.landed.wait(outcome).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Tells all who wait how a load ended when it is dropped, even by a panic.
struct Landing<'a> {
    cache: &'a Cache,
    id: FileId,
    flight: Arc<Flight>,
    outcome: Outcome,
}

impl Drop for Landing<'_> {
    fn drop(&mut self) {
        let mut state = self.cache.lock();
        state.loading.remove(&self.id);
        state.live.retain(|_, params| params.strong_count() > 0);
        if let Ok(params) = &self.outcome {
            state.live.insert(self.id, Arc::downgrade(params));
        }
        drop(state);
        *self.flight.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(self.outcome.clone());
        self.flight.landed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::Barrier;
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::error::ParamsFault;
    use crate::params::sample::Sample;

    fn id(inode: u64) -> FileId {
        FileId { device: 1, inode, size: 1000, modified: (0, 0) }
    }

    fn loaded() -> Result<Parameters, Failure> {
        Ok(Sample { ic: 1, h: 1, l: 1, a: 1, b: 1 }.parameters())
    }

    fn not_called() -> Result<Parameters, Failure> {
        panic!("loaded again")
    }

    fn kept(cache: &Cache) -> Vec<u64> {
        cache.lock().kept.iter().map(|(id, _)| id.inode).collect()
    }

    /// Returns when `waiters` others wait for the load of `id`.
    fn await_waiters(cache: &Cache, id: FileId, waiters: usize) {
        let start = Instant::now();
        // The map and the one who loads have one each.
        while cache.lock().loading.get(&id).map_or(0, Arc::strong_count) < waiters + 2 {
            assert!(start.elapsed() < Duration::from_secs(20), "the others do not come");
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// What each of four racing callers gets; the one who loads waits for the others first.
    fn race(cache: &Cache, load: impl Fn() -> Result<Parameters, Failure> + Sync) -> Vec<thread::Result<Outcome>> {
        let start = Barrier::new(4);
        thread::scope(|scope| {
            let caller = || {
                start.wait();
                cache.get_or(id(1), false, || {
                    await_waiters(cache, id(1), 3);
                    load()
                })
            };
            let callers = [(); 4].map(|()| scope.spawn(caller));
            callers.into_iter().map(|caller| caller.join()).collect()
        })
    }

    #[test]
    fn racing_callers_share_one_load() {
        let (cache, loads) = (Cache::new(4), AtomicUsize::new(0));
        let outcomes = race(&cache, || {
            loads.fetch_add(1, Ordering::SeqCst);
            loaded()
        });
        let params: Vec<_> = outcomes.into_iter().map(|outcome| outcome.unwrap().unwrap()).collect();
        assert_eq!(loads.into_inner(), 1);
        assert!(params.iter().all(|other| Arc::ptr_eq(&params[0], other)));
    }

    #[test]
    fn a_failed_load_is_everyones_and_is_tried_again() {
        let (cache, loads) = (Cache::new(4), AtomicUsize::new(0));
        let outcomes = race(&cache, || {
            loads.fetch_add(1, Ordering::SeqCst);
            Err(ParamsFault::Changed.into())
        });
        assert_eq!(loads.into_inner(), 1);
        for outcome in outcomes {
            assert!(matches!(&*outcome.unwrap().unwrap_err(), Failure::Fault(ParamsFault::Changed)));
        }
        assert!(cache.get_or(id(1), false, loaded).is_ok());
    }

    #[test]
    fn a_panic_of_the_one_who_loads_leaves_nobody_waiting() {
        let cache = Cache::new(4);
        let outcomes = race(&cache, || panic!("inside"));
        let panicked = |outcome: &&thread::Result<Outcome>| outcome.is_err();
        assert_eq!(outcomes.iter().filter(panicked).count(), 1);
        for outcome in outcomes.into_iter().flatten() {
            assert!(matches!(&*outcome.unwrap_err(), Failure::Panicked));
        }
        assert!(cache.get_or(id(1), false, loaded).is_ok());
    }

    #[test]
    fn one_who_waited_can_have_it_kept() {
        let cache = Cache::new(4);
        thread::scope(|scope| {
            let first = scope.spawn(|| {
                cache.get_or(id(1), false, || {
                    await_waiters(&cache, id(1), 1);
                    loaded()
                })
            });
            while cache.lock().loading.is_empty() {
                thread::yield_now();
            }
            cache.get_or(id(1), true, not_called).unwrap();
            first.join().unwrap().unwrap();
        });
        assert_eq!(kept(&cache), [1]);
    }

    #[test]
    fn what_someone_holds_is_shared_though_it_is_not_kept() {
        let cache = Cache::new(4);
        let first = cache.get_or(id(1), false, loaded).unwrap();
        let second = cache.get_or(id(1), false, not_called).unwrap();
        assert!(Arc::ptr_eq(&first, &second));
        assert!(kept(&cache).is_empty());
        drop((first, second));
        let loads = AtomicUsize::new(0);
        let again = cache.get_or(id(1), false, || {
            loads.fetch_add(1, Ordering::SeqCst);
            loaded()
        });
        assert!(again.is_ok());
        assert_eq!(loads.into_inner(), 1);
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let cache = Cache::new(2);
        let weak = |inode, keep| Arc::downgrade(&cache.get_or(id(inode), keep, loaded).unwrap());
        let (first, second) = (weak(1, true), weak(2, true));
        // A use is a use, with or without `keep`.
        weak(1, false);
        let third = weak(3, true);
        assert_eq!(kept(&cache), [1, 3]);
        assert!(first.upgrade().is_some() && second.upgrade().is_none() && third.upgrade().is_some());
        weak(4, false);
        weak(1, true);
        weak(5, true);
        assert_eq!(kept(&cache), [1, 5]);
        assert!(third.upgrade().is_none());
    }

    #[test]
    fn a_cache_of_none_keeps_none() {
        let cache = Cache::new(0);
        let params = cache.get_or(id(1), true, loaded).unwrap();
        assert!(kept(&cache).is_empty());
        let weak = Arc::downgrade(&params);
        drop(params);
        assert!(weak.upgrade().is_none());
    }

    #[test]
    fn eviction_ends_keeping_and_nothing_else() {
        let cache = Cache::new(4);
        let params = cache.get_or(id(1), true, loaded).unwrap();
        cache.evict(&params);
        cache.evict(&params);
        assert!(kept(&cache).is_empty());
        assert_eq!(params.counts.h, 1);
        assert!(Arc::ptr_eq(&params, &cache.get_or(id(1), false, not_called).unwrap()));
        let weak = Arc::downgrade(&params);
        drop(params);
        assert!(weak.upgrade().is_none());
    }

    #[test]
    fn an_earlier_content_of_a_file_is_not_kept() {
        let cache = Cache::new(4);
        let earlier = Arc::downgrade(&cache.get_or(id(1), true, loaded).unwrap());
        let now = FileId { modified: (0, 1), ..id(1) };
        cache.get_or(now, true, loaded).unwrap();
        assert!(earlier.upgrade().is_none());
        assert_eq!(cache.lock().kept.len(), 1);
    }

    #[test]
    fn what_is_gone_leaves_no_entry() {
        let cache = Cache::new(4);
        for inode in 0..10 {
            cache.get_or(id(inode), false, loaded).unwrap();
        }
        let state = cache.lock();
        assert!(state.live.len() <= 1 && state.loading.is_empty());
    }
}
