// Terms of an MSM, copied to follow one another.
#pragma once

#include <cstdint>

#include "launch/launchers.h"

namespace interlock {
namespace groth16 {

constexpr unsigned COPY_BLOCK = 256;
/// Sixteen-byte units of a scalar.
constexpr unsigned SCALAR_UNITS = 2;

/// points[i] and scalars[i] = the point and the scalar of term i, or zeros if the term does not count. A thread has a unit of one of them:
/// those of a point lie together, points themselves anywhere.
template <unsigned POINT_UNITS>
__global__ void __launch_bounds__(COPY_BLOCK) copy_terms(uint4 *points, uint4 *scalars, interlock_msm_terms terms) {
    constexpr unsigned UNITS = POINT_UNITS + SCALAR_UNITS;
    const size_t thread = size_t{blockIdx.x} * COPY_BLOCK + threadIdx.x;
    const size_t i = thread / UNITS;
    const auto unit = static_cast<unsigned>(thread % UNITS);
    if (i >= terms.n) return;
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
