//! The GPU backend.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::circuit::{self, Circuit};
use super::classes;
use super::engine::Engine;
#[cfg(feature = "kit")]
use super::pinned_points::PinnedPoints;
use super::residents::{Points, Residents};
use super::results::Results;
use super::status::check_alive;
use super::worker::Worker;
use super::{absence, budget, devices, streamed, DeviceGuard, Timeline};
use crate::cpu::Unfinished;
use crate::curve::Proof;
use crate::error::Error;
use crate::lock::load::{Assigned, Loads};
use crate::logging;
use crate::params::Parameters;
use crate::prove::{check_blinding, Backend, Batch, Blinding, Pending};
use crate::trace::{self, span};

/// The backend that proves on the GPUs of this machine.
pub(super) struct Gpu {
    devices: Vec<Device>,
    loads: Arc<Loads>,
}

struct Device {
    ordinal: usize,
    supported: bool,
    compute_capability: (u32, u32),
    engine: OnceLock<Engine>,
    starting: Mutex<()>,
}

impl Device {
    /// Makes it current, and starts its engine when it is first asked for.
    ///
    /// # Errors
    /// [`Error::DeviceFull`] and [`Error::DeviceMemory`] if it has no memory for that, [`Error::OutOfMemory`] if the host has none,
    /// [`Error::Cuda`].
    fn engine(&self) -> Result<(DeviceGuard, &Engine), Error> {
        match self.engine.get() {
            Some(engine) => Ok((DeviceGuard::set(self.ordinal)?, engine)),
            // A context takes memory of the device, at whatever call it is made.
            None => self.start().map_err(Error::of_taking_device_memory),
        }
    }

    fn start(&self) -> Result<(DeviceGuard, &Engine), Error> {
        let _traced = span(c"starting the device");
        let _starting = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        let current = DeviceGuard::set(self.ordinal)?;
        if let Some(engine) = self.engine.get() {
            return Ok((current, engine));
        }
        let engine = Engine::new(self.ordinal, budget::of_current_device()?)?;
        Ok((current, self.engine.get_or_init(|| engine)))
    }
}

static GPU: OnceLock<Gpu> = OnceLock::new();

impl Gpu {
    /// The one of this process, if it has been asked for.
    pub(super) fn if_used() -> Option<&'static Self> {
        GPU.get()
    }

    /// Gives back what is mapped of devices' memory, and kept of the host's for classes, results and vectors, and neither held nor in use. It waits
    /// for what devices do, if there is any of the latter.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn release_memory(&self) -> Result<(), Error> {
        classes::give_back_idle();
        self.devices.iter().try_for_each(|device| {
            let Some(engine) = device.engine.get() else { return Ok(()) };
            let _current = DeviceGuard::set(device.ordinal)?;
            engine.pinned().give_back_idle();
            engine.host_vectors().give_back_idle();
            engine.memory().give_back_idle()
        })
    }

    /// The one of this process, one of whose devices is supported at least.
    ///
    /// # Errors
    /// [`Error::NoGpu`].
    pub(super) fn get() -> Result<&'static Self, Error> {
        if let Some(gpu) = GPU.get() {
            return Ok(gpu);
        }
        let device = |(ordinal, info): (usize, super::DeviceInfo)| Device {
            ordinal,
            supported: info.supported,
            compute_capability: info.compute_capability,
            engine: OnceLock::new(),
            starting: Mutex::new(()),
        };
        let devices: Vec<_> = devices()?.into_iter().enumerate().map(device).collect();
        Ok(GPU.get_or_init(|| Self { loads: Loads::new(devices.len()), devices }))
    }

    /// The device asked for.
    ///
    /// # Errors
    /// [`Error::NoSuchDevice`], and [`Error::NoGpu`] if it is not supported.
    fn device(&self, index: usize) -> Result<&Device, Error> {
        let count = self.devices.len();
        let device =
            self.devices.get(index).ok_or(Error::NoSuchDevice { what: "gpu_index", index: index as i64, count })?;
        if !device.supported {
            return Err(Error::NoGpu { why: absence::no_code_for(index, device.compute_capability) });
        }
        Ok(device)
    }

    /// The device asked for, or the one that will have done this soonest, and the work there of so many circuits with `srs`.
    fn assign(&self, asked: Option<usize>, srs: &Parameters, circuits: usize) -> Result<(&Device, Assigned), Error> {
        if let Some(index) = asked {
            self.device(index)?;
        }
        let may = |index: usize| asked.map_or(self.devices[index].supported, |asked| asked == index);
        let cost = |index| may(index).then(|| estimate(index, srs, circuits));
        let none = || Error::Internal { what: "one device is supported at least".to_owned() };
        let assigned = self.loads.assign(cost).ok_or_else(none)?;
        Ok((self.device(assigned.device())?, assigned))
    }
}

/// How long an H200 takes: what devices that may differ are compared by.
fn estimate(ordinal: usize, srs: &Parameters, circuits: usize) -> Duration {
    const A_CONSTRAINT: f64 = 10e-9;
    const A_LOADED_BYTE: f64 = 1.0 / 30e9;
    let loading = if Residents::have(ordinal, srs) { 0.0 } else { srs.bytes() as f64 * A_LOADED_BYTE };
    Duration::from_secs_f64(loading + (circuits * srs.domain_size()) as f64 * A_CONSTRAINT)
}

impl Backend for Gpu {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn can_prove(&self, _: &Parameters, device: Option<usize>) -> Result<(), Error> {
        device.map_or(Ok(()), |index| self.device(index).map(drop))
    }

    fn load(&self, srs: &Parameters) -> Result<(), Error> {
        let (device, _assigned) = self.assign(None, srs, 0)?;
        let (_current, engine) = device.engine()?;
        let loaded = Worker::new(engine).points(srs).map(drop);
        engine.timeline().settle();
        loaded
    }

    fn start<'w>(&self, batch: Batch<'_, 'w>) -> Result<Box<dyn Pending + 'w>, Error> {
        let begun = Instant::now();
        check_alive()?;
        let (device, assigned) = self.assign(batch.device, &batch.srs, batch.evaluations.len())?;
        let (_current, engine) = device.engine()?;
        let worker = Worker::new(engine);
        let points = {
            let _waiting = span(c"waiting for parameters");
            worker.points(&batch.srs)?
        };
        let mut circuits = Vec::new();
        for (number, (evaluations, witness)) in batch.evaluations.iter().zip(&batch.witnesses).enumerate() {
            check_blinding(number, &batch.blindings[number])?;
            circuits.push(Circuit { number, evaluations, witness, locks: &batch.locks });
        }
        let enqueued = match &points {
            Points::Resident(resident) => {
                let enqueue = |circuit: &Circuit<'_>| planned_anew(|| circuit::enqueue(&worker, *circuit, resident));
                circuits.iter().map(enqueue).collect()
            }
            Points::Streamed(pinned) => planned_anew(|| streamed::enqueue(&worker, &circuits, pinned)),
        };
        // What was enqueued before an error uses the points, which may go now.
        let results = enqueued.inspect_err(|_| worker.wait_for_all())?;
        Ok(Box::new(Started {
            results,
            points: Some(points),
            _assigned: assigned,
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

/// Does what plans and enqueues; where other parameters took room after it had been planned, by another plan.
fn planned_anew<T>(enqueue: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
    match enqueue() {
        Err(Error::DeviceMemory(_)) => enqueue(),
        enqueued => enqueued,
    }
}

/// The queries of `srs` as they are on the device that would prove now: what `bench/kit` compares.
///
/// # Errors
/// Those of [`Backend::load`], [`Error::OutOfMemory`], and [`Error::Size`] if they are not there as a whole.
#[cfg(feature = "kit")]
pub fn points_on_device(srs: &Parameters) -> Result<crate::params::Points, Error> {
    let device = Gpu::get()?.device(0)?;
    let (_current, engine) = device.engine()?;
    match Worker::new(engine).points(srs)? {
        Points::Resident(resident) => resident.to_host(),
        Points::Streamed(_) => {
            let expected = "the budget has no room for them".to_owned();
            Err(Error::Size { field: "parameters".to_owned(), found: srs.bytes(), expected })
        }
    }
}

/// The bytes of blocks that live in the arena of the device that would prove now.
///
/// # Errors
/// [`Error::NoGpu`], and [`Error::Cuda`] if the device does not start.
#[cfg(feature = "kit")]
pub fn device_memory_used() -> Result<usize, Error> {
    let device = Gpu::get()?.device(0)?;
    let (_current, engine) = device.engine()?;
    Ok(engine.memory().used_bytes())
}

/// The queries of the file at `path` as they are in page-locked memory for the device that would prove now.
///
/// # Errors
/// Those of [`Parameters::open`] and [`PinnedPoints::load`].
#[cfg(feature = "kit")]
pub fn points_when_streamed(path: &std::path::Path) -> Result<crate::params::Points, Error> {
    let srs = Parameters::open(path, false)?;
    let device = Gpu::get()?.device(0)?;
    let (_current, engine) = device.engine()?;
    Ok(PinnedPoints::load(&Worker::new(engine), &srs)?.to_points())
}

/// A batch whose work is enqueued.
struct Started {
    /// Of each circuit.
    results: Vec<Vec<Results>>,
    /// There until this is dropped.
    points: Option<Points>,
    _assigned: Assigned,
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

impl Drop for Started {
    /// On whatever thread: the results first, which wait for what uses the points.
    fn drop(&mut self) {
        let _current = DeviceGuard::set(self.ordinal);
        self.results.clear();
        self.points = None;
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
                // Each as soon as it is there: the last is awaited longest.
                let mut proof = Unfinished::new(blinding, &self.srs);
                results.iter().try_for_each(|results| results.add_to(&mut proof))?;
                let _assembling = span(c"assembling");
                Ok(proof.finish())
            })
            .collect()
    }

    fn log(&self) {
        logging::info!(
            "gpu {}: {} of {:?} constraints, {} inputs, {} aux, domain 2^{}, parameters {}; ms: {} until all was enqueued, {} in all",
            self.ordinal,
            match self.constraints.len() {
                1 => "1 circuit".to_owned(),
                many => format!("{many} circuits"),
            },
            self.constraints,
            self.srs.counts.inputs,
            self.srs.counts.l,
            self.srs.domain_log2(),
            match self.points {
                Some(Points::Streamed(_)) => "streamed",
                _ => "in its memory",
            },
            self.enqueued.as_millis(),
            self.begun.elapsed().as_millis(),
        );
    }
}
