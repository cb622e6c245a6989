//! The GPU backend.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};

use super::engine::{Circuit, Engine, Proved};
#[cfg(feature = "kit")]
use super::host_bytes::HostBytes;
use super::resident::Resident;
use super::residents::Residents;
use super::{devices, DeviceGuard};
use crate::curve::Proof;
use crate::error::Error;
use crate::params::Parameters;
#[cfg(feature = "kit")]
use crate::params::Query;
use crate::prove::{Backend, Batch, Pending};

/// The backend that proves on the GPUs of this machine: one proof at a time on each.
pub(super) struct Gpu {
    devices: Vec<Device>,
}

struct Device {
    ordinal: usize,
    memory: u64,
    supported: bool,
    residents: Residents,
    engine: Mutex<Option<Engine>>,
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
            residents: Residents::new(ordinal),
            engine: Mutex::new(None),
        };
        let devices = devices()?.into_iter().enumerate().map(device).collect();
        Ok(GPU.get_or_init(|| Self { devices }))
    }

    /// The device asked for, or one that is idle, or else the first.
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
            None => {
                let supported = || self.devices.iter().filter(|device| device.supported);
                let idle = |device: &&Device| !matches!(device.engine.try_lock(), Err(TryLockError::WouldBlock));
                supported()
                    .find(idle)
                    .or_else(|| supported().next())
                    .ok_or_else(|| Error::NoGpu { why: "this build has no code for any device".to_owned() })
            }
        }
    }
}

impl Device {
    fn engine(&self) -> MutexGuard<'_, Option<Engine>> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The queries of `srs` here, for which what `engine` keeps between proofs goes if there is no memory for them.
    fn resident(&self, engine: &mut Option<Engine>, srs: &Parameters) -> Result<Arc<Resident>, Error> {
        match self.residents.get(srs) {
            Err(error) if error.is_device_out_of_memory() && engine.is_some() => {
                let _current = DeviceGuard::set(self.ordinal)?;
                *engine = None;
                self.residents.get(srs)
            }
            loaded => loaded,
        }
    }
}

impl Backend for Gpu {
    fn name(&self) -> &'static str {
        "gpu"
    }

    fn can_prove(&self, srs: &Parameters, device: Option<usize>) -> Result<(), Error> {
        let device = self.device(device)?;
        let needed = bytes_needed(srs);
        if needed > device.memory {
            return Err(Error::NoGpu {
                why: format!(
                    "parameters and vectors of this circuit take {} MiB of device memory, and device {} has {} MiB",
                    needed >> 20,
                    device.ordinal,
                    device.memory >> 20
                ),
            });
        }
        Ok(())
    }

    fn load(&self, srs: &Parameters) -> Result<(), Error> {
        let device = self.device(None)?;
        let loaded = match device.residents.get(srs) {
            // Again between two proofs, of which nothing is in use then.
            Err(error) if error.is_device_out_of_memory() => device.resident(&mut device.engine(), srs),
            loaded => loaded,
        };
        loaded.map(drop)
    }

    fn start<'w>(&self, batch: Batch<'_, 'w>) -> Result<Box<dyn Pending + 'w>, Error> {
        let device = self.device(batch.device)?;
        let proved = {
            let mut engine = device.engine();
            let _current = DeviceGuard::set(device.ordinal)?;
            let resident = device.resident(&mut engine, &batch.srs)?;
            let proved = prove(&mut engine, &batch, &resident);
            if proved.is_err() {
                // Whatever state a failure leaves it in, the next proof starts afresh.
                *engine = None;
            }
            proved?
        };
        proved.iter().for_each(|proved| proved.log(&batch.srs));
        Ok(Box::new(Finished(proved.iter().map(|proved| proved.proof).collect())))
    }
}

/// The queries of `srs` as they are on the device that would prove now: what `bench/kit` compares.
///
/// # Errors
/// Those of [`Backend::load`], and [`Error::OutOfMemory`].
#[cfg(feature = "kit")]
pub fn points_on_device(srs: &Parameters) -> Result<crate::params::Points, Error> {
    let device = Gpu::get()?.device(None)?;
    let resident = device.residents.get(srs)?;
    let _current = DeviceGuard::set(device.ordinal)?;
    resident.to_host()
}

/// The bytes of each query of the file at `path`, by way of page-locked memory, and checked on the device that would prove now.
///
/// # Errors
/// Those of [`Parameters::open`] and [`HostBytes::load`].
#[cfg(feature = "kit")]
pub fn query_bytes(path: &std::path::Path) -> Result<[Vec<u8>; 5], Error> {
    let srs = Parameters::open(path, false)?;
    Gpu::get()?.device(None)?.residents.with_loader(|loader| {
        let host = HostBytes::load(&srs, loader)?;
        Ok(Query::ALL.map(|query| {
            let (mut bytes, mut first) = (Vec::new(), 0);
            let point_bytes = if query == Query::BG2 { 192 } else { 96 };
            loop {
                let chunk = host.chunk(query, first);
                if chunk.is_empty() {
                    break bytes;
                }
                bytes.extend(chunk);
                first += chunk.len() / point_bytes;
            }
        }))
    })
}

fn prove(engine: &mut Option<Engine>, batch: &Batch<'_, '_>, resident: &Resident) -> Result<Vec<Proved>, Error> {
    let engine = match engine {
        Some(engine) => engine,
        none => none.insert(Engine::new()?),
    };
    let circuits = batch.evaluations.iter().zip(&batch.witnesses).zip(&batch.blindings).enumerate();
    circuits
        .map(|(number, ((evaluations, witness), blinding))| {
            engine.prove(Circuit { number, evaluations, witness, blinding }, &batch.srs, resident)
        })
        .collect()
}

/// What a proof takes at least: the queries, three vectors over the domain, and the sorting of an MSM of that size.
fn bytes_needed(srs: &Parameters) -> u64 {
    let m = srs.domain_size() as u64;
    srs.bytes() as u64 + m * (3 * 32 + 64)
}

/// A batch whose proofs are made.
struct Finished(Vec<Proof>);

impl Pending for Finished {
    fn finish(self: Box<Self>) -> Result<Vec<Proof>, Error> {
        Ok(self.0)
    }
}
