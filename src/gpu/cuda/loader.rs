//! Queries on their way from a parameter file to where they stay on a device.
//!
//! All CPU threads read a piece of the file into a pinned slot; it is copied to a raw slot on the device, and decoded from there. While
//! a piece is read, those before it are copied and decoded. The slots stay with the device: to lock so much memory takes as
//! long as to load 2 GB.

use rayon::prelude::*;

use super::decode::{decode, Faults, Run};
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
        let faults = Faults::new(Query::ALL.len(), &self.decoding)?;
        let sent = Query::ALL.into_iter().try_for_each(|query| self.query(encoded, query, resident, &faults));
        // After a failure too: nothing may be on its way to `resident` on return, and what was sent comes earlier in the file.
        let found = faults.found(&self.decoding)?;
        match Query::ALL.into_iter().zip(found).find_map(|(query, fault)| Some((query, fault?))) {
            Some((query, (index, fault))) => Err(encoded.error(query, index, fault)),
            None => sent,
        }
    }

    fn query(&mut self, encoded: Encoded<'_>, query: Query, resident: &Resident, faults: &Faults) -> Result<(), Error> {
        match query {
            Query::H => self.points::<G1>(encoded, query, &resident.h, faults),
            Query::L => self.points::<G1>(encoded, query, &resident.l, faults),
            Query::A => self.points::<G1>(encoded, query, &resident.a, faults),
            Query::BG1 => self.points::<G1>(encoded, query, &resident.b_g1, faults),
            Query::BG2 => self.points::<G2>(encoded, query, &resident.b_g2, faults),
        }
    }

    fn points<G: Group>(
        &mut self,
        encoded: Encoded<'_>,
        query: Query,
        points: &DeviceBuffer<G::Affine>,
        faults: &Faults,
    ) -> Result<(), Error> {
        let (len, per_piece) = (encoded.len(query), SLOT / G::ENCODED);
        (0..len).step_by(per_piece).try_for_each(|first| {
            let piece = Piece { query, first, len: per_piece.min(len - first) };
            let slot = &mut self.slots[self.next];
            self.next = (self.next + 1) % SLOTS;
            slot.read(encoded, piece.query, piece.first * G::ENCODED, piece.len * G::ENCODED)?;
            slot.copy(piece.len * G::ENCODED, &self.copies)?;
            slot.decode::<G>(piece, points, faults, &self.decoding)
        })
    }
}

impl Slot {
    /// Reads `len` bytes of a query from its byte `offset` on.
    fn read(&mut self, encoded: Encoded<'_>, query: Query, offset: usize, len: usize) -> Result<(), Error> {
        if let Some(copied) = self.copied.take() {
            copied.synchronize()?;
        }
        let parts = self.pinned.as_mut_slice()[..len].par_chunks_mut(READ).enumerate();
        threads::install(|| parts.try_for_each(|(i, part)| encoded.read(query, offset + i * READ, part)))?
    }

    /// Enqueues the copying of what was read.
    fn copy(&mut self, len: usize, copies: &Stream) -> Result<(), Error> {
        if let Some(decoded) = self.decoded.take() {
            copies.wait_for(&decoded)?;
        }
        // SAFETY: both have room for a piece, and the pinned memory is not written again before `copied`.
        check("cudaMemcpyAsync", unsafe {
            let (to, from) = (self.raw.as_raw(), self.pinned.as_raw());
            sys::cudaMemcpyAsync(to, from, len, sys::HOST_TO_DEVICE, copies.as_raw())
        })?;
        self.copied = Some(Event::record(copies)?);
        Ok(())
    }

    /// Enqueues the decoding of what is copied.
    fn decode<G: Group>(
        &mut self,
        piece: Piece,
        points: &DeviceBuffer<G::Affine>,
        faults: &Faults,
        decoding: &Stream,
    ) -> Result<(), Error> {
        if let Some(copied) = &self.copied {
            decoding.wait_for(copied)?;
        }
        let Piece { query, first, len } = piece;
        let run = Run { bytes: &self.raw, len, first: first as u64, query: query as usize };
        decode::<G>(points, first, &run, faults, decoding)?;
        self.decoded = Some(Event::record(decoding)?);
        Ok(())
    }
}
