// A block's shared memory, as rooms for the sums of ec/xyzz39.cuh.
#pragma once

#include "ec/xyzz39.cuh"

namespace interlock {
namespace msm {

extern __shared__ double2 rooms[];

/// What a thread of a block of BLOCK threads has of it. Threads' pairs of digits stand side by side, so that no two of a warp are in one bank.
template <int BLOCK>
struct SharedRoom {
    using D = d39::Digit;
    /// Of a block: 560 bytes a thread.
    static constexpr size_t BYTES = d39::SLOTS * sizeof(d39::Fp39) * BLOCK;
    static constexpr int PAIRS = d39::DIGITS / 2;

    unsigned thread;

    __device__ __forceinline__ d39::Fp39 get(int slot) const {
        d39::Fp39 value;
#pragma unroll
        for (int i = 0; i < PAIRS; i++) {
            const double2 pair = rooms[(slot * PAIRS + i) * BLOCK + thread];
            value.digit[2 * i] = pair.x;
            value.digit[2 * i + 1] = pair.y;
        }
        return value;
    }

    __device__ __forceinline__ void put(int slot, const d39::Fp39 &value) const {
#pragma unroll
        for (int i = 0; i < PAIRS; i++) {
            rooms[(slot * PAIRS + i) * BLOCK + thread] = make_double2(value.digit[2 * i], value.digit[2 * i + 1]);
        }
    }
};

}  // namespace msm
}  // namespace interlock
