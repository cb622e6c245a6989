// SPDX-License-Identifier: MIT OR Apache-2.0
//
// interlock in one link with another Rust static library and another, visible blst: everybody's results stay right.
// Usage: neighbours FOLDER...

#include "../c/check.h"
#include "../c/outcome.h"
#include "../c/vector.h"

uint64_t second_rust_sum(uint64_t n);
uint64_t second_rust_calls(void);
int second_rust_catches_panic(unsigned depth);
int second_rust_doubles(const void **double_function);
// Of the other library's blst: this program's own link sees it.
void blst_p1_double(void *out, const void *in);

static void second(void)
{
    const void *double_function = NULL;
    uint64_t before = second_rust_calls();
    check(second_rust_sum(1000) == 500500, "wrong sum");
    check(second_rust_calls() == before + 1, "the neighbour's thread-local value was disturbed");
    check(second_rust_catches_panic(20) == 1, "the neighbour cannot catch its panics");
    check(second_rust_doubles(&double_function) == 1, "the neighbour's blst is wrong");
    check(double_function == (const void *)(uintptr_t)blst_p1_double, "the neighbour's blst is not the visible one");
}

static void prove(const char *folder)
{
    vector v = vector_load(folder);
    interlock_proof *proofs = vector_room(&v);
    interlock_srs srs;
    refused(create_SRS(&srs, "/nonexistent", false), "missing file", ENOENT, "parameter file");
    if (succeeded(create_SRS(&srs, v.params, false), folder)) {
        second();
        if (succeeded(generate_groth16_proofs_c(v.assignments, v.circuits, v.r, v.s, proofs, &srs, NULL), folder))
            check(vector_matches(&v, proofs), "%s: wrong proof", folder);
        second();
        drop_SRS(&srs);
    }
    free(proofs);
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
    second();
    for (i = 1; i < argc; i++)
        prove(argv[i]);
    return checks_end();
}
