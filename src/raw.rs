//! Proving from raw pointers in the ABI's layout: what the C functions and the `supraseal-c2` crates call.
//!
//! Everything that can be checked is checked before anything is read through a pointer: nulls, alignment, sizes against
//! the SRS, popcounts against their bits, handles. No function here panics; a panic further in becomes
//! [`Error::Internal`].

use std::any::Any;
use std::ffi::c_void;
use std::mem::offset_of;
use std::panic::{catch_unwind, AssertUnwindSafe};

use crate::curve::{Fr, Proof};
use crate::error::{try_with_capacity, Error, HandleKind};
use crate::gpu;
use crate::handles::Registry;
use crate::lock;
use crate::prove::Srs;
use crate::prove::{self, plan::MOST_CIRCUITS, Batch, Blinding, Density, Evaluations, Pending, Shape, Witness};
use crate::threads;

/// One circuit's input: 17 eight-byte fields, 136 bytes.
///
/// Densities are bit vectors in 64-bit words, bit 0 of word 0 first; bits past the length are ignored.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RawAssignment {
    /// Which private variables have a point in the `a` query: `a_aux_bit_len` bits.
    pub a_aux_density: *const u64,
    /// Number of bits; must be `aux_assignment_size`.
    pub a_aux_bit_len: usize,
    /// Number of bits that are set; with the inputs, the length of the `a` query.
    pub a_aux_popcount: usize,
    /// Which inputs have a point in the `b_g1` and `b_g2` queries: `b_inp_bit_len` bits.
    pub b_inp_density: *const u64,
    /// Number of bits; must be `inp_assignment_size`.
    pub b_inp_bit_len: usize,
    /// Number of bits that are set.
    pub b_inp_popcount: usize,
    /// Which private variables have a point in the `b_g1` and `b_g2` queries: `b_aux_bit_len` bits.
    pub b_aux_density: *const u64,
    /// Number of bits; must be `aux_assignment_size`.
    pub b_aux_bit_len: usize,
    /// Number of bits that are set; with `b_inp_popcount`, the length of the `b_g1` and `b_g2` queries.
    pub b_aux_popcount: usize,
    /// A's evaluations: `abc_size` scalars.
    pub a: *const Fr,
    /// B's evaluations: `abc_size` scalars.
    pub b: *const Fr,
    /// C's evaluations: `abc_size` scalars.
    pub c: *const Fr,
    /// Number of constraints, at most the size of the SRS's domain.
    pub abc_size: usize,
    /// Public inputs, the constant one first: `inp_assignment_size` scalars.
    pub inp_assignment_data: *const Fr,
    /// Number of public inputs: the length of the SRS's `ic` query.
    pub inp_assignment_size: usize,
    /// Private variables: `aux_assignment_size` scalars.
    pub aux_assignment_data: *const Fr,
    /// Number of private variables: the length of the SRS's `l` query.
    pub aux_assignment_size: usize,
}

const _: () = {
    assert!(size_of::<RawAssignment>() == 136 && align_of::<RawAssignment>() == 8);
    assert!(offset_of!(RawAssignment, a_aux_density) == 0);
    assert!(offset_of!(RawAssignment, a_aux_bit_len) == 8);
    assert!(offset_of!(RawAssignment, a_aux_popcount) == 16);
    assert!(offset_of!(RawAssignment, b_inp_density) == 24);
    assert!(offset_of!(RawAssignment, b_inp_bit_len) == 32);
    assert!(offset_of!(RawAssignment, b_inp_popcount) == 40);
    assert!(offset_of!(RawAssignment, b_aux_density) == 48);
    assert!(offset_of!(RawAssignment, b_aux_bit_len) == 56);
    assert!(offset_of!(RawAssignment, b_aux_popcount) == 64);
    assert!(offset_of!(RawAssignment, a) == 72);
    assert!(offset_of!(RawAssignment, b) == 80);
    assert!(offset_of!(RawAssignment, c) == 88);
    assert!(offset_of!(RawAssignment, abc_size) == 96);
    assert!(offset_of!(RawAssignment, inp_assignment_data) == 104);
    assert!(offset_of!(RawAssignment, inp_assignment_size) == 112);
    assert!(offset_of!(RawAssignment, aux_assignment_data) == 120);
    assert!(offset_of!(RawAssignment, aux_assignment_size) == 128);
};

struct Started {
    circuits: usize,
    rest: Box<dyn Pending>,
}

static PENDING: Registry<Started> =
    Registry::new(HandleKind::Pending, ": generate_groth16_proofs_start_c gives out such handles");

/// Proves `num_circuits` circuits, 1,048,576 at most, and writes as many proofs, or none and returns an error.
///
/// `gpu_locks` is null or what [`create_locks`] returned; `gpu_index` is a device in CUDA's order, or -1 to let the
/// library choose. With `num_circuits` 0 nothing is read, written or checked.
///
/// # Errors
/// Those of [`start`] and [`finalize`].
///
/// # Safety
/// `provers`, `r_s` and `s_s` are null or point to `num_circuits` elements, and every pointer in them is null or points to
/// what its field's size says; `proofs` is null or has room for `num_circuits` proofs, which may be uninitialised.
/// Nothing writes to any of it during the call.
#[allow(clippy::too_many_arguments)]
pub unsafe fn generate(
    provers: *const RawAssignment,
    num_circuits: usize,
    r_s: *const Fr,
    s_s: *const Fr,
    proofs: *mut Proof,
    srs: Option<&Srs>,
    gpu_locks: *mut c_void,
    gpu_index: i32,
) -> Result<(), Error> {
    if num_circuits == 0 {
        return Ok(());
    }
    guarded(|| {
        check_circuits(num_circuits)?;
        check_pointer(proofs, num_circuits, || "proofs".to_owned())?;
        // SAFETY: the caller's promise; the witness lives until this function returns, and `rest` does not outlive it.
        let rest = unsafe { begin(provers, num_circuits, r_s, s_s, srs, gpu_locks, gpu_index) }?;
        let made = rest.finish()?;
        // SAFETY: `proofs` was checked, and the caller promises its room.
        unsafe { write_proofs(&made, num_circuits, proofs) }
    })
}

/// Begins the proofs of `num_circuits` circuits, 1,048,576 at most, and returns a handle for [`finalize`] or [`destroy_pending`].
///
/// When it returns, a, b, c, the scalars `r_s` and `s_s` and the array `provers` are no longer needed. The densities and
/// the inp and aux assignments are, until the handle is finalized or destroyed.
///
/// # Errors
/// [`Error::Null`], [`Error::Misaligned`], [`Error::Size`], [`Error::Popcount`], [`Error::NonCanonicalScalar`],
/// [`Error::EmptySrs`], [`Error::UnknownHandle`] and [`Error::StaleHandle`] for the locks, [`Error::NoSuchDevice`],
/// [`Error::Choice`] for a negative `gpu_index`, [`Error::NoGpu`], [`Error::OutOfMemory`], and what the backend reports.
///
/// # Safety
/// As [`generate`]; the densities and the inp and aux assignments stay where they are, unchanged, until the handle is
/// finalized or destroyed.
pub unsafe fn start(
    provers: *const RawAssignment,
    num_circuits: usize,
    r_s: *const Fr,
    s_s: *const Fr,
    srs: Option<&Srs>,
    gpu_locks: *mut c_void,
    gpu_index: i32,
) -> Result<*mut c_void, Error> {
    guarded(|| {
        let rest: Box<dyn Pending> = if num_circuits == 0 {
            Box::new(Nothing)
        } else {
            // SAFETY: the caller's promise.
            unsafe { begin(provers, num_circuits, r_s, s_s, srs, gpu_locks, gpu_index) }?
        };
        Ok(PENDING.insert(Started { circuits: num_circuits, rest }))
    })
}

/// Finishes what [`start`] began and writes its proofs; the handle is used up, whether this succeeds or not, unless
/// `proofs` itself was unusable.
///
/// # Errors
/// [`Error::UnknownHandle`], [`Error::StaleHandle`] if it was finalized or destroyed before, [`Error::Null`] and
/// [`Error::Misaligned`] for `proofs`, and what the backend reports.
///
/// # Safety
/// `proofs` is null or has room for as many proofs as [`start`] was given circuits.
pub unsafe fn finalize(pending: *mut c_void, proofs: *mut Proof) -> Result<(), Error> {
    guarded(|| {
        let circuits = pending_circuits(pending)?;
        if circuits > 0 {
            check_pointer(proofs, circuits, || "proofs".to_owned())?;
        }
        let made = PENDING.remove(pending)?.rest.finish()?;
        // SAFETY: `proofs` was checked, and the caller promises its room.
        unsafe { write_proofs(&made, circuits, proofs) }
    })
}

/// How many proofs [`finalize`] will write for `pending`.
///
/// # Errors
/// [`Error::UnknownHandle`] and [`Error::StaleHandle`].
pub fn pending_circuits(pending: *const c_void) -> Result<usize, Error> {
    if pending.is_null() {
        return Err(Error::Null { what: "pending".to_owned() });
    }
    PENDING.with(pending, |started| started.circuits)
}

/// Gives up what [`start`] began. A handle that is null, or was finalized or destroyed before, is left alone.
///
/// # Errors
/// [`Error::UnknownHandle`] if it never was a handle.
pub fn destroy_pending(pending: *mut c_void) -> Result<(), Error> {
    if pending.is_null() {
        return Ok(());
    }
    match guarded(|| PENDING.remove(pending).map(drop)) {
        Err(Error::StaleHandle { .. }) => Ok(()),
        other => other,
    }
}

/// Gives out a handle for `gpu_locks`.
pub fn create_locks() -> *mut c_void {
    if threads::is_forked() {
        return std::ptr::null_mut();
    }
    lock::create()
}

/// Ends a handle that [`create_locks`] gave out. Calls that are using it go on; null is left alone.
///
/// # Errors
/// [`Error::UnknownHandle`] and [`Error::StaleHandle`].
pub fn destroy_locks(locks: *mut c_void) -> Result<(), Error> {
    lock::destroy(locks)
}

/// A batch of no circuits.
struct Nothing;

impl Pending for Nothing {
    fn finish(self: Box<Self>) -> Result<Vec<Proof>, Error> {
        Ok(Vec::new())
    }
}

/// Runs `f` and turns a panic into an error.
pub(crate) fn guarded<T>(f: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    threads::check_not_forked()?;
    // Everything shared that `f` can reach is behind locks whose poisoning is handled, so nothing is seen half changed.
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|payload| Err(Error::Internal { what: panic_text(&*payload) }))
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&'static str>() {
        (*text).to_owned()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic without a message".to_owned()
    }
}

/// Validates the input and starts the backend on it.
///
/// # Safety
/// As [`start`], with `'w` in place of the time until the handle ends.
unsafe fn begin<'w>(
    provers: *const RawAssignment,
    num_circuits: usize,
    r_s: *const Fr,
    s_s: *const Fr,
    srs: Option<&Srs>,
    gpu_locks: *mut c_void,
    gpu_index: i32,
) -> Result<Box<dyn Pending + 'w>, Error> {
    check_circuits(num_circuits)?;
    let locks = lock::resolve(gpu_locks)?;
    let device = device_from_index(gpu_index)?;
    let srs = srs.ok_or(Error::EmptySrs)?.parameters().clone();
    // SAFETY: the caller promises `num_circuits` elements in each.
    let (provers, r_s, s_s) = unsafe {
        (
            slice(provers, num_circuits, || "provers".to_owned())?,
            slice(r_s, num_circuits, || "r_s".to_owned())?,
            slice(s_s, num_circuits, || "s_s".to_owned())?,
        )
    };
    let mut evaluations = try_with_capacity(num_circuits, "the batch")?;
    let mut witnesses = try_with_capacity(num_circuits, "the batch")?;
    let mut blindings = try_with_capacity(num_circuits, "the batch")?;
    for (circuit, prover) in provers.iter().enumerate() {
        prover.shape().check(circuit, &srs)?;
        // SAFETY: the caller promises what the fields say, and their sizes are those of the SRS.
        unsafe {
            evaluations.push(prover.evaluations(circuit)?);
            witnesses.push(prover.witness(circuit)?);
        }
        blindings.push(Blinding { r: r_s[circuit], s: s_s[circuit] });
    }
    prove::start(Batch { evaluations: &evaluations, witnesses, blindings, srs, locks, device })
}

fn check_circuits(num_circuits: usize) -> Result<(), Error> {
    if num_circuits <= MOST_CIRCUITS {
        return Ok(());
    }
    let expected = format!("must be at most {MOST_CIRCUITS}");
    Err(Error::Size { field: "num_circuits".to_owned(), found: num_circuits, expected })
}

fn device_from_index(gpu_index: i32) -> Result<Option<usize>, Error> {
    match gpu_index {
        -1 => Ok(None),
        _ => gpu::device("gpu_index", gpu_index.into()).map(Some),
    }
}

impl RawAssignment {
    fn shape(&self) -> Shape {
        Shape {
            abc_size: self.abc_size,
            inp_assignment_size: self.inp_assignment_size,
            aux_assignment_size: self.aux_assignment_size,
            a_aux_bit_len: self.a_aux_bit_len,
            b_inp_bit_len: self.b_inp_bit_len,
            b_aux_bit_len: self.b_aux_bit_len,
        }
    }

    /// # Safety
    /// a, b and c are null or have `abc_size` elements for `'a`.
    unsafe fn evaluations<'a>(&self, circuit: usize) -> Result<Evaluations<'a>, Error> {
        let n = self.abc_size;
        // SAFETY: the caller's promise.
        unsafe {
            Ok(Evaluations {
                a: slice(self.a, n, || field(circuit, "a"))?,
                b: slice(self.b, n, || field(circuit, "b"))?,
                c: slice(self.c, n, || field(circuit, "c"))?,
            })
        }
    }

    /// # Safety
    /// The densities and assignments are null or have what their sizes say for `'w`.
    unsafe fn witness<'w>(&self, circuit: usize) -> Result<Witness<'w>, Error> {
        // SAFETY: the caller's promise.
        unsafe {
            Ok(Witness {
                inp: slice(self.inp_assignment_data, self.inp_assignment_size, || {
                    field(circuit, "inp_assignment_data")
                })?,
                aux: slice(self.aux_assignment_data, self.aux_assignment_size, || {
                    field(circuit, "aux_assignment_data")
                })?,
                a_aux_density: density(circuit, "a_aux", self.a_aux_density, self.a_aux_bit_len, self.a_aux_popcount)?,
                b_inp_density: density(circuit, "b_inp", self.b_inp_density, self.b_inp_bit_len, self.b_inp_popcount)?,
                b_aux_density: density(circuit, "b_aux", self.b_aux_density, self.b_aux_bit_len, self.b_aux_popcount)?,
            })
        }
    }
}

fn field(circuit: usize, name: &str) -> String {
    format!("provers[{circuit}].{name}")
}

/// The density called `name` of circuit `circuit`, its popcount checked.
///
/// # Safety
/// `words` is null or has the words of `bits` bits for `'w`.
unsafe fn density<'w>(
    circuit: usize,
    name: &str,
    words: *const u64,
    bits: usize,
    popcount: usize,
) -> Result<Density<'w>, Error> {
    // SAFETY: the caller's promise.
    let words = unsafe { slice(words, bits.div_ceil(64), || field(circuit, &format!("{name}_density")))? };
    let density = Density::new(words, bits);
    let counted = density.count_ones();
    if counted != popcount {
        let field = field(circuit, &format!("{name}_popcount"));
        return Err(Error::Popcount { field, found: popcount, counted, bits });
    }
    Ok(density)
}

/// The `len` elements at `pointer`; with `len` 0 the pointer is not looked at.
///
/// # Safety
/// `pointer` is null, or misaligned, or points to `len` initialised elements that nothing writes to for `'a`.
unsafe fn slice<'a, T>(pointer: *const T, len: usize, what: impl Fn() -> String) -> Result<&'a [T], Error> {
    if len == 0 {
        return Ok(&[]);
    }
    check_pointer(pointer, len, what)?;
    // SAFETY: not null, aligned, no larger than an object can be, and otherwise the caller's promise.
    Ok(unsafe { std::slice::from_raw_parts(pointer, len) })
}

/// Checks what can be known of a pointer to `len` > 0 elements.
pub(crate) fn check_pointer<T>(pointer: *const T, len: usize, what: impl Fn() -> String) -> Result<(), Error> {
    if pointer.is_null() {
        return Err(Error::Null { what: what() });
    }
    let (address, align) = (pointer as usize, align_of::<T>());
    if address % align != 0 {
        return Err(Error::Misaligned { what: what(), address, align });
    }
    let end = len.checked_mul(size_of::<T>()).and_then(|bytes| address.checked_add(bytes));
    if end.is_none_or(|end| end > isize::MAX as usize) {
        let expected = format!("that many elements of {} bytes do not fit in memory", size_of::<T>());
        return Err(Error::Size { field: format!("the number of {}", what()), found: len, expected });
    }
    Ok(())
}

/// # Safety
/// `proofs` has room for `circuits` proofs.
unsafe fn write_proofs(made: &[Proof], circuits: usize, proofs: *mut Proof) -> Result<(), Error> {
    if made.len() != circuits {
        return Err(Error::Internal { what: format!("{} proofs of {circuits} circuits", made.len()) });
    }
    if circuits > 0 {
        // SAFETY: the caller's promise; a fresh vector does not overlap it.
        unsafe { std::ptr::copy_nonoverlapping(made.as_ptr(), proofs, circuits) };
    }
    Ok(())
}
