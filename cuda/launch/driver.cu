// The driver's functions, found at run time: the library starts on machines that have no driver.
#include <cuda_runtime_api.h>

#include "launchers.h"

int interlock_driver_entry_point(const char *symbol, unsigned version, void **function) {
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    cudaError_t error = cudaGetDriverEntryPointByVersion(symbol, function, version, cudaEnableDefault, &found);
#else
    cudaError_t error = cudaGetDriverEntryPoint(symbol, function, cudaEnableDefault, &found);
    (void)version;
#endif
    if (error == cudaSuccess && found != cudaDriverEntryPointSuccess) error = cudaErrorSymbolNotFound;
    return error;
}
