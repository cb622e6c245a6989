// The sum of points that are chosen by their positions.
#pragma once

#include "msm/point_ops.cuh"
#include "msm/tuning.cuh"

namespace interlock {
namespace msm {

/// A sum a block: of the points at positions[i], or at i if `positions` is null, for i < n, and *count if that is not null.
template <class F>
__global__ void __launch_bounds__(AddingKernel<F>::BLOCK, AddingKernel<F>::BLOCKS)
    sum_points(Xyzz<F> *sums, const Affine<F> *points, const uint32_t *positions, size_t n, const uint32_t *count) {
    constexpr unsigned BLOCK = AddingKernel<F>::BLOCK;
    __shared__ Xyzz<F> room[BLOCK / 2];
    if (count != nullptr) n = min(n, size_t{*count});
    Xyzz<F> sum = Xyzz<F>::infinity();
    const size_t stride = size_t{gridDim.x} * BLOCK;
    size_t i = size_t{blockIdx.x} * BLOCK + threadIdx.x;
    Affine<F> next;
    if (i < n) next = load(points + (positions != nullptr ? positions[i] : i));
#pragma unroll 1
    while (i < n) {
        const Affine<F> point = next;
        i += stride;
        if (i < n) next = load(points + (positions != nullptr ? positions[i] : i));
        sum = sum + point;
    }
    // Another variable: one whose address is taken is kept in memory throughout.
    Xyzz<F> total = sum;
    sum_of_block<F, BLOCK>(&total, room);
    if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

/// *total = the sum of n sums. One block.
template <class F>
__global__ void __launch_bounds__(SummingKernel<F>::BLOCK) sum_sums(Xyzz<F> *total, const Xyzz<F> *sums, size_t n) {
    __shared__ Xyzz<F> room[SummingKernel<F>::BLOCK / 2];
    Xyzz<F> sum = Xyzz<F>::infinity();
#pragma unroll 1
    for (size_t i = threadIdx.x; i < n; i += SummingKernel<F>::BLOCK) add_to(&sum, sums + i);
    sum_of_block<F, SummingKernel<F>::BLOCK>(&sum, room);
    if (threadIdx.x == 0) *total = sum;
}

}  // namespace msm
}  // namespace interlock
