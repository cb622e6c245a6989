// Sums of points that are chosen by their positions, from several queries at once and part by part: accumulators in memory, a thread's
// each, take what each part adds, and are summed up at last.
#pragma once

#include "launch/launchers.h"
#include "msm/msm.cuh"

namespace interlock {
namespace msm {

/// Queries whose points are added at once, and which of a launch's blocks are whose: those of query q are the ones from first[q] to
/// first[q + 1].
struct Queries {
    interlock_sum_terms terms[INTERLOCK_SUM_QUERIES];
    unsigned first[INTERLOCK_SUM_QUERIES + 1];
};

/// Adds the points of each query to its accumulators, of which it has `capacity`, as many of them as its blocks have threads.
template <class F, bool DIGITS>
__global__ void __launch_bounds__(AddingKernel<F>::BLOCK, (ACCUMULATING_BLOCKS<F, DIGITS>))
    add_points(Stored<F> *accumulators, size_t capacity, const __grid_constant__ Queries queries) {
    if (!IS_COMPILED<DIGITS>) return;
    unsigned query = 0;
    while (blockIdx.x >= queries.first[query + 1]) query++;
    const interlock_sum_terms &terms = queries.terms[query];
    const unsigned first = queries.first[query], blocks = queries.first[query + 1] - first;
    const auto *points = static_cast<const Affine<F> *>(terms.points);
    const size_t n = terms.count != nullptr ? min(terms.n, size_t{*terms.count}) : terms.n;
    const size_t stride = size_t{blocks} * AddingKernel<F>::BLOCK;
    size_t i = size_t{blockIdx.x - first} * AddingKernel<F>::BLOCK + threadIdx.x;
    if (i >= n) return;
    Stored<F> *own = accumulators + query * capacity + i;
    auto sum = running_sum<F, DIGITS>();
    typename decltype(sum)::Next next, point;
    sum.set(own);
    next.fetch(points + (terms.positions != nullptr ? terms.positions[i] : i));
#pragma unroll 1
    while (i < n) {
        point = next;
        i += stride;
        if (i < n) next.fetch(points + (terms.positions != nullptr ? terms.positions[i] : i));
        sum.add(point.take(), false);
    }
    sum.store(own);
}

/// sums[query·gridDim.x + b] = what block b has of the query's `n` sums, for query blockIdx.y.
template <class F, bool DIGITS>
__global__ void __launch_bounds__(SummingKernel<F>::BLOCK, SummingKernel<F>::BLOCKS)
    sum_sums(Xyzz<F> *sums, const Stored<F> *of, size_t n) {
    if (!IS_COMPILED<DIGITS>) return;
    constexpr unsigned BLOCK = SummingKernel<F>::BLOCK;
    __shared__ Xyzz<F> room[BLOCK / 2];
    of += blockIdx.y * n;
    Xyzz<F> sum = Xyzz<F>::infinity();
#pragma unroll 1
    for (size_t i = size_t{blockIdx.x} * BLOCK + threadIdx.x; i < n; i += size_t{gridDim.x} * BLOCK) {
        add_stored<DIGITS>(&sum, of + i);
    }
    sum_of_block<F, BLOCK>(&sum, room);
    if (threadIdx.x == 0) sums[blockIdx.y * gridDim.x + blockIdx.x] = sum;
}

/// Accumulators that a query has in so many blocks.
template <class F>
constexpr size_t accumulators(unsigned blocks) {
    static_assert(AddingKernel<F>::BLOCK == INTERLOCK_SUM_BLOCK, "as documented");
    return size_t{blocks} * AddingKernel<F>::BLOCK;
}

/// The blocks that first sum up accumulators.
constexpr unsigned summing_blocks(unsigned blocks) {
    // Eight accumulators a thread: as long as what a block does then.
    return blocks < 8 ? 1 : blocks / 8;
}

/// `interlock_sum_*`.
template <class F, bool DIGITS>
cudaError_t sum_in_form(Stored<F> *accumulators_of_all, unsigned blocks, const interlock_sum_terms *terms, unsigned queries,
                        cudaStream_t stream) {
    constexpr size_t BLOCK = AddingKernel<F>::BLOCK;
    if (blocks == 0 || queries > INTERLOCK_SUM_QUERIES) return cudaErrorInvalidValue;
    size_t all = 0;
    for (unsigned q = 0; q < queries; q++) all += terms[q].n;
    if (all == 0) return cudaSuccess;
    const auto kernel = add_points<F, DIGITS>;
    size_t shared_bytes = 0;
    if (DIGITS) {
        if (cudaError_t error = make_room(&shared_bytes, kernel)) return error;
    }
    unsigned resident;
    if (cudaError_t error = filling(&resident, kernel, BLOCK, shared_bytes, ~size_t{0})) return error;
    Queries shared = {};
    unsigned launched = 0;
    for (unsigned q = 0; q < queries; q++) {
        shared.terms[q] = terms[q];
        shared.first[q] = launched;
        // Its share of what is resident, but no more than it has points and accumulators for.
        size_t own = size_t(double(resident) * double(terms[q].n) / double(all));
        const size_t most = blocks_of(terms[q].n, BLOCK);
        own = own == 0 ? 1 : own;
        own = own < most ? own : most;
        launched += static_cast<unsigned>(own < blocks ? own : blocks);
    }
    for (unsigned q = queries; q <= INTERLOCK_SUM_QUERIES; q++) shared.first[q] = launched;
    kernel<<<launched, BLOCK, shared_bytes, stream>>>(accumulators_of_all, accumulators<F>(blocks), shared);
    return cudaGetLastError();
}

template <class F>
cudaError_t sum(Stored<F> *accumulators, unsigned blocks, const interlock_sum_terms *terms, unsigned queries, cudaStream_t stream) {
    return in_fastest_form<F>([&](auto form) {
        return sum_in_form<F, SUMS_IN_DIGITS<F, decltype(form)::value>>(accumulators, blocks, terms, queries, stream);
    });
}

/// `interlock_total_*`.
template <class F>
cudaError_t total(void *scratch, Xyzz<F> *sums, const Stored<F> *accumulators_of_all, unsigned blocks, unsigned queries,
                  cudaStream_t stream) {
    if (blocks == 0 || queries == 0 || queries > INTERLOCK_SUM_QUERIES) return cudaErrorInvalidValue;
    constexpr unsigned BLOCK = SummingKernel<F>::BLOCK;
    const unsigned summing = summing_blocks(blocks);
    return in_fastest_form<F>([&](auto form) {
        constexpr bool DIGITS = SUMS_IN_DIGITS<F, decltype(form)::value>;
        const dim3 grid(summing, queries);
        sum_sums<F, DIGITS><<<grid, BLOCK, 0, stream>>>(static_cast<Xyzz<F> *>(scratch), accumulators_of_all, accumulators<F>(blocks));
        if (cudaError_t error = cudaGetLastError()) return error;
        sum_sums<F, false><<<dim3(1, queries), BLOCK, 0, stream>>>(sums, static_cast<const Stored<F> *>(scratch), summing);
        return cudaGetLastError();
    });
}

}  // namespace msm
}  // namespace interlock
