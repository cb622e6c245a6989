// MSMs and sums over G1.
#include "msm/msm.cuh"

using interlock::Fp;
using interlock::Xyzz;

struct interlock_msm_shape interlock_msm_shape_for(size_t n) { return interlock::msm::shape_for(n); }

size_t interlock_msm_g1_scratch_bytes(size_t n, struct interlock_msm_shape shape) {
    interlock::msm::Scratch<Fp> scratch;
    return scratch.carve(nullptr, n, shape) == cudaSuccess ? scratch.bytes : 0;
}

int interlock_msm_g1(void *scratch, void *sums, const struct interlock_msm_terms *terms, struct interlock_msm_shape shape,
                     struct CUstream_st *stream) {
    return interlock::msm::multiply(scratch, static_cast<Xyzz<Fp> *>(sums), *terms, shape, stream);
}

size_t interlock_sum_g1_scratch_bytes(void) { return interlock::msm::MAX_SUMS * sizeof(Xyzz<Fp>); }

int interlock_sum_g1(void *scratch, void *sum, const struct interlock_sum_terms *terms, struct CUstream_st *stream) {
    return interlock::msm::sum(scratch, static_cast<Xyzz<Fp> *>(sum), *terms, stream);
}
