// Long sums of points by ec/xyzz39.cuh against ec/xyzz.cuh, on the host: the multiples of the generator and infinity, with either sign, in an
// order that has sums that are the point itself, its negative and infinity.
#include <cstdio>
#include <cstdlib>

#include "ec/xyzz39.cuh"

using namespace interlock;

namespace {

uint64_t state = 1;
uint64_t word() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

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

struct Place {
    using D = d39::Digit;
    d39::Fp39 *at;
    static Place none() { return {nullptr}; }
    bool exists() const { return at != nullptr; }
    uint32_t low() const { return d39::low_word(at->digit[0]); }
    d39::Fp39 get() const { return *at; }
    void put(const d39::Fp39 &value) const { *at = value; }
};
struct Room {
    using Place = ::Place;
    d39::Fp39 *slots;
    Place operator[](int slot) const { return {slots + slot}; }
};

bool is_same(const Xyzz<Fp> &a, const Xyzz<Fp> &b) {
    if (a.is_infinity() || b.is_infinity()) return a.is_infinity() && b.is_infinity();
    return a.x * b.zz == b.x * a.zz && a.y * b.zzz == b.y * a.zzz && b.zz.squared() * b.zz == b.zzz.squared();
}

}  // namespace

int main(int, char **argv) {
    const long n = std::atol(argv[1]);
    const Affine<Fp> generator = {coordinate(X), coordinate(Y)};
    Fp four = Fp::one().doubled().doubled();
    if (!(generator.y.squared() == generator.x.squared() * generator.x + four)) return std::puts("no generator"), 1;
    // Few, so that sums of them are often one of them.
    constexpr int MULTIPLES = 5;
    Affine<Fp> points[MULTIPLES] = {Affine<Fp>::infinity(), generator};
    for (int i = 2; i < MULTIPLES; i++) points[i] = (Xyzz<Fp>::from(points[i - 1]) + generator).to_affine();

    d39::Fp39 slots[d39::SLOTS];
    d39::Sum<Room> sum{{slots}};
    sum.clear();
    Xyzz<Fp> expected = Xyzz<Fp>::infinity();
    long infinite = 0, doubled = 0, cleared = 0;
    for (long i = 0; i < n; i++) {
        const Affine<Fp> &point = points[word() % MULTIPLES];
        const bool negative = word() % 2;
        const Affine<Fp> added = negative ? -point : point;
        const Xyzz<Fp> before = expected;
        expected = expected + added;
        sum.add(point, negative);
        infinite += before.is_infinity();
        doubled += !added.is_infinity() && is_same(before, Xyzz<Fp>::from(added));
        cleared += !before.is_infinity() && expected.is_infinity();
        if (!is_same(d39::to_xyzz(sum.get()), expected)) return std::printf("sum %ld is wrong\n", i), 1;
        if (word() % 16 == 0) sum.set(d39::from_xyzz(expected));
        if (word() % 16 == 0) sum.set(sum.get());
        // Not so near to infinity for a while.
        if (word() % 256 == 0) {
            for (int k = 0; k < 64; k++) {
                sum.add(generator, false);
                expected = expected + generator;
            }
        }
        if (word() % 64 == 0) {
            sum.clear();
            expected = Xyzz<Fp>::infinity();
        }
    }
    std::printf("%ld additions: %ld to infinity, %ld doubles, %ld to infinity's\n", n, infinite, doubled, cleared);
    return infinite == 0 || doubled == 0 || cleared == 0;
}
