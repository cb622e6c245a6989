//! One partition of a sector's proof on its way through cuzk: synthesised, started, finished.

use std::ffi::c_void;
use std::ptr;

use interlock::curve::{Fr, Proof};
use interlock_vectors::Circuit;
use supraseal_c2::SRS;

use crate::guarded::Guarded;

/// A circuit after its synthesis, in memory that is given back as soon as that is allowed.
pub struct Partition {
    evaluations: [Guarded<Fr>; 3],
    blinding: [Guarded<Fr>; 2],
    witness: Witness,
}

/// What has to stay until the proof is finished or dropped.
struct Witness {
    inp: Guarded<Fr>,
    aux: Guarded<Fr>,
    densities: [Guarded<u64>; 3],
    popcounts: [usize; 3],
}

impl Witness {
    fn free(self) {
        self.inp.free();
        self.aux.free();
        self.densities.into_iter().for_each(Guarded::free);
    }
}

impl Partition {
    /// Copies what synthesis made of `circuit`.
    pub fn synthesise(circuit: &Circuit) -> Self {
        let densities = [&circuit.a_aux, &circuit.b_inp, &circuit.b_aux];
        Self {
            evaluations: [&circuit.a, &circuit.b, &circuit.c].map(|vector| Guarded::copy_of(vector)),
            blinding: [circuit.r, circuit.s].map(|scalar| Guarded::copy_of(&[scalar])),
            witness: Witness {
                inp: Guarded::copy_of(&circuit.inp),
                aux: Guarded::copy_of(&circuit.aux),
                densities: densities.map(|density| Guarded::copy_of(&density.words)),
                popcounts: densities.map(|density| density.popcount),
            },
        }
    }

    /// Starts its proof and gives back what is then no longer needed. If starting panics, so does this, and all is given back.
    pub fn start(self, srs: &SRS, gpu_mtx: *mut c_void, gpu_index: i32) -> Started {
        let Self { evaluations, blinding, witness } = self;
        let [a, b, c] = evaluations.each_ref().map(|vector| [vector.as_ptr()]);
        let [a_aux, b_inp, b_aux] = witness.densities.each_ref().map(|density| density.as_slice());
        let handle = supraseal_c2::start_groth16_proof(
            &a,
            &b,
            &c,
            evaluations[0].as_slice().len(),
            &[witness.inp.as_ptr()],
            &[witness.aux.as_ptr()],
            witness.inp.as_slice().len(),
            witness.aux.as_slice().len(),
            a_aux,
            b_inp,
            b_aux,
            witness.popcounts[0],
            witness.popcounts[1],
            witness.popcounts[2],
            1,
            blinding[0].as_slice(),
            blinding[1].as_slice(),
            srs,
            gpu_mtx,
            gpu_index,
        );
        evaluations.into_iter().for_each(Guarded::free);
        blinding.into_iter().for_each(Guarded::free);
        Started { handle, witness: Some(witness) }
    }
}

/// A proof that was started. To drop it gives it up.
pub struct Started {
    handle: *mut c_void,
    witness: Option<Witness>,
}

// SAFETY: the handle is a number, which any thread may use.
unsafe impl Send for Started {}

impl Started {
    /// Finishes it, and gives back the rest.
    pub fn finish(mut self) -> Proof {
        let mut proofs = [Proof::default()];
        supraseal_c2::finish_groth16_proof(self.handle, &mut proofs);
        self.handle = ptr::null_mut();
        let [proof] = proofs;
        proof
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // SAFETY: nothing is asked of the handle.
        unsafe { supraseal_c2::drop_pending_proof(self.handle) };
        self.witness.take().into_iter().for_each(Witness::free);
    }
}
