// From the classes of scalars and the full-size ones among them back to the vector.
#pragma once

#include "ff/fr.cuh"
#include "launch/launchers.h"

namespace interlock {
namespace groth16 {

constexpr unsigned EXPAND_BLOCK = 256;
/// Scalars that a block writes, and their words of classes.
constexpr size_t EXPAND_TILE = 2048;
constexpr unsigned EXPAND_WORDS = EXPAND_TILE / 32;

/// The variables of a word that are full-size, each at the even bit of its class.
__device__ __forceinline__ uint64_t full_mask(uint64_t codes) { return codes >> 1 & ~codes & 0x5555555555555555; }

/// Writes a tile of `out`, zeros from n on. The rank of a full-size scalar is the sum of the population counts before it: of its chunk's
/// words before the tile, which the block adds up anew, of the tile's, and of its word's bits.
__global__ void __launch_bounds__(EXPAND_BLOCK) expand_tiles(Fr *out, size_t m, const interlock_variables variables, const Fr *full) {
    __shared__ uint64_t words[EXPAND_WORDS];
    __shared__ uint32_t ranks[EXPAND_WORDS];
    __shared__ uint32_t before;
    const size_t first = blockIdx.x * EXPAND_TILE;
    const size_t all_words = (variables.n + 31) / 32, first_word = first / 32;
    const size_t chunk = first / variables.chunk;
    if (threadIdx.x == 0) before = first < variables.n ? variables.chunk_starts[chunk] : 0;
    if (threadIdx.x < EXPAND_WORDS) {
        const size_t word = first_word + threadIdx.x;
        words[threadIdx.x] = word < all_words ? variables.classes[word] : 0;
    }
    __syncthreads();
    uint32_t earlier = 0;
    for (size_t word = chunk * (variables.chunk / 32) + threadIdx.x; word < first_word && word < all_words; word += EXPAND_BLOCK)
        earlier += __popcll(full_mask(variables.classes[word]));
    if (earlier != 0) atomicAdd(&before, earlier);
    if (threadIdx.x < EXPAND_WORDS) {
        uint32_t rank = 0;
        for (unsigned word = 0; word < threadIdx.x; word++) rank += __popcll(full_mask(words[word]));
        ranks[threadIdx.x] = rank;
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < EXPAND_TILE && first + i < m; i += EXPAND_BLOCK) {
        const uint64_t codes = words[i / 32];
        const unsigned bit = i % 32 * 2;
        const unsigned code = first + i < variables.n ? codes >> bit & 3 : 0;
        Fr value = Fr::zero();
        if (code == 1) value = Fr::one();
        if (code == 2) value = full[before + ranks[i / 32] + __popcll(full_mask(codes) & ((uint64_t{1} << bit) - 1))];
        out[first + i] = value;
    }
}

}  // namespace groth16
}  // namespace interlock
