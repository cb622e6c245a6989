// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The C ABI with handles as integers. Handles are numbers and not addresses, and Go must not hold such a number in a
// pointer: its garbage collector and its pointer checks look at those.

#ifndef INTERLOCK_GO_BRIDGE_H
#define INTERLOCK_GO_BRIDGE_H

#define INTERLOCK_NO_SHORT_NAMES
#include <interlock.h>

#include <stdlib.h>
#include <string.h>

static inline interlock_error bridge_create_srs(uintptr_t *token, const char *path, bool cache) {
    interlock_srs srs;
    interlock_error error = create_SRS(&srs, path, cache);
    *token = (uintptr_t)srs.ptr;
    return error;
}

static inline uintptr_t bridge_clone_srs(uintptr_t token) {
    interlock_srs srs = {(void *)token};
    return (uintptr_t)clone_SRS(&srs).ptr;
}

static inline void bridge_evict_srs(uintptr_t token) {
    interlock_srs srs = {(void *)token};
    evict_SRS(&srs);
}

static inline void bridge_drop_srs(uintptr_t token) {
    interlock_srs srs = {(void *)token};
    drop_SRS(&srs);
}

static inline interlock_error bridge_srs_sizes(uintptr_t token, interlock_circuit_sizes *sizes) {
    interlock_srs srs = {(void *)token};
    return interlock_srs_sizes(&srs, sizes);
}

static inline uintptr_t bridge_create_locks(void) {
    return (uintptr_t)create_gpu_locks();
}

static inline void bridge_destroy_locks(uintptr_t token) {
    destroy_gpu_locks((void *)token);
}

static inline interlock_error bridge_set_device(uintptr_t token, int device) {
    return interlock_gpu_locks_set_device((void *)token, device);
}

static inline interlock_error bridge_set_workers(uintptr_t token, size_t workers) {
    return interlock_gpu_locks_set_workers((void *)token, workers);
}

static inline interlock_error bridge_set_budget(uintptr_t token, size_t bytes) {
    return interlock_gpu_locks_set_budget((void *)token, bytes);
}

static inline interlock_error bridge_get_statistics(uintptr_t token, interlock_gpu_locks_statistics *statistics) {
    return interlock_gpu_locks_get_statistics((void *)token, statistics);
}

static inline interlock_error bridge_prove(const interlock_assignment *provers, size_t num_circuits,
                                           const interlock_fr *r_s, const interlock_fr *s_s, interlock_proof *proofs,
                                           uintptr_t srs_token, uintptr_t locks_token) {
    interlock_srs srs = {(void *)srs_token};
    return generate_groth16_proofs_c(provers, num_circuits, r_s, s_s, proofs, &srs, (void *)locks_token);
}

static inline interlock_error bridge_start(const interlock_assignment *provers, size_t num_circuits,
                                           const interlock_fr *r_s, const interlock_fr *s_s, uintptr_t srs_token,
                                           uintptr_t locks_token, uintptr_t *pending_token) {
    interlock_srs srs = {(void *)srs_token};
    void *pending;
    interlock_error error =
        generate_groth16_proofs_start_c(provers, num_circuits, r_s, s_s, &srs, (void *)locks_token, &pending);
    *pending_token = (uintptr_t)pending;
    return error;
}

static inline interlock_error bridge_finalize(uintptr_t token, interlock_proof *proofs) {
    return finalize_groth16_proof_c((void *)token, proofs);
}

static inline void bridge_destroy_pending(uintptr_t token) {
    destroy_pending_proof((void *)token);
}

// The library keeps the last error for each OS thread, and Go may move a goroutine to another between two calls: hence
// one call that asks for both. `*why` is to be freed.
static inline const char *bridge_current_backend(char **why) {
    const char *name = interlock_current_backend();
    *why = name ? NULL : strdup(interlock_last_error());
    return name;
}

extern void interlockGoLog(int level, char *message);

static void bridge_log(int level, const char *message, void *user) {
    (void)user;
    interlockGoLog(level, (char *)message);
}

static inline void bridge_log_to_go(void) {
    interlock_set_log_callback(bridge_log, NULL);
}

static inline void bridge_log_to_stderr(void) {
    interlock_set_log_callback(NULL, NULL);
}

#endif
