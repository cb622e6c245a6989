// From sorted entries to the sums of buckets.
//
// The entries are shared out to threads in equal chunks, wherever buckets begin and end, so that a thread's work does not
// depend on the scalars. A bucket whose entries lie inside a chunk is written by its thread. The first and the last of a chunk may
// go on in other chunks: they are partial sums, two a thread in the order of the entries, which `join` and `merge` add up.
//
// Or entries are added to what buckets hold before: then the thread in whose chunk a bucket's entries begin starts from that, which takes more
// registers.
#pragma once

#include "msm/entries.cuh"
#include "msm/running.cuh"

namespace interlock {
namespace msm {

/// No bucket's number.
constexpr uint32_t NO_BUCKET = ~0u;

/// Which blocks of threads of all that share out entries those of a launch are.
struct Blocks {
    unsigned first, all;
};

/// Partial sums, those of a bucket side by side. Those of NO_BUCKET are not set.
template <class F>
struct Partials {
    uint32_t *buckets;
    Stored<F> *sums;
};

template <class F, bool ADDS, bool DIGITS>
__global__ void __launch_bounds__(AddingKernel<F>::BLOCK, (ACCUMULATING_BLOCKS<F, DIGITS>))
    accumulate(Stored<F> *buckets, Partials<F> partials, const Affine<F> *points, const uint32_t *keys, const uint32_t *values,
               const uint32_t *count, Blocks blocks) {
    if (!IS_COMPILED<DIGITS>) return;
    // Threads that share a sum are one here.
    constexpr unsigned SHARING = LANES<F, DIGITS>;
    const uint32_t threads = blocks.all * AddingKernel<F>::BLOCK / SHARING;
    const uint32_t thread = ((blocks.first + blockIdx.x) * AddingKernel<F>::BLOCK + threadIdx.x) / SHARING;
    const uint32_t entries = *count, chunk = entries / threads + (entries % threads != 0);
    const auto begin = static_cast<uint32_t>(min(size_t{thread} * chunk, size_t{entries}));
    const uint32_t own = min(chunk, entries - begin);
    partials.buckets += 2 * thread;
    partials.sums += 2 * thread;
    keys += begin;
    values += begin;

    uint32_t bucket = NO_BUCKET, value = 0;
    auto sum = running_sum<F, DIGITS>();
    typename decltype(sum)::Next next, point;
    sum.clear();
    if (own > 0) {
        bucket = keys[0];
        value = values[0];
        next.fetch(points + (value & ~NEGATIVE));
        if (ADDS && (begin == 0 || keys[-1] != bucket)) sum.set(buckets + bucket);
    }
    unsigned finished = 0;
#pragma unroll 1
    for (uint32_t i = 1; i <= chunk; i++) {
        // Threads whose bucket ends must not wait for those whose bucket goes on, as they would for a loop inside this one.
        __syncwarp();
        // But those of a warp that share sums add together, nothing at last.
        if (SHARING == 1 && i > own) continue;
        point = next;
        if (SHARING > 1) next = {};
        const bool negative = (value & NEGATIVE) != 0;
        uint32_t next_bucket = NO_BUCKET;
        if (i < own) {
            next_bucket = keys[i];
            value = values[i];
            next.fetch(points + (value & ~NEGATIVE));
        }
        sum.add(point.take(), negative);
        if (i > own || next_bucket == bucket) continue;
        Stored<F> *to = buckets + bucket;
        if (finished == 0 || i == own) {
            partials.buckets[finished > 0] = bucket;
            to = partials.sums + (finished > 0);
        }
        sum.store(to);
        finished++;
        if (i == own) continue;
        bucket = next_bucket;
        if (ADDS) {
            sum.set(buckets + bucket);
        } else {
            sum.clear();
        }
    }
    if (finished < 2) {
        partials.buckets[1] = bucket;
        partials.sums[1] = {};
    }
    if (own == 0) partials.buckets[0] = NO_BUCKET;
}

}  // namespace msm
}  // namespace interlock
