// Points of parameter files.
#include "groth16/decode.cuh"

using namespace interlock;

namespace {

template <class F>
cudaError_t launch(void *points, const void *bytes, size_t n, uint64_t first, uint64_t *fault, cudaStream_t stream) {
    if (n == 0) return cudaSuccess;
    const size_t blocks = (n + groth16::DECODE_BLOCK - 1) / groth16::DECODE_BLOCK;
    if (blocks > INT32_MAX) return cudaErrorInvalidValue;
    groth16::decode<<<static_cast<unsigned>(blocks), groth16::DECODE_BLOCK, 0, stream>>>(
        static_cast<Affine<F> *>(points), static_cast<const uint32_t *>(bytes), n, first,
        reinterpret_cast<unsigned long long *>(fault));
    return cudaGetLastError();
}

}  // namespace

int interlock_decode_g1(void *points, const void *bytes, size_t n, uint64_t first, uint64_t *fault, struct CUstream_st *stream) {
    return launch<Fp>(points, bytes, n, first, fault, stream);
}

int interlock_decode_g2(void *points, const void *bytes, size_t n, uint64_t first, uint64_t *fault, struct CUstream_st *stream) {
    return launch<Fp2>(points, bytes, n, first, fault, stream);
}
