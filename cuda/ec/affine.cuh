// Points of y² = x³ + b in affine coordinates.
#pragma once

#include "ff/fp2.cuh"

namespace interlock {

/// Infinity is all zeros, which is no point of the curve.
template <class F>
struct Affine {
    F x, y;

    INTERLOCK_HD static Affine infinity() { return {F::zero(), F::zero()}; }
    INTERLOCK_HD bool is_infinity() const { return x.is_zero() && y.is_zero(); }
    INTERLOCK_HD Affine operator-() const { return {x, -y}; }
};

using G1Affine = Affine<Fp>;
using G2Affine = Affine<Fp2>;
static_assert(sizeof(G1Affine) == 96 && sizeof(G2Affine) == 192, "the layout of the C ABI");

}  // namespace interlock
