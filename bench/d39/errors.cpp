// The arithmetic of cuda/ff/d39.cuh with each column's exact sum beside it, on operands of the greatest digits: checks every digit that is cut and
// every carry, and says how far the doubles went from the sums.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "ff/d39.cuh"

using namespace interlock::d39;

namespace {

using Wide = __int128;

uint64_t state = 1;
uint64_t word() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

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
    static Exact difference(Stored a, Stored b) { return Digit::difference(a, b); }
    Exact doubled() const { return Digit::doubled(); }
    Exact operator-() const { return Digit::operator-(); }
    Wide integer() const {
        require(static_cast<uint32_t>(static_cast<int64_t>(value)) == low, "a low word");
        return static_cast<int64_t>(value);
    }

    static void set_high(Column &c, const Exact &a, const Exact &b) {
        Digit::set_high(c.machine, a, b);
        c.sum = a.integer() * b.integer();
    }
    static void set_low(Column &c, const Exact &a, const Exact &b) { Digit::set_low(c.machine, a, b); }
    static void add_high(Column &c, const Exact &a, const Exact &b) {
        Digit::add_high(c.machine, a, b);
        c.sum += a.integer() * b.integer();
    }
    static void add_low(Column &c, const Exact &a, const Exact &b) { Digit::add_low(c.machine, a, b); }
    static void subtract(Column &c, const Exact &a) {
        Digit::subtract(c.machine, a);
        c.sum -= a.integer();
    }
    static void subtract_twice(Column &c, const Exact &a) {
        Digit::subtract_twice(c.machine, a);
        c.sum -= 2 * a.integer();
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
};

using Number = Element<Exact>;

/// Digits within 2^`bits` of the greatest, all of one sign or of two in turn.
Number extreme(int bits, bool negative, bool in_turn) {
    Number r;
    for (int i = 0; i < DIGITS; i++) {
        const double most = i < DIGITS - 1 ? 0x1p38 + 1 : 4 * 872555476.;
        const double size = most - static_cast<double>(word() & ((uint64_t{1} << bits) - 1));
        r.digit[i] = SHIFT + ((negative != (in_turn && i % 2)) ? -size : size);
    }
    return r;
}

void say(const char *what) {
    std::printf("%s: |H - S| up to 2^%.2Lf\n", what, std::log2(greatest));
    greatest = 0;
}

}  // namespace

int main(int, char **argv) {
    const long n = std::atol(argv[1]);
    const auto random = [] { return extreme(static_cast<int>(word() % 31), word() % 2, word() % 4 == 0); };
    for (long i = 0; i < n; i++) static_cast<void>(random() * random());
    say("a·b");
    for (long i = 0; i < n; i++) random().squared();
    say("a²");
    for (long i = 0; i < n; i++) Number::square_less(random(), random(), random());
    say("a² − c − 2·d");
    // Terms of one sign, as large as can be.
    for (long i = 0; i < n; i++) {
        const int bits = static_cast<int>(word() % 31);
        const bool a = word() % 2, b = word() % 2;
        const Number factor = extreme(bits, a, false), one = extreme(bits, b, false), other = extreme(bits, !b, false);
        Number::products_less(factor, one - other, extreme(bits, a, false), extreme(bits, !b, false));
    }
    say("a·(b − e) − c·d");
}
