// The shapes of the transforms' kernels.
#pragma once

namespace interlock {
namespace ntt {

/// log2 of the elements that a thread holds in registers, and so the layers it does between two exchanges.
#ifndef V_HELD
#define V_HELD 2
#define V_UNROLL 2
#define V_RESIDENT 3
#define V_PASS 9
#endif
constexpr int HELD_LOG2 = V_HELD;
/// How many of those layers are written out one after the other; 1 is a loop, which turns the registers' numbers by copying.
constexpr int UNROLLED_LAYERS = V_UNROLL;
/// log2 of the elements of a tile, which a block of threads holds together.
constexpr int TILE_LOG2 = 10;
/// The last layers, on contiguous blocks of 2^BLOCK_LOG2 elements: two vectors' blocks are a tile.
constexpr int BLOCK_LOG2 = TILE_LOG2 - 1;
/// The most layers that a pass over tiles takes: rows of a tile are 64 bytes then.
constexpr int PASS_LAYERS = V_PASS;
/// Blocks of threads that share a multiprocessor: 128 registers a thread, 48 KiB of shared memory a block.
constexpr int RESIDENT = V_RESIDENT;

constexpr int HELD = 1 << HELD_LOG2;
constexpr int TILE = 1 << TILE_LOG2;
constexpr int THREADS = TILE / HELD;

}  // namespace ntt
}  // namespace interlock
