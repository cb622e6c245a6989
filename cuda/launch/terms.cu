// The terms of queries.
#include "groth16/terms.cuh"

using namespace interlock::groth16;

namespace {

size_t tiles_of(size_t n) { return (n + TILE - 1) / TILE; }

bool is_valid(const interlock_variables &variables) {
    if (variables.n == 0) return true;
    return variables.n <= UINT32_MAX && variables.chunk % TILE == 0 && (variables.chunk == 0 || variables.chunk_starts != nullptr);
}

bool is_valid(const interlock_query &query) {
    size_t n = 0;
    for (const interlock_variables &run : query.runs) {
        if (!is_valid(run)) return false;
        n += run.n;
    }
    return n <= UINT32_MAX;
}

}  // namespace

size_t interlock_terms_scratch_bytes(size_t n) { return tiles_of(n) * sizeof(Counts); }

int interlock_terms(void *scratch, const struct interlock_query *queries, size_t n, struct CUstream_st *stream) {
    if (n == 0) return cudaSuccess;
    if (n > INTERLOCK_QUERIES) return cudaErrorInvalidValue;
    // The queries that there are not have no variables.
    Listing listing = {};
    uint32_t tiles = 0, *first_tile = listing.first_tiles;
    for (size_t i = 0; i < INTERLOCK_QUERIES; i++) {
        if (i < n) listing.queries[i] = queries[i];
        if (!is_valid(listing.queries[i])) return cudaErrorInvalidValue;
        for (const interlock_variables &run : listing.queries[i].runs) {
            *first_tile++ = tiles;
            tiles += static_cast<uint32_t>(tiles_of(run.n));
        }
    }
    *first_tile = tiles;

    auto *counts = static_cast<Counts *>(scratch);
    if (tiles != 0) count_tiles<<<tiles, TERMS_BLOCK, 0, stream>>>(counts, listing);
    if (cudaError_t error = cudaGetLastError()) return error;
    scan_tiles<<<static_cast<unsigned>(n), SCAN_BLOCK, 0, stream>>>(counts, listing);
    if (cudaError_t error = cudaGetLastError()) return error;
    if (tiles != 0) write_terms<<<tiles, TERMS_BLOCK, 0, stream>>>(counts, listing);
    return cudaGetLastError();
}
