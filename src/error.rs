//! The one error type: what was expected, what was found, and what to do.
//!
//! At the C boundary an error becomes a code and a message ([`Error::code`] and its `Display`).

use std::path::PathBuf;

/// Which kind of opaque handle a caller passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HandleKind {
    /// What `create_gpu_locks` or `create_gpu_mutex` returned.
    Locks,
    /// What `create_SRS` or `clone_SRS` returned.
    Srs,
    /// What `generate_groth16_proofs_start_c` returned.
    Pending,
}

impl std::fmt::Display for HandleKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Locks => "gpu_locks",
            Self::Srs => "SRS",
            Self::Pending => "pending proof",
        })
    }
}

/// Everything that can go wrong, with the numbers in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A pointer that must not be null is.
    #[error("{what} is a null pointer")]
    Null {
        /// The argument or field.
        what: String,
    },
    /// A pointer is not aligned for what it points to.
    #[error("{what} is {address:#x}, which is not aligned to {align} bytes")]
    Misaligned {
        /// The argument or field.
        what: String,
        /// Its value.
        address: usize,
        /// The alignment that it must have.
        align: usize,
    },
    /// A size disagrees with the SRS, with another size, or with what memory can hold.
    #[error("{field} is {found}, but {expected}")]
    Size {
        /// The argument or field, with the circuit it belongs to.
        field: String,
        /// What it was.
        found: usize,
        /// What it had to be, as a clause.
        expected: String,
    },
    /// A popcount is not the number of bits set.
    #[error("{field} is {found}, but {counted} of the first {bits} bits of its density are set")]
    Popcount {
        /// The field, with the circuit it belongs to.
        field: String,
        /// What the caller said.
        found: usize,
        /// What the bits say.
        counted: usize,
        /// How many bits there are.
        bits: usize,
    },
    /// A scalar is not below the group order.
    #[error("{vector}[{index}] is not below the group order r: scalars are canonical Montgomery residues in 4 little-endian limbs")]
    NonCanonicalScalar {
        /// The vector, with the circuit it belongs to.
        vector: String,
        /// Its element.
        index: usize,
    },
    /// A handle that this library did not give out.
    #[error("{kind} handle {value:#x} was never given out by this library{hint}")]
    UnknownHandle {
        /// What it was passed as.
        kind: HandleKind,
        /// Its value.
        value: usize,
        /// What often causes this, or nothing.
        hint: &'static str,
    },
    /// A handle that was given out but is gone.
    #[error("{kind} handle {value:#x} is no longer valid: it was {how}")]
    StaleHandle {
        /// What it was passed as.
        kind: HandleKind,
        /// Its value.
        value: usize,
        /// How it ended.
        how: &'static str,
    },
    /// An SRS that holds nothing.
    #[error("the SRS is empty: create_SRS did not succeed on it, or it was dropped")]
    EmptySrs,
    /// A file operation failed.
    #[error("cannot {operation} parameter file {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was being done.
        operation: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
    /// A parameter file is not what it should be.
    #[error("parameter file {}: {fault}", path.display())]
    Params {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: ParamsFault,
    },
    /// Host memory could not be had.
    #[error("out of host memory: {bytes} bytes for {what}")]
    OutOfMemory {
        /// What it was for.
        what: &'static str,
        /// How much was asked for.
        bytes: usize,
    },
    /// The system started no more threads.
    #[error("cannot start {count} threads: {source}; INTERLOCK_CPU_THREADS makes it fewer")]
    Threads {
        /// How many were asked for.
        count: usize,
        /// What the system said.
        source: std::io::Error,
    },
    /// A GPU was asked for and there is none to be had.
    #[error("no GPU can prove: {why}")]
    NoGpu {
        /// Why, and what to do.
        why: String,
    },
    /// A number names no device.
    #[error("{what} is {index}, but there are {count} devices, the first of which is 0; -1 lets the library choose")]
    NoSuchDevice {
        /// The argument.
        what: &'static str,
        /// What was asked for.
        index: i64,
        /// How many there are.
        count: usize,
    },
    /// A CUDA call failed.
    #[error("{call} failed: {text} (CUDA error {code})")]
    Cuda {
        /// The function.
        call: &'static str,
        /// CUDA's number.
        code: i32,
        /// CUDA's words.
        text: String,
    },
    /// A CUDA error after which CUDA does nothing more in this process.
    #[error("the GPU can no longer be used by this process, which must be started again: {call} failed earlier: {text} (CUDA error {code})")]
    DeviceLost {
        /// The function that reported it first.
        call: &'static str,
        /// CUDA's number.
        code: i32,
        /// CUDA's words.
        text: String,
    },
    /// A device has no memory left for what proofs need beside their budget, or for a context.
    #[error("the device has no memory left: {call} failed: {text} (CUDA error 2); end other programs that use it, or choose another device")]
    DeviceFull {
        /// The function.
        call: &'static str,
        /// CUDA's words.
        text: String,
    },
    /// What a phase of a proof or an SRS needs is more than the device's budget leaves it.
    #[error(transparent)]
    DeviceMemory(Shortfall),
    /// A budget that proofs are planned within is too small for any.
    #[error("budget is {budget} bytes, but the smallest way to prove these circuits takes {least} bytes")]
    Budget {
        /// The budget.
        budget: usize,
        /// The least that would do.
        least: usize,
    },
    /// A setting has a value that it cannot have.
    #[error("{name} is {value:?}, but must be {expected}")]
    Setting {
        /// The environment variable or argument.
        name: &'static str,
        /// Its value.
        value: String,
        /// What it must be.
        expected: &'static str,
    },
    /// A number stands for none of an argument's choices.
    #[error("{name} is {value}, but must be {expected}")]
    Choice {
        /// The argument.
        name: &'static str,
        /// Its value.
        value: i64,
        /// What it must be.
        expected: &'static str,
    },
    /// A trace file could not be written.
    #[error("cannot write trace file {path:?}: {source}")]
    TraceFile {
        /// The file.
        path: PathBuf,
        /// Why it failed.
        source: std::io::Error,
    },
    /// There is no trace to write.
    #[error("nothing has been traced: interlock_trace_start() or INTERLOCK_TRACE starts it")]
    NoTrace,
    /// The process is a forked child of one that interlock had loaded or proved in.
    #[error("this process was forked from process {parent} after interlock had started its threads there, which a child does not have: fork before the first create_SRS, or exec in the child")]
    Forked {
        /// The process that has the threads.
        parent: u32,
    },
    /// A fault of this library.
    #[error("internal error in interlock: {what}; please report it")]
    Internal {
        /// What was found.
        what: String,
    },
}

/// Why device memory cannot be had, whatever else comes free, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{asked} bytes of device memory were asked for, but of the budget of {budget} bytes parameters that are in use take {resident} and leave {largest} in one piece; set a larger budget, use fewer parameter files at once, or choose a device with more memory")]
pub struct Shortfall {
    /// All that was asked for at once.
    pub asked: usize,
    /// What may be used in all.
    pub budget: usize,
    /// What parameters that are in use take.
    pub resident: usize,
    /// The largest piece that proofs could ever have beside them.
    pub largest: usize,
}

/// What can be wrong with a parameter file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamsFault {
    /// It is a directory, a device, a pipe or a socket.
    #[error("is {what}, not a regular file")]
    NotAFile {
        /// What it is.
        what: &'static str,
    },
    /// It has no bytes.
    #[error("is empty; was its download interrupted?")]
    Empty,
    /// It ends before its content does.
    #[error("is truncated: {section} needs bytes up to {needed}, the file has {size}; fetch or generate it again, if it is a parameter file")]
    Truncated {
        /// The part that does not fit.
        section: &'static str,
        /// Where that part would end.
        needed: u64,
        /// The file's size.
        size: u64,
    },
    /// It goes on after its content has ended.
    #[error("has {size} bytes, but its content ends at {expected}: it is no parameter file, or two were written over each other")]
    Oversized {
        /// Where the content ends.
        expected: u64,
        /// The file's size.
        size: u64,
    },
    /// Its counts do not make sense together.
    #[error("has an impossible layout: {what}")]
    Layout {
        /// Which counts, and why.
        what: String,
    },
    /// A coordinate is not below the field's modulus, or the flags ask for another encoding.
    #[error("{section}[{index}] at byte {offset}: {what}")]
    NonCanonical {
        /// The part.
        section: &'static str,
        /// The point in it.
        index: u64,
        /// Where the point starts.
        offset: u64,
        /// What is wrong with the encoding.
        what: &'static str,
    },
    /// A point is not on the curve.
    #[error("{section}[{index}] at byte {offset} is not on the curve: the file is damaged, or not one of parameters")]
    OffCurve {
        /// The part.
        section: &'static str,
        /// The point in it.
        index: u64,
        /// Where the point starts.
        offset: u64,
    },
    /// A point is the point at infinity, which no generator writes.
    #[error("{section}[{index}] at byte {offset} is the point at infinity, which no parameter file holds")]
    Infinity {
        /// The part.
        section: &'static str,
        /// The point in it.
        index: u64,
        /// Where the point starts.
        offset: u64,
    },
    /// A point is on the curve and outside the group of order r.
    #[error("{section}[{index}] at byte {offset} is not in the subgroup of order r")]
    NotInSubgroup {
        /// The part.
        section: &'static str,
        /// The point in it.
        index: u64,
        /// Where the point starts.
        offset: u64,
    },
    /// It changed while it was read.
    #[error("changed while it was being read; is something still writing it?")]
    Changed,
}

/// What CUDA answers when it has no memory.
const CUDA_ERROR_MEMORY_ALLOCATION: i32 = 2;

impl Error {
    /// What it is if it comes from something that takes memory of a device. CUDA has one number for all memory: from a kernel's launch, it says
    /// nothing of what another backend would do better.
    #[cfg(any(test, interlock_cuda))]
    pub(crate) fn of_taking_device_memory(self) -> Self {
        match self {
            Self::Cuda { call, code: CUDA_ERROR_MEMORY_ALLOCATION, text } => Self::DeviceFull { call, text },
            other => other,
        }
    }

    /// Whether it says that a device has no memory left.
    pub(crate) fn is_device_out_of_memory(&self) -> bool {
        matches!(self, Self::DeviceFull { .. } | Self::DeviceMemory(_))
    }

    /// The code for the C boundary: an errno (positive) or a negated cudaError.
    pub fn code(&self) -> i32 {
        match self {
            Self::File { source, .. } | Self::TraceFile { source, .. } => source.raw_os_error().unwrap_or(libc::EIO),
            Self::Params { fault, .. } => fault.code(),
            Self::OutOfMemory { .. } => libc::ENOMEM,
            Self::Threads { source, .. } => source.raw_os_error().unwrap_or(libc::EAGAIN),
            Self::NoGpu { .. } => libc::ENODEV,
            Self::NoTrace => libc::ENODATA,
            Self::Cuda { code, .. } | Self::DeviceLost { code, .. } => -code,
            Self::DeviceFull { .. } | Self::DeviceMemory(_) | Self::Budget { .. } => -CUDA_ERROR_MEMORY_ALLOCATION,
            Self::Internal { .. } => libc::ENOTRECOVERABLE,
            _ => libc::EINVAL,
        }
    }
}

impl ParamsFault {
    fn code(&self) -> i32 {
        match self {
            Self::NotAFile { what } if what.contains("directory") => libc::EISDIR,
            Self::NotAFile { .. } => libc::ENOTSUP,
            Self::Layout { .. } => libc::EBADMSG,
            Self::Empty => libc::ENODATA,
            Self::Truncated { .. } => libc::EOVERFLOW,
            Self::Oversized { .. } => libc::EFBIG,
            Self::NonCanonical { .. } => libc::EILSEQ,
            Self::OffCurve { .. } => libc::EDOM,
            Self::Infinity { .. } => libc::ERANGE,
            Self::NotInSubgroup { .. } => libc::EPROTO,
            Self::Changed => libc::ESTALE,
        }
    }
}

/// A vector with room for `len` elements, or an error instead of an abort.
pub(crate) fn try_with_capacity<T>(len: usize, what: &'static str) -> Result<Vec<T>, Error> {
    let mut v = Vec::new();
    v.try_reserve_exact(len).map_err(|_| Error::OutOfMemory { what, bytes: len.saturating_mul(size_of::<T>()) })?;
    Ok(v)
}
