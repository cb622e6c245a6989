//! Element-wise operations on vectors of `Fr`.

use super::{status::check, DeviceSlice, Stream};
use crate::curve::Fr;
use crate::error::Error;
use crate::sys;

/// Enqueues out\[i\] = a\[i\]·b\[i\] for every i of `out`, which must be no longer than `a` and `b`.
///
/// # Errors
/// [`Error::Size`] if a factor is too short, and [`Error::Cuda`].
pub fn fr_mul(
    out: &mut DeviceSlice<Fr>,
    a: &DeviceSlice<Fr>,
    b: &DeviceSlice<Fr>,
    stream: &Stream,
) -> Result<(), Error> {
    for (field, factor) in [("a", a), ("b", b)] {
        if factor.len() < out.len() {
            let expected = format!("the product has {}", out.len());
            return Err(Error::Size { field: field.into(), found: factor.len(), expected });
        }
    }
    // SAFETY: the three ranges have `out.len()` elements, aligned to 16 bytes as all slices of Fr are.
    check("interlock_fr_mul", unsafe {
        sys::interlock_fr_mul(out.as_raw(), a.as_raw(), b.as_raw(), out.len(), stream.as_raw())
    })
}
