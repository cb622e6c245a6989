// Fp in ten signed digits of 39 bits, for GPUs with FP64 at full rate: products are FMAs of doubles beside multiplications of low
// words.
//
// A number is Σ dᵢ·B^i with B = 2^39, and stands for the element x of Fp for which it is x·B^10 modulo p. It may be negative and
// beyond p: numbers of the same residue are the same element. Digits 0 … 8 are of at most 2^38 + 1 in size; the last is what is
// left.
//
// A column S of a product, of up to 2^81.1, is kept as a double H, which has been rounded, and as S mod 2^32. While |H − S| < 2^31
// the two together are S. d39.md proves that they stay so close; bench/d39/bounds.cpp has the bounds, from the templates below on a
// model of Digit. All arithmetic of doubles here rounds to nearest, ties to even, and no compiler may contract or reorder it.
#pragma once

#include <cmath>
#include <cstring>

#include "ff/fp.cuh"

namespace interlock {
namespace d39 {

constexpr int DIGITS = 10, BITS = 39, COLUMNS = 2 * DIGITS;

/// The columns whose doubles are made anew between two products and their one reduction.
constexpr int FIRST_REFRESHED = 6, LAST_REFRESHED = 11;

/// What a digit is stored with: the low word of SHIFT + d is d mod 2^32, and its next seven bits are those of d + 2^38.
constexpr double SHIFT = 0x1.8p52 + 0x1p38;

/// B^-1 mod p, between −p/2 and p/2.
INTERLOCK_HD constexpr double inverse_radix(int i) {
    constexpr double digits[DIGITS] = {154747013120., 67379591199.,   -86334727040., -245224433186., -186982857910.,
                                       250740039427., -190652481256., 267872615262., -18799078427.,  -20450831.};
    return digits[i];
}

/// p.
INTERLOCK_HD constexpr double modulus(int i) {
    constexpr double digits[DIGITS] = {-21845.,       -9175552.,     206158087504., 229909799157., -41019430385.,
                                       -66061295016., -89290891821., 59388928422.,  246958955083., 872555476.};
    return digits[i];
}

/// −p^-1 mod B, between −B/2 and B/2.
constexpr double NEGATED_INVERSE = -12885098499.;

/// B^10 mod p: the number of 1.
INTERLOCK_HD constexpr double one(int i) {
    constexpr double digits[DIGITS] = {13762350.,      5780597760.,   -137223049952., -257394416602., 3717889551.,
                                       -162825995361., 178168830730., -31629561374.,  -3246372054.,   45863725.};
    return digits[i];
}

// Operations on doubles, each rounded by itself, and their words.
#ifdef __CUDA_ARCH__
INTERLOCK_HD double fma(double a, double b, double c) { return __fma_rn(a, b, c); }
INTERLOCK_HD double multiply(double a, double b) { return __dmul_rn(a, b); }
INTERLOCK_HD double add(double a, double b) { return __dadd_rn(a, b); }
INTERLOCK_HD double of_words(uint32_t low, uint32_t high) {
    return __hiloint2double(static_cast<int>(high), static_cast<int>(low));
}
INTERLOCK_HD uint32_t low_word(double a) { return static_cast<uint32_t>(__double2loint(a)); }
INTERLOCK_HD uint32_t high_word(double a) { return static_cast<uint32_t>(__double2hiint(a)); }
INTERLOCK_HD uint32_t shifted(uint32_t low, uint32_t high, int bits) { return __funnelshift_r(low, high, bits); }
#else
inline double fma(double a, double b, double c) { return std::fma(a, b, c); }
inline double multiply(double a, double b) { return a * b; }
inline double add(double a, double b) { return a + b; }
inline uint64_t bits_of(double a) {
    uint64_t bits;
    std::memcpy(&bits, &a, sizeof bits);
    return bits;
}
inline double of_words(uint32_t low, uint32_t high) {
    const uint64_t bits = uint64_t{high} << 32 | low;
    double a;
    std::memcpy(&a, &bits, sizeof a);
    return a;
}
inline uint32_t low_word(double a) { return static_cast<uint32_t>(bits_of(a)); }
inline uint32_t high_word(double a) { return static_cast<uint32_t>(bits_of(a) >> 32); }
/// The low word of high:low >> bits, for 0 ≤ bits < 32.
inline uint32_t shifted(uint32_t low, uint32_t high, int bits) {
    return static_cast<uint32_t>((uint64_t{high} << 32 | low) >> bits);
}
#endif

/// The high word of a digit as it is stored, less its own seven bits.
constexpr uint32_t HIGH_OF_DIGIT = 0x43380000;

/// What products need of constants. On the device they are in constant memory: immediates of 64 bits, or a second one of 32, take
/// instructions of their own each time, 40 of a product's 680 on sm_90.
struct Constants {
    double inverse_radix[DIGITS], modulus[DIGITS];
    uint32_t high_of_digit;
};
INTERLOCK_HD constexpr Constants make_constants() {
    Constants made = {};
    for (int i = 0; i < DIGITS; i++) {
        made.inverse_radix[i] = inverse_radix(i);
        made.modulus[i] = modulus(i);
    }
    made.high_of_digit = HIGH_OF_DIGIT;
    return made;
}
#ifdef __CUDACC__
static __constant__ Constants CONSTANTS = make_constants();
#endif
#ifdef __CUDA_ARCH__
INTERLOCK_HD const Constants &constants() { return CONSTANTS; }
#else
inline const Constants &constants() {
    static constexpr Constants made = make_constants();
    return made;
}
#endif

/// A digit as it is stored: SHIFT + d by the low word of d + 2^38 and the seven bits above, which `high` ends with.
INTERLOCK_HD double of_digit(uint32_t low, uint32_t high) {
    return of_words(low, (high & 0x7f) | constants().high_of_digit);
}

/// A digit twice: as a double and as the low word of its two's complement.
struct Digit {
    double value;
    uint32_t low;

    /// A digit as it is stored.
    using Stored = double;
    /// A column: rounded, and its low word.
    struct Column {
        double high;
        uint32_t low;
    };
    /// The low word of what a column passes to the next.
    using Carry = uint32_t;

    INTERLOCK_HD static constexpr Digit constant(double value) {
        return {value, static_cast<uint32_t>(static_cast<int64_t>(value))};
    }
    INTERLOCK_HD static Digit inverse_radix(int i) {
        return {constants().inverse_radix[i], constant(d39::inverse_radix(i)).low};
    }
    INTERLOCK_HD static Digit modulus(int i) { return {constants().modulus[i], constant(d39::modulus(i)).low}; }
    INTERLOCK_HD static Digit from(Stored stored) { return {add(stored, -SHIFT), low_word(stored)}; }
    INTERLOCK_HD static Stored store(double value) { return add(value, SHIFT); }
    /// The digit times a sign, −1 or 1.
    INTERLOCK_HD static Digit from(Stored stored, const Digit &sign) {
        return {fma(stored, sign.value, multiply(-SHIFT, sign.value)), low_word(stored) * sign.low};
    }
    /// a + b·sign, of −1, 0 or 1.
    INTERLOCK_HD static Digit plus(const Digit &a, const Digit &b, const Digit &sign) {
        return {fma(b.value, sign.value, a.value), a.low + b.low * sign.low};
    }
    INTERLOCK_HD Digit doubled() const { return {add(value, value), 2 * low}; }
    INTERLOCK_HD Digit operator-() const { return {-value, 0 - low}; }
    INTERLOCK_HD friend Digit operator-(const Digit &a, const Digit &b) { return {add(a.value, -b.value), a.low - b.low}; }

    INTERLOCK_HD static void set_high(Column &c, const Digit &a, const Digit &b) { c.high = multiply(a.value, b.value); }
    INTERLOCK_HD static void set_low(Column &c, const Digit &a, const Digit &b) { c.low = a.low * b.low; }
    INTERLOCK_HD static void add_high(Column &c, const Digit &a, const Digit &b) { c.high = fma(a.value, b.value, c.high); }
    INTERLOCK_HD static void add_low(Column &c, const Digit &a, const Digit &b) { c.low += a.low * b.low; }
    INTERLOCK_HD static void subtract(Column &c, const Digit &a) {
        c.high = add(c.high, -a.value);
        c.low -= a.low;
    }
    INTERLOCK_HD static void subtract_twice(Column &c, const Digit &a) {
        c.high = fma(-2, a.value, c.high);
        c.low -= 2 * a.low;
    }

    /// Makes H the double that is nearest to S.
    INTERLOCK_HD static void refresh(Column &c) {
        const double low_part = of_words(c.low, 0x43300000);
        const double rounded = add(add(add(c.high, -low_part), 0x1.8p84), -0x1.8p84);
        c.high = add(rounded, low_part);
    }

    /// The digit −2^38 ≤ d < 2^38 that the column S is congruent to modulo B, and the low word of (S − d)/B.
    INTERLOCK_HD static Stored cut(const Column &c, Carry &carry) {
        const double less_low = add(c.high, -of_words(c.low, 0x43300000));
        const double rounded = add(less_low, 0x1.8p84 + 0x1p52 + 0x1p38);
        carry = shifted(low_word(rounded), high_word(rounded), 7);
        return of_digit(c.low, low_word(rounded));
    }
    /// Adds (S − d)/B to the next column. Its double takes S/B, which is 1/2 off at most and needs not wait for d.
    INTERLOCK_HD static void pass(Column &next, const Column &c, Carry carry) {
        next.high = fma(c.high, 0x1p-39, next.high);
        next.low += carry;
    }
    /// The same of a column that is a multiple of B.
    INTERLOCK_HD static void pass_multiple(Column &next, const Column &c) {
        next.low += low_word(fma(c.high, 0x1p-39, 0x1.8p52));
        next.high = fma(c.high, 0x1p-39, next.high);
    }

    /// What sends a double to the nearest multiple of B.
    static constexpr double SPREAD = 0x1.8p91;
    /// `digit` less the multiple of B that is nearest to it.
    INTERLOCK_HD static Stored settle(const Digit &digit, double &multiple) {
        multiple = add(add(digit.value, SPREAD), -SPREAD);
        return store(add(digit.value, -multiple));
    }
    /// Adds to a digit the multiple of B that was taken from the one before.
    INTERLOCK_HD static Stored take(Stored digit, double multiple) { return fma(multiple, 0x1p-39, digit); }
    INTERLOCK_HD static Digit sum(Stored a, Stored b) {
        return {add(add(a, -2 * SHIFT), b), low_word(a) + low_word(b)};
    }
    INTERLOCK_HD static Stored negative(Stored a) { return add(2 * SHIFT, -a); }
};

/// The columns of a·b; the last is 0.
template <class D>
INTERLOCK_HD void multiply(typename D::Column *columns, const D *a, const D *b) {
#pragma unroll
    for (int i = 0; i < DIGITS; i++) {
#pragma unroll
        for (int j = 0; j < DIGITS; j++) {
            i == 0 || j == DIGITS - 1 ? D::set_high(columns[i + j], a[i], b[j]) : D::add_high(columns[i + j], a[i], b[j]);
        }
    }
#pragma unroll
    for (int i = 0; i < DIGITS; i++) {
#pragma unroll
        for (int j = 0; j < DIGITS; j++) {
            i == 0 || j == DIGITS - 1 ? D::set_low(columns[i + j], a[i], b[j]) : D::add_low(columns[i + j], a[i], b[j]);
        }
    }
    columns[COLUMNS - 1] = {};
}

/// Adds those of a·b to columns of a product.
template <class D>
INTERLOCK_HD void add_product(typename D::Column *columns, const D *a, const D *b) {
#pragma unroll
    for (int i = 0; i < DIGITS; i++) {
#pragma unroll
        for (int j = 0; j < DIGITS; j++) D::add_high(columns[i + j], a[i], b[j]);
    }
#pragma unroll
    for (int i = 0; i < DIGITS; i++) {
#pragma unroll
        for (int j = 0; j < DIGITS; j++) D::add_low(columns[i + j], a[i], b[j]);
    }
}

/// Makes the doubles of these columns anew.
template <class D>
INTERLOCK_HD void refresh(typename D::Column *columns, int first, int last) {
#pragma unroll
    for (int k = first; k <= last; k++) D::refresh(columns[k]);
}

/// Subtracts those of a·b from columns of a product.
template <class D>
INTERLOCK_HD void subtract_product(typename D::Column *columns, const D *a, const D *b) {
    D negative[DIGITS];
#pragma unroll
    for (int i = 0; i < DIGITS; i++) negative[i] = -a[i];
    add_product(columns, negative, b);
    // The columns whose errors would otherwise grow too great in the reduction.
    refresh<D>(columns, FIRST_REFRESHED, LAST_REFRESHED);
}

/// The columns of a².
template <class D>
INTERLOCK_HD void square(typename D::Column *columns, const D *a) {
    D twice[DIGITS];
#pragma unroll
    for (int i = 0; i < DIGITS; i++) twice[i] = a[i].doubled();
#pragma unroll
    for (int i = 0; i < DIGITS; i++) {
#pragma unroll
        for (int j = i; j < DIGITS; j++) {
            const D &other = i == j ? a[i] : twice[i];
            i == 0 || j == DIGITS - 1 ? D::set_high(columns[i + j], other, a[j]) : D::add_high(columns[i + j], other, a[j]);
        }
    }
#pragma unroll
    for (int i = 0; i < DIGITS; i++) {
#pragma unroll
        for (int j = i; j < DIGITS; j++) {
            const D &other = i == j ? a[i] : twice[i];
            i == 0 || j == DIGITS - 1 ? D::set_low(columns[i + j], other, a[j]) : D::add_low(columns[i + j], other, a[j]);
        }
    }
    columns[COLUMNS - 1] = {};
}

/// Clears the lower ten columns: the upper ten become the number divided by B^10 modulo p.
template <class D>
INTERLOCK_HD void reduce(typename D::Column *columns) {
    typename D::Carry carry;
    // d·B^i is d·B^-1·B^(i + 1): the digit is the multiplier itself.
#pragma unroll
    for (int i = 0; i < DIGITS - 1; i++) {
        const D digit = D::from(D::cut(columns[i], carry));
        D::pass(columns[i + 1], columns[i], carry);
        typename D::Column *row = columns + i + 1;
#pragma unroll
        for (int j = 0; j < DIGITS; j++) D::add_high(row[j], digit, D::inverse_radix(j));
#pragma unroll
        for (int j = 0; j < DIGITS; j++) D::add_low(row[j], digit, D::inverse_radix(j));
    }
    // The last would reach one column further up: a multiple of p clears it instead.
    typename D::Column *row = columns + DIGITS - 1, quotient;
    const D last = D::from(D::cut(row[0], carry));
    D::set_high(quotient, last, D::constant(NEGATED_INVERSE));
    D::set_low(quotient, last, D::constant(NEGATED_INVERSE));
    const D digit = D::from(D::cut(quotient, carry));
#pragma unroll
    for (int j = 0; j < DIGITS; j++) D::add_high(row[j], digit, D::modulus(j));
#pragma unroll
    for (int j = 1; j < DIGITS; j++) D::add_low(row[j], digit, D::modulus(j));
    D::pass_multiple(row[1], row[0]);
}

/// The digits that the upper ten columns come to.
template <class D>
INTERLOCK_HD void cut(typename D::Stored *digits, typename D::Column *columns) {
#pragma unroll
    for (int i = 0; i < DIGITS; i++) {
        typename D::Carry carry;
        typename D::Column &column = columns[DIGITS + i];
        digits[i] = D::cut(column, carry);
        if (i < DIGITS - 1) D::pass(columns[DIGITS + i + 1], column, carry);
    }
}

template <class D>
struct Element;

/// A sum whose digits have not been brought into range: they are of up to twice what those of an element are.
template <class D>
struct Loose {
    D digit[DIGITS];

    /// The same number with digits in range. Each passes on at once what it has too much, so that none waits for another.
    INTERLOCK_HD Element<D> settled() const {
        Element<D> r;
        typename D::Stored multiples[DIGITS - 1];
#pragma unroll
        for (int i = 0; i < DIGITS - 1; i++) r.digit[i] = D::settle(digit[i], multiples[i]);
        r.digit[DIGITS - 1] = D::store(digit[DIGITS - 1].value);
#pragma unroll
        for (int i = 1; i < DIGITS; i++) r.digit[i] = D::take(r.digit[i], multiples[i - 1]);
        return r;
    }
};

/// An element, by a number as above.
template <class D>
struct Element {
    typename D::Stored digit[DIGITS];

    /// As x·y is made: columns, what is subtracted from the upper ten of them, and digits.
    using Columns = typename D::Column[COLUMNS];

    INTERLOCK_HD static Element one() {
        Element r;
#pragma unroll
        for (int i = 0; i < DIGITS; i++) r.digit[i] = D::store(d39::one(i));
        return r;
    }

    INTERLOCK_HD void expand(D *digits) const {
#pragma unroll
        for (int i = 0; i < DIGITS; i++) digits[i] = D::from(digit[i]);
    }

    INTERLOCK_HD static void subtract_product(Columns &columns, const Element &a, const Element &b) {
        D of_a[DIGITS], of_b[DIGITS];
        a.expand(of_a);
        b.expand(of_b);
        d39::subtract_product(columns, of_a, of_b);
    }

    INTERLOCK_HD static void square(Columns &columns, const Element &a) {
        D of_a[DIGITS];
        a.expand(of_a);
        d39::square(columns, of_a);
    }

    INTERLOCK_HD static void subtract(Columns &columns, const Element &a) {
#pragma unroll
        for (int i = 0; i < DIGITS; i++) D::subtract(columns[DIGITS + i], D::from(a.digit[i]));
    }

    INTERLOCK_HD static void subtract_twice(Columns &columns, const Element &a) {
#pragma unroll
        for (int i = 0; i < DIGITS; i++) D::subtract_twice(columns[DIGITS + i], D::from(a.digit[i]));
    }

    INTERLOCK_HD static Element cut(Columns &columns) {
        Element r;
        d39::cut<D>(r.digit, columns);
        return r;
    }

    INTERLOCK_HD friend Element operator*(const Element &a, const Element &b) {
        D of_a[DIGITS], of_b[DIGITS];
        a.expand(of_a);
        b.expand(of_b);
        Columns columns;
        d39::multiply(columns, of_a, of_b);
        reduce<D>(columns);
        return cut(columns);
    }

    INTERLOCK_HD Element squared() const {
        Columns columns;
        square(columns, *this);
        reduce<D>(columns);
        return cut(columns);
    }

    INTERLOCK_HD friend Loose<D> operator+(const Element &a, const Element &b) {
        Loose<D> r;
#pragma unroll
        for (int i = 0; i < DIGITS; i++) r.digit[i] = D::sum(a.digit[i], b.digit[i]);
        return r;
    }

    INTERLOCK_HD Element operator-() const {
        Element r;
#pragma unroll
        for (int i = 0; i < DIGITS; i++) r.digit[i] = D::negative(digit[i]);
        return r;
    }

    INTERLOCK_HD Loose<D> doubled() const { return *this + *this; }
};

/// An element as the device computes with it.
using Fp39 = Element<Digit>;

/// The words of a number from 0 to 2^416, and two of 0.
constexpr int WORDS = 13;
using Words = uint32_t[WORDS + 2];

/// Digits from −2^38 are digits from 0 of the number and 2^38 in each place but the last: this is that of 64·x, times 2^26.
INTERLOCK_HD void add_halves(Words &words, const Fp &x) {
    words[0] = 0;
    words[1] = x.limb[0];
#pragma unroll
    for (int w = 2; w < WORDS; w++) {
        uint32_t halves = 0;
#pragma unroll
        for (int i = 0; i < DIGITS - 1; i++) {
            const int bit = BITS * i + BITS - 1 + 26;
            if (bit / 32 == w) halves = 1u << bit % 32;
        }
        const uint32_t limb = x.limb[w - 1];
        words[w] = w == 2 ? carry::add_cc(limb, halves) : w < WORDS - 1 ? carry::addc_cc(limb, halves) : carry::addc(limb, halves);
    }
    words[WORDS] = words[WORDS + 1] = 0;
}

/// The digits of such words, divided by 2^`shift`.
INTERLOCK_HD Fp39 split(const Words &words, int shift) {
    Fp39 r;
#pragma unroll
    for (int i = 0; i < DIGITS; i++) {
        const int word = (BITS * i + shift) / 32, bit = (BITS * i + shift) % 32;
        const uint32_t low = shifted(words[word], words[word + 1], bit);
        const double digit = of_digit(low, shifted(words[word + 1], words[word + 2], bit));
        r.digit[i] = i < DIGITS - 1 ? digit : add(digit, 0x1p38);
    }
    return r;
}

/// The element that memory has as x·2^384: its number is 64 times that, from 0 to 64·p.
INTERLOCK_HD Fp39 from_fp(const Fp &x) {
    Words words;
    add_halves(words, x);
    return split(words, 26);
}

/// The same by a number from 0 to (1 + 2^-20)·p.
INTERLOCK_HD Fp39 reduced_from_fp(const Fp &x) {
    // 64·x/p, or what is up to 1 less, by the top limbs: 2^60 over that of p and 1.
    constexpr uint32_t TOP = FpConstants::modulus(Fp::N - 1);
    constexpr auto RECIPROCAL = static_cast<uint32_t>((uint64_t{1} << 60) / (TOP + 1));
    const auto quotient = static_cast<uint32_t>(uint64_t{x.limb[Fp::N - 1]} * RECIPROCAL >> 54);
    Words words;
    add_halves(words, x);
#pragma unroll
    for (int w = 0; w < WORDS; w++) words[w] = shifted(words[w], words[w + 1], 26);
    // Times 2^416 − p, modulo 2^416: the low halves of the products, then the high ones.
    const auto negative = [](int w) { return w == 0 ? 0 - FpConstants::modulus(0) : w < Fp::N ? ~FpConstants::modulus(w) : ~0u; };
    words[0] = carry::mad_lo_cc(quotient, negative(0), words[0]);
#pragma unroll
    for (int w = 1; w < WORDS; w++) words[w] = carry::madc_lo_cc(quotient, negative(w), words[w]);
    carry::add_cc(0, 0);
#pragma unroll
    for (int w = 0; w < WORDS - 1; w++) words[w + 1] = carry::madc_hi_cc(quotient, negative(w), words[w + 1]);
    return split(words, 0);
}

/// An element in memory: the low words of its digits, and in two words the next seven bits of digits 0 … 8. Of the last there is no
/// more than its low word. Bit 31 of the last word is set.
struct alignas(16) Packed {
    uint32_t word[DIGITS + 2];
};
static_assert(sizeof(Packed) == sizeof(Fp), "no larger than what carry chains work with");

/// The digits, from −2^38 to 2^38 − 1 and the last from −2^31 to 2^31 − 1, as they are.
INTERLOCK_HD Packed pack(const Fp39 &x) {
    // Of the shifted high words of a sum, all but two leave only their seven bits.
    constexpr uint32_t HIGH = HIGH_OF_DIGIT + (HIGH_OF_DIGIT << 7);
    const auto sevens = [&](int first) {
        const auto high = [&](int i) { return high_word(x.digit[first + i]); };
        return high(0) + (high(1) << 7) + (high(2) << 14) + (high(3) << 21);
    };
    Packed r;
#pragma unroll
    for (int i = 0; i < DIGITS; i++) r.word[i] = low_word(x.digit[i]);
    const uint32_t eighth = high_word(x.digit[8]);
    r.word[DIGITS] = sevens(0) + (eighth << 28) - HIGH;
    r.word[DIGITS + 1] = sevens(4) + (eighth << 24 & 0x70000000) + (0x80000000 - HIGH);
    return r;
}

INTERLOCK_HD Fp39 unpack(const Packed &x) {
    const uint32_t low = x.word[DIGITS], high = x.word[DIGITS + 1];
    Fp39 r;
#pragma unroll
    for (int i = 0; i < DIGITS - 2; i++) r.digit[i] = of_digit(x.word[i], (i < 4 ? low : high) >> 7 * (i % 4));
    r.digit[8] = of_digit(x.word[8], low >> 28 | (high >> 24 & 0x70));
    const uint32_t last = x.word[9];
    r.digit[9] = of_words(last, HIGH_OF_DIGIT + 0x40 + static_cast<uint32_t>(static_cast<int32_t>(last) >> 31));
    return r;
}

/// A digit as an integer: doubles between 2^52 and 2^53 are as far apart as their bits.
INTERLOCK_HD int64_t integer(double stored) {
    constexpr uint64_t BITS_OF_SHIFT = uint64_t{HIGH_OF_DIGIT + 0x40} << 32;
    const uint64_t bits = uint64_t{high_word(stored)} << 32 | low_word(stored);
    return static_cast<int64_t>(bits - BITS_OF_SHIFT);
}

/// x·2^384 mod p, as memory has it, of a number between −32·p and 32·p.
template <class D>
INTERLOCK_HD_CALL Fp to_fp(Element<D> x) {
    // With k·p, |k| ≤ 32, it is a multiple of 64, and a 64th of that lies between −p and p. p^-1 mod 64 is 3.
    const int k = static_cast<int>((0u - 3 * low_word(x.digit[0])) << 26) >> 26;
    int64_t digits[DIGITS + 1], over = 0;
#pragma unroll
    for (int i = 0; i < DIGITS; i++) {
        const int64_t digit = integer(x.digit[i]) + k * static_cast<int64_t>(modulus(i)) + over;
        digits[i] = i < DIGITS - 1 ? digit & ((int64_t{1} << BITS) - 1) : digit;
        over = digit >> BITS;
    }
    digits[DIGITS] = 0;
    Fp r;
#pragma unroll
    for (int w = 0; w < Fp::N; w++) {
        const int digit = (32 * w + 6) / BITS, bit = (32 * w + 6) % BITS;
        r.limb[w] = static_cast<uint32_t>(digits[digit] >> bit);
        if (digit < DIGITS - 1) r.limb[w] |= static_cast<uint32_t>(static_cast<uint64_t>(digits[digit + 1]) << (BITS - bit));
    }
    const uint32_t negative = digits[DIGITS - 1] < 0 ? ~0u : 0;
    r.limb[0] = carry::add_cc(r.limb[0], FpConstants::modulus(0) & negative);
#pragma unroll
    for (int w = 1; w < Fp::N - 1; w++) r.limb[w] = carry::addc_cc(r.limb[w], FpConstants::modulus(w) & negative);
    r.limb[Fp::N - 1] = carry::addc(r.limb[Fp::N - 1], FpConstants::modulus(Fp::N - 1) & negative);
    return r;
}

/// Whether the number is k·p.
template <class D>
INTERLOCK_HD_CALL bool is_multiple(Element<D> x, int k) {
    int64_t over = 0, left = 0;
#pragma unroll
    for (int i = 0; i < DIGITS; i++) {
        over += integer(x.digit[i]) - k * static_cast<int64_t>(modulus(i));
        left |= i < DIGITS - 1 ? over & ((int64_t{1} << BITS) - 1) : over;
        over >>= BITS;
    }
    return left == 0;
}

/// Whether a number between −4·p and 4·p may be an element that is 0, by its low word, and k·p then. All but 7 in 2^32 of those that
/// are not are told.
INTERLOCK_HD bool may_be_zero(uint32_t low, int &k) {
    constexpr uint32_t INVERSE = 0u - FpConstants::NEGATED_INVERSE;
    k = static_cast<int>(low * INVERSE);
    return -3 <= k && k <= 3;
}

}  // namespace d39
}  // namespace interlock
