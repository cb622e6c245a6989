// Rooms on the host for the sums of cuda/ec/xyzz39.cuh, over digits or over what stands for them, and what sums' coordinates are below.
#pragma once

#include "ec/xyzz39.cuh"

template <class Digits>
struct HostPlace {
    using D = Digits;
    interlock::d39::Element<D> *at;

    static HostPlace none() { return {nullptr}; }
    bool exists() const { return at != nullptr; }
    uint32_t low() const { return interlock::d39::low_word(at->digit[0]); }
    interlock::d39::Element<D> get() const { return *at; }
    void put(const interlock::d39::Element<D> &value) const { *at = value; }
};

template <class Digits>
struct HostRoom {
    using Place = HostPlace<Digits>;
    interlock::d39::Element<Digits> *slots;

    Place operator[](int slot) const { return {slots + slot}; }
};

/// In p: the coordinates of a sum, those of a point, and the factors for which d39.md has bounds of single operations.
constexpr double X_BELOW = 2.2, Y_BELOW = 1.9, ZZ_BELOW = 2, POINT_UP_TO = 64, FACTOR_BELOW = 4;
