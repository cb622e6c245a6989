// The copying of MSMs' terms.
#include "groth16/copy_terms.cuh"

#include <cuda_runtime.h>

using namespace interlock::groth16;

namespace {

bool is_valid(const interlock_msm_terms &terms) {
    const bool complete = terms.positions != nullptr && terms.indices != nullptr && terms.count != nullptr;
    return terms.n == 0 || (complete && terms.reversed_bits == 0 && terms.n <= UINT32_MAX);
}

template <unsigned POINT_UNITS>
cudaError_t launch(const interlock_copied_terms *all, size_t n, cudaStream_t stream) {
    if (n > INTERLOCK_COPIES) return cudaErrorInvalidValue;
    // The copies that there are not have no terms.
    Copies copies = {};
    size_t blocks = 0;
    for (size_t i = 0; i < INTERLOCK_COPIES; i++) {
        if (i < n) copies.of[i] = all[i];
        const interlock_msm_terms &terms = copies.of[i].terms;
        if (!is_valid(terms)) return cudaErrorInvalidValue;
        copies.first_blocks[i] = static_cast<uint32_t>(blocks);
        blocks += (terms.n * (POINT_UNITS + SCALAR_UNITS) + COPY_BLOCK - 1) / COPY_BLOCK;
    }
    if (blocks == 0) return cudaSuccess;
    if (blocks > INT32_MAX) return cudaErrorInvalidValue;
    copy_terms<POINT_UNITS><<<static_cast<unsigned>(blocks), COPY_BLOCK, 0, stream>>>(copies);
    return cudaGetLastError();
}

}  // namespace

int interlock_copy_terms_g1(const struct interlock_copied_terms *copies, size_t n, struct CUstream_st *stream) {
    return launch<6>(copies, n, stream);
}

int interlock_copy_terms_g2(const struct interlock_copied_terms *copies, size_t n, struct CUstream_st *stream) {
    return launch<12>(copies, n, stream);
}
