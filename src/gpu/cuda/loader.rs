//! Queries on their way from a parameter file to where they stay on a device.
//!
//! All CPU threads read a piece of the file into a slot of the ring; it is copied to the slot's place on the device, and decoded from
//! there. While a piece is read, those before it are copied and decoded.

use rayon::prelude::*;

use super::decode::{decode, Faults, Run};
use super::resident::Resident;
use super::staging::{Uploads, SLOT_BYTES};
use super::{DeviceSlice, Group, Stream, G1, G2};
use crate::error::Error;
use crate::params::{Encoded, Query};
use crate::threads;
use crate::trace::span;

/// Bytes that a thread reads at a time: a slot is shared out between 16.
const READ: usize = 1 << 20;

/// Reads, decodes and checks all queries, which go to `resident`. It is complete on return.
///
/// # Errors
/// That of the first thing wrong in the order of the file: [`Error::Params`] or [`Error::File`]; [`Error::Cuda`],
/// [`Error::Threads`].
pub(super) fn load(uploads: &Uploads<'_>, encoded: Encoded<'_>, resident: &Resident) -> Result<(), Error> {
    let faults = Faults::new(Query::ALL.len(), uploads.expansions())?;
    let sent = Query::ALL.into_iter().try_for_each(|query| match query {
        Query::H => send::<G1>(uploads, encoded, query, &resident.h, &faults),
        Query::L => send::<G1>(uploads, encoded, query, &resident.l, &faults),
        Query::A => send::<G1>(uploads, encoded, query, &resident.a, &faults),
        Query::BG1 => send::<G1>(uploads, encoded, query, &resident.b_g1, &faults),
        Query::BG2 => send::<G2>(uploads, encoded, query, &resident.b_g2, &faults),
    });
    // After a failure too: nothing may be on its way to `resident` on return, and what was sent comes earlier in the file.
    first_fault(encoded, &faults, uploads.expansions()).and(sent)
}

/// Enqueues the reading of a query, piece by piece.
fn send<G: Group>(
    uploads: &Uploads<'_>,
    encoded: Encoded<'_>,
    query: Query,
    points: &DeviceSlice<G::Affine>,
    faults: &Faults,
) -> Result<(), Error> {
    let (all, per_piece) = (encoded.len(query), SLOT_BYTES / G::ENCODED);
    (0..all).step_by(per_piece).try_for_each(|first| {
        let len = per_piece.min(all - first);
        let mut slot = uploads.take()?;
        let reading = span(c"reading");
        let parts = slot.values::<u8>()[..len * G::ENCODED].par_chunks_mut(READ).enumerate();
        let offset = first * G::ENCODED;
        threads::install(|| parts.try_for_each(|(i, part)| encoded.read(query, offset + i * READ, part)))??;
        drop(reading);
        slot.send_through(len * G::ENCODED, |bytes, stream| {
            let run = Run { bytes, len, first: first as u64, query: query as usize };
            decode::<G>(points, first, &run, faults, stream)
        })
    })
}

/// Waits for what is enqueued on `stream` and returns the error of the first point at fault.
///
/// # Errors
/// [`Error::Params`], and [`Error::Cuda`], which may be that of earlier work.
pub(super) fn first_fault(encoded: Encoded<'_>, faults: &Faults, stream: &Stream) -> Result<(), Error> {
    let found = faults.found(stream)?;
    match Query::ALL.into_iter().zip(found).find_map(|(query, fault)| Some((query, fault?))) {
        Some((query, (index, fault))) => Err(encoded.error(query, index, fault)),
        None => Ok(()),
    }
}
