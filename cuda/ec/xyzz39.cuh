// Sums of affine points of G1 in XYZZ coordinates, by the arithmetic of ff/d39.cuh. The formula is that of xyzz.cuh, madd-2008-s, with
// one reduction for the two products of y: 8M + 2S with nine reductions in place of ten.
//
// Seven elements a thread are too many for registers: they have slots in a room, on the device in shared memory. Only two routines,
// neither inlined, do the multiplications, so that the loop over points stays in the instruction cache.
#pragma once

#include "ec/xyzz.cuh"
#include "ff/d39.cuh"

namespace interlock {
namespace d39 {

/// No slot.
constexpr int NONE = -1;
/// Slots of a room. One of the last two has the x of the sum, in turn; the other is spare.
enum Slot : int { Y, ZZ, ZZZ, A, B, FIRST_X, SECOND_X, SLOTS };

/// a·(b − e) − c·d in the slot `to`, divided by B^10, where c, d and e may be NONE, and less `less`.
template <class Room>
INTERLOCK_HD_CALL void put_product(Room room, int to, int a, int b, int less, int e, int c, int d) {
    using D = typename Room::D;
    D of_a[DIGITS], of_b[DIGITS];
    room.get(a).expand(of_a);
    room.get(b).expand(of_b);
    if (e != NONE) {
        D of_e[DIGITS];
        room.get(e).expand(of_e);
#pragma unroll
        for (int i = 0; i < DIGITS; i++) of_b[i] = of_b[i] - of_e[i];
    }
    typename Element<D>::Columns columns;
    multiply(columns, of_a, of_b);
    if (c != NONE) Element<D>::subtract_product(columns, room.get(c), room.get(d));
    reduce<D>(columns);
    if (less != NONE) Element<D>::subtract(columns, room.get(less));
    room.put(to, Element<D>::cut(columns));
}

/// a² in the slot `to`, less `less` and twice `less_twice`, which may both be NONE.
template <class Room>
INTERLOCK_HD_CALL void put_square(Room room, int to, int a, int less, int less_twice) {
    using E = Element<typename Room::D>;
    typename E::Columns columns;
    E::square(columns, room.get(a));
    reduce<typename Room::D>(columns);
    if (less != NONE) {
        E::subtract(columns, room.get(less));
        E::subtract_twice(columns, room.get(less_twice));
    }
    room.put(to, E::cut(columns));
}

/// A sum, and what it takes to add a point to it.
template <class Room>
struct Sum {
    Room room;
    int x = FIRST_X, spare = SECOND_X;
    /// Then x = y = 0, zz = zzz = 1.
    bool is_infinity = false;

    /// A = p.x·zz − x and B = p.y·zzz − y, of a point whose coordinates A and B are.
    INTERLOCK_HD void put_run_and_rise() {
        put_product(room, A, A, ZZ, x, NONE, NONE, NONE);
        put_product(room, B, B, ZZZ, Y, NONE, NONE, NONE);
    }

    /// The sum of two points that A and B are the run, not 0, and the rise of.
    INTERLOCK_HD void add_by_run_and_rise() {
        put_square(room, spare, A, NONE, NONE);
        put_product(room, A, A, spare, NONE, NONE, NONE, NONE);
        put_product(room, x, x, spare, NONE, NONE, NONE, NONE);
        put_product(room, ZZ, ZZ, spare, NONE, NONE, NONE, NONE);
        put_product(room, ZZZ, ZZZ, A, NONE, NONE, NONE, NONE);
        put_square(room, spare, B, A, x);
        put_product(room, Y, B, x, NONE, spare, Y, A);
        const int q = x;
        x = spare;
        spare = q;
    }

    INTERLOCK_HD void clear() {
        const auto zero = Element<typename Room::D>::zero(), one = Element<typename Room::D>::one();
        room.put(x, zero);
        room.put(Y, zero);
        room.put(ZZ, one);
        room.put(ZZZ, one);
        is_infinity = true;
    }

    /// Adds the point, or its negative.
    INTERLOCK_HD void add(const Affine<Fp> &point, bool negative) {
        if (point.is_infinity()) return;
        room.put(A, from_fp(point.x));
        const Fp39 y = from_fp(point.y);
        room.put(B, negative ? -y : y);
        put_run_and_rise();
        if (is_infinity) {
            // Of 0 and 1: they are the point's coordinates.
            room.put(x, room.get(A));
            room.put(Y, room.get(B));
            is_infinity = false;
        } else if (!is_zero(room.get(A))) {
            add_by_run_and_rise();
        } else if (is_zero(room.get(B))) {
            put_double(room, x, point, negative);
        } else {
            clear();
        }
    }

    INTERLOCK_HD void set(const Xyzz<Fp> &sum) {
        clear();
        if (sum.is_infinity()) return;
        put_sum(room, x, sum);
        is_infinity = false;
    }

    INTERLOCK_HD Xyzz<Fp> get() const { return is_infinity ? Xyzz<Fp>::infinity() : taken(room, x); }

   private:
    // These are called, and take nothing by reference to this, so that it can stay in registers.
    INTERLOCK_HD_CALL static void put_sum(Room room, int x, Xyzz<Fp> sum) {
        room.put(x, reduced_from_fp(sum.x));
        room.put(Y, reduced_from_fp(sum.y));
        room.put(ZZ, reduced_from_fp(sum.zz));
        room.put(ZZZ, reduced_from_fp(sum.zzz));
    }

    INTERLOCK_HD_CALL static void put_double(Room room, int x, Affine<Fp> point, bool negative) {
        put_sum(room, x, Xyzz<Fp>::from(negative ? -point : point).doubled());
    }

    INTERLOCK_HD_CALL static Xyzz<Fp> taken(Room room, int x) {
        return {to_fp(room.get(x)), to_fp(room.get(Y)), to_fp(room.get(ZZ)), to_fp(room.get(ZZZ))};
    }
};

}  // namespace d39
}  // namespace interlock
