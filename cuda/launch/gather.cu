// Scalars in the order of their bit-reversed numbers.
#include <cuda_runtime.h>

#include "ff/fr.cuh"
#include "launchers.h"

namespace {

using interlock::Fr;

constexpr unsigned BLOCK = 256;

/// Neighbours come from all over `scalars`, 32 bytes each: what a bus carries at once.
__global__ void gather(Fr *out, const Fr *scalars, unsigned bits, size_t first, size_t n) {
    const size_t i = size_t{blockIdx.x} * BLOCK + threadIdx.x;
    if (i >= n) return;
    const Fr scalar = scalars[bits == 0 ? 0 : __brev(static_cast<uint32_t>(first + i)) >> (32 - bits)];
    out[i] = scalar;
}

}  // namespace

int interlock_gather(void *out, const void *scalars, unsigned bits, size_t first, size_t n, struct CUstream_st *stream) {
    if (n == 0) return cudaSuccess;
    const size_t blocks = (n + BLOCK - 1) / BLOCK;
    if (bits > 32 || blocks > INT32_MAX) return cudaErrorInvalidValue;
    gather<<<static_cast<unsigned>(blocks), BLOCK, 0, stream>>>(static_cast<Fr *>(out), static_cast<const Fr *>(scalars), bits, first,
                                                                n);
    return cudaGetLastError();
}
