//! What is simulated: the work, who does it, and what came of it.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;

use crate::world::{Engine, Moment, World};

pub const GIB: usize = 1 << 30;

/// The partitions of a proof.
pub const PARTITIONS: usize = 10;

/// Work of a partition that is done with bytes which are had at once.
#[derive(Clone, Debug, PartialEq)]
pub struct Phase {
    /// Seconds on the CPU, before any bytes are needed.
    pub cpu: f64,
    /// Seconds of the upload.
    pub upload: f64,
    /// Kernels in order.
    pub kernels: Vec<Kernel>,
}

/// Kernels, and the bytes that nothing needs after them.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    pub seconds: f64,
    pub bytes: usize,
}

/// Who works on what: each worker makes proofs, one after the other, and the partitions of each one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    pub workers: usize,
    /// Of each worker.
    pub proofs: usize,
    /// How many workers the CPU serves at once without any of them getting slower.
    pub cpus: usize,
    /// Bytes of device memory.
    pub budget: usize,
}

/// The hardware, and what was done with it.
pub struct Machine {
    pub world: World,
    pub cpu: Engine,
    pub copy: Engine,
    pub compute: Engine,
    load: Load,
    pub failures: Cell<usize>,
    /// How long each took but every worker's first: all begin with those at once.
    partitions: RefCell<Vec<Moment>>,
    proofs: RefCell<Vec<Moment>>,
    noise: Cell<u64>,
}

impl Machine {
    pub fn new(load: Load, seed: u64) -> Self {
        let world = World::default();
        Self {
            cpu: Engine::new(&world, load.cpus),
            copy: Engine::new(&world, 1),
            compute: Engine::new(&world, 1),
            world,
            load,
            failures: Cell::new(0),
            partitions: RefCell::default(),
            proofs: RefCell::default(),
            noise: Cell::new(seed),
        }
    }

    /// Lets every worker make its partitions with `partition`.
    pub fn run<P: Future<Output = ()>>(&self, partition: impl Fn() -> P) -> Outcome {
        let (world, partition) = (&self.world, &partition);
        let worker = || async move {
            for proof in 0..self.load.proofs {
                let begun = world.now();
                for number in 0..PARTITIONS {
                    let begun = world.now();
                    partition().await;
                    if (proof, number) > (0, 0) {
                        self.partitions.borrow_mut().push(world.now() - begun);
                    }
                }
                self.proofs.borrow_mut().push(world.now() - begun);
            }
        };
        let workers = (0..self.load.workers).map(|_| Box::pin(worker()) as Pin<Box<dyn Future<Output = ()> + '_>>);
        assert!(world.run(workers.collect()), "workers wait for each other");
        self.outcome()
    }

    /// A time, up to 5 % shorter or longer: no two partitions are quite alike.
    pub fn about(&self, seconds: f64) -> f64 {
        let mut noise = self.noise.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.noise.set(noise);
        noise = (noise ^ noise >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        noise = (noise ^ noise >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        let unit = (noise >> 11) as f64 / (1u64 << 53) as f64;
        seconds * (0.95 + 0.1 * unit)
    }

    fn outcome(&self) -> Outcome {
        let seconds = self.world.now() as f64 / 1e6;
        let mut partitions = self.partitions.borrow_mut();
        let proofs = self.proofs.borrow();
        partitions.sort_unstable();
        let median = partitions.get(partitions.len() / 2).copied().unwrap_or(0) as f64;
        let slowest = partitions.last().copied().unwrap_or(0) as f64;
        Outcome {
            proof: proofs.iter().sum::<Moment>() as f64 / 1e6 / proofs.len() as f64,
            share: seconds / proofs.len() as f64,
            busy: self.compute.busy_seconds() / seconds,
            slowest: slowest / median,
            failures: self.failures.get() as f64 / proofs.len() as f64,
        }
    }
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outcome {
    /// Seconds from a proof's begin to its end.
    pub proof: f64,
    /// Seconds in all by the number of proofs.
    pub share: f64,
    /// The part of the time in which kernels ran.
    pub busy: f64,
    /// The slowest partition by the median one.
    pub slowest: f64,
    /// Partitions a proof that failed and were made again.
    pub failures: f64,
}

impl Outcome {
    /// The mean over a few runs.
    pub fn mean(runs: &[Self]) -> Self {
        let mean = |what: fn(&Self) -> f64| runs.iter().map(what).sum::<f64>() / runs.len() as f64;
        Self {
            proof: mean(|run| run.proof),
            share: mean(|run| run.share),
            busy: mean(|run| run.busy),
            slowest: mean(|run| run.slowest),
            failures: mean(|run| run.failures),
        }
    }
}
