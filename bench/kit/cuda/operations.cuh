// The operations that are checked: what each takes, what it gives, and how the library's arithmetic does it.
#pragma once

#include "../../d39/rooms.h"
#include "ff/multiplier.cuh"

namespace kit {

using namespace interlock;

template <class F>
struct Pair {
    F a, b;
};

#define KIT_ON_PAIR(Name, expression)                                   \
    template <class F>                                                  \
    struct Name {                                                       \
        using In = Pair<F>;                                             \
        using Out = F;                                                  \
        INTERLOCK_HD static Out of(const In &in) {                      \
            const F &a = in.a, &b = in.b;                               \
            return expression;                                          \
        }                                                               \
    };
KIT_ON_PAIR(Add, a + b)
KIT_ON_PAIR(Subtract, a - b)
KIT_ON_PAIR(Multiply, a *b)
KIT_ON_PAIR(Equal, a == b ? F::one() : F::zero())

#define KIT_ON_ONE(Name, expression)                                    \
    template <class F>                                                  \
    struct Name {                                                       \
        using In = F;                                                   \
        using Out = F;                                                  \
        INTERLOCK_HD static Out of(const In &a) { return expression; }  \
    };
KIT_ON_ONE(Square, a.squared())
KIT_ON_ONE(Negate, -a)
KIT_ON_ONE(Double, a.doubled())
KIT_ON_ONE(Invert, a.inverse())

/// The number that a is with r added once, and twice for 0.
INTERLOCK_HD Fr unreduced(const Fr &a) {
    Fr sum = a;
    for (int times = a.is_zero() ? 2 : 1; times > 0; times--) {
        sum.limb[0] = carry::add_cc(sum.limb[0], FrConstants::modulus(0));
        for (int i = 1; i < Fr::N; i++) sum.limb[i] = carry::addc_cc(sum.limb[i], FrConstants::modulus(i));
    }
    return sum;
}

// Products with a number whose quotient is kept beside it.
#define KIT_ON_MULTIPLIER(Name, expression)                             \
    struct Name {                                                       \
        using In = Pair<Fr>;                                            \
        using Out = Fr;                                                 \
        INTERLOCK_HD static Out of(const In &in) {                      \
            const Multiplier w = Multiplier::of(in.a);                  \
            const Fr &x = in.b;                                         \
            return expression;                                          \
        }                                                               \
    };
KIT_ON_MULTIPLIER(MultiplyBy, w *x)
KIT_ON_MULTIPLIER(MultiplyUnreducedBy, w *unreduced(x))
KIT_ON_MULTIPLIER(MultiplyByNegative, in.a.is_zero() ? in.a : -w * unreduced(x))

/// Two points, each with a factor that hides it in its XYZZ coordinates.
template <class F>
struct Points {
    Affine<F> p, q;
    F zp, zq;
};

/// p with zz = z², zzz = z³.
template <class F>
INTERLOCK_HD Xyzz<F> scaled(const Affine<F> &p, const F &z) {
    const F zz = z.squared(), zzz = zz * z;
    if (p.is_infinity()) return Xyzz<F>::infinity();
    return {p.x * zz, p.y * zzz, zz, zzz};
}

#define KIT_ON_POINTS(Name, expression)                                 \
    template <class F>                                                  \
    struct Name {                                                       \
        using In = Points<F>;                                           \
        using Out = Affine<F>;                                          \
        INTERLOCK_HD static Out of(const In &in) {                      \
            const Xyzz<F> p = scaled(in.p, in.zp);                      \
            return (expression).to_affine();                            \
        }                                                               \
    };
KIT_ON_POINTS(AddMixed, p + in.q)
KIT_ON_POINTS(AddFull, p + scaled(in.q, in.zq))
KIT_ON_POINTS(SubtractFull, p + -scaled(in.q, in.zq))
KIT_ON_POINTS(SubtractMixed, p + -in.q)
KIT_ON_POINTS(DoublePoint, p.doubled())

INTERLOCK_HD bool is_zero(d39::Fp39 a) { return d39::is_zero_at(OwnPlace<d39::Digit>{&a}); }

/// A number of 64·p at most as one of less than p.
INTERLOCK_HD d39::Fp39 small(const Fp &a) { return d39::from_fp(a) * d39::Fp39::one(); }

// The same in digits of 39 bits.
#define KIT_ON_PAIR_39(Name, expression)                                \
    struct Name {                                                       \
        using In = Pair<Fp>;                                            \
        using Out = Fp;                                                 \
        INTERLOCK_HD static Out of(const In &in) {                      \
            const d39::Fp39 a = small(in.a), b = small(in.b);           \
            return expression;                                          \
        }                                                               \
    };
KIT_ON_PAIR_39(Add39, d39::to_fp((a + b).settled()))
KIT_ON_PAIR_39(Subtract39, d39::to_fp((a + -b).settled()))
KIT_ON_PAIR_39(Multiply39, d39::to_fp(a *b))
KIT_ON_PAIR_39(Equal39, is_zero((a + -b).settled()) ? Fp::one() : Fp::zero())

#define KIT_ON_ONE_39(Name, expression)                                 \
    struct Name {                                                       \
        using In = Fp;                                                  \
        using Out = Fp;                                                 \
        INTERLOCK_HD static Out of(const In &in) {                      \
            const d39::Fp39 a = small(in);                              \
            return d39::to_fp(expression);                              \
        }                                                               \
    };
KIT_ON_ONE_39(Square39, a.squared())
KIT_ON_ONE_39(Negate39, -a)
KIT_ON_ONE_39(Double39, a.doubled().settled())

#define KIT_ON_POINTS_39(Name, statements)                              \
    template <class F>                                                  \
    struct Name {                                                       \
        using In = Points<F>;                                           \
        using Out = Affine<F>;                                          \
        INTERLOCK_HD static Out of(const In &in) {                      \
            OwnSum<F> sum;                                              \
            statements;                                                 \
            return d39::to_xyzz(sum.get()).to_affine();                 \
        }                                                               \
    };
KIT_ON_POINTS_39(AddMixed39, sum.set(d39::from_xyzz(scaled(in.p, in.zp))); sum.add(in.q, false))
KIT_ON_POINTS_39(SubtractMixed39, sum.set(d39::from_xyzz(scaled(in.p, in.zp))); sum.add(in.q, true))
KIT_ON_POINTS_39(AddAffine39, sum.sum.clear(); sum.add(in.p, false); sum.add(in.q, false))
KIT_ON_POINTS_39(SubtractAffine39, sum.sum.clear(); sum.add(in.q, true); sum.add(in.p, false))

}  // namespace kit

// X(name, operation)
#define KIT_FIELD_OPERATIONS(X, field, F)     \
    X(field##_add, Add<F>)                    \
    X(field##_subtract, Subtract<F>)          \
    X(field##_multiply, Multiply<F>)          \
    X(field##_equal, Equal<F>)                \
    X(field##_square, Square<F>)              \
    X(field##_negate, Negate<F>)              \
    X(field##_double, Double<F>)              \
    X(field##_invert, Invert<F>)
#define KIT_CURVE_OPERATIONS(X, group, F)     \
    X(group##_add_mixed, AddMixed<F>)         \
    X(group##_add_full, AddFull<F>)           \
    X(group##_subtract_mixed, SubtractMixed<F>) \
    X(group##_subtract_full, SubtractFull<F>) \
    X(group##_double, DoublePoint<F>)
#define KIT_CURVE_OPERATIONS_39(X, group, F)         \
    X(group##_add_mixed_39, AddMixed39<F>)           \
    X(group##_subtract_mixed_39, SubtractMixed39<F>) \
    X(group##_add_affine_39, AddAffine39<F>)         \
    X(group##_subtract_affine_39, SubtractAffine39<F>)
#define KIT_OPERATIONS_39(X)                  \
    X(fp39_add, Add39)                        \
    X(fp39_subtract, Subtract39)              \
    X(fp39_multiply, Multiply39)              \
    X(fp39_equal, Equal39)                    \
    X(fp39_square, Square39)                  \
    X(fp39_negate, Negate39)                  \
    X(fp39_double, Double39)                  \
    KIT_CURVE_OPERATIONS_39(X, g1, Fp)        \
    KIT_CURVE_OPERATIONS_39(X, g2, Fp2)
#define KIT_MULTIPLIER_OPERATIONS(X)                   \
    X(fr_multiply_by, MultiplyBy)                      \
    X(fr_multiply_unreduced_by, MultiplyUnreducedBy)   \
    X(fr_multiply_by_negative, MultiplyByNegative)
#define KIT_OPERATIONS(X)            \
    KIT_FIELD_OPERATIONS(X, fp, Fp)  \
    KIT_FIELD_OPERATIONS(X, fr, Fr)  \
    KIT_FIELD_OPERATIONS(X, fp2, Fp2) \
    KIT_CURVE_OPERATIONS(X, g1, Fp)  \
    KIT_CURVE_OPERATIONS(X, g2, Fp2) \
    KIT_OPERATIONS_39(X)             \
    KIT_MULTIPLIER_OPERATIONS(X)
