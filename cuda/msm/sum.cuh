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

/// Points that are added to an accumulator in a launch, at most: 3 to 4 ms of an H200, which kernels of other streams wait for.
template <class F, bool DIGITS>
constexpr size_t MOST_POINTS = std::is_same<F, Fp>::value ? 256 : 64 * LANES<F, DIGITS>;

/// Adds points of each query to its accumulators, of which it has `capacity`, as many of them as its blocks have threads, or pairs of threads
/// that share one: from each accumulator's point number `from` on.
template <class F, bool DIGITS>
__global__ void __launch_bounds__(AddingKernel<F>::BLOCK, (ACCUMULATING_BLOCKS<F, DIGITS>))
    add_points(Stored<F> *accumulators, size_t capacity, const __grid_constant__ Queries queries, size_t from) {
    if (!IS_COMPILED<DIGITS>) return;
    constexpr unsigned SHARING = LANES<F, DIGITS>, OF_BLOCK = AddingKernel<F>::BLOCK / SHARING;
    unsigned query = 0;
    while (blockIdx.x >= queries.first[query + 1]) query++;
    const interlock_sum_terms &terms = queries.terms[query];
    const unsigned first = queries.first[query], blocks = queries.first[query + 1] - first;
    const auto *points = static_cast<const Affine<F> *>(terms.points);
    const size_t stride = size_t{blocks} * OF_BLOCK;
    const size_t all = terms.count != nullptr ? min(terms.n, size_t{*terms.count}) : terms.n;
    const size_t end = min(all, (from + MOST_POINTS<F, DIGITS>) * stride);
    const size_t number_of_block = size_t{blockIdx.x - first} * OF_BLOCK, number = number_of_block + threadIdx.x / SHARING;
    // Threads of a warp that share sums add together, nothing at last.
    size_t i = from * stride + number, of_all = SHARING == 1 ? i : from * stride + number_of_block;
    if (of_all >= end) return;
    Stored<F> *own = accumulators + query * capacity + number;
    auto sum = running_sum<F, DIGITS>();
    typename decltype(sum)::Next next, point;
    sum.set(own);
    if (i < end) next.fetch(points + (terms.positions != nullptr ? terms.positions[i] : i));
#pragma unroll 1
    for (; of_all < end; of_all += stride) {
        point = next;
        if (SHARING > 1) next = {};
        i += stride;
        if (i < end) next.fetch(points + (terms.positions != nullptr ? terms.positions[i] : i));
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
    // Four accumulators a thread: half as long as what a block does then.
    return blocks < 4 ? 1 : blocks / 4;
}

/// `interlock_sum_*`.
template <class F, bool DIGITS>
cudaError_t sum_in_form(Stored<F> *accumulators_of_all, unsigned blocks, const interlock_sum_terms *terms, unsigned queries,
                        cudaStream_t stream) {
    constexpr size_t BLOCK = AddingKernel<F>::BLOCK, SHARING = LANES<F, DIGITS>;
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
    if (cudaError_t error = filling(&resident, kernel, BLOCK, shared_bytes)) return error;
    Queries shared = {};
    unsigned launched = 0;
    size_t longest = 0;
    for (unsigned q = 0; q < queries; q++) {
        shared.terms[q] = terms[q];
        shared.first[q] = launched;
        // Its share of what is resident, but no more than it has points and accumulators for.
        size_t own = size_t(double(resident) * double(terms[q].n) / double(all));
        const size_t most = blocks_of(SHARING * terms[q].n, BLOCK);
        own = own == 0 ? 1 : own;
        own = own < most ? own : most;
        own = own < SHARING * blocks ? own : SHARING * blocks;
        launched += static_cast<unsigned>(own);
        const size_t points = own == 0 ? 0 : blocks_of(SHARING * terms[q].n, own * BLOCK);
        longest = longest < points ? points : longest;
    }
    for (unsigned q = queries; q <= INTERLOCK_SUM_QUERIES; q++) shared.first[q] = launched;
    for (size_t from = 0; from < longest; from += MOST_POINTS<F, DIGITS>) {
        kernel<<<launched, BLOCK, shared_bytes, stream>>>(accumulators_of_all, accumulators<F>(blocks), shared, from);
        if (cudaError_t error = cudaGetLastError()) return error;
    }
    return cudaSuccess;
}

template <class F>
cudaError_t sum(Stored<F> *accumulators, unsigned blocks, const interlock_sum_terms *terms, unsigned queries, cudaStream_t stream) {
    return in_fastest_form<F>([&](auto form) {
        return sum_in_form<F, decltype(form)::value>(accumulators, blocks, terms, queries, stream);
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
        const dim3 grid(summing, queries);
        sum_sums<F, decltype(form)::value><<<grid, BLOCK, 0, stream>>>(static_cast<Xyzz<F> *>(scratch), accumulators_of_all, accumulators<F>(blocks));
        if (cudaError_t error = cudaGetLastError()) return error;
        sum_sums<F, false><<<dim3(1, queries), BLOCK, 0, stream>>>(sums, static_cast<const Stored<F> *>(scratch), summing);
        return cudaGetLastError();
    });
}

}  // namespace msm
}  // namespace interlock
