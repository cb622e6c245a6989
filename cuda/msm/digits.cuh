// The kernels that make entries of scalars, and count them.
#pragma once

#include "ff/fr.cuh"
#include "msm/entries.cuh"

namespace interlock {
namespace msm {

constexpr unsigned DIGITS_BLOCK = 256;

/// A scalar as an integer, 32-bit limbs from the lowest.
struct Integer {
    uint32_t limb[Fr::N];
};

__device__ __forceinline__ Integer to_integer(Fr x, bool is_integer) {
    // x/R mod r for x in Montgomery form.
    if (!is_integer) x = x * Fr::inverse_radix();
    Integer integer;
#pragma unroll
    for (int i = 0; i < Fr::N; i++) integer.limb[i] = x.limb[i];
    return integer;
}

/// Makes x the lesser of x and r − x, and tells whether it has become r − x.
__device__ __forceinline__ bool make_least(Integer &x) {
    Integer negated;
    negated.limb[0] = carry::sub_cc(FrConstants::modulus(0), x.limb[0]);
#pragma unroll
    for (int i = 1; i < Fr::N; i++) negated.limb[i] = carry::subc_cc(FrConstants::modulus(i), x.limb[i]);
    carry::sub_cc(negated.limb[0], x.limb[0]);
#pragma unroll
    for (int i = 1; i < Fr::N; i++) carry::subc_cc(negated.limb[i], x.limb[i]);
    if (carry::subc(0, 0) == 0) return false;
    x = negated;
    return true;
}

/// The entries of the group's windows for each term, window by window.
__global__ void __launch_bounds__(DIGITS_BLOCK)
    make_digits(uint32_t *keys, uint32_t *values, interlock_msm_terms terms, Group group, uint32_t skipped) {
    // Indexed by a number that is known only at run time: not for registers.
    __shared__ uint32_t limbs[Fr::N + 1][DIGITS_BLOCK];
    const size_t i = size_t{blockIdx.x} * DIGITS_BLOCK + threadIdx.x;
    if (i >= terms.n) return;
    // Where the terms have all scalars, or all but the last, they are made in the order of these, which are then read one after the other. Entries are
    // sorted anyway.
    const auto reversed = [&terms](size_t number) { return __brev(static_cast<uint32_t>(number)) >> (32 - terms.reversed_bits); };
    const bool by_scalar = terms.reversed_bits != 0 && terms.first == 0 && terms.n + 1 >= size_t{1} << terms.reversed_bits;
    const size_t term = by_scalar ? reversed(i) : i;
    const bool present = terms.count == nullptr || term < *terms.count;
    size_t index = term;
    if (terms.indices != nullptr && present) index = terms.indices[term];
    if (terms.reversed_bits != 0) index = reversed(terms.first + term);
    const Fr given = present ? static_cast<const Fr *>(terms.scalars)[index] : Fr::zero();
    Integer scalar = to_integer(given, terms.integers != 0);
    const bool negated = make_least(scalar);
#pragma unroll
    for (int j = 0; j < Fr::N; j++) limbs[j][threadIdx.x] = scalar.limb[j];
    limbs[Fr::N][threadIdx.x] = 0;
    const uint32_t position = terms.positions != nullptr && present ? terms.positions[term] : static_cast<uint32_t>(term);

    const uint32_t half = 1u << (group.bits - 1);
    unsigned set = (group.first - group.base) % group.sets, table = (group.first - group.base) / group.sets;
    for (unsigned w = 0; w < group.windows; w++) {
        // The c bits of the digit and the one below; bit 0 stands for bit −1.
        const unsigned low = (group.first + w) * group.bits;
        const unsigned limb = low / 32, shift = low % 32;
        uint64_t bits = limb < Fr::N ? limbs[limb][threadIdx.x] | uint64_t{limbs[limb + 1][threadIdx.x]} << 32 : 0;
        bits = bits >> shift << 1;
        if (low != 0) bits |= limbs[(low - 1) / 32][threadIdx.x] >> (low - 1) % 32 & 1;
        const uint32_t window = static_cast<uint32_t>(bits) & (4 * half - 1);
        const bool below_zero = (window & 2 * half) != 0;
        const uint32_t up = (window + 1) / 2;
        const uint32_t digit = below_zero ? 2 * half - up : up;
        keys[w * terms.n + i] = digit == 0 ? skipped : set * half + digit - 1;
        values[w * terms.n + i] = (position + table * group.stride) | (below_zero != negated ? NEGATIVE : 0);
        if (++set == group.sets) {
            set = 0;
            table++;
        }
    }
}

/// *count = how many of the n sorted keys are below `skipped`. One warp: each step cuts the range to a 32nd.
__global__ void count_entries(uint32_t *count, const uint32_t *keys, size_t n, uint32_t skipped) {
    size_t low = 0, high = n;  // keys before `low` are below, keys from `high` on are not
    while (low < high) {
        const size_t step = (high - low + 31) / 32;
        const size_t probe = low + threadIdx.x * step;
        const unsigned below = __popc(__ballot_sync(~0u, probe < high && keys[probe] < skipped));
        if (below == 0) break;
        const size_t last = low + (below - 1) * step;
        low = last + 1;
        if (last + step < high) high = last + step;
    }
    if (threadIdx.x == 0) *count = static_cast<uint32_t>(low);
}

}  // namespace msm
}  // namespace interlock
