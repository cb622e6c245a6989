// From the classes of an assignment's scalars to the terms of queries: which of their points are multiplied by 1, and which by what
// full-size scalar.
//
// A block has a tile of a run of a query's variables, a thread the 32 variables of a word of classes. Ranks (how many of a kind there
// are before a variable) are prefix sums of population counts: of tiles, then of the threads of a tile's block, then of the bits of a
// thread's masks.
#pragma once

#include <cub/block/block_scan.cuh>

#include "launch/launchers.h"

namespace interlock {
namespace groth16 {

constexpr unsigned TERMS_BLOCK = 256;
/// Variables a block.
constexpr size_t TILE = TERMS_BLOCK * 32;
static_assert(TILE == INTERLOCK_TERMS_TILE, "as documented");

/// Numbers of variables: those with a point in the query, those of these that are 1, those that are full-size, and all that are
/// full-size, in the query or not.
struct Counts {
    uint32_t chosen, ones, full, all_full;

    __device__ friend Counts operator+(const Counts &a, const Counts &b) {
        return {a.chosen + b.chosen, a.ones + b.ones, a.full + b.full, a.all_full + b.all_full};
    }
};

/// The even bits of a word, side by side.
__device__ __forceinline__ uint32_t even_bits(uint64_t word) {
    word &= 0x5555555555555555;
    word = (word | word >> 1) & 0x3333333333333333;
    word = (word | word >> 2) & 0x0f0f0f0f0f0f0f0f;
    word = (word | word >> 4) & 0x00ff00ff00ff00ff;
    word = (word | word >> 8) & 0x0000ffff0000ffff;
    return static_cast<uint32_t>(word | word >> 16);
}

/// A thread's variables as masks, the first in bit 0.
struct Masks {
    uint32_t chosen, ones, full, all_full;

    /// Those of word `word` of the classes.
    __device__ static Masks of(const interlock_variables &variables, size_t word) {
        if (word * 32 >= variables.n) return {0, 0, 0, 0};
        const size_t left = variables.n - word * 32;
        const uint32_t present = left < 32 ? (1u << left) - 1 : ~0u;
        const uint64_t codes = variables.classes[word], *density = variables.density;
        const uint32_t low = even_bits(codes), high = even_bits(codes >> 1);
        const uint32_t chosen = present & (density == nullptr ? ~0u : static_cast<uint32_t>(density[word / 2] >> word % 2 * 32));
        return {chosen, chosen & low & ~high, chosen & high & ~low, present & high & ~low};
    }

    __device__ Counts counts() const {
        const auto count = [](uint32_t mask) { return static_cast<uint32_t>(__popc(mask)); };
        return {count(chosen), count(ones), count(full), count(all_full)};
    }
};

constexpr unsigned RUNS = INTERLOCK_QUERIES * INTERLOCK_QUERY_RUNS;

/// Queries, and whose each tile is: tiles are numbered through all runs, query by query. Runs are, too.
struct Listing {
    interlock_query queries[INTERLOCK_QUERIES];
    /// The number of each run's first tile, and how many tiles there are.
    uint32_t first_tiles[RUNS + 1];

    __device__ unsigned run_of(uint32_t tile) const {
        unsigned run = 0;
#pragma unroll
        for (unsigned next = 1; next < RUNS; next++) run += first_tiles[next] <= tile;
        return run;
    }
    __device__ const interlock_query &query(unsigned run) const { return queries[run / INTERLOCK_QUERY_RUNS]; }
    __device__ const interlock_variables &variables(unsigned run) const {
        return query(run).runs[run % INTERLOCK_QUERY_RUNS];
    }
    /// The variables of this thread, in a block of a tile of `run`.
    __device__ Masks masks(unsigned run) const {
        const size_t word = size_t{blockIdx.x - first_tiles[run]} * TERMS_BLOCK + threadIdx.x;
        return Masks::of(variables(run), word);
    }
};

using TileScan = cub::BlockScan<Counts, TERMS_BLOCK>;

struct Plus {
    __device__ Counts operator()(const Counts &a, const Counts &b) const { return a + b; }
};

/// tiles[t] = the counts of tile t.
__global__ void __launch_bounds__(TERMS_BLOCK) count_tiles(Counts *tiles, const __grid_constant__ Listing listing) {
    __shared__ TileScan::TempStorage room;
    const Counts own = listing.masks(listing.run_of(blockIdx.x)).counts();
    Counts unused, total;
    TileScan(room).ExclusiveScan(own, unused, Counts{0, 0, 0, 0}, Plus(), total);
    if (threadIdx.x == 0) tiles[blockIdx.x] = total;
}

constexpr unsigned SCAN_BLOCK = 512;

/// tiles[t] = the counts of the tiles of the query before tile t. The query's counts become those of all its tiles. A block a query.
__global__ void __launch_bounds__(SCAN_BLOCK) scan_tiles(Counts *tiles, const __grid_constant__ Listing listing) {
    using Scan = cub::BlockScan<Counts, SCAN_BLOCK>;
    __shared__ Scan::TempStorage room;
    const unsigned run = blockIdx.x * INTERLOCK_QUERY_RUNS;
    const size_t end = listing.first_tiles[run + INTERLOCK_QUERY_RUNS];
    Counts before = {0, 0, 0, 0};
    for (size_t first = listing.first_tiles[run]; first < end; first += SCAN_BLOCK) {
        const size_t tile = first + threadIdx.x;
        const Counts own = tile < end ? tiles[tile] : Counts{0, 0, 0, 0};
        Counts prefix, total;
        Scan(room).ExclusiveScan(own, prefix, Counts{0, 0, 0, 0}, Plus(), total);
        if (tile < end) tiles[tile] = before + prefix;
        before = before + total;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        uint32_t *counts = listing.query(run).terms.counts;
        counts[0] = before.chosen;
        counts[1] = before.ones;
        counts[2] = before.full;
    }
}

/// The number of the first full-size scalar of a tile's chunk, less how many of the query there are before it. Tiles are those of the
/// run, once they have been scanned.
__device__ __forceinline__ uint32_t numbered_from(const interlock_variables &variables, const Counts *tiles, uint32_t tile) {
    if (variables.chunk == 0) return 0 - tiles[0].all_full;
    const size_t tiles_a_chunk = variables.chunk / TILE, chunk = tile / tiles_a_chunk;
    return variables.chunk_starts[chunk] - tiles[chunk * tiles_a_chunk].all_full;
}

/// Writes the terms of each tile to their places.
__global__ void __launch_bounds__(TERMS_BLOCK) write_terms(const Counts *tiles, const __grid_constant__ Listing listing) {
    __shared__ TileScan::TempStorage room;
    const unsigned run = listing.run_of(blockIdx.x);
    const uint32_t first_tile = listing.first_tiles[run];
    const interlock_query_terms terms = listing.query(run).terms;
    const Masks masks = listing.masks(run);
    Counts before;
    TileScan(room).ExclusiveScan(masks.counts(), before, Counts{0, 0, 0, 0}, Plus());
    before = before + tiles[blockIdx.x];
    before.all_full += numbered_from(listing.variables(run), tiles + first_tile, blockIdx.x - first_tile);
    for (uint32_t left = masks.ones | masks.full; left != 0; left &= left - 1) {
        const uint32_t bit = left & -left, below = bit - 1;
        const uint32_t position = before.chosen + __popc(masks.chosen & below);
        if ((masks.ones & bit) != 0) {
            terms.ones[before.ones++] = position;
        } else {
            terms.positions[before.full] = position;
            terms.indices[before.full++] = before.all_full + __popc(masks.all_full & below);
        }
    }
}

}  // namespace groth16
}  // namespace interlock
