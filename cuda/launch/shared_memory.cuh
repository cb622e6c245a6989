// Kernels with more shared memory than a launch gives unasked.
#pragma once

#include <cuda_runtime.h>

namespace interlock {

/// Lets a block of `kernel` have so many bytes of dynamic shared memory on the current device, of which multiprocessors keep all they can as such.
template <class Kernel>
cudaError_t allow_shared_memory(Kernel kernel, size_t bytes) {
    const int most = cudaSharedmemCarveoutMaxShared;
    if (cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, most)) return error;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes));
}

}  // namespace interlock
