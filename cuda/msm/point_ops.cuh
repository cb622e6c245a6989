// How the kernels read and add points.
#pragma once

#include "ec/xyzz.cuh"

namespace interlock {
namespace msm {

/// The value at `from`, in units of 16 bytes that `unit_at` loads.
template <class T, class UnitAt>
__device__ __forceinline__ T in_units(const T *from, UnitAt unit_at) {
    static_assert(sizeof(T) % sizeof(uint4) == 0 && alignof(T) % alignof(uint4) == 0, "whole loads");
    T value;
#pragma unroll
    for (size_t i = 0; i < sizeof(T) / sizeof(uint4); i++) {
        reinterpret_cast<uint4 *>(&value)[i] = unit_at(reinterpret_cast<const uint4 *>(from) + i);
    }
    return value;
}

/// The value at `from`, through the read-only cache.
template <class T>
__device__ __forceinline__ T load(const T *from) {
    return in_units(from, [](const uint4 *unit) { return __ldg(unit); });
}

/// The same where the kernel itself writes.
template <class T>
__device__ __forceinline__ T read(const T *from) {
    return in_units(from, [](const uint4 *unit) { return *unit; });
}

/// The point, or its negative.
template <class F>
__device__ __forceinline__ Affine<F> negated_if(const Affine<F> &p, bool negative) {
    const F y = -p.y;
    return {p.x, negative ? y : p.y};
}

/// *sum += *term. One copy for all callers: the code of an addition is larger than an instruction cache takes several of.
template <class F>
__device__ __noinline__ void add_to(Xyzz<F> *sum, const Xyzz<F> *term) {
    *sum = *sum + *term;
}

/// The sum of the values of a block's threads, right in thread 0. `room` is shared, for half a block.
template <class F, int BLOCK>
__device__ __forceinline__ void sum_of_block(Xyzz<F> *value, Xyzz<F> *room) {
#pragma unroll 1
    for (unsigned half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x >= half && threadIdx.x < 2 * half) room[threadIdx.x - half] = *value;
        __syncthreads();
        if (threadIdx.x < half) add_to(value, &room[threadIdx.x]);
        __syncthreads();
    }
}

}  // namespace msm
}  // namespace interlock
