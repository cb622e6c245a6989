// The transforms' last layers for h, on contiguous blocks, and all that is done to elements one by one while they are at hand.
#pragma once

#include "ntt/tile.cuh"

namespace interlock {
namespace groth16 {

using ntt::Direction;
using ntt::Layers;
using ntt::Powers;
using Shared = ntt::BlocksShared;

/// What depends on the domain's size m = 2^log2 only. g = 7 generates the coset, z = g^m − 1.
struct Quotient {
    int log2;
    /// w^−rev(i), i < m/2.
    Powers roots;
    /// g^rev(i).
    Powers to_coset;
    /// g^−rev(i) / (m³·z·R): back from the coset, with the scalings of three transforms, to integers.
    Powers from_coset;
    /// 1 / (m·z·R).
    const Fr *of_c;

    /// log2 of the elements of a contiguous block.
    __host__ __device__ int block_log2() const { return log2 < ntt::BLOCK_LOG2 ? log2 : ntt::BLOCK_LOG2; }
    __device__ Layers in_block() const { return {block_log2() - 1, block_log2()}; }
};

/// This block of threads' block of two vectors, the second half of the tile being the second's. Of a vector that is shorter than a
/// block, the rest of the tile is 0.
struct Blocks {
    const Quotient &quotient;

    __device__ static int second(int position) { return position >> ntt::BLOCK_LOG2; }
    __device__ static int inside(int position) { return position & ((1 << ntt::BLOCK_LOG2) - 1); }
    __device__ bool has(int i) const { return i >> quotient.block_log2() == 0; }
    __device__ size_t start() const { return size_t{blockIdx.x} << ntt::BLOCK_LOG2; }

    __device__ void load(Fr (&x)[ntt::HELD], const Fr *a, const Fr *b, int low) const {
#pragma unroll
        for (int q = 0; q < ntt::HELD; q++) {
            const int at = ntt::position(q, low), i = inside(at);
            x[q] = has(i) ? (second(at) ? b : a)[start() + i] : Fr::zero();
        }
    }

    /// Puts the block's factors of `powers` there, together with what they have in common.
    template <int SIZE>
    __device__ void stage_factors(ntt::Elements<SIZE> &out, const Powers &powers) const {
        const Fr common = powers.high[blockIdx.x];
        for (int i = threadIdx.x; i < 1 << quotient.block_log2(); i += ntt::THREADS) {
            const Multiplier inside = powers.low[i];
            out.store(i, inside * common);
        }
    }
};

/// The last layers of the inverse transforms of a and b, the way onto the coset, and the first layers of the forward transforms.
/// One block of threads for each block of the vectors.
__global__ void __launch_bounds__(ntt::THREADS, ntt::RESIDENT) blocks_to_coset(Fr *a, Fr *b, Quotient quotient) {
    Shared &shared = ntt::blocks_shared();
    const Blocks blocks{quotient};
    const Layers layers = quotient.in_block();
    const int natural = layers.natural_low(), reversed = layers.reversed_low();
    const bool is_first = blockIdx.x == 0;
    Fr x[ntt::HELD];
    blocks.load(x, a, b, natural);
    ntt::stage_twiddles<Direction::INVERSE>(shared, quotient.roots, blockIdx.x, layers.count);
    __syncthreads();
    ntt::inverse_layers(x, shared, layers, is_first);
    __syncthreads();
    blocks.stage_factors(shared.tile, quotient.to_coset);
    ntt::stage_twiddles<Direction::FORWARD>(shared, quotient.roots, blockIdx.x, layers.count);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < ntt::HELD; q++) x[q] = x[q] * shared.tile.load(Blocks::inside(ntt::position(q, reversed)));
    __syncthreads();
    ntt::forward_layers(x, shared, layers, is_first);
#pragma unroll
    for (int q = 0; q < ntt::HELD; q++) {
        const int at = ntt::position(q, natural), i = Blocks::inside(at);
        if (blocks.has(i)) (Blocks::second(at) ? b : a)[blocks.start() + i] = x[q];
    }
}

/// The last layers of the inverse transforms of x, the product over the coset, and of c; then h, their scaled difference, into x, as integers.
/// One block of threads for each block of the vectors.
__global__ void __launch_bounds__(ntt::THREADS, ntt::RESIDENT) blocks_to_quotient(Fr *x, const Fr *c, Quotient quotient) {
    Shared &shared = ntt::blocks_shared();
    const Blocks blocks{quotient};
    const Layers layers = quotient.in_block();
    const int reversed = layers.reversed_low();
    Fr y[ntt::HELD];
    blocks.load(y, x, c, layers.natural_low());
    ntt::stage_twiddles<Direction::INVERSE>(shared, quotient.roots, blockIdx.x, layers.count);
    __syncthreads();
    ntt::inverse_layers(y, shared, layers, blockIdx.x == 0);
    __syncthreads();
    blocks.stage_factors(shared.twiddles.room, quotient.from_coset);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < ntt::HELD; q++) {
        const int at = ntt::position(q, reversed);
        const Fr factor = Blocks::second(at) ? *quotient.of_c : shared.twiddles.room.load(Blocks::inside(at));
        shared.tile.store(at, y[q] * factor);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 1 << quotient.block_log2(); i += ntt::THREADS) {
        x[blocks.start() + i] = shared.tile.load(i) - shared.tile.load(i | 1 << ntt::BLOCK_LOG2);
    }
}

}  // namespace groth16
}  // namespace interlock
