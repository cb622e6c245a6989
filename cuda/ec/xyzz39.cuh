// Sums of affine points of G1 in XYZZ coordinates, by the arithmetic of ff/d39.cuh. The formula is that of xyzz.cuh, madd-2008-s,
// with one reduction for the two products of y: 8M + 2S with nine reductions in place of ten.
//
// A double takes the same steps after the run and the rise, which then are 2·y and 3·x²: dbl-2008-s-1. So threads that double and
// threads that add go together.
//
// Seven elements a thread are too many for registers: they have slots in a room, on the device in shared memory. Only two routines,
// neither inlined, do the multiplications, so that the loop over points stays in the instruction cache.
#pragma once

#include "ec/xyzz.cuh"
#include "ff/d39.cuh"

namespace interlock {
namespace d39 {

/// A sum in memory. Infinity is all zeros, or any whose zz ends with 0.
struct PackedSum {
    Packed x, y, zz, zzz;

    INTERLOCK_HD static PackedSum infinity() { return {}; }
    INTERLOCK_HD bool is_infinity() const { return zz.word[DIGITS + 1] == 0; }
};

/// The same sum by carry chains' numbers.
INTERLOCK_HD Xyzz<Fp> to_xyzz(const PackedSum &sum) {
    if (sum.is_infinity()) return Xyzz<Fp>::infinity();
    return {to_fp(unpack(sum.x)), to_fp(unpack(sum.y)), to_fp(unpack(sum.zz)), to_fp(unpack(sum.zzz))};
}

INTERLOCK_HD PackedSum from_xyzz(const Xyzz<Fp> &sum) {
    if (sum.is_infinity()) return PackedSum::infinity();
    const auto packed = [](const Fp &x) { return pack(reduced_from_fp(x)); };
    return {packed(sum.x), packed(sum.y), packed(sum.zz), packed(sum.zzz)};
}

/// The slots of a room. Y, ZZ and ZZZ are the sum's; one of the last two has its x, in turn, and the other is spare.
enum Slot : int { Y, ZZ, ZZZ, A, B, FIRST_X, SECOND_X, SLOTS };

// A room's Place is where the element of a slot is: it can `get` and `put` it, tell the low word of its first digit, and be no
// place.

/// What a second product makes of a first one, a·b: a·(b − e) − c·d, whose elements all have places. There is no e without it, as the
/// columns of a·(b − e) stay exact only by what subtract_product does to them.
template <class Place>
struct Second {
    Place e, c, d;

    /// No second product.
    INTERLOCK_HD Second() : Second(Place::none(), Place::none(), Place::none()) {}
    INTERLOCK_HD Second(Place e, Place c, Place d) : e(e), c(c), d(d) {}
};

/// a·b, or what the second product makes of it, in the place `to`, divided by B^10, and less `less`, which may be no place.
template <class Place>
INTERLOCK_HD_CALL void put_product(Place to, Place a, Place b, Place less, Second<Place> second = {}) {
    using D = typename Place::D;
    D of_a[DIGITS], of_b[DIGITS];
    a.get().expand(of_a);
    b.get().expand(of_b);
    if (second.e.exists()) {
        D of_e[DIGITS];
        second.e.get().expand(of_e);
#pragma unroll
        for (int i = 0; i < DIGITS; i++) of_b[i] = of_b[i] - of_e[i];
    }
    typename Element<D>::Columns columns;
    multiply(columns, of_a, of_b);
    if (second.c.exists()) Element<D>::subtract_product(columns, second.c.get(), second.d.get());
    reduce<D>(columns);
    if (less.exists()) Element<D>::subtract(columns, less.get());
    to.put(Element<D>::cut(columns));
}

/// a² in the place `to`, less `less` and twice `less_twice`, each of which may be no place.
template <class Place>
INTERLOCK_HD_CALL void put_square(Place to, Place a, Place less, Place less_twice) {
    using E = Element<typename Place::D>;
    typename E::Columns columns;
    E::square(columns, a.get());
    reduce<typename Place::D>(columns);
    if (less.exists()) E::subtract(columns, less.get());
    if (less_twice.exists()) E::subtract_twice(columns, less_twice.get());
    to.put(E::cut(columns));
}

/// Whether the element at `place`, a number between −4·p and 4·p, is 0.
template <class Place>
INTERLOCK_HD bool is_zero_at(Place place) {
    int k;
    return may_be_zero(place.low(), k) && is_multiple(place.get(), k);
}

/// A sum, and what it takes to add a point to it.
template <class Room>
struct Sum {
    using Place = typename Room::Place;
    using E = Element<typename Place::D>;

    Room room;
    Place x = room[FIRST_X], spare = room[SECOND_X];
    /// Then zz = zzz = 1, and x and y are anything.
    bool is_infinity = false;

    /// A = p.x·zz − x and B = p.y·zzz − y, of a point whose coordinates A and B are. The point's own if the sum is infinity.
    INTERLOCK_HD void put_run_and_rise() {
        const Place none = Place::none(), a = room[A], b = room[B];
        put_product(a, a, room[ZZ], is_infinity ? none : x);
        put_product(b, b, room[ZZZ], is_infinity ? none : room[Y]);
    }

    /// The same of another sum, whose coordinates `get` reads: this one's are multiplied by its zz and zzz.
    template <class Other, class Get>
    INTERLOCK_HD void put_run_and_rise(const Other &other, const Get &get) {
        const Place a = room[A], b = room[B];
        spare.put(get(other.zz));
        a.put(get(other.x));
        put_scaled_difference(a, x, room[ZZ]);
        spare.put(get(other.zzz));
        b.put(get(other.y));
        put_scaled_difference(b, room[Y], room[ZZZ]);
    }

    /// The same to double the sum by: A = 2·y and B = 3·x².
    INTERLOCK_HD void put_run_and_rise_to_double() { put_slope(room[A], room[B], x, room[Y]); }

    /// The sum of two points that A and B are the run, not 0, and the rise of. Or of two equal ones: of those the run is 2·y.
    INTERLOCK_HD void add_by_run_and_rise(bool are_equal) {
        const Place none = Place::none(), y = room[Y], zz = room[ZZ], zzz = room[ZZZ], a = room[A], b = room[B];
        put_square(spare, a, none, none);
        put_product(a, a, spare, none);
        put_product(x, x, spare, none);
        put_product(zz, zz, spare, none);
        put_product(zzz, zzz, a, none);
        put_square(spare, b, are_equal ? none : a, x);
        put_product(y, b, x, none, {spare, y, a});
        const Place q = x;
        x = spare;
        spare = q;
    }

    INTERLOCK_HD void clear() {
        const auto one = E::one();
        room[ZZ].put(one);
        room[ZZZ].put(one);
        is_infinity = true;
    }

    /// Adds the point, or its negative.
    INTERLOCK_HD void add(const Affine<Fp> &point, bool negative) {
        if (point.is_infinity()) return;
        room[A].put(from_fp(point.x));
        const Fp39 y = from_fp(point.y);
        room[B].put(negative ? -y : y);
        put_run_and_rise();
        if (is_infinity) {
            x.put(room[A].get());
            room[Y].put(room[B].get());
            is_infinity = false;
            return;
        }
        add_or_double();
    }

    /// Adds another sum, whose coordinates `get` makes elements of.
    template <class Get>
    INTERLOCK_HD void add(const PackedSum &other, const Get &get) {
        if (other.is_infinity()) return;
        if (is_infinity) return put(other, get);
        put_run_and_rise(other, get);
        add_or_double();
    }

    INTERLOCK_HD void set(const PackedSum &sum) {
        is_infinity = sum.is_infinity();
        if (is_infinity) return clear();
        put(sum, [](const Packed &coordinate) { return unpack(coordinate); });
    }

    INTERLOCK_HD PackedSum get() const {
        if (is_infinity) return PackedSum::infinity();
        return {pack(x.get()), pack(room[Y].get()), pack(room[ZZ].get()), pack(room[ZZZ].get())};
    }

   private:
    template <class Get>
    INTERLOCK_HD void put(const PackedSum &sum, const Get &get) {
        x.put(get(sum.x));
        room[Y].put(get(sum.y));
        room[ZZ].put(get(sum.zz));
        room[ZZZ].put(get(sum.zzz));
        is_infinity = false;
    }

    /// `own` times what is spare, to·z less that in the place `to`, and z times what is spare.
    INTERLOCK_HD void put_scaled_difference(Place to, Place own, Place z) {
        put_product(own, own, spare, Place::none());
        put_product(to, to, z, own);
        put_product(z, z, spare, Place::none());
    }

    /// The sum of the two points that A and B are the run and the rise of.
    INTERLOCK_HD void add_or_double() {
        const bool has_no_run = is_zero_at(room[A]);
        if (has_no_run) {
            if (!is_zero_at(room[B])) return clear();
            put_run_and_rise_to_double();
        }
        add_by_run_and_rise(has_no_run);
    }

    // Called, and with nothing by reference to this, so that it can stay in registers.
    INTERLOCK_HD_CALL static void put_slope(Place run, Place rise, Place x, Place y) {
        run.put(y.get().doubled().settled());
        put_square(rise, x, Place::none(), Place::none());
        const E square = rise.get();
        rise.put((square.doubled().settled() + square).settled());
    }
};

}  // namespace d39
}  // namespace interlock
