// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Many threads create, clone, evict and drop SRSs and start, finalize and give up proofs of all the vectors given, in an
// order that a seed decides; handles pass from thread to thread and are used after their end. Every proof is compared.
// Usage: stress SEED OPERATIONS FOLDER..., where each thread does so many operations.

#include "check.h"
#include "outcome.h"
#include "vector.h"

enum { THREADS = 8, SLOTS = 24, LOCKS = 4 };

static vector *vectors;
static size_t folders, operations;
static uint64_t seed;
static void *locks[LOCKS]; // the first is NULL

// What any thread may take or replace.
static pthread_mutex_t slots = PTHREAD_MUTEX_INITIALIZER;
static struct {
    interlock_srs srs;
    size_t which;
} srss[SLOTS];
static struct {
    void *handle;
    size_t which;
} pendings[SLOTS];

static size_t below(uint64_t *state, size_t bound)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (size_t)(*state % bound);
}

// Proves with an SRS that may be of another vector or dropped; then an error, and the right one, will do too.
static void prove(size_t which, const interlock_srs *srs, void *lock, bool must)
{
    const vector *v = &vectors[which];
    interlock_proof *proofs = vector_room(v);
    interlock_error error = generate_groth16_proofs_c(v->assignments, v->circuits, v->r, v->s, proofs, srs, lock);
    if (error.code == 0)
        check(vector_matches(v, proofs), "%s: wrong proof", v->params);
    else
        check(!must && error.code == EINVAL && error.message != NULL, "%s: code %d: %s", v->params, error.code,
              error.message != NULL ? error.message : "no message");
    free(error.message);
    free(proofs);
}

static void create(size_t slot, size_t which, bool cache)
{
    interlock_srs srs, before;
    if (!succeeded(create_SRS(&srs, vectors[which].params, cache), "create_SRS"))
        return;
    pthread_mutex_lock(&slots);
    before = srss[slot].srs;
    srss[slot].srs = srs;
    srss[slot].which = which;
    pthread_mutex_unlock(&slots);
    drop_SRS(&before);
}

static interlock_srs copy_of(size_t slot)
{
    interlock_srs srs;
    pthread_mutex_lock(&slots);
    srs = srss[slot].srs;
    pthread_mutex_unlock(&slots);
    return srs;
}

static interlock_srs clone_of(size_t slot, size_t *which)
{
    interlock_srs srs;
    pthread_mutex_lock(&slots);
    srs = clone_SRS(&srss[slot].srs);
    *which = srss[slot].which;
    pthread_mutex_unlock(&slots);
    return srs;
}

static void *take_pending(size_t slot, size_t *which)
{
    void *handle;
    pthread_mutex_lock(&slots);
    handle = pendings[slot].handle;
    *which = pendings[slot].which;
    pendings[slot].handle = NULL;
    pthread_mutex_unlock(&slots);
    return handle;
}

// The SRS is dropped, and perhaps evicted, before the proofs are done.
static void start(size_t from, size_t slot, void *lock, bool evict)
{
    size_t which;
    void *pending = NULL, *before;
    interlock_srs srs = clone_of(from, &which);
    const vector *v = &vectors[which];
    if (srs.ptr == NULL)
        return;
    succeeded(generate_groth16_proofs_start_c(v->assignments, v->circuits, v->r, v->s, &srs, lock, &pending), "start");
    if (evict)
        evict_SRS(&srs);
    drop_SRS(&srs);
    pthread_mutex_lock(&slots);
    before = pendings[slot].handle;
    pendings[slot].handle = pending;
    pendings[slot].which = which;
    pthread_mutex_unlock(&slots);
    destroy_pending_proof(before);
}

static void finalize(size_t slot)
{
    size_t which;
    void *pending = take_pending(slot, &which);
    interlock_proof *proofs;
    if (pending == NULL)
        return;
    proofs = vector_room(&vectors[which]);
    if (succeeded(finalize_groth16_proof_c(pending, proofs), "finalize"))
        check(vector_matches(&vectors[which], proofs), "%s: wrong proof in halves", vectors[which].params);
    refused(finalize_groth16_proof_c(pending, proofs), "finalized twice", EINVAL, "finalized or destroyed already");
    free(proofs);
}

static void operate(uint64_t *state)
{
    size_t slot = below(state, SLOTS), which = below(state, folders), pending = below(state, SLOTS), own;
    void *lock = locks[below(state, LOCKS)];
    bool coin = below(state, 2) != 0;
    interlock_srs srs;
    switch (below(state, 10)) {
    case 0:
        create(slot, which, coin);
        break;
    case 1:
        srs = clone_of(slot, &own);
        if (srs.ptr != NULL)
            prove(own, &srs, lock, true);
        drop_SRS(&srs);
        drop_SRS(&srs);
        break;
    case 2:
        srs = copy_of(slot);
        evict_SRS(&srs);
        break;
    case 3:
        pthread_mutex_lock(&slots);
        srs = srss[slot].srs;
        srss[slot].srs.ptr = NULL;
        pthread_mutex_unlock(&slots);
        drop_SRS(&srs);
        break;
    case 4:
    case 5:
        start(slot, pending, lock, coin);
        break;
    case 6:
    case 7:
        finalize(pending);
        break;
    case 8:
        destroy_pending_proof(take_pending(pending, &own));
        break;
    default:
        srs = copy_of(slot);
        prove(which, &srs, lock, false);
    }
}

static void *work(void *number)
{
    uint64_t state = seed * 1000003 + *(size_t *)number * 7919 + 1;
    size_t i;
    for (i = 0; i < operations; i++)
        operate(&state);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    size_t numbers[THREADS], started = 0, i, which;
    if (argc < 4) {
        fprintf(stderr, "usage: %s SEED OPERATIONS FOLDER...\n", argv[0]);
        return 2;
    }
    seed = strtoul(argv[1], NULL, 10);
    operations = strtoul(argv[2], NULL, 10);
    folders = (size_t)argc - 3;
    vectors = (vector *)allocate(folders * sizeof *vectors);
    for (i = 0; i < folders; i++)
        vectors[i] = vector_load(argv[i + 3]);

    checks_begin(argv[0]);
    // Handles of the dead are used on purpose.
    succeeded(interlock_set_log_level(INTERLOCK_LOG_LEVEL_OFF), "interlock_set_log_level");
    for (i = 1; i < LOCKS; i++)
        locks[i] = create_gpu_locks();
    for (i = 0; i < THREADS; i++) {
        numbers[i] = i;
        if (!check(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0, "pthread_create"))
            break;
        started++;
    }
    for (i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    for (i = 0; i < SLOTS; i++) {
        evict_SRS(&srss[i].srs);
        drop_SRS(&srss[i].srs);
        destroy_pending_proof(take_pending(i, &which));
    }
    for (i = 1; i < LOCKS; i++)
        destroy_gpu_locks(locks[i]);
    for (i = 0; i < folders; i++)
        vector_free(&vectors[i]);
    free(vectors);
    return checks_end();
}
