// Additions and multiplications of 32-bit words that pass a carry from each to the next.
//
// On the device they are PTX instructions on the condition code. On the host the carry is a variable, so that a test there runs
// the very chains that the device runs. Between the first instruction of a chain and its last no other may touch the carry.
#pragma once

#include <cstdint>

// INTERLOCK_HD: a function for host and device that becomes part of its callers. INTERLOCK_HD_CALL: one that is called, for what
// is rare or so long that copies of it would crowd a loop out of the instruction cache.
#ifdef __CUDACC__
#define INTERLOCK_HD __host__ __device__ __forceinline__
#define INTERLOCK_HD_CALL __host__ __device__ __noinline__
#else
#define INTERLOCK_HD inline
#define INTERLOCK_HD_CALL inline
#endif

namespace interlock {
namespace carry {

#ifdef __CUDA_ARCH__

#define INTERLOCK_CHAIN_2(name, instruction)                                            \
    INTERLOCK_HD uint32_t name(uint32_t a, uint32_t b) {                                \
        uint32_t result;                                                                \
        asm volatile(instruction " %0, %1, %2;" : "=r"(result) : "r"(a), "r"(b));       \
        return result;                                                                  \
    }
#define INTERLOCK_CHAIN_3(name, instruction)                                                    \
    INTERLOCK_HD uint32_t name(uint32_t a, uint32_t b, uint32_t c) {                            \
        uint32_t result;                                                                        \
        asm volatile(instruction " %0, %1, %2, %3;" : "=r"(result) : "r"(a), "r"(b), "r"(c));   \
        return result;                                                                          \
    }

INTERLOCK_CHAIN_2(add_cc, "add.cc.u32")
INTERLOCK_CHAIN_2(addc_cc, "addc.cc.u32")
INTERLOCK_CHAIN_2(addc, "addc.u32")
INTERLOCK_CHAIN_2(sub_cc, "sub.cc.u32")
INTERLOCK_CHAIN_2(subc_cc, "subc.cc.u32")
INTERLOCK_CHAIN_2(subc, "subc.u32")
INTERLOCK_CHAIN_3(mad_lo_cc, "mad.lo.cc.u32")
INTERLOCK_CHAIN_3(madc_lo_cc, "madc.lo.cc.u32")
INTERLOCK_CHAIN_3(madc_hi_cc, "madc.hi.cc.u32")
INTERLOCK_CHAIN_3(madc_hi, "madc.hi.u32")

#undef INTERLOCK_CHAIN_2
#undef INTERLOCK_CHAIN_3

#else

/// The condition code: the carry of an addition, or the borrow of a subtraction.
inline uint32_t &flag() {
    static thread_local uint32_t carry = 0;
    return carry;
}

inline uint32_t low_and_keep(uint64_t sum) {
    flag() = static_cast<uint32_t>(sum >> 32);
    return static_cast<uint32_t>(sum);
}

inline uint32_t low_and_borrow(uint64_t difference) {
    flag() = static_cast<uint32_t>(difference >> 63);
    return static_cast<uint32_t>(difference);
}

inline uint64_t low(uint32_t a, uint32_t b) { return static_cast<uint32_t>(uint64_t{a} * b); }
inline uint64_t high(uint32_t a, uint32_t b) { return uint64_t{a} * b >> 32; }

inline uint32_t add_cc(uint32_t a, uint32_t b) { return low_and_keep(uint64_t{a} + b); }
inline uint32_t addc_cc(uint32_t a, uint32_t b) { return low_and_keep(uint64_t{a} + b + flag()); }
inline uint32_t addc(uint32_t a, uint32_t b) { return a + b + flag(); }
inline uint32_t sub_cc(uint32_t a, uint32_t b) { return low_and_borrow(uint64_t{a} - b); }
inline uint32_t subc_cc(uint32_t a, uint32_t b) { return low_and_borrow(uint64_t{a} - b - flag()); }
inline uint32_t subc(uint32_t a, uint32_t b) { return a - b - flag(); }
inline uint32_t mad_lo_cc(uint32_t a, uint32_t b, uint32_t c) { return low_and_keep(low(a, b) + c); }
inline uint32_t madc_lo_cc(uint32_t a, uint32_t b, uint32_t c) { return low_and_keep(low(a, b) + c + flag()); }
inline uint32_t madc_hi_cc(uint32_t a, uint32_t b, uint32_t c) { return low_and_keep(high(a, b) + c + flag()); }
inline uint32_t madc_hi(uint32_t a, uint32_t b, uint32_t c) { return static_cast<uint32_t>(high(a, b) + c + flag()); }

#endif

}  // namespace carry
}  // namespace interlock
