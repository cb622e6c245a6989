//! Memory that a program crashes on as soon as it is touched after it was given back.

use std::ptr::{self, NonNull};
use std::slice;

/// Elements in pages of their own.
pub struct Guarded<T> {
    start: NonNull<T>,
    len: usize,
    bytes: usize,
}

// SAFETY: it owns its pages, which any thread may use.
unsafe impl<T: Send> Send for Guarded<T> {}

impl<T: Copy> Guarded<T> {
    /// A copy of `elements`.
    pub fn copy_of(elements: &[T]) -> Self {
        let bytes = size_of_val(elements).max(1);
        // SAFETY: asks for new pages.
        let start = unsafe {
            libc::mmap(
                ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        assert!(start != libc::MAP_FAILED, "no pages");
        let start = NonNull::new(start.cast::<T>()).expect("pages lie somewhere");
        // SAFETY: pages are aligned, have room for the elements, and are new.
        unsafe { start.as_ptr().copy_from_nonoverlapping(elements.as_ptr(), elements.len()) };
        Self { start, len: elements.len(), bytes }
    }

    /// Where they lie.
    pub fn as_ptr(&self) -> *const T {
        self.start.as_ptr()
    }

    /// The elements.
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: initialised, and unchanged while this is borrowed.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// Gives them back: what was there becomes garbage, and to read it from now on ends the process.
    pub fn free(self) {
        // SAFETY: its own pages, to which nobody has a reference.
        unsafe {
            self.start.as_ptr().cast::<u8>().write_bytes(0xa5, self.bytes);
            assert_eq!(libc::mprotect(self.start.as_ptr().cast(), self.bytes, libc::PROT_NONE), 0);
        }
        // The address stays taken, so that nothing else comes to lie there.
        std::mem::forget(self);
    }
}

impl<T> Drop for Guarded<T> {
    fn drop(&mut self) {
        // SAFETY: its own pages.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}
