//! What the tests of the Curio-shaped crate share.

mod job;
mod vector;

pub use job::{Job, Pending};
pub use vector::{Circuit, Vector};

use std::panic::{catch_unwind, AssertUnwindSafe};

/// The payload of the panic of `f`, which has to be a `&'static str` that starts with the library's name.
pub fn message_of_panic(f: impl FnOnce()) -> &'static str {
    let payload = catch_unwind(AssertUnwindSafe(f)).expect_err("no panic");
    let message = payload.downcast_ref::<&'static str>().copied().expect("the payload is no &'static str");
    assert!(message.starts_with("interlock: "), "{message}");
    message
}
