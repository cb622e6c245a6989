//! The ways in which a shape's batches are proved.

use std::hint::black_box;
use std::sync::Arc;
use std::thread;

use blst::blst_fr;
use interlock::curve::Proof;
use interlock::prove::{prove, start, Batch, Pending};
use interlock::{Locks, Srs};

use super::circuit::Made;
use super::plan::Way;

/// The proofs of each batch.
pub type Proofs = Vec<Vec<Proof>>;

/// Proves `batches` in this way, on the backend that is set.
///
/// # Errors
/// The first of a proof, in words.
pub fn proofs(batches: &[Vec<Made>], way: Way, srs: &Srs) -> Result<Proofs, String> {
    let told = |error: interlock::Error| error.to_string();
    match way {
        Way::InTurn => batches.iter().map(|made| at_once(made, srs, Locks::shared())).collect(),
        Way::Halves | Way::HalvesAndOneGivenUp => {
            let mut pending = Vec::new();
            for made in batches {
                pending.push(begun(made, srs)?);
                if way == Way::HalvesAndOneGivenUp && pending.len() == 1 {
                    drop(begun(made, srs)?);
                }
            }
            let mut proofs = Vec::new();
            while let Some(last) = pending.pop() {
                proofs.insert(0, last.finish().map_err(told)?);
            }
            Ok(proofs)
        }
        Way::Threads => thread::scope(|scope| {
            let own = |i: usize| if i % 2 == 0 { Locks::shared() } else { Arc::new(Locks::default()) };
            let threads: Vec<_> =
                batches.iter().enumerate().map(|(i, made)| scope.spawn(move || at_once(made, srs, own(i)))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a panic".to_owned()))).collect()
        }),
    }
}

fn at_once(made: &[Made], srs: &Srs, locks: Arc<Locks>) -> Result<Vec<Proof>, String> {
    let evaluations: Vec<_> = made.iter().map(Made::evaluations).collect();
    prove(Batch {
        evaluations: &evaluations,
        witnesses: made.iter().map(Made::witness).collect(),
        blindings: made.iter().map(|made| made.blinding).collect(),
        srs: srs.parameters().clone(),
        locks,
        device: None,
    })
    .map_err(|error| error.to_string())
}

/// A batch that is started, and whose evaluations are overwritten and gone.
fn begun<'w>(made: &'w [Made], srs: &Srs) -> Result<Box<dyn Pending + 'w>, String> {
    const GARBAGE: blst_fr = blst_fr { l: [u64::MAX; 4] };
    let mut copies: Vec<Made> = made.to_vec();
    let evaluations: Vec<_> = copies.iter().map(Made::evaluations).collect();
    let pending = start(Batch {
        evaluations: &evaluations,
        witnesses: made.iter().map(Made::witness).collect(),
        blindings: made.iter().map(|made| made.blinding).collect(),
        srs: srs.parameters().clone(),
        locks: Locks::shared(),
        device: None,
    });
    for copy in &mut copies {
        [&mut copy.a, &mut copy.b, &mut copy.c].into_iter().for_each(|values| values.fill(GARBAGE));
    }
    black_box(&copies);
    pending.map_err(|error| error.to_string())
}
