// Long sums of points by ec/xyzz39.cuh and xyzz39_pairs.cuh against ec/xyzz.cuh, on the host: of few points and infinity, with either
// sign, in an order that has sums that are the point itself, its negative, infinity and another of its y.
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

/// Those of G2's generator.
constexpr uint32_t X0[] = {0xc121bdb8, 0xd48056c8, 0xa805bbef, 0x0bac0326, 0x7ae3d177, 0xb4510b64,
                           0xfa403b02, 0xc6e47ad4, 0x2dc51051, 0x26080527, 0xf08f0a91, 0x024aa2b2};
constexpr uint32_t X1[] = {0x5d042b7e, 0xe5ac7d05, 0x13945d57, 0x334cf112, 0xdc7f5049, 0xb5da61bb,
                           0x9920b61a, 0x596bd0d0, 0x88274f65, 0x7dacd3a0, 0x52719f60, 0x13e02b60};
constexpr uint32_t Y0[] = {0x08b82801, 0xe1935486, 0x3baca289, 0x923ac9cc, 0x5160d12c, 0x6d429a69,
                           0x8cbdd3a7, 0xadfd9baa, 0xda2e351a, 0x8cc9cdc6, 0x727d6e11, 0x0ce5d527};
constexpr uint32_t Y1[] = {0xf05f79be, 0xaaa9075f, 0x5cec1da1, 0x3f370d27, 0x572e99ab, 0x267492ab,
                           0x85a763af, 0xcb3e287e, 0x2bc28b99, 0x32acd2b0, 0x2ea734cc, 0x0606c4a0};

/// A cube root of 1: a point's x times this is that of another of the same y.
constexpr uint32_t BETA[] = {0xfffefffe, 0x2e01ffff, 0x620a0002, 0xde17d813, 0xe6f89688, 0xddb3a93b,
                             0x6a0f77ea, 0xba69c607, 0xdf76ce51, 0x5f19672f, 0,          0};

void require(bool holds, const char *what) {
    if (holds) return;
    std::printf("wrong: %s\n", what);
    std::exit(1);
}

template <class F>
bool is_same(const Xyzz<F> &a, const Xyzz<F> &b) {
    if (a.is_infinity() || b.is_infinity()) return a.is_infinity() && b.is_infinity();
    return a.x * b.zz == b.x * a.zz && a.y * b.zzz == b.y * a.zzz && b.zz.squared() * b.zz == b.zzz.squared();
}

/// What is added up in G1.
struct G1 {
    using F = Fp;

    static Fp beta() { return coordinate(BETA); }
    static Fp b() { return Fp::one().doubled().doubled(); }
    static Affine<Fp> generator() { return {coordinate(X), coordinate(Y)}; }
};

/// The same in G2.
struct G2 {
    using F = Fp2;

    static Fp2 beta() { return {coordinate(BETA), Fp::zero()}; }
    static Fp2 b() { return {G1::b(), G1::b()}; }
    static Affine<Fp2> generator() { return {{coordinate(X0), coordinate(X1)}, {coordinate(Y0), coordinate(Y1)}}; }
};

/// Whether a coordinate is as far from 0 as errors.cpp and bounds.cpp have it at most.
template <class Place>
bool is_below(Place place, double times) {
    for (int lane = 0; lane < Place::PARTS; lane++) {
        const d39::Fp39 part = place.of(lane).get();
        if (std::abs(d39::integer(part.digit[d39::DIGITS - 1])) >= times * 872555476) return false;
    }
    return true;
}

/// One sum by both.
template <class Group>
struct Sums {
    using F = typename Group::F;

    OwnSum<F> own;
    Xyzz<F> expected;
    long additions = 0, to_infinity = 0, doubles = 0, cancelled = 0, of_one_y = 0;

    void clear() {
        own.sum.clear();
        expected = Xyzz<F>::infinity();
    }
    void add(const Affine<F> &point, bool negative) {
        const Affine<F> added = negative ? -point : point;
        const Xyzz<F> before = expected;
        expected = expected + added;
        own.add(point, negative);
        additions++;
        if (before.is_infinity()) {
            to_infinity++;
        } else if (!added.is_infinity()) {
            const bool has_its_x = before.x == added.x * before.zz, has_its_y = before.y == added.y * before.zzz;
            doubles += has_its_x && has_its_y;
            cancelled += has_its_x && !has_its_y;
            of_one_y += !has_its_x && has_its_y;
            require(expected.is_infinity() == (has_its_x && !has_its_y), "what was expected");
        }
        check();
    }
    /// From memory, as it is there or by carry chains' numbers.
    void set(bool by_numbers) {
        own.set(by_numbers ? d39::from_xyzz(expected) : own.get());
        check();
    }
    void check() const {
        require(is_same(d39::to_xyzz(own.get()), expected), "a sum");
        const auto &sum = own.sum;
        if (sum.is_infinity) return;
        require(is_below(sum.x, X_BELOW) && is_below(sum.room[d39::Y], Y_BELOW), "the size of x or y");
        require(is_below(sum.room[d39::ZZ], ZZ_BELOW) && is_below(sum.room[d39::ZZZ], ZZ_BELOW), "the size of zz or zzz");
    }
};

/// A point, of which there are few, so that sums of them are often one of them, or of its y.
constexpr int MULTIPLES = 5;
template <class Group>
struct Points {
    using F = typename Group::F;

    Affine<F> multiple[MULTIPLES], of_its_y[MULTIPLES];
    F beta = Group::beta();

    Points() {
        const Affine<F> generator = Group::generator();
        require(generator.y.squared() == generator.x.squared() * generator.x + Group::b(), "the generator");
        require(!(beta == F::one()) && beta.squared() * beta == F::one(), "the cube root of 1");
        multiple[0] = Affine<F>::infinity();
        multiple[1] = generator;
        for (int i = 2; i < MULTIPLES; i++) multiple[i] = (Xyzz<F>::from(multiple[i - 1]) + generator).to_affine();
        for (int i = 0; i < MULTIPLES; i++) of_its_y[i] = with_its_y(multiple[i]);
    }
    Affine<F> with_its_y(const Affine<F> &point) const { return {point.x * beta, point.y}; }
    const Affine<F> &any() const { return (word() % 8 == 0 ? of_its_y : multiple)[word() % MULTIPLES]; }
};

/// P + P − 2·P − P − P.
template <class Group>
void add_and_take(Sums<Group> &sums, const Points<Group> &points) {
    const int i = 1 + static_cast<int>(word() % 2);
    const bool negative = word() % 2;
    sums.clear();
    sums.add(points.multiple[i], negative);
    sums.add(points.multiple[i], negative);
    sums.add(points.multiple[2 * i], !negative);
    require(sums.own.sum.is_infinity && sums.expected.is_infinity(), "2·P − 2·P");
    sums.add(points.multiple[i], !negative);
    sums.add(points.multiple[i], !negative);
}

/// Adds the sum itself, its negative or a point of its y.
template <class Group>
void add_own(Sums<Group> &sums, const Points<Group> &points) {
    if (sums.expected.is_infinity()) return;
    const auto own = sums.expected.to_affine();
    sums.add(word() % 2 ? own : points.with_its_y(own), word() % 4 == 0);
}

/// Adds a point to which the run, or the rise, has one component that is 0. It is not on the curve of the sum, but formulas are the same there.
void add_beside(Sums<G2> &sums) {
    if (sums.expected.is_infinity()) return;
    Affine<Fp2> point = sums.expected.to_affine();
    const Fp2 one = word() % 2 ? Fp2{Fp::one(), Fp::zero()} : Fp2{Fp::zero(), Fp::one()};
    if (word() % 2) {
        point.x = point.x + one * sums.expected.zz.inverse();
    } else {
        point.y = point.y + one * sums.expected.zzz.inverse();
    }
    sums.add(point, false);
    sums.clear();
}
void add_beside(Sums<G1> &) {}

/// Sums of sums, of which there are few: of points, their doubles and opposites, over several denominators, and infinity.
bool add_sums(long n) {
    const Points<G1> points;
    OwnSum<Fp> own;
    long doubles = 0, cancelled = 0, of_infinity = 0;
    Xyzz<Fp> expected = Xyzz<Fp>::infinity();
    own.sum.clear();
    for (long i = 0; i < n; i++) {
        Sums<G1> other;
        other.clear();
        for (long j = word() % 5; j > 0; j--) other.add(points.any(), word() % 2);
        // Often this sum itself or its negative, over other denominators.
        if (word() % 8 == 0 && !expected.is_infinity()) {
            const Affine<Fp> negative = -points.multiple[1];
            const bool opposite = word() % 2;
            other.clear();
            const auto same = expected.to_affine();
            other.add(points.multiple[1], false);
            other.add(opposite ? -same : same, false);
            other.add(negative, false);
        }
        const Xyzz<Fp> before = expected;
        expected = expected + other.expected;
        if (before.is_infinity() || other.expected.is_infinity()) {
            of_infinity++;
        } else {
            doubles += is_same(before, other.expected);
            cancelled += expected.is_infinity();
        }
        own.add(other.own.get());
        require(is_same(d39::to_xyzz(own.get()), expected), "a sum of sums");
        require(is_below(own.sum.x, X_BELOW) && is_below(own.sum.room[d39::Y], Y_BELOW), "the size of x or y of a sum of sums");
        if (word() % 16 == 0) {
            own.sum.clear();
            expected = Xyzz<Fp>::infinity();
        }
    }
    std::printf("%ld sums of sums: %ld doubles, %ld to infinity, %ld with infinity\n", n, doubles, cancelled, of_infinity);
    return doubles > 0 && cancelled > 0 && of_infinity > 0;
}

/// Whether all kinds of additions were among `n`.
template <class Group>
bool add_all(long n, const char *group) {
    const Points<Group> points;
    Sums<Group> sums;
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
        if (word() % 16 == 0) add_beside(sums);
        if (word() % 8 == 0) sums.clear();
    }
    std::printf("%s: %ld additions: %ld to infinity, %ld doubles, %ld to infinity's, %ld of equal y\n", group, sums.additions,
                sums.to_infinity, sums.doubles, sums.cancelled, sums.of_one_y);
    return sums.to_infinity > 0 && sums.doubles > 0 && sums.cancelled > 0 && sums.of_one_y > 0;
}

}  // namespace

int main(int, char **argv) {
    const long n = std::atol(argv[1]);
    const bool in_g1 = add_all<G1>(n, "G1"), in_g2 = add_all<G2>(n / 4, "G2");
    return !in_g1 || !in_g2 || !add_sums(n / 8);
}
