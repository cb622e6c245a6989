// Runs the arithmetic of cuda/ff/d39.cuh and the products of cuda/ec/xyzz39.cuh on the host and prints operands and results, digit by
// digit, for check.py.
//
// Digits are random, all as large as they may be with one sign or alternating ones, or few that are not 0; numbers are 0, 1, p, those
// beside it and multiples of it too, also with digits other than those of least size. Elements from memory are random, or beside those
// at which what reduced_from_fp subtracts changes.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "rooms.h"

using namespace interlock;
using namespace interlock::d39;

namespace {

std::mt19937_64 word;
int64_t between(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(word() % (static_cast<uint64_t>(most) - static_cast<uint64_t>(least) + 1));
}

/// The digits of p, and the most that a digit may be.
constexpr int64_t P[DIGITS] = {-21845,       -9175552,     206158087504, 229909799157, -41019430385,
                               -66061295016, -89290891821, 59388928422,  246958955083, 872555476};
constexpr int64_t MOST = (int64_t{1} << 38) + 1;

struct Number {
    int64_t digit[DIGITS];

    Fp39 element() const {
        Fp39 r;
        for (int i = 0; i < DIGITS; i++) r.digit[i] = Digit::store(static_cast<double>(digit[i]));
        return r;
    }
    /// The same number in digits from −2^38 to 2^38 − 1.
    Number least() const {
        Number r = *this;
        for (int i = 0; i < DIGITS - 1; i++) {
            const int64_t over = (r.digit[i] + (int64_t{1} << 38)) >> 39;
            r.digit[i] -= over * (int64_t{1} << 39);
            r.digit[i + 1] += over;
        }
        return r;
    }
    /// The same number, with digits of −2^38 and one more as 2^38 and one more where that can be.
    Number other() const {
        Number r = *this;
        for (int i = 0; i < DIGITS - 1; i++) {
            const bool can = r.digit[i] <= -(int64_t{1} << 39) + MOST && (i == DIGITS - 2 || r.digit[i + 1] > -MOST);
            if (can && word() % 2 == 0) {
                r.digit[i] += int64_t{1} << 39;
                r.digit[i + 1]--;
            }
        }
        return r;
    }
};

/// k·p + n.
Number multiple(int k, int64_t n) {
    Number r;
    for (int i = 0; i < DIGITS; i++) r.digit[i] = k * P[i];
    r.digit[0] += n;
    return r.least();
}

/// A number of at most about `times`·p.
Number number(int times) {
    const int64_t top = times * P[DIGITS - 1];
    Number r;
    const uint64_t mode = word() % 9, sign = word() % 2;
    if (mode == 0) return multiple(static_cast<int>(between(-times, times)), between(-2, 2)).other();
    for (int i = 0; i < DIGITS; i++) {
        const int64_t most = i < DIGITS - 1 ? MOST : top, few = between(0, int64_t{1} << word() % 32);
        switch (mode) {
            case 1: r.digit[i] = sign ? most : -most; break;
            case 2: r.digit[i] = (i + sign) % 2 ? most : -most; break;
            case 3: r.digit[i] = word() % 2 ? most : -most; break;
            case 4: r.digit[i] = sign ? most - few : few - most; break;
            case 5: r.digit[i] = (i + sign) % 2 ? most - few : few - most; break;
            case 6: r.digit[i] = word() % 4 ? 0 : between(-most, most); break;
            case 7: r.digit[i] = word() % 2 ? between(0, 1) : between(-most, most); break;
            default: r.digit[i] = between(-most, most);
        }
    }
    return r;
}

void print(const Number &a) {
    for (int64_t digit : a.digit) std::printf(" %" PRId64, digit);
}
void print(const Fp39 &a) {
    for (double stored : a.digit) {
        const int64_t digit = integer(stored);
        if (static_cast<uint32_t>(digit) != low_word(stored)) std::printf(" low");
        std::printf(" %" PRId64, digit);
    }
}
void print(const Fp &a) {
    for (uint32_t limb : a.limb) std::printf(" %" PRIu32, limb);
}
template <class... Values>
void line(const char *what, const Values &...values) {
    std::printf("%s", what);
    (print(values), ...);
    std::printf("\n");
}

void test_products() {
    const Number a = number(word() % 2 ? 64 : 4), b = number(4), c = number(4), d = number(4), e = number(4), f = number(4);
    Fp39 x = a.element(), y = b.element(), z = c.element(), v = d.element(), w = e.element(), u = f.element(), result;
    using Place = OwnPlace<Digit>;
    const Place to{&result}, none = Place::none(), at_x{&x}, at_y{&y}, at_z{&z}, at_v{&v}, at_w{&w}, at_u{&u};
    line("product", a, b, x * y);
    put_product(to, at_x, at_y, none);
    line("product", a, b, result);
    put_product(to, at_x, at_y, at_z);
    line("product_less", a, b, c, result);
    put_product(to, at_y, at_z, none, {at_u, at_v, at_w});
    line("products", b, c, d, e, f, result);
    line("square", b, y.squared());
    put_square(to, at_y, none, none);
    line("square", b, result);
    put_square(to, at_y, none, at_v);
    line("square_less_twice", b, d, result);
    put_square(to, at_y, at_z, at_v);
    line("square_less", b, c, d, result);
    line("sum", b, c, (y + z).settled());
    line("difference", b, c, (y + -z).settled());
    line("negative", b, -y);
    line("double", b, y.doubled().settled());
}

void test_products_in_fp2() {
    const int least = word() % 2 ? 64 : 4;
    const Number a[2] = {number(least), number(least)}, b[2] = {number(4), number(4)}, c[2] = {number(4), number(4)};
    const Number d[2] = {number(4), number(4)};
    Fp39 of[4][2], result[2];
    for (int part = 0; part < 2; part++) {
        of[0][part] = a[part].element();
        of[1][part] = b[part].element();
        of[2][part] = c[part].element();
        of[3][part] = d[part].element();
    }
    using Place = OwnPairPlace<Digit>;
    const Place to{result}, none = Place::none(), at_a{of[0]}, at_b{of[1]}, at_c{of[2]}, at_d{of[3]};
    put_pair_product(to, at_a, at_b, none);
    line("product_in_fp2", a[0], a[1], b[0], b[1], result[0], result[1]);
    put_pair_product(to, at_b, at_c, at_d);
    line("product_less_in_fp2", b[0], b[1], c[0], c[1], d[0], d[1], result[0], result[1]);
    put_pair_square(to, at_b, none, none);
    line("square_in_fp2", b[0], b[1], result[0], result[1]);
    put_pair_square(to, at_b, at_c, at_d);
    line("square_less_in_fp2", b[0], b[1], c[0], c[1], d[0], d[1], result[0], result[1]);
}

void test_from_memory(const Fp &x) {
    line("from", x, from_fp(x));
    line("reduced", x, reduced_from_fp(x));
    if (to_fp(from_fp(x) * Fp39::one()) == x && to_fp(reduced_from_fp(x)) == x) line("returned", x);
}

/// x + n as an integer, unless that is not from 0 to p − 1.
void test_beside(Fp x, int64_t n) {
    int64_t over = n;
    for (uint32_t &limb : x.limb) {
        over += limb;
        limb = static_cast<uint32_t>(over);
        over >>= 32;
    }
    bool is_below_p = false;
    for (int w = 0; w < Fp::N; w++) {
        if (x.limb[w] != FpConstants::modulus(w)) is_below_p = x.limb[w] < FpConstants::modulus(w);
    }
    if (over == 0 && is_below_p) test_from_memory(x);
}

/// Elements beside ⌊q·p/64⌋, and those whose top limb is about the same and the rest 0.
void test_multiples_from_memory() {
    for (unsigned q = 0; q <= 64; q++) {
        Fp multiple;
        uint64_t over = 0;
        for (int w = 0; w < Fp::N; w++) {
            over += uint64_t{q} * FpConstants::modulus(w);
            if (w > 0) multiple.limb[w - 1] |= static_cast<uint32_t>(over << 26);
            multiple.limb[w] = static_cast<uint32_t>(over) >> 6;
            over >>= 32;
        }
        multiple.limb[Fp::N - 1] |= static_cast<uint32_t>(over << 26);
        for (int n = -8; n <= 8; n++) {
            test_beside(multiple, n);
            Fp top = Fp::zero();
            top.limb[Fp::N - 1] = multiple.limb[Fp::N - 1] + static_cast<uint32_t>(n);
            for (int m = -1; m <= 1; m++) test_beside(top, m);
        }
    }
}

void test() {
    test_products();
    test_products_in_fp2();
    const Number most = number(31);
    line("to", most, to_fp(most.element()));
    Fp fp;
    for (uint32_t &limb : fp.limb) limb = word() % 4 == 0 ? static_cast<uint32_t>(between(-2, 2)) : static_cast<uint32_t>(word());
    fp.limb[Fp::N - 1] %= FpConstants::modulus(Fp::N - 1) + 1;
    if (word() % 8 == 0) fp = to_fp(number(31).element());
    if (fp.limb[Fp::N - 1] == FpConstants::modulus(Fp::N - 1)) fp.limb[Fp::N - 2] %= FpConstants::modulus(Fp::N - 2);
    test_from_memory(fp);

    Number cut = number(2).least();
    cut.digit[DIGITS - 1] = word() % 2 ? between(INT32_MIN, INT32_MAX) : word() % 2 ? INT32_MIN : INT32_MAX;
    line("packed", cut, unpack(pack(cut.element())));
    line(pack(cut.element()).word[DIGITS + 1] == 0 ? "packed_as_infinity" : "packed_as_finite", cut);

    Number zero = multiple(static_cast<int>(between(-3, 3)), 0).other();
    if (word() % 2) zero.digit[word() % DIGITS] += between(-1, 1);
    if (word() % 8 == 0) zero = number(3);
    Fp39 maybe_zero = zero.element();
    line(is_zero_at(OwnPlace<Digit>{&maybe_zero}) ? "zero" : "not_zero", zero);
}

}  // namespace

int main(int, char **argv) {
    const long turns = std::atol(argv[1]);
    word.seed(std::strtoull(argv[2], nullptr, 0));
    test_multiples_from_memory();
    for (long turn = 0; turn < turns; turn++) test();
}
