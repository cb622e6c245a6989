// The copying of an MSM's terms.
#include "groth16/copy_terms.cuh"

#include <cuda_runtime.h>

using namespace interlock::groth16;

namespace {

template <unsigned POINT_UNITS>
cudaError_t launch(void *points, void *scalars, const interlock_msm_terms &terms, cudaStream_t stream) {
    if (terms.n == 0) return cudaSuccess;
    const size_t blocks = (terms.n * (POINT_UNITS + SCALAR_UNITS) + COPY_BLOCK - 1) / COPY_BLOCK;
    const bool complete = terms.positions != nullptr && terms.indices != nullptr && terms.count != nullptr;
    if (!complete || terms.reversed_bits != 0 || blocks > INT32_MAX) return cudaErrorInvalidValue;
    copy_terms<POINT_UNITS><<<static_cast<unsigned>(blocks), COPY_BLOCK, 0, stream>>>(
        static_cast<uint4 *>(points), static_cast<uint4 *>(scalars), terms);
    return cudaGetLastError();
}

}  // namespace

int interlock_copy_terms_g1(void *points, void *scalars, const struct interlock_msm_terms *terms, struct CUstream_st *stream) {
    return launch<6>(points, scalars, *terms, stream);
}

int interlock_copy_terms_g2(void *points, void *scalars, const struct interlock_msm_terms *terms, struct CUstream_st *stream) {
    return launch<12>(points, scalars, *terms, stream);
}
