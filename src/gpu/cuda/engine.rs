//! One device: what it keeps between proofs, and what all workers on it share.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::lease::{room_for, Backing, Lease, Until};
use super::mapping::Mapping;
use super::msm::msm_scratch_bytes;
use super::pinned::PinnedPool;
use super::resident::Resident;
use super::residents::{Points, Residents};
use super::staging::Ring;
use super::{DeviceBuffer, DeviceSlice, Domain, Event, Shape, Stream, G1};
use crate::error::Error;
use crate::lock::{memory, Order, Turn};
use crate::logging::warning;
use crate::params::{Counts, Parameters};

/// The memory of a device.
pub(super) type Memory = memory::Memory<Until, Backing>;
/// A part of it.
pub(super) type Block = memory::Block<Until, Backing>;

/// A device at work. The device must be current whenever it is used.
#[derive(Debug)]
pub(super) struct Engine {
    ordinal: usize,
    memory: Arc<Memory>,
    base: Address,
    /// All kernels of all workers but those of uploads, in the order of their turns.
    compute: Stream,
    order: Order,
    ring: Ring,
    /// Copies of parameters that pass through.
    passing: Stream,
    scratch: Mutex<Option<Block>>,
    domains: Mutex<BTreeMap<u32, Arc<Domain>>>,
    pinned: PinnedPool,
    residents: Residents,
}

#[derive(Clone, Copy, Debug)]
struct Address(*mut c_void);
// SAFETY: it is that of device memory, which belongs to no thread.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

/// A worker's turn to enqueue on the compute stream.
pub(super) struct Enqueuing<'e> {
    _turn: Turn<'e>,
    pub(super) stream: &'e Stream,
    /// Serves the work that is enqueued during this turn, which the stream does one after the other.
    pub(super) scratch: DeviceSlice<u8>,
}

impl Engine {
    /// An engine for the current device, number `ordinal`, which takes `budget` bytes of its memory at most.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn new(ordinal: usize, budget: usize) -> Result<Self, Error> {
        let mapping = Mapping::reserve(ordinal, budget)?;
        let base = Address(mapping.base());
        let residents = Residents::default();
        Ok(Self {
            ordinal,
            memory: Memory::new(budget, budget, Backing::new(mapping, residents.clone())),
            base,
            compute: Stream::new()?,
            order: Order::new(1),
            ring: Ring::new()?,
            passing: Stream::new()?,
            scratch: Mutex::default(),
            domains: Mutex::default(),
            pinned: PinnedPool::default(),
            residents,
        })
    }

    /// The points of `srs`, for proofs here.
    ///
    /// # Errors
    /// Those of [`Residents::get`].
    pub(super) fn points(&self, srs: &Parameters) -> Result<Points, Error> {
        self.residents.get(self, self.ordinal, srs)
    }

    /// Whether the budget has room for queries of these lengths and for proofs with them.
    pub(super) fn has_room_for(&self, counts: &Counts) -> bool {
        let m = counts.h + 1;
        let vectors = 3 * m * size_of::<crate::curve::Fr>();
        let scratch = msm_scratch_bytes::<G1>(m, Shape::for_terms(m)).unwrap_or(usize::MAX);
        // Lists and classes of a witness with an eighth of full-size scalars.
        let witness = counts.l * 24;
        [Resident::room(counts), vectors, scratch, witness]
            .into_iter()
            .try_fold(0, usize::checked_add)
            .is_some_and(|all| all <= self.memory.budget())
    }

    /// Whether a circuit over 2^`log2` points may hold three vectors: then two workers' do, and what is left of a third's.
    pub(super) fn has_vectors_to_spare(&self, log2: u32) -> bool {
        let vector = room_for::<crate::curve::Fr>(1 << log2);
        self.memory.short_budget() >= 7 * vector
    }

    /// Waits for blocks of these sizes, which uploads may use from then on.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`] if the device's budget does not hold them, and [`Error::Cuda`].
    pub(super) fn leases(&self, sizes: &[usize]) -> Result<Vec<Lease<'_>>, Error> {
        let blocks = self.memory.acquire(sizes)?;
        let leases: Vec<_> = blocks.into_iter().map(|block| Lease::new(self, block)).collect();
        for until in leases.iter().flat_map(Lease::fences) {
            self.uploads_wait_for(until)?;
        }
        Ok(leases)
    }

    /// As [`Engine::leases`], for so many.
    ///
    /// # Errors
    /// As [`Engine::leases`].
    pub(super) fn lease<const N: usize>(&self, sizes: [usize; N]) -> Result<[Lease<'_>; N], Error> {
        let leases = self.leases(&sizes)?;
        leases.try_into().map_err(|_| Error::Internal { what: "a lease for each size".to_owned() })
    }

    /// Waits for a block that is kept longer than a proof. Nothing uses it any more.
    ///
    /// # Errors
    /// As [`Engine::leases`].
    pub(super) fn long_block(&self, bytes: usize) -> Result<Block, Error> {
        let block = self.memory.acquire_long(&[bytes])?.pop();
        let block = block.ok_or_else(|| Error::Internal { what: "a block for each size".to_owned() })?;
        for until in block.fences() {
            until.event().synchronize()?;
        }
        Ok(block)
    }

    /// Makes uploads from now on wait for `until`.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn uploads_wait_for(&self, until: &Until) -> Result<(), Error> {
        self.ring.copies().wait_for(until.event())?;
        self.ring.expansions().wait_for(until.event())
    }

    /// Waits for a turn on the compute stream, where what is enqueued waits for all uploads until now. It has as much scratch as
    /// [`Engine::need_scratch`] was asked for.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn enqueue(&self) -> Result<Enqueuing<'_>, Error> {
        let turn = self.order.turn();
        self.compute_waits_for_uploads()?;
        let scratch = self.scratch();
        let (offset, bytes) = scratch.as_ref().map_or((0, 0), |block| (block.offset(), block.bytes()));
        // SAFETY: the block is mapped; it is replaced only by who has a turn, and given back behind the work that uses it.
        let scratch = unsafe { DeviceSlice::from_raw(self.address(offset), bytes) };
        Ok(Enqueuing { _turn: turn, stream: &self.compute, scratch })
    }

    /// Sees to it that there is so much scratch. Whoever asks holds no memory of which the end is not enqueued: it may wait for others'.
    ///
    /// # Errors
    /// As [`Engine::leases`].
    pub(super) fn need_scratch(&self, bytes: usize) -> Result<(), Error> {
        let enough = |scratch: &Option<Block>| scratch.as_ref().is_some_and(|block| block.bytes() >= bytes);
        if enough(&self.scratch()) {
            return Ok(());
        }
        let block = self.long_block(bytes)?;
        let _turn = self.order.turn();
        let mut scratch = self.scratch();
        if enough(&scratch) {
            return Ok(());
        }
        let used = Until::new(Event::record(&self.compute)?);
        if let Some(old) = scratch.replace(block) {
            old.release_after(used);
        }
        Ok(())
    }

    /// The domain of 2^`log2` points, which is made by work on the compute stream the first time.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn domain(&self, log2: u32) -> Result<Arc<Domain>, Error> {
        let mut domains = self.domains.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(domain) = domains.get(&log2) {
            return Ok(domain.clone());
        }
        let domain = Arc::new(Domain::new(log2, DeviceBuffer::new(Domain::length(log2)?)?, &self.compute)?);
        domains.insert(log2, domain.clone());
        Ok(domain)
    }

    /// The uploads.
    pub(super) fn ring(&self) -> &Ring {
        &self.ring
    }

    /// The stream of the copies of parameters that pass through.
    pub(super) fn passing(&self) -> &Stream {
        &self.passing
    }

    /// Where results go.
    pub(super) fn pinned(&self) -> &PinnedPool {
        &self.pinned
    }

    /// The device's memory.
    pub(super) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// The address of byte `offset` of the arena.
    pub(super) fn address(&self, offset: usize) -> *mut c_void {
        self.base.0.wrapping_byte_add(offset)
    }

    /// The end of all that is enqueued now, uploads and kernels.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn all_enqueued(&self) -> Result<Until, Error> {
        self.compute_waits_for_uploads()?;
        self.compute.wait_for(&Event::record(&self.passing)?)?;
        Ok(Until::new(Event::record(&self.compute)?))
    }

    /// Waits for all that is enqueued now, uploads and kernels, where no fence can be had. A stream that cannot be waited for is tried once
    /// more.
    pub(super) fn wait_for_all(&self) {
        for stream in [self.ring.copies(), self.ring.expansions(), &self.passing, &self.compute] {
            let waited = stream.synchronize().or_else(|_| stream.synchronize());
            match waited {
                Ok(()) | Err(Error::DeviceLost { .. }) => {}
                Err(error) => warning!("the work of a proof that failed could not be waited for: {error}"),
            }
        }
    }

    fn compute_waits_for_uploads(&self) -> Result<(), Error> {
        [self.ring.copies(), self.ring.expansions()]
            .into_iter()
            .try_for_each(|uploads| self.compute.wait_for(&Event::record(uploads)?))
    }

    fn scratch(&self) -> MutexGuard<'_, Option<Block>> {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Enqueuing<'_> {
    /// The end of what is enqueued on the compute stream now.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn until(&self) -> Result<Until, Error> {
        Ok(Until::new(Event::record(self.stream)?))
    }
}
