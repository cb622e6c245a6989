// A block's shared memory, as rooms for the sums of ec/xyzz39.cuh.
#pragma once

#include "ec/xyzz39.cuh"

namespace interlock {
namespace msm {

extern __shared__ double2 rooms[];

/// Where a thread of a block of BLOCK threads has an element, by its address in shared memory. Threads' pairs of digits stand side by side, so
/// that no two of a warp are in one bank.
template <int BLOCK>
struct SharedPlace {
    using D = d39::Digit;
    static constexpr int PAIRS = d39::DIGITS / 2;

    uint32_t address;

    /// An address that is in no room.
    __device__ __forceinline__ static SharedPlace none() { return {~0u}; }
    __device__ __forceinline__ bool exists() const { return address != ~0u; }

    __device__ __forceinline__ double2 *pair(int i) const {
        return static_cast<double2 *>(__cvta_shared_to_generic(address)) + i * BLOCK;
    }
    __device__ __forceinline__ uint32_t low() const { return d39::low_word(pair(0)->x); }
    __device__ __forceinline__ d39::Fp39 get() const {
        d39::Fp39 value;
#pragma unroll
        for (int i = 0; i < PAIRS; i++) {
            const double2 two = *pair(i);
            value.digit[2 * i] = two.x;
            value.digit[2 * i + 1] = two.y;
        }
        return value;
    }
    __device__ __forceinline__ void put(const d39::Fp39 &value) const {
#pragma unroll
        for (int i = 0; i < PAIRS; i++) *pair(i) = make_double2(value.digit[2 * i], value.digit[2 * i + 1]);
    }
};

/// What a thread has of it.
template <int BLOCK>
struct SharedRoom {
    using Place = SharedPlace<BLOCK>;
    /// Of a block: 560 bytes a thread.
    static constexpr size_t BYTES = d39::SLOTS * sizeof(d39::Fp39) * BLOCK;

    uint32_t first;

    __device__ __forceinline__ static SharedRoom own() { return of(threadIdx.x); }
    __device__ __forceinline__ static SharedRoom of(unsigned thread) {
        uint32_t first = static_cast<uint32_t>(__cvta_generic_to_shared(rooms + thread));
        // Kept, rather than made anew for each call.
        asm volatile("" : "+r"(first));
        return {first};
    }
    __device__ __forceinline__ Place operator[](int slot) const {
        return {first + slot * static_cast<uint32_t>(sizeof(d39::Fp39) * BLOCK)};
    }
};

}  // namespace msm
}  // namespace interlock
