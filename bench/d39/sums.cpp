// Long sums of points, and of such sums, by ec/xyzz39.cuh against ec/xyzz.cuh, on the host: of few points and infinity, with either sign,
// in an order that has sums that are the point itself, its negative, infinity and another of its y.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "rooms.h"
#include "sizes.h"

using namespace interlock;

namespace {

std::mt19937_64 word;

/// A coordinate in Montgomery form.
Fp coordinate(const uint32_t *limbs) {
    Fp x, r_squared;
    for (int i = 0; i < Fp::N; i++) {
        x.limb[i] = limbs[i];
        r_squared.limb[i] = FpConstants::r_squared(i);
    }
    return x * r_squared;
}

constexpr uint32_t X[] = {0xdb22c6bb, 0xfb3af00a, 0xf97a1aef, 0x6c55e83f, 0x171bac58, 0xa14e3a3f,
                          0x9774b905, 0xc3688c4f, 0x4fa9ac0f, 0x2695638c, 0x3197d794, 0x17f1d3a7};
constexpr uint32_t Y[] = {0x46c5e7e1, 0x0caa2329, 0xa2888ae4, 0xd03cc744, 0x2c04b3ed, 0x00db18cb,
                          0xd5d00af6, 0xfcf5e095, 0x741d8ae4, 0xa09e30ed, 0xe3aaa0f1, 0x08b3f481};

/// A cube root of 1: a point's x times this is that of another of the same y.
constexpr uint32_t BETA[] = {0xfffefffe, 0x2e01ffff, 0x620a0002, 0xde17d813, 0xe6f89688, 0xddb3a93b,
                             0x6a0f77ea, 0xba69c607, 0xdf76ce51, 0x5f19672f, 0,          0};

void require(bool holds, const char *what) {
    if (holds) return;
    std::printf("wrong: %s\n", what);
    std::exit(1);
}

bool is_same(const Xyzz<Fp> &a, const Xyzz<Fp> &b) {
    if (a.is_infinity() || b.is_infinity()) return a.is_infinity() && b.is_infinity();
    return a.x * b.zz == b.x * a.zz && a.y * b.zzz == b.y * a.zzz && b.zz.squared() * b.zz == b.zzz.squared();
}

/// Whether a coordinate is as far from 0 as errors.cpp and bounds.cpp have it at most.
bool is_below(const d39::Fp39 &a, double times) { return std::abs(d39::integer(a.digit[d39::DIGITS - 1])) < times * 872555476; }

/// One sum by both.
struct Sums {
    d39::Fp39 slots[d39::SLOTS];
    d39::Sum<OwnRoom<d39::Digit>> sum{{slots}};
    Xyzz<Fp> expected;
    long additions = 0, to_infinity = 0, doubles = 0, cancelled = 0, of_one_y = 0;

    void clear() {
        sum.clear();
        expected = Xyzz<Fp>::infinity();
    }
    void add(const Affine<Fp> &point, bool negative) {
        expect(Xyzz<Fp>::from(negative ? -point : point));
        sum.add(point, negative);
        check();
    }
    /// Adds another sum, as memory has it.
    void add(const Sums &other) {
        expect(other.expected);
        sum.add(other.sum.get(), [](const d39::Packed &coordinate) { return unpack(coordinate); });
        check();
    }
    void expect(const Xyzz<Fp> &added) {
        const Xyzz<Fp> before = expected;
        expected = expected + added;
        additions++;
        if (before.is_infinity()) {
            to_infinity++;
        } else if (!added.is_infinity()) {
            const bool has_its_x = before.x * added.zz == added.x * before.zz;
            const bool has_its_y = before.y * added.zzz == added.y * before.zzz;
            doubles += has_its_x && has_its_y;
            cancelled += has_its_x && !has_its_y;
            of_one_y += !has_its_x && has_its_y;
            require(expected.is_infinity() == (has_its_x && !has_its_y), "what was expected");
        }
    }
    /// From memory, as it is there or by carry chains' numbers.
    void set(bool by_numbers) {
        sum.set(by_numbers ? d39::from_xyzz(expected) : sum.get());
        check();
    }
    void check() const {
        require(is_same(d39::to_xyzz(sum.get()), expected), "a sum");
        if (sum.is_infinity) return;
        require(is_below(sum.x.get(), X_BELOW) && is_below(slots[d39::Y], Y_BELOW), "the size of x or y");
        require(is_below(slots[d39::ZZ], ZZ_BELOW) && is_below(slots[d39::ZZZ], ZZ_BELOW), "the size of zz or zzz");
    }
};

/// A point, of which there are few, so that sums of them are often one of them, or of its y.
constexpr int MULTIPLES = 5;
struct Points {
    Affine<Fp> multiple[MULTIPLES], of_its_y[MULTIPLES];
    Fp beta = coordinate(BETA);

    Points() {
        const Fp one = Fp::one(), four = one.doubled().doubled();
        const Affine<Fp> generator = {coordinate(X), coordinate(Y)};
        require(generator.y.squared() == generator.x.squared() * generator.x + four, "the generator");
        require(!(beta == one) && beta.squared() * beta == one, "the cube root of 1");
        multiple[0] = Affine<Fp>::infinity();
        multiple[1] = generator;
        for (int i = 2; i < MULTIPLES; i++) multiple[i] = (Xyzz<Fp>::from(multiple[i - 1]) + generator).to_affine();
        for (int i = 0; i < MULTIPLES; i++) of_its_y[i] = with_its_y(multiple[i]);
    }
    Affine<Fp> with_its_y(const Affine<Fp> &point) const { return {point.x * beta, point.y}; }
    const Affine<Fp> &any() const { return (word() % 8 == 0 ? of_its_y : multiple)[word() % MULTIPLES]; }
};

/// P + P − 2·P − P − P.
void add_and_take(Sums &sums, const Points &points) {
    const int i = 1 + static_cast<int>(word() % 2);
    const bool negative = word() % 2;
    sums.clear();
    sums.add(points.multiple[i], negative);
    sums.add(points.multiple[i], negative);
    sums.add(points.multiple[2 * i], !negative);
    require(sums.sum.is_infinity && sums.expected.is_infinity(), "2·P − 2·P");
    sums.add(points.multiple[i], !negative);
    sums.add(points.multiple[i], !negative);
}

/// Adds the sum itself, its negative or a point of its y.
void add_own(Sums &sums, const Points &points) {
    if (sums.expected.is_infinity()) return;
    const Affine<Fp> own = sums.expected.to_affine();
    sums.add(word() % 2 ? own : points.with_its_y(own), word() % 4 == 0);
}

/// Runs of sums as segments of buckets have them: one of a few points, or of what is nothing for a while, and one of all that it was.
void add_runs(Sums &from_here, Sums &of_all, const Points &points) {
    from_here.clear();
    of_all.clear();
    for (long i = word() % 24; i > 0; i--) {
        if (word() % 3 == 0) from_here.add(points.any(), word() % 2);
        of_all.add(from_here);
        from_here.set(word() % 2);
    }
    // Each other, which is often the same, and back again.
    if (word() % 4 == 0) of_all.add(from_here);
    if (word() % 4 == 0) from_here.add(of_all);
    if (word() % 4 == 0) of_all.add(of_all);
}

/// Two sums that are the same, or the same of either sign, by other coordinates.
void add_equal(Sums &sums, Sums &other, const Points &points) {
    sums.clear();
    other.clear();
    const bool negative = word() % 2, is_opposite = word() % 2;
    const Affine<Fp> &first = points.any(), &second = points.any();
    for (int turn = static_cast<int>(word() % 3); turn >= 0; turn--) {
        sums.add(first, negative);
        sums.add(second, negative);
        other.add(second, negative != is_opposite);
        other.add(first, negative != is_opposite);
    }
    sums.add(other);
    if (is_opposite) require(sums.sum.is_infinity, "opposite sums");
    sums.add(other);
}

int report(const char *what, const Sums &sums) {
    std::printf("%ld additions %s: %ld to infinity, %ld doubles, %ld to infinity's, %ld of equal y\n", sums.additions, what,
                sums.to_infinity, sums.doubles, sums.cancelled, sums.of_one_y);
    return sums.to_infinity == 0 || sums.doubles == 0 || sums.cancelled == 0 || sums.of_one_y == 0;
}

}  // namespace

int main(int, char **argv) {
    const long n = std::atol(argv[1]);
    const Points points;
    Sums sums, of_all, other;
    while (of_all.additions < n / 2) {
        add_runs(other, of_all, points);
        add_equal(of_all, other, points);
    }
    sums.clear();
    while (sums.additions < n) {
        for (long i = word() % 16; i > 0; i--) sums.add(points.any(), word() % 2);
        // Not so near to infinity for a while.
        if (word() % 32 == 0) {
            for (int i = 0; i < 64; i++) sums.add(points.multiple[1], false);
        }
        if (word() % 4 == 0) sums.set(word() % 2);
        if (word() % 16 == 0) add_own(sums, points);
        if (word() % 16 == 0) add_and_take(sums, points);
        if (word() % 8 == 0) sums.clear();
    }
    return report("of points", sums) | report("of sums", of_all);
}
