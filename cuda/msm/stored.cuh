// Sums between kernels: of buckets, and of parts of them. Kernels for fast FP64 have them in digits of 39 bits, in which they make most of
// them, and any other in XYZZ coordinates. They take as many bytes either way, and infinity is all zeros.
#pragma once

#include <type_traits>

#include "ec/xyzz39_pairs.cuh"
#include "msm/point_ops.cuh"
#include "msm/tuning.cuh"

namespace interlock {
namespace msm {

/// Such a sum, by its bytes.
template <class F>
struct Stored {
    uint4 units[sizeof(Xyzz<F>) / sizeof(uint4)];
};
/// What it is in digits.
template <class F>
using Packed = std::conditional_t<std::is_same<F, Fp>::value, d39::PackedSum, d39::PackedPair>;
static_assert(sizeof(Stored<Fp>) == sizeof(Packed<Fp>) && sizeof(Stored<Fp2>) == sizeof(Packed<Fp2>), "the same buffers");

#ifdef __CUDACC__
/// Whether a kernel is compiled: those with digits have no code for other architectures, where they are never launched.
template <bool DIGITS>
constexpr bool IS_COMPILED = !DIGITS || has_digits(ARCH);

/// Called: the conversions are long.
template <class F>
__device__ __noinline__ void take_digits(Xyzz<F> *sum, const Stored<F> *stored) {
    *sum = d39::to_xyzz(read(reinterpret_cast<const Packed<F> *>(stored)));
}
template <class F>
__device__ __noinline__ void store_digits(Stored<F> *stored, const Xyzz<F> *sum) {
    *reinterpret_cast<Packed<F> *>(stored) = d39::from_xyzz(*sum);
}

/// *sum = what is stored.
template <bool DIGITS, class F>
__device__ __forceinline__ void take(Xyzz<F> *sum, const Stored<F> *stored) {
    if constexpr (DIGITS) {
        take_digits(sum, stored);
    } else {
        *sum = *reinterpret_cast<const Xyzz<F> *>(stored);
    }
}

template <bool DIGITS, class F>
__device__ __forceinline__ void store(Stored<F> *stored, const Xyzz<F> *sum) {
    if constexpr (DIGITS) {
        store_digits(stored, sum);
    } else {
        *reinterpret_cast<Xyzz<F> *>(stored) = *sum;
    }
}

/// *sum += what is stored.
template <bool DIGITS, class F>
__device__ __forceinline__ void add_stored(Xyzz<F> *sum, const Stored<F> *stored) {
    if constexpr (DIGITS) {
        Xyzz<F> term;
        take_digits(&term, stored);
        add_to(sum, &term);
    } else {
        add_to(sum, reinterpret_cast<const Xyzz<F> *>(stored));
    }
}
#endif

}  // namespace msm
}  // namespace interlock
