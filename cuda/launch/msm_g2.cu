// MSMs and sums over G2.
#include "msm/msm.cuh"

using interlock::Fp2;
using interlock::Xyzz;

size_t interlock_msm_g2_scratch_bytes(size_t n, struct interlock_msm_shape shape) {
    interlock::msm::Scratch<Fp2> scratch;
    return scratch.carve(nullptr, n, shape) == cudaSuccess ? scratch.bytes : 0;
}

int interlock_msm_g2(void *scratch, void *sums, const struct interlock_msm_terms *terms, struct interlock_msm_shape shape,
                     struct CUstream_st *stream) {
    return interlock::msm::multiply(scratch, static_cast<Xyzz<Fp2> *>(sums), *terms, shape, stream);
}

size_t interlock_sum_g2_scratch_bytes(void) { return interlock::msm::MAX_SUMS * sizeof(Xyzz<Fp2>); }

int interlock_sum_g2(void *scratch, void *sum, const struct interlock_sum_terms *terms, struct CUstream_st *stream) {
    return interlock::msm::sum(scratch, static_cast<Xyzz<Fp2> *>(sum), *terms, stream);
}
