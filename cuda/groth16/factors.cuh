// The numbers that the tables of a domain are made of.
#pragma once

#include <cstdint>

#include "ff/fr.cuh"

namespace interlock {
namespace groth16 {

/// log2 of the largest domain: r − 1 is an odd multiple of 2^32.
constexpr int MAX_LOG2 = 32;

/// In device memory, made by fill_factors.
struct Factors {
    /// For bit j of i: w^−rev(2^j), a root of unity of order 2^(j + 2), whatever the domain.
    Fr roots[MAX_LOG2];
    /// For bit j of i: g^rev(2^j) and g^−rev(2^j), with rev reversing log2 bits.
    Fr to_coset[MAX_LOG2], from_coset[MAX_LOG2];
    /// 1 / (m·z·R) and 1 / (m³·z·R), with z = g^m − 1: h is wanted as integers, and not in Montgomery form.
    Fr of_c, of_product;
};

/// 7, which generates the multiplicative group of the field.
__device__ inline Fr generator() {
    const Fr two = Fr::one().doubled();
    return two.doubled().doubled() - Fr::one();
}

/// A root of unity of order 2^32: g^((r − 1) / 2^32).
__device__ inline Fr root_of_unity() {
    Fr power = Fr::one();
#pragma unroll 1
    for (int i = 32 * (Fr::N - 1) - 1; i >= 0; i--) {
        power = power.squared();
        if (FrConstants::modulus(1 + i / 32) >> (i % 32) & 1) power = power * generator();
    }
    return power;
}

/// Three blocks of one thread.
__global__ void fill_factors(Factors *factors, int log2) {
    if (blockIdx.x == 0) {
        Fr root = root_of_unity().inverse();
#pragma unroll 1
        for (int j = MAX_LOG2 - 2; j >= 0; j--) {
            factors->roots[j] = root;
            root = root.squared();
        }
        return;
    }
    const bool onto = blockIdx.x == 1;
    Fr power = onto ? generator() : generator().inverse();
#pragma unroll 1
    for (int j = log2 - 1; j >= 0; j--) {
        (onto ? factors->to_coset : factors->from_coset)[j] = power;
        power = power.squared();
    }
    if (!onto) return;
    const Fr z = power - Fr::one();
    const Fr half = Fr::one().doubled().inverse();
    Fr per_size = Fr::one();
#pragma unroll 1
    for (int i = 0; i < log2; i++) per_size = per_size * half;
    factors->of_c = z.inverse() * per_size * Fr::inverse_radix();
    factors->of_product = factors->of_c * per_size.squared();
}

}  // namespace groth16
}  // namespace interlock
