// A prime field in Montgomery form.
//
// An element is below the modulus and has the layout of blst's and of the C ABI: little-endian limbs of x·R mod modulus, with
// R = 2^(32·LIMBS). The modulus leaves at least one bit of its top limb free: 2·modulus < R.
#pragma once

#include "ff/constants.cuh"

namespace interlock {

template <class Constants>
struct alignas(16) Montgomery {
    static constexpr int N = Constants::LIMBS;
    static_assert(N % 2 == 0, "the multiplication pairs the limbs");

    uint32_t limb[N];

    INTERLOCK_HD static Montgomery zero() {
        Montgomery r;
#pragma unroll
        for (int i = 0; i < N; i++) r.limb[i] = 0;
        return r;
    }

    INTERLOCK_HD static Montgomery one() {
        Montgomery r;
#pragma unroll
        for (int i = 0; i < N; i++) r.limb[i] = Constants::one(i);
        return r;
    }

    /// 1/R, which turns x·R into x when it is multiplied by it.
    INTERLOCK_HD static Montgomery inverse_radix() {
        Montgomery r = zero();
        r.limb[0] = 1;
        return r;
    }

    INTERLOCK_HD bool is_zero() const {
        uint32_t any = 0;
#pragma unroll
        for (int i = 0; i < N; i++) any |= limb[i];
        return any == 0;
    }

    INTERLOCK_HD friend bool operator==(const Montgomery &a, const Montgomery &b) {
        uint32_t differ = 0;
#pragma unroll
        for (int i = 0; i < N; i++) differ |= a.limb[i] ^ b.limb[i];
        return differ == 0;
    }

    INTERLOCK_HD friend Montgomery operator+(const Montgomery &a, const Montgomery &b) {
        Montgomery sum;
        sum.limb[0] = carry::add_cc(a.limb[0], b.limb[0]);
#pragma unroll
        for (int i = 1; i < N - 1; i++) sum.limb[i] = carry::addc_cc(a.limb[i], b.limb[i]);
        sum.limb[N - 1] = carry::addc(a.limb[N - 1], b.limb[N - 1]);
        return sum.reduced_once();
    }

    INTERLOCK_HD friend Montgomery operator-(const Montgomery &a, const Montgomery &b) {
        Montgomery r;
        r.limb[0] = carry::sub_cc(a.limb[0], b.limb[0]);
#pragma unroll
        for (int i = 1; i < N; i++) r.limb[i] = carry::subc_cc(a.limb[i], b.limb[i]);
        const uint32_t borrowed = carry::subc(0, 0);  // all ones if a < b
        return r.raised_if(borrowed);
    }

    INTERLOCK_HD Montgomery operator-() const { return zero() - *this; }

    INTERLOCK_HD Montgomery doubled() const { return *this + *this; }

    /// a·b/R, row by row: to the total come a·bᵢ and the multiple of the modulus that clears its lowest word, which is then
    /// dropped.
    ///
    /// Products of even limbs and of odd limbs go to separate accumulators, so that each is a pair of words that starts where
    /// the last one's ended, and both halves of a product are one multiplication that passes on one carry (IMAD.WIDE.X). The
    /// even one has the words 0 … N − 1 of the total, the odd one the words 1 … N.
    INTERLOCK_HD friend Montgomery operator*(const Montgomery &a, const Montgomery &b) {
        uint32_t accumulators[2][N];
        first_row(accumulators[0], accumulators[1], a, b.limb[0]);
        reduce_row(accumulators[0], accumulators[1]);
#pragma unroll
        for (int i = 1; i < N; i++) {
            // Dropping a word exchanges the two: what was odd is even now.
            uint32_t *even = accumulators[i % 2], *odd = accumulators[1 - i % 2];
            next_row(even, odd, a, b.limb[i]);
            reduce_row(even, odd);
        }
        const uint32_t *odd = accumulators[N % 2], *even = accumulators[1 - N % 2];
        Montgomery r;
        r.limb[0] = carry::add_cc(odd[0], even[1]);
#pragma unroll
        for (int j = 1; j < N - 1; j++) r.limb[j] = carry::addc_cc(odd[j], even[j + 1]);
        r.limb[N - 1] = carry::addc(odd[N - 1], 0);
        return SPARSE ? r.raised_if_negative() : r.reduced_once();
    }

    INTERLOCK_HD Montgomery squared() const {
        if constexpr (SPARSE) {
            return *this * *this;
        } else {
            uint32_t square[2 * N];
            wide_square(square, *this);
            return reduced(square);
        }
    }

    /// 1/x, and 0 for 0: x^(modulus − 2).
    INTERLOCK_HD Montgomery inverse() const { return inverse_of(*this); }

    /// *this for values below the modulus, *this − modulus for those below twice that.
    INTERLOCK_HD Montgomery reduced_once() const {
        Montgomery less;
        less.limb[0] = carry::sub_cc(limb[0], Constants::modulus(0));
#pragma unroll
        for (int i = 1; i < N; i++) less.limb[i] = carry::subc_cc(limb[i], Constants::modulus(i));
        const bool below = carry::subc(0, 0) != 0;
        Montgomery r;
#pragma unroll
        for (int i = 0; i < N; i++) r.limb[i] = below ? limb[i] : less.limb[i];
        return r;
    }

    /// *this for values from 0 to the modulus, *this + modulus for those from −modulus to −1, mod R.
    INTERLOCK_HD Montgomery raised_if_negative() const { return raised_if(sign(limb[N - 1])); }

   private:
    /// Whether the modulus ends in 2^64 − 2^32 + 1, as r does. The total of a multiplication then goes down with each row's
    /// reduction, by word 0 times the modulus, and lies between −modulus and modulus; otherwise it goes up and lies between 0
    /// and 2·modulus.
    static constexpr bool SPARSE = Constants::modulus(0) == 1 && Constants::modulus(1) == UINT32_MAX;

    INTERLOCK_HD_CALL static Montgomery inverse_of(Montgomery x) {
        Montgomery power = one();
#pragma unroll 1
        for (int i = 32 * N - 1; i >= 0; i--) {
            power = power.squared();
            if (modulus_less_2(i / 32) >> (i % 32) & 1) power = power * x;
        }
        return power;
    }

    /// Limb i of modulus − 2. The borrow of limb 0 ends at limb 1.
    INTERLOCK_HD static constexpr uint32_t modulus_less_2(int i) {
        const uint32_t less = i == 0 ? 2 : i == 1 && Constants::modulus(0) < 2 ? 1 : 0;
        return Constants::modulus(i) - less;
    }

    /// All ones for a word with its top bit set, else 0.
    INTERLOCK_HD static uint32_t sign(uint32_t word) { return static_cast<uint32_t>(static_cast<int32_t>(word) >> 31); }

    INTERLOCK_HD static Montgomery modulus() {
        Montgomery r;
#pragma unroll
        for (int i = 0; i < N; i++) r.limb[i] = Constants::modulus(i);
        return r;
    }

    /// *this plus the modulus where `mask` is all ones, which makes it non-negative; *this where it is 0.
    INTERLOCK_HD Montgomery raised_if(uint32_t mask) const {
        Montgomery r;
        r.limb[0] = carry::add_cc(limb[0], Constants::modulus(0) & mask);
#pragma unroll
        for (int i = 1; i < N - 1; i++) r.limb[i] = carry::addc_cc(limb[i], Constants::modulus(i) & mask);
        r.limb[N - 1] = carry::addc(limb[N - 1], Constants::modulus(N - 1) & mask);
        return r;
    }

    /// total = a·k.
    INTERLOCK_HD static void first_row(uint32_t *even, uint32_t *odd, const Montgomery &a, uint32_t k) {
#pragma unroll
        for (int j = 0; j < N; j += 2) {
            const uint64_t low = uint64_t{a.limb[j]} * k, high = uint64_t{a.limb[j + 1]} * k;
            even[j] = static_cast<uint32_t>(low);
            even[j + 1] = static_cast<uint32_t>(low >> 32);
            odd[j] = static_cast<uint32_t>(high);
            odd[j + 1] = static_cast<uint32_t>(high >> 32);
        }
    }

    /// total = total/2^32 + a·k. `even` comes as the odd accumulator of the last row, `odd` as the even one, its word 0 clear.
    INTERLOCK_HD static void next_row(uint32_t *even, uint32_t *odd, const Montgomery &a, uint32_t k) {
        const uint32_t above = SPARSE ? sign(even[N - 1]) : 0;
        even[0] = carry::add_cc(even[0], odd[1]);
#pragma unroll
        for (int j = 0; j < N - 2; j += 2) {
            odd[j] = carry::madc_lo_cc(a.limb[j + 1], k, odd[j + 2]);
            odd[j + 1] = carry::madc_hi_cc(a.limb[j + 1], k, odd[j + 3]);
        }
        odd[N - 2] = carry::madc_lo_cc(a.limb[N - 1], k, 0);
        odd[N - 1] = carry::madc_hi(a.limb[N - 1], k, 0);
        even[0] = carry::mad_lo_cc(a.limb[0], k, even[0]);
        even[1] = carry::madc_hi_cc(a.limb[0], k, even[1]);
#pragma unroll
        for (int j = 2; j < N; j += 2) {
            even[j] = carry::madc_lo_cc(a.limb[j], k, even[j]);
            even[j + 1] = carry::madc_hi_cc(a.limb[j], k, even[j + 1]);
        }
        odd[N - 1] = carry::addc(odd[N - 1], above);
    }

    /// a² in 2N words: the products of different limbs once, doubled, and the squares of the limbs.
    ///
    /// As in a multiplication, products that start at even words and at odd words have separate accumulators.
    INTERLOCK_HD static void wide_square(uint32_t *square, const Montgomery &a) {
        uint32_t accumulators[2][2 * N];
#pragma unroll
        for (int w = 0; w < 2 * N; w++) accumulators[0][w] = accumulators[1][w] = 0;
#pragma unroll
        for (int i = 0; i < N - 1; i++) {
            add_products(accumulators[(i + 1) % 2], a, i, i + 1);
            if (i + 2 < N) add_products(accumulators[i % 2], a, i, i + 2);
        }
        square[0] = carry::add_cc(accumulators[0][0], accumulators[1][0]);
#pragma unroll
        for (int w = 1; w < 2 * N; w++) square[w] = carry::addc_cc(accumulators[0][w], accumulators[1][w]);
        square[0] = carry::add_cc(square[0], square[0]);
#pragma unroll
        for (int w = 1; w < 2 * N; w++) square[w] = carry::addc_cc(square[w], square[w]);
        square[0] = carry::mad_lo_cc(a.limb[0], a.limb[0], square[0]);
        square[1] = carry::madc_hi_cc(a.limb[0], a.limb[0], square[1]);
#pragma unroll
        for (int i = 1; i < N; i++) {
            square[2 * i] = carry::madc_lo_cc(a.limb[i], a.limb[i], square[2 * i]);
            square[2 * i + 1] = carry::madc_hi_cc(a.limb[i], a.limb[i], square[2 * i + 1]);
        }
    }

    /// Adds limb i of a times its limbs first, first + 2, … to the words from i + first on. The pair of words that the product
    /// with limb N − 1 starts is new, so its carry ends there; that of limb N − 2 goes on to one new word.
    INTERLOCK_HD static void add_products(uint32_t *accumulator, const Montgomery &a, int i, int first) {
        accumulator[i + first] = carry::mad_lo_cc(a.limb[i], a.limb[first], accumulator[i + first]);
        accumulator[i + first + 1] = carry::madc_hi_cc(a.limb[i], a.limb[first], accumulator[i + first + 1]);
#pragma unroll
        for (int j = first + 2; j < N; j += 2) {
            accumulator[i + j] = carry::madc_lo_cc(a.limb[i], a.limb[j], accumulator[i + j]);
            accumulator[i + j + 1] = carry::madc_hi_cc(a.limb[i], a.limb[j], accumulator[i + j + 1]);
        }
        if ((N - 1 - first) % 2 == 1) accumulator[i + N] = carry::addc(accumulator[i + N], 0);
    }

    /// wide/R for a product of two elements: N rows clear its low half, and the high half is added to what they come to.
    INTERLOCK_HD static Montgomery reduced(const uint32_t *wide) {
        uint32_t accumulators[2][N];
#pragma unroll
        for (int j = 0; j < N; j++) {
            accumulators[0][j] = wide[j];
            accumulators[1][j] = 0;
        }
        reduce_row_up(accumulators[0], accumulators[1]);
#pragma unroll
        for (int i = 1; i < N; i++) {
            uint32_t *even = accumulators[i % 2], *odd = accumulators[1 - i % 2];
            next_row(even, odd, modulus(), (even[0] + odd[1]) * Constants::NEGATED_INVERSE);
        }
        const uint32_t *odd = accumulators[N % 2], *even = accumulators[1 - N % 2];
        Montgomery r;
        r.limb[0] = carry::add_cc(odd[0], even[1]);
#pragma unroll
        for (int j = 1; j < N - 1; j++) r.limb[j] = carry::addc_cc(odd[j], even[j + 1]);
        r.limb[N - 1] = carry::addc(odd[N - 1], 0);
        r.limb[0] = carry::add_cc(r.limb[0], wide[N]);
#pragma unroll
        for (int j = 1; j < N - 1; j++) r.limb[j] = carry::addc_cc(r.limb[j], wide[N + j]);
        r.limb[N - 1] = carry::addc(r.limb[N - 1], wide[2 * N - 1]);
        return r.reduced_once();
    }

    /// Clears word 0 of the total with a multiple of the modulus.
    INTERLOCK_HD static void reduce_row(uint32_t *even, uint32_t *odd) {
        if constexpr (SPARSE) {
            reduce_row_down(even, odd);
        } else {
            reduce_row_up(even, odd);
        }
    }

    /// Adds the multiple k = −word 0/modulus mod 2^32.
    INTERLOCK_HD static void reduce_row_up(uint32_t *even, uint32_t *odd) {
        const uint32_t k = even[0] * Constants::NEGATED_INVERSE;
        even[0] = carry::mad_lo_cc(Constants::modulus(0), k, even[0]);
        even[1] = carry::madc_hi_cc(Constants::modulus(0), k, even[1]);
#pragma unroll
        for (int j = 2; j < N; j += 2) {
            even[j] = carry::madc_lo_cc(Constants::modulus(j), k, even[j]);
            even[j + 1] = carry::madc_hi_cc(Constants::modulus(j), k, even[j + 1]);
        }
        odd[N - 1] = carry::addc(odd[N - 1], 0);
        odd[0] = carry::mad_lo_cc(Constants::modulus(1), k, odd[0]);
        odd[1] = carry::madc_hi_cc(Constants::modulus(1), k, odd[1]);
#pragma unroll
        for (int j = 2; j < N - 2; j += 2) {
            odd[j] = carry::madc_lo_cc(Constants::modulus(j + 1), k, odd[j]);
            odd[j + 1] = carry::madc_hi_cc(Constants::modulus(j + 1), k, odd[j + 1]);
        }
        odd[N - 2] = carry::madc_lo_cc(Constants::modulus(N - 1), k, odd[N - 2]);
        odd[N - 1] = carry::madc_hi(Constants::modulus(N - 1), k, odd[N - 1]);
    }

    /// Adds k·(R − modulus) − k·R for k = word 0, which is k times the modulus less. R − modulus has the words 2^32 − 1 and 0,
    /// which add k to word 1 and clear word 0 without a multiplication, and then the complements of the modulus's.
    INTERLOCK_HD static void reduce_row_down(uint32_t *even, uint32_t *odd) {
        const uint32_t k = even[0];
        even[1] = carry::add_cc(even[1], k);
#pragma unroll
        for (int j = 2; j < N; j += 2) {
            even[j] = carry::madc_lo_cc(~Constants::modulus(j), k, even[j]);
            even[j + 1] = carry::madc_hi_cc(~Constants::modulus(j), k, even[j + 1]);
        }
        odd[N - 1] = carry::addc(odd[N - 1], 0) - k;
        odd[2] = carry::mad_lo_cc(~Constants::modulus(3), k, odd[2]);
        odd[3] = carry::madc_hi_cc(~Constants::modulus(3), k, odd[3]);
#pragma unroll
        for (int j = 4; j < N - 2; j += 2) {
            odd[j] = carry::madc_lo_cc(~Constants::modulus(j + 1), k, odd[j]);
            odd[j + 1] = carry::madc_hi_cc(~Constants::modulus(j + 1), k, odd[j + 1]);
        }
        odd[N - 2] = carry::madc_lo_cc(~Constants::modulus(N - 1), k, odd[N - 2]);
        odd[N - 1] = carry::madc_hi(~Constants::modulus(N - 1), k, odd[N - 1]);
    }
};

}  // namespace interlock
