//! Uploads of ordinary memory, through a ring of pinned chunks that all CPU threads fill.

use rayon::prelude::*;

use super::pinned::PinnedBuffer;
use super::{msm::at_least, status::check, DeviceBuffer, Event, Plain, Stream};
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
pub(super) struct Staging {
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
    pub(super) fn new() -> Result<Self, Error> {
        let slot = |_| Ok(Slot { memory: PinnedBuffer::new(CHUNK)?, free: None });
        Ok(Self { slots: (0..SLOTS).map(slot).collect::<Result<_, Error>>()?, next: 0, stream: Stream::new()? })
    }

    /// The stream of the copies, for others to wait for.
    pub(super) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Enqueues the copying of `parts`, one after the other, to the beginning of `to`. They are not needed any more on return.
    ///
    /// # Errors
    /// [`Error::Size`] if there is no room, and [`Error::Cuda`].
    pub(super) fn upload<'p, T: Plain + Sync + 'p>(
        &mut self,
        to: &DeviceBuffer<T>,
        parts: impl IntoIterator<Item = &'p [T]>,
    ) -> Result<(), Error> {
        let room = CHUNK / size_of::<T>();
        let (mut first, mut len) = (0, 0);
        let mut pieces: Vec<&[T]> = Vec::new();
        for mut piece in parts.into_iter().flat_map(|part| part.chunks(TASK / size_of::<T>())) {
            while len + piece.len() > room {
                let (fits, rest) = piece.split_at(room - len);
                pieces.push(fits);
                self.send(to, first, &pieces)?;
                (first, len, piece) = (first + room, 0, rest);
                pieces.clear();
            }
            pieces.push(piece);
            len += piece.len();
        }
        self.send(to, first, &pieces)
    }

    /// A buffer of the current device, to which the copying of `values` is enqueued.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn uploaded<T: Plain + Sync>(&mut self, values: &[T]) -> Result<DeviceBuffer<T>, Error> {
        let buffer = DeviceBuffer::new(values.len())?;
        self.upload(&buffer, [values])?;
        Ok(buffer)
    }

    /// Fills the next chunk and sends it on its way.
    fn send<T: Plain + Sync>(&mut self, to: &DeviceBuffer<T>, first: usize, pieces: &[&[T]]) -> Result<(), Error> {
        let len: usize = pieces.iter().map(|piece| piece.len()).sum();
        if len == 0 {
            return Ok(());
        }
        at_least("the device's buffer", to.len(), first + len)?;
        let slot = &mut self.slots[self.next];
        self.next = (self.next + 1) % SLOTS;
        if let Some(free) = slot.free.take() {
            free.synchronize()?;
        }
        let mut rest = slot.memory.as_mut_slice();
        let mut tasks = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let (room, after) = rest.split_at_mut(size_of_val(*piece));
            tasks.push((room, bytes_of(piece)));
            rest = after;
        }
        threads::install(|| tasks.into_par_iter().for_each(|(room, piece)| room.copy_from_slice(piece)))?;
        // SAFETY: the destination has room from `first` on, and the slot is not written again before the copy is over.
        check("cudaMemcpyAsync", unsafe {
            let to = to.as_raw().byte_add(first * size_of::<T>());
            let (from, bytes) = (slot.memory.as_raw(), len * size_of::<T>());
            sys::cudaMemcpyAsync(to, from, bytes, sys::HOST_TO_DEVICE, self.stream.as_raw())
        })?;
        slot.free = Some(Event::record(&self.stream)?);
        Ok(())
    }
}

fn bytes_of<T: Plain>(values: &[T]) -> &[u8] {
    // SAFETY: `Plain` values have no padding, so that all their bytes are initialised.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}
