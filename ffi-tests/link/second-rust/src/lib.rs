//! A neighbour in the same link: another Rust static library, with a standard library, a rayon and a blst of its own,
//! every symbol of them visible.

use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::panic;

use rayon::prelude::*;

thread_local! {
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

/// The sum of 1 to `n`, on this library's own rayon pool.
#[no_mangle]
pub extern "C" fn second_rust_sum(n: u64) -> u64 {
    (1..=n).into_par_iter().sum()
}

/// How often this thread has called this function, this call included.
#[no_mangle]
pub extern "C" fn second_rust_calls() -> u64 {
    CALLS.with(|calls| {
        calls.set(calls.get() + 1);
        calls.get()
    })
}

/// 1 if a panic in `depth` frames, on this thread and on the pool's, can be caught with its text.
#[no_mangle]
pub extern "C" fn second_rust_catches_panic(depth: u32) -> c_int {
    panic::set_hook(Box::new(|_| ()));
    let here = panic::catch_unwind(|| sink(depth));
    let there = panic::catch_unwind(|| (0..64).into_par_iter().for_each(|_| sink(depth)));
    let _ = panic::take_hook();
    [here, there].iter().all(|caught| {
        let payload = caught.as_ref().expect_err("sink always panics");
        payload.downcast_ref::<String>().is_some_and(|text| text == "the bottom, 0")
    }) as c_int
}

#[inline(never)]
fn sink(depth: u32) {
    let on_the_way = Box::new(depth);
    if depth == 0 {
        panic!("the bottom, {on_the_way}");
    }
    sink(depth - 1);
    drop(on_the_way);
}

/// 1 if this library's blst doubles the generator of G1 as it adds it to itself. Its doubling function is stored in `*double`.
///
/// # Safety
/// `double` points to room for an address.
#[no_mangle]
pub unsafe extern "C" fn second_rust_doubles(double: *mut *const c_void) -> c_int {
    let (mut doubled, mut added) = (blst::blst_p1::default(), blst::blst_p1::default());
    // SAFETY: blst reads and writes whole points, and the caller's promise.
    unsafe {
        let generator = blst::blst_p1_generator();
        blst::blst_p1_double(&mut doubled, generator);
        blst::blst_p1_add_or_double(&mut added, generator, generator);
        double.write(blst::blst_p1_double as *const c_void);
        blst::blst_p1_is_equal(&doubled, &added) as c_int
    }
}
