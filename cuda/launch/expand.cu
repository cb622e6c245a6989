// Vectors of scalars from their classes.
#include "groth16/expand.cuh"

using namespace interlock::groth16;

int interlock_expand(void *out, size_t m, const struct interlock_variables *variables, const void *full,
                     struct CUstream_st *stream) {
    if (m == 0) return cudaSuccess;
    if (variables->n > m || variables->chunk == 0 || variables->chunk % EXPAND_TILE != 0) return cudaErrorInvalidValue;
    const auto tiles = static_cast<unsigned>((m + EXPAND_TILE - 1) / EXPAND_TILE);
    expand_tiles<<<tiles, EXPAND_BLOCK, 0, stream>>>(static_cast<interlock::Fr *>(out), m, *variables,
                                                    static_cast<const interlock::Fr *>(full));
    return cudaGetLastError();
}
