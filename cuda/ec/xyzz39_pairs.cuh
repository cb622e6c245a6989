// Sums of affine points of G2 by pairs of lanes, in digits of 39 bits as in xyzz39.cuh and by the same formulas.
//
// Lane 0 of a pair has the components c0 of all elements of Fp2, and lane 1 the c1: each makes its own of a result, of those of both.
// A product a·b is in either lane two products with one reduction: a0·b0 − a1·b1, and a0·b1 + a1·b0. A square is one:
// (a0 + a1)·(a0 − a1), and (a0 + a0)·a1.
//
// Lanes read what other lanes write, so all that may be converged, a warp, go through every step together: those that have nothing to
// add or have to double too, with results that they drop.
#pragma once

#include "ec/xyzz39.cuh"

namespace interlock {
namespace d39 {

/// A sum in memory, by lanes.
struct PackedPair {
    PackedSum part[2];

    INTERLOCK_HD static PackedPair infinity() { return {}; }
    INTERLOCK_HD bool is_infinity() const { return part[0].is_infinity(); }
};

/// The same sum by carry chains' numbers.
INTERLOCK_HD Xyzz<Fp2> to_xyzz(const PackedPair &sum) {
    if (sum.is_infinity()) return Xyzz<Fp2>::infinity();
    const Xyzz<Fp> c0 = to_xyzz(sum.part[0]), c1 = to_xyzz(sum.part[1]);
    return {{c0.x, c1.x}, {c0.y, c1.y}, {c0.zz, c1.zz}, {c0.zzz, c1.zzz}};
}

INTERLOCK_HD PackedPair from_xyzz(const Xyzz<Fp2> &sum) {
    if (sum.is_infinity()) return PackedPair::infinity();
    const auto packed = [](const Fp &x) { return pack(reduced_from_fp(x)); };
    return {{{packed(sum.x.c0), packed(sum.y.c0), packed(sum.zz.c0), packed(sum.zzz.c0)},
             {packed(sum.x.c1), packed(sum.y.c1), packed(sum.zz.c1), packed(sum.zzz.c1)}}};
}

// A pair's room has Places of elements of Fp2, whose components are places `of` a lane. It does `each` thing in each lane, and tells
// whether a condition holds in `all` lanes of a pair, or for `any` of the pairs that go together. A Place is made by what makes the
// component of a lane, and all lanes have read their operands before any writes.

/// What columns of two products, or of one with digits of twice the size, need before their reduction.
template <class D>
INTERLOCK_HD void refresh_of_lane(typename D::Column *columns) {
    refresh<D>(columns, 8, 10);
}

/// a·b in the place `to`, divided by B^10, and less `less`, which may be no place.
template <class Place>
INTERLOCK_HD_CALL void put_pair_product(Place to, Place a, Place b, Place less) {
    using D = typename Place::D;
    using E = Element<D>;
    to.make([&](int lane) {
        typename E::Columns columns;
        D of_a[DIGITS], of_b[DIGITS];
        a.of(0).get().expand(of_a);
        b.of(lane).get().expand(of_b);
        multiply(columns, of_a, of_b);
        const D sign = lane == 0 ? D::constant(-1) : D::constant(1);
        const E second = a.of(1).get();
#pragma unroll
        for (int i = 0; i < DIGITS; i++) of_a[i] = D::from(second.digit[i], sign);
        b.of(1 - lane).get().expand(of_b);
        add_product(columns, of_a, of_b);
        refresh_of_lane<D>(columns);
        reduce<D>(columns);
        if (less.exists()) E::subtract(columns, less.of(lane).get());
        return E::cut(columns);
    });
}

/// a² in the place `to`, less `less` and twice `less_twice`, each of which may be no place.
template <class Place>
INTERLOCK_HD_CALL void put_pair_square(Place to, Place a, Place less, Place less_twice) {
    using D = typename Place::D;
    using E = Element<D>;
    to.make([&](int lane) {
        typename E::Columns columns;
        D sum[DIGITS], difference[DIGITS];
        const D sign = lane == 0 ? D::constant(-1) : D::constant(0);
        const E own = a.of(lane).get(), other = a.of(1 - lane).get();
        (a.of(0).get() + other).settled().expand(sum);
#pragma unroll
        for (int i = 0; i < DIGITS; i++) difference[i] = D::plus(D::from(own.digit[i]), D::from(other.digit[i]), sign);
        multiply(columns, sum, difference);
        refresh_of_lane<D>(columns);
        reduce<D>(columns);
        if (less.exists()) E::subtract(columns, less.of(lane).get());
        if (less_twice.exists()) E::subtract_twice(columns, less_twice.of(lane).get());
        return E::cut(columns);
    });
}

/// A sum, and what it takes to add a point to it.
template <class Room>
struct PairSum {
    using Place = typename Room::Place;
    using E = Element<typename Place::D>;

    Room room;
    Place x = room[FIRST_X], spare = room[SECOND_X];
    /// Then zz = zzz = 1, and x and y are anything.
    bool is_infinity = false;

    /// A = p.x·zz − x and B = p.y·zzz − y, of a point whose coordinates A and B are. The point's own if the sum is infinity.
    INTERLOCK_HD void put_run_and_rise() {
        const Place none = Place::none(), a = room[A], b = room[B];
        put_pair_product(a, a, room[ZZ], is_infinity ? none : x);
        put_pair_product(b, b, room[ZZZ], is_infinity ? none : room[Y]);
    }

    /// The same to double the sum by: A = 2·y and B = 3·x². Only if it `doubles`.
    INTERLOCK_HD void put_run_and_rise_to_double(bool doubles = true) {
        put_slope(doubles ? room[A] : spare, doubles ? room[B] : spare, x, room[Y]);
    }

    /// The sum of two points that A and B are the run, not 0, and the rise of. Or of two equal ones: of those the run is 2·y. Only if
    /// it `adds`.
    INTERLOCK_HD void add_by_run_and_rise(bool are_equal, bool adds = true) {
        const Place none = Place::none(), y = room[Y], zz = room[ZZ], zzz = room[ZZZ], a = room[A], b = room[B];
        const auto kept = [&](Place place) { return adds ? place : spare; };
        put_pair_square(spare, a, none, none);
        put_pair_product(kept(a), a, spare, none);
        put_pair_product(kept(x), x, spare, none);
        put_pair_product(kept(zz), zz, spare, none);
        put_pair_product(kept(zzz), zzz, a, none);
        put_pair_product(kept(y), y, a, none);
        put_pair_square(spare, b, are_equal ? none : a, x);
        put_difference(kept(x), x, spare);
        put_pair_product(kept(y), b, x, y);
        if (!adds) return;
        const Place q = x;
        x = spare;
        spare = q;
    }

    INTERLOCK_HD void clear() {
        put_one(room[ZZ], room[ZZZ]);
        is_infinity = true;
    }

    /// Adds the point, or its negative. `point(lane)` is a lane's components.
    template <class Point>
    INTERLOCK_HD void add(const Point &point, bool negative) {
        const Place a = room[A], b = room[B];
        const bool is_point = !Room::all([&](int lane) { return point(lane).is_infinity(); });
        a.make([&](int lane) { return from_fp(point(lane).x); });
        b.make([&](int lane) {
            const Fp39 y = from_fp(point(lane).y);
            return negative ? -y : y;
        });
        put_run_and_rise();
        bool adds = is_point && !is_infinity, doubles = false;
        if (is_point && is_infinity) {
            Room::each([&](int lane) {
                x.of(lane).put(a.of(lane).get());
                room[Y].of(lane).put(b.of(lane).get());
            });
            is_infinity = false;
        }
        const bool has_no_run = is_zero(a) && adds;
        if (Room::any(has_no_run)) {
            doubles = is_zero(b) && has_no_run;
            if (has_no_run && !doubles) {
                clear();
                adds = false;
            }
            if (Room::any(doubles)) put_run_and_rise_to_double(doubles);
        }
        if (Room::any(adds)) add_by_run_and_rise(doubles, adds);
    }

    /// `part(lane)` is a lane's.
    template <class Part>
    INTERLOCK_HD void set(const Part &part) {
        Room::each([&](int lane) {
            const PackedSum own = part(lane);
            is_infinity = own.is_infinity();
            x.of(lane).put(unpack(own.x));
            room[Y].of(lane).put(unpack(own.y));
            room[ZZ].of(lane).put(unpack(own.zz));
            room[ZZZ].of(lane).put(unpack(own.zzz));
        });
        if (is_infinity) clear();
    }

    INTERLOCK_HD PackedSum get(int lane) const {
        if (is_infinity) return PackedSum::infinity();
        const auto packed = [&](Place place) { return pack(place.of(lane).get()); };
        return {packed(x), packed(room[Y]), packed(room[ZZ]), packed(room[ZZZ])};
    }

   private:
    INTERLOCK_HD static bool is_zero(Place place) {
        return Room::all([&](int lane) { return is_zero_at(place.of(lane)); });
    }

    // Called, and with nothing by reference to this, so that it can stay in registers.
    INTERLOCK_HD_CALL static void put_one(Place zz, Place zzz) {
        Room::each([&](int lane) {
            E one;
#pragma unroll
            for (int i = 0; i < DIGITS; i++) one.digit[i] = Place::D::store(lane == 0 ? d39::one(i) : 0);
            zz.of(lane).put(one);
            zzz.of(lane).put(one);
        });
    }

    INTERLOCK_HD_CALL static void put_difference(Place to, Place a, Place b) {
        to.make([&](int lane) { return (a.of(lane).get() + -b.of(lane).get()).settled(); });
    }

    INTERLOCK_HD_CALL static void put_slope(Place run, Place rise, Place x, Place y) {
        run.make([&](int lane) { return y.of(lane).get().doubled().settled(); });
        put_pair_square(rise, x, Place::none(), Place::none());
        rise.make([&](int lane) {
            const E square = rise.of(lane).get();
            return (square.doubled().settled() + square).settled();
        });
    }
};

}  // namespace d39
}  // namespace interlock
