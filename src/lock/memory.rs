//! The memory lock of a device: blocks of its arena for whoever's turn it is.

use std::sync::Arc;

use super::admission::{Admission, Fence, Request, Ticket, Verdict};
use super::sync::{lock, wait, Condvar, Mutex};
use crate::error::{Error, Shortfall};
use crate::mem::arena::{Arena, Span, Term};

/// Where the arena's memory comes from. Called with no lock held.
pub trait Backing: Send + Sync {
    /// Maps memory, up to at least the first `to_bytes` of the arena if it can be had, and returns how much is mapped now,
    /// from the start on. Called by one thread at a time.
    ///
    /// # Errors
    /// Whatever makes the device unusable. That there is no more memory is none: the answer says it.
    fn grow(&self, to_bytes: usize) -> Result<usize, Error>;

    /// Unmaps what lies above `to_bytes` and returns how much is mapped now. Never called beside [`Backing::grow`].
    ///
    /// # Errors
    /// Whatever makes the device unusable.
    fn shrink(&self, to_bytes: usize) -> Result<usize, Error>;

    /// Drops a long-lived block or some that nobody uses, and says whether there were any. Called by several threads, and again
    /// while it is not enough.
    fn reclaim(&self) -> bool;
}

/// A device's memory, shared by all that use the device.
#[derive(Debug)]
pub struct Memory<F: Fence, B> {
    state: Mutex<State<F>>,
    changed: Condvar,
    backing: B,
}

#[derive(Debug)]
struct State<F> {
    admission: Admission<F>,
    mapped: usize,
    /// What was said may be used; the arena's limit is less while the device has less.
    budget: usize,
}

impl<F: Fence, B: Backing> Memory<F, B> {
    /// A range of `capacity` bytes of addresses, of which `budget` may be used and nothing is mapped.
    pub fn new(capacity: usize, budget: usize, backing: B) -> Arc<Self> {
        let mut admission = Admission::new(Arena::new(capacity));
        admission.set_budget(budget);
        Arc::new(Self { state: Mutex::new(State { admission, mapped: 0, budget }), changed: Condvar::new(), backing })
    }

    /// Blocks of at least these sizes in bytes, in their order, all at once; for a phase of a proof.
    ///
    /// Waits for its turn, and then until they fit. Whoever calls must hold no block that is not released without
    /// further waiting, and no [`Turn`](super::order::Turn).
    ///
    /// # Errors
    /// [`Error::DeviceMemory`] at once if they would not fit even without any other short-lived block and with all that
    /// could be reclaimed, and as soon as that becomes so. What [`Backing::grow`] reports.
    pub fn acquire(self: &Arc<Self>, sizes: &[usize]) -> Result<Vec<Block<F, B>>, Error> {
        self.request_patiently(Request { sizes, term: Term::Short })
    }

    /// As [`Memory::acquire`], for blocks that serve many proofs: they lie at the bottom of the arena.
    ///
    /// # Errors
    /// As [`Memory::acquire`].
    pub fn acquire_long(self: &Arc<Self>, sizes: &[usize]) -> Result<Vec<Block<F, B>>, Error> {
        self.request_patiently(Request { sizes, term: Term::Long })
    }

    /// As [`Memory::acquire`], or `None` where that would wait.
    ///
    /// # Errors
    /// As [`Memory::acquire`].
    pub fn try_acquire(self: &Arc<Self>, sizes: &[usize]) -> Result<Option<Vec<Block<F, B>>>, Error> {
        self.request(&Place::join(self), Request { sizes, term: Term::Short }, Patience::None)
    }

    /// Changes what may be used in all, in bytes, of what the capacity allows. Blocks that live stay; later ones, and
    /// those waited for now, respect it.
    #[cfg(any(test, feature = "kit"))]
    pub fn set_budget(&self, bytes: usize) {
        let mut state = lock(&self.state);
        state.budget = bytes;
        state.admission.set_budget(bytes);
        drop(state);
        self.changed.notify_all();
    }

    /// What may be used in all, in bytes: the budget, or what could be mapped when that was found to be less.
    pub fn budget(&self) -> usize {
        lock(&self.state).admission.arena().limit()
    }

    /// What is left of the budget beside long-lived blocks, in bytes.
    #[cfg(any(interlock_cuda, feature = "kit"))]
    pub fn short_budget(&self) -> usize {
        let state = lock(&self.state);
        let arena = state.admission.arena();
        arena.limit().saturating_sub(arena.long_bytes())
    }

    /// Why `bytes` in one piece could not be had, whatever short-lived blocks there are; also where they could.
    pub fn shortfall(&self, bytes: usize) -> Shortfall {
        lock(&self.state).admission.shortfall(&[bytes])
    }

    /// The bytes in blocks that live.
    pub fn used_bytes(&self) -> usize {
        lock(&self.state).admission.arena().used_bytes()
    }

    /// How many calls wait for blocks or are about to have them.
    #[cfg(any(test, feature = "kit"))]
    pub fn waiting(&self) -> usize {
        lock(&self.state).admission.waiting()
    }

    /// Unmaps what lies above all blocks and all work that is not over. Waits for its turn, as [`Memory::acquire`].
    ///
    /// # Errors
    /// What [`Backing::shrink`] reports.
    pub fn give_back_idle(self: &Arc<Self>) -> Result<(), Error> {
        let place = Place::join(self);
        let mut state = lock(&self.state);
        while !state.admission.is_next(place.ticket) {
            state = wait(&self.changed, state);
        }
        // At the head of the queue, so that nobody is given what is unmapped.
        let keep = state.admission.high_water();
        let over = state.admission.take_over();
        drop(state);
        drop(over);
        let shrunk = self.backing.shrink(keep);
        let mut state = lock(&self.state);
        // After a failure some of what lies above may be gone: it is mapped again, or found to be, before it is used.
        state.mapped = shrunk.as_ref().map_or(state.mapped.min(keep), |mapped| *mapped);
        shrunk.map(drop)
    }

    fn request_patiently(self: &Arc<Self>, request: Request<'_>) -> Result<Vec<Block<F, B>>, Error> {
        match self.request(&Place::join(self), request, Patience::Endless)? {
            Some(blocks) => Ok(blocks),
            None => Err(Error::Internal { what: "a patient request for device memory gave up".to_owned() }),
        }
    }

    fn request(
        self: &Arc<Self>,
        place: &Place<'_, F, B>,
        request: Request<'_>,
        patience: Patience,
    ) -> Result<Option<Vec<Block<F, B>>>, Error> {
        let mut state = lock(&self.state);
        let mut asked_again = false;
        loop {
            match state.admission.decide(place.ticket, request) {
                // What the device did not have when it was last asked, others may have given back since.
                Verdict::Never(_) if !asked_again && state.admission.arena().limit() < state.budget => {
                    asked_again = true;
                    let budget = state.budget;
                    state.admission.set_budget(budget);
                }
                Verdict::Wait if patience == Patience::None => return Ok(None),
                Verdict::Wait => state = wait(&self.changed, state),
                Verdict::Never(shortfall) => {
                    drop(state);
                    if !self.backing.reclaim() {
                        return Err(Error::DeviceMemory(shortfall));
                    }
                    state = lock(&self.state);
                }
                Verdict::Admitted(spans) => {
                    let over = state.admission.take_over();
                    drop(state);
                    let blocks = self.blocks(spans);
                    drop(over);
                    if self.map(&blocks)? {
                        return Ok(Some(blocks));
                    }
                    drop(blocks);
                    state = lock(&self.state);
                }
            }
        }
    }

    fn blocks(self: &Arc<Self>, spans: Vec<Span<F>>) -> Vec<Block<F, B>> {
        spans.into_iter().map(|span| Block { memory: self.clone(), span: Some(span) }).collect()
    }

    /// Sees to it that the blocks are mapped, or says that they cannot be; then the budget is what can. Only whoever is
    /// at the head of the queue comes here.
    fn map(&self, blocks: &[Block<F, B>]) -> Result<bool, Error> {
        let end = blocks.iter().map(|block| block.offset() + block.bytes()).max().unwrap_or(0);
        if end <= lock(&self.state).mapped {
            return Ok(true);
        }
        let mapped = self.backing.grow(end)?;
        let mut state = lock(&self.state);
        state.mapped = mapped;
        if mapped < end {
            let budget = mapped.min(state.admission.arena().limit());
            state.admission.set_budget(budget);
        }
        Ok(mapped >= end)
    }

    fn give_back(&self, span: Span<F>, fence: Option<F>) {
        let mut state = lock(&self.state);
        state.admission.give_back(span, fence);
        let over = state.admission.take_over();
        drop(state);
        self.changed.notify_all();
        drop(over);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    None,
    Endless,
}

/// A place in the queue, left however its holder ends.
struct Place<'a, F: Fence, B: Backing> {
    memory: &'a Memory<F, B>,
    ticket: Ticket,
}

impl<'a, F: Fence, B: Backing> Place<'a, F, B> {
    fn join(memory: &'a Memory<F, B>) -> Self {
        Self { memory, ticket: lock(&memory.state).admission.join() }
    }
}

impl<F: Fence, B: Backing> Drop for Place<'_, F, B> {
    fn drop(&mut self) {
        lock(&self.memory.state).admission.leave(self.ticket);
        self.memory.changed.notify_all();
    }
}

/// Bytes of the arena that are the holder's until it is released or dropped.
#[derive(Debug)]
#[must_use]
pub struct Block<F: Fence, B: Backing> {
    memory: Arc<Memory<F, B>>,
    span: Option<Span<F>>,
}

impl<F: Fence, B: Backing> Block<F, B> {
    /// Its first byte, from the start of the arena. A multiple of 256.
    pub fn offset(&self) -> usize {
        self.span.as_ref().map_or(0, Span::offset)
    }

    /// Its size: what was asked for, rounded up.
    pub fn bytes(&self) -> usize {
        self.span.as_ref().map_or(0, Span::bytes)
    }

    /// What must be over before its first use: let the stream that uses it wait for these, not the host.
    pub fn fences(&self) -> impl Iterator<Item = &F> {
        self.span.iter().flat_map(Span::fences)
    }

    /// Gives the bytes back, for others to use once `fence` is over. It must lie after all uses of the block, and those
    /// after [`Block::fences`].
    ///
    /// A block that is dropped instead is one that nothing enqueued uses.
    pub fn release_after(mut self, fence: F) {
        self.end(Some(fence));
    }

    fn end(&mut self, fence: Option<F>) {
        if let Some(span) = self.span.take() {
            self.memory.give_back(span, fence);
        }
    }
}

impl<F: Fence, B: Backing> Drop for Block<F, B> {
    fn drop(&mut self) {
        self.end(None);
    }
}

#[cfg(test)]
mod tests;
