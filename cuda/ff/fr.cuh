// Fr, the field of the scalars: 32 bytes.
#pragma once

#include "ff/montgomery.cuh"

namespace interlock {

using Fr = Montgomery<FrConstants>;
static_assert(sizeof(Fr) == 32, "the layout of the C ABI");

}  // namespace interlock
