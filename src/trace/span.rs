//! Spans as they are recorded.

use std::ffi::CStr;
use std::marker::PhantomData;

use super::call::{here, Place};
use super::ring::{About, Record, Track};
use super::{now, ring, state, Moment, PROFILED, RECORDED};
use crate::prove::Batch;

#[cfg(interlock_cuda)]
pub(crate) use super::ring::Stream;

/// Something that takes time on the host, from when this is made until it is dropped, on one thread and within the spans there
/// that were made before it. Outside of calls nothing is recorded.
#[derive(Debug)]
#[must_use]
pub(crate) struct Span {
    begun: Option<Begun>,
    is_named: bool,
    _thread: PhantomData<*const ()>,
}

#[derive(Debug)]
struct Begun {
    what: &'static CStr,
    place: Place,
    at: Moment,
    about: About,
}

/// Begins a span.
#[inline]
pub(crate) fn span(what: &'static CStr) -> Span {
    match state() {
        0 => Span { begun: None, is_named: false, _thread: PhantomData },
        state => Span::begin(what, state),
    }
}

impl Span {
    #[cold]
    fn begin(what: &'static CStr, state: u8) -> Self {
        let is_named = state & PROFILED != 0;
        if is_named {
            profiler::push(what);
        }
        let place = if state & RECORDED == 0 { None } else { here() };
        let begun = place.map(|place| Begun { what, place, at: now(), about: About::Nothing });
        Self { begun, is_named, _thread: PhantomData }
    }

    /// Says of what batch it is.
    pub(crate) fn of(mut self, batch: &Batch<'_, '_>) -> Self {
        if let Some(begun) = &mut self.begun {
            begun.about = About::Batch {
                circuits: batch.evaluations.len() as u32,
                domain_log2: batch.srs.domain_log2(),
                constraints: batch.evaluations.iter().map(|evaluations| evaluations.a.len() as u64).sum(),
                inputs: batch.srs.counts.inputs as u64,
                aux: batch.srs.counts.l as u64,
            };
        }
        self
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        if let Some(Begun { what, place, at, about }) = self.begun.take() {
            push(Record::Span { what, track: Track::Worker, place, begin: at, end: now(), about });
        }
        if self.is_named {
            profiler::pop();
        }
    }
}

/// Something that took time on a device.
#[cfg(interlock_cuda)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceSpan {
    pub(crate) what: &'static CStr,
    pub(crate) device: usize,
    pub(crate) stream: Stream,
    pub(crate) place: Place,
    /// Bytes that it moved, or 0.
    pub(crate) bytes: usize,
}

/// Records it.
#[cfg(interlock_cuda)]
pub(crate) fn device_span(span: &DeviceSpan, begin: Moment, end: Moment) {
    let DeviceSpan { what, device, stream, place, bytes } = *span;
    let about = if bytes == 0 { About::Nothing } else { About::Bytes(bytes as u64) };
    push(Record::Span { what, track: Track::Device { ordinal: device as u16, stream }, place, begin, end, about });
}

/// Records how many bytes of a device's memory are held from now on. What a proof has given back, its kernels may use for a while yet:
/// who has it next waits for them on the device.
#[cfg(interlock_cuda)]
pub(crate) fn held(device: usize, by_proofs: usize, by_parameters: usize) {
    let (by_proofs, by_parameters) = (by_proofs as u64, by_parameters as u64);
    push(Record::Held { device: device as u16, at: now(), by_proofs, by_parameters });
}

fn push(record: Record) {
    if let Some(ring) = &mut *ring() {
        ring.push(record);
    }
}

/// Makes NVIDIA's profilers listen, or says why they cannot.
pub(super) fn profile() -> bool {
    let listening = profiler::start();
    if !listening {
        crate::logging::warning!(
            "INTERLOCK_NVTX is set, but {}",
            if cfg!(interlock_cuda) {
                "when this interlock was built CUDA's headers had no nvtx3/nvToolsExt.h (the package nvidia-nvtx on PyPI has it)"
            } else {
                "this interlock was built without CUDA"
            }
        );
    }
    listening
}

#[cfg(interlock_cuda)]
mod profiler {
    use std::ffi::CStr;

    use crate::sys;

    pub(super) fn start() -> bool {
        // SAFETY: takes nothing.
        unsafe { sys::interlock_profiler_start() != 0 }
    }

    pub(super) fn push(what: &'static CStr) {
        // SAFETY: the text ends in NUL and is never freed; `start` said that somebody listens.
        unsafe { sys::interlock_profiler_push(what.as_ptr()) };
    }

    pub(super) fn pop() {
        // SAFETY: takes nothing; the thread's last push has not been undone.
        unsafe { sys::interlock_profiler_pop() };
    }
}

#[cfg(not(interlock_cuda))]
mod profiler {
    use std::ffi::CStr;

    pub(super) fn start() -> bool {
        false
    }

    pub(super) fn push(_: &'static CStr) {}

    pub(super) fn pop() {}
}
