// Partial sums to buckets: equal shares a block, as in accumulation, until one block has them all.
#pragma once

#include "msm/accumulate.cuh"

namespace interlock {
namespace msm {

/// Adds up neighbours of one bucket. Buckets that lie inside a block's share are written; its first and last go to `out`, two a
/// block, but are written too if the block is the only one.
///
/// A thread's sum grows by those 1, 2, 4 … places before it, while they are of its bucket; the last thread of each bucket has all.
template <class F, bool DIGITS>
__global__ void __launch_bounds__(MERGE_BLOCK<F>) merge(Stored<F> *buckets, Partials<F> out, Partials<F> in, unsigned n) {
    if (!IS_COMPILED<DIGITS>) return;
    __shared__ uint32_t keys[MERGE_BLOCK<F>];
    __shared__ Xyzz<F> sums[MERGE_BLOCK<F>];
    const unsigned thread = threadIdx.x, i = blockIdx.x * MERGE_BLOCK<F> + thread;
    const uint32_t bucket = i < n ? in.buckets[i] : NO_BUCKET;
    keys[thread] = bucket;
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
