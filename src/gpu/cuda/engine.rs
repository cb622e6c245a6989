//! One device: what it keeps between proofs, and what all workers on it share.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::lease::{Lease, Until};
use super::mapping::Mapping;
use super::pinned::PinnedPool;
use super::staging::Ring;
use super::{DeviceBuffer, DeviceSlice, Domain, Event, Stream};
use crate::error::Error;
use crate::lock::{Block, Memory, Order, Turn};

/// A device at work. The device must be current whenever it is used.
pub(super) struct Engine {
    memory: Arc<Memory<Until, Mapping>>,
    base: *mut c_void,
    /// All kernels of all workers but those of uploads, in the order of their turns.
    compute: Stream,
    order: Order,
    ring: Ring,
    scratch: Mutex<Option<Block<Until, Mapping>>>,
    domains: Mutex<BTreeMap<u32, Arc<Domain>>>,
    pinned: PinnedPool,
}

// SAFETY: the address is that of device memory, which belongs to no thread; all else may be sent and shared by itself.
unsafe impl Send for Engine {}
// SAFETY: as above.
unsafe impl Sync for Engine {}

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
        let base = mapping.base();
        Ok(Self {
            memory: Memory::new(budget, mapping),
            base,
            compute: Stream::new()?,
            order: Order::default(),
            ring: Ring::new()?,
            scratch: Mutex::default(),
            domains: Mutex::default(),
            pinned: PinnedPool::default(),
        })
    }

    /// Waits for blocks of these sizes, which the copying stream may use from then on.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`] if the device's budget does not hold them, and [`Error::Cuda`].
    pub(super) fn lease<const N: usize>(&self, sizes: [usize; N]) -> Result<[Lease<'_>; N], Error> {
        let blocks = self.memory.acquire(&sizes)?;
        for fence in blocks.iter().flat_map(Block::fences) {
            self.ring.stream().wait_for(fence.event())?;
        }
        let mut blocks = blocks.into_iter();
        Ok([(); N].map(|()| match blocks.next() {
            Some(block) => Lease::new(self, block),
            None => unreachable!("there is a block for each size"),
        }))
    }

    /// Waits for a turn on the compute stream, where what is enqueued waits for all uploads until now. It has as much scratch as
    /// [`Engine::need_scratch`] was asked for.
    pub(super) fn enqueue(&self) -> Result<Enqueuing<'_>, Error> {
        let turn = self.order.turn();
        self.compute.wait_for(&Event::record(self.ring.stream())?)?;
        let scratch = self.scratch();
        let (offset, bytes) = scratch.as_ref().map_or((0, 0), |block| (block.offset(), block.bytes()));
        // SAFETY: the block is mapped; it is replaced only by who has a turn, and given back behind the work that uses it.
        let scratch = unsafe { DeviceSlice::from_raw(self.address(offset), bytes) };
        Ok(Enqueuing { _turn: turn, stream: &self.compute, scratch })
    }

    /// Sees to it that there is so much scratch. Whoever asks holds no memory of which the end is not enqueued: it may wait for others'.
    ///
    /// # Errors
    /// As [`Engine::lease`].
    pub(super) fn need_scratch(&self, bytes: usize) -> Result<(), Error> {
        let enough = |scratch: &Option<Block<_, _>>| scratch.as_ref().is_some_and(|block| block.bytes() >= bytes);
        if enough(&self.scratch()) {
            return Ok(());
        }
        let block = self.memory.acquire_long(bytes)?;
        for fence in block.fences() {
            self.compute.wait_for(fence.event())?;
        }
        let _turn = self.order.turn();
        let mut scratch = self.scratch();
        if enough(&scratch) {
            return Ok(());
        }
        if let Some(old) = scratch.replace(block) {
            old.release_after(Until::new(Event::record(&self.compute)?));
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

    /// Where results go.
    pub(super) fn pinned(&self) -> &PinnedPool {
        &self.pinned
    }

    /// The arena's memory, for what stays longer than a proof.
    pub(super) fn memory(&self) -> &Arc<Memory<Until, Mapping>> {
        &self.memory
    }

    /// The address of byte `offset` of the arena.
    pub(super) fn address(&self, offset: usize) -> *mut c_void {
        self.base.wrapping_byte_add(offset)
    }

    /// The end of all that is enqueued now, uploads and kernels.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn all_enqueued(&self) -> Result<Until, Error> {
        self.compute.wait_for(&Event::record(self.ring.stream())?)?;
        Ok(Until::new(Event::record(&self.compute)?))
    }

    fn scratch(&self) -> MutexGuard<'_, Option<Block<Until, Mapping>>> {
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
