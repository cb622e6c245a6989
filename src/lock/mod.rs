//! Who may use a device, and when.
//!
//! | what is had | in which order | until |
//! | --- | --- | --- |
//! | a worker's turn, [`Locks::begin`], if the handle limits its workers | first come, first served | all of a call's work is enqueued |
//! | the turn to have vectors in page-locked host memory, `order::Order` of two, if a phase has such vectors | first come, first served, once for all of the phase | all that uses them is enqueued; whoever has them next waits on the device for its end |
//! | blocks of a device's memory, `memory::Memory` | first come, first served, all of a phase at once | the phase's work is enqueued; whoever has the bytes next waits on the device for its end |
//! | the turn to pass streamed parameters through the memory that a device keeps for that, `order::Order` | first come, first served | the MSMs over these parameters are enqueued; whoever has it waits for what used its slots |
//! | a slot for what is uploaded | first come, first served | it is filled and its copies are enqueued; whoever has it next waits for their end |
//! | the turn to enqueue on a device's streams of kernels, `order::Order` | first come, first served | a batch of kernels is enqueued |
//! | the device itself | as enqueued | a fence, that is an event, is over |
//!
//! # Why no call waits for ever
//!
//! A call takes these from the top of the table to the bottom, and while it holds one it waits only for those further
//! down:
//!
//! - It asks for the turn to have host vectors when it holds no block of any phase. So it may have that turn while it waits for blocks: nobody
//!   who holds blocks waits for the turn.
//! - It asks for a phase's blocks when it holds no block of an earlier one: those were released, which waits for nothing,
//!   when that phase's work had been enqueued. Long-lived blocks it may hold: nobody waits for those.
//! - It asks for the turn to pass parameters when it has all the blocks of the phase, and holds some of them while it waits: whoever has that
//!   turn asks for no blocks. The memory that goes with the turn is a long-lived block, which is taken before the phase's blocks are.
//! - It asks for a slot when it has all the blocks of the phase and not the compute turn, again and again, and asks for nothing while it has one.
//! - It asks for the compute turn when it has all the blocks of the phase, again and again while it has the turn to pass parameters, and asks
//!   for nothing until it has passed it on.
//! - A fence is recorded before anybody is told of it. What is enqueued later can wait for it, what is enqueued earlier
//!   cannot, so the device's waits form no circle, and every fence is over some time.
//!
//! So the device goes on whatever calls wait for. Hence whoever has a slot, or the compute turn passes it on, and everyone gets it.
//! Hence whoever has the turn to pass parameters, waiting for slots, compute turns and the device only, passes it on, and everyone gets it.
//! Hence every short-lived block comes back, as its holder waits for nothing but slots, these turns and the device. The request at the
//! head of the memory's queue is admitted at the latest when all of them are back: if it does not fit even then, because
//! of the budget or of long-lived blocks, it is refused and does not wait. Then the next one is at the head; hence every
//! request is answered. Hence whoever has the turn for host vectors passes it on, and everyone gets it; every call enqueues its work, and
//! every worker's turn ends.
//!
//! A call that fails or panics gives all of this back as its guards are dropped, and its place in a queue with it: blocks
//! behind a fence that lies after all that was enqueued, if anything may have been. All this holds for any number of
//! handles: memory and compute stream belong to the device, whichever handle a call came with.

#[cfg(any(test, feature = "kit", interlock_cuda))]
pub mod admission;
#[cfg(any(test, feature = "kit", interlock_cuda))]
pub mod load;
mod locks;
#[cfg(any(test, feature = "kit", interlock_cuda))]
pub mod memory;
#[cfg(all(test, interlock_shuttle))]
mod models;
pub mod order;
mod sync;

#[cfg(interlock_cuda)]
pub(crate) use admission::Fence;
pub(crate) use locks::{create, destroy, resolve};
pub use locks::{Call, LockSettings, LockStatistics, Locks};
#[cfg(interlock_cuda)]
pub(crate) use order::{Order, Turn};
