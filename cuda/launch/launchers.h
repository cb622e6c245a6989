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

/* The quotient polynomial h of a circuit over a domain of m = 2^log2 points, log2 <= 32:
 * h = coset_iNTT((coset_NTT(iNTT a) . coset_NTT(iNTT b)) / z) - iNTT(c) / z, with the coset of 7 and z = 7^m - 1.
 * Vectors are m elements of Fr: Montgomery form, canonical, 32 bytes and aligned to 16.
 *
 * What depends on log2 only is kept in a domain of this many bytes, aligned to 16: 20 MiB for 2^27. 0 if there is no such domain. */
size_t interlock_quotient_domain_bytes(unsigned log2);

/* Fills a domain. */
int interlock_quotient_domain(void *domain, unsigned log2, struct CUstream_st *stream);

/* The product over the coset, on its way back: what interlock_quotient_finish wants in a. b is destroyed, and its memory may serve
 * for c. */
int interlock_quotient_product(void *a, void *b, const void *domain, unsigned log2, struct CUstream_st *stream);

/* The m coefficients of h, in a: that of x^i is at the position whose log2 bits are those of i reversed. c is destroyed. */
int interlock_quotient_finish(void *a, void *c, const void *domain, unsigned log2, struct CUstream_st *stream);

#ifdef __cplusplus
}
#endif

#endif
