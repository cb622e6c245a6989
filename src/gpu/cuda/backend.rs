//! The GPU backend.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::circuit::{enqueue, Circuit};
use super::engine::Engine;
use super::resident::Resident;
use super::results::Results;
use super::{budget, devices, DeviceGuard};
use crate::cpu::{assemble, Sums};
use crate::curve::Proof;
use crate::error::Error;
use crate::logging;
use crate::params::Parameters;
use crate::prove::{Backend, Batch, Blinding, Pending};

/// The backend that proves on the GPUs of this machine.
pub(super) struct Gpu {
    devices: Vec<Device>,
}

struct Device {
    ordinal: usize,
    memory: u64,
    supported: bool,
    engine: OnceLock<Engine>,
    starting: Mutex<()>,
}

impl Device {
    /// The engine, started when it is first asked for. The device must be current.
    fn engine(&self) -> Result<&Engine, Error> {
        if let Some(engine) = self.engine.get() {
            return Ok(engine);
        }
        let _starting = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = self.engine.get() {
            return Ok(engine);
        }
        let engine = Engine::new(self.ordinal, budget::of_current_device()?)?;
        Ok(self.engine.get_or_init(|| engine))
    }
}

impl Gpu {
    /// The one of this process.
    ///
    /// # Errors
    /// [`Error::NoGpu`].
    pub(super) fn get() -> Result<&'static Self, Error> {
        static GPU: OnceLock<Gpu> = OnceLock::new();
        if let Some(gpu) = GPU.get() {
            return Ok(gpu);
        }
        let device = |(ordinal, info): (usize, super::DeviceInfo)| Device {
            ordinal,
            memory: info.memory,
            supported: info.supported,
            engine: OnceLock::new(),
            starting: Mutex::new(()),
        };
        let devices = devices()?.into_iter().enumerate().map(device).collect();
        Ok(GPU.get_or_init(|| Self { devices }))
    }

    /// The device asked for, or the one that will be free first.
    fn device(&'static self, asked: Option<usize>) -> Result<&'static Device, Error> {
        let count = self.devices.len();
        match asked {
            Some(index) => {
                let device = self.devices.get(index).ok_or(Error::NoSuchDevice { index: index as i64, count })?;
                if !device.supported {
                    return Err(Error::NoGpu { why: format!("this build has no code for device {index}") });
                }
                Ok(device)
            }
            None => self
                .devices
                .iter()
                .filter(|device| device.supported)
                .min_by_key(|device| device.engine.get().map_or(0, Engine::waiting))
                .ok_or_else(|| Error::NoGpu { why: "this build has no code for any device".to_owned() }),
        }
    }
}

impl Backend for Gpu {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn start<'w>(&self, batch: Batch<'_, 'w>) -> Result<Box<dyn Pending + 'w>, Error> {
        let begun = Instant::now();
        let device = self.device(batch.device)?;
        let _current = DeviceGuard::set(device.ordinal)?;
        let engine = device.engine()?;
        let points = engine.points(&batch.srs)?;
        let circuits = batch.evaluations.iter().zip(&batch.witnesses).enumerate();
        let results = circuits.map(|(number, (evaluations, witness))| {
            check_blinding(number, &batch.blindings[number])?;
            let circuit = Circuit { number, evaluations, witness };
            Ok(Enqueued { results: enqueue(engine, circuit, &points)?, constraints: evaluations.a.len() })
        });
        Ok(Box::new(Started {
            circuits: results.collect::<Result<_, Error>>()?,
            enqueued: begun.elapsed(),
            begun,
            points,
            blindings: batch.blindings,
            srs: batch.srs,
            ordinal: device.ordinal,
        }))
    }
}

/// A circuit whose work is enqueued.
struct Enqueued {
    results: Vec<Results>,
    constraints: usize,
}

/// A batch whose work is enqueued.
struct Started {
    circuits: Vec<Enqueued>,
    begun: Instant,
    enqueued: Duration,
    blindings: Vec<Blinding>,
    srs: Arc<Parameters>,
    /// Dropped after the results, which wait for what uses them.
    points: Arc<Resident>,
    ordinal: usize,
}

impl Pending for Started {
    fn finish(self: Box<Self>) -> Result<Vec<Proof>, Error> {
        let proofs = {
            let _current = DeviceGuard::set(self.ordinal)?;
            self.circuits.iter().zip(&self.blindings).map(|(circuit, blinding)| {
                let mut sums = Sums::default();
                circuit.results.iter().try_for_each(|results| results.add_to(&mut sums))?;
                Ok(assemble(&sums, blinding, &self.srs))
            });
            proofs.collect::<Result<Vec<_>, Error>>()?
        };
        self.log();
        Ok(proofs)
    }
}
