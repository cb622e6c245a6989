// Multiples of points by powers of two, in affine coordinates again: a thread inverts what it divides its points by at once (Montgomery's trick).
#pragma once

#include "ec/xyzz.cuh"
#include "msm/msm.cuh"

namespace interlock {
namespace msm {

constexpr int MULTIPLES_BLOCK = 128, MULTIPLES_BLOCKS = 2;
/// Points a thread, where there are so many: its inversion takes as long as some 50 doublings, of which a point has some 22.
constexpr size_t MULTIPLES_CHUNK = 32;

/// A multiple, and the product of all that is inverted before it.
template <class F>
struct Undivided {
    Xyzz<F> sum;
    F before;
};

/// to[i] = 2^doublings·from[i] for i < n.
template <class F>
__global__ void __launch_bounds__(MULTIPLES_BLOCK, MULTIPLES_BLOCKS)
    make_multiples(Affine<F> *to, const Affine<F> *from, Undivided<F> *room, size_t n, unsigned doublings) {
    const size_t threads = size_t{gridDim.x} * MULTIPLES_BLOCK, thread = size_t{blockIdx.x} * MULTIPLES_BLOCK + threadIdx.x;
    if (thread >= n) return;
    F product = F::one();
    size_t last = thread;
#pragma unroll 1
    for (size_t i = thread; i < n; i += threads) {
        Xyzz<F> sum = Xyzz<F>::from(load(from + i));
#pragma unroll 1
        for (unsigned d = 0; d < doublings; d++) sum = sum.doubled();
        room[i] = {sum, product};
        if (!sum.is_infinity()) product = product * (sum.zz * sum.zzz);
        last = i;
    }
    F inverse = product.inverse();
#pragma unroll 1
    for (size_t i = last;; i -= threads) {
        const Undivided<F> own = room[i];
        Affine<F> result = Affine<F>::infinity();
        if (!own.sum.is_infinity()) {
            const F one_over = inverse * own.before;
            inverse = inverse * (own.sum.zz * own.sum.zzz);
            result = {own.sum.x * (one_over * own.sum.zzz), own.sum.y * (one_over * own.sum.zz)};
        }
        to[i] = result;
        if (i < threads) break;
    }
}

/// `interlock_multiples_*`.
template <class F>
cudaError_t multiples(void *scratch, size_t bytes, Affine<F> *to, const Affine<F> *from, size_t n, unsigned doublings, cudaStream_t stream) {
    const size_t most = bytes / sizeof(Undivided<F>);
    if (most == 0) return cudaErrorInvalidValue;
    for (size_t first = 0; first < n; first += most) {
        const size_t own = n - first < most ? n - first : most;
        const size_t wanted = blocks_of(own, MULTIPLES_CHUNK * MULTIPLES_BLOCK);
        unsigned resident;
        if (cudaError_t error = filling(&resident, make_multiples<F>, MULTIPLES_BLOCK, 0)) return error;
        const auto blocks = static_cast<unsigned>(wanted < resident ? wanted : resident);
        make_multiples<F><<<blocks, MULTIPLES_BLOCK, 0, stream>>>(to + first, from + first, static_cast<Undivided<F> *>(scratch), own, doublings);
        if (cudaError_t error = cudaGetLastError()) return error;
    }
    return cudaSuccess;
}

}  // namespace msm
}  // namespace interlock
