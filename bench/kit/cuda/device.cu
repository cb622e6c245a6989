// Every operation on the device, one thread an input.
#include <cstring>

#include <cuda_runtime.h>

#include "operations.cuh"

using namespace kit;

namespace {

constexpr unsigned BLOCK = 128;

template <class Operation>
__global__ void __launch_bounds__(BLOCK) apply(typename Operation::Out *out, const typename Operation::In *in, size_t n) {
    const size_t i = size_t{blockIdx.x} * BLOCK + threadIdx.x;
    if (i >= n) return;
    const typename Operation::In value = in[i];
    out[i] = Operation::of(value);
}

template <class Operation>
int launch(void *out, const void *in, size_t n, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>((n + BLOCK - 1) / BLOCK);
    apply<Operation><<<blocks, BLOCK, 0, stream>>>(static_cast<typename Operation::Out *>(out),
                                                   static_cast<const typename Operation::In *>(in), n);
    return cudaGetLastError();
}

}  // namespace

// Enqueues out[i] = the operation of this name of in[i], for i < n, and returns a cudaError; -1 if there is none of this name.
extern "C" int kit_device(const char *name, void *out, const void *in, size_t n, cudaStream_t stream) {
#define KIT_DEVICE(this_name, Operation) \
    if (std::strcmp(name, #this_name) == 0) return launch<Operation>(out, in, n, stream);
    KIT_OPERATIONS(KIT_DEVICE)
    return -1;
}
