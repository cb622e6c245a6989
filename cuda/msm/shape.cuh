// How an MSM is cut into windows, groups of windows and segments of buckets.
#pragma once

#include "msm/entries.cuh"
#include "msm/tuning.cuh"

namespace interlock {
namespace msm {

/// Bits that the digits must hold: those of the least of s and r − s, and one for the carry.
constexpr unsigned SCALAR_BITS = 255;
constexpr unsigned LEAST_WINDOW_BITS = 2, MOST_WINDOW_BITS = 26;

constexpr size_t blocks_of(size_t n, size_t block) { return (n + block - 1) / block; }

/// The segments of a window.
constexpr size_t segments_of(const interlock_msm_shape &shape) {
    return blocks_of(size_t{1} << (shape.window_bits - 1), shape.segment);
}

/// Blocks of threads for them.
template <class F>
constexpr size_t segment_blocks(const interlock_msm_shape &shape) {
    return blocks_of(segments_of(shape), SummingKernel<F>::BLOCK);
}

/// The sums that are left of a window: one, and one for each bit of a segment's number.
constexpr unsigned sums_of_window(const interlock_msm_shape &shape) {
    unsigned bits = 0;
    while (segments_of(shape) > size_t{1} << bits) bits++;
    return 1 + bits;
}

/// Whether windows share sets of buckets, as points have multiples.
constexpr bool shares_buckets(const interlock_msm_shape &shape) { return shape.sets < shape.windows; }

/// The groups of windows that are worked on one after the other, as even as can be, so that none is too small to fill the device.
constexpr unsigned groups_of(const interlock_msm_shape &shape) {
    return static_cast<unsigned>(blocks_of(shape.windows, shape.group));
}
constexpr Group group_of(const interlock_msm_shape &shape, unsigned number) {
    const unsigned groups = groups_of(shape);
    const unsigned first = number * shape.windows / groups, end = (number + 1) * shape.windows / groups;
    if (!shares_buckets(shape)) return Group::alone(shape.window_bits, first, end - first);
    return {shape.window_bits, first, end - first, 0, shape.sets, static_cast<uint32_t>(shape.stride)};
}

/// Blocks of threads for the segments of a group, at most. Those of the last window's buckets for which scalars are too small do not count.
template <class F>
size_t most_segment_blocks(const interlock_msm_shape &shape) {
    const size_t last_buckets = size_t{1} << (SCALAR_BITS - 1 - shape.window_bits * (shape.windows - 1));
    const size_t of_last = blocks_of(last_buckets, size_t{shape.segment} * SummingKernel<F>::BLOCK);
    size_t most = 0;
    for (unsigned g = 0; g < groups_of(shape); g++) {
        const size_t windows = group_of(shape, g).windows;
        const bool has_last = g + 1 == groups_of(shape);
        const size_t blocks = has_last ? (windows - 1) * segment_blocks<F>(shape) + of_last : windows * segment_blocks<F>(shape);
        most = most < blocks ? blocks : most;
    }
    return most;
}

/// The shape for n terms, as tuned.
template <class F>
interlock_msm_shape shape_for(size_t n) {
    const WindowChoice *choice = WINDOW_BITS<F>;
    while (n > choice->terms) choice++;
    interlock_msm_shape shape;
    shape.window_bits = choice->bits;
    shape.windows = (SCALAR_BITS + choice->bits - 1) / choice->bits;
    shape.sets = shape.windows;
    shape.stride = 0;
    shape.group = 1;
    while (shape.group < shape.windows && n * (shape.group + 1) <= GROUP_ENTRIES) shape.group++;
    shape.segment = 1;
    while (most_segment_blocks<F>(shape) > GROUP_BLOCKS<F>) shape.segment++;
    return shape;
}

/// Whether the kernels can work in this shape: numbers of entries and buckets have 32 bits, those of points 31.
template <class F>
bool is_valid(const interlock_msm_shape &shape, const interlock_msm_terms &terms) {
    return shape.window_bits >= LEAST_WINDOW_BITS && shape.window_bits <= MOST_WINDOW_BITS &&
           shape.segment >= 1 && shape.segment <= 1u << (shape.window_bits - 1) && shape.windows == (SCALAR_BITS + shape.window_bits - 1) / shape.window_bits &&
           shape.group >= 1 && shape.group <= shape.windows && terms.n < size_t{1} << 31 &&
           terms.n * shape.group < size_t{1} << 32 && shape.sets >= 1 &&
           (shares_buckets(shape) ? std::is_same<F, Fp>::value && (shape.windows - 1) / shape.sets * shape.stride + terms.n <= size_t{1} << 31
                                  : shape.sets == shape.windows && shape.stride == 0) && terms.reversed_bits <= 32 &&
           (terms.reversed_bits == 0 ? terms.first == 0
                                     : terms.indices == nullptr && terms.first + terms.n <= size_t{1} << terms.reversed_bits);
}

}  // namespace msm
}  // namespace interlock
