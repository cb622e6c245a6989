// Sums between kernels: of buckets, and of parts of them. The code for fast FP64 has G1's in digits of 39 bits, in which it makes most of
// them, and any other in XYZZ coordinates. They take as many bytes either way, and infinity is all zeros.
#pragma once

#include <type_traits>

#include "ec/xyzz39.cuh"
#include "msm/point_ops.cuh"
#include "msm/tuning.cuh"

namespace interlock {
namespace msm {

/// Whether the code for an architecture adds up points over F in digits of 39 bits.
template <class F>
INTERLOCK_HD constexpr bool by_digits(int arch) {
    return std::is_same<F, Fp>::value && has_fast_fp64(arch);
}

/// Such a sum, by its bytes.
template <class F>
struct Stored {
    uint4 units[sizeof(Xyzz<F>) / sizeof(uint4)];
};
static_assert(sizeof(Stored<Fp>) == sizeof(d39::PackedSum), "the same buffers");

#ifdef __CUDACC__
/// Called: the conversions are long.
template <class F>
__device__ __noinline__ void take_digits(Xyzz<F> *sum, const Stored<F> *stored) {
    *sum = d39::to_xyzz(load(reinterpret_cast<const d39::PackedSum *>(stored)));
}
template <class F>
__device__ __noinline__ void store_digits(Stored<F> *stored, const Xyzz<F> *sum) {
    *reinterpret_cast<d39::PackedSum *>(stored) = d39::from_xyzz(*sum);
}

/// *sum = what is stored, which this kernel does not write.
template <class F>
__device__ __forceinline__ void take(Xyzz<F> *sum, const Stored<F> *stored) {
    if constexpr (by_digits<F>(ARCH)) {
        take_digits(sum, stored);
    } else {
        *sum = *reinterpret_cast<const Xyzz<F> *>(stored);
    }
}

template <class F>
__device__ __forceinline__ void store(Stored<F> *stored, const Xyzz<F> *sum) {
    if constexpr (by_digits<F>(ARCH)) {
        store_digits(stored, sum);
    } else {
        *reinterpret_cast<Xyzz<F> *>(stored) = *sum;
    }
}

/// *sum += what is stored.
template <class F>
__device__ __forceinline__ void add_stored(Xyzz<F> *sum, const Stored<F> *stored) {
    if constexpr (by_digits<F>(ARCH)) {
        Xyzz<F> term;
        take(&term, stored);
        add_to(sum, &term);
    } else {
        add_to(sum, reinterpret_cast<const Xyzz<F> *>(stored));
    }
}
#endif

}  // namespace msm
}  // namespace interlock
