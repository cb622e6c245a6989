// The terms of a query.
#include "groth16/terms.cuh"

using namespace interlock::groth16;

size_t interlock_terms_scratch_bytes(size_t variables) { return (variables + TILE - 1) / TILE * sizeof(Counts); }

int interlock_terms(void *scratch, const struct interlock_query_terms *terms, const uint64_t *classes, const uint64_t *density,
                    size_t variables, const uint32_t *chunk_starts, size_t chunk, struct CUstream_st *stream) {
    if (variables == 0) return cudaSuccess;
    const size_t tiles = (variables + TILE - 1) / TILE;
    if (variables > UINT32_MAX || chunk % TILE != 0 || (chunk != 0 && chunk_starts == nullptr)) return cudaErrorInvalidValue;
    const auto blocks = static_cast<unsigned>(tiles);
    auto *counts = static_cast<Counts *>(scratch);
    count_tiles<<<blocks, TERMS_BLOCK, 0, stream>>>(counts, classes, density, variables);
    if (cudaError_t error = cudaGetLastError()) return error;
    scan_tiles<<<1, SCAN_BLOCK, 0, stream>>>(counts, tiles, terms->counts);
    if (cudaError_t error = cudaGetLastError()) return error;
    write_terms<<<blocks, TERMS_BLOCK, 0, stream>>>(*terms, counts, classes, density, variables, chunk_starts,
                                                    static_cast<unsigned>(chunk / TILE));
    return cudaGetLastError();
}
