// Vectors of scalars from the pieces that they are sent in.
#include "groth16/expand.cuh"

using namespace interlock::groth16;

int interlock_expand(void *out, size_t n, const void *pieces, const uint32_t *places, struct CUstream_st *stream) {
    if (n == 0) return cudaSuccess;
    const size_t blocks = (n + PIECE - 1) / PIECE;
    if (blocks > INT32_MAX) return cudaErrorInvalidValue;
    expand_pieces<<<static_cast<unsigned>(blocks), EXPAND_BLOCK, 0, stream>>>(
        static_cast<interlock::Fr *>(out), n, static_cast<const unsigned char *>(pieces), places);
    return cudaGetLastError();
}
