// From sorted entries to the sums of buckets.
//
// The entries are shared out to threads in equal chunks, wherever buckets begin and end, so that a thread's work does not
// depend on the scalars. A bucket whose entries lie inside a chunk is written by its thread. The first and the last of a chunk may
// go on in other chunks: they are partial sums, two a thread in the order of the entries, which `merge` adds up.
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

/// Makes sums infinity.
template <class F>
__global__ void clear_sums(Xyzz<F> *sums, size_t n) {
    const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < n) sums[i].zz = F::zero();
}

template <class F>
__global__ void __launch_bounds__(AddingKernel<F>::BLOCK, AddingKernel<F>::BLOCKS)
    accumulate(Xyzz<F> *buckets, Partials<F> partials, const Affine<F> *points, const uint32_t *keys, const uint32_t *values,
               const uint32_t *count) {
    const uint32_t threads = gridDim.x * AddingKernel<F>::BLOCK, thread = blockIdx.x * AddingKernel<F>::BLOCK + threadIdx.x;
    const size_t entries = *count;
    const size_t chunk = (entries + threads - 1) / threads;
    size_t i = thread * chunk;
    const size_t end = min(i + chunk, entries);
    partials.buckets += 2 * thread;
    partials.sums += 2 * thread;
    if (i >= end) {
        partials.buckets[0] = partials.buckets[1] = NO_BUCKET;
        return;
    }

    uint32_t bucket = keys[i], value = values[i];
    Affine<F> next = load(points + (value & ~NEGATIVE));
    Xyzz<F> sum = Xyzz<F>::infinity();
    bool is_first = true;
    while (true) {
        const Affine<F> point = negated_if(next, (value & NEGATIVE) != 0);
        const bool more = ++i < end;
        uint32_t next_bucket = NO_BUCKET;
        if (more) {
            next_bucket = keys[i];
            value = values[i];
            next = load(points + (value & ~NEGATIVE));
        }
        sum = sum + point;
        if (next_bucket == bucket) continue;
        if (is_first || !more) {
            partials.buckets[!is_first] = bucket;
            partials.sums[!is_first] = sum;
        } else {
            buckets[bucket] = sum;
        }
        sum = Xyzz<F>::infinity();
        if (!more) break;
        is_first = false;
        bucket = next_bucket;
    }
    if (is_first) {
        partials.buckets[1] = bucket;
        partials.sums[1] = sum;
    }
}

}  // namespace msm
}  // namespace interlock
