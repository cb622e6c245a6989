//! The quotient polynomial h of a circuit, from the uploading of a, b and c on.

use std::ffi::CStr;
use std::ops::Range;
use std::sync::Arc;

use super::circuit::Circuit;
use super::engine::On;
use super::host_vectors::{HostTurn, HostVector};
use super::lease::{room_for, Lease, Until};
use super::msm::{gather, Form, Scalars, Terms};
use super::worker::Worker;
use super::{DeviceSlice, Domain, Stream, G1};
use crate::curve::{Fr, G1Affine};
use crate::error::Error;
use crate::prove::{Plan, Residence, Vectors};
use crate::trace::span;

/// A domain, and where vectors over it are.
pub(super) struct Quotient {
    domain: Arc<Domain>,
    log2: u32,
    vectors: Vectors,
    /// Where its kernels are: beside those of other workers whose parameters pass.
    on: On,
}

/// The vector that is a at first and h, in bit-reversed order and as integers, at last.
pub(super) struct Coefficients<'e> {
    pub(super) values: DeviceSlice<Fr>,
    /// Where they are put in order, if they are in host memory: room for as many as are worked on at a time.
    pub(super) ordered: Option<DeviceSlice<Fr>>,
    host: Option<HostVector<'e>>,
}

/// Memory for the other vectors.
pub(super) struct Others<'e> {
    lease: Lease<'e>,
    b: DeviceSlice<Fr>,
    /// None if c takes the place of b.
    c: Option<DeviceSlice<Fr>>,
    host: Option<HostVector<'e>>,
}

impl Quotient {
    /// Over the domain of 2^`log2` points, with the vectors where `plan` says.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn new(engine: &Worker<'_>, log2: u32, plan: &Plan) -> Result<Self, Error> {
        let on = match plan.parameters {
            Residence::Resident => On::Compute,
            Residence::Streamed => On::Quotients,
        };
        Ok(Self { domain: engine.domain(log2)?, log2, vectors: plan.vectors, on })
    }

    fn len(&self) -> usize {
        1 << self.log2
    }

    /// Bytes that [`Coefficients`] take of a lease, of which `part` are worked on at a time.
    pub(super) fn room(&self, part: usize) -> usize {
        if self.vectors.keeps_h() {
            room_for::<Fr>(self.len())
        } else {
            room_for::<Fr>(part)
        }
    }

    /// Bytes of the lease of [`Others`].
    pub(super) fn room_for_others(&self) -> usize {
        self.vectors.others() * room_for::<Fr>(self.len())
    }

    /// Waits for the turn to have vectors in host memory, if there are any. To be had before any lease.
    pub(super) fn host_turn<'e>(&self, engine: &'e Worker<'e>) -> HostTurn<'e> {
        HostTurn::wait(engine, self.vectors.on_host() > 0)
    }

    /// Takes [`Quotient::room`] of `lease`.
    ///
    /// # Errors
    /// [`Error::Cuda`], where host memory is taken.
    pub(super) fn coefficients<'e>(
        &self,
        turn: &'e HostTurn<'_>,
        part: usize,
        lease: &mut Lease<'e>,
    ) -> Result<Coefficients<'e>, Error> {
        if self.vectors.keeps_h() {
            return Ok(Coefficients { values: lease.take(self.len()), ordered: None, host: None });
        }
        let host = HostVector::take(turn, self.len())?;
        Ok(Coefficients { values: host.slice(self.len()), ordered: Some(lease.take(part)), host: Some(host) })
    }

    /// The other vectors, in a lease of [`Quotient::room_for_others`].
    ///
    /// # Errors
    /// [`Error::Cuda`], where host memory is taken.
    pub(super) fn others<'e>(&self, turn: &'e HostTurn<'_>, mut lease: Lease<'e>) -> Result<Others<'e>, Error> {
        if self.vectors.others() == 0 {
            let host = HostVector::take(turn, self.len())?;
            return Ok(Others { lease, b: host.slice(self.len()), c: None, host: Some(host) });
        }
        let b = lease.take(self.len());
        let c = (self.vectors == Vectors::Three).then(|| lease.take(self.len()));
        Ok(Others { lease, b, c, host: None })
    }

    /// Enqueues the making of h and returns until when the other vectors are in use.
    ///
    /// # Errors
    /// [`Error::NonCanonicalScalar`], [`Error::Cuda`], [`Error::Threads`].
    pub(super) fn enqueue(
        &self,
        engine: &Worker<'_>,
        circuit: Circuit<'_>,
        h: &mut Coefficients<'_>,
        others: &mut Others<'_>,
    ) -> Result<Until, Error> {
        let upload = |what: &'static CStr, name: &str, values: &[Fr], to: &DeviceSlice<Fr>| {
            let _sending = span(what);
            engine.uploads().send_scalars(values, to)?.map_err(|index| circuit.not_canonical(name, index))
        };
        let a = &mut h.values;
        upload(c"sending a", "a", circuit.evaluations.a, a)?;
        upload(c"sending b", "b", circuit.evaluations.b, &others.b)?;
        let product = {
            let turn = engine.enqueue_on(self.on, c"product")?;
            self.domain.product(a, &mut others.b, turn.stream)?;
            turn.until()?
        };
        let c = match &mut others.c {
            Some(c) => c,
            None => {
                engine.uploads_wait_for(&product)?;
                &mut others.b
            }
        };
        upload(c"sending c", "c", circuit.evaluations.c, c)?;
        let turn = engine.enqueue_on(self.on, c"quotient")?;
        self.domain.finish(a, c, turn.stream)?;
        turn.until()
    }
}

impl Coefficients<'_> {
    /// The terms that the points of `range`, `points`, have with them, for a domain of 2^`log2` points. If the coefficients are in host
    /// memory, their putting in order is enqueued on `stream`.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn terms<'a>(
        &'a self,
        (points, range): (&'a DeviceSlice<G1Affine>, &Range<usize>),
        log2: u32,
        stream: &Stream,
    ) -> Result<Terms<'a, G1>, Error> {
        let (scalars, order) = match &self.ordered {
            None => (&self.values, Scalars::Reversed { bits: log2, first: range.start }),
            Some(ordered) => {
                // Once over the bus, not once for every group of windows.
                gather(&ordered.range(0..range.len()), &self.values, log2, range.start, stream)?;
                (ordered, Scalars::InOrder)
            }
        };
        Ok(Terms { points, positions: None, scalars, form: Form::Integers, order, len: range.len(), count: None })
    }

    /// Gives back what is not of the lease, for use after `until`.
    pub(super) fn release_after(self, until: &Until) {
        if let Some(host) = self.host {
            host.release_after(until);
        }
    }
}

impl Others<'_> {
    /// Gives the memory back, for use after `until`.
    pub(super) fn release_after(self, until: &Until) {
        self.lease.release_after(until);
        if let Some(host) = self.host {
            host.release_after(until);
        }
    }
}
