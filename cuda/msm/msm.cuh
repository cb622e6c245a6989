// Multi-scalar multiplication and sums of points over either group: what the launchers of both share.
//
// Pippenger's algorithm with signed digits. A group of windows at a time: entries are made of the scalars and sorted by bucket
// (digits.cuh), buckets are summed in equal chunks (accumulate.cuh, merge.cuh), and segments of buckets (buckets.cuh).
#pragma once

#include "msm/buckets.cuh"
#include "msm/merge.cuh"
#include "msm/shape.cuh"
#include "msm/sum.cuh"

namespace interlock {
namespace msm {

/// The blocks that fill the device with `kernel`, but no more than `most`.
template <class Kernel>
cudaError_t filling(unsigned *blocks, Kernel kernel, int block, size_t most) {
    int device, processors, resident;
    if (cudaError_t error = cudaGetDevice(&device)) return error;
    if (cudaError_t error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device)) return error;
    if (cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, block, 0)) return error;
    const size_t filling = size_t(processors) * resident;
    *blocks = static_cast<unsigned>(filling < most ? filling : most);
    return *blocks == 0 ? cudaErrorInvalidConfiguration : cudaSuccess;
}

constexpr size_t blocks_of(size_t n, size_t block) { return (n + block - 1) / block; }

/// Blocks of threads that share out so many entries, at most.
template <class F>
constexpr size_t chunks_of(size_t entries) {
    constexpr size_t BLOCK = AddingKernel<F>::BLOCK, MOST = MAX_CHUNKS / BLOCK;
    const size_t blocks = blocks_of(entries, MIN_CHUNK * BLOCK);
    return blocks < MOST ? blocks : MOST;
}

/// Hands out scratch; a null one is only measured.
class Carver {
   public:
    explicit Carver(void *scratch) : scratch_(static_cast<char *>(scratch)) {}

    template <class T>
    T *take(size_t n) {
        char *taken = scratch_ == nullptr ? nullptr : scratch_ + used_;
        used_ += (n * sizeof(T) + 255) / 256 * 256;
        return reinterpret_cast<T *>(taken);
    }

    size_t used() const { return used_; }

   private:
    char *scratch_;
    size_t used_ = 0;
};

/// What an MSM keeps in its scratch.
template <class F>
struct Scratch {
    Entries entries;
    Xyzz<F> *buckets, *weighted, *plain;
    Partials<F> partials[2];
    size_t bytes;

    cudaError_t carve(void *scratch, size_t n, const interlock_msm_shape &shape) {
        Carver carver(scratch);
        const size_t threads = chunks_of<F>(n * shape.group) * AddingKernel<F>::BLOCK;
        for (int i = 0; i < 2; i++) {
            entries.keys[i] = carver.take<uint32_t>(n * shape.group);
            entries.values[i] = carver.take<uint32_t>(n * shape.group);
            const size_t partial_sums = i == 0 ? 2 * threads : 2 * blocks_of(2 * threads, MERGE_BLOCK<F>);
            partials[i].buckets = carver.take<uint32_t>(partial_sums);
            partials[i].sums = carver.take<Xyzz<F>>(partial_sums);
        }
        entries.count = carver.take<uint32_t>(1);
        if (cudaError_t error = sort_bytes(n * shape.group, &entries.sort_bytes)) return error;
        entries.sort = carver.take<char>(entries.sort_bytes);
        buckets = carver.take<Xyzz<F>>(size_t{shape.group} << (shape.window_bits - 1));
        const size_t segments = size_t{shape.windows} << log_segments(shape);
        weighted = carver.take<Xyzz<F>>(segments);
        plain = carver.take<Xyzz<F>>(segments);
        bytes = carver.used();
        return cudaSuccess;
    }
};

/// Makes sums infinity.
template <class F>
cudaError_t clear(Xyzz<F> *sums, size_t n, cudaStream_t stream) {
    constexpr int BLOCK = 256;
    clear_sums<<<static_cast<unsigned>(blocks_of(n, BLOCK)), BLOCK, 0, stream>>>(sums, n);
    return cudaGetLastError();
}

/// Sums the buckets of a group's entries.
template <class F>
cudaError_t fill_buckets(const Scratch<F> &scratch, const Affine<F> *points, const Group &group, size_t entries,
                         cudaStream_t stream) {
    constexpr int BLOCK = AddingKernel<F>::BLOCK;
    if (cudaError_t error = clear(scratch.buckets, group.buckets(), stream)) return error;

    unsigned blocks;
    if (cudaError_t error = filling(&blocks, accumulate<F>, BLOCK, chunks_of<F>(entries))) return error;
    accumulate<<<blocks, BLOCK, 0, stream>>>(scratch.buckets, scratch.partials[0], points, scratch.entries.keys[0],
                                             scratch.entries.values[0], scratch.entries.count);
    if (cudaError_t error = cudaGetLastError()) return error;

    unsigned partial_sums = 2 * blocks * BLOCK;
    for (int from = 0;; from = 1 - from) {
        const auto merging = static_cast<unsigned>(blocks_of(partial_sums, MERGE_BLOCK<F>));
        merge<<<merging, MERGE_BLOCK<F>, 0, stream>>>(scratch.buckets, scratch.partials[1 - from], scratch.partials[from],
                                                      partial_sums);
        if (cudaError_t error = cudaGetLastError()) return error;
        if (merging == 1) return cudaSuccess;
        partial_sums = 2 * merging;
    }
}

/// `interlock_msm_*`.
template <class F>
cudaError_t multiply(void *memory, Xyzz<F> *sums, const interlock_msm_terms &terms, const interlock_msm_shape &shape,
                     cudaStream_t stream) {
    constexpr int BLOCK = SummingKernel<F>::BLOCK;
    if (!is_valid(shape, terms)) return cudaErrorInvalidValue;
    if (terms.n == 0) return clear(sums, size_t{shape.windows} * (1 + log_segments(shape)), stream);
    Scratch<F> scratch;
    if (cudaError_t error = scratch.carve(memory, terms.n, shape)) return error;
    const unsigned log = log_segments(shape);
    const unsigned groups = static_cast<unsigned>(blocks_of(shape.windows, shape.group));
    for (unsigned g = 0; g < groups; g++) {
        // As even as can be, so that no group is too small to fill the device.
        const unsigned first = g * shape.windows / groups, end = (g + 1) * shape.windows / groups;
        const Group group = {shape.window_bits, first, end - first};
        if (cudaError_t error = make_entries(&scratch.entries, terms, group, stream)) return error;
        const auto *points = static_cast<const Affine<F> *>(terms.points);
        if (cudaError_t error = fill_buckets(scratch, points, group, terms.n * group.windows, stream)) return error;
        const size_t segments = size_t{group.windows} << log, offset = size_t{first} << log;
        sum_segments<<<static_cast<unsigned>(blocks_of(segments, BLOCK)), BLOCK, 0, stream>>>(
            scratch.weighted + offset, scratch.plain + offset, scratch.buckets, segments, shape.segment_bits);
        if (cudaError_t error = cudaGetLastError()) return error;
    }
    sum_windows<<<dim3(1 + log, shape.windows), BLOCK, 0, stream>>>(sums, scratch.weighted, scratch.plain, log);
    return cudaGetLastError();
}

/// Sums of blocks that `interlock_sum_*` keeps in its scratch, at most.
constexpr unsigned MAX_SUMS = MAX_CHUNKS / 128;

/// `interlock_sum_*`.
template <class F>
cudaError_t sum(void *scratch, Xyzz<F> *total, const interlock_sum_terms &terms, cudaStream_t stream) {
    constexpr int BLOCK = AddingKernel<F>::BLOCK;
    auto *sums = static_cast<Xyzz<F> *>(scratch);
    unsigned blocks = 0;
    if (terms.n > 0) {
        const size_t most = blocks_of(terms.n, BLOCK);
        if (cudaError_t error = filling(&blocks, sum_points<F>, BLOCK, most < MAX_SUMS ? most : MAX_SUMS)) return error;
        sum_points<<<blocks, BLOCK, 0, stream>>>(sums, static_cast<const Affine<F> *>(terms.points), terms.positions, terms.n,
                                                 terms.count);
        if (cudaError_t error = cudaGetLastError()) return error;
    }
    sum_sums<<<1, SummingKernel<F>::BLOCK, 0, stream>>>(total, sums, blocks);
    return cudaGetLastError();
}

}  // namespace msm
}  // namespace interlock
