// Fp2 = Fp[u]/(u² + 1), the field of the coordinates of G2: c0, c1, 96 bytes.
#pragma once

#include "ff/fp.cuh"

namespace interlock {

/// c0 + c1·u.
struct Fp2 {
    Fp c0, c1;

    INTERLOCK_HD static Fp2 zero() { return {Fp::zero(), Fp::zero()}; }
    INTERLOCK_HD static Fp2 one() { return {Fp::one(), Fp::zero()}; }

    INTERLOCK_HD bool is_zero() const { return c0.is_zero() && c1.is_zero(); }
    INTERLOCK_HD friend bool operator==(const Fp2 &a, const Fp2 &b) { return a.c0 == b.c0 && a.c1 == b.c1; }

    INTERLOCK_HD friend Fp2 operator+(const Fp2 &a, const Fp2 &b) { return {a.c0 + b.c0, a.c1 + b.c1}; }
    INTERLOCK_HD friend Fp2 operator-(const Fp2 &a, const Fp2 &b) { return {a.c0 - b.c0, a.c1 - b.c1}; }
    INTERLOCK_HD Fp2 operator-() const { return {-c0, -c1}; }
    INTERLOCK_HD Fp2 doubled() const { return {c0.doubled(), c1.doubled()}; }

    INTERLOCK_HD friend Fp2 operator*(const Fp2 &a, const Fp2 &b) { return product(a, b); }
    INTERLOCK_HD Fp2 squared() const { return square(*this); }

    /// 1/x, and 0 for 0: the conjugate over the norm c0² + c1².
    INTERLOCK_HD Fp2 inverse() const {
        const Fp scale = (c0.squared() + c1.squared()).inverse();
        return {c0 * scale, -(c1 * scale)};
    }

   private:
    /// Karatsuba's three products.
    INTERLOCK_HD_CALL static Fp2 product(Fp2 a, Fp2 b) {
        const Fp real = a.c0 * b.c0, imaginary = a.c1 * b.c1;
        const Fp cross = (a.c0 + a.c1) * (b.c0 + b.c1);
        return {real - imaginary, cross - real - imaginary};
    }

    /// (c0 + c1)(c0 − c1) + 2·c0·c1·u.
    INTERLOCK_HD_CALL static Fp2 square(Fp2 a) { return {(a.c0 + a.c1) * (a.c0 - a.c1), (a.c0 * a.c1).doubled()}; }
};

static_assert(sizeof(Fp2) == 96, "the layout of the C ABI");

}  // namespace interlock
