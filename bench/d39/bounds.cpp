// Bounds of sizes and errors of the arithmetic of cuda/ec/xyzz39.cuh, from its own code on bounds in place of digits.
//
// A bound is what the size of a value cannot exceed, for any operands within theirs. Each rounding adds half a unit in the last place
// of the greatest value that it may round. The program fails if any column may be off by 2^31, or a digit or a number out of range.
// It takes for granted that Digit does what Bound stands for, and that constants are right: errors.cpp and digits.cpp see to that.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "rooms.h"
#include "sizes.h"

using namespace interlock;
using namespace interlock::d39;

namespace {

void require(bool holds, const char *what, double found) {
    if (holds) return;
    std::printf("not proven: %s: 2^%.3f\n", what, std::log2(found));
    std::exit(1);
}

/// The bounds' own arithmetic is of long doubles, of 64 bits, and each operation on them goes up by more than it may be off.
using Real = long double;
Real up(Real a) { return a * (1 + 0x1p-60L); }

/// The most that rounding to nearest changes a value of at most `size`: half a unit in the last place of a double.
Real rounding(Real size) { return size == 0 ? 0 : std::ldexp(1.0L, std::ilogb(size) - 53); }

Real greatest_error = 0, greatest_column = 0;

struct Bound {
    Real value;

    using Stored = Real;
    /// |H|, and |H − S|.
    struct Column {
        Real high, error;
    };
    struct Carry {};

    static Bound constant(double value) { return {std::fabs(Real{value})}; }
    static Bound inverse_radix(int i) { return constant(d39::inverse_radix(i)); }
    static Bound modulus(int i) { return constant(d39::modulus(i)); }
    static Bound from(Stored stored) {
        require(stored < 0x1p51L, "a digit that is stored", stored);
        return {stored};
    }
    static Bound from(Stored stored, const Bound &) { return from(stored); }
    static Bound plus(const Bound &a, const Bound &b, const Bound &sign) { return {up(a.value + b.value * sign.value)}; }
    static Stored store(Real value) {
        require(std::fabs(value) < 0x1p51L, "a digit to store", value);
        return std::fabs(value);
    }
    Bound doubled() const { return {2 * value}; }
    Bound operator-() const { return *this; }
    friend Bound operator-(const Bound &a, const Bound &b) { return {up(a.value + b.value)}; }

    static void rounded(Column &c, Real size) {
        const Real off = rounding(size);
        c = {up(size + off), up(c.error + off)};
    }
    static void set_high(Column &c, const Bound &a, const Bound &b) {
        c.error = 0;
        rounded(c, up(a.value * b.value));
    }
    static void add_high(Column &c, const Bound &a, const Bound &b) { rounded(c, up(c.high + a.value * b.value)); }
    static void set_low(Column &, const Bound &, const Bound &) {}
    static void add_low(Column &, const Bound &, const Bound &) {}
    static void subtract(Column &c, const Bound &a) { rounded(c, up(c.high + a.value)); }
    static void subtract_twice(Column &c, const Bound &a) { rounded(c, up(c.high + 2 * a.value)); }

    /// Whether the low word makes up for the error.
    static void require_exact(const Column &c) {
        const Real less_low = up(c.high + 0x1p53L), error = up(c.error + rounding(less_low));
        require(less_low < 0x1p83L, "a column", less_low);
        require(error < 0x1p31L, "the error of a column", error);
        greatest_error = std::fmax(greatest_error, error);
        greatest_column = std::fmax(greatest_column, c.high);
    }
    static void refresh(Column &c) {
        require_exact(c);
        const Real sum = up(c.high + c.error);
        c.error = 0;
        rounded(c, sum);
    }
    static Stored cut(const Column &c, Carry &) {
        require_exact(c);
        // A column that is below half of B is its digit.
        const Real sum = up(c.high + c.error);
        return sum < 0x1p38L ? sum : 0x1p38L;
    }
    /// S/B is off from (S − d)/B by d/B, and H/B by what H is.
    static void pass(Column &next, const Column &c, Carry) {
        next.error = up(next.error + (c.error + 0x1p38L) * 0x1p-39L);
        rounded(next, up(next.high + c.high * 0x1p-39L));
    }
    static void pass_multiple(Column &next, const Column &c) {
        require(c.error < 0x1p37L && c.high < 0x1p89L, "a multiple of B", c.error);
        next.error = up(next.error + c.error * 0x1p-39L);
        rounded(next, up(next.high + c.high * 0x1p-39L));
    }

    static Stored settle(const Bound &digit, Stored &multiple) {
        require(digit.value < 0x1p51L, "a digit to settle", digit.value);
        multiple = std::floor(up(digit.value * 0x1p-39L + 0.5L)) * 0x1p39L;
        return std::fmin(digit.value, 0x1p38L);
    }
    static Stored take(Stored digit, Stored multiple) { return up(digit + multiple * 0x1p-39L); }
    static Bound sum(Stored a, Stored b) { return {up(a + b)}; }
    static Stored negative(Stored a) { return a; }
};

using Bounds = Element<Bound>;

/// The size of a number over p: what comes below the last digit is less than 0.51 of its place.
Real over_p(const Bounds &a) {
    for (int i = 0; i < DIGITS - 1; i++) require(a.digit[i] <= 0x1p38L + 1.5L, "a digit", a.digit[i]);
    require(a.digit[DIGITS - 1] < 0x1p38L, "a last digit", a.digit[DIGITS - 1]);
    return up((a.digit[DIGITS - 1] + 0.51L) / 872555476.0L);
}

/// What any number of `multiples`·p can be, its digits in range.
Bounds up_to(Real multiples) {
    Bounds r;
    for (int i = 0; i < DIGITS - 1; i++) r.digit[i] = 0x1p38L + 1;
    r.digit[DIGITS - 1] = multiples * 872555477.0L + 0.51L;
    return r;
}

void say(const char *what, const Bounds &result) {
    std::printf("%s: |result| < %.4Lf p", what, over_p(result));
    if (greatest_column > 0) {
        std::printf(", |H - S| < 2^%.3Lf, |S| < 2^%.3Lf", std::log2(greatest_error), std::log2(greatest_column));
    }
    std::printf("\n");
    greatest_error = greatest_column = 0;
}

using Place = OwnPlace<Bound>;
using SumOfG1 = Sum<OwnRoom<Bound>>;
using SumOfG2 = PairSum<OwnPairRoom<Bound>>;

template <class Place>
void put_all(Place place, const Bounds &value) {
    for (int lane = 0; lane < Place::PARTS; lane++) place.of(lane).put(value);
}

/// The coordinates of any sum.
template <class Sum>
void put_any(Sum &sum) {
    put_all(sum.x, up_to(X_BELOW));
    put_all(sum.room[Y], up_to(Y_BELOW));
    put_all(sum.room[ZZ], up_to(ZZ_BELOW));
    put_all(sum.room[ZZZ], up_to(ZZ_BELOW));
}

template <class Place>
void require_below(const char *what, Place place, double below) {
    for (int lane = 0; lane < Place::PARTS; lane++) {
        const Bounds part = place.of(lane).get();
        say(what, part);
        require(over_p(part) < below, what, over_p(part));
    }
}

/// Whether they hold for what was made.
template <class Sum>
void require_any(const Sum &sum) {
    const auto check = [&](const char *what, typename Sum::Place place, double below) {
        require_below(what, place, below);
        // `pack` leaves the low word of the last digit.
        for (int lane = 0; lane < Sum::Place::PARTS; lane++) {
            const Real last = place.of(lane).get().digit[DIGITS - 1];
            require(last < 0x1p31L, what, last);
        }
    };
    check("x", sum.x, X_BELOW);
    check("y", sum.room[Y], Y_BELOW);
    check("zz", sum.room[ZZ], ZZ_BELOW);
    check("zzz", sum.room[ZZZ], ZZ_BELOW);
}

/// The run and the rise: those of an addition are told from 0, as numbers below 4·p are.
template <class Sum>
void require_run_and_rise(const Sum &sum) {
    require_below("run", sum.room[A], 4);
    require_below("rise", sum.room[B], 4);
}

void operations() {
    Bounds point = up_to(POINT_UP_TO), factor = up_to(FACTOR_BELOW), result;
    const Place to{&result}, none = Place::none(), a{&point}, b{&factor};
    put_product(to, a, b, none);
    say("a·b, of 64 p and 4 p", result);
    put_product(to, b, b, none);
    say("a·b, of 4 p", result);
    put_product(to, a, b, b);
    say("a·b − c, of 64 p and 4 p", result);
    put_square(to, b, none, none);
    say("a²", result);
    put_square(to, b, b, b);
    say("a² − c − 2·d", result);
    put_product(to, b, b, none, {b, b, b});
    say("a·(b − e) − c·d", result);
    say("a + b, settled", (factor + factor).settled());
}

void operations_of_pairs() {
    Bounds point[2] = {up_to(POINT_UP_TO), up_to(POINT_UP_TO)}, factor[2] = {up_to(FACTOR_BELOW), up_to(FACTOR_BELOW)}, result[2];
    using Place = OwnPairPlace<Bound>;
    const Place to{result}, none = Place::none(), a{point}, b{factor};
    const auto say_all = [&](const char *what) {
        for (const Bounds &part : result) say(what, part);
    };
    put_pair_product(to, a, b, none);
    say_all("a·b in Fp2, of 64 p and 4 p");
    put_pair_product(to, b, b, b);
    say_all("a·b − c in Fp2, of 4 p");
    put_pair_square(to, b, none, none);
    say_all("a² in Fp2");
    put_pair_square(to, b, b, b);
    say_all("a² − c − 2·d in Fp2");
}

template <class Sum>
void first_point() {
    std::printf("A first point:\n");
    Bounds slots[decltype(Sum::room)::ELEMENTS];
    Sum sum{{slots}};
    sum.clear();
    put_all(sum.room[A], up_to(POINT_UP_TO));
    put_all(sum.room[B], up_to(POINT_UP_TO));
    sum.put_run_and_rise();
    for (int lane = 0; lane < Sum::Place::PARTS; lane++) {
        sum.x.of(lane).put(sum.room[A].of(lane).get());
        sum.room[Y].of(lane).put(sum.room[B].of(lane).get());
    }
    require_any(sum);
}

template <class Sum>
void addition() {
    std::printf("An addition:\n");
    Bounds slots[decltype(Sum::room)::ELEMENTS];
    Sum sum{{slots}};
    put_any(sum);
    put_all(sum.room[A], up_to(POINT_UP_TO));
    put_all(sum.room[B], up_to(POINT_UP_TO));
    sum.put_run_and_rise();
    require_run_and_rise(sum);
    sum.add_by_run_and_rise(false);
    require_any(sum);
}

/// The coordinates of another sum, as memory has them.
struct Other {
    Bounds x = up_to(X_BELOW), y = up_to(Y_BELOW), zz = up_to(ZZ_BELOW), zzz = up_to(ZZ_BELOW);
};

void addition_of_sums() {
    std::printf("An addition of another sum:\n");
    Bounds slots[OwnRoom<Bound>::ELEMENTS];
    SumOfG1 sum{{slots}};
    put_any(sum);
    sum.put_run_and_rise(Other(), [](const Bounds &coordinate) { return coordinate; });
    require_run_and_rise(sum);
    require_any(sum);
    sum.add_by_run_and_rise(false);
    require_any(sum);
}

template <class Sum>
void doubling() {
    std::printf("A doubling:\n");
    Bounds slots[decltype(Sum::room)::ELEMENTS];
    Sum sum{{slots}};
    put_any(sum);
    sum.put_run_and_rise_to_double();
    require_run_and_rise(sum);
    sum.add_by_run_and_rise(true);
    require_any(sum);
}

template <class Sum>
void additions(const char *group) {
    std::printf("%s\n", group);
    first_point<Sum>();
    addition<Sum>();
    doubling<Sum>();
}

}  // namespace

int main() {
    operations();
    operations_of_pairs();
    additions<SumOfG1>("G1");
    addition_of_sums();
    additions<SumOfG2>("G2");
}
