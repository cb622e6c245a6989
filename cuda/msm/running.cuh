// The sum that a thread adds points to: in registers by carry chains, or in shared memory by digits of 39 bits, where pairs of threads
// share those of G2.
#pragma once

#include "launch/shared_memory.cuh"
#include "msm/room39_pairs.cuh"
#include "msm/stored.cuh"

namespace interlock {
namespace msm {

/// The point that comes next, read already.
template <class F>
struct HeldPoint {
    Affine<F> point;

    __device__ __forceinline__ void fetch(const Affine<F> *from) { point = load(from); }
    __device__ __forceinline__ Affine<F> take() const { return point; }
};

/// The same for those who need the registers: it is read when it is taken.
template <class F>
struct AwaitedPoint {
    const Affine<F> *point;

    __device__ __forceinline__ void fetch(const Affine<F> *from) {
        point = from;
        asm volatile("prefetch.global.L1 [%0];" ::"l"(from));
    }
    __device__ __forceinline__ Affine<F> take() const { return load(point); }
};

/// A lane's components of the same, or infinity's.
struct AwaitedPart {
    const Affine<Fp2> *point = nullptr;

    __device__ __forceinline__ void fetch(const Affine<Fp2> *from) {
        point = from;
        asm volatile("prefetch.global.L1 [%0];" ::"l"(x()));
        asm volatile("prefetch.global.L1 [%0];" ::"l"(y()));
    }
    __device__ __forceinline__ Affine<Fp> take() const {
        if (point == nullptr) return Affine<Fp>::infinity();
        return {load(x()), load(y())};
    }

   private:
    __device__ __forceinline__ const Fp *x() const { return own_lane() == 0 ? &point->x.c0 : &point->x.c1; }
    __device__ __forceinline__ const Fp *y() const { return own_lane() == 0 ? &point->y.c0 : &point->y.c1; }
};

template <class F>
struct RegisterSum {
    using Next = HeldPoint<F>;

    Xyzz<F> sum;

    __device__ __forceinline__ void clear() { sum = Xyzz<F>::infinity(); }
    __device__ __forceinline__ void set(const Stored<F> *from) { sum = read(reinterpret_cast<const Xyzz<F> *>(from)); }
    __device__ __forceinline__ void add(const Affine<F> &point, bool negative) { sum = sum + negated_if(point, negative); }
    __device__ __forceinline__ void store(Stored<F> *to) const { *reinterpret_cast<Xyzz<F> *>(to) = sum; }
};

using Room = SharedRoom<AddingKernel<Fp>::BLOCK>;

struct SharedSum : d39::Sum<Room> {
    using Next = AwaitedPoint<Fp>;
    using d39::Sum<Room>::add;

    __device__ __forceinline__ void set(const Stored<Fp> *from) {
        d39::Sum<Room>::set(read(reinterpret_cast<const d39::PackedSum *>(from)));
    }
    /// Adds another sum. Its coordinates are read when they are needed.
    __device__ __forceinline__ void add(const Stored<Fp> *other) {
        add(*reinterpret_cast<const d39::PackedSum *>(other), [](const d39::Packed &coordinate) { return unpack(read(&coordinate)); });
    }
    __device__ __forceinline__ void store(Stored<Fp> *to) const { *reinterpret_cast<d39::PackedSum *>(to) = get(); }
};

using RoomOfPairs = PairRoom<AddingKernel<Fp2>::BLOCK>;
static_assert(AddingKernel<Fp2>::BLOCK == AddingKernel<Fp>::BLOCK, "rooms as large for either group");

struct SharedPairSum : d39::PairSum<RoomOfPairs> {
    using Next = AwaitedPart;

    __device__ __forceinline__ void set(const Stored<Fp2> *from) {
        d39::PairSum<RoomOfPairs>::set([&](int lane) { return read(reinterpret_cast<const d39::PackedPair *>(from)->part + lane); });
    }
    __device__ __forceinline__ void add(const Affine<Fp> &part, bool negative) {
        d39::PairSum<RoomOfPairs>::add([&](int) { return part; }, negative);
    }
    __device__ __forceinline__ void store(Stored<Fp2> *to) const {
        reinterpret_cast<d39::PackedPair *>(to)->part[own_lane()] = get(own_lane());
    }
};

/// Threads that share a sum.
template <class F, bool DIGITS>
constexpr unsigned LANES = DIGITS && std::is_same<F, Fp2>::value ? 2 : 1;

#ifdef __CUDACC__
/// This thread's, or its pair's, which is not set.
template <class F, bool DIGITS>
__device__ __forceinline__ auto running_sum() {
    if constexpr (LANES<F, DIGITS> == 2) {
        return SharedPairSum{{RoomOfPairs::own()}};
    } else if constexpr (DIGITS) {
        return SharedSum{{Room::own()}};
    } else {
        return RegisterSum<F>{};
    }
}
#endif

/// The bytes of shared memory that a block needs for its sums in digits, after `kernel` was made to allow them on the current device.
template <class Kernel>
cudaError_t make_room(size_t *bytes, Kernel kernel) {
    *bytes = Room::BYTES;
    return allow_shared_memory(kernel, Room::BYTES);
}

/// Whether the current device adds faster in digits, by a kernel that does: its code has to have them, and FP64 has to be at half of FP32's rate,
/// where it is at full rate.
template <class Kernel>
cudaError_t are_digits_faster(bool *faster, Kernel kernel) {
    *faster = false;
    cudaFuncAttributes attributes;
    if (cudaError_t error = cudaFuncGetAttributes(&attributes, kernel)) return error;
    if (!has_digits(10 * attributes.ptxVersion)) return cudaSuccess;
    int device, ratio;
    if (cudaError_t error = cudaGetDevice(&device)) return error;
    if (cudaError_t error = cudaDeviceGetAttribute(&ratio, cudaDevAttrSingleToDoublePrecisionPerfRatio, device)) return error;
    *faster = ratio <= 2;
    return cudaSuccess;
}

}  // namespace msm
}  // namespace interlock
