// Terms of MSMs, copied to follow one another.
#pragma once

#include <cstdint>

#include "launch/launchers.h"

namespace interlock {
namespace groth16 {

constexpr unsigned COPY_BLOCK = 256;
/// Sixteen-byte units of a scalar.
constexpr unsigned SCALAR_UNITS = 2;

/// What is copied, and which blocks copy it: blocks are numbered through.
struct Copies {
    interlock_copied_terms of[INTERLOCK_COPIES];
    uint32_t first_blocks[INTERLOCK_COPIES];
};

/// points[i] and scalars[i] = the point and the scalar of term i, or zeros if the term does not count. A thread has a unit of one of them:
/// those of a point lie together, points themselves anywhere.
template <unsigned POINT_UNITS>
__global__ void __launch_bounds__(COPY_BLOCK) copy_terms(const __grid_constant__ Copies copies) {
    constexpr unsigned UNITS = POINT_UNITS + SCALAR_UNITS;
    unsigned copy = 0;
#pragma unroll
    for (unsigned next = 1; next < INTERLOCK_COPIES; next++) copy += copies.first_blocks[next] <= blockIdx.x;
    const interlock_msm_terms &terms = copies.of[copy].terms;
    const size_t thread = size_t{blockIdx.x - copies.first_blocks[copy]} * COPY_BLOCK + threadIdx.x;
    const size_t i = thread / UNITS;
    const auto unit = static_cast<unsigned>(thread % UNITS);
    if (i >= terms.n) return;
    auto *points = static_cast<uint4 *>(copies.of[copy].points), *scalars = static_cast<uint4 *>(copies.of[copy].scalars);
    const bool counts = i < *terms.count;
    uint4 value = {0, 0, 0, 0};
    if (unit < POINT_UNITS) {
        if (counts) value = static_cast<const uint4 *>(terms.points)[size_t{terms.positions[i]} * POINT_UNITS + unit];
        points[i * POINT_UNITS + unit] = value;
    } else {
        const unsigned of_scalar = unit - POINT_UNITS;
        if (counts) value = static_cast<const uint4 *>(terms.scalars)[size_t{terms.indices[i]} * SCALAR_UNITS + of_scalar];
        scalars[i * SCALAR_UNITS + of_scalar] = value;
    }
}

}  // namespace groth16
}  // namespace interlock
