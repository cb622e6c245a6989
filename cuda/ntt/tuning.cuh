// The shapes of the transforms' kernels.
#pragma once

namespace interlock {
namespace ntt {

/// log2 of the elements that a thread holds in registers, and so the layers it does between two exchanges.
constexpr int HELD_LOG2 = 2;
/// log2 of the elements of a tile, which a block of threads holds together.
constexpr int TILE_LOG2 = 10;
/// The last layers, on contiguous blocks of 2^BLOCK_LOG2 elements: two vectors' blocks are a tile.
constexpr int BLOCK_LOG2 = TILE_LOG2 - 1;
/// The most layers that a pass over tiles takes: rows of a tile are 128 bytes then. With 9, so rows of 64 bytes and a pass less,
/// 2^27 takes 3 to 6 % longer on an H200.
constexpr int PASS_LAYERS = 8;
/// Blocks of threads that share a multiprocessor: 64 registers a thread, 48 KiB of shared memory a block.
constexpr int RESIDENT = 4;

constexpr int HELD = 1 << HELD_LOG2;
constexpr int TILE = 1 << TILE_LOG2;
constexpr int THREADS = TILE / HELD;

}  // namespace ntt
}  // namespace interlock
