//! Every vector through every function that proves.

use std::ptr;
use std::sync::mpsc;
use std::thread;

use curio::{assignment, blindings, check, is_of_one_shape, load, room, Job, Pending};
use interlock_vectors::one;
use supraseal_c2::{alloc_gpu_mutex, free_gpu_mutex, generate_groth16_proofs};

#[test]
fn every_vector_in_one_call_with_densities_of_its_own() {
    for vector in interlock_vectors::all() {
        let assignments: Vec<_> = vector.circuits.iter().map(assignment).collect();
        let mut proofs = room(&vector);
        let (r_s, s_s) = blindings(&vector);
        generate_groth16_proofs(&assignments, &r_s, &s_s, &mut proofs, &load(&vector));
        check(&vector, &proofs);
    }
}

#[test]
fn every_vector_of_one_shape_in_one_call() {
    let mutex = alloc_gpu_mutex();
    assert!(!mutex.is_null());
    for vector in interlock_vectors::all().iter().filter(|vector| is_of_one_shape(vector)) {
        let mut proofs = room(vector);
        Job::new(vector).prove(&mut proofs, &load(vector), mutex, -1);
        check(vector, &proofs);
    }
    // SAFETY: nothing is asked of the handle.
    unsafe { free_gpu_mutex(mutex) };
}

#[test]
fn every_vector_of_one_shape_in_two_steps() {
    for vector in interlock_vectors::all().iter().filter(|vector| is_of_one_shape(vector)) {
        let mut proofs = room(vector);
        Job::new(vector).start(&load(vector), ptr::null_mut(), -1).finish(&mut proofs);
        check(vector, &proofs);
    }
}

#[test]
fn one_thread_starts_and_another_finishes() {
    let vector = one("mimc322x3");
    let srs = load(&vector);
    let mutex = alloc_gpu_mutex();
    let (to_finisher, started) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            for pending in started {
                let mut proofs = room(&vector);
                Pending::finish(pending, &mut proofs);
                check(&vector, &proofs);
            }
        });
        for _ in 0..4 {
            to_finisher.send(Job::new(&vector).start(&srs, mutex, -1)).expect("the finisher");
        }
        drop(to_finisher);
    });
    // SAFETY: nothing is asked of the handle.
    unsafe { free_gpu_mutex(mutex) };
}

#[test]
fn parameters_and_mutex_may_go_while_a_proof_is_pending() {
    let vector = one("mimc322");
    let srs = load(&vector);
    let mutex = alloc_gpu_mutex();
    let pending = Job::new(&vector).start(&srs, mutex, -1);
    srs.evict();
    drop(srs);
    // SAFETY: nothing is asked of the handle.
    unsafe { free_gpu_mutex(mutex) };
    let mut proofs = room(&vector);
    pending.finish(&mut proofs);
    check(&vector, &proofs);
}

#[test]
fn dropping_some_leaves_the_others_alone() {
    let vector = one("small");
    let srs = load(&vector);
    let pending: Vec<_> = (0..6).map(|_| Job::new(&vector).start(&srs, ptr::null_mut(), -1)).collect();
    for (i, pending) in pending.into_iter().enumerate() {
        if i % 2 == 0 {
            drop(pending);
        } else {
            let mut proofs = room(&vector);
            pending.finish(&mut proofs);
            check(&vector, &proofs);
        }
    }
}

#[test]
fn threads_share_a_mutex() {
    let vector = one("mimc322");
    let srs = load(&vector);
    let mutex = alloc_gpu_mutex() as usize;
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut proofs = room(&vector);
                Job::new(&vector).prove(&mut proofs, &srs.clone(), mutex as *mut _, -1);
                check(&vector, &proofs);
            });
        }
    });
    // SAFETY: nothing is asked of the handle.
    unsafe { free_gpu_mutex(mutex as *mut _) };
}
