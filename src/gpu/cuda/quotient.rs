//! The quotient polynomial h of a circuit, from the uploading of a, b and c on.

use std::sync::Arc;

use super::circuit::Circuit;
use super::engine::Engine;
use super::lease::{room_for, Lease};
use super::{DeviceSlice, Domain};
use crate::curve::Fr;
use crate::error::Error;

/// A domain, and how many vectors over it are held at a time.
pub(super) struct Quotient {
    domain: Arc<Domain>,
    log2: u32,
    apart: bool,
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

    /// Bytes of a vector.
    pub(super) fn vector(&self) -> usize {
        room_for::<Fr>(1 << self.log2)
    }

    /// Bytes for c, apart from b's.
    pub(super) fn room_for_c(&self) -> usize {
        if self.apart {
            self.vector()
        } else {
            0
        }
    }

    /// Enqueues the making of h's coefficients in `a`, in bit-reversed order. `b` has a vector's bytes and `c` those of
    /// [`Quotient::room_for_c`]; both are released as soon as they are no longer needed.
    ///
    /// # Errors
    /// [`Error::NonCanonicalScalar`], [`Error::Cuda`], [`Error::Threads`].
    pub(super) fn enqueue(
        &self,
        engine: &Engine,
        circuit: Circuit<'_>,
        a: &mut DeviceSlice<Fr>,
        mut b_lease: Lease<'_>,
        mut c_lease: Lease<'_>,
    ) -> Result<(), Error> {
        let m = 1 << self.log2;
        let upload = |name: &str, values: &[Fr], to: &DeviceSlice<Fr>| {
            engine.ring().send_scalars(values, to)?.map_err(|index| circuit.not_canonical(name, index))
        };
        let mut b = b_lease.take(m);
        upload("a", circuit.evaluations.a, a)?;
        upload("b", circuit.evaluations.b, &b)?;
        let product = {
            let turn = engine.enqueue()?;
            self.domain.product(a, &mut b, turn.stream)?;
            turn.until()?
        };
        let (mut c, lease) = if self.apart {
            b_lease.release_after(&product);
            (c_lease.take(m), c_lease)
        } else {
            engine.uploads_wait_for(&product)?;
            (b, b_lease)
        };
        upload("c", circuit.evaluations.c, &c)?;
        let turn = engine.enqueue()?;
        self.domain.finish(a, &mut c, turn.stream)?;
        lease.release_after(&turn.until()?);
        Ok(())
    }
}
