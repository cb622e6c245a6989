// The terms of a query.
#include "groth16/terms.cuh"

using namespace interlock::groth16;

size_t interlock_terms_scratch_bytes(size_t n) { return (n + TILE - 1) / TILE * sizeof(Counts); }

int interlock_terms(void *scratch, const struct interlock_query_terms *terms, const struct interlock_variables *variables,
                    struct CUstream_st *stream) {
    if (variables->n == 0) return cudaSuccess;
    if (variables->n > UINT32_MAX || variables->chunk % TILE != 0) return cudaErrorInvalidValue;
    if (variables->chunk != 0 && variables->chunk_starts == nullptr) return cudaErrorInvalidValue;
    const auto tiles = static_cast<unsigned>((variables->n + TILE - 1) / TILE);
    auto *counts = static_cast<Counts *>(scratch);
    count_tiles<<<tiles, TERMS_BLOCK, 0, stream>>>(counts, *variables);
    if (cudaError_t error = cudaGetLastError()) return error;
    scan_tiles<<<1, SCAN_BLOCK, 0, stream>>>(counts, tiles, terms->counts);
    if (cudaError_t error = cudaGetLastError()) return error;
    write_terms<<<tiles, TERMS_BLOCK, 0, stream>>>(*terms, counts, *variables);
    return cudaGetLastError();
}
