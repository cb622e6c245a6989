//! Workers under interlock's rules: the library's own admission and arena, on simulated time.

use std::cell::RefCell;

use interlock::kit::admission::{Admission, Request, Verdict};
use interlock::kit::arena::{Arena, Span, Term};

use crate::load::{Load, Machine, Outcome, Phase};
use crate::world::{Moment, Point};

type Memory = RefCell<Admission<Point>>;

/// The outcome, or `None` if a phase needs more than the budget.
pub fn simulate(phases: &[Phase], load: Load, seed: u64) -> Option<Outcome> {
    let machine = Machine::new(load, seed);
    let memory = RefCell::new(Admission::new(Arena::new(load.budget)));
    let fits = phases.iter().all(|phase| memory.borrow().arena().could_take(&sizes(phase), Term::Short));
    fits.then(|| machine.run(|| partition(&machine, &memory, phases)))
}

async fn partition(machine: &Machine, memory: &Memory, phases: &[Phase]) {
    let mut done = 0;
    for phase in phases {
        machine.cpu.run(machine.about(phase.cpu)).await;
        done = enqueue(machine, memory, phase).await;
    }
    machine.world.until(done).await;
}

/// A phase, up to where its work is enqueued and its bytes are given back behind it. Returns when the device is done.
async fn enqueue(machine: &Machine, memory: &Memory, phase: &Phase) -> Moment {
    let spans = acquire(machine, memory, &sizes(phase)).await;
    let free = spans.iter().flat_map(Span::fences).map(|fence| fence.at).max().unwrap_or(0);
    let uploaded = machine.copy.enqueue(free, machine.about(phase.upload));
    // The host fills the pinned ring as the copy engine empties it.
    machine.world.until(uploaded).await;
    let mut done = 0;
    for (kernel, span) in phase.kernels.iter().zip(spans) {
        done = machine.compute.enqueue(uploaded, machine.about(kernel.seconds));
        memory.borrow_mut().give_back(span, Some(machine.world.point(done)));
    }
    machine.world.stir();
    done
}

async fn acquire(machine: &Machine, memory: &Memory, sizes: &[usize]) -> Vec<Span<Point>> {
    let ticket = memory.borrow_mut().join();
    let request = Request { sizes, term: Term::Short };
    let admitted = || match memory.borrow_mut().decide(ticket, request) {
        Verdict::Admitted(spans) => Some(spans),
        Verdict::Wait | Verdict::Never(_) => None,
    };
    let spans = machine.world.when(admitted).await;
    memory.borrow_mut().leave(ticket);
    spans
}

fn sizes(phase: &Phase) -> Vec<usize> {
    phase.kernels.iter().map(|kernel| kernel.bytes).collect()
}
