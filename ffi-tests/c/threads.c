// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Many threads prove the vectors given, each in its own way, while SRSs are created, cloned, evicted and dropped around
// them. Usage: threads ROUNDS FOLDER FOLDER...

#include "check.h"
#include "outcome.h"
#include "vector.h"

enum { THREADS = 12, LOCKS_WAYS = 4, SRS_WAYS = 3 };

static size_t folders, rounds;
static vector *vectors;
static interlock_srs *shared;
static void *two_locks[2];

typedef struct turn {
    const vector *v;
    const interlock_srs *srs;
    void *locks, *own_locks;
} turn;

static void prove_at_once(const turn *t)
{
    interlock_proof *proofs = vector_room(t->v);
    if (succeeded(generate_groth16_proofs_c(t->v->assignments, t->v->circuits, t->v->r, t->v->s, proofs, t->srs,
                                            t->locks),
                  t->v->params))
        check(vector_matches(t->v, proofs), "%s: wrong proof", t->v->params);
    destroy_gpu_mutex(t->own_locks);
    free(proofs);
}

// Two batches that overlap; a third is given up. The locks, if no other thread has them, go while they are pending.
static void prove_in_halves(const turn *t)
{
    interlock_proof *proofs = vector_room(t->v);
    void *pending[3] = {NULL, NULL, NULL};
    int i;
    for (i = 0; i < 3; i++)
        succeeded(generate_groth16_proofs_start_c(t->v->assignments, t->v->circuits, t->v->r, t->v->s, t->srs,
                                                  t->locks, &pending[i]),
                  t->v->params);
    destroy_gpu_mutex(t->own_locks);
    destroy_pending_proof(pending[1]);
    for (i = 0; i < 3; i += 2) {
        memset(proofs, 0xa5, t->v->circuits * sizeof *proofs);
        if (succeeded(finalize_groth16_proof_c(pending[i], proofs), t->v->params))
            check(vector_matches(t->v, proofs), "%s: wrong proof in halves", t->v->params);
    }
    free(proofs);
}

// The SRS that all threads share, a clone of it, or one of this thread's own.
static interlock_srs srs_for(size_t which, size_t way)
{
    interlock_srs srs;
    if (way < 2)
        return clone_SRS(&shared[which]);
    succeeded(create_SRS(&srs, vectors[which].params, which % 2 == 0), vectors[which].params);
    return srs;
}

static void *work(void *argument)
{
    size_t self = *(const size_t *)argument, round;
    for (round = 0; round < rounds; round++) {
        size_t which = (self + round) % folders, srs_way = (self + round) % SRS_WAYS, locks_way = self % LOCKS_WAYS;
        interlock_srs own = srs_for(which, srs_way);
        turn t;
        t.v = &vectors[which];
        t.srs = srs_way == 0 ? &shared[which] : &own;
        t.own_locks = create_gpu_mutex();
        t.locks = locks_way == 0 ? NULL : locks_way == 1 ? t.own_locks : two_locks[locks_way - 2];
        if ((self + round) % 2 == 0)
            prove_at_once(&t);
        else
            prove_in_halves(&t);
        if (self % 3 == 0)
            evict_SRS(&own);
        drop_SRS(&own);
    }
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[THREADS];
    size_t numbers[THREADS], started = 0, i;
    for (i = 0; i < THREADS; i++) {
        numbers[i] = i;
        if (!check(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0, "pthread_create"))
            break;
        started++;
    }
    for (i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    size_t i;
    if (argc < 4) {
        fprintf(stderr, "usage: %s ROUNDS FOLDER FOLDER...\n", argv[0]);
        return 2;
    }
    rounds = strtoul(argv[1], NULL, 10);
    folders = (size_t)argc - 2;
    vectors = (vector *)allocate(folders * sizeof *vectors);
    shared = (interlock_srs *)allocate(folders * sizeof *shared);

    checks_begin(argv[0]);
    two_locks[0] = create_gpu_locks();
    two_locks[1] = create_gpu_mutex();
    check(two_locks[0] != NULL && two_locks[1] != NULL && two_locks[0] != two_locks[1], "two handles that are one");
    for (i = 0; i < folders; i++) {
        vectors[i] = vector_load(argv[i + 2]);
        succeeded(create_SRS(&shared[i], vectors[i].params, true), vectors[i].params);
    }
    run_threads();
    for (i = 0; i < folders; i++) {
        evict_SRS(&shared[i]);
        drop_SRS(&shared[i]);
        vector_free(&vectors[i]);
    }
    destroy_gpu_locks(two_locks[0]);
    destroy_gpu_mutex(two_locks[1]);
    free(shared);
    free(vectors);
    return checks_end();
}
