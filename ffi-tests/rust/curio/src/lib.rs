//! What the tests of the Curio-shaped crate share.

pub mod engine;
mod guarded;
mod job;
mod partition;

use std::panic::{catch_unwind, AssertUnwindSafe};

use interlock::curve::{Fr, Proof};
use interlock_vectors::{Circuit, Vector};
use supraseal_c2::{Assignment, SRS};

pub use job::{is_of_one_shape, Job, Pending};

/// The parameters of `vector`.
pub fn load(vector: &Vector) -> SRS {
    SRS::try_new(vector.params.clone(), false).unwrap_or_else(|error| panic!("{}: {error}", vector.name))
}

/// Pointers to `circuit`, as Curio's bellperson makes them.
pub fn assignment(circuit: &Circuit) -> Assignment<Fr> {
    Assignment {
        a_aux_density: circuit.a_aux.words.as_ptr().cast(),
        a_aux_bit_len: circuit.a_aux.bit_len,
        a_aux_popcount: circuit.a_aux.popcount,
        b_inp_density: circuit.b_inp.words.as_ptr().cast(),
        b_inp_bit_len: circuit.b_inp.bit_len,
        b_inp_popcount: circuit.b_inp.popcount,
        b_aux_density: circuit.b_aux.words.as_ptr().cast(),
        b_aux_bit_len: circuit.b_aux.bit_len,
        b_aux_popcount: circuit.b_aux.popcount,
        a: circuit.a.as_ptr(),
        b: circuit.b.as_ptr(),
        c: circuit.c.as_ptr(),
        abc_size: circuit.a.len(),
        inp_assignment_data: circuit.inp.as_ptr(),
        inp_assignment_size: circuit.inp.len(),
        aux_assignment_data: circuit.aux.as_ptr(),
        aux_assignment_size: circuit.aux.len(),
    }
}

/// Every circuit's r and s.
pub fn blindings(vector: &Vector) -> (Vec<Fr>, Vec<Fr>) {
    vector.circuits.iter().map(|circuit| (circuit.r, circuit.s)).unzip()
}

/// Room for the proofs of `vector`.
pub fn room(vector: &Vector) -> Vec<Proof> {
    vec![Proof::default(); vector.circuits.len()]
}

/// Fails unless `proofs` are those of `vector`.
pub fn check(vector: &Vector, proofs: &[Proof]) {
    let made: Vec<_> = proofs.iter().map(Proof::to_compressed).collect();
    assert!(made == vector.proofs, "{}: wrong proofs", vector.name);
}

/// The payload of the panic of `f`, which has to be a `&'static str` that starts with the library's name.
pub fn message_of_panic(f: impl FnOnce()) -> &'static str {
    let payload = catch_unwind(AssertUnwindSafe(f)).expect_err("no panic");
    let message = payload.downcast_ref::<&'static str>().copied().expect("the payload is no &'static str");
    assert!(message.starts_with("interlock: "), "{message}");
    message
}
