//! Parameter files: layout, reading, and the cache of what has been read.

#[cfg(any(test, interlock_cuda))]
mod attached;
mod cache;
mod decode;
#[cfg(any(test, interlock_cuda))]
mod encoded;
mod failure;
mod file;
mod layout;
mod load;
mod srs;

use std::sync::OnceLock;

use crate::settings;

pub(crate) use cache::Cache;
#[cfg(interlock_cuda)]
pub use decode::PointFault;
#[cfg(interlock_cuda)]
pub(crate) use encoded::{Encoded, Query};
pub use srs::{Counts, Parameters, Points};

/// The cache that all of the process shares.
pub(crate) fn cache() -> &'static Cache {
    static CACHE: OnceLock<Cache> = OnceLock::new();
    let capacity = settings::srs_cache_capacity();
    CACHE.get_or_init(|| Cache::new(capacity))
}

#[cfg(any(test, all(interlock_cuda, feature = "kit")))]
/// cbindgen:ignore
mod sample;
#[cfg(any(test, all(interlock_cuda, feature = "kit")))]
/// cbindgen:ignore
mod spoilt;
#[cfg(any(test, all(interlock_cuda, feature = "kit")))]
pub use sample::Sample;
#[cfg(all(interlock_cuda, feature = "kit"))]
pub use spoilt::{cases as spoilt_cases, Case as SpoiltCase, SMALL as TO_SPOIL};
#[cfg(test)]
mod tests;
