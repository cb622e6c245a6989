// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Proves the vector in each folder given and compares the proofs: in one call, in two, and one circuit at a time.

#include "check.h"
#include "outcome.h"
#include "vector.h"

static void in_one_call(const char *folder, const vector *v, const interlock_srs *srs)
{
    interlock_proof *proofs = vector_room(v);
    if (succeeded(generate_groth16_proofs_c(v->assignments, v->circuits, v->r, v->s, proofs, srs, NULL), folder))
        check(vector_matches(v, proofs), "%s: wrong proof", folder);
    free(proofs);
}

static void in_two_calls(const char *folder, const vector *v, const interlock_srs *srs)
{
    interlock_proof *proofs = vector_room(v);
    void *pending = NULL;
    if (succeeded(generate_groth16_proofs_start_c(v->assignments, v->circuits, v->r, v->s, srs, NULL, &pending), folder)
        && succeeded(finalize_groth16_proof_c(pending, proofs), folder))
        check(vector_matches(v, proofs), "%s: wrong proof in two calls", folder);
    free(proofs);
}

static void one_at_a_time(const char *folder, const vector *v, const interlock_srs *srs)
{
    interlock_proof *proofs = vector_room(v);
    size_t i;
    for (i = 0; i < v->circuits; i++)
        succeeded(generate_groth16_proofs_c(&v->assignments[i], 1, &v->r[i], &v->s[i], &proofs[i], srs, NULL), folder);
    check(vector_matches(v, proofs), "%s: wrong proof one circuit at a time", folder);
    free(proofs);
}

static void prove(const char *folder)
{
    vector v = vector_load(folder);
    interlock_srs srs;
    if (succeeded(create_SRS(&srs, v.params, false), folder)) {
        in_one_call(folder, &v, &srs);
        in_two_calls(folder, &v, &srs);
        if (v.circuits > 1)
            one_at_a_time(folder, &v, &srs);
        drop_SRS(&srs);
        check(srs.ptr == NULL, "%s: a dropped SRS is not empty", folder);
    }
    vector_free(&v);
}

int main(int argc, char **argv)
{
    int i;
    if (argc < 2) {
        fprintf(stderr, "usage: %s FOLDER...\n", argv[0]);
        return 2;
    }
    checks_begin(argv[0]);
    for (i = 1; i < argc; i++)
        prove(argv[i]);
    return checks_end();
}
