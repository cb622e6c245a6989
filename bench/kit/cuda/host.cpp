// Every operation on the host, and the constants, for comparison.
#include <cstddef>
#include <cstring>

#include "operations.cuh"

using namespace kit;

namespace {

template <class Operation>
void apply(void *out, const void *in, size_t n) {
    for (size_t i = 0; i < n; i++) {
        static_cast<typename Operation::Out *>(out)[i] = Operation::of(static_cast<const typename Operation::In *>(in)[i]);
    }
}

}  // namespace

// out[i] = the operation of this name of in[i], for i < n; -1 if there is none of this name.
extern "C" int kit_host(const char *name, void *out, const void *in, size_t n) {
#define KIT_HOST(this_name, Operation)               \
    if (std::strcmp(name, #this_name) == 0) {        \
        apply<Operation>(out, in, n);                \
        return 0;                                    \
    }
    KIT_OPERATIONS(KIT_HOST)
    return -1;
}

namespace {

template <class Constants>
void constants(uint32_t *out) {
    for (int i = 0; i < Constants::LIMBS; i++) {
        out[i] = Constants::modulus(i);
        out[Constants::LIMBS + i] = Constants::one(i);
        out[2 * Constants::LIMBS + i] = Constants::r_squared(i);
    }
}

}  // namespace

// Modulus, one and R² of each field.
extern "C" void kit_constants_fp(uint32_t out[36]) { constants<FpConstants>(out); }
extern "C" void kit_constants_fr(uint32_t out[24]) { constants<FrConstants>(out); }
