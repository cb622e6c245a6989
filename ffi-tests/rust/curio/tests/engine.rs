//! Partitions through an engine like cuzk's, whose memory is gone as soon as the contract allows.

use curio::engine::{run, Order, Outcome, Task};
use curio::load;
use interlock::curve::Proof;
use interlock_vectors::{one, Vector};
use supraseal_c2::SRS;

/// Circuits of one partition each, small and less small.
fn vectors() -> Vec<(Vector, SRS)> {
    ["mimc322", "small", "dup", "mixed", "nob", "unsat"].map(|name| (one(name), load(&one(name)))).into()
}

fn tasks(vectors: &[(Vector, SRS)], orders: impl IntoIterator<Item = Order>) -> Vec<Task<'_>> {
    let orders = orders.into_iter().enumerate();
    let task = |(number, order)| {
        let (vector, srs): &(Vector, SRS) = &vectors[number % vectors.len()];
        Task { number, circuit: &vector.circuits[0], srs: srs.clone(), order }
    };
    orders.map(task).collect()
}

fn assert_is_proof(vectors: &[(Vector, SRS)], number: usize, proof: &Proof) {
    let (vector, _) = &vectors[number % vectors.len()];
    assert!(proof.to_compressed() == vector.proofs[0], "{}: wrong proof", vector.name);
}

#[test]
fn every_partition_is_proved() {
    let vectors = vectors();
    let outcomes = run(tasks(&vectors, [Order::Prove; 48]));
    assert_eq!(outcomes.len(), 48);
    for (number, outcome) in outcomes {
        let Outcome::Proved(proof) = outcome else { panic!("{number} was not proved") };
        assert_is_proof(&vectors, number, &proof);
    }
}

#[test]
fn what_is_given_up_or_fails_leaves_the_others_alone() {
    let vectors = vectors();
    let orders: Vec<_> = [Order::Prove, Order::GiveUp, Order::Prove, Order::OnNoGpu, Order::Prove].repeat(10);
    for (number, outcome) in run(tasks(&vectors, orders.clone())) {
        match (orders[number], outcome) {
            (Order::Prove, Outcome::Proved(proof)) => assert_is_proof(&vectors, number, &proof),
            (Order::GiveUp, Outcome::GivenUp) => {}
            (Order::OnNoGpu, Outcome::Failed(text)) => {
                assert!(text.starts_with("interlock: "), "{text}");
                assert!(text.contains("gpu_index is 10000") || text.contains("no GPU can prove"), "{text}");
            }
            (order, Outcome::Failed(text)) => panic!("{number}, {order:?}: {text}"),
            (order, _) => panic!("{number}, {order:?}: something else was done"),
        }
    }
}

/// As when the daemon is told to stop: whatever has been started is dropped, on whichever thread it is.
#[test]
fn all_may_be_given_up() {
    let vectors = vectors();
    let outcomes = run(tasks(&vectors, [Order::GiveUp; 24]));
    assert_eq!(outcomes.iter().filter(|(_, outcome)| matches!(outcome, Outcome::GivenUp)).count(), 24);
    let outcomes = run(tasks(&vectors, [Order::Prove; 6]));
    assert!(outcomes.iter().all(|(_, outcome)| matches!(outcome, Outcome::Proved(_))));
}
