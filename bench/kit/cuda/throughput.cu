// How many operations a second: each thread does a long chain of dependent ones on values in registers.
#include <cuda_runtime.h>

#include "ec/xyzz.cuh"
#include "ff/fr.cuh"

using namespace interlock;

namespace {

constexpr unsigned BLOCK = 128;

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

/// How many blocks of `kernel` a multiprocessor holds, negative for an error.
template <class Kernel>
int most(Kernel kernel) {
    int blocks;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, BLOCK, 0);
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

#define KIT_ACCUMULATE(group, F, BLOCKS)                                                                             \
    extern "C" int kit_accumulate_##group##_most() { return most(accumulate<F, BLOCKS>); }                      \
    extern "C" int kit_accumulate_##group(void *sums, const void *table, unsigned points, unsigned n, unsigned blocks, \
                                          cudaStream_t stream) {                                                     \
        accumulate<F, BLOCKS><<<blocks, BLOCK, 0, stream>>>(static_cast<Xyzz<F> *>(sums),                            \
                                                            static_cast<const Affine<F> *>(table), points, n);       \
        return cudaGetLastError();                                                                                   \
    }
KIT_ACCUMULATE(g1, Fp, 3)
