// Points of y² = x³ + b in XYZZ coordinates, for curves without points of order 2 (the orders of both of BLS12-381's are odd).
//
// The formulas are those of the Explicit-Formulas Database, "XYZZ coordinates for short Weierstrass curves", with a = 0:
// madd-2008-s (8M + 2S), add-2008-s (12M + 2S), dbl-2008-s-1 (6M + 3S) and mdbl-2008-s-1 (4M + 3S). Every operation is right for
// all points: equal, opposite and infinite ones too.
#pragma once

#include "ec/affine.cuh"

namespace interlock {

/// (x/zz, y/zzz), with zz³ = zzz². Infinity has zz = 0.
template <class F>
struct Xyzz {
    F x, y, zz, zzz;

    INTERLOCK_HD static Xyzz infinity() { return {F::zero(), F::zero(), F::zero(), F::zero()}; }

    INTERLOCK_HD static Xyzz from(const Affine<F> &p) {
        return p.is_infinity() ? infinity() : Xyzz{p.x, p.y, F::one(), F::one()};
    }

    INTERLOCK_HD bool is_infinity() const { return zz.is_zero(); }
    INTERLOCK_HD Xyzz operator-() const { return {x, -y, zz, zzz}; }

    /// Infinity's double comes out as infinity.
    INTERLOCK_HD Xyzz doubled() const {
        const Xyzz r = doubled_of(x, y);
        return {r.x, r.y, r.zz * zz, r.zzz * zzz};
    }

    INTERLOCK_HD friend Xyzz operator+(const Xyzz &a, const Affine<F> &b) {
        if (b.is_infinity()) return a;
        if (a.is_infinity()) return from(b);
        const F run = b.x * a.zz - a.x;
        const F rise = b.y * a.zzz - a.y;
        if (run.is_zero()) return rise.is_zero() ? doubled_of(b.x, b.y) : infinity();
        const F run2 = run.squared(), run3 = run2 * run;
        const F q = a.x * run2;
        const F x = rise.squared() - run3 - q.doubled();
        return {x, rise * (q - x) - a.y * run3, a.zz * run2, a.zzz * run3};
    }

    INTERLOCK_HD friend Xyzz operator+(const Xyzz &a, const Xyzz &b) {
        if (b.is_infinity()) return a;
        if (a.is_infinity()) return b;
        const F ax = a.x * b.zz, ay = a.y * b.zzz;
        const F run = b.x * a.zz - ax;
        const F rise = b.y * a.zzz - ay;
        if (run.is_zero()) return rise.is_zero() ? a.doubled() : infinity();
        const F run2 = run.squared(), run3 = run2 * run;
        const F q = ax * run2;
        const F x = rise.squared() - run3 - q.doubled();
        return {x, rise * (q - x) - ay * run3, a.zz * b.zz * run2, a.zzz * b.zzz * run3};
    }

    /// One inversion.
    INTERLOCK_HD Affine<F> to_affine() const {
        const F inverse = (zz * zzz).inverse();
        return {x * (inverse * zzz), y * (inverse * zz)};
    }

   private:
    /// The double of (x, y); for a point in XYZZ coordinates zz and zzz are yet to be multiplied by its own.
    INTERLOCK_HD_CALL static Xyzz doubled_of(F x, F y) {
        const F u = y.doubled();
        const F v = u.squared(), w = u * v;
        const F s = x * v;
        const F square = x.squared();
        const F m = square.doubled() + square;
        const F x2 = m.squared() - s.doubled();
        return {x2, m * (s - x2) - w * y, v, w};
    }
};

}  // namespace interlock
