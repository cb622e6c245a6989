// Rooms for the sums of cuda/ec/xyzz39.cuh that are an array of whoever adds, over digits or over what stands for them.
#pragma once

#include "ec/xyzz39.cuh"

template <class Digits>
struct OwnPlace {
    using D = Digits;
    interlock::d39::Element<D> *at;

    INTERLOCK_HD static OwnPlace none() { return {nullptr}; }
    INTERLOCK_HD bool exists() const { return at != nullptr; }
    INTERLOCK_HD uint32_t low() const { return interlock::d39::low_word(at->digit[0]); }
    INTERLOCK_HD interlock::d39::Element<D> get() const { return *at; }
    INTERLOCK_HD void put(const interlock::d39::Element<D> &value) const { *at = value; }
};

template <class Digits>
struct OwnRoom {
    using Place = OwnPlace<Digits>;
    interlock::d39::Element<Digits> *slots;

    INTERLOCK_HD Place operator[](int slot) const { return {slots + slot}; }
};
