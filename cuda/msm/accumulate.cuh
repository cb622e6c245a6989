// From sorted entries to the sums of buckets.
//
// The entries are shared out to threads in equal chunks, wherever buckets begin and end, so that a thread's work does not
// depend on the scalars. A bucket whose entries lie inside a chunk is written by its thread. The first and the last of a chunk may
// go on in other chunks: they are partial sums, two a thread in the order of the entries, which `merge` adds up.
//
// Or entries are added to what buckets hold before: then the thread in whose chunk a bucket's entries begin starts from that, which takes more
// registers.
#pragma once

#include "msm/point_ops.cuh"
#include "msm/tuning.cuh"
#include "msm/entries.cuh"

namespace interlock {
namespace msm {

/// No bucket's number.
constexpr uint32_t NO_BUCKET = ~0u;

/// Partial sums, those of a bucket side by side; those of NO_BUCKET, whose sums are not set, come last.
template <class F>
struct Partials {
    uint32_t *buckets;
    Xyzz<F> *sums;
};

template <class F, bool ADDS>
__global__ void __launch_bounds__(AddingKernel<F>::BLOCK, AddingKernel<F>::BLOCKS)
    accumulate(Xyzz<F> *buckets, Partials<F> partials, const Affine<F> *points, const uint32_t *keys, const uint32_t *values,
               const uint32_t *count) {
    const uint32_t threads = gridDim.x * AddingKernel<F>::BLOCK, thread = blockIdx.x * AddingKernel<F>::BLOCK + threadIdx.x;
    const uint32_t entries = *count, chunk = entries / threads + (entries % threads != 0);
    const auto begin = static_cast<uint32_t>(min(size_t{thread} * chunk, size_t{entries}));
    const uint32_t own = min(chunk, entries - begin);
    partials.buckets += 2 * thread;
    partials.sums += 2 * thread;
    keys += begin;
    values += begin;

    uint32_t bucket = NO_BUCKET, value = 0;
    Affine<F> next;
    Xyzz<F> sum = Xyzz<F>::infinity();
    if (own > 0) {
        bucket = keys[0];
        value = values[0];
        next = load(points + (value & ~NEGATIVE));
        if (ADDS && (begin == 0 || keys[-1] != bucket)) sum = read(buckets + bucket);
    }
    unsigned finished = 0;
#pragma unroll 1
    for (uint32_t i = 1; i <= chunk; i++) {
        // Threads whose bucket ends must not wait for those whose bucket goes on, as they would for a loop inside this one.
        __syncwarp();
        if (i > own) continue;
        const Affine<F> point = negated_if(next, (value & NEGATIVE) != 0);
        uint32_t next_bucket = NO_BUCKET;
        if (i < own) {
            next_bucket = keys[i];
            value = values[i];
            next = load(points + (value & ~NEGATIVE));
        }
        sum = sum + point;
        if (next_bucket == bucket) continue;
        if (finished > 0 && i < own) {
            buckets[bucket] = sum;
        } else {
            partials.buckets[finished > 0] = bucket;
            partials.sums[finished > 0] = sum;
        }
        sum = Xyzz<F>::infinity();
        finished++;
        if (i == own) continue;
        bucket = next_bucket;
        if (ADDS) sum = read(buckets + bucket);
    }
    if (finished < 2) {
        partials.buckets[1] = bucket;
        partials.sums[1] = sum;
    }
    if (own == 0) partials.buckets[0] = NO_BUCKET;
}

}  // namespace msm
}  // namespace interlock
