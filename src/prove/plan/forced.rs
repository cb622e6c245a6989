//! A variant that `bench/kit` forces: for small circuits some are never the fastest.

use std::sync::atomic::{AtomicU8, Ordering};

use super::{Residence, Vectors};

const NONE: u8 = u8::MAX;
static FORCED: AtomicU8 = AtomicU8::new(NONE);

/// Plans no other variant from now on.
pub fn force(residence: Residence, vectors: Vectors) {
    FORCED.store(number(residence, vectors), Ordering::Relaxed);
}

/// Whether this variant may be planned.
pub(super) fn allows(residence: Residence, vectors: Vectors) -> bool {
    let forced = FORCED.load(Ordering::Relaxed);
    forced == NONE || forced == number(residence, vectors)
}

fn number(residence: Residence, vectors: Vectors) -> u8 {
    4 * residence as u8 + vectors as u8
}
