//! The ways in which a shape's batches are proved.

use std::hint::black_box;
use std::sync::Arc;
use std::thread;

use blst::blst_fr;
use interlock::curve::Proof;
use interlock::prove::{prove, start, Batch, Evaluations, Pending};
use interlock::{Locks, Srs};

use super::circuit::Made;
use super::plan::{Shape, Way};

/// The proofs of each batch.
pub type Proofs = Vec<Vec<Proof>>;

/// Proves the batches of a shape in its way, on the backend that is set.
///
/// # Errors
/// The first of a proof, in words.
pub fn proofs(batches: &[Vec<Made>], shape: &Shape, srs: &Srs) -> Result<Proofs, String> {
    let mut calls = Vec::new();
    for (i, made) in batches.iter().enumerate() {
        let locks = if i % 2 == 0 { Locks::shared() } else { Arc::new(Locks::default()) };
        calls.push(Call { made, srs, locks, device: device_of(shape, i) });
    }
    match shape.way {
        Way::InTurn => calls.iter().map(Call::at_once).collect(),
        Way::Halves | Way::HalvesAndOneGivenUp => {
            let mut pending = Vec::new();
            for call in &calls {
                pending.push(call.begun()?);
                if shape.way == Way::HalvesAndOneGivenUp && pending.len() == 1 {
                    drop(call.begun()?);
                }
            }
            let mut proofs = Vec::new();
            while let Some(last) = pending.pop() {
                proofs.insert(0, last.finish().map_err(|error| error.to_string())?);
            }
            Ok(proofs)
        }
        Way::Threads => thread::scope(|scope| {
            let threads: Vec<_> = calls.iter().map(|call| scope.spawn(|| call.at_once())).collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a panic".to_owned()))).collect()
        }),
    }
}

/// The device that batch `i` names, in CUDA's order.
fn device_of(shape: &Shape, i: usize) -> Option<usize> {
    if !shape.names_devices {
        return None;
    }
    let supported: Vec<_> =
        interlock::devices().ok()?.iter().enumerate().filter(|(_, device)| device.supported).map(|(i, _)| i).collect();
    Some(supported[i % supported.len()])
}

/// A batch and how it is proved.
struct Call<'w> {
    made: &'w [Made],
    srs: &'w Srs,
    locks: Arc<Locks>,
    device: Option<usize>,
}

impl<'w> Call<'w> {
    fn batch<'e>(&self, evaluations: &'e [Evaluations<'e>]) -> Batch<'e, 'w> {
        Batch {
            evaluations,
            witnesses: self.made.iter().map(Made::witness).collect(),
            blindings: self.made.iter().map(|made| made.blinding).collect(),
            srs: self.srs.parameters().clone(),
            locks: self.locks.clone(),
            device: self.device,
        }
    }

    fn at_once(&self) -> Result<Vec<Proof>, String> {
        let evaluations: Vec<_> = self.made.iter().map(Made::evaluations).collect();
        prove(self.batch(&evaluations)).map_err(|error| error.to_string())
    }

    /// Started, and the evaluations are overwritten and gone.
    fn begun(&self) -> Result<Box<dyn Pending + 'w>, String> {
        const GARBAGE: blst_fr = blst_fr { l: [u64::MAX; 4] };
        let mut copies: Vec<Made> = self.made.to_vec();
        let evaluations: Vec<_> = copies.iter().map(Made::evaluations).collect();
        let pending = start(self.batch(&evaluations));
        for copy in &mut copies {
            [&mut copy.a, &mut copy.b, &mut copy.c].into_iter().for_each(|values| values.fill(GARBAGE));
        }
        black_box(&copies);
        pending.map_err(|error| error.to_string())
    }
}
