// The sum that a thread adds other sums to: by carry chains, or in shared memory by digits of 39 bits.
#pragma once

#include "msm/running.cuh"

namespace interlock {
namespace msm {

#ifdef __CUDACC__
/// By carry chains.
template <class F, bool DIGITS>
struct CalledSum {
    /// What a thread keeps of a sum while it works on another.
    using Kept = Xyzz<F>;

    Xyzz<F> sum;

    __device__ __forceinline__ void clear() { sum = Xyzz<F>::infinity(); }
    __device__ __forceinline__ void set(const Stored<F> *from) { take<DIGITS>(&sum, from); }
    __device__ __forceinline__ void set(const Kept *from) { sum = *from; }
    __device__ __forceinline__ void add(const Stored<F> *other) { add_stored<DIGITS>(&sum, other); }
    __device__ __forceinline__ void add(const Kept *other) { add_to(&sum, other); }
    __device__ __forceinline__ void store(Stored<F> *to) const { msm::store<DIGITS>(to, &sum); }
    __device__ __forceinline__ void store(Kept *to) const { *to = sum; }
};

struct SharedSumOfSums : SharedSum {
    using Kept = Stored<Fp>;
};

/// This thread's, which is not set.
template <class F, bool DIGITS>
__device__ __forceinline__ auto sum_of_sums() {
    if constexpr (SUMS_IN_DIGITS<F, DIGITS>) {
        return SharedSumOfSums{{{Room::own()}}};
    } else {
        return CalledSum<F, DIGITS>{};
    }
}
#endif

}  // namespace msm
}  // namespace interlock
