//! One device: what it keeps between proofs, and what all workers on it share.

use std::collections::BTreeMap;
use std::ffi::{c_void, CStr};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::aside::ScratchUses;
use super::host_vectors::HostVectors;
use super::lanes::BESIDE;
use super::lease::{Backing, Until};
use super::mapping::Mapping;
use super::passes::Passes;
use super::pinned::PinnedPool;
use super::residents::Residents;
use super::staging::Ring;
use super::timeline::Begun;
use super::{DeviceBuffer, DeviceSlice, Domain, Event, Stream, Timeline};
use crate::error::{Error, Shortfall};
use crate::lock::{memory, Order, Turn};
use crate::params::Counts;
use crate::prove::plan::scratch::{most_terms, G1_SUM, G2_SUM};
use crate::prove::plan::Division;
use crate::prove::{Plan, Residence, Sizes, Vectors};
use crate::trace::{self, span, Span};

/// Events of a stream that workers share.
pub(super) const EVENTS: usize = 64;

/// The memory of a device.
pub(super) type Memory = memory::Memory<Until, Backing>;
/// A part of it.
pub(super) type Block = memory::Block<Until, Backing>;

/// A device at work. The device must be current whenever it is used.
#[derive(Debug)]
pub(super) struct Engine {
    ordinal: usize,
    memory: Arc<Memory>,
    base: Address,
    /// All kernels of all workers but those of uploads and of the streams below, in the order of their turns.
    compute: Stream,
    /// What a turn has done beside the compute stream's kernels: see [`super::lanes`].
    beside: [Stream; BESIDE],
    /// What goes on beside the turns: see [`super::aside`].
    aside: Stream,
    /// The quotients of circuits whose parameters pass, while another's pass: before what goes on beside the turns, which would leave nothing
    /// of the device to them, and so before c is sent.
    quotients: Stream,
    order: Order,
    ring: Ring,
    /// Copies of parameters that pass through: see [`super::streamed`].
    passing: Passing,
    /// The memory through which they do, once there are any.
    passes: OnceLock<Passes>,
    making_passes: Mutex<()>,
    division: Division,
    /// Serves the work of all turns, and what goes on beside them.
    scratch: Block,
    scratch_uses: ScratchUses,
    domains: Mutex<BTreeMap<u32, Arc<Domain>>>,
    pinned: PinnedPool,
    host_vectors: HostVectors,
    residents: Residents,
    timeline: Arc<Timeline>,
}

#[derive(Clone, Copy, Debug)]
struct Address(*mut c_void);
// SAFETY: it is that of device memory, which belongs to no thread.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

/// The streams of passing parameters.
#[derive(Debug)]
pub(super) struct Passing {
    pub(super) h: Stream,
    /// By turns.
    pub(super) witness: [Stream; 2],
}

impl Passing {
    pub(super) fn streams(&self) -> impl Iterator<Item = &Stream> {
        std::iter::once(&self.h).chain(&self.witness)
    }
}

/// The streams of turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum On {
    /// That of most.
    Compute,
    /// That of quotients while parameters pass, whose turns have no scratch.
    Quotients,
}

impl On {
    fn shown(self) -> trace::Stream {
        match self {
            Self::Compute => trace::Stream::Compute,
            Self::Quotients => trace::Stream::Quotients,
        }
    }
}

/// A worker's turn to enqueue on a stream.
pub(super) struct Enqueuing<'e> {
    engine: &'e Engine,
    what: &'static CStr,
    on: On,
    begun: Option<Begun>,
    _turn: Turn<'e>,
    _traced: Span,
    pub(super) stream: &'e Stream,
    /// For [`super::lanes::Lanes`].
    pub(super) beside: &'e [Stream; BESIDE],
    uses_scratch: bool,
}

impl Engine {
    /// An engine for the current device, number `ordinal`, which takes `budget` bytes of its memory at most.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`] if that is too little for any proof, and [`Error::Cuda`].
    pub(super) fn new(ordinal: usize, budget: usize) -> Result<Self, Error> {
        let mapping = Mapping::reserve(ordinal, budget)?;
        let base = Address(mapping.base());
        let residents = Residents::default();
        let timeline = Arc::new(Timeline::new(ordinal));
        let stream = || Stream::new()?.with_events(EVENTS);
        let preferred = || Stream::preferred(2);
        let memory = Memory::new(budget, budget, Backing::new(mapping, residents.clone()));
        let division = Division::of(budget);
        // The first of all, so that what comes and goes lies together.
        let scratch = memory.acquire_long(&[division.scratch()])?.pop();
        let scratch = scratch.ok_or_else(|| Error::Internal { what: "a block for each size".to_owned() })?;
        Ok(Self {
            ordinal,
            memory,
            base,
            compute: preferred()?.with_events(EVENTS)?,
            beside: [preferred()?, preferred()?, preferred()?, preferred()?, preferred()?],
            aside: stream()?,
            quotients: Stream::preferred(1)?.with_events(EVENTS)?,
            order: Order::new(1),
            ring: Ring::new(timeline.clone())?,
            passing: Passing { h: stream()?, witness: [stream()?, stream()?] },
            passes: OnceLock::new(),
            making_passes: Mutex::default(),
            division,
            scratch,
            scratch_uses: ScratchUses::default(),
            domains: Mutex::default(),
            pinned: PinnedPool::default(),
            host_vectors: HostVectors::default(),
            residents,
            timeline,
        })
    }

    /// Whether the device is to keep queries of these lengths: proofs are fastest then, and there is room for them beside parameters that
    /// are in use. Others make room.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`] if the budget is too small for any proof.
    pub(super) fn would_keep(&self, counts: &Counts) -> Result<bool, Error> {
        let (sizes, budget) = (Sizes::from(counts), self.memory.budget());
        let fastest = sizes.fastest(budget).ok_or_else(|| Error::DeviceMemory(sizes.shortfall(budget)))?;
        let bytes = sizes.resident_bytes(Residence::Resident);
        Ok(fastest.parameters == Residence::Resident
            && self.plan_in(&sizes, Residence::Resident, bytes, usize::MAX).is_ok())
    }

    /// The plan for a circuit with queries of these lengths in what all long-lived blocks leave. Parameters that nobody uses go before
    /// vectors do. It takes no more than `limit` bytes beside what serves all workers, if there is one. Whoever calls holds no lease.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`] if that is too little, and [`Error::Cuda`].
    pub(super) fn plan(&self, counts: &Counts, residence: Residence, limit: Option<usize>) -> Result<Plan, Error> {
        if residence == Residence::Streamed {
            self.passes()?;
        }
        self.plan_in(&Sizes::from(counts), residence, 0, limit.unwrap_or(usize::MAX))
    }

    /// The same, less `taken` bytes.
    fn plan_in(&self, sizes: &Sizes, residence: Residence, taken: usize, limit: usize) -> Result<Plan, Error> {
        let most = sizes.room_alone(residence, self.division).unwrap_or(0).min(limit);
        // Three are little faster than two: other parameters stay for that.
        let best = sizes.fastest_with(residence, self.division, most).map(|plan| plan.vectors.min(Vectors::Two));
        loop {
            let here = self.memory.shortfall(0);
            let room = here.largest.saturating_sub(taken).min(most);
            let plan = sizes.fastest_with(residence, self.division, room);
            // Where there is none with all the room there may be, nobody makes any.
            if plan.is_some_and(|plan| Some(plan.vectors) >= best) || best.is_none() || !self.residents.make_room() {
                return plan.ok_or_else(|| Error::DeviceMemory(Shortfall { asked: sizes.least_budget(), ..here }));
            }
        }
    }

    /// The memory through which streamed parameters pass, which is there from the first time on. Whoever calls holds no lease.
    ///
    /// # Errors
    /// As [`Engine::long_block`].
    pub(super) fn passes(&self) -> Result<&Passes, Error> {
        if let Some(passes) = self.passes.get() {
            return Ok(passes);
        }
        let _making = self.making_passes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(passes) = self.passes.get() {
            return Ok(passes);
        }
        let passes = Passes::new(self.long_block(self.division.pass())?);
        Ok(self.passes.get_or_init(|| passes))
    }

    /// What its budget is divided into.
    pub(super) fn division(&self) -> Division {
        self.division
    }

    /// The terms up to which MSMs in G1, and in G2, have enough scratch.
    pub(super) fn most_terms(&self) -> [usize; 2] {
        [G1_SUM, G2_SUM].map(|sum| most_terms(sum, self.division.scratch()))
    }

    /// Waits for a block that is kept longer than a proof. Nothing uses it any more.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`] if the budget does not hold it, and [`Error::Cuda`].
    pub(super) fn long_block(&self, bytes: usize) -> Result<Block, Error> {
        let block = {
            let _waiting = span(c"waiting for memory");
            self.memory.acquire_long(&[bytes])?.pop()
        };
        self.trace_memory();
        let block = block.ok_or_else(|| Error::Internal { what: "a block for each size".to_owned() })?;
        for until in block.fences() {
            until.event().synchronize()?;
        }
        Ok(block)
    }

    /// Waits for a turn on a stream, where what is enqueued waits for `events`. The trace calls it `what`.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn enqueue_behind<'a>(
        &self,
        what: &'static CStr,
        on: On,
        events: impl IntoIterator<Item = &'a Event>,
    ) -> Result<Enqueuing<'_>, Error> {
        let turn = self.turn();
        let traced = span(on.shown().enqueuing());
        let stream = match on {
            On::Compute => &self.compute,
            On::Quotients => &self.quotients,
        };
        events.into_iter().try_for_each(|event| stream.wait_for(event))?;
        let begun = self.timeline.begin(stream);
        Ok(Enqueuing {
            engine: self,
            what,
            on,
            begun,
            _turn: turn,
            _traced: traced,
            stream,
            beside: &self.beside,
            uses_scratch: false,
        })
    }

    /// The domain of 2^`log2` points, which is made the first time.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn domain(&self, log2: u32) -> Result<Arc<Domain>, Error> {
        let mut domains = self.domains.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(domain) = domains.get(&log2) {
            return Ok(domain.clone());
        }
        // Not on a stream with others' work: the host waits for it, as turns on any stream use it.
        let stream = Stream::urgent()?;
        let domain = Arc::new(Domain::new(log2, DeviceBuffer::new(Domain::length(log2)?)?, &stream)?);
        stream.synchronize()?;
        domains.insert(log2, domain.clone());
        Ok(domain)
    }

    /// The stream of [`super::aside`].
    pub(super) fn aside(&self) -> &Stream {
        &self.aside
    }

    /// The stream of quotients while parameters pass.
    pub(super) fn quotients(&self) -> &Stream {
        &self.quotients
    }

    /// All of the scratch, for those who have asked until when it is used.
    pub(super) fn all_scratch(&self) -> DeviceSlice<u8> {
        // SAFETY: the block is mapped as long as the engine is there.
        unsafe { DeviceSlice::from_raw(self.address(self.scratch.offset()), self.scratch.bytes()) }
    }

    /// Until when scratch is used.
    pub(super) fn scratch_uses(&self) -> &ScratchUses {
        &self.scratch_uses
    }

    /// The stream of most turns.
    pub(super) fn compute(&self) -> &Stream {
        &self.compute
    }

    /// The uploads of all workers.
    pub(super) fn ring(&self) -> &Ring {
        &self.ring
    }

    /// The streams of the copies of parameters that pass through.
    pub(super) fn passing(&self) -> &Passing {
        &self.passing
    }

    /// Where results go.
    pub(super) fn pinned(&self) -> &PinnedPool {
        &self.pinned
    }

    /// Vectors that the device has no room for.
    pub(super) fn host_vectors(&self) -> &HostVectors {
        &self.host_vectors
    }

    /// When the device did what.
    pub(super) fn timeline(&self) -> &Arc<Timeline> {
        &self.timeline
    }

    /// Records how much memory is held now.
    pub(super) fn trace_memory(&self) {
        if trace::is_on() {
            let by_parameters = self.memory.budget().saturating_sub(self.memory.short_budget());
            let by_proofs = self.memory.used_bytes().saturating_sub(by_parameters);
            trace::held(self.ordinal, by_proofs, by_parameters);
        }
    }

    /// What it has of which parameters.
    pub(super) fn residents(&self) -> &Residents {
        &self.residents
    }

    /// Its number.
    pub(super) fn ordinal(&self) -> usize {
        self.ordinal
    }

    /// The device's memory.
    pub(super) fn memory(&self) -> &Arc<Memory> {
        &self.memory
    }

    /// The address of byte `offset` of the arena.
    pub(super) fn address(&self, offset: usize) -> *mut c_void {
        self.base.0.wrapping_byte_add(offset)
    }

    /// The streams that all workers share.
    pub(super) fn streams(&self) -> impl Iterator<Item = &Stream> {
        self.passing.streams().chain(&self.beside).chain([&self.aside, &self.quotients, &self.compute])
    }

    fn turn(&self) -> Turn<'_> {
        let _waiting = span(c"waiting for a turn");
        self.order.turn()
    }
}

impl Drop for Enqueuing<'_> {
    fn drop(&mut self) {
        if self.uses_scratch {
            let until = self.until().ok();
            if until.is_none() {
                self.engine.streams().for_each(Stream::drain);
            }
            self.engine.scratch_uses.used_until(until);
        }
        self.engine.timeline.end(self.begun.take(), self.what, (self.on.shown(), self.stream), 0);
    }
}

impl Enqueuing<'_> {
    /// Memory for what is enqueued during this turn on the compute stream, one after the other. From here on it waits for what goes on beside the turns.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn scratch(&mut self) -> Result<DeviceSlice<u8>, Error> {
        if self.on != On::Compute {
            return Err(Error::Internal { what: format!("scratch for a turn on {:?}", self.on) });
        }
        self.engine.scratch_uses.wait_for_aside(self.stream)?;
        self.uses_scratch = true;
        Ok(self.engine.all_scratch())
    }

    /// The end of what is enqueued on its stream now.
    ///
    /// # Errors
    /// [`Error::Cuda`].
    pub(super) fn until(&self) -> Result<Until, Error> {
        Ok(Until::new(Event::record(self.stream)?))
    }
}
