/* What Rust calls: plain C, the one truth for both sides (src/sys/launchers.rs is generated from it).
 *
 * Every launcher returns a cudaError (0 is success), enqueues on `stream` of the current device, and neither allocates nor waits.
 * Pointers are to device memory unless they say otherwise. */
#ifndef INTERLOCK_LAUNCHERS_H
#define INTERLOCK_LAUNCHERS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st; /* a cudaStream_t points to one */

/* The driver's function of this name as it was in CUDA `version` (12000 is 12.0), in *function; both are host memory.
 * The driver is loaded if it is not yet. */
int interlock_driver_entry_point(const char *symbol, unsigned version, void **function);

/* out[i] = a[i]·b[i] in Fr for i < n: Montgomery form, canonical, 32 bytes and aligned to 16. `out` may be `a` or `b`. */
int interlock_fr_mul(void *out, const void *a, const void *b, size_t n, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif

#endif
