// Partial sums to buckets. Where scalars are random a bucket goes on in the next chunk at most, and has two; others are left to equal shares a
// block, as in accumulation, until one block has them all.
#pragma once

#include "msm/accumulate.cuh"
#include "msm/adding.cuh"

namespace interlock {
namespace msm {

/// Whether partial sum `i` of `n`, two a chunk, is of a bucket that has no other, or one other from the chunk beside it: `join` writes that bucket.
__device__ inline bool is_joined(const uint32_t *buckets, unsigned i, unsigned n) {
    const auto at = [&](unsigned i) { return i < n ? buckets[i] : NO_BUCKET; };  // numbers below 0 are large
    const uint32_t bucket = buckets[i];
    // The last of a chunk has the chunk's first on one side and that of the next chunk on the other; for a first it is the other way round.
    const unsigned onward = i % 2 == 1 ? 1 : ~0u;
    const bool goes_on = at(i + onward) == bucket;
    return bucket != NO_BUCKET && at(i - onward) != bucket && !(goes_on && at(i + 2 * onward) == bucket);
}

/// Writes the buckets that have one or two partial sums. A thread for each chunk, which takes the chunk's first and the last of the one before.
template <class F, bool DIGITS>
__global__ void __launch_bounds__(SummingKernel<F>::BLOCK, (SUMMING_BLOCKS<F, DIGITS>))
    join(Stored<F> *buckets, Partials<F> partials, unsigned n) {
    if (!IS_COMPILED<DIGITS>) return;
    const unsigned first = 2 * (blockIdx.x * SummingKernel<F>::BLOCK + threadIdx.x), last = first - 1;
    if (first >= n) return;
    const auto write = [&](unsigned i) {
        if (is_joined(partials.buckets, i, n)) buckets[partials.buckets[i]] = partials.sums[i];
    };
    if (first + 2 == n) write(n - 1);
    if (first == 0) return write(first);
    if (partials.buckets[first] != partials.buckets[last]) {
        write(first);
        write(last);
    } else if (is_joined(partials.buckets, first, n)) {
        auto sum = sum_of_sums<F, DIGITS>();
        sum.set(partials.sums + last);
        sum.add(partials.sums + first);
        sum.store(buckets + partials.buckets[first]);
    }
}

/// Adds up neighbours of one bucket. Buckets that lie inside a block's share are written; its first and last go to `out`, two a
/// block, but are written too if the block is the only one. Those that were joined do not count, if any were.
///
/// A thread's sum grows by those 1, 2, 4 … places before it, while they are of its bucket; the last thread of each bucket has all.
template <class F, bool DIGITS>
__global__ void __launch_bounds__(MERGE_BLOCK<F>) merge(Stored<F> *buckets, Partials<F> out, Partials<F> in, unsigned n, bool were_joined) {
    if (!IS_COMPILED<DIGITS>) return;
    __shared__ uint32_t keys[MERGE_BLOCK<F>];
    __shared__ Xyzz<F> sums[MERGE_BLOCK<F>];
    const unsigned thread = threadIdx.x, i = blockIdx.x * MERGE_BLOCK<F> + thread;
    const uint32_t bucket = i < n && !(were_joined && is_joined(in.buckets, i, n)) ? in.buckets[i] : NO_BUCKET;
    keys[thread] = bucket;
    if (!__syncthreads_or(bucket != NO_BUCKET)) {
        if (thread < 2 && gridDim.x > 1) out.buckets[2 * blockIdx.x + thread] = NO_BUCKET;
        return;
    }
    if (bucket != NO_BUCKET) take<DIGITS>(&sums[thread], &in.sums[i]);
    __syncthreads();

#pragma unroll 1
    for (unsigned distance = 1; distance < MERGE_BLOCK<F>; distance *= 2) {
        const bool joins = bucket != NO_BUCKET && thread >= distance && keys[thread - distance] == bucket;
        // Where no thread has its bucket at this distance, none has it further away.
        if (!__syncthreads_or(joins)) break;
        Xyzz<F> sum;
        if (joins) {
            sum = sums[thread - distance];
            add_to(&sum, &sums[thread]);
        }
        __syncthreads();
        if (joins) sums[thread] = sum;
    }
    __syncthreads();

    const uint32_t first = keys[0], last = keys[MERGE_BLOCK<F> - 1];
    if (gridDim.x > 1 && thread == 0) {
        out.buckets[2 * blockIdx.x] = first;
        out.buckets[2 * blockIdx.x + 1] = last;
        if (first == last) out.sums[2 * blockIdx.x + 1] = {};
    }
    if (bucket == NO_BUCKET || (thread + 1 < MERGE_BLOCK<F> && keys[thread + 1] == bucket)) return;
    const bool goes_on = gridDim.x > 1 && (bucket == first || bucket == last);
    store<DIGITS>(goes_on ? out.sums + 2 * blockIdx.x + (bucket != first) : buckets + bucket, &sums[thread]);
}

}  // namespace msm
}  // namespace interlock
