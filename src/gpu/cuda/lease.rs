//! Blocks of a device's arena, as the work that is enqueued uses them.

use std::sync::Arc;

use super::engine::Block;
use super::mapping::Mapping;
use super::residents::Residents;
use super::worker::Worker;
use super::{DeviceSlice, Event, Plain};
use crate::error::Error;
use crate::lock::memory;
use crate::lock::Fence;

/// Where a device's work must have come to before memory may be used again.
#[derive(Clone, Debug)]
pub(super) struct Until(Arc<Event>);

impl Until {
    pub(super) fn new(event: Event) -> Self {
        Self(Arc::new(event))
    }

    pub(super) fn event(&self) -> &Event {
        &self.0
    }
}

impl Fence for Until {
    fn is_over(&self) -> bool {
        // When the device is lost, no memory is used any more. After any other error it may be: the next one asks again, or waits.
        self.0.is_over().unwrap_or_else(|error| matches!(error, Error::DeviceLost { .. }))
    }
}

/// What backs a device's arena: memory that is mapped as it is needed, and parameters that may go.
#[derive(Debug)]
pub(super) struct Backing {
    mapping: Mapping,
    residents: Residents,
}

impl Backing {
    pub(super) fn new(mapping: Mapping, residents: Residents) -> Self {
        Self { mapping, residents }
    }
}

impl memory::Backing for Backing {
    fn grow(&self, to_bytes: usize) -> Result<usize, Error> {
        self.mapping.grow(to_bytes)
    }

    fn shrink(&self, to_bytes: usize) -> Result<usize, Error> {
        self.mapping.shrink(to_bytes)
    }

    fn reclaim(&self) -> bool {
        self.residents.make_room()
    }
}

/// A block that a worker's enqueued work may use. Dropped without [`Lease::release_after`], it is free again when all is over that the worker had
/// enqueued until then. Why no two use it at a time: see [`super::worker`].
pub(super) struct Lease<'e> {
    worker: &'e Worker<'e>,
    block: Option<Block>,
    region: Region,
}

impl<'e> Lease<'e> {
    pub(super) fn new(worker: &'e Worker<'e>, block: Block) -> Self {
        // SAFETY: all of the block, which is mapped memory.
        let bytes = unsafe { DeviceSlice::from_raw(worker.address(block.offset()), block.bytes()) };
        Self { worker, block: Some(block), region: Region::new(bytes) }
    }

    /// What must be over before the block is first used.
    pub(super) fn fences(&self) -> impl Iterator<Item = &Until> {
        self.block.iter().flat_map(Block::fences)
    }

    /// Takes room for `len` values from what is left of the block.
    ///
    /// # Panics
    /// If there is not so much left: sizes are added up with [`room_for`] first.
    pub(super) fn take<T: Plain>(&mut self, len: usize) -> DeviceSlice<T> {
        self.region.take(len)
    }

    /// What is left of the block, to be shared out.
    pub(super) fn region(&mut self) -> &mut Region {
        &mut self.region
    }

    /// Gives the block to whoever comes next, who waits for `until` on the device.
    pub(super) fn release_after(mut self, until: &Until) {
        if let Some(block) = self.block.take() {
            block.release_after(until.clone());
            self.worker.trace_memory();
        }
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        let Some(block) = self.block.take() else { return };
        match self.worker.all_enqueued() {
            Ok(until) => block.release_after(until),
            Err(_) => {
                self.worker.wait_for_all();
                drop(block);
            }
        }
        self.worker.trace_memory();
    }
}

/// Memory that is shared out from its beginning on.
#[derive(Debug)]
pub(super) struct Region {
    bytes: DeviceSlice<u8>,
    taken: usize,
}

impl Region {
    /// All of `bytes`, aligned to 256.
    pub(super) fn new(bytes: DeviceSlice<u8>) -> Self {
        Self { bytes, taken: 0 }
    }

    /// How many bytes were taken.
    pub(super) fn taken(&self) -> usize {
        self.taken
    }

    /// Takes room for `len` values from what is left.
    ///
    /// # Panics
    /// If there is not so much left: sizes are added up with [`room_for`] first.
    pub(super) fn take<T: Plain>(&mut self, len: usize) -> DeviceSlice<T> {
        let (first, bytes) = (self.taken, room_for::<T>(len));
        self.taken += bytes;
        assert!(self.taken <= self.bytes.len(), "{} bytes of {}", self.taken, self.bytes.len());
        let pointer = self.bytes.as_raw().wrapping_byte_add(first);
        // SAFETY: part of the memory, and aligned as it and rooms are.
        unsafe { DeviceSlice::from_raw(pointer, len) }
    }
}

/// Bytes that `len` values take of a block.
pub(super) fn room_for<T>(len: usize) -> usize {
    (len * size_of::<T>()).next_multiple_of(256)
}
