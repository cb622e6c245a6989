// From pieces of classes and full-size scalars back to a vector of scalars.
#pragma once

#include "ff/fr.cuh"
#include "launch/launchers.h"

namespace interlock {
namespace groth16 {

constexpr unsigned EXPAND_BLOCK = 256;
/// Scalars that a block writes, and their words of classes.
constexpr unsigned PIECE = INTERLOCK_EXPAND_PIECE;
constexpr unsigned PIECE_WORDS = PIECE / 32;
/// What places count in.
constexpr size_t PLACE_BYTES = 32;

/// The scalars of a word of classes that are full-size, each at the even bit of its class.
__device__ __forceinline__ uint64_t full_mask(uint64_t codes) { return codes >> 1 & ~codes & 0x5555555555555555; }

/// Writes a piece of `out` a block. The rank of a full-size scalar is the sum of the population counts before it: of the piece's words and
/// of its word's bits.
__global__ void __launch_bounds__(EXPAND_BLOCK)
    expand_pieces(Fr *out, size_t n, const unsigned char *pieces, const interlock_place *places) {
    __shared__ uint64_t words[PIECE_WORDS];
    __shared__ uint32_t ranks[PIECE_WORDS];
    const interlock_place at = places[blockIdx.x];
    const unsigned char *piece = pieces + at.place * PLACE_BYTES;
    const auto *full = reinterpret_cast<const Fr *>(piece + sizeof words);
    if (threadIdx.x < PIECE_WORDS) words[threadIdx.x] = reinterpret_cast<const uint64_t *>(piece)[threadIdx.x];
    __syncthreads();
    if (threadIdx.x < PIECE_WORDS) {
        uint32_t rank = 0;
        for (unsigned word = 0; word < threadIdx.x; word++) rank += __popcll(full_mask(words[word]));
        ranks[threadIdx.x] = rank;
    }
    __syncthreads();
    const size_t first = size_t{at.piece} * PIECE;
    for (unsigned i = threadIdx.x; i < PIECE && first + i < n; i += EXPAND_BLOCK) {
        const uint64_t codes = words[i / 32];
        const unsigned bit = i % 32 * 2, code = codes >> bit & 3;
        Fr value = Fr::zero();
        if (code == 1) value = Fr::one();
        if (code == 2) value = full[ranks[i / 32] + __popcll(full_mask(codes) & ((uint64_t{1} << bit) - 1))];
        out[first + i] = value;
    }
}

}  // namespace groth16
}  // namespace interlock
