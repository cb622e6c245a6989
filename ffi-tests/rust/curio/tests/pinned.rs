//! cuzk declares these two itself and takes them from the link: with CUDA they are its runtime's, without it ours.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

// Nothing else here names the crate, and a crate that is not named is not linked.
use supraseal_c2 as _;

extern "C" {
    fn cudaHostAlloc(host: *mut *mut c_void, size: usize, flags: c_uint) -> c_int;
    fn cudaFreeHost(host: *mut c_void) -> c_int;
}

#[test]
fn pinned_memory_is_had_or_refused() {
    const PORTABLE: c_uint = 1;
    let mut host = ptr::null_mut();
    // SAFETY: `host` is written, and what it is set to is freed once.
    unsafe {
        if cudaHostAlloc(&mut host, 4096, PORTABLE) == 0 {
            assert!(!host.is_null());
            host.cast::<u8>().write_bytes(0xa5, 4096);
            assert_eq!(cudaFreeHost(host), 0);
        } else {
            assert!(host.is_null());
        }
    }
}
