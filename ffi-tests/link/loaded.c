// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The shared library loaded at run time, unloaded after a proof, and loaded again. Usage: loaded LIBRARY FOLDER

#include "../c/check.h"
#include "../c/vector.h"

#include <dlfcn.h>

// A function of the library under the type that the header declares it with.
#define FIND(library, function) (*(__typeof__(&function) *)find(library, #function))

static void **find(void *library, const char *name)
{
    static void *function;
    function = dlsym(library, name);
    if (!check(function != NULL, "no %s", name))
        exit(checks_end());
    return &function;
}

static void prove(const char *path, const vector *v)
{
    interlock_proof *proofs = vector_room(v);
    interlock_srs srs;
    interlock_error error;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!check(library != NULL, "dlopen: %s", dlerror()))
        exit(checks_end());
    error = FIND(library, create_SRS)(&srs, v->params, true);
    check(error.code == 0, "create_SRS: %d: %s", error.code, error.message);
    error = FIND(library, generate_groth16_proofs_c)(v->assignments, v->circuits, v->r, v->s, proofs, &srs, NULL);
    check(error.code == 0 && vector_matches(v, proofs), "a proof: %d: %s", error.code, error.message);
    FIND(library, evict_SRS)(&srs);
    FIND(library, drop_SRS)(&srs);
    check(dlclose(library) == 0, "dlclose: %s", dlerror());
    free(proofs);
}

int main(int argc, char **argv)
{
    vector v;
    if (argc != 3) {
        fprintf(stderr, "usage: %s LIBRARY FOLDER\n", argv[0]);
        return 2;
    }
    v = vector_load(argv[2]);
    checks_begin(argv[0]);
    prove(argv[1], &v);
    usleep(10000);
    prove(argv[1], &v);
    vector_free(&v);
    return checks_end();
}
