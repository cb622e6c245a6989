//! The GPU backend.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::circuit::{self, Circuit};
use super::engine::Engine;
#[cfg(feature = "kit")]
use super::raw::Raw;
use super::residents::Points;
use super::results::Results;
use super::status::check_alive;
use super::{budget, devices, streamed, DeviceGuard, Timeline};
use crate::cpu::{assemble, Sums};
use crate::curve::Proof;
use crate::error::Error;
use crate::logging;
use crate::params::Parameters;
#[cfg(feature = "kit")]
use crate::params::Query;
use crate::prove::{check_blinding, Backend, Batch, Blinding, Pending};
use crate::trace::{self, span};

/// The backend that proves on the GPUs of this machine.
pub(super) struct Gpu {
    devices: Vec<Device>,
}

struct Device {
    ordinal: usize,
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
        let _traced = span(c"starting the device");
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
            supported: info.supported,
            engine: OnceLock::new(),
            starting: Mutex::new(()),
        };
        let devices = devices()?.into_iter().enumerate().map(device).collect();
        Ok(GPU.get_or_init(|| Self { devices }))
    }

    /// The device asked for, or the one that will be free first.
    fn device(&self, asked: Option<usize>) -> Result<&Device, Error> {
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
                .min_by_key(|device| device.engine.get().map_or(0, |engine| engine.memory().waiting()))
                .ok_or_else(|| Error::NoGpu { why: "this build has no code for any device".to_owned() }),
        }
    }
}

impl Backend for Gpu {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn can_prove(&self, _: &Parameters, device: Option<usize>) -> Result<(), Error> {
        self.device(device).map(drop)
    }

    fn load(&self, srs: &Parameters) -> Result<(), Error> {
        let device = self.device(None)?;
        let _current = DeviceGuard::set(device.ordinal)?;
        let engine = device.engine()?;
        let loaded = engine.points(srs).map(drop);
        engine.timeline().settle();
        loaded
    }

    fn start<'w>(&self, batch: Batch<'_, 'w>) -> Result<Box<dyn Pending + 'w>, Error> {
        let begun = Instant::now();
        check_alive()?;
        let device = self.device(batch.device)?;
        let _current = DeviceGuard::set(device.ordinal)?;
        let engine = device.engine()?;
        let points = {
            let _waiting = span(c"waiting for parameters");
            engine.points(&batch.srs)?
        };
        let mut circuits = Vec::new();
        for (number, (evaluations, witness)) in batch.evaluations.iter().zip(&batch.witnesses).enumerate() {
            check_blinding(number, &batch.blindings[number])?;
            circuits.push(Circuit { number, evaluations, witness });
        }
        let enqueued = match &points {
            Points::Resident(resident) => {
                circuits.iter().map(|circuit| circuit::enqueue(engine, *circuit, resident)).collect()
            }
            Points::Streamed(raw) => streamed::enqueue(engine, &circuits, raw),
        };
        // What was enqueued before an error uses the points, which may go now.
        let results = enqueued.inspect_err(|_| engine.wait_for_all())?;
        Ok(Box::new(Started {
            results,
            points,
            constraints: batch.evaluations.iter().map(|evaluations| evaluations.a.len()).collect(),
            blindings: batch.blindings,
            srs: batch.srs,
            timeline: engine.timeline().clone(),
            ordinal: device.ordinal,
            begun,
            enqueued: begun.elapsed(),
        }))
    }
}

/// The queries of `srs` as they are on the device that would prove now: what `bench/kit` compares.
///
/// # Errors
/// Those of [`Backend::load`], [`Error::OutOfMemory`], and [`Error::Size`] if they are not there as a whole.
#[cfg(feature = "kit")]
pub fn points_on_device(srs: &Parameters) -> Result<crate::params::Points, Error> {
    let device = Gpu::get()?.device(None)?;
    let _current = DeviceGuard::set(device.ordinal)?;
    match device.engine()?.points(srs)? {
        Points::Resident(resident) => resident.to_host(),
        Points::Streamed(_) => {
            let expected = "the budget has no room for them".to_owned();
            Err(Error::Size { field: "parameters".to_owned(), found: srs.bytes(), expected })
        }
    }
}

/// The bytes of each query of the file at `path`, by way of page-locked memory, and checked on the device that would prove now.
///
/// # Errors
/// Those of [`Parameters::open`] and [`Raw::load`].
#[cfg(feature = "kit")]
pub fn query_bytes(path: &std::path::Path) -> Result<[Vec<u8>; 5], Error> {
    let srs = Parameters::open(path, false)?;
    let device = Gpu::get()?.device(None)?;
    let _current = DeviceGuard::set(device.ordinal)?;
    let raw = Raw::load(device.engine()?, &srs)?;
    Ok(Query::ALL.map(|query| raw.bytes(query).to_vec()))
}

/// A batch whose work is enqueued.
struct Started {
    /// Of each circuit. Dropped first: to drop them waits for what uses the points.
    results: Vec<Vec<Results>>,
    points: Points,
    constraints: Vec<usize>,
    blindings: Vec<Blinding>,
    srs: Arc<Parameters>,
    timeline: Arc<Timeline>,
    ordinal: usize,
    begun: Instant,
    enqueued: Duration,
}

impl Pending for Started {
    fn finish(self: Box<Self>) -> Result<Vec<Proof>, Error> {
        let proofs = self.proofs();
        self.timeline.settle();
        let proofs = proofs?;
        self.log();
        Ok(proofs)
    }
}

impl Started {
    fn proofs(&self) -> Result<Vec<Proof>, Error> {
        let _current = DeviceGuard::set(self.ordinal)?;
        let circuits = self.results.iter().zip(&self.blindings);
        circuits
            .enumerate()
            .map(|(number, (results, blinding))| {
                let _circuit = trace::within_circuit(number);
                let mut sums = Sums::default();
                results.iter().try_for_each(|results| results.add_to(&mut sums))?;
                let _assembling = span(c"assembling");
                Ok(assemble(&sums, blinding, &self.srs))
            })
            .collect()
    }

    fn log(&self) {
        logging::info!(
            "gpu {}: {} circuits of {:?} constraints, {} inputs, {} aux, domain 2^{}, parameters {}; ms: {} until all was enqueued, {} in all",
            self.ordinal,
            self.constraints.len(),
            self.constraints,
            self.srs.counts.inputs,
            self.srs.counts.l,
            self.srs.domain_log2(),
            match self.points {
                Points::Resident(_) => "in its memory",
                Points::Streamed(_) => "streamed",
            },
            self.enqueued.as_millis(),
            self.begun.elapsed().as_millis(),
        );
    }
}
