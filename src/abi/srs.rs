//! The `SRS` object: loaded parameters, reference-counted.

use std::ffi::{c_char, c_void, CStr, OsStr};
use std::mem::offset_of;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::outcome::{self, RustError};
use crate::error::{Error, HandleKind};
use crate::handles::Registry;
use crate::prove::{Sizes, Srs};
use crate::raw::check_pointer;

/// A reference to loaded parameters. `ptr` is a handle, not an address; NULL is an empty SRS.
///
/// Each SRS that create_SRS() or clone_SRS() returned is dropped once, with drop_SRS(). A bitwise copy is the same
/// reference.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(clippy::upper_case_acronyms)] // The ABI's name.
pub struct SRS {
    /// The handle, or NULL.
    pub ptr: *mut c_void,
}

const _: () = assert!(size_of::<SRS>() == 8 && align_of::<SRS>() == 8 && offset_of!(SRS, ptr) == 0);

static HANDLES: Registry<Srs> = Registry::new(HandleKind::Srs, ": create_SRS and clone_SRS give out such handles");

/// The parameters behind `srs`.
///
/// # Safety
/// `srs` is null or points to an SRS.
pub(crate) unsafe fn resolve(srs: *const SRS) -> Result<Srs, Error> {
    check_pointer(srs, 1, || "srs".to_owned())?;
    // SAFETY: neither null nor misaligned, and the caller's promise.
    let handle = unsafe { (*srs).ptr };
    if handle.is_null() {
        return Err(Error::EmptySrs);
    }
    HANDLES.with(handle, Srs::clone)
}

/// Loads the parameter file at `path` into `*ret`, and returns when every point of it has been read and checked, by the
/// backend that would prove now: the points are then in memory, or on a GPU. Another takes them from the file on first
/// use.
///
/// `path`: NUL-terminated, in the file system's encoding. A file that is in memory already, under this path or another,
/// is shared and not read again. `cache`: keep it in memory also when the last SRS is dropped, until evict_SRS(); the
/// four (INTERLOCK_SRS_CACHE) used last are kept. On error `*ret` is an empty SRS.
///
/// Errors: EINVAL for a null pointer, and for an INTERLOCK_BACKEND, INTERLOCK_VRAM_BUDGET, INTERLOCK_H_MULTIPLES or
/// INTERLOCK_CHECK_SUBGROUP that is not what it may be; the errno of a file operation, such as ENOENT or EACCES; EISDIR,
/// ENOTSUP (not a regular file), ENODATA (empty), EOVERFLOW (truncated), EFBIG (trailing bytes), EBADMSG (counts that
/// make no sense), EILSEQ (a coordinate or flag that is not canonical), EDOM (a point off the curve), ERANGE (a point at
/// infinity), EPROTO (a point outside the subgroup, if INTERLOCK_CHECK_SUBGROUP=1), ESTALE (changed while it was read);
/// ENOMEM; with a GPU, ENODEV (one was asked for and none can prove) and negated cudaErrors.
#[no_mangle]
pub unsafe extern "C" fn create_SRS(ret: *mut SRS, path: *const c_char, cache: bool) -> RustError {
    outcome::returning(|| {
        check_pointer(ret, 1, || "ret".to_owned())?;
        // SAFETY: neither null nor misaligned, and the caller's promise.
        unsafe { ret.write(SRS { ptr: std::ptr::null_mut() }) };
        if path.is_null() {
            return Err(Error::Null { what: "path".to_owned() });
        }
        // SAFETY: not null, and the caller's promise.
        let path = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(path) }.to_bytes()));
        let srs = Srs::open(path, cache)?;
        // SAFETY: as above.
        unsafe { ret.write(SRS { ptr: HANDLES.insert(srs) }) };
        Ok(())
    })
}

/// Drops the cache's own reference to these parameters; they go when the last SRS and the last proof that use them do.
/// NULL and an empty SRS are left alone.
#[no_mangle]
pub unsafe extern "C" fn evict_SRS(srs: *const SRS) {
    outcome::or((), "evict_SRS", || {
        // SAFETY: the caller's promise.
        if unsafe { is_empty(srs) }? {
            return Ok(());
        }
        // SAFETY: the caller's promise.
        unsafe { resolve(srs) }?.evict();
        Ok(())
    });
}

/// Ends one reference and makes `*srs` empty. Proofs that use the parameters go on. NULL and an empty SRS are left
/// alone.
#[no_mangle]
pub unsafe extern "C" fn drop_SRS(srs: *mut SRS) {
    outcome::or((), "drop_SRS", || {
        // SAFETY: the caller's promise.
        if unsafe { is_empty(srs) }? {
            return Ok(());
        }
        // SAFETY: neither null nor misaligned, and the caller's promise.
        let handle = unsafe { srs.replace(SRS { ptr: std::ptr::null_mut() }) };
        HANDLES.remove(handle.ptr).map(drop)
    });
}

/// Returns another reference to the same parameters, to be dropped by itself; an empty SRS for NULL, an empty one, and
/// one that was dropped.
#[no_mangle]
pub unsafe extern "C" fn clone_SRS(srs: *const SRS) -> SRS {
    let empty = SRS { ptr: std::ptr::null_mut() };
    outcome::or(empty, "clone_SRS", || {
        // SAFETY: the caller's promise.
        if unsafe { is_empty(srs) }? {
            return Ok(empty);
        }
        // SAFETY: the caller's promise.
        Ok(SRS { ptr: HANDLES.insert(unsafe { resolve(srs) }?) })
    })
}

/// Stores the sizes of the circuit that these parameters are for in `*out`, with `circuits` 1: what interlock_plan()
/// takes.
///
/// Errors: EINVAL for a null or misaligned pointer, an empty SRS and one that was dropped; then `*out` is left alone.
#[no_mangle]
pub unsafe extern "C" fn interlock_srs_sizes(srs: *const SRS, out: *mut Sizes) -> RustError {
    outcome::returning(|| {
        check_pointer(out, 1, || "out".to_owned())?;
        // SAFETY: the caller's promise.
        let srs = unsafe { resolve(srs) }?;
        // SAFETY: neither null nor misaligned, and the caller's promise.
        unsafe { out.write(Sizes::from(&srs.parameters().counts)) };
        Ok(())
    })
}

/// # Safety
/// `srs` is null or points to an SRS.
unsafe fn is_empty(srs: *const SRS) -> Result<bool, Error> {
    if srs.is_null() {
        return Ok(true);
    }
    check_pointer(srs, 1, || "srs".to_owned())?;
    // SAFETY: neither null nor misaligned, and the caller's promise.
    Ok(unsafe { (*srs).ptr.is_null() })
}
