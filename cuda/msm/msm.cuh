// Multi-scalar multiplication over either group: what the launchers of both share.
//
// Pippenger's algorithm with signed digits. A group of windows at a time: entries are made of the scalars and sorted by bucket
// (digits.cuh), buckets are summed in equal chunks (accumulate.cuh, merge.cuh), and segments of buckets (buckets.cuh). Or the
// buckets of all windows stay, and take the terms of one part after the other, before they are summed up.
#pragma once

#include "msm/buckets.cuh"
#include "msm/merge.cuh"
#include "msm/shape.cuh"

namespace interlock {
namespace msm {

/// The blocks that fill the device with `kernel`, which have so much shared memory each.
template <class Kernel>
cudaError_t filling(unsigned *blocks, Kernel kernel, int block, size_t shared) {
    int device, processors, resident;
    if (cudaError_t error = cudaGetDevice(&device)) return error;
    if (cudaError_t error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device)) return error;
    if (cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, block, shared)) return error;
    *blocks = static_cast<unsigned>(processors) * resident;
    return *blocks == 0 ? cudaErrorInvalidConfiguration : cudaSuccess;
}

/// Launches that add so many entries, one after the other.
constexpr size_t launches_of(size_t entries) { return blocks_of(entries, LAUNCH_ENTRIES); }

/// Blocks of threads that share out so many entries, at most.
template <class F>
constexpr size_t chunks_of(size_t entries) {
    constexpr size_t BLOCK = AddingKernel<F>::BLOCK;
    const size_t blocks = blocks_of(entries, MIN_CHUNK * BLOCK), most = launches_of(entries) * (MAX_CHUNKS / BLOCK);
    return blocks < most ? blocks : most;
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

/// Makes sums infinity, in either form.
template <class Sum>
cudaError_t clear(Sum *sums, size_t n, cudaStream_t stream) {
    return cudaMemsetAsync(sums, 0, n * sizeof(Sum), stream);
}

/// What filling buckets keeps in scratch.
template <class F>
struct FillScratch {
    Entries entries;
    Partials<F> partials[2];

    cudaError_t carve(Carver *carver, size_t n, unsigned windows) {
        const size_t threads = chunks_of<F>(n * windows) * AddingKernel<F>::BLOCK;
        for (int i = 0; i < 2; i++) {
            entries.keys[i] = carver->take<uint32_t>(n * windows);
            entries.values[i] = carver->take<uint32_t>(n * windows);
            const size_t partial_sums = i == 0 ? 2 * threads : 2 * blocks_of(2 * threads, MERGE_BLOCK<F>);
            partials[i].buckets = carver->take<uint32_t>(partial_sums);
            partials[i].sums = carver->take<Stored<F>>(partial_sums);
        }
        entries.count = carver->take<uint32_t>(1);
        if (cudaError_t error = sort_bytes(n * windows, &entries.sort_bytes)) return error;
        entries.sort = carver->take<char>(entries.sort_bytes);
        return cudaSuccess;
    }
};

/// Makes of so many partial sums those of their buckets.
template <class F, bool DIGITS>
cudaError_t merge_all(Stored<F> *buckets, const FillScratch<F> &scratch, unsigned partial_sums, cudaStream_t stream) {
    constexpr unsigned BLOCK = SummingKernel<F>::BLOCK;
    const auto joining = join<F, DIGITS>;
    size_t shared = 0;
    if (SUMS_IN_DIGITS<F, DIGITS>) {
        if (cudaError_t error = make_room(&shared, joining)) return error;
    }
    const auto blocks = static_cast<unsigned>(blocks_of(partial_sums / 2, BLOCK));
    joining<<<blocks, BLOCK, shared, stream>>>(buckets, scratch.partials[0], partial_sums);
    if (cudaError_t error = cudaGetLastError()) return error;
    bool were_joined = true;
    for (int from = 0;; from = 1 - from) {
        const auto merging = static_cast<unsigned>(blocks_of(partial_sums, MERGE_BLOCK<F>));
        merge<F, DIGITS><<<merging, MERGE_BLOCK<F>, 0, stream>>>(buckets, scratch.partials[1 - from], scratch.partials[from], partial_sums, were_joined);
        if (cudaError_t error = cudaGetLastError()) return error;
        if (merging == 1) return cudaSuccess;
        partial_sums = 2 * merging;
        were_joined = false;
    }
}

/// Makes the sums of the buckets of a group of windows, which are infinity before; or adds to them, if ADDS. All that is done to buckets is done in
/// one form.
template <class F, bool ADDS, bool DIGITS>
cudaError_t fill(FillScratch<F> scratch, Stored<F> *buckets, const interlock_msm_terms &terms, const Group &group,
                 cudaStream_t stream) {
    constexpr int BLOCK = AddingKernel<F>::BLOCK;
    if (cudaError_t error = make_entries(&scratch.entries, terms, group, stream)) return error;

    unsigned resident;
    size_t shared = 0;
    const size_t entries = terms.n * group.windows;
    const auto kernel = accumulate<F, ADDS, DIGITS>;
    if (DIGITS) {
        if (cudaError_t error = make_room(&shared, kernel)) return error;
    }
    if (cudaError_t error = filling(&resident, kernel, BLOCK, shared)) return error;
    const size_t most = LANES<F, DIGITS> * chunks_of<F>(entries), wanted = launches_of(entries) * resident;
    const auto blocks = static_cast<unsigned>(wanted < most ? wanted : most);
    const auto *points = static_cast<const Affine<F> *>(terms.points);
    for (unsigned first = 0; first < blocks; first += resident) {
        const unsigned launched = blocks - first < resident ? blocks - first : resident;
        kernel<<<launched, BLOCK, shared, stream>>>(buckets, scratch.partials[0], points, scratch.entries.keys[0],
                                                    scratch.entries.values[0], scratch.entries.count, Blocks{first, blocks});
        if (cudaError_t error = cudaGetLastError()) return error;
    }

    return merge_all<F, DIGITS>(buckets, scratch, 2 * blocks * BLOCK / LANES<F, DIGITS>, stream);
}

/// What summing buckets keeps in scratch: two sums a thread for the windows at a time, and some a block for all.
template <class F>
struct Segments {
    static constexpr int BLOCK = SummingKernel<F>::BLOCK;

    Stored<F> *weighted, *plain, *of_blocks;

    void carve(Carver *carver, const interlock_msm_shape &shape, unsigned windows_at_a_time) {
        const size_t blocks = segment_blocks<F>(shape);
        weighted = carver->take<Stored<F>>(windows_at_a_time * blocks * BLOCK);
        plain = carver->take<Stored<F>>(windows_at_a_time * blocks * BLOCK);
        of_blocks = carver->take<Stored<F>>(shape.sets * blocks * BLOCK_SUMS);
    }

    /// Sums up the segments of a group of windows.
    template <bool DIGITS>
    cudaError_t sum(const Stored<F> *buckets, const Group &group, const interlock_msm_shape &shape, cudaStream_t stream) const {
        const auto kernel = sum_segments<F, DIGITS>;
        size_t shared = 0;
        if (SUMS_IN_DIGITS<F, DIGITS>) {
            if (cudaError_t error = make_room(&shared, kernel)) return error;
        }
        const size_t blocks = segment_blocks<F>(shape);
        const dim3 grid(static_cast<unsigned>(blocks), group.windows);
        kernel<<<grid, BLOCK, shared, stream>>>(of_blocks + group.first * blocks * BLOCK_SUMS, weighted, plain, buckets,
                                                1u << (group.bits - 1), shape.segment);
        return cudaGetLastError();
    }

    /// Leaves the sums of all windows.
    template <bool DIGITS>
    cudaError_t sum_all(Xyzz<F> *sums, const interlock_msm_shape &shape, cudaStream_t stream) const {
        const auto blocks = static_cast<unsigned>(segment_blocks<F>(shape));
        const dim3 grid(sums_of_window(shape), shape.sets);
        sum_windows<F, DIGITS><<<grid, BLOCK, 0, stream>>>(sums, of_blocks, blocks);
        return cudaGetLastError();
    }
};

/// What an MSM keeps in its scratch.
template <class F>
struct Scratch {
    FillScratch<F> filling;
    Stored<F> *buckets;
    Segments<F> segments;
    size_t bytes;

    cudaError_t carve(void *scratch, size_t n, const interlock_msm_shape &shape) {
        Carver carver(scratch);
        if (cudaError_t error = filling.carve(&carver, n, shape.group)) return error;
        const unsigned sets = shares_buckets(shape) ? shape.sets : shape.group;
        buckets = carver.take<Stored<F>>(size_t{sets} << (shape.window_bits - 1));
        segments.carve(&carver, shape, sets);
        bytes = carver.used();
        return cudaSuccess;
    }
};

/// `interlock_msm_*_scratch_bytes`.
template <class F>
cudaError_t scratch_bytes(size_t n, const interlock_msm_shape &shape, size_t *bytes) {
    Scratch<F> scratch;
    const cudaError_t error = scratch.carve(nullptr, n, shape);
    if (error == cudaSuccess) *bytes = scratch.bytes;
    return error;
}

/// Does `work` with the form that is faster on the current device, as std::true_type for digits, always the same on a device.
template <class F, class Work>
cudaError_t in_fastest_form(const Work &work) {
    bool digits;
    if (cudaError_t error = are_digits_faster(&digits, accumulate<F, false, true>)) return error;
    if (digits) return work(std::true_type{});
    return work(std::false_type{});
}

/// Makes the sums of segments where windows share buckets: the first group's are made, and the others add to them.
template <class F, bool DIGITS>
cudaError_t fill_shared(const Scratch<F> &scratch, const interlock_msm_terms &terms, const interlock_msm_shape &shape, cudaStream_t stream) {
    for (unsigned g = 0; g < groups_of(shape); g++) {
        const Group group = group_of(shape, g);
        cudaError_t error = g == 0 ? clear(scratch.buckets, group.buckets(), stream) : cudaSuccess;
        if (error == cudaSuccess) {
            const auto filled = g == 0 ? fill<F, false, DIGITS> : fill<F, true, DIGITS>;
            error = filled(scratch.filling, scratch.buckets, terms, group, stream);
        }
        if (error != cudaSuccess) return error;
    }
    return scratch.segments.template sum<DIGITS>(scratch.buckets, Group::alone(shape.window_bits, 0, shape.sets), shape, stream);
}

/// `interlock_msm_*`.
template <class F>
cudaError_t multiply(void *memory, Xyzz<F> *sums, const interlock_msm_terms &terms, const interlock_msm_shape &shape,
                     cudaStream_t stream) {
    if (!is_valid<F>(shape, terms)) return cudaErrorInvalidValue;
    if (terms.n == 0) return clear(sums, size_t{shape.sets} * sums_of_window(shape), stream);
    Scratch<F> scratch;
    if (cudaError_t error = scratch.carve(memory, terms.n, shape)) return error;
    return in_fastest_form<F>([&](auto form) -> cudaError_t {
        constexpr bool DIGITS = decltype(form)::value;
        if constexpr (std::is_same<F, Fp>::value) {
            if (shares_buckets(shape)) {
                if (cudaError_t error = fill_shared<F, DIGITS>(scratch, terms, shape, stream)) return error;
                return scratch.segments.template sum_all<DIGITS>(sums, shape, stream);
            }
        }
        for (unsigned g = 0; g < groups_of(shape); g++) {
            const Group group = group_of(shape, g);
            if (cudaError_t error = clear(scratch.buckets, group.buckets(), stream)) return error;
            if (cudaError_t error = fill<F, false, DIGITS>(scratch.filling, scratch.buckets, terms, group, stream)) return error;
            if (cudaError_t error = scratch.segments.template sum<DIGITS>(scratch.buckets, group, shape, stream)) return error;
        }
        return scratch.segments.template sum_all<DIGITS>(sums, shape, stream);
    });
}

/// `interlock_fill_*_scratch_bytes`.
template <class F>
cudaError_t fill_scratch_bytes(size_t n, unsigned windows, size_t *bytes) {
    Carver carver(nullptr);
    FillScratch<F> scratch;
    const cudaError_t error = scratch.carve(&carver, n, windows);
    if (error == cudaSuccess) *bytes = carver.used();
    return error;
}

/// `interlock_fill_*`.
template <class F>
cudaError_t fill_windows(void *memory, Stored<F> *buckets, const interlock_msm_terms &terms, const interlock_msm_shape &shape,
                         unsigned first, cudaStream_t stream) {
    if (!is_valid<F>(shape, terms) || shares_buckets(shape) || first >= shape.windows) return cudaErrorInvalidValue;
    if (terms.n == 0) return cudaSuccess;
    const unsigned end = first + shape.group < shape.windows ? first + shape.group : shape.windows;
    const Group group = Group::alone(shape.window_bits, first, end - first);
    Carver carver(memory);
    FillScratch<F> scratch;
    if (cudaError_t error = scratch.carve(&carver, terms.n, group.windows)) return error;
    return in_fastest_form<F>([&](auto form) {
        Stored<F> *of_group = buckets + (size_t{first} << (shape.window_bits - 1));
        return fill<F, true, decltype(form)::value>(scratch, of_group, terms, group, stream);
    });
}

/// `interlock_reduce_*`.
template <class F>
cudaError_t reduce(void *memory, Xyzz<F> *sums, const Stored<F> *buckets, const interlock_msm_shape &shape, cudaStream_t stream) {
    if (!is_valid<F>(shape, {}) || shares_buckets(shape)) return cudaErrorInvalidValue;
    Carver carver(memory);
    Segments<F> segments;
    segments.carve(&carver, shape, shape.windows);
    const Group all = Group::alone(shape.window_bits, 0, shape.windows);
    return in_fastest_form<F>([&](auto form) -> cudaError_t {
        constexpr bool DIGITS = decltype(form)::value;
        if (cudaError_t error = segments.template sum<DIGITS>(buckets, all, shape, stream)) return error;
        return segments.template sum_all<DIGITS>(sums, shape, stream);
    });
}

}  // namespace msm
}  // namespace interlock
