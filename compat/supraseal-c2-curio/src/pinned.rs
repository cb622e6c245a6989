//! The two functions of the CUDA runtime that cuzk's pinned-memory pool takes from whatever this crate links, for
//! builds that link no CUDA runtime. cuzk then keeps its buffers on the heap.

use std::ffi::{c_int, c_uint, c_void};

const CUDA_SUCCESS: c_int = 0;
const CUDA_ERROR_INVALID_VALUE: c_int = 1;
const CUDA_ERROR_NO_DEVICE: c_int = 100;

/// Allocates nothing: there is no CUDA in this build.
#[no_mangle]
pub extern "C" fn cudaHostAlloc(_host: *mut *mut c_void, _size: usize, _flags: c_uint) -> c_int {
    CUDA_ERROR_NO_DEVICE
}

/// Frees nothing: only null can come from [`cudaHostAlloc`].
#[no_mangle]
pub extern "C" fn cudaFreeHost(host: *mut c_void) -> c_int {
    if host.is_null() {
        CUDA_SUCCESS
    } else {
        CUDA_ERROR_INVALID_VALUE
    }
}
