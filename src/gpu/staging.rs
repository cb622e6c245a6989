//! Uploads of ordinary memory, through a ring of pinned chunks that all CPU threads fill.

use rayon::prelude::*;

use super::pinned::PinnedBuffer;
use super::{status::check, DeviceBuffer, Event, Plain, Stream};
use crate::curve::{is_canonical, Fr};
use crate::error::Error;
use crate::sys;
use crate::threads;

/// Bytes of a chunk: copies of this size reach the bus's rate.
const CHUNK: usize = 16 << 20;
/// Chunks: one is filled while others are on their way.
const SLOTS: usize = 4;
/// Bytes that a task copies at a time.
const TASK: usize = 256 << 10;

/// The ring, and the stream that its copies run on.
#[derive(Debug)]
pub struct Staging {
    slots: Vec<Slot>,
    next: usize,
    stream: Stream,
}

#[derive(Debug)]
struct Slot {
    memory: PinnedBuffer,
    /// When the copy from this slot is over; none if there has been none.
    free: Option<Event>,
}

impl Staging {
    /// A ring for the current device.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub fn new() -> Result<Self, Error> {
        let slot = |_| Ok(Slot { memory: PinnedBuffer::new(CHUNK)?, free: None });
        Ok(Self { slots: (0..SLOTS).map(slot).collect::<Result<_, Error>>()?, next: 0, stream: Stream::new()? })
    }

    /// The stream of the copies, for others to wait for.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Enqueues the copying of `values` to `to`, from its element `first` on. `values` is not needed any more on return.
    /// The library's CPU threads fill the ring.
    ///
    /// # Errors
    /// [`Error::Size`] if there is no room, and [`Error::Cuda`].
    pub fn upload<T: Plain + Sync>(&mut self, to: &DeviceBuffer<T>, first: usize, values: &[T]) -> Result<(), Error> {
        self.chunks(to, first, values, |from, to| {
            to.par_chunks_mut(TASK)
                .zip(bytes_of(from).par_chunks(TASK))
                .for_each(|(to, from)| to.copy_from_slice(from));
            None
        })
        .map(drop)
    }

    /// As [`Staging::upload`], and returns the index of a scalar that is not below the group order, if there is one.
    ///
    /// # Errors
    /// As [`Staging::upload`].
    pub fn upload_scalars(&mut self, to: &DeviceBuffer<Fr>, values: &[Fr]) -> Result<Option<usize>, Error> {
        const SCALARS: usize = TASK / size_of::<Fr>();
        self.chunks(to, 0, values, |from, to| {
            let tasks = to.par_chunks_mut(TASK).zip(from.par_chunks(SCALARS)).enumerate();
            tasks.find_map_first(|(task, (to, from))| {
                to.copy_from_slice(bytes_of(from));
                from.iter().position(|x| !is_canonical(x)).map(|i| task * SCALARS + i)
            })
        })
    }

    /// Fills chunk after chunk with `fill` and sends it on its way; stops at the first for which `fill` finds something and
    /// returns its index.
    fn chunks<T: Plain + Sync>(
        &mut self,
        to: &DeviceBuffer<T>,
        first: usize,
        values: &[T],
        fill: impl Fn(&[T], &mut [u8]) -> Option<usize> + Sync,
    ) -> Result<Option<usize>, Error> {
        super::msm::at_least("the device's buffer", to.len(), first + values.len())?;
        let per_chunk = CHUNK / size_of::<T>();
        for (i, chunk) in values.chunks(per_chunk).enumerate() {
            let slot = &mut self.slots[self.next];
            self.next = (self.next + 1) % SLOTS;
            if let Some(free) = slot.free.take() {
                free.synchronize()?;
            }
            let memory = &mut slot.memory.as_mut_slice()[..size_of_val(chunk)];
            if let Some(found) = threads::install(|| fill(chunk, memory))? {
                return Ok(Some(i * per_chunk + found));
            }
            let offset = (first + i * per_chunk) * size_of::<T>();
            // SAFETY: the destination has room from `offset` on, and the slot is not written again before the copy is over.
            check("cudaMemcpyAsync", unsafe {
                let to = to.as_raw().byte_add(offset);
                let (from, bytes) = (slot.memory.as_raw(), size_of_val(chunk));
                sys::cudaMemcpyAsync(to, from, bytes, sys::HOST_TO_DEVICE, self.stream.as_raw())
            })?;
            slot.free = Some(Event::record(&self.stream)?);
        }
        Ok(None)
    }
}

fn bytes_of<T: Plain>(values: &[T]) -> &[u8] {
    // SAFETY: `Plain` values have no padding, so that all their bytes are initialised.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}
