// How many operations a second: each thread does a long chain of dependent ones on values in registers.
#include <cuda_runtime.h>

#include "ff/multiplier.cuh"
#include "msm/running.cuh"

using namespace interlock;

namespace {

constexpr unsigned BLOCK = 128;

/// x ← y·x, with y's quotient beside it: `n` multiplications a thread, two a turn.
template <int BLOCKS>
__global__ void __launch_bounds__(BLOCK, BLOCKS) multiply_by(Fr *values, unsigned n) {
    const size_t i = size_t{blockIdx.x} * BLOCK + threadIdx.x;
    Fr x = values[2 * i];
    const Fr y = values[2 * i + 1];
    const Multiplier w = Multiplier::of(y);
#pragma unroll 1
    for (unsigned k = 0; k < n; k += 2) {
        x = w * x;
        x = w * x;
    }
    values[2 * i] = x;
}

/// x, y ← x·y, x·y² … : `n` multiplications a thread, two a turn.
template <class F, int BLOCKS>
__global__ void __launch_bounds__(BLOCK, BLOCKS) multiply(F *values, unsigned n) {
    const size_t i = size_t{blockIdx.x} * BLOCK + threadIdx.x;
    F x = values[2 * i], y = values[2 * i + 1];
#pragma unroll 1
    for (unsigned k = 0; k < n; k += 2) {
        x = x * y;
        y = y * x;
    }
    values[2 * i] = x;
    values[2 * i + 1] = y;
}

/// x ← x², y ← y² …: `n` squarings a thread, two a turn.
template <class F, int BLOCKS>
__global__ void __launch_bounds__(BLOCK, BLOCKS) square(F *values, unsigned n) {
    const size_t i = size_t{blockIdx.x} * BLOCK + threadIdx.x;
    F x = values[2 * i], y = values[2 * i + 1];
#pragma unroll 1
    for (unsigned k = 0; k < n; k += 2) {
        x = x.squared();
        y = y.squared();
    }
    values[2 * i] = x;
    values[2 * i + 1] = y;
}

/// Sums of `n` points a thread, from a table of `points` that stays in the cache.
template <class F, int BLOCKS>
__global__ void __launch_bounds__(BLOCK, BLOCKS) accumulate(Xyzz<F> *sums, const Affine<F> *table, unsigned points, unsigned n) {
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    unsigned next = i % points;
    Xyzz<F> sum = Xyzz<F>::infinity();
#pragma unroll 1
    for (unsigned k = 0; k < n; k++) {
        const Affine<F> point = table[next];
        next += 13;
        if (next >= points) next -= points;
        sum = sum + point;
    }
    sums[i] = sum;
}

/// The same of elements in digits of 39 bits, and what a turn of the loop does.
template <class Turn, int BLOCKS>
__global__ void __launch_bounds__(BLOCK, BLOCKS) turns_39(Fp *values, unsigned n, Turn turn) {
    const size_t i = size_t{blockIdx.x} * BLOCK + threadIdx.x;
    const auto one = d39::Fp39::one();
    d39::Fp39 x = d39::from_fp(values[2 * i]) * one, y = d39::from_fp(values[2 * i + 1]) * one;
#pragma unroll 1
    for (unsigned k = 0; k < n; k += 2) turn(x, y);
    values[2 * i] = d39::to_fp(x);
    values[2 * i + 1] = d39::to_fp(y);
}

struct Multiply39 {
    __device__ __forceinline__ void operator()(d39::Fp39 &x, d39::Fp39 &y) const {
        x = x * y;
        y = y * x;
    }
};

struct Square39 {
    __device__ __forceinline__ void operator()(d39::Fp39 &x, d39::Fp39 &y) const {
        x = x.squared();
        y = y.squared();
    }
};

using Room = msm::Room;
static_assert(BLOCK == msm::AddingKernel<Fp>::BLOCK, "the room of a block of as many threads");

template <int BLOCKS>
__global__ void __launch_bounds__(BLOCK, BLOCKS)
    accumulate_39(Xyzz<Fp> *sums, const Affine<Fp> *table, unsigned points, unsigned n) {
    const unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    unsigned next = i % points;
    d39::Sum<Room> sum{Room::own()};
    sum.clear();
#pragma unroll 1
    for (unsigned k = 0; k < n; k++) {
        const Affine<Fp> point = table[next];
        next += 13;
        if (next >= points) next -= points;
        sum.add(point, false);
    }
    sums[i] = d39::to_xyzz(sum.get());
}

/// The same of G2, a pair of threads each.
template <int BLOCKS>
__global__ void __launch_bounds__(BLOCK, BLOCKS)
    accumulate_pairs_39(Xyzz<Fp2> *sums, const Affine<Fp2> *table, unsigned points, unsigned n) {
    const unsigned lane = threadIdx.x % 2, i = (blockIdx.x * BLOCK + threadIdx.x) / 2;
    unsigned next = i % points;
    msm::SharedPairSum sum{{msm::RoomOfPairs::own()}};
    sum.clear();
#pragma unroll 1
    for (unsigned k = 0; k < n; k++) {
        msm::AwaitedPart point;
        point.fetch(table + next);
        next += 13;
        if (next >= points) next -= points;
        sum.add(point.take(), false);
    }
    const Xyzz<Fp> part = d39::to_xyzz(sum.get(static_cast<int>(lane)));
    Fp *to = reinterpret_cast<Fp *>(sums + i) + lane;
    to[0] = part.x;
    to[2] = part.y;
    to[4] = part.zz;
    to[6] = part.zzz;
}

/// How many blocks of `kernel`, with so much shared memory each, a multiprocessor holds, negative for an error.
template <class Kernel>
int most(Kernel kernel, size_t shared = 0) {
    int blocks;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, BLOCK, shared);
    return error == cudaSuccess ? blocks : -error;
}

}  // namespace

// The multiprocessors of the current device, negative for an error.
extern "C" int kit_multiprocessors() {
    int device, processors;
    cudaError_t error = cudaGetDevice(&device);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    return error == cudaSuccess ? processors : -error;
}

// For each of the kernels: the most blocks (of 128 threads) that a multiprocessor holds, negative for an error, and the launch.
// Threads have two values each, or one sum.
#define KIT_ON_VALUES(kernel, field, F, BLOCKS)                                                                     \
    extern "C" int kit_##kernel##_##field##_most() { return most(kernel<F, BLOCKS>); }                          \
    extern "C" int kit_##kernel##_##field(void *values, unsigned n, unsigned blocks, cudaStream_t stream) {          \
        kernel<F, BLOCKS><<<blocks, BLOCK, 0, stream>>>(static_cast<F *>(values), n);                                \
        return cudaGetLastError();                                                                                   \
    }
KIT_ON_VALUES(multiply, fp, Fp, 8)
KIT_ON_VALUES(square, fp, Fp, 8)
KIT_ON_VALUES(multiply, fr, Fr, 8)

extern "C" int kit_multiply_by_fr_most() { return most(multiply_by<8>); }
extern "C" int kit_multiply_by_fr(void *values, unsigned n, unsigned blocks, cudaStream_t stream) {
    multiply_by<8><<<blocks, BLOCK, 0, stream>>>(static_cast<Fr *>(values), n);
    return cudaGetLastError();
}

#define KIT_ACCUMULATE(group, F, BLOCKS)                                                                             \
    extern "C" int kit_accumulate_##group##_most() { return most(accumulate<F, BLOCKS>); }                      \
    extern "C" int kit_accumulate_##group(void *sums, const void *table, unsigned points, unsigned n, unsigned blocks, \
                                          cudaStream_t stream) {                                                     \
        accumulate<F, BLOCKS><<<blocks, BLOCK, 0, stream>>>(static_cast<Xyzz<F> *>(sums),                            \
                                                            static_cast<const Affine<F> *>(table), points, n);       \
        return cudaGetLastError();                                                                                   \
    }
KIT_ACCUMULATE(g1, Fp, 3)

#define KIT_TURNS_39(name, Turn, BLOCKS)                                                                             \
    extern "C" int kit_##name##_most() { return most(turns_39<Turn, BLOCKS>); }                                      \
    extern "C" int kit_##name(void *values, unsigned n, unsigned blocks, cudaStream_t stream) {                      \
        turns_39<Turn, BLOCKS><<<blocks, BLOCK, 0, stream>>>(static_cast<Fp *>(values), n, Turn{});                  \
        return cudaGetLastError();                                                                                   \
    }
KIT_TURNS_39(multiply_fp39, Multiply39, 4)
KIT_TURNS_39(square_fp39, Square39, 4)

// Their sums are in shared memory: of devices with 228 KiB of it a multiprocessor, three blocks' are.
constexpr int BLOCKS_39 = 3;
#define KIT_ACCUMULATE_39(group, F, kernel)                                                                          \
    extern "C" int kit_accumulate_##group##_39_most() {                                                              \
        const auto of_most = kernel<BLOCKS_39>;                                                                      \
        size_t shared;                                                                                               \
        const cudaError_t error = msm::make_room(&shared, of_most);                                                  \
        return error == cudaSuccess ? most(of_most, shared) : -error;                                                \
    }                                                                                                                \
    extern "C" int kit_accumulate_##group##_39(void *sums, const void *table, unsigned points, unsigned n,           \
                                               unsigned blocks, cudaStream_t stream) {                               \
        kernel<BLOCKS_39><<<blocks, BLOCK, Room::BYTES, stream>>>(static_cast<Xyzz<F> *>(sums),                      \
                                                                  static_cast<const Affine<F> *>(table), points, n); \
        return cudaGetLastError();                                                                                   \
    }
KIT_ACCUMULATE_39(g1, Fp, accumulate_39)
KIT_ACCUMULATE_39(g2, Fp2, accumulate_pairs_39)
