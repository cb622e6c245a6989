//! Who gets device memory next: the rules alone, without threads.
//!
//! Requests are served first come, first served. The one at the head of the queue gets all its spans at once, as soon as
//! they fit; nobody behind it is asked before. So a large request waits for as long as those before it take, and no
//! stream of small ones can starve it.

use std::collections::VecDeque;

use crate::error::Shortfall;
use crate::mem::arena::{Arena, Span, Term};

/// A point in a device's work.
pub trait Fence: Clone + Send {
    /// Whether the device has got there.
    ///
    /// Asked while locks are held: it must not block, log, or call what takes device memory.
    fn is_over(&self) -> bool;
}

/// An arena and the queue for it.
#[derive(Debug)]
pub struct Admission<F> {
    arena: Arena<F>,
    queue: VecDeque<Ticket>,
    tickets: u64,
    /// Fences that nobody needs any more. They are not dropped here: that may log.
    over: Vec<F>,
}

/// A place in the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket(u64);

/// What is asked for: spans of so many bytes, all at once.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Bytes of each span.
    pub sizes: &'a [usize],
    /// How long they are kept.
    pub term: Term,
}

/// What becomes of a request now.
#[derive(Debug)]
pub enum Verdict<F> {
    /// These spans are the caller's, in the order of the sizes. Its place in the queue stays until it leaves.
    Admitted(Vec<Span<F>>),
    /// Not yet: others are before it, or short-lived spans must come back first.
    Wait,
    /// Not even if all short-lived spans came back.
    Never(Shortfall),
}

impl<F: Fence> Admission<F> {
    /// Nobody in the queue for `arena`.
    pub fn new(arena: Arena<F>) -> Self {
        Self { arena, queue: VecDeque::new(), tickets: 0, over: Vec::new() }
    }

    /// Joins the queue, behind everyone in it.
    pub fn join(&mut self) -> Ticket {
        self.tickets += 1;
        let ticket = Ticket(self.tickets);
        self.queue.push_back(ticket);
        ticket
    }

    /// Leaves the queue, served or not.
    pub fn leave(&mut self, ticket: Ticket) {
        self.queue.retain(|waiting| *waiting != ticket);
    }

    /// How many are in the queue.
    #[cfg(any(test, feature = "kit"))]
    pub fn waiting(&self) -> usize {
        self.queue.len()
    }

    /// Whether `ticket` is at the head of the queue.
    pub fn is_next(&self, ticket: Ticket) -> bool {
        self.queue.front() == Some(&ticket)
    }

    /// Decides on a request, whose place in the queue is `ticket`.
    pub fn decide(&mut self, ticket: Ticket, request: Request<'_>) -> Verdict<F> {
        let Request { sizes, term } = request;
        if !self.arena.could_take(sizes, term) {
            return Verdict::Never(self.shortfall(sizes));
        }
        if !self.is_next(ticket) {
            return Verdict::Wait;
        }
        self.retire();
        self.arena.take(sizes, term).map_or(Verdict::Wait, Verdict::Admitted)
    }

    /// Gives a span back, for others to use once `fence` is over, or at once if nothing has used it.
    pub fn give_back(&mut self, span: Span<F>, fence: Option<F>) {
        let unneeded = self.arena.give_back(span, fence);
        self.over.extend(unneeded);
    }

    /// Changes what may be used in all, in bytes. What is live stays.
    pub fn set_budget(&mut self, bytes: usize) {
        self.arena.set_limit(bytes);
    }

    /// The arena.
    pub fn arena(&self) -> &Arena<F> {
        &self.arena
    }

    /// The fences that nobody needs any more, to be dropped without any lock held.
    pub fn take_over(&mut self) -> Vec<F> {
        std::mem::take(&mut self.over)
    }

    /// From here on nothing is live, and no work that is not over uses anything.
    pub fn high_water(&mut self) -> usize {
        self.retire();
        self.arena.high_water()
    }

    fn retire(&mut self) {
        self.over.extend(self.arena.retire(Fence::is_over));
    }

    /// Why spans of these sizes cannot be had, or could not if they can.
    pub fn shortfall(&self, sizes: &[usize]) -> Shortfall {
        Shortfall {
            asked: sizes.iter().fold(0, |sum, size| sum.saturating_add(*size)),
            budget: self.arena.limit(),
            resident: self.arena.long_bytes(),
            largest: self.arena.largest_without_short(),
        }
    }
}
