// A block's shared memory, as rooms for the sums of ec/xyzz39_pairs.cuh: what neighbouring threads have of it is a pair's.
#pragma once

#include "ec/xyzz39_pairs.cuh"
#include "msm/room39.cuh"

namespace interlock {
namespace msm {

constexpr unsigned ALL_LANES = ~0u;

/// This thread's in its pair.
__device__ __forceinline__ int own_lane() { return static_cast<int>(threadIdx.x % 2); }

/// Where a pair of threads of a block of BLOCK threads has an element of Fp2: by the address of its c0, beside which is its c1.
template <int BLOCK>
struct PairPlace {
    using D = d39::Digit;
    using Part = SharedPlace<BLOCK>;

    uint32_t address;

    __device__ __forceinline__ static PairPlace none() { return {Part::none().address}; }
    __device__ __forceinline__ bool exists() const { return Part{address}.exists(); }
    __device__ __forceinline__ Part of(int lane) const { return {address + lane * static_cast<uint32_t>(sizeof(double2))}; }

    template <class Make>
    __device__ __forceinline__ void make(const Make &make_part) const {
        const d39::Fp39 own = make_part(own_lane());
        __syncwarp();
        of(own_lane()).put(own);
        __syncwarp();
    }
};

/// What a pair has of it. The threads of a warp go together.
template <int BLOCK>
struct PairRoom {
    using Place = PairPlace<BLOCK>;

    SharedRoom<BLOCK> of_first;

    __device__ __forceinline__ static PairRoom own() { return {SharedRoom<BLOCK>::of(threadIdx.x & ~1u)}; }
    __device__ __forceinline__ Place operator[](int slot) const { return {of_first[slot].address}; }

    template <class Thing>
    __device__ __forceinline__ static void each(const Thing &thing) {
        thing(own_lane());
    }
    template <class Condition>
    __device__ __forceinline__ static bool all(const Condition &condition) {
        const bool own = condition(own_lane());
        return __shfl_xor_sync(ALL_LANES, own, 1) && own;
    }
    __device__ __forceinline__ static bool any(bool condition) { return __any_sync(ALL_LANES, condition); }
};

}  // namespace msm
}  // namespace interlock
