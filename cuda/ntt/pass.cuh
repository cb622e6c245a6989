// Passes over a vector that take several layers of a transform at a time, before (or, forward, after) those of the blocks.
#pragma once

#include "ntt/tile.cuh"

namespace interlock {
namespace ntt {

/// `layers` layers, the first of which has 2^first blocks of the 2^log2 elements. A block is a matrix of 2^layers rows, and a tile
/// of it is neighbouring columns: as many as fill it.
struct Pass {
    int log2, first, layers;

    __host__ __device__ int columns_log2() const { return TILE_LOG2 - layers; }
    __host__ __device__ int row_log2() const { return log2 - first - layers; }
    __device__ Layers in_tile() const { return {TILE_LOG2 - 1, layers}; }
};

/// The tile of this block of threads.
struct Place {
    Pass pass;
    uint32_t block;
    size_t start;

    __device__ explicit Place(Pass pass) : pass(pass) {
        const int tiles_log2 = pass.row_log2() - pass.columns_log2();
        block = blockIdx.x >> tiles_log2;
        const size_t column = size_t{blockIdx.x & ((1u << tiles_log2) - 1)} << pass.columns_log2();
        start = (size_t{block} << (pass.row_log2() + pass.layers)) + column;
    }

    /// Where in the vector an element of the tile is.
    __device__ size_t of(int position) const {
        const int columns = pass.columns_log2();
        return start + (size_t(position >> columns) << pass.row_log2()) + (position & ((1 << columns) - 1));
    }
};

__device__ inline void load(Fr (&x)[HELD], const Fr *values, const Place &place, int low) {
#pragma unroll
    for (int q = 0; q < HELD; q++) x[q] = values[place.of(position(q, low))];
}

__device__ inline void store(Fr *values, const Fr (&x)[HELD], const Place &place, int low) {
#pragma unroll
    for (int q = 0; q < HELD; q++) values[place.of(position(q, low))] = x[q];
}

/// A pass of the transform of `values`, in place. One block of threads a tile.
template <Direction DIRECTION>
__global__ void __launch_bounds__(THREADS, RESIDENT) transform(Fr *values, Powers roots, Pass pass) {
    __shared__ Shared shared;
    const Place place(pass);
    const Layers layers = pass.in_tile();
    const int natural = layers.natural_low(), reversed = layers.reversed_low();
    Fr x[HELD];
    load(x, values, place, DIRECTION == Direction::INVERSE ? natural : reversed);
    stage_twiddles<DIRECTION>(shared, roots, place.block, layers.count);
    __syncthreads();
    if (DIRECTION == Direction::INVERSE) {
        inverse_layers(x, shared, layers, place.block == 0);
        store(values, x, place, reversed);
    } else {
        forward_layers(x, shared, layers, place.block == 0);
        store(values, x, place, natural);
    }
}

/// The last pass of the forward transform of `y`, its product with `x`, which is transformed already, and the first pass of the
/// inverse transform of that, into `x`.
__global__ void __launch_bounds__(THREADS, RESIDENT) transform_product(Fr *x, const Fr *y, Powers roots, Pass pass) {
    __shared__ Shared shared;
    const Place place(pass);
    const Layers layers = pass.in_tile();
    const int natural = layers.natural_low(), reversed = layers.reversed_low();
    Fr z[HELD];
    load(z, y, place, reversed);
    stage_twiddles<Direction::FORWARD>(shared, roots, place.block, layers.count);
    __syncthreads();
    forward_layers(z, shared, layers, place.block == 0);
    __syncthreads();
    stage_twiddles<Direction::INVERSE>(shared, roots, place.block, layers.count);
#pragma unroll
    for (int q = 0; q < HELD; q++) {
        const Fr factor = x[place.of(position(q, natural))];
        z[q] = z[q] * factor;
    }
    __syncthreads();
    inverse_layers(z, shared, layers, place.block == 0);
    store(x, z, place, reversed);
}

}  // namespace ntt
}  // namespace interlock
