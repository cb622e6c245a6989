// How an MSM is cut into windows, groups of windows and segments of buckets.
#pragma once

#include "launch/launchers.h"
#include "msm/tuning.cuh"

namespace interlock {
namespace msm {

/// Bits that the digits must hold: those of the least of s and r − s, and one for the carry.
constexpr unsigned SCALAR_BITS = 255;
constexpr unsigned LEAST_WINDOW_BITS = 2, MOST_WINDOW_BITS = 26;

constexpr unsigned log_segments(const interlock_msm_shape &shape) { return shape.window_bits - 1 - shape.segment_bits; }

/// The shape for n terms, as tuned.
inline interlock_msm_shape shape_for(size_t n) {
    const WindowChoice *choice = WINDOW_BITS;
    while (n > choice->terms) choice++;
    interlock_msm_shape shape;
    shape.window_bits = choice->bits;
    shape.windows = (SCALAR_BITS + choice->bits - 1) / choice->bits;
    shape.group = 1;
    while (shape.group < shape.windows && n * (shape.group + 1) <= GROUP_ENTRIES) shape.group++;
    shape.segment_bits = 0;
    while (shape.segment_bits < shape.window_bits - 1 &&
           size_t{shape.group} << (log_segments(shape)) > GROUP_SEGMENTS) {
        shape.segment_bits++;
    }
    return shape;
}

/// Whether the kernels can work in this shape: numbers of entries and buckets have 32 bits.
inline bool is_valid(const interlock_msm_shape &shape, const interlock_msm_terms &terms) {
    return shape.window_bits >= LEAST_WINDOW_BITS && shape.window_bits <= MOST_WINDOW_BITS &&
           shape.segment_bits < shape.window_bits && shape.windows == (SCALAR_BITS + shape.window_bits - 1) / shape.window_bits &&
           shape.group >= 1 && shape.group <= shape.windows && terms.n < size_t{1} << 31 &&
           terms.n * shape.group < size_t{1} << 32 && terms.reversed_bits <= 32 &&
           (terms.reversed_bits == 0 ? terms.first == 0
                                     : terms.indices == nullptr && terms.first + terms.n <= size_t{1} << terms.reversed_bits);
}

}  // namespace msm
}  // namespace interlock
