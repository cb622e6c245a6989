// Rooms for the sums of cuda/ec/xyzz39.cuh and xyzz39_pairs.cuh that are an array of whoever adds, over digits or over what stands for
// them. Of the latter sums it does what both lanes do.
#pragma once

#include "ec/xyzz39_pairs.cuh"

template <class Digits>
struct OwnPlace {
    using D = Digits;
    static constexpr int PARTS = 1;
    interlock::d39::Element<D> *at;

    INTERLOCK_HD static OwnPlace none() { return {nullptr}; }
    INTERLOCK_HD bool exists() const { return at != nullptr; }
    INTERLOCK_HD uint32_t low() const { return interlock::d39::low_word(at->digit[0]); }
    INTERLOCK_HD interlock::d39::Element<D> get() const { return *at; }
    INTERLOCK_HD void put(const interlock::d39::Element<D> &value) const { *at = value; }
    INTERLOCK_HD OwnPlace of(int) const { return *this; }
};

template <class Digits>
struct OwnRoom {
    using Place = OwnPlace<Digits>;
    static constexpr int ELEMENTS = interlock::d39::SLOTS;
    interlock::d39::Element<Digits> *slots;

    INTERLOCK_HD Place operator[](int slot) const { return {slots + slot}; }
};

template <class Digits>
struct OwnPairPlace {
    using D = Digits;
    static constexpr int PARTS = 2;
    interlock::d39::Element<D> *at;

    INTERLOCK_HD static OwnPairPlace none() { return {nullptr}; }
    INTERLOCK_HD bool exists() const { return at != nullptr; }
    INTERLOCK_HD OwnPlace<D> of(int lane) const { return {at + lane}; }
    template <class Make>
    INTERLOCK_HD void make(const Make &make_part) const {
        const interlock::d39::Element<D> first = make_part(0), second = make_part(1);
        at[0] = first;
        at[1] = second;
    }
};

template <class Digits>
struct OwnPairRoom {
    using Place = OwnPairPlace<Digits>;
    static constexpr int ELEMENTS = 2 * interlock::d39::SLOTS;
    interlock::d39::Element<Digits> *slots;

    INTERLOCK_HD Place operator[](int slot) const { return {slots + 2 * slot}; }
    template <class Thing>
    INTERLOCK_HD static void each(const Thing &thing) {
        thing(0);
        thing(1);
    }
    template <class Condition>
    INTERLOCK_HD static bool all(const Condition &condition) {
        return condition(0) && condition(1);
    }
    INTERLOCK_HD static bool any(bool condition) { return condition; }
};

/// A sum of points in such a room.
template <class F>
struct OwnSum;

template <>
struct OwnSum<interlock::Fp> {
    using Room = OwnRoom<interlock::d39::Digit>;
    interlock::d39::Fp39 slots[Room::ELEMENTS];
    interlock::d39::Sum<Room> sum{{slots}};

    INTERLOCK_HD void add(const interlock::Affine<interlock::Fp> &point, bool negative) { sum.add(point, negative); }
    INTERLOCK_HD void add(const interlock::d39::PackedSum &other) { sum.add(other, interlock::d39::unpack); }
    INTERLOCK_HD void set(const interlock::d39::PackedSum &from) { sum.set(from); }
    INTERLOCK_HD interlock::d39::PackedSum get() const { return sum.get(); }
};

template <>
struct OwnSum<interlock::Fp2> {
    using Room = OwnPairRoom<interlock::d39::Digit>;
    interlock::d39::Fp39 slots[Room::ELEMENTS];
    interlock::d39::PairSum<Room> sum{{slots}};

    INTERLOCK_HD void add(const interlock::Affine<interlock::Fp2> &point, bool negative) {
        const interlock::Affine<interlock::Fp> c0 = {point.x.c0, point.y.c0}, c1 = {point.x.c1, point.y.c1};
        sum.add([&](int lane) { return lane == 0 ? c0 : c1; }, negative);
    }
    INTERLOCK_HD void set(const interlock::d39::PackedPair &from) {
        sum.set([&](int lane) { return from.part[lane]; });
    }
    INTERLOCK_HD interlock::d39::PackedPair get() const { return {{sum.get(0), sum.get(1)}}; }
};
