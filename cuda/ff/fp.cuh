// Fp, the field of the coordinates of G1: 48 bytes.
#pragma once

#include "ff/montgomery.cuh"

namespace interlock {

using Fp = Montgomery<FpConstants>;
static_assert(sizeof(Fp) == 48, "the layout of the C ABI");

}  // namespace interlock
