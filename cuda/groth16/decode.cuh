// Points from a parameter file's bytes: ZCash's uncompressed encoding to affine coordinates in Montgomery form.
#pragma once

#include <cuda_runtime.h>

#include "ec/affine.cuh"
#include "launch/launchers.h"

namespace interlock {
namespace groth16 {

constexpr unsigned DECODE_BLOCK = 128;

constexpr uint32_t COMPRESSED = 1u << 31, INFINITY_FLAG = 1u << 30, SIGN = 1u << 29;
constexpr uint32_t FLAGS = COMPRESSED | INFINITY_FLAG | SIGN;

/// Where an encoding has its coordinates' parts, in the order of the affine point's.
template <class F>
struct Encoding;

template <>
struct Encoding<Fp> {
    static constexpr int PARTS = 2;
    __device__ static constexpr int place(int part) { return part; }
    __device__ static Fp b() { return Fp::one().doubled().doubled(); }
};

/// The part with u comes first in a file and second in memory.
template <>
struct Encoding<Fp2> {
    static constexpr int PARTS = 4;
    __device__ static constexpr int place(int part) { return part ^ 1; }
    __device__ static Fp2 b() {
        const Fp four = Fp::one().doubled().doubled();
        return {four, four};
    }
};

__device__ __forceinline__ bool is_below_modulus(const Fp &x) {
    carry::sub_cc(x.limb[0], FpConstants::modulus(0));
#pragma unroll
    for (int i = 1; i < Fp::N; i++) carry::subc_cc(x.limb[i], FpConstants::modulus(i));
    return carry::subc(0, 0) != 0;
}

/// What is wrong with the flags, or 0. `words` are the encoding's, in the byte order of the file.
__device__ __forceinline__ int fault_of_flags(const uint32_t *words, int n) {
    const uint32_t first = __byte_perm(words[0], 0, 0x0123);
    if ((first & FLAGS) == 0) return 0;
    if ((first & COMPRESSED) != 0) return INTERLOCK_POINT_COMPRESSED;
    if ((first & INFINITY_FLAG) == 0) return INTERLOCK_POINT_SIGN;
    uint32_t others = first & ~INFINITY_FLAG;
    for (int i = 1; i < n; i++) others |= words[i];
    return others == 0 ? INTERLOCK_POINT_INFINITY : INTERLOCK_POINT_INFINITY_FLAG;
}

/// Decodes one point a thread. Of the faults, the one of the least point is left in *fault: (first + i) · 256 + its kind.
template <class F>
__global__ void __launch_bounds__(DECODE_BLOCK)
    decode(Affine<F> *points, const uint32_t *bytes, size_t n, uint64_t first, unsigned long long *fault) {
    constexpr int PARTS = Encoding<F>::PARTS;
    const size_t i = size_t{blockIdx.x} * DECODE_BLOCK + threadIdx.x;
    if (i >= n) return;
    const uint32_t *words = bytes + i * PARTS * Fp::N;
    int kind = fault_of_flags(words, PARTS * Fp::N);

    Fp parts[PARTS], to_montgomery;
#pragma unroll
    for (int j = 0; j < Fp::N; j++) to_montgomery.limb[j] = FpConstants::r_squared(j);
    bool below = true;
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        const uint32_t *big_endian = words + Encoding<F>::place(part) * Fp::N;
        Fp integer;
#pragma unroll
        for (int j = 0; j < Fp::N; j++) integer.limb[j] = __byte_perm(big_endian[Fp::N - 1 - j], 0, 0x0123);
        below = below && is_below_modulus(integer);
        parts[part] = integer * to_montgomery;
    }
    if (kind == 0 && !below) kind = INTERLOCK_POINT_COORDINATE;

    const Affine<F> point = *reinterpret_cast<const Affine<F> *>(parts);
    const F right = point.x.squared() * point.x + Encoding<F>::b();
    if (kind == 0 && !(point.y.squared() == right)) kind = INTERLOCK_POINT_OFF_CURVE;
    points[i] = point;
    if (kind != 0) atomicMin(fault, static_cast<unsigned long long>((first + i) << 8 | kind));
}

}  // namespace groth16
}  // namespace interlock
