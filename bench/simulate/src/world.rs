//! Simulated time, and the tasks that live in it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::future::{poll_fn, Future};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use interlock::kit::admission::Fence;

/// A moment, in microseconds from the start.
pub type Moment = u64;

/// A moment that the device reaches.
#[derive(Clone, Debug)]
pub struct Point {
    pub at: Moment,
    clock: Arc<AtomicU64>,
}

impl Fence for Point {
    fn is_over(&self) -> bool {
        self.clock.load(Ordering::Relaxed) >= self.at
    }
}

/// The clock, and who waits for it.
#[derive(Clone, Default)]
pub struct World(Rc<State>);

#[derive(Default)]
struct State {
    clock: Arc<AtomicU64>,
    alarms: RefCell<BTreeSet<Moment>>,
    /// Whether something happened that others may wait for.
    stirred: Cell<bool>,
}

impl World {
    pub fn now(&self) -> Moment {
        self.0.clock.load(Ordering::Relaxed)
    }

    pub fn point(&self, at: Moment) -> Point {
        Point { at, clock: self.0.clock.clone() }
    }

    /// Lets those who wait for a condition look again.
    pub fn stir(&self) {
        self.0.stirred.set(true);
    }

    pub async fn until(&self, moment: Moment) {
        self.0.alarms.borrow_mut().insert(moment);
        self.when(|| (self.now() >= moment).then_some(())).await;
    }

    /// Waits for `look` to find something.
    pub async fn when<T>(&self, mut look: impl FnMut() -> Option<T>) -> T {
        poll_fn(|_| match look() {
            Some(found) => {
                self.stir();
                Poll::Ready(found)
            }
            None => Poll::Pending,
        })
        .await
    }

    /// Runs tasks until none can go on, and says whether all have ended.
    pub fn run<'a>(&self, mut tasks: Vec<Pin<Box<dyn Future<Output = ()> + 'a>>>) -> bool {
        let mut context = Context::from_waker(Waker::noop());
        loop {
            self.0.stirred.set(false);
            tasks.retain_mut(|task| task.as_mut().poll(&mut context).is_pending());
            if self.0.stirred.get() {
                continue;
            }
            match self.0.alarms.borrow_mut().pop_first() {
                Some(next) => self.0.clock.store(next.max(self.now()), Ordering::Relaxed),
                None => return tasks.is_empty(),
            }
        }
    }
}

/// Something that does so many things at a time, in the order of asking: a stream of a device, or a CPU.
pub struct Engine {
    world: World,
    /// When each of its lanes is free.
    lanes: RefCell<Vec<Moment>>,
    busy: Cell<Moment>,
}

impl Engine {
    pub fn new(world: &World, lanes: usize) -> Self {
        Self { world: world.clone(), lanes: RefCell::new(vec![0; lanes]), busy: Cell::new(0) }
    }

    /// Adds work of so many seconds that cannot start before `after`, and returns when it ends.
    pub fn enqueue(&self, after: Moment, seconds: f64) -> Moment {
        let work = (seconds * 1e6).round() as Moment;
        let mut lanes = self.lanes.borrow_mut();
        let lane = (0..lanes.len()).min_by_key(|lane| lanes[*lane]).unwrap_or(0);
        lanes[lane] = lanes[lane].max(self.world.now()).max(after) + work;
        self.busy.set(self.busy.get() + work);
        lanes[lane]
    }

    /// Waits for work of so many seconds.
    pub async fn run(&self, seconds: f64) {
        self.world.until(self.enqueue(0, seconds)).await;
    }

    /// When all that was added has ended.
    pub fn idle_at(&self) -> Moment {
        self.lanes.borrow().iter().copied().max().unwrap_or(0)
    }

    /// Seconds of work in all.
    pub fn busy_seconds(&self) -> f64 {
        self.busy.get() as f64 / 1e6
    }
}

/// A mutex that serves in the order of asking.
pub struct Mutex {
    world: World,
    asked: Cell<u64>,
    served: Cell<u64>,
}

impl Mutex {
    pub fn new(world: &World) -> Self {
        Self { world: world.clone(), asked: Cell::new(0), served: Cell::new(0) }
    }

    pub async fn lock(&self) {
        let number = self.asked.replace(self.asked.get() + 1);
        self.world.when(|| (self.served.get() == number).then_some(())).await;
    }

    pub fn unlock(&self) {
        self.served.set(self.served.get() + 1);
        self.world.stir();
    }
}
