//! Queries on their way from a parameter file to where they stay on a device.
//!
//! All CPU threads read a piece of the file into a pinned slot; it is copied to a raw slot on the device, and decoded from there. While
//! a piece is read, those before it are copied and decoded. The slots stay with the device: to lock so much memory takes as
//! long as to load 2 GB.

use rayon::prelude::*;

#[cfg(feature = "kit")]
use super::decode::check_points;
use super::decode::{decode, Faults, Run};
#[cfg(feature = "kit")]
use super::host_bytes::HostBytes;
use super::msm::at_least;
use super::pinned::PinnedBuffer;
use super::resident::Resident;
use super::{status::check, DeviceBuffer, Event, Group, Stream, G1, G2};
use crate::error::Error;
use crate::params::{Encoded, Query};
use crate::sys;
use crate::threads;

/// Bytes of a slot: copies of this size reach the bus's rate, and its points give each multiprocessor several blocks.
const SLOT: usize = 16 << 20;
/// Slots: one is read into while others are copied and decoded.
const SLOTS: usize = 4;
/// Bytes that a thread reads at a time: a slot is shared out between 16.
const READ: usize = 1 << 20;

/// The slots of a device, and the streams of copies and of decoding.
#[derive(Debug)]
pub(super) struct Loader {
    slots: Vec<Slot>,
    next: usize,
    copies: Stream,
    decoding: Stream,
}

#[derive(Debug)]
struct Slot {
    pinned: PinnedBuffer,
    raw: DeviceBuffer<u8>,
    /// When the pinned memory may be written again; none if it has not been copied from.
    copied: Option<Event>,
    /// When the raw memory may be.
    decoded: Option<Event>,
}

/// Points that are read, copied and decoded together.
#[derive(Clone, Copy)]
struct Piece {
    query: Query,
    first: usize,
    len: usize,
    point_bytes: usize,
}

impl Loader {
    /// Slots of the current device.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn new() -> Result<Self, Error> {
        let slot = |_| {
            let (pinned, raw) = (PinnedBuffer::new(SLOT)?, DeviceBuffer::new(SLOT)?);
            Ok(Slot { pinned, raw, copied: None, decoded: None })
        };
        let slots = (0..SLOTS).map(slot).collect::<Result<_, Error>>()?;
        Ok(Self { slots, next: 0, copies: Stream::new()?, decoding: Stream::new()? })
    }

    /// Reads, decodes and checks all queries, which go to `resident`. It is complete on return.
    ///
    /// # Errors
    /// That of the first thing wrong in the order of the file: [`Error::Params`] or [`Error::File`]; [`Error::Cuda`],
    /// [`Error::Threads`].
    pub(super) fn load(&mut self, encoded: Encoded<'_>, resident: &Resident) -> Result<(), Error> {
        self.checked(encoded, |loader, query, faults| match query {
            Query::H => loader.points::<G1>(encoded, query, &resident.h, faults),
            Query::L => loader.points::<G1>(encoded, query, &resident.l, faults),
            Query::A => loader.points::<G1>(encoded, query, &resident.a, faults),
            Query::BG1 => loader.points::<G1>(encoded, query, &resident.b_g1, faults),
            Query::BG2 => loader.points::<G2>(encoded, query, &resident.b_g2, faults),
        })
    }

    /// Reads and checks all queries, whose bytes go to `host`. It is complete on return.
    ///
    /// # Errors
    /// As [`Loader::load`], and [`Error::OutOfMemory`].
    #[cfg(feature = "kit")]
    pub(super) fn load_host(&mut self, encoded: Encoded<'_>, host: &mut HostBytes) -> Result<(), Error> {
        self.checked(encoded, |loader, query, faults| match query {
            Query::BG2 => loader.bytes::<G2>(encoded, query, host, faults),
            _ => loader.bytes::<G1>(encoded, query, host, faults),
        })
    }

    /// Has `send` enqueue the queries in the order of the file, waits for all of it, and returns the first thing wrong.
    fn checked(
        &mut self,
        encoded: Encoded<'_>,
        mut send: impl FnMut(&mut Self, Query, &Faults) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let faults = Faults::new(Query::ALL.len(), &self.decoding)?;
        let sent = Query::ALL.into_iter().try_for_each(|query| send(self, query, &faults));
        // After a failure too: nothing may be on its way on return, and what was sent comes earlier in the file.
        let found = faults.found(&self.decoding)?;
        match Query::ALL.into_iter().zip(found).find_map(|(query, fault)| Some((query, fault?))) {
            Some((query, (index, fault))) => Err(encoded.error(query, index, fault)),
            None => sent,
        }
    }

    fn points<G: Group>(
        &mut self,
        encoded: Encoded<'_>,
        query: Query,
        points: &DeviceBuffer<G::Affine>,
        faults: &Faults,
    ) -> Result<(), Error> {
        pieces::<G>(query, 0, encoded.len(query)).try_for_each(|piece| {
            let (slot, copies, decoding) = self.next_slot();
            slot.read(encoded, &piece)?;
            slot.copy(None, &piece, copies)?;
            slot.decode(&piece, decoding, |run, stream| decode::<G>(points, piece.first, &run, faults, stream))
        })
    }

    #[cfg(feature = "kit")]
    fn bytes<G: Group>(
        &mut self,
        encoded: Encoded<'_>,
        query: Query,
        host: &mut HostBytes,
        faults: &Faults,
    ) -> Result<(), Error> {
        let len = encoded.len(query);
        let mut first = 0;
        while first < len {
            let chunk = host.read(encoded, query, first)?;
            let after = first + chunk.len() / G::ENCODED;
            pieces::<G>(query, first, after).try_for_each(|piece| {
                let (slot, copies, decoding) = self.next_slot();
                slot.copy(Some(&chunk[(piece.first - first) * G::ENCODED..]), &piece, copies)?;
                slot.decode(&piece, decoding, |run, stream| check_points::<G>(&run, faults, stream))
            })?;
            first = after;
        }
        Ok(())
    }

    fn next_slot(&mut self) -> (&mut Slot, &Stream, &Stream) {
        let slot = &mut self.slots[self.next];
        self.next = (self.next + 1) % SLOTS;
        (slot, &self.copies, &self.decoding)
    }
}

/// The points of `query` from number `first` to `end` in parts that fit into a slot.
fn pieces<G: Group>(query: Query, first: usize, end: usize) -> impl Iterator<Item = Piece> {
    let most = SLOT / G::ENCODED;
    let piece = move |first| Piece { query, first, len: most.min(end - first), point_bytes: G::ENCODED };
    (first..end).step_by(most).map(piece)
}

impl Piece {
    fn bytes(&self) -> usize {
        self.len * self.point_bytes
    }
}

impl Slot {
    /// Reads a piece of the file.
    fn read(&mut self, encoded: Encoded<'_>, piece: &Piece) -> Result<(), Error> {
        if let Some(copied) = self.copied.take() {
            copied.synchronize()?;
        }
        read(encoded, piece.query, piece.first * piece.point_bytes, &mut self.pinned.as_mut_slice()[..piece.bytes()])
    }

    /// Enqueues the copying of a piece, from page-locked memory that stays as it is until the decoding is over, or of what was read.
    fn copy(&mut self, from: Option<&[u8]>, piece: &Piece, copies: &Stream) -> Result<(), Error> {
        if let Some(decoded) = self.decoded.take() {
            copies.wait_for(&decoded)?;
        }
        let bytes = piece.bytes();
        let from = from.unwrap_or(self.pinned.as_mut_slice());
        at_least("bytes of the piece", from.len(), bytes)?;
        // SAFETY: both have this many bytes, and the host's are not written again before the copy is over.
        check("cudaMemcpyAsync", unsafe {
            let (to, from) = (self.raw.as_raw(), from.as_ptr().cast());
            sys::cudaMemcpyAsync(to, from, bytes, sys::HOST_TO_DEVICE, copies.as_raw())
        })?;
        self.copied = Some(Event::record(copies)?);
        Ok(())
    }

    /// Enqueues what `decode` does with the piece that is copied.
    fn decode(
        &mut self,
        piece: &Piece,
        decoding: &Stream,
        decode: impl FnOnce(Run<'_>, &Stream) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if let Some(copied) = &self.copied {
            decoding.wait_for(copied)?;
        }
        let Piece { query, first, len, .. } = *piece;
        decode(Run { bytes: &self.raw, len, first: first as u64, query: query as usize }, decoding)?;
        self.decoded = Some(Event::record(decoding)?);
        Ok(())
    }
}

/// Fills `buffer` with the bytes of a query from its byte `offset` on, by all CPU threads.
pub(super) fn read(encoded: Encoded<'_>, query: Query, offset: usize, buffer: &mut [u8]) -> Result<(), Error> {
    let parts = buffer.par_chunks_mut(READ).enumerate();
    threads::install(|| parts.try_for_each(|(i, part)| encoded.read(query, offset + i * READ, part)))?
}
