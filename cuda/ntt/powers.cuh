// Products of powers that follow the bits of an index, from two small tables.
#pragma once

#include <cstdint>

#include "ff/multiplier.cuh"

namespace interlock {
namespace ntt {

/// The product, over the bits that are set in an index, of one factor a bit: x^rev(i) is one such, with rev reversing the
/// bits of i. `low` has the products of the lowest `split` bits, `high` those of the bits above them.
struct Powers {
    const Multiplier *low;
    const Fr *high;
    int split;

    __device__ Fr at(uint32_t i) const {
        const Multiplier below = low[i & ((1u << split) - 1)];
        const Fr above = high[i >> split];
        return below * above;
    }
};

INTERLOCK_HD void put(Fr &entry, const Fr &value) { entry = value; }
INTERLOCK_HD void put(Multiplier &entry, const Fr &value) { entry = Multiplier::of(value); }

/// table[i] = scale · Π factors[j] over the bits j of i, for i < 2^bits; `scale` null is 1.
template <class Entry>
__global__ void fill_powers(Entry *table, const Fr *factors, int bits, const Fr *scale) {
    const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >> bits) return;
    Fr product = scale ? *scale : Fr::one();
#pragma unroll 1
    for (int j = 0; j < bits; j++) {
        if (i >> j & 1) product = product * factors[j];
    }
    put(table[i], product);
}

}  // namespace ntt
}  // namespace interlock
