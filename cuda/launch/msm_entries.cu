// The part of an MSM that knows scalars and no points.
#include <pthread.h>

// CUB includes <iostream> and uses no more than <ostream>; the former's static objects are in the C++ runtime, which is not linked.
#include <ostream>
#define _GLIBCXX_IOSTREAM
#include <cub/device/device_radix_sort.cuh>

#include "msm/digits.cuh"

namespace interlock {
namespace msm {

namespace {

cudaError_t ask_cub(size_t n, size_t *bytes) {
    cub::DoubleBuffer<uint32_t> none;
    return cub::DeviceRadixSort::SortPairs(nullptr, *bytes, none, none, n, 0, 32);
}

void start_cub() {
    size_t bytes;
    (void)ask_cub(1, &bytes);
}

}  // namespace

cudaError_t sort_bytes(size_t n, size_t *bytes) {
    // CUB's function-local statics, which are compiled without guards for threads: those would need the C++ runtime.
    static pthread_once_t started = PTHREAD_ONCE_INIT;
    if (pthread_once(&started, start_cub) != 0) return cudaErrorUnknown;
    return ask_cub(n, bytes);
}

cudaError_t make_entries(Entries *entries, const interlock_msm_terms &terms, const Group &group, cudaStream_t stream) {
    const auto blocks = static_cast<unsigned>((terms.n + DIGITS_BLOCK - 1) / DIGITS_BLOCK);
    make_digits<<<blocks, DIGITS_BLOCK, 0, stream>>>(entries->keys[0], entries->values[0], terms, group, group.skipped());
    if (cudaError_t error = cudaGetLastError()) return error;

    const size_t n = terms.n * group.windows;
    cub::DoubleBuffer<uint32_t> keys(entries->keys[0], entries->keys[1]), values(entries->values[0], entries->values[1]);
    const cudaError_t error = cub::DeviceRadixSort::SortPairs(entries->sort, entries->sort_bytes, keys, values, n, 0,
                                                              group.key_bits(), stream);
    if (error != cudaSuccess) return error;
    for (int i = 0; i < 2; i++) {
        entries->keys[i] = i == 0 ? keys.Current() : keys.Alternate();
        entries->values[i] = i == 0 ? values.Current() : values.Alternate();
    }
    count_entries<<<1, 32, 0, stream>>>(entries->count, entries->keys[0], n, group.skipped());
    return cudaGetLastError();
}

}  // namespace msm
}  // namespace interlock
