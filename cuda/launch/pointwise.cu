// Element-wise products of vectors.
#include <cuda_runtime.h>

#include "ff/fr.cuh"
#include "launchers.h"

namespace {

using interlock::Fr;

constexpr unsigned BLOCK = 256;

__global__ void multiply(Fr *out, const Fr *a, const Fr *b, size_t n) {
    const size_t i = size_t{blockIdx.x} * BLOCK + threadIdx.x;
    if (i >= n) return;
    const Fr x = a[i], y = b[i];  // whole: 16 bytes a load
    out[i] = x * y;
}

}  // namespace

int interlock_fr_mul(void *out, const void *a, const void *b, size_t n, struct CUstream_st *stream) {
    if (n == 0) return cudaSuccess;
    const size_t blocks = (n + BLOCK - 1) / BLOCK;
    if (blocks > INT32_MAX) return cudaErrorInvalidValue;
    multiply<<<static_cast<unsigned>(blocks), BLOCK, 0, stream>>>(static_cast<Fr *>(out), static_cast<const Fr *>(a),
                                                                  static_cast<const Fr *>(b), n);
    return cudaGetLastError();
}
