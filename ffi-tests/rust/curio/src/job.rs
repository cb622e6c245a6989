//! One call's arguments, as Curio's bellperson gathers them from its circuits.

use std::ffi::c_void;

use interlock::curve::{Fr, Proof};
use interlock_vectors::{Circuit, Vector};
use supraseal_c2::SRS;

use crate::blindings;

/// A batch that can be proved through any of the functions.
pub struct Job {
    circuits: Vec<Circuit>,
    r_s: Vec<Fr>,
    s_s: Vec<Fr>,
}

/// Whether the circuits of `vector` share their sizes and densities, as `generate_groth16_proof` needs.
pub fn is_of_one_shape(vector: &Vector) -> bool {
    vector.circuits.windows(2).all(|pair| {
        let [left, right] = pair else { unreachable!("windows of two") };
        left.a_aux == right.a_aux
            && left.b_inp == right.b_inp
            && left.b_aux == right.b_aux
            && left.a.len() == right.a.len()
    })
}

/// The handle of a started job, with what must stay until it is finished.
///
/// Like the type of that name in Curio's bellperson it drops its handle unless that was cleared: so, too, while a panic
/// of `finish` unwinds.
pub struct Pending {
    /// What `start_groth16_proof` returned, or null.
    pub handle: *mut c_void,
    _circuits: Vec<Circuit>,
}

// The handle is a number, and cuzk hands it from thread to thread.
unsafe impl Send for Pending {}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: nothing is asked of the handle.
            unsafe { supraseal_c2::drop_pending_proof(self.handle) };
        }
    }
}

impl Pending {
    /// Finishes it.
    pub fn finish(mut self, proofs: &mut [Proof]) {
        supraseal_c2::finish_groth16_proof(self.handle, proofs);
        self.handle = std::ptr::null_mut();
    }
}

impl Job {
    /// The circuits of `vector`, which have to be of one shape.
    pub fn new(vector: &Vector) -> Self {
        assert!(is_of_one_shape(vector), "{}", vector.name);
        let (r_s, s_s) = blindings(vector);
        Self { circuits: vector.circuits.clone(), r_s, s_s }
    }

    /// Proves it in one call.
    pub fn prove(&self, proofs: &mut [Proof], srs: &SRS, gpu_mtx: *mut c_void, gpu_index: i32) {
        let shape = &self.circuits[0];
        supraseal_c2::generate_groth16_proof(
            &self.pointers(|c| &c.a),
            &self.pointers(|c| &c.b),
            &self.pointers(|c| &c.c),
            shape.a.len(),
            &self.pointers(|c| &c.inp),
            &self.pointers(|c| &c.aux),
            shape.inp.len(),
            shape.aux.len(),
            &shape.a_aux.words,
            &shape.b_inp.words,
            &shape.b_aux.words,
            shape.a_aux.popcount,
            shape.b_inp.popcount,
            shape.b_aux.popcount,
            self.circuits.len(),
            &self.r_s,
            &self.s_s,
            proofs,
            srs,
            gpu_mtx,
            gpu_index,
        );
    }

    /// Starts it, and then spoils everything that is no longer needed.
    pub fn start(mut self, srs: &SRS, gpu_mtx: *mut c_void, gpu_index: i32) -> Pending {
        let shape = &self.circuits[0];
        let handle = supraseal_c2::start_groth16_proof(
            &self.pointers(|c| &c.a),
            &self.pointers(|c| &c.b),
            &self.pointers(|c| &c.c),
            shape.a.len(),
            &self.pointers(|c| &c.inp),
            &self.pointers(|c| &c.aux),
            shape.inp.len(),
            shape.aux.len(),
            &shape.a_aux.words,
            &shape.b_inp.words,
            &shape.b_aux.words,
            shape.a_aux.popcount,
            shape.b_inp.popcount,
            shape.b_aux.popcount,
            self.circuits.len(),
            &self.r_s,
            &self.s_s,
            srs,
            gpu_mtx,
            gpu_index,
        );
        let not_canonical = Fr { l: [u64::MAX; 4] };
        self.r_s.fill(not_canonical);
        self.s_s.fill(not_canonical);
        for circuit in &mut self.circuits {
            for evaluations in [&mut circuit.a, &mut circuit.b, &mut circuit.c] {
                evaluations.fill(not_canonical);
                *evaluations = Vec::new();
            }
        }
        Pending { handle, _circuits: self.circuits }
    }

    fn pointers(&self, vector: impl Fn(&Circuit) -> &Vec<Fr>) -> Vec<*const Fr> {
        self.circuits.iter().map(|circuit| vector(circuit).as_ptr()).collect()
    }
}
