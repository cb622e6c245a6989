// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The two halves of a proof: what the caller may do between them, and how a handle ends. For each vector folder given.

#include "check.h"
#include "outcome.h"
#include "vector.h"

// A started batch whose evaluations, blinding scalars and assignment array are gone already.
typedef struct batch {
    vector v;
    interlock_assignment *witness;
    void *pending;
} batch;

static void scribble(const void *block, size_t bytes)
{
    memset((void *)block, 0xee, bytes);
}

static bool start(batch *b, const char *folder, const interlock_srs *srs, void *locks)
{
    size_t i, bytes;
    b->v = vector_load(folder);
    b->pending = NULL;
    bytes = b->v.circuits * sizeof *b->witness;
    b->witness = (interlock_assignment *)allocate(bytes);
    memcpy(b->witness, b->v.assignments, bytes);
    if (!succeeded(generate_groth16_proofs_start_c(b->v.assignments, b->v.circuits, b->v.r, b->v.s, srs, locks,
                                                   &b->pending),
                   folder))
        return false;
    check(b->pending != NULL, "%s: a started batch has no handle", folder);

    for (i = 0; i < b->v.circuits; i++) {
        size_t scalars = b->witness[i].abc_size * sizeof(interlock_fr);
        scribble(b->witness[i].a, scalars);
        scribble(b->witness[i].b, scalars);
        scribble(b->witness[i].c, scalars);
    }
    scribble(b->v.r, b->v.circuits * sizeof(interlock_fr));
    scribble(b->v.s, b->v.circuits * sizeof(interlock_fr));
    memcpy(b->v.assignments, b->witness, bytes);
    vector_free_evaluations(&b->v);
    return true;
}

static void finalize(const batch *b, const char *what)
{
    interlock_proof *proofs = vector_room(&b->v);
    if (succeeded(finalize_groth16_proof_c(b->pending, proofs), what))
        check(vector_matches(&b->v, proofs), "%s: wrong proof", what);
    refused(finalize_groth16_proof_c(b->pending, proofs), what, EINVAL, "finalized or destroyed already");
    check(vector_matches(&b->v, proofs), "%s: a second finalize wrote to the proofs", what);
    destroy_pending_proof(b->pending);
    free(proofs);
}

static void discard(batch *b)
{
    vector_free_witness(b->witness, b->v.circuits);
    free(b->witness);
    free(b->v.proofs);
    free(b->v.params);
}

static interlock_srs open_srs(const char *folder)
{
    interlock_srs srs;
    char *params = path_of(folder, "params");
    succeeded(create_SRS(&srs, params, true), folder);
    free(params);
    return srs;
}

// Four batches pending at once, under handles of their own and two locks and none, finalized from last to first, after the
// SRS was evicted and dropped and the locks destroyed.
static void several_pending(const char *folder)
{
    enum { BATCHES = 4 };
    batch batches[BATCHES];
    bool started[BATCHES];
    interlock_srs srs = open_srs(folder);
    void *locks[3] = {NULL, create_gpu_locks(), create_gpu_mutex()};
    int i;
    for (i = 0; i < BATCHES; i++)
        started[i] = start(&batches[i], folder, &srs, locks[i % 3]);
    for (i = 1; i < BATCHES; i++)
        check(batches[i].pending != batches[0].pending, "%s: two batches with one handle", folder);
    evict_SRS(&srs);
    drop_SRS(&srs);
    destroy_gpu_locks(locks[1]);
    destroy_gpu_mutex(locks[2]);
    for (i = BATCHES - 1; i >= 0; i--) {
        if (started[i])
            finalize(&batches[i], folder);
        discard(&batches[i]);
    }
}

// More batches pending than a device has room for results or memory for work: starting must not wait for finalizing. The
// first of them are given up, and proofs at once go on beside them.
static void many_pending(const char *folder)
{
    enum { BATCHES = 40, GIVEN_UP = 8 };
    vector v = vector_load(folder);
    interlock_proof *proofs = vector_room(&v);
    interlock_srs srs = open_srs(folder);
    void *pending[BATCHES];
    int i;
    for (i = 0; i < BATCHES; i++)
        if (!succeeded(generate_groth16_proofs_start_c(v.assignments, v.circuits, v.r, v.s, &srs, NULL, &pending[i]), folder))
            pending[i] = NULL;
    if (succeeded(generate_groth16_proofs_c(v.assignments, v.circuits, v.r, v.s, proofs, &srs, NULL), folder))
        check(vector_matches(&v, proofs), "%s: wrong proof beside pending ones", folder);
    for (i = 0; i < GIVEN_UP; i++)
        destroy_pending_proof(pending[i]);
    for (i = BATCHES - 1; i >= GIVEN_UP; i--) {
        memset(proofs, 0xa5, v.circuits * sizeof *proofs);
        if (pending[i] != NULL && succeeded(finalize_groth16_proof_c(pending[i], proofs), folder))
            check(vector_matches(&v, proofs), "%s: wrong proof of many pending", folder);
    }
    evict_SRS(&srs);
    drop_SRS(&srs);
    free(proofs);
    vector_free(&v);
}

// A batch of more circuits than a device works on at once: the vector's again and again.
static void many_circuits(const char *folder)
{
    enum { MANY = 20 };
    vector v = vector_load(folder);
    interlock_assignment assignments[MANY];
    interlock_fr r[MANY], s[MANY];
    interlock_proof proofs[MANY];
    interlock_srs srs = open_srs(folder);
    void *pending = NULL;
    size_t i, n = MANY - MANY % v.circuits;
    for (i = 0; i < n; i++) {
        assignments[i] = v.assignments[i % v.circuits];
        r[i] = v.r[i % v.circuits];
        s[i] = v.s[i % v.circuits];
    }
    memset(proofs, 0xa5, sizeof proofs);
    if (succeeded(generate_groth16_proofs_start_c(assignments, n, r, s, &srs, NULL, &pending), folder)
        && succeeded(finalize_groth16_proof_c(pending, proofs), folder))
        for (i = 0; i < n; i += v.circuits)
            check(vector_matches(&v, &proofs[i]), "%s: wrong proof among many, from %zu on", folder, i);
    evict_SRS(&srs);
    drop_SRS(&srs);
    vector_free(&v);
}

static void *finalize_here(void *argument)
{
    finalize((const batch *)argument, "on another thread");
    return NULL;
}

static void other_thread(const char *folder)
{
    batch b;
    pthread_t thread;
    interlock_srs srs = open_srs(folder);
    if (start(&b, folder, &srs, NULL) && check(pthread_create(&thread, NULL, finalize_here, &b) == 0, "pthread_create"))
        pthread_join(thread, NULL);
    discard(&b);
    evict_SRS(&srs);
    drop_SRS(&srs);
}

// Given up, once and again; the next batch is right.
static void given_up(const char *folder)
{
    batch b;
    interlock_proof *proofs;
    interlock_srs srs = open_srs(folder);
    if (start(&b, folder, &srs, NULL)) {
        destroy_pending_proof(b.pending);
        destroy_pending_proof(b.pending);
        proofs = vector_room(&b.v);
        refused(finalize_groth16_proof_c(b.pending, proofs), folder, EINVAL, "finalized or destroyed already");
        free(proofs);
    }
    discard(&b);
    if (start(&b, folder, &srs, NULL))
        finalize(&b, folder);
    discard(&b);
    evict_SRS(&srs);
    drop_SRS(&srs);
}

// A NULL in place of the proofs leaves the handle as it was.
static void forgiven(const char *folder)
{
    batch b;
    interlock_srs srs = open_srs(folder);
    if (start(&b, folder, &srs, NULL)) {
        refused(finalize_groth16_proof_c(b.pending, NULL), folder, EINVAL, "proofs is a null pointer");
        finalize(&b, folder);
    }
    discard(&b);
    evict_SRS(&srs);
    drop_SRS(&srs);
}

static void no_circuits(void)
{
    void *pending = NULL;
    if (succeeded(generate_groth16_proofs_start_c(NULL, 0, NULL, NULL, NULL, NULL, &pending), "no circuits")) {
        check(pending != NULL, "a batch of no circuits has no handle");
        succeeded(finalize_groth16_proof_c(pending, NULL), "no circuits");
        refused(finalize_groth16_proof_c(pending, NULL), "no circuits", EINVAL, "finalized or destroyed already");
    }
}

int main(int argc, char **argv)
{
    int i;
    if (argc < 2) {
        fprintf(stderr, "usage: %s FOLDER...\n", argv[0]);
        return 2;
    }
    checks_begin(argv[0]);
    no_circuits();
    many_pending(argv[1]);
    for (i = 1; i < argc; i++) {
        several_pending(argv[i]);
        many_circuits(argv[i]);
        other_thread(argv[i]);
        given_up(argv[i]);
        forgiven(argv[i]);
    }
    return checks_end();
}
