//! Every vector through the Rust API, in one call and in two halves.

use interlock::prove::{prove, start, Batch, Blinding, Density, Evaluations, Witness};
use interlock::{Locks, Srs};
use interlock_vectors::{Circuit, Vector};

fn evaluations(vector: &Vector) -> Vec<Evaluations<'_>> {
    vector.circuits.iter().map(|c| Evaluations { a: &c.a, b: &c.b, c: &c.c }).collect()
}

fn density(d: &interlock_vectors::Density) -> Density<'_> {
    Density::new(&d.words, d.bit_len)
}

fn witness(c: &Circuit) -> Witness<'_> {
    Witness {
        inp: &c.inp,
        aux: &c.aux,
        a_aux_density: density(&c.a_aux),
        b_inp_density: density(&c.b_inp),
        b_aux_density: density(&c.b_aux),
    }
}

fn batch<'e, 'w>(vector: &'w Vector, evaluations: &'e [Evaluations<'e>], srs: &Srs) -> Batch<'e, 'w> {
    Batch {
        evaluations,
        witnesses: vector.circuits.iter().map(witness).collect(),
        blindings: vector.circuits.iter().map(|c| Blinding { r: c.r, s: c.s }).collect(),
        srs: srs.parameters().clone(),
        locks: Locks::shared(),
        device: None,
    }
}

#[test]
fn proofs_are_the_right_bytes() {
    let vectors = interlock_vectors::all();
    let (mut right, mut wrong) = (0, Vec::new());
    for vector in &vectors {
        let srs = Srs::open(&vector.params, false).unwrap();
        let proofs = prove(batch(vector, &evaluations(vector), &srs)).unwrap();
        assert_eq!(proofs.len(), vector.proofs.len(), "{}", vector.name);
        for (circuit, (proof, expected)) in proofs.iter().zip(&vector.proofs).enumerate() {
            if proof.to_compressed() == *expected {
                right += 1;
            } else {
                wrong.push(format!("{}, circuit {circuit}", vector.name));
            }
        }
    }
    println!("{right} proofs of {} vectors right", vectors.len());
    assert!(wrong.is_empty(), "wrong proofs: {wrong:?}");
}

#[test]
fn halves_overlap_and_outlive_the_evaluations() {
    let vectors = ["mimc322x3", "dup", "unsat"].map(interlock_vectors::one);
    let pending: Vec<_> = vectors
        .iter()
        .map(|vector| {
            let srs = Srs::open(&vector.params, false).unwrap();
            let owned = vector.clone();
            start(batch(vector, &evaluations(&owned), &srs)).unwrap()
        })
        .collect();
    for (pending, vector) in pending.into_iter().zip(&vectors) {
        let proofs: Vec<_> = pending.finish().unwrap().iter().map(|p| p.to_compressed()).collect();
        assert_eq!(proofs, vector.proofs, "{}", vector.name);
    }
}
