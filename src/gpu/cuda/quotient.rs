//! The quotient polynomial h of a circuit, from the uploading of a, b and c on.

use std::ffi::CStr;
use std::sync::Arc;

use super::circuit::Circuit;
use super::engine::Engine;
use super::lease::{room_for, Until};
use super::{DeviceSlice, Domain};
use crate::curve::Fr;
use crate::error::Error;
use crate::trace::span;

/// A domain, and whether c is held beside a and b.
pub(super) struct Quotient {
    domain: Arc<Domain>,
    log2: u32,
    apart: bool,
}

/// Memory for the vectors besides a, of which only h is left.
pub(super) struct Vectors {
    pub(super) b: DeviceSlice<Fr>,
    /// As long as b, or nothing if c is not held beside it.
    pub(super) c: DeviceSlice<Fr>,
}

impl Quotient {
    /// Over the domain of 2^`log2` points. Where `apart` says so, c has memory of its own and is uploaded beside the transforms of a and b;
    /// else it waits for b's.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn new(engine: &Engine, log2: u32, apart: bool) -> Result<Self, Error> {
        Ok(Self { domain: engine.domain(log2)?, log2, apart })
    }

    /// Elements of a vector.
    pub(super) fn len(&self) -> usize {
        1 << self.log2
    }

    /// Elements of [`Vectors::c`].
    pub(super) fn len_of_c(&self) -> usize {
        if self.apart {
            self.len()
        } else {
            0
        }
    }

    /// Bytes of a vector.
    pub(super) fn room(&self) -> usize {
        room_for::<Fr>(self.len())
    }

    /// Bytes of [`Vectors`].
    pub(super) fn room_for_vectors(&self) -> usize {
        self.room() + room_for::<Fr>(self.len_of_c())
    }

    /// Enqueues the making of h's coefficients in `a`, in bit-reversed order, and returns until when the other vectors are in use.
    ///
    /// # Errors
    /// [`Error::NonCanonicalScalar`], [`Error::Cuda`], [`Error::Threads`].
    pub(super) fn enqueue(
        &self,
        engine: &Engine,
        circuit: Circuit<'_>,
        a: &mut DeviceSlice<Fr>,
        vectors: &mut Vectors,
    ) -> Result<Until, Error> {
        let upload = |what: &'static CStr, name: &str, values: &[Fr], to: &DeviceSlice<Fr>| {
            let _sending = span(what);
            engine.ring().send_scalars(values, to)?.map_err(|index| circuit.not_canonical(name, index))
        };
        upload(c"sending a", "a", circuit.evaluations.a, a)?;
        upload(c"sending b", "b", circuit.evaluations.b, &vectors.b)?;
        let product = {
            let turn = engine.enqueue(c"product")?;
            self.domain.product(a, &mut vectors.b, turn.stream)?;
            turn.until()?
        };
        let c = if self.apart {
            &mut vectors.c
        } else {
            engine.uploads_wait_for(&product)?;
            &mut vectors.b
        };
        upload(c"sending c", "c", circuit.evaluations.c, c)?;
        let turn = engine.enqueue(c"quotient")?;
        self.domain.finish(a, c, turn.stream)?;
        turn.until()
    }
}
