// From buckets to what is left of a window for the CPU: a few sums with powers of two as weights.
//
// Of a window's sum Σ (b + 1)·B_b, b counts the buckets, in segments of L = 2^l: b = s·L + i. It is
//     Σ_s A_s + L·Σ_s s·R_s   with   A_s = Σ_i (i + 1)·B_{sL + i},   R_s = Σ_i B_{sL + i},
// and Σ_s s·R_s = Σ_j 2^j·(the sum of R_s over the s whose bit j is set): plain sums, which many threads share.
#pragma once

#include "msm/stored.cuh"

namespace interlock {
namespace msm {

/// A_s and R_s for `n` segments of 2^`segment_bits` buckets, one a thread.
template <class F, bool DIGITS>
__global__ void __launch_bounds__(SummingKernel<F>::BLOCK, SummingKernel<F>::BLOCKS)
    sum_segments(Xyzz<F> *weighted, Xyzz<F> *plain, const Stored<F> *buckets, size_t n, unsigned segment_bits) {
    if (!IS_COMPILED<DIGITS>) return;
    const size_t segment = size_t{blockIdx.x} * SummingKernel<F>::BLOCK + threadIdx.x;
    if (segment >= n) return;
    const Stored<F> *first = buckets + (segment << segment_bits);
    Xyzz<F> from_here = Xyzz<F>::infinity(), sum = Xyzz<F>::infinity();
#pragma unroll 1
    for (size_t i = size_t{1} << segment_bits; i-- > 0;) {
        add_stored<DIGITS>(&from_here, first + i);
        add_to(&sum, &from_here);
    }
    weighted[segment] = sum;
    plain[segment] = from_here;
}

/// For window blockIdx.y of 2^`log_segments` segments: in sums[0] ΣA_s, in sums[1 + j] the sum of R_s over the s whose bit j is
/// set, by block 1 + j.
template <class F>
__global__ void __launch_bounds__(SummingKernel<F>::BLOCK, SummingKernel<F>::BLOCKS)
    sum_windows(Xyzz<F> *sums, const Xyzz<F> *weighted, const Xyzz<F> *plain, unsigned log_segments) {
    __shared__ Xyzz<F> room[SummingKernel<F>::BLOCK / 2];
    const unsigned window = blockIdx.y, which = blockIdx.x;
    const Xyzz<F> *of = (which == 0 ? weighted : plain) + (size_t{window} << log_segments);
    const unsigned n = which == 0 ? 1u << log_segments : 1u << (log_segments - 1);
    Xyzz<F> sum = Xyzz<F>::infinity();
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < n; i += SummingKernel<F>::BLOCK) {
        const unsigned bit = which == 0 ? 0 : 1u << (which - 1);
        // A one goes in between the bits of i below it and those above.
        const unsigned segment = which == 0 ? i : (i & ~(bit - 1)) * 2 + bit + (i & (bit - 1));
        add_to(&sum, of + segment);
    }
    sum_of_block<F, SummingKernel<F>::BLOCK>(&sum, room);
    if (threadIdx.x == 0) sums[window * gridDim.x + which] = sum;
}

}  // namespace msm
}  // namespace interlock
