use super::*;

#[cfg(not(interlock_shuttle))]
mod threads {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::error::Shortfall;

    /// Over when it is told so.
    #[derive(Clone, Debug, Default)]
    struct Flag(Arc<AtomicBool>);

    impl Fence for Flag {
        fn is_over(&self) -> bool {
            self.0.load(Ordering::SeqCst)
        }
    }

    /// Has so many bytes, and blocks that nobody uses.
    #[derive(Debug, Default)]
    struct Fake {
        bytes: Arc<AtomicUsize>,
        broken: bool,
        fails_to_shrink: bool,
        mapped: Arc<AtomicUsize>,
        idle: Arc<Mutex<Vec<Block<Flag, Fake>>>>,
    }

    impl Backing for Fake {
        fn grow(&self, to_bytes: usize) -> Result<usize, Error> {
            if self.broken {
                return Err(Error::EmptySrs);
            }
            let mapped = to_bytes.min(self.bytes.load(Ordering::SeqCst));
            self.mapped.store(mapped, Ordering::SeqCst);
            Ok(mapped)
        }

        fn shrink(&self, to_bytes: usize) -> Result<usize, Error> {
            self.mapped.store(to_bytes, Ordering::SeqCst);
            if self.fails_to_shrink {
                return Err(Error::EmptySrs);
            }
            Ok(to_bytes)
        }

        fn reclaim(&self) -> bool {
            let block = lock(&self.idle).pop();
            block.is_some()
        }
    }

    fn on(backing: Fake) -> Arc<Memory<Flag, Fake>> {
        Memory::new(8192, 8192, backing)
    }

    fn memory(bytes: usize) -> Arc<Memory<Flag, Fake>> {
        Memory::new(bytes, bytes, Fake { bytes: Arc::new(bytes.into()), ..Fake::default() })
    }

    fn until(condition: impl Fn() -> bool) {
        while !condition() {
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn shortfall<T>(result: Result<T, Error>) -> Shortfall {
        match result {
            Err(Error::DeviceMemory(shortfall)) => shortfall,
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("there was room"),
        }
    }

    #[test]
    fn requests_are_served_in_order_and_none_overtakes() {
        let memory = memory(4096);
        let held = memory.acquire(&[4096]).unwrap();
        let (sender, served) = mpsc::channel();
        thread::scope(|scope| {
            // The second would fit beside the first long before it may.
            for (number, size) in [4096, 256, 2048].into_iter().enumerate() {
                let (memory, sender) = (&memory, sender.clone());
                scope.spawn(move || {
                    let blocks = memory.acquire(&[size]).unwrap();
                    sender.send(number).unwrap();
                    drop(blocks);
                });
                until(|| memory.waiting() == number + 1);
            }
            assert!(memory.try_acquire(&[256]).unwrap().is_none());
            drop(held);
        });
        let order: Vec<usize> = served.try_iter().collect();
        assert_eq!(order[0], 0);
        assert_eq!(order.len(), 3);
        assert_eq!((memory.used_bytes(), memory.waiting()), (0, 0));
    }

    #[test]
    fn what_never_fits_is_refused_at_once() {
        let memory = memory(4096);
        let _long = memory.acquire_long(&[1024]).unwrap();
        let _short = memory.acquire(&[2048]).unwrap();
        let expected = Shortfall { asked: 3328, budget: 4096, resident: 1024, largest: 3072 };
        assert_eq!(shortfall(memory.acquire(&[3328])), expected);
        assert_eq!(shortfall(memory.try_acquire(&[3328])), expected);
        assert_eq!(memory.shortfall(3328), expected);
        assert!(memory.try_acquire(&[3072]).unwrap().is_none());
        assert_eq!(memory.waiting(), 0);
    }

    #[test]
    fn blocks_nobody_uses_make_room() {
        let memory = memory(4096);
        let mut long = memory.acquire_long(&[1024, 1024]).unwrap();
        lock(&memory.backing.idle).append(&mut long);
        let short = memory.acquire(&[2048]).unwrap();
        assert_eq!(lock(&memory.backing.idle).len(), 2, "what fits needs no room made");
        drop(short);
        let blocks = memory.acquire(&[3072]).unwrap();
        assert_eq!(lock(&memory.backing.idle).len(), 1, "no more than needed is dropped");
        drop(blocks);
        assert_eq!(memory.acquire(&[4096]).unwrap().len(), 1);
    }

    #[test]
    fn memory_is_mapped_as_needed_and_given_back() {
        let memory = memory(8192);
        let low = memory.acquire(&[1024]).unwrap();
        let high = memory.acquire(&[2048]).unwrap();
        let mapped = || memory.backing.mapped.load(Ordering::SeqCst);
        assert_eq!(mapped(), 3072);
        let fence = Flag::default();
        high.into_iter().for_each(|block| block.release_after(fence.clone()));
        memory.give_back_idle().unwrap();
        assert_eq!(mapped(), 3072, "the device still uses it");
        fence.0.store(true, Ordering::SeqCst);
        memory.give_back_idle().unwrap();
        assert_eq!(mapped(), 1024);
        drop(low);
        memory.give_back_idle().unwrap();
        assert_eq!(mapped(), 0);
    }

    #[test]
    fn what_may_be_unmapped_is_mapped_before_it_is_used() {
        let mapped = Arc::new(AtomicUsize::new(0));
        let fake = Fake { bytes: Arc::new(8192.into()), fails_to_shrink: true, ..Fake::default() };
        let memory = on(Fake { mapped: mapped.clone(), ..fake });
        drop(memory.acquire(&[4096]).unwrap());
        assert!(matches!(memory.give_back_idle(), Err(Error::EmptySrs)));
        assert_eq!(mapped.load(Ordering::SeqCst), 0);
        let _block = memory.acquire(&[4096]).unwrap();
        assert_eq!(mapped.load(Ordering::SeqCst), 4096);
    }

    #[test]
    fn a_device_with_less_than_the_budget_lowers_it() {
        let memory = on(Fake { bytes: Arc::new(3072.into()), ..Fake::default() });
        let low = memory.acquire(&[2048]).unwrap();
        assert!(memory.try_acquire(&[2048]).unwrap().is_none());
        assert_eq!(memory.budget(), 3072);
        assert_eq!(shortfall(memory.acquire(&[4096])).budget, 3072);
        drop(low);
        assert_eq!(memory.used_bytes(), 0);
    }

    #[test]
    fn a_device_that_had_less_is_asked_again() {
        let bytes = Arc::new(AtomicUsize::new(4096));
        let memory = on(Fake { bytes: bytes.clone(), ..Fake::default() });
        assert_eq!(shortfall(memory.acquire(&[8192])).budget, 4096);
        bytes.store(8192, Ordering::SeqCst);
        assert_eq!(memory.acquire(&[8192]).unwrap()[0].bytes(), 8192);
        assert_eq!(memory.budget(), 8192);
    }

    #[test]
    fn a_device_that_fails_is_an_error_and_keeps_nothing() {
        let memory = on(Fake { broken: true, ..Fake::default() });
        assert!(matches!(memory.acquire(&[256]), Err(Error::EmptySrs)));
        assert_eq!((memory.used_bytes(), memory.waiting()), (0, 0));
    }

    #[test]
    fn whoever_waits_learns_of_a_lower_budget() {
        let memory = memory(4096);
        let held = memory.acquire(&[4096]).unwrap();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| memory.acquire(&[2048]).map(drop));
            let behind = scope.spawn(|| {
                until(|| memory.waiting() == 1);
                memory.acquire(&[512]).map(drop)
            });
            until(|| memory.waiting() == 2);
            memory.set_budget(1024);
            assert_eq!(shortfall(waiting.join().unwrap()).budget, 1024);
            drop(held);
            behind.join().unwrap().unwrap();
        });
    }

    #[test]
    fn a_released_block_can_be_had_at_once_behind_its_fence() {
        let memory = memory(4096);
        let fence = Flag::default();
        memory.acquire(&[4096]).unwrap().into_iter().for_each(|block| block.release_after(fence.clone()));
        let again = memory.try_acquire(&[4096]).unwrap().unwrap();
        assert_eq!(again[0].fences().count(), 1);
        drop(again);
        fence.0.store(true, Ordering::SeqCst);
        assert_eq!(memory.acquire(&[4096]).unwrap()[0].fences().count(), 0);
    }

    #[test]
    fn a_holder_that_panics_gives_back() {
        let memory = memory(4096);
        thread::scope(|scope| {
            let panicking = scope.spawn(|| {
                let _blocks = memory.acquire(&[4096]).unwrap();
                std::panic::resume_unwind(Box::new(()));
            });
            assert!(panicking.join().is_err());
        });
        assert_eq!(memory.acquire(&[4096]).unwrap().len(), 1);
    }
}

#[cfg(interlock_shuttle)]
mod models {
    use shuttle::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;
    use crate::lock::models::{choose, explore, panicking, threads, Inside, Log};
    use crate::lock::order::Order;

    const UNIT: usize = 256;

    #[derive(Clone, Debug)]
    struct Flag(std::sync::Arc<AtomicBool>);

    impl Fence for Flag {
        fn is_over(&self) -> bool {
            self.0.load(Ordering::SeqCst)
        }
    }

    /// Maps up to so many bytes, and fails or panics now and then.
    #[derive(Debug, Default)]
    struct Unsteady {
        bytes: usize,
        mapped: AtomicUsize,
        inside: Inside,
        whims: bool,
        idle: Mutex<Vec<Block<Flag, Unsteady>>>,
    }

    impl Backing for Unsteady {
        fn grow(&self, to_bytes: usize) -> Result<usize, Error> {
            self.inside.with(1, shuttle::thread::yield_now);
            match if self.whims { choose(8) } else { 7 } {
                0 => Err(Error::EmptySrs),
                1 => std::panic::resume_unwind(Box::new("on purpose")),
                _ => {
                    let mapped = to_bytes.min(self.bytes);
                    self.mapped.store(mapped, Ordering::SeqCst);
                    Ok(mapped)
                }
            }
        }

        fn shrink(&self, to_bytes: usize) -> Result<usize, Error> {
            self.inside.with(1, shuttle::thread::yield_now);
            self.mapped.store(to_bytes, Ordering::SeqCst);
            Ok(to_bytes)
        }

        fn reclaim(&self) -> bool {
            let block = lock(&self.idle).pop();
            block.is_some()
        }
    }

    fn memory(units: usize, whims: bool) -> Arc<Memory<Flag, Unsteady>> {
        let bytes = units * UNIT;
        Memory::new(bytes, bytes, Unsteady { bytes, whims, ..Unsteady::default() })
    }

    fn assert_all_is_back(memory: &Arc<Memory<Flag, Unsteady>>) {
        assert_eq!((memory.used_bytes(), memory.waiting()), (0, 0));
    }

    /// Ends a block in one of the ways there are.
    fn end(blocks: Vec<Block<Flag, Unsteady>>) {
        match choose(3) {
            0 => drop(blocks),
            1 => {
                let fence = Flag(Default::default());
                let over = fence.0.clone();
                blocks.into_iter().for_each(|block| block.release_after(fence.clone()));
                over.store(true, Ordering::SeqCst);
            }
            _ => panicking(|| drop(blocks)),
        }
    }

    /// One request, watched: who asks first is admitted first.
    fn watched(memory: &Arc<Memory<Flag, Unsteady>>, number: usize, sizes: &[usize], joined: &Log, admitted: &Log) {
        let place = joined.at(number, || Place::join(memory));
        let request = Request { sizes, term: Term::Short };
        let blocks = memory.request(&place, request, Patience::Endless).unwrap().unwrap();
        admitted.at(number, || ());
        drop(place);
        drop(blocks);
    }

    fn in_order(count: usize, sizes: impl Fn(usize) -> Vec<usize> + Send + Sync + 'static) {
        let memory = memory(4, false);
        let (joined, admitted) = (Log::default(), Log::default());
        let (first, then, shared) = (joined.clone(), admitted.clone(), memory.clone());
        threads(count, move |number| watched(&shared, number, &sizes(number), &joined, &admitted));
        assert_eq!(first.read(), then.read());
        assert_all_is_back(&memory);
    }

    #[test]
    fn nobody_is_overtaken_or_forgotten() {
        explore(|| in_order(4, |_| vec![(1 + choose(2)) * UNIT, (1 + choose(2)) * UNIT]));
    }

    /// Workers that end in every way, on a device that fails and panics, while the budget changes, memory is given back
    /// and long-lived blocks come and go: each call returns, and every byte comes back.
    #[test]
    fn bytes_are_conserved_whatever_fails() {
        explore(|| {
            let memory = memory(5, true);
            let shared = memory.clone();
            threads(4, move |number| {
                let sizes = [(1 + choose(3)) * UNIT, UNIT];
                let work = || match (number, choose(4)) {
                    (0, 0) => shared.set_budget((2 + choose(4)) * UNIT),
                    (0, 1) => drop(shared.give_back_idle()),
                    (1, 0) => {
                        if let Ok(mut long) = shared.acquire_long(&sizes[1..]) {
                            lock(&shared.backing.idle).append(&mut long);
                        }
                    }
                    (_, 2) => drop(shared.try_acquire(&sizes).map(|blocks| blocks.map(end))),
                    _ => drop(shared.acquire(&sizes).map(end)),
                };
                // The device's panic, if it was one.
                let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            });
            let idle = std::mem::take(&mut *lock(&memory.backing.idle));
            drop(idle);
            assert_all_is_back(&memory);
        });
    }

    /// A block's bytes are mapped whenever it is held, also if others give back what is idle.
    #[test]
    fn blocks_are_mapped() {
        explore(|| {
            let memory = memory(4, false);
            let shared = memory.clone();
            threads(3, move |number| {
                if number == 0 {
                    shared.give_back_idle().unwrap();
                    return;
                }
                let blocks = shared.acquire(&[number * UNIT]).unwrap();
                let end = blocks.iter().map(|block| block.offset() + block.bytes()).max().unwrap();
                shuttle::thread::yield_now();
                assert!(end <= shared.backing.mapped.load(Ordering::SeqCst));
            });
        });
    }

    #[test]
    fn whoever_waits_learns_of_a_lower_budget() {
        explore(|| {
            let memory = memory(4, false);
            let held = memory.acquire(&[4 * UNIT]).unwrap();
            let (waiter, lowering) = (memory.clone(), memory.clone());
            let waiting = shuttle::thread::spawn(move || waiter.acquire(&[2 * UNIT]).map(drop));
            let lowering = shuttle::thread::spawn(move || lowering.set_budget(UNIT));
            assert!(matches!(waiting.join().unwrap(), Err(Error::DeviceMemory(_))));
            lowering.join().unwrap();
            drop(held);
        });
    }

    /// Two phases each: what a worker holds is released, behind its fence, before it asks for more.
    #[test]
    fn workers_of_two_phases_end() {
        explore(|| {
            let memory = memory(4, false);
            let shared = memory.clone();
            threads(3, move |_| {
                for units in [3, 2] {
                    let fence = Flag(Default::default());
                    let blocks = shared.acquire(&[units * UNIT]).unwrap();
                    blocks.into_iter().for_each(|block| block.release_after(fence.clone()));
                    fence.0.store(true, Ordering::SeqCst);
                }
            });
            assert_all_is_back(&memory);
        });
    }

    /// What a worker keeps of its blocks while it waits for a turn comes back: whoever has the turn asks for no blocks.
    #[test]
    fn workers_that_wait_for_a_turn_with_blocks_end() {
        explore(|| {
            let (memory, turns) = (memory(3, false), Arc::new(Order::new(1)));
            let shared = memory.clone();
            threads(3, move |_| {
                let fence = Flag(Default::default());
                let mut blocks = shared.acquire(&[UNIT, UNIT]).unwrap();
                blocks.pop().unwrap().release_after(fence.clone());
                let turn = turns.turn();
                blocks.pop().unwrap().release_after(fence.clone());
                drop(turn);
                fence.0.store(true, Ordering::SeqCst);
            });
            assert_all_is_back(&memory);
        });
    }

    /// Few workers at a time ask for the blocks of their second phase, whose turn comes before the blocks; others go on with their first. Some
    /// fail in between: their turns go on.
    #[test]
    fn workers_that_wait_for_blocks_with_a_turn_end() {
        explore(|| {
            let (memory, turns, inside) = (memory(4, false), Arc::new(Order::new(2)), Inside::default());
            let (shared, queue) = (memory.clone(), turns.clone());
            threads(4, move |_| {
                drop(shared.acquire(&[2 * UNIT]).unwrap());
                let turn = queue.turn();
                inside.with(2, || {
                    let fence = Flag(Default::default());
                    let blocks = shared.acquire(&[(2 + choose(2)) * UNIT]).unwrap();
                    if choose(3) == 0 {
                        return panicking(|| drop(blocks));
                    }
                    blocks.into_iter().for_each(|block| block.release_after(fence.clone()));
                    fence.0.store(true, Ordering::SeqCst);
                });
                drop(turn);
            });
            drop((turns.turn(), turns.turn()));
            assert_all_is_back(&memory);
        });
    }
}
