// Layers of a transform on a tile that a block of threads holds in its registers.
//
// With w a primitive m-th root of unity, layer l works on 2^l blocks with one twiddle a block: the inverse transform, from
// natural to bit-reversed order, takes (x, y) to (x + t·y, x − t·y) with t = w^−rev(block); the forward one goes back by
// (x + y, (x − y)/t). Both split a block in halves, so that layer after layer pairs elements whose positions differ in one bit.
// A thread holds 2^HELD_LOG2 elements whose positions differ in neighbouring bits, and does those bits' layers by itself;
// between such steps the threads exchange elements through shared memory.
#pragma once

#include "ntt/powers.cuh"
#include "ntt/tuning.cuh"

namespace interlock {
namespace ntt {

/// Elements in shared memory, by halves, placed so that eight threads that access elements 1 or 2^n apart meet in no bank.
template <int SIZE>
struct Elements {
    uint4 half[2][SIZE];

    __device__ static int place(int i) { return i ^ (i >> 3 & 7); }

    __device__ Fr load(int i) const {
        const uint4 a = half[0][place(i)], b = half[1][place(i)];
        return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
    }

    __device__ void store(int i, const Fr &x) {
        half[0][place(i)] = {x.limb[0], x.limb[1], x.limb[2], x.limb[3]};
        half[1][place(i)] = {x.limb[4], x.limb[5], x.limb[6], x.limb[7]};
    }
};

/// Numbers to multiply by, with their quotients. Between transforms the room is for elements.
template <int SIZE>
struct Multipliers {
    Elements<2 * SIZE> room;

    __device__ Multiplier load(int i) const {
        const Fr value = room.load(i), quotient = room.load(i + SIZE);
        Multiplier w;
#pragma unroll
        for (int j = 0; j < Fr::N; j++) {
            w.value[j] = value.limb[j];
            w.quotient[j] = quotient.limb[j];
        }
        return w;
    }

    __device__ void store(int i, const Multiplier &w) {
        Fr value, quotient;
#pragma unroll
        for (int j = 0; j < Fr::N; j++) {
            value.limb[j] = w.value[j];
            quotient.limb[j] = w.quotient[j];
        }
        room.store(i, value);
        room.store(i + SIZE, quotient);
    }
};

/// What the threads of a block share.
struct Shared {
    Elements<TILE> tile;
    /// Entry 2^s + i is the twiddle of the tile's block i in its layer s.
    Multipliers<1 << PASS_LAYERS> twiddles;
};

/// The same where the layers are those of contiguous blocks.
struct BlocksShared : Shared {
    /// Entry i is that of block i in the layer of bit 0: used by two pairs each, which a quotient would not pay for.
    Elements<1 << (BLOCK_LOG2 - 1)> last;
};
static_assert(PASS_LAYERS == BLOCK_LOG2 - 1, "room for the twiddles of either");

extern __shared__ uint4 room[];
__device__ inline BlocksShared &blocks_shared() { return *reinterpret_cast<BlocksShared *>(room); }

/// The position in the tile of a thread's element q, where the bits of the position from `low` up are those of q.
__device__ inline int position(int q, int low) {
    const int thread = threadIdx.x;
    return thread >> low << (low + HELD_LOG2) | q << low | (thread & ((1 << low) - 1));
}

/// The layers that a tile goes through: the first of them in the inverse direction pairs by bit `top` of the position.
struct Layers {
    int top, count;

    __device__ int bottom() const { return top + 1 - count; }
    /// How many steps do them, 1 at least; the exchanges are one fewer.
    __device__ int steps() const {
        const int more = low(0) - bottom();
        return more <= 0 ? 1 : 1 + (more + HELD_LOG2 - 1) / HELD_LOG2;
    }
    /// The lowest bit of the elements that a thread holds in a step.
    __device__ int low(int step) const { return max(top + 1 - (step + 1) * HELD_LOG2, 0); }
    /// The same before the inverse transform, or after the forward one.
    __device__ int natural_low() const { return low(0); }
    /// The same after the inverse transform, or before the forward one.
    __device__ int reversed_low() const { return low(steps() - 1); }
    /// Whether the layer of this bit is done in this step.
    __device__ bool has(int step, int bit) const {
        return bit >= bottom() && bit <= top && (step == 0 || bit < low(step - 1));
    }
};

enum class Direction { INVERSE, FORWARD };

/// The twiddle of block i of a layer, as a root in a table: w^−rev(i), or w^rev(i).
struct Twiddle {
    uint32_t index;
    /// Whether it is the root's negative.
    bool negated;
};

template <Direction DIRECTION>
__device__ inline Twiddle twiddle(uint32_t i) {
    if (DIRECTION == Direction::INVERSE || i == 0) return {i, false};
    // w^rev(i) = −w^−(m/2 − rev(i)), which is the root with the bits below the top one flipped.
    return {i ^ ((1u << (31 - __clz(i))) - 1), true};
}

/// For the entry of a tile's twiddle, 1 at least: which block of the layer it is of, the tile being block `block` of the layers' first.
__device__ inline uint32_t block_of_entry(int entry, uint32_t block) {
    const int s = 31 - __clz(entry);
    return block << s | (entry ^ 1 << s);
}

/// Puts the twiddles of a tile that is block `block` of the layers' first in their place. `roots` has w^−rev(i), those of the
/// layers in its low table. The threads must be synchronised before and after.
template <Direction DIRECTION>
__device__ void stage_twiddles(Shared &shared, const Powers &roots, uint32_t block, int layers) {
    for (int entry = threadIdx.x; entry < 1 << layers; entry += THREADS) {
        if (entry == 0) continue;
        const Twiddle at = twiddle<DIRECTION>(block_of_entry(entry, block));
        const Multiplier root = roots.low[at.index];
        shared.twiddles.store(entry, at.negated ? -root : root);
    }
}

/// The same for the last `layers` layers, where the tile is contiguous blocks.
template <Direction DIRECTION>
__device__ void stage_twiddles(BlocksShared &shared, const Powers &roots, uint32_t block, int layers) {
    for (int entry = threadIdx.x; entry < 1 << layers; entry += THREADS) {
        if (entry == 0) continue;
        const Twiddle at = twiddle<DIRECTION>(block_of_entry(entry, block));
        const Fr root = roots.at(at.index), value = at.negated ? -root : root;
        if (entry >> (layers - 1) == 0) {
            shared.twiddles.store(entry, Multiplier::of(value));
        } else {
            shared.last.store(entry ^ 1 << (layers - 1), value);
        }
    }
}

/// Whether threads of several warps differ in the bits below `low`. Where neither place has that, the elements stay in a warp.
__device__ inline bool is_among_warps(int low) { return low > 5; }

/// Moves elements between threads: from the places of one `low` to those of another.
__device__ inline void exchange(Fr (&x)[HELD], Shared &shared, int from, int to) {
#pragma unroll
    for (int q = 0; q < HELD; q++) shared.tile.store(position(q, from), x[q]);
    if (is_among_warps(from) || is_among_warps(to)) {
        __syncthreads();
    } else {
        __syncwarp();
    }
    // What a thread writes next are the places that it alone reads here, so that one barrier is enough.
#pragma unroll
    for (int q = 0; q < HELD; q++) x[q] = shared.tile.load(position(q, to));
}

/// The entry of the twiddle of pair `pair` in the layer of bit low + p. The bits of `pair` are, from its lowest, those of the
/// element's number above p and then those below.
__device__ inline int twiddle_entry(Layers layers, int low, int p, int pair) {
    const int s = layers.top - low - p, above = HELD_LOG2 - 1 - p;
    const int block = int(threadIdx.x) >> low << above | (pair & ((1 << above) - 1));
    return 1 << s | (block & ((1 << s) - 1));
}

__device__ inline bool is_of_block_0(int entry) { return (entry & (entry - 1)) == 0; }

/// x times the twiddle of this entry; `is_of_bit_0`: in the layer of bit 0, the last, which only contiguous blocks come to.
__device__ inline Fr multiplied(const Fr &x, const Shared &shared, Layers, int entry, bool) {
    const Multiplier twiddle = shared.twiddles.load(entry);
    return twiddle * x;
}

__device__ inline Fr multiplied(const Fr &x, const BlocksShared &shared, Layers layers, int entry, bool is_of_bit_0) {
    if (!is_of_bit_0) return multiplied(x, static_cast<const Shared &>(shared), layers, entry, false);
    const Fr twiddle = shared.last.load(entry ^ 1 << layers.top);
    return twiddle * x;
}

/// The pairs of the layer of bit low + p in the inverse direction; x has the bit as the top one of the elements' numbers.
/// `has_units`: the twiddle of the layer's block 0 is 1. The branch on it keeps the compiler from mixing one pair's multiplication
/// with another's additions, which costs 4 % on an H200.
template <class Shared>
__device__ inline void inverse_pairs(Fr (&x)[HELD], const Shared &shared, Layers layers, int low, int p, bool has_units) {
#pragma unroll
    for (int pair = 0; pair < HELD / 2; pair++) {
        const int entry = twiddle_entry(layers, low, p, pair);
        const Fr a = x[pair];
        Fr b = x[pair + HELD / 2];
        if (!has_units || !is_of_block_0(entry)) b = multiplied(b, shared, layers, entry, low + p == 0);
        x[pair] = a + b;
        x[pair + HELD / 2] = a - b;
    }
}

/// The same in the forward direction.
template <class Shared>
__device__ inline void forward_pairs(Fr (&x)[HELD], const Shared &shared, Layers layers, int low, int p, bool has_units) {
#pragma unroll
    for (int pair = 0; pair < HELD / 2; pair++) {
        const int entry = twiddle_entry(layers, low, p, pair);
        const Fr a = x[pair], b = x[pair + HELD / 2];
        x[pair] = a + b;
        Fr difference = a - b;
        if (!has_units || !is_of_block_0(entry)) difference = multiplied(difference, shared, layers, entry, low + p == 0);
        x[pair + HELD / 2] = difference;
    }
}

/// Makes the top bit of the elements' numbers the lowest and shifts the others up.
__device__ inline void turn_up(Fr (&x)[HELD]) {
    Fr turned[HELD];
#pragma unroll
    for (int q = 0; q < HELD; q++) turned[(2 * q & (HELD - 1)) | q >> (HELD_LOG2 - 1)] = x[q];
#pragma unroll
    for (int q = 0; q < HELD; q++) x[q] = turned[q];
}

/// The other way round.
__device__ inline void turn_down(Fr (&x)[HELD]) {
    Fr turned[HELD];
#pragma unroll
    for (int q = 0; q < HELD; q++) turned[(q & 1) << (HELD_LOG2 - 1) | q >> 1] = x[q];
#pragma unroll
    for (int q = 0; q < HELD; q++) x[q] = turned[q];
}

/// The layers on the elements at natural_low(), which end up at reversed_low(). `is_first`: the tile is in block 0 of the first
/// layer, some of whose twiddles are 1.
template <class Shared>
__device__ inline void inverse_layers(Fr (&x)[HELD], Shared &shared, Layers layers, bool is_first) {
    const int steps = layers.steps();
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        const int low = layers.low(step);
        if (step > 0) exchange(x, shared, layers.low(step - 1), low);
        const bool has_units = is_first && step == 0;
#pragma unroll
        for (int p = HELD_LOG2 - 1; p >= 0; p--) {
            if (layers.has(step, low + p)) inverse_pairs(x, shared, layers, low, p, has_units);
            turn_up(x);
        }
    }
}

/// The inverse's inverse, but for a factor of 2 a layer.
template <class Shared>
__device__ inline void forward_layers(Fr (&x)[HELD], Shared &shared, Layers layers, bool is_first) {
#pragma unroll 1
    for (int step = layers.steps() - 1; step >= 0; step--) {
        const int low = layers.low(step);
        const bool has_units = is_first && step == 0;
#pragma unroll
        for (int p = 0; p < HELD_LOG2; p++) {
            turn_down(x);
            if (layers.has(step, low + p)) forward_pairs(x, shared, layers, low, p, has_units);
        }
        if (step > 0) exchange(x, shared, low, layers.low(step - 1));
    }
}

}  // namespace ntt
}  // namespace interlock
