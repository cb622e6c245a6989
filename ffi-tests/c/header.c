// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The header by itself, twice, with and without the short names, in every standard it promises; compiling is the test.

#include <interlock.h>

#include <interlock.h>

#ifdef INTERLOCK_NO_SHORT_NAMES
// The short names are the program's own then.
typedef struct { int own; } Fr, Assignment, Proof, SRS, RustError;
int own_names(Fr, Assignment, Proof, SRS, RustError);
#else
// With the signatures that callers of the ABI's other implementations declare.
RustError generate_groth16_proofs_c(const Assignment provers[], size_t num_circuits, const Fr r_s[], const Fr s_s[],
                                    Proof proofs[], const SRS *srs, void *gpu_locks);
RustError create_SRS(SRS *ret, const char *path, bool cache);
void evict_SRS(const SRS *srs);
void drop_SRS(SRS *srs);
SRS clone_SRS(const SRS *srs);
void *create_gpu_mutex(void);
void destroy_gpu_mutex(void *gpu_mtx);
void *create_gpu_locks(void);
void destroy_gpu_locks(void *gpu_locks);
RustError generate_groth16_proofs_start_c(const Assignment provers[], size_t n, const Fr r_s[], const Fr s_s[],
                                          const SRS *srs, void *gpu_locks, void **pending_out);
RustError finalize_groth16_proof_c(void *pending, Proof proofs[]);
void destroy_pending_proof(void *pending);
#endif
