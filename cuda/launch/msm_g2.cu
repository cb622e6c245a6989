// MSMs and sums over G2.
#include "msm/sum.cuh"

using interlock::Fp2;
using interlock::Xyzz;
using interlock::msm::Stored;

struct interlock_msm_shape interlock_msm_g2_shape_for(size_t n) { return interlock::msm::shape_for<Fp2>(n); }

int interlock_msm_g2_scratch_bytes(size_t n, struct interlock_msm_shape shape, size_t *bytes) {
    return interlock::msm::scratch_bytes<Fp2>(n, shape, bytes);
}

int interlock_msm_g2(void *scratch, void *sums, const struct interlock_msm_terms *terms, struct interlock_msm_shape shape,
                     struct CUstream_st *stream) {
    return interlock::msm::multiply(scratch, static_cast<Xyzz<Fp2> *>(sums), *terms, shape, stream);
}

int interlock_sum_g2(void *accumulators, unsigned blocks, const struct interlock_sum_terms *terms, unsigned queries,
                     struct CUstream_st *stream) {
    return interlock::msm::sum(static_cast<Stored<Fp2> *>(accumulators), blocks, terms, queries, stream);
}

int interlock_total_g2(void *scratch, void *sums, const void *accumulators, unsigned blocks, unsigned queries,
                       struct CUstream_st *stream) {
    return interlock::msm::total(scratch, static_cast<Xyzz<Fp2> *>(sums), static_cast<const Stored<Fp2> *>(accumulators), blocks, queries,
                                 stream);
}
