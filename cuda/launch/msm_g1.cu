// MSMs and sums over G1.
#include "msm/multiples.cuh"
#include "msm/sum.cuh"

using interlock::Fp;
using interlock::G1Affine;
using interlock::Xyzz;
using interlock::msm::Stored;

struct interlock_msm_shape interlock_msm_g1_shape_for(size_t n) { return interlock::msm::shape_for<Fp>(n); }

int interlock_msm_g1_scratch_bytes(size_t n, struct interlock_msm_shape shape, size_t *bytes) {
    return interlock::msm::scratch_bytes<Fp>(n, shape, bytes);
}

int interlock_msm_g1(void *scratch, void *sums, const struct interlock_msm_terms *terms, struct interlock_msm_shape shape,
                     struct CUstream_st *stream) {
    return interlock::msm::multiply(scratch, static_cast<Xyzz<Fp> *>(sums), *terms, shape, stream);
}

int interlock_multiples_g1(void *scratch, size_t bytes, void *to, const void *from, size_t n, unsigned doublings, struct CUstream_st *stream) {
    return interlock::msm::multiples(scratch, bytes, static_cast<G1Affine *>(to), static_cast<const G1Affine *>(from), n, doublings, stream);
}

int interlock_sum_g1(void *accumulators, unsigned blocks, const struct interlock_sum_terms *terms, unsigned queries,
                     struct CUstream_st *stream) {
    return interlock::msm::sum(static_cast<Stored<Fp> *>(accumulators), blocks, terms, queries, stream);
}

int interlock_total_g1(void *scratch, void *sums, const void *accumulators, unsigned blocks, unsigned queries,
                       struct CUstream_st *stream) {
    return interlock::msm::total(scratch, static_cast<Xyzz<Fp> *>(sums), static_cast<const Stored<Fp> *>(accumulators), blocks, queries,
                                 stream);
}

int interlock_fill_g1_scratch_bytes(size_t n, unsigned windows, size_t *bytes) {
    return interlock::msm::fill_scratch_bytes<Fp>(n, windows, bytes);
}

int interlock_fill_g1(void *scratch, void *buckets, const struct interlock_msm_terms *terms, struct interlock_msm_shape shape,
                      unsigned first, struct CUstream_st *stream) {
    return interlock::msm::fill_windows(scratch, static_cast<Stored<Fp> *>(buckets), *terms, shape, first, stream);
}

size_t interlock_reduce_g1_scratch_bytes(struct interlock_msm_shape shape) {
    interlock::msm::Carver carver(nullptr);
    interlock::msm::Segments<Fp> segments;
    segments.carve(&carver, shape, shape.windows);
    return carver.used();
}

int interlock_reduce_g1(void *scratch, void *sums, const void *buckets, struct interlock_msm_shape shape,
                        struct CUstream_st *stream) {
    return interlock::msm::reduce(scratch, static_cast<Xyzz<Fp> *>(sums), static_cast<const Stored<Fp> *>(buckets), shape, stream);
}
