// From buckets to what is left of a window for the CPU: a few sums with weights.
//
// Of a window's sum Σ (b + 1)·B_b, b counts the buckets, in segments of L: b = s·L + i. It is
//     Σ_s A_s + L·Σ_s s·R_s   with   A_s = Σ_i (i + 1)·B_{sL + i},   R_s = Σ_i B_{sL + i},
// and Σ_s s·R_s = Σ_j 2^j·(the sum of R_s over the s whose bit j is set): plain sums, which many threads share.
#pragma once

#include "msm/adding.cuh"

namespace interlock {
namespace msm {

/// The bits of a thread's number in its block, and what a block leaves of the segments of its threads: ΣA_s, ΣR_s, and for each of the bits
/// the sum of R_s over the s in which it is set.
constexpr unsigned THREAD_BITS = 7, BLOCK_SUMS = 2 + THREAD_BITS;

/// The sums of each block for window blockIdx.y, which has `n` buckets, by segments of `segment` of them, one a thread. `weighted` and
/// `plain` have room for A_s and R_s of each thread.
template <class F, bool DIGITS>
__global__ void __launch_bounds__(SummingKernel<F>::BLOCK, (SUMMING_BLOCKS<F, DIGITS>))
    sum_segments(Stored<F> *sums, Stored<F> *weighted, Stored<F> *plain, const Stored<F> *buckets, unsigned n, unsigned segment) {
    if (!IS_COMPILED<DIGITS>) return;
    static_assert(SummingKernel<F>::BLOCK == 1 << THREAD_BITS, "all its threads");
    const unsigned thread = threadIdx.x;
    const size_t block = size_t{blockIdx.y} * gridDim.x + blockIdx.x;
    const size_t begin = (size_t{blockIdx.x} * SummingKernel<F>::BLOCK + thread) * segment;
    buckets += size_t{blockIdx.y} * n;
    weighted += block * SummingKernel<F>::BLOCK;
    plain += block * SummingKernel<F>::BLOCK;

    auto running = sum_of_sums<F, DIGITS>();
    typename decltype(running)::Kept kept[2], *from_here = kept, *sum = kept + 1;
    // In local memory: they would take the registers that additions need.
    asm volatile("" : "+l"(from_here), "+l"(sum));
    running.clear();
    running.store(from_here);
    running.store(sum);
#pragma unroll 1
    for (unsigned i = segment; i-- > 0;) {
        __syncwarp();
        if (begin + i >= n) continue;
        running.add(buckets + begin + i);
        running.store(from_here);
        running.add(sum);
        running.store(sum);
        running.set(from_here);
    }
    running.store(plain + thread);
    running.set(sum);
    running.store(weighted + thread);

    // Sums of 64 take those of the next 64, then 32 the next 32, and so on. What has been taken from the sums of R_s is half of them, by
    // one bit of s, and from there on is summed up as they are.
#pragma unroll 1
    for (unsigned level = 0; level < THREAD_BITS; level++) {
        __syncthreads();
        const unsigned half = SummingKernel<F>::BLOCK / 2 >> level, part = thread / half;
        if (part >= 2 + level) continue;
        Stored<F> *to = (part == 0 ? weighted : plain) + thread % half + (part < 2 ? 0 : half << (part - 1));
        running.set(to);
        running.add(to + half);
        running.store(to);
    }
    __syncthreads();
    if (thread >= BLOCK_SUMS) return;
    sums[block * BLOCK_SUMS + thread] = thread == 0 ? weighted[0] : plain[thread == 1 ? 0 : 1 << (thread - 2)];
}

/// For window blockIdx.y, of whose segments so many blocks left sums: in sums[0] ΣA_s, in sums[1 + j] the sum of R_s over the s whose bit j
/// is set, by block 1 + j.
template <class F, bool DIGITS>
__global__ void __launch_bounds__(SummingKernel<F>::BLOCK, SummingKernel<F>::BLOCKS)
    sum_windows(Xyzz<F> *sums, const Stored<F> *of_blocks, unsigned blocks) {
    if (!IS_COMPILED<DIGITS>) return;
    constexpr unsigned BLOCK = SummingKernel<F>::BLOCK;
    __shared__ Xyzz<F> room[BLOCK / 2];
    const unsigned which = blockIdx.x;
    // The bits of s below are those of the thread, and the others those of the block.
    const unsigned bit = which > THREAD_BITS ? 1u << (which - 1 - THREAD_BITS) : 0;
    of_blocks += size_t{blockIdx.y} * blocks * BLOCK_SUMS + (bit != 0 ? 1 : which == 0 ? 0 : 1 + which);
    Xyzz<F> sum = Xyzz<F>::infinity();
#pragma unroll 1
    for (unsigned i = threadIdx.x; i < blocks; i += BLOCK) {
        if ((i & bit) == bit) add_stored<DIGITS>(&sum, of_blocks + size_t{i} * BLOCK_SUMS);
    }
    sum_of_block<F, BLOCK>(&sum, room);
    if (threadIdx.x == 0) sums[blockIdx.y * gridDim.x + which] = sum;
}

}  // namespace msm
}  // namespace interlock
