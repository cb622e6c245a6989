// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Parameters that take each other's place: of the same sizes with other points, at once, in a file of the same name, and
// gone while a proof uses them. Whatever is kept of the ones must not be taken for the others. For each vector folder given.

#include "check.h"
#include "outcome.h"
#include "vector.h"

#include <sched.h>
#include <stdatomic.h>

enum { G1 = 96, G2 = 192, QUERIES = 864, ROUNDS = 4 };

static char scratch[] = "/tmp/interlock-parameters-XXXXXX";

static void write_whole(const char *path, const unsigned char *content, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(content, 1, bytes, file) != bytes || fclose(file) != 0)
        vector_fail(path, "cannot write");
}

static size_t count_at(const unsigned char *section)
{
    return (size_t)section[0] << 24 | (size_t)section[1] << 16 | (size_t)section[2] << 8 | section[3];
}

// Makes the first point of a query, if there is one, the first of two different points that it is not.
static void change_first(unsigned char *section, const unsigned char *points, size_t point)
{
    if (count_at(section) > 0)
        memcpy(section + 4, memcmp(section + 4, points, point) == 0 ? points + point : points, point);
}

// Other parameters of the same sizes: ic, of which no proof depends, stays as it is.
static void change_points(unsigned char *params)
{
    const unsigned char *alpha_beta = params, *beta_gamma_g2 = params + 2 * G1;
    unsigned char *section = params + QUERIES;
    int query;
    for (query = 0; query < 5; query++) {
        if (query > 0)
            change_first(section, alpha_beta, G1);
        section += 4 + count_at(section) * G1;
    }
    change_first(section, beta_gamma_g2, G2);
}

static interlock_proof *proofs_with(const vector *v, const interlock_srs *srs, const char *what)
{
    interlock_proof *proofs = vector_room(v);
    succeeded(generate_groth16_proofs_c(v->assignments, v->circuits, v->r, v->s, proofs, srs, NULL), what);
    return proofs;
}

// With parameters of its own, opened from `path` and closed again.
static interlock_proof *proofs_from(const vector *v, const char *path, bool cache)
{
    interlock_srs srs;
    interlock_proof *proofs;
    succeeded(create_SRS(&srs, path, cache), path);
    proofs = proofs_with(v, &srs, path);
    evict_SRS(&srs);
    drop_SRS(&srs);
    return proofs;
}

// The CPU's, which keeps nothing of parameters that are gone.
static interlock_proof *proofs_of_the_cpu(const vector *v, const char *path)
{
    const char *backend = interlock_current_backend();
    bool on_gpu = check(backend != NULL, "no backend: %s", interlock_last_error()) && strcmp(backend, "gpu") == 0;
    interlock_proof *proofs;
    succeeded(interlock_set_backend(INTERLOCK_BACKEND_CPU), "the CPU");
    proofs = proofs_from(v, path, false);
    succeeded(interlock_set_backend(on_gpu ? INTERLOCK_BACKEND_GPU : INTERLOCK_BACKEND_CPU), "the backend as before");
    return proofs;
}

static bool same(const vector *v, const interlock_proof *one, const interlock_proof *other)
{
    return memcmp(one, other, v->circuits * sizeof *one) == 0;
}

// Both kinds by turns, each gone before the other comes, and then both there.
static void by_turns(const vector *v, const char *changed_path, const interlock_proof *changed)
{
    interlock_srs right, wrong;
    interlock_proof *proofs;
    int round;
    for (round = 0; round < ROUNDS; round++) {
        proofs = proofs_from(v, v->params, round % 2 == 0);
        check(vector_matches(v, proofs), "%s: wrong proof after other parameters", v->params);
        free(proofs);
        proofs = proofs_from(v, changed_path, round % 2 == 0);
        check(same(v, proofs, changed), "%s: wrong proof with changed parameters", v->params);
        free(proofs);
    }
    succeeded(create_SRS(&right, v->params, false), v->params);
    succeeded(create_SRS(&wrong, changed_path, true), changed_path);
    for (round = 0; round < ROUNDS; round++) {
        proofs = proofs_with(v, &right, "the right ones");
        check(vector_matches(v, proofs), "%s: wrong proof beside other parameters", v->params);
        free(proofs);
        proofs = proofs_with(v, &wrong, "changed ones");
        check(same(v, proofs, changed), "%s: wrong proof with changed parameters beside others", v->params);
        free(proofs);
    }
    drop_SRS(&right);
    evict_SRS(&wrong);
    drop_SRS(&wrong);
}

// One file, whose content changes while the parameters that it had are still in use.
static void under_one_name(const vector *v, const unsigned char *right, const unsigned char *wrong, size_t bytes,
                           const interlock_proof *changed)
{
    char *path = path_of(scratch, "one-name");
    interlock_srs before, after;
    interlock_proof *proofs;
    write_whole(path, right, bytes);
    succeeded(create_SRS(&before, path, true), path);
    proofs = proofs_with(v, &before, path);
    check(vector_matches(v, proofs), "%s: wrong proof", path);
    free(proofs);
    unlink(path);
    write_whole(path, wrong, bytes);
    succeeded(create_SRS(&after, path, true), path);
    proofs = proofs_with(v, &after, path);
    check(same(v, proofs, changed), "%s: wrong proof after the file was replaced", v->params);
    free(proofs);
    proofs = proofs_with(v, &before, path);
    check(vector_matches(v, proofs), "%s: wrong proof of what the file was before", v->params);
    free(proofs);
    evict_SRS(&before);
    evict_SRS(&after);
    drop_SRS(&before);
    drop_SRS(&after);
    unlink(path);
    free(path);
}

// ---- Both at once

typedef struct prover {
    const vector *v;
    const char *path;
    const interlock_proof *expected; // NULL for the vector's
    bool own;                        // parameters for each proof, or for all of them
} prover;

static void *prove_by_turns(void *argument)
{
    const prover *p = (const prover *)argument;
    interlock_srs srs;
    int round;
    succeeded(create_SRS(&srs, p->path, false), p->path);
    for (round = 0; round < 2 * ROUNDS; round++) {
        interlock_proof *proofs = p->own ? proofs_from(p->v, p->path, false) : proofs_with(p->v, &srs, p->path);
        check(p->expected != NULL ? same(p->v, proofs, p->expected) : vector_matches(p->v, proofs),
              "%s: wrong proof with %s at once with others", p->v->params, p->path);
        free(proofs);
    }
    drop_SRS(&srs);
    return NULL;
}

static void at_once(const vector *v, const char *changed_path, const interlock_proof *changed)
{
    const prover provers[] = {
        {v, v->params, NULL, false},
        {v, changed_path, changed, false},
        {v, v->params, NULL, true},
        {v, changed_path, changed, true},
    };
    enum { PROVERS = sizeof provers / sizeof *provers };
    pthread_t threads[PROVERS];
    int started = 0;
    while (started < PROVERS
           && check(pthread_create(&threads[started], NULL, prove_by_turns, (void *)&provers[started]) == 0,
                    "pthread_create"))
        started++;
    while (started-- > 0)
        pthread_join(threads[started], NULL);
}

// ---- Gone while a proof uses them

typedef struct user {
    const vector *v;
    interlock_srs srs;
    atomic_bool proving;
} user;

// The proof is right, or came too late: the SRS had been dropped when the call began.
static void *prove_meanwhile(void *argument)
{
    user *u = (user *)argument;
    interlock_proof *proofs = vector_room(u->v);
    interlock_error error;
    u->proving = true;
    error = generate_groth16_proofs_c(u->v->assignments, u->v->circuits, u->v->r, u->v->s, proofs, &u->srs, NULL);
    if (error.code == 0)
        check(vector_matches(u->v, proofs), "%s: wrong proof with parameters that go", u->v->params);
    else
        check(error.code == EINVAL && error.message != NULL && strstr(error.message, "dropped already") != NULL,
              "%s: code %d: %s", u->v->params, error.code, error.message != NULL ? error.message : "no message");
    free(error.message);
    free(proofs);
    return NULL;
}

static void gone_meanwhile(const vector *v)
{
    int round, i;
    for (round = 0; round < 2 * ROUNDS; round++) {
        pthread_t thread;
        interlock_srs srs;
        user u;
        succeeded(create_SRS(&srs, v->params, false), v->params);
        u.v = v;
        u.srs = srs;
        u.proving = false;
        if (check(pthread_create(&thread, NULL, prove_meanwhile, &u) == 0, "pthread_create")) {
            while (!u.proving)
                sched_yield();
            for (i = 0; i < round * round; i++)
                sched_yield();
            drop_SRS(&srs);
            pthread_join(thread, NULL);
        } else {
            drop_SRS(&srs);
        }
    }
}

static void folder(const char *name)
{
    vector v = vector_load(name);
    size_t bytes;
    unsigned char *right = read_whole(v.params, &bytes), *wrong = (unsigned char *)allocate(bytes);
    char *changed_path = path_of(scratch, "changed");
    interlock_proof *changed;
    memcpy(wrong, right, bytes);
    change_points(wrong);
    write_whole(changed_path, wrong, bytes);
    changed = proofs_of_the_cpu(&v, changed_path);
    check(!vector_matches(&v, changed), "%s: changed parameters made no difference", name);
    by_turns(&v, changed_path, changed);
    at_once(&v, changed_path, changed);
    under_one_name(&v, right, wrong, bytes, changed);
    gone_meanwhile(&v);
    unlink(changed_path);
    free(changed);
    free(changed_path);
    free(right);
    free(wrong);
    vector_free(&v);
}

int main(int argc, char **argv)
{
    int i;
    if (argc < 2) {
        fprintf(stderr, "usage: %s FOLDER...\n", argv[0]);
        return 2;
    }
    if (mkdtemp(scratch) == NULL)
        vector_fail(scratch, strerror(errno));
    checks_begin(argv[0]);
    // Handles of the dead are used on purpose.
    succeeded(interlock_set_log_level(INTERLOCK_LOG_LEVEL_OFF), "interlock_set_log_level");
    for (i = 1; i < argc; i++)
        folder(argv[i]);
    rmdir(scratch);
    return checks_end();
}
