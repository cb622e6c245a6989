//! One call's arguments, as Curio's bellperson gathers them from its circuits.

use std::ffi::c_void;

use interlock::curve::{Fr, Proof};
use supraseal_c2::SRS;

use crate::{Circuit, Vector};

/// A batch that can be proved through any of the functions.
pub struct Job {
    circuits: Vec<Circuit>,
    r_s: Vec<Fr>,
    s_s: Vec<Fr>,
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
        assert!(vector.is_of_one_shape(), "{}", vector.name);
        Self { circuits: vector.circuits.clone(), r_s: vector.r_s(), s_s: vector.s_s() }
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
            &shape.a_aux_density,
            &shape.b_inp_density,
            &shape.b_aux_density,
            shape.a_aux_popcount,
            shape.b_inp_popcount,
            shape.b_aux_popcount,
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
            &shape.a_aux_density,
            &shape.b_inp_density,
            &shape.b_aux_density,
            shape.a_aux_popcount,
            shape.b_inp_popcount,
            shape.b_aux_popcount,
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
