// Vectors of scalars from the pieces that they are sent in.
#include "groth16/expand.cuh"

using namespace interlock::groth16;

int interlock_expand(void *out, size_t n, const void *pieces, const struct interlock_place *places, size_t count,
                     struct CUstream_st *stream) {
    if (count == 0) return cudaSuccess;
    if (count > INT32_MAX) return cudaErrorInvalidValue;
    expand_pieces<<<static_cast<unsigned>(count), EXPAND_BLOCK, 0, stream>>>(
        static_cast<interlock::Fr *>(out), n, static_cast<const unsigned char *>(pieces), places);
    return cudaGetLastError();
}
