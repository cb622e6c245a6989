// Multiplication in Fr by a number that is used often, with its quotient by r kept beside it.
//
// u = a·w − q·r, with q made of the upper products of a and w' = ⌊w·2^256/r⌋, and only the lower halves of a·w and q·r: 79 wide
// multiplications, 14 of low halves and two sums of byte products, where a Montgomery multiplication has 112 wide ones.
//
// Words are of 32 bits; column c of a product is what starts at word c. q = ⌊x⌋, where x·2^256 is the sum of
//   - the columns 7 to 14 of a·w', 36 products, and
//   - of the seven products of column 6, those of the upper bytes of their factors, times 2^48.
// Bounds, for 0 ≤ a ≤ 2r, which is below 0.9058·2^256, and 0 ≤ w < r:
//   1. w·2^256/r − w' is in [0, 1), so that a·w/r − a·w'/2^256 is in [0, a/2^256), below 0.9058.
//   2. A product of words less that of their upper bytes times 2^48 is in [0, 2^57), as either lower part is below 2^24 and what it
//      is multiplied by below 2^32. Column 6 is 2^192 times seven of them: below 7·2^(57 + 192 − 256) < 0.0547.
//   3. The columns 0 to 5, left out, are c + 1 products each: below 2·6·2^(64 + 160 − 256) < 2^−28.
// Together 0 ≤ a·w/r − x < 0.961, so 0 ≤ a·w/r − q < 1.961 and u is in [0, 2r): 2r < 2^256, so that it is known by its value
// mod 2^256, and one conditional subtraction makes it an element.
#pragma once

#include "ff/fr.cuh"

namespace interlock {

/// A number w < r to multiply by, not in Montgomery form: the product of one that is has its form.
struct alignas(16) Multiplier {
    static constexpr int N = Fr::N;

    /// w, and ⌊w·2^256/r⌋.
    uint32_t value[N], quotient[N];

    /// The one whose Montgomery form is `form`.
    ///
    /// form = w·2^256 − w'·r: what a Montgomery reduction of form comes to is w, and the multiple of r that it adds is w'. The rows
    /// here take off the multiple κ instead, 0 ≤ κ < 2^256, which leads to w − r and κ = 2^256 − w', or to w = κ = 0.
    INTERLOCK_HD static Multiplier of(const Fr &form) {
        Multiplier r;
        uint32_t accumulators[2][N];
#pragma unroll
        for (int j = 0; j < N; j++) {
            accumulators[0][j] = form.limb[j];
            accumulators[1][j] = 0;
        }
#pragma unroll
        for (int i = 0; i < N; i++) r.quotient[i] = next_row(accumulators[i % 2], accumulators[1 - i % 2], i == 0);
        const uint32_t *odd = accumulators[N % 2], *even = accumulators[1 - N % 2];
        Fr value;
        value.limb[0] = carry::add_cc(odd[0], even[1]);
#pragma unroll
        for (int j = 1; j < N - 1; j++) value.limb[j] = carry::addc_cc(odd[j], even[j + 1]);
        value.limb[N - 1] = carry::addc(odd[N - 1], 0);
        value = value.raised_if_negative();
#pragma unroll
        for (int j = 0; j < N; j++) r.value[j] = value.limb[j];
        r.quotient[0] = carry::sub_cc(0, r.quotient[0]);
#pragma unroll
        for (int j = 1; j < N - 1; j++) r.quotient[j] = carry::subc_cc(0, r.quotient[j]);
        r.quotient[N - 1] = carry::subc(0, r.quotient[N - 1]);
        return r;
    }

    /// −w, for w ≠ 0. w·2^256/r is no integer then, and so ⌊(r − w)·2^256/r⌋ = 2^256 − 1 − w'.
    INTERLOCK_HD Multiplier operator-() const {
        Multiplier r;
        r.value[0] = carry::sub_cc(FrConstants::modulus(0), value[0]);
#pragma unroll
        for (int j = 1; j < N - 1; j++) r.value[j] = carry::subc_cc(FrConstants::modulus(j), value[j]);
        r.value[N - 1] = carry::subc(FrConstants::modulus(N - 1), value[N - 1]);
#pragma unroll
        for (int j = 0; j < N; j++) r.quotient[j] = ~quotient[j];
        return r;
    }

    /// The product with `a`, of which only a ≤ 2r is asked.
    INTERLOCK_HD friend Fr operator*(const Multiplier &w, const Fr &a) {
        uint32_t q[N], even[N], odd[N];  // odd[0] has no use: the words go by their numbers
        upper(q, a, w.quotient);
        subtract_low(even, odd, q);
        add_low(even, odd, a, w.value);
        Fr u;
        u.limb[0] = even[0];
        u.limb[1] = carry::add_cc(even[1], odd[1]);
#pragma unroll
        for (int j = 2; j < N - 1; j++) u.limb[j] = carry::addc_cc(even[j], odd[j]);
        u.limb[N - 1] = carry::addc(even[N - 1], odd[N - 1]);
        return u.reduced_once();
    }

   private:
    static_assert(N == 8 && FrConstants::modulus(0) == 1 && FrConstants::modulus(1) == UINT32_MAX,
                  "2^256 − r starts with the words 2^32 − 1 and 0");

    /// Word j of 2^256 − r, for j ≥ 2.
    INTERLOCK_HD static constexpr uint32_t complement(int j) { return ~FrConstants::modulus(j); }

    /// total = total/2^32 (unless `first`) less the multiple of r that clears its word 0; returns how many times r. The accumulators
    /// are those of the rows of ff/montgomery.cuh: `even` starts at word 0 of the total, `odd` at word 1, and dropping a word exchanges them.
    INTERLOCK_HD static uint32_t next_row(uint32_t *even, uint32_t *odd, bool first) {
        const uint32_t above = first ? 0 : static_cast<uint32_t>(static_cast<int32_t>(even[N - 1]) >> 31);
        const uint32_t k = first ? even[0] : carry::add_cc(even[0], odd[1]);
        odd[0] = first ? 0 : carry::addc_cc(odd[2], 0);
        odd[1] = first ? 0 : carry::addc_cc(odd[3], 0);
#pragma unroll
        for (int j = 2; j < N; j += 2) {
            const bool fresh = first || j == N - 2;
            const uint32_t low = fresh ? 0 : odd[j + 2], high = fresh ? 0 : odd[j + 3];
            odd[j] = first && j == 2 ? carry::mad_lo_cc(complement(j + 1), k, low)
                                     : carry::madc_lo_cc(complement(j + 1), k, low);
            odd[j + 1] = carry::madc_hi_cc(complement(j + 1), k, high);
        }
        even[1] = carry::add_cc(even[1], k);
#pragma unroll
        for (int j = 2; j < N; j += 2) {
            even[j] = carry::madc_lo_cc(complement(j), k, even[j]);
            even[j + 1] = carry::madc_hi_cc(complement(j), k, even[j + 1]);
        }
        odd[N - 1] = carry::addc(odd[N - 1], above) - k;
        return k;
    }

    /// The upper bytes of four words.
    INTERLOCK_HD static uint32_t upper_bytes(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
#ifdef __CUDA_ARCH__
        return __byte_perm(__byte_perm(a, b, 0x73), __byte_perm(c, d, 0x73), 0x5410);
#else
        return a >> 24 | b >> 24 << 8 | c >> 24 << 16 | d >> 24 << 24;
#endif
    }

    /// sum + Σ aᵢ·bᵢ over their bytes.
    INTERLOCK_HD static uint32_t add_byte_products(uint32_t a, uint32_t b, uint32_t sum) {
#ifdef __CUDA_ARCH__
        return __dp4a(a, b, sum);
#else
        for (int i = 0; i < 32; i += 8) sum += (a >> i & 0xff) * (b >> i & 0xff);
        return sum;
#endif
    }

    /// q. Odd columns are added up in `odd` from word 7 on, even ones in `even` from word 8 on, so that each product is a pair of
    /// words that starts where the last one ended.
    INTERLOCK_HD static void upper(uint32_t *q, const Fr &a, const uint32_t *b) {
        // Below 7·2^16. Times 2^16 it is in words 7 and 8, and with the greatest product, 0xe7db4ea6·(2^32 − 1), below 2^64.
        const uint32_t bytes = add_byte_products(
            upper_bytes(a.limb[0], a.limb[1], a.limb[2], a.limb[3]), upper_bytes(b[6], b[5], b[4], b[3]),
            add_byte_products(upper_bytes(a.limb[4], a.limb[5], a.limb[6], 0), upper_bytes(b[2], b[1], b[0], 0), 0));
        uint32_t even[N], odd[N + 1];
        odd[0] = carry::mad_lo_cc(a.limb[N - 1], b[0], bytes << 16);
        odd[1] = carry::madc_hi(a.limb[N - 1], b[0], bytes >> 16);
#pragma unroll
        for (int i = 1; i < N; i++) {
            add_upper_products(odd, a, b[i], N - 1 - i);
            add_upper_products(even, a, b[i], N - i);
        }
        q[0] = carry::add_cc(even[0], odd[1]);
#pragma unroll
        for (int j = 1; j < N - 1; j++) q[j] = carry::addc_cc(even[j], odd[j + 1]);
        q[N - 1] = carry::addc(even[N - 1], odd[N]);
    }

    /// Adds k times the limbs first, first + 2, … of a to the pairs of words from 0 on. The pair that the product with limb N − 1
    /// adds to has no more than one carry in it yet; a carry beyond the product with limb N − 2 starts such a pair.
    INTERLOCK_HD static void add_upper_products(uint32_t *accumulator, const Fr &a, uint32_t k, int first) {
        int w = 0;
#pragma unroll
        for (int j = first; j < N; j += 2, w += 2) {
            const bool fresh = j == N - 1;
            const uint32_t low = fresh && w == 0 ? 0 : accumulator[w], high = fresh ? 0 : accumulator[w + 1];
            accumulator[w] = w == 0 ? carry::mad_lo_cc(a.limb[j], k, low) : carry::madc_lo_cc(a.limb[j], k, low);
            accumulator[w + 1] = fresh ? carry::madc_hi(a.limb[j], k, high) : carry::madc_hi_cc(a.limb[j], k, high);
        }
        if ((N - 1 - first) % 2 == 1) accumulator[w] = carry::addc(0, 0);
    }

    /// total = −q·r mod 2^256 = q·2^32 − q + q·(the words of 2^256 − r from 2 on). `even` has its words 0 to 7, `odd` those from 1 on
    /// by their numbers; pairs start at even words and at odd words.
    INTERLOCK_HD static void subtract_low(uint32_t *even, uint32_t *odd, const uint32_t *q) {
        even[0] = carry::sub_cc(0, q[0]);
#pragma unroll
        for (int j = 1; j < N - 1; j++) even[j] = carry::subc_cc(q[j - 1], q[j]);
        even[N - 1] = carry::subc(q[N - 2], q[N - 1]);
        const Fr words = Fr{{0, 0, complement(2), complement(3), complement(4), complement(5), complement(6), complement(7)}};
#pragma unroll
        for (int j = 1; j < N; j++) odd[j] = 0;
#pragma unroll
        for (int i = 0; i < N - 2; i++) add_low_products(even, odd, words, q[i], i, 2);
    }

    /// Adds a·b mod 2^256.
    INTERLOCK_HD static void add_low(uint32_t *even, uint32_t *odd, const Fr &a, const uint32_t *b) {
#pragma unroll
        for (int i = 0; i < N; i++) add_low_products(even, odd, a, b[i], i, 0);
    }

    /// Adds k·2^(32i) times the words of a from `first` on, mod 2^256. Of the products of column 7 only the lower halves are left.
    INTERLOCK_HD static void add_low_products(uint32_t *even, uint32_t *odd, const Fr &a, uint32_t k, int i, int first) {
        add_pairs(even, a, k, i, first + (i + first) % 2);
        const int from = first + (i + first + 1) % 2;
        add_pairs(odd, a, k, i, from);
        if (i + from < N - 1) odd[N - 1] = carry::addc(odd[N - 1], 0);
        odd[N - 1] += a.limb[N - 1 - i] * k;
    }

    /// Adds the products with the words from, from + 2, … of a that start below word 7.
    INTERLOCK_HD static void add_pairs(uint32_t *accumulator, const Fr &a, uint32_t k, int i, int from) {
#pragma unroll
        for (int j = from; i + j < N - 1; j += 2) {
            const int w = i + j;
            accumulator[w] = j == from ? carry::mad_lo_cc(a.limb[j], k, accumulator[w])
                                       : carry::madc_lo_cc(a.limb[j], k, accumulator[w]);
            accumulator[w + 1] = carry::madc_hi_cc(a.limb[j], k, accumulator[w + 1]);
        }
    }
};
static_assert(sizeof(Multiplier) == 64, "two numbers");

}  // namespace interlock
