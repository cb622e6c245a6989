// The arithmetic of cuda/ec/xyzz39.cuh with each column's exact sum beside it, on operands as large as they may be: checks every digit
// that is cut or settled and every carry, and says how far the doubles went from the sums.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <random>

#include "rooms.h"
#include "sizes.h"

using namespace interlock::d39;

namespace {

using Wide = __int128;

std::mt19937_64 word;

long double greatest = 0;

void require(bool holds, const char *what) {
    if (holds) return;
    std::printf("wrong: %s\n", what);
    std::exit(1);
}

struct Exact : Digit {
    struct Column {
        Digit::Column machine;
        Wide sum;
    };

    Exact() = default;
    Exact(const Digit &digit) : Digit(digit) {}
    static Exact constant(double value) { return Digit::constant(value); }
    static Exact inverse_radix(int i) { return Digit::inverse_radix(i); }
    static Exact modulus(int i) { return Digit::modulus(i); }
    static Exact from(Stored stored) { return Digit::from(stored); }
    static Exact from(Stored stored, const Exact &sign) {
        const Exact r = Digit::from(stored, sign);
        require(r.whole() == integer(stored) * sign.whole(), "a digit with a sign");
        return r;
    }
    static Exact plus(const Exact &a, const Exact &b, const Exact &sign) {
        const Exact r = Digit::plus(a, b, sign);
        require(r.whole() == a.whole() + b.whole() * sign.whole(), "a sum or a difference");
        return r;
    }
    static Exact sum(Stored a, Stored b) {
        const Exact r = Digit::sum(a, b);
        require(r.whole() == integer(a) + integer(b), "a sum");
        return r;
    }
    Exact doubled() const { return Digit::doubled(); }
    Exact operator-() const { return Digit::operator-(); }
    friend Exact operator-(const Exact &a, const Exact &b) {
        const Exact r = static_cast<const Digit &>(a) - static_cast<const Digit &>(b);
        require(r.whole() == a.whole() - b.whole(), "a difference");
        return r;
    }
    Wide whole() const {
        require(static_cast<uint32_t>(static_cast<int64_t>(value)) == low, "a low word");
        return static_cast<int64_t>(value);
    }

    static void set_high(Column &c, const Exact &a, const Exact &b) {
        Digit::set_high(c.machine, a, b);
        c.sum = a.whole() * b.whole();
    }
    static void set_low(Column &c, const Exact &a, const Exact &b) { Digit::set_low(c.machine, a, b); }
    static void add_high(Column &c, const Exact &a, const Exact &b) {
        Digit::add_high(c.machine, a, b);
        c.sum += a.whole() * b.whole();
    }
    static void add_low(Column &c, const Exact &a, const Exact &b) { Digit::add_low(c.machine, a, b); }
    static void subtract(Column &c, const Exact &a) {
        Digit::subtract(c.machine, a);
        c.sum -= a.whole();
    }
    static void subtract_twice(Column &c, const Exact &a) {
        Digit::subtract_twice(c.machine, a);
        c.sum -= 2 * a.whole();
    }
    static void measure(const Column &c) {
        const auto whole = static_cast<Wide>(c.machine.high);
        const long double off = static_cast<long double>(whole - c.sum) + (c.machine.high - static_cast<double>(whole));
        greatest = std::fmax(greatest, std::fabs(off));
    }
    static void refresh(Column &c) {
        measure(c);
        Digit::refresh(c.machine);
        require(c.machine.high == static_cast<double>(c.sum), "a column made anew");
    }
    static Wide digit_of(const Column &c) { return ((c.sum + (Wide{1} << 38)) & ((Wide{1} << BITS) - 1)) - (Wide{1} << 38); }
    static Stored cut(const Column &c, Carry &carry) {
        measure(c);
        const Stored digit = Digit::cut(c.machine, carry);
        require(c.machine.low == static_cast<uint32_t>(c.sum), "the low word of a column");
        require(digit - SHIFT == static_cast<double>(digit_of(c)), "a digit");
        require(carry == static_cast<uint32_t>((c.sum - digit_of(c)) >> BITS), "a carry");
        return digit;
    }
    static void pass(Column &next, const Column &c, Carry carry) {
        Digit::pass(next.machine, c.machine, carry);
        next.sum += (c.sum - digit_of(c)) >> BITS;
    }
    static void pass_multiple(Column &next, const Column &c) {
        require((c.sum & ((Wide{1} << BITS) - 1)) == 0, "a multiple of B");
        Digit::pass_multiple(next.machine, c.machine);
        next.sum += c.sum >> BITS;
    }

    static Stored settle(const Exact &digit, Stored &multiple) {
        const Stored settled = Digit::settle(digit, multiple);
        const auto taken = static_cast<int64_t>(multiple);
        require(taken % (int64_t{1} << BITS) == 0 && integer(settled) + taken == digit.whole(), "a digit that is settled");
        return settled;
    }
    static Stored take(Stored digit, Stored multiple) {
        const Stored sum = Digit::take(digit, multiple);
        require(integer(sum) == integer(digit) + (static_cast<int64_t>(multiple) >> BITS), "what a digit takes");
        return sum;
    }
};

using Number = Element<Exact>;

using Place = OwnPlace<Exact>;
using SumOfG1 = Sum<OwnRoom<Exact>>;
using SumOfG2 = PairSum<OwnPairRoom<Exact>>;

constexpr double MOST = 0x1p38 + 1, LAST_OF_P = 872555476;

/// Digits within 2^`bits` of the greatest for a number below `times`·p, all of one sign or of two in turn.
Number extreme(double times, int bits, bool negative, bool in_turn) {
    Number r;
    for (int i = 0; i < DIGITS; i++) {
        const double most = i < DIGITS - 1 ? MOST : std::floor(times * LAST_OF_P) - 1;
        const auto less = static_cast<double>(word() & ((uint64_t{1} << bits) - 1));
        r.digit[i] = SHIFT + (negative != (in_turn && i % 2) ? -1 : 1) * std::fmax(most - less, 0);
    }
    return r;
}

/// One of those, or any.
Number number(double times) {
    const uint64_t kind = word();
    Number r = extreme(times, static_cast<int>(kind % 36), kind >> 8 & 1, kind >> 16 & 1);
    if (kind >> 24 & 3) return r;
    for (double &stored : r.digit) stored = SHIFT + std::floor((stored - SHIFT) * (0x1p-63 * static_cast<double>(word()) - 1));
    return r;
}

void require_below(const Number &a, double times, const char *what) {
    for (int i = 0; i < DIGITS - 1; i++) require(std::fabs(a.digit[i] - SHIFT) <= MOST, what);
    require(std::fabs(a.digit[DIGITS - 1] - SHIFT) < times * LAST_OF_P, what);
}

void say(const char *what) {
    std::printf("%s: |H - S| up to 2^%.2Lf\n", what, std::log2(greatest));
    greatest = 0;
}

void operations(long n) {
    Number result, of[5];
    const Place to{&result}, none = Place::none(), a{of}, b{of + 1}, c{of + 2}, d{of + 3}, e{of + 4};
    const auto fill = [&](double first) {
        for (Number &number : of) number = extreme(&number == of ? first : FACTOR_BELOW, word() % 31, word() % 2, word() % 4 == 0);
    };
    for (long i = 0; i < n; i++) fill(POINT_UP_TO), put_product(to, a, b, none);
    say("a·b");
    for (long i = 0; i < n; i++) fill(POINT_UP_TO), put_product(to, a, b, c);
    say("a·b − c");
    for (long i = 0; i < n; i++) fill(FACTOR_BELOW), put_square(to, a, none, none);
    say("a²");
    for (long i = 0; i < n; i++) fill(FACTOR_BELOW), put_square(to, a, c, d);
    say("a² − c − 2·d");
    // Terms of one sign, as large as can be.
    for (long i = 0; i < n; i++) {
        const int bits = static_cast<int>(word() % 31);
        const bool first = word() % 2, second = word() % 2;
        for (Place factor : {a, c}) factor.put(extreme(FACTOR_BELOW, bits, first, false));
        for (Place factor : {b, d, e}) factor.put(extreme(FACTOR_BELOW, bits, factor.at == b.at ? second : !second, false));
        put_product(to, a, b, none, {e, c, d});
    }
    say("a·(b − e) − c·d");
}

/// The same of products and squares in Fp2, of components of one sign or of two.
void operations_of_pairs(long n) {
    Number result[2], of[4][2];
    using Place = OwnPairPlace<Exact>;
    const Place to{result}, none = Place::none(), a{of[0]}, b{of[1]}, c{of[2]}, d{of[3]};
    const auto fill = [&](double first) {
        const int bits = static_cast<int>(word() % 31);
        for (auto &element : of) {
            const double times = &element == of ? first : FACTOR_BELOW;
            for (Number &part : element) part = extreme(times, bits, word() % 2, word() % 4 == 0);
        }
    };
    for (long i = 0; i < n; i++) fill(POINT_UP_TO), put_pair_product(to, a, b, none);
    say("a·b in Fp2");
    for (long i = 0; i < n; i++) fill(FACTOR_BELOW), put_pair_product(to, a, b, c);
    say("a·b − c in Fp2");
    // Of each two digits the sum is as large as can be, or the difference: (a0 + a1)·(a0 − a1) has products of both.
    const auto fill_to_square = [&] {
        fill(FACTOR_BELOW);
        for (int i = 0; i < DIGITS; i++) {
            const double digit = of[0][0].digit[i] - SHIFT;
            of[0][1].digit[i] = SHIFT + (word() % 2 ? -digit : 0);
        }
    };
    for (long i = 0; i < n; i++) fill_to_square(), put_pair_square(to, a, none, none);
    say("a² in Fp2");
    for (long i = 0; i < n; i++) fill_to_square(), put_pair_square(to, a, c, d);
    say("a² − c − 2·d in Fp2");
}

template <class Place>
void put_any(Place place, double times) {
    for (int lane = 0; lane < Place::PARTS; lane++) place.of(lane).put(number(times));
}

template <class Place>
void require_all_below(Place place, double times, const char *what) {
    for (int lane = 0; lane < Place::PARTS; lane++) require_below(place.of(lane).get(), times, what);
}

/// Another sum, as memory has it.
struct Other {
    Number x = number(X_BELOW), y = number(Y_BELOW), zz = number(ZZ_BELOW), zzz = number(ZZ_BELOW);
};

/// In half of the turns the run and the rise to another sum, whose coordinates and the sum's are multiplied then, as before a double of them.
bool goes_to_another(SumOfG1 &sum) {
    const bool goes = word() % 2;
    if (goes) sum.put_run_and_rise(Other(), [](const Number &coordinate) { return coordinate; });
    return goes;
}
bool goes_to_another(SumOfG2 &) { return false; }

/// Additions to sums whose coordinates are as large as they may be, of points and sums that are too, and doubles of such sums.
template <class Sum>
void sums(long n, const char *what) {
    for (long i = 0; i < n; i++) {
        Number slots[decltype(Sum::room)::ELEMENTS];
        Sum sum{{slots}};
        const auto &room = sum.room;
        const bool is_double = word() % 4 == 0;
        put_any(sum.x, X_BELOW);
        put_any(room[Y], Y_BELOW);
        put_any(room[ZZ], ZZ_BELOW);
        put_any(room[ZZZ], ZZ_BELOW);
        const bool is_of_sums = goes_to_another(sum);
        if (is_double) {
            sum.put_run_and_rise_to_double();
        } else if (!is_of_sums) {
            put_any(room[A], POINT_UP_TO);
            put_any(room[B], POINT_UP_TO);
            sum.put_run_and_rise();
        }
        require_all_below(room[A], 4, "a run");
        require_all_below(room[B], 4, "a rise");
        sum.add_by_run_and_rise(is_double);
        require_all_below(sum.x, X_BELOW, "x");
        require_all_below(room[Y], Y_BELOW, "y");
        require_all_below(room[ZZ], ZZ_BELOW, "zz");
        require_all_below(room[ZZZ], ZZ_BELOW, "zzz");
    }
    say(what);
}

}  // namespace

int main(int, char **argv) {
    const long n = std::atol(argv[1]);
    operations(n);
    operations_of_pairs(n / 2);
    sums<SumOfG1>(n / 4, "sums in G1");
    sums<SumOfG2>(n / 8, "sums in G2");
}
