// Sizes of blocks, windows and chunks, as measured: bench/NOTES.md, "MSM on the device".
#pragma once

#include <cstddef>
#include <type_traits>

#include "ff/fp2.cuh"

namespace interlock {
namespace msm {

/// Threads of a block, and blocks a multiprocessor, of the kernels that add points in registers.
template <class F>
struct AddingKernel;

template <>
struct AddingKernel<Fp> {
    static constexpr int BLOCK = 128, BLOCKS = 2;
};

template <>
struct AddingKernel<Fp2> {
    static constexpr int BLOCK = 128, BLOCKS = 2;
};

/// Whether the code for an architecture, as __CUDA_ARCH__ says it, has kernels that add in digits of 39 bits besides those by carry chains. They are
/// faster where FP64 runs at full rate, as on most GPUs of these; which ones run is chosen for each device.
INTERLOCK_HD constexpr bool has_digits(int arch) { return arch == 900 || arch == 1000; }

#ifdef __CUDA_ARCH__
constexpr int ARCH = __CUDA_ARCH__;
#else
constexpr int ARCH = 0;
#endif

/// Blocks a multiprocessor, as large as those, of the kernels that add points in registers, or in digits in shared memory.
template <class F, bool DIGITS>
constexpr int ACCUMULATING_BLOCKS = DIGITS ? 3 : AddingKernel<F>::BLOCKS;

/// Threads of a block, and blocks a multiprocessor, of the kernels that add sums to sums in memory.
template <class F>
struct SummingKernel {
    static constexpr int BLOCK = 128, BLOCKS = 2;
};

/// Whether such a kernel adds in digits, a thread's sums by itself, if buckets are in digits.
template <class F, bool DIGITS>
constexpr bool SUMS_IN_DIGITS = DIGITS && std::is_same<F, Fp>::value;
template <class F, bool DIGITS>
constexpr int SUMMING_BLOCKS = SUMS_IN_DIGITS<F, DIGITS> ? 3 : SummingKernel<F>::BLOCKS;

/// Partial sums that a block merges: 24 KiB of shared memory.
template <class F>
constexpr int MERGE_BLOCK = 6144 / sizeof(F);

/// Threads that share out the entries of a launch, at most: 456 blocks, as 152 multiprocessors have resident.
constexpr unsigned MAX_CHUNKS = 456 * 128;
/// Entries a thread, at least.
constexpr unsigned MIN_CHUNK = 8;

/// Entries that are sorted at a time, at least one window's: 16 bytes each.
constexpr size_t GROUP_ENTRIES = size_t{1} << 28;
/// Entries that a launch adds, at most: 24 ms of an H200 in G1. What other streams have to do meanwhile waits no longer.
constexpr size_t LAUNCH_ENTRIES = size_t{5} << 24;
/// Blocks of threads for the segments into which the buckets of a group of windows are cut, at most: those that 132 multiprocessors have
/// resident, of G1 in digits and of G2.
template <class F>
constexpr size_t GROUP_BLOCKS = 132 * (std::is_same<F, Fp>::value ? 3 : 2);

/// The bits of a window, by the number of terms: for up to `terms` of them. Those of G1, and of G2.
struct WindowChoice {
    size_t terms;
    unsigned bits;
};
template <class F>
constexpr WindowChoice WINDOW_BITS[8] = {
    {size_t{1} << 6, 5},   {size_t{1} << 14, 8},  {size_t{1} << 15, 13}, {size_t{1} << 19, 15},
    {size_t{1} << 20, 16}, {size_t{1} << 23, 17}, {size_t{1} << 25, 20}, {~size_t{0}, 22},
};
template <>
constexpr WindowChoice WINDOW_BITS<Fp2>[8] = {
    {size_t{1} << 6, 5},   {size_t{1} << 14, 8},  {size_t{1} << 17, 13}, {size_t{1} << 19, 15},
    {size_t{1} << 21, 16}, {size_t{1} << 23, 17}, {size_t{1} << 25, 20}, {~size_t{0}, 22},
};

}  // namespace msm
}  // namespace interlock
