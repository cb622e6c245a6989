//! What callers read when something is wrong, and that the next call works all the same.

use std::ffi::c_void;
use std::ptr;

use curio::{assignment, blindings, check, load, message_of_panic, room, Job};
use interlock::curve::{Fr, Proof};
use interlock_vectors::{one, Vector};
use supraseal_c2::{
    alloc_gpu_mutex, drop_pending_proof, finish_groth16_proof, free_gpu_mutex, generate_groth16_proofs, SRS,
};

/// A proof that works, after whatever went wrong before.
fn proves(vector: &Vector, srs: &SRS) {
    let mut proofs = room(vector);
    Job::new(vector).prove(&mut proofs, srs, ptr::null_mut(), -1);
    check(vector, &proofs);
}

fn assert_contains(message: &str, part: &str) {
    assert!(message.contains(part), "{part:?} is not in {message:?}");
}

#[test]
fn finishing_twice_is_an_error_and_dropping_after_it_is_not() {
    let vector = one("small");
    let srs = load(&vector);
    let mut pending = Job::new(&vector).start(&srs, ptr::null_mut(), -1);
    let mut proofs = room(&vector);
    finish_groth16_proof(pending.handle, &mut proofs);
    check(&vector, &proofs);
    for _ in 0..2 {
        let message = message_of_panic(|| finish_groth16_proof(pending.handle, &mut proofs));
        assert_contains(message, "no longer valid");
    }
    check(&vector, &proofs);
    for _ in 0..2 {
        // SAFETY: nothing is asked of the handle.
        unsafe { drop_pending_proof(pending.handle) };
    }
    pending.handle = ptr::null_mut();
    proves(&vector, &srs);
}

#[test]
fn the_handle_may_be_dropped_while_the_panic_of_finish_unwinds() {
    let vector = one("small");
    let srs = load(&vector);
    let pending = Job::new(&vector).start(&srs, ptr::null_mut(), -1);
    finish_groth16_proof(pending.handle, &mut room(&vector));
    // `pending` still has its handle, finishes it a second time, and drops it on the way out.
    let message = message_of_panic(|| pending.finish(&mut room(&vector)));
    assert_contains(message, "no longer valid");
    proves(&vector, &srs);
}

#[test]
fn finishing_what_was_dropped_is_an_error() {
    let vector = one("small");
    let mut pending = Job::new(&vector).start(&load(&vector), ptr::null_mut(), -1);
    // SAFETY: nothing is asked of the handle.
    unsafe { drop_pending_proof(pending.handle) };
    let message = message_of_panic(|| finish_groth16_proof(pending.handle, &mut room(&vector)));
    assert_contains(message, "no longer valid");
    pending.handle = ptr::null_mut();
}

#[test]
fn room_for_too_few_or_too_many_proofs_is_an_error_and_the_handle_lives_on() {
    let vector = one("mimc322x3");
    let pending = Job::new(&vector).start(&load(&vector), ptr::null_mut(), -1);
    for wrong in [0, 2, 4] {
        let mut proofs = vec![Proof::default(); wrong];
        let message = message_of_panic(|| finish_groth16_proof(pending.handle, &mut proofs));
        assert_contains(message, &format!("proofs.len() is {wrong}"));
        assert!(proofs.iter().all(|proof| *proof == Proof::default()));
    }
    let mut proofs = room(&vector);
    pending.finish(&mut proofs);
    check(&vector, &proofs);
}

#[test]
fn garbage_handles_are_errors() {
    let mut on_the_stack = 0u64;
    let vector = one("small");
    let srs = load(&vector);
    for garbage in [(&raw mut on_the_stack).cast(), 0x7fff_1234 as *mut c_void, usize::MAX as *mut c_void] {
        let message = message_of_panic(|| finish_groth16_proof(garbage, &mut room(&vector)));
        assert_contains(message, "never given out");
        let message = message_of_panic(|| Job::new(&vector).prove(&mut room(&vector), &srs, garbage, -1));
        assert_contains(message, "gpu_locks");
        let message = message_of_panic(|| drop(Job::new(&vector).start(&srs, garbage, -1)));
        assert_contains(message, "gpu_locks");
        // SAFETY: nothing is asked of the handles.
        unsafe {
            drop_pending_proof(garbage);
            free_gpu_mutex(garbage);
        }
    }
    assert_eq!(on_the_stack, 0);
    proves(&vector, &srs);
}

#[test]
fn null_handles_are_dropped_and_freed_without_a_word() {
    // SAFETY: nothing is asked of the handles.
    unsafe {
        drop_pending_proof(ptr::null_mut());
        free_gpu_mutex(ptr::null_mut());
    }
    assert_contains(message_of_panic(|| finish_groth16_proof::<Proof>(ptr::null_mut(), &mut [])), "null");
}

#[test]
fn a_freed_mutex_is_an_error() {
    let vector = one("small");
    let mutex = alloc_gpu_mutex();
    for _ in 0..2 {
        // SAFETY: nothing is asked of the handle.
        unsafe { free_gpu_mutex(mutex) };
    }
    let message = message_of_panic(|| Job::new(&vector).prove(&mut room(&vector), &load(&vector), mutex, -1));
    assert_contains(message, "no longer valid");
}

#[test]
fn a_device_that_is_not_there_is_an_error() {
    let vector = one("small");
    let srs = load(&vector);
    let has_gpu = interlock::devices().is_ok();
    for index in [10_000, i32::MAX, -2, i32::MIN] {
        let named = if has_gpu || index < 0 { format!("gpu_index is {index}") } else { "no GPU can prove".to_owned() };
        let mut proofs = room(&vector);
        let message = message_of_panic(|| Job::new(&vector).prove(&mut proofs, &srs, ptr::null_mut(), index));
        assert_contains(message, &named);
        assert!(proofs == room(&vector));
        let message = message_of_panic(|| drop(Job::new(&vector).start(&srs, ptr::null_mut(), index)));
        assert_contains(message, &named);
    }
    proves(&vector, &srs);
}

#[test]
fn empty_parameters_are_an_error() {
    let vector = one("small");
    let empty = SRS::default();
    empty.clone().evict();
    let message = message_of_panic(|| Job::new(&vector).prove(&mut room(&vector), &empty, ptr::null_mut(), -1));
    assert_contains(message, "SRS is empty");
}

#[test]
fn parameters_of_another_circuit_are_an_error_that_names_the_field() {
    let srs = load(&one("tiny"));
    let vector = one("mimc322");
    let message = message_of_panic(|| Job::new(&vector).prove(&mut room(&vector), &srs, ptr::null_mut(), -1));
    assert_contains(message, "provers[0]");
}

#[test]
fn slices_that_disagree_are_errors() {
    let vector = one("mimc322x3");
    let srs = load(&vector);
    let provers: Vec<_> = vector.circuits.iter().map(assignment).collect();
    let (r_s, s_s) = blindings(&vector);
    let message = message_of_panic(|| generate_groth16_proofs(&provers, &r_s[1..], &s_s, &mut room(&vector), &srs));
    assert_contains(message, "r_s.len() is 2");
    let message = message_of_panic(|| generate_groth16_proofs(&provers, &r_s, &s_s[1..], &mut room(&vector), &srs));
    assert_contains(message, "s_s.len() is 2");
    let message = message_of_panic(|| generate_groth16_proofs(&provers, &r_s, &s_s, &mut room(&vector)[1..], &srs));
    assert_contains(message, "proofs.len() is 2");
}

#[test]
fn types_of_the_wrong_size_are_errors() {
    let message = message_of_panic(|| generate_groth16_proofs::<u64, Proof>(&[], &[], &[], &mut [], &SRS::default()));
    assert_contains(message, "it has to be 32 bytes");
    let message = message_of_panic(|| generate_groth16_proofs::<Fr, u64>(&[], &[], &[], &mut [], &SRS::default()));
    assert_contains(message, "it has to be 384 bytes");
}

#[test]
fn no_circuits_are_no_error() {
    generate_groth16_proofs::<Fr, Proof>(&[], &[], &[], &mut [], &SRS::default());
}

#[test]
fn parameters_that_are_not_there_are_an_error_value() {
    let error = SRS::try_new("/nonexistent/interlock.params".into(), true).expect_err("no parameters");
    assert_eq!(error.code, 2, "ENOENT");
    assert_contains(&error.to_string(), "/nonexistent/interlock.params");
    assert_eq!(String::from(&error), String::from(error));
}

#[test]
fn a_path_with_a_nul_in_it_is_an_error_value() {
    assert!(SRS::try_new("par\0ams".into(), false).is_err());
}
