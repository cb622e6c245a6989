// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Everything a caller can get wrong: each mistake gives its code and a message that names it, writes no proof, and the
// next proof is right. Usage: misuse FOLDER OTHER_FOLDER, each of a vector with two circuits, not of the same shape.

#include "check.h"
#include "outcome.h"
#include "vector.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/stat.h>

enum { CIRCUITS = 2 };

static vector good;
static interlock_srs srs;

// ---- A call that is right until one thing in it is changed

typedef struct call {
    interlock_assignment assignments[CIRCUITS];
    const interlock_assignment *provers;
    size_t circuits;
    const interlock_fr *r, *s;
    const interlock_srs *srs;
    void *locks;
} call;

// `c` must stay where it is.
static void make_right(call *c)
{
    memcpy(c->assignments, good.assignments, sizeof c->assignments);
    c->provers = c->assignments;
    c->circuits = CIRCUITS;
    c->r = good.r;
    c->s = good.s;
    c->srs = &srs;
    c->locks = NULL;
}

static interlock_error generate(const call *c, interlock_proof *proofs)
{
    return generate_groth16_proofs_c(c->provers, c->circuits, c->r, c->s, proofs, c->srs, c->locks);
}

static interlock_error start(const call *c, void **pending)
{
    return generate_groth16_proofs_start_c(c->provers, c->circuits, c->r, c->s, c->srs, c->locks, pending);
}

static void expect_right(const char *what, const call *c)
{
    interlock_proof *proofs = vector_room(&good);
    if (succeeded(generate(c, proofs), what))
        check(vector_matches(&good, proofs), "%s: wrong proof", what);
    free(proofs);
}

static void next_is_right(const char *after)
{
    call c;
    make_right(&c);
    expect_right(after, &c);
}

static bool untouched(const interlock_proof *proofs)
{
    const unsigned char *byte = (const unsigned char *)proofs;
    size_t i;
    for (i = 0; i < CIRCUITS * sizeof *proofs; i++)
        if (byte[i] != 0xa5)
            return false;
    return true;
}

// Both ways to prove refuse `c`, and leave nothing behind.
static void expect_error(const char *what, const call *c, int code, const char *fragment)
{
    interlock_proof *proofs = vector_room(&good);
    void *pending = &pending;
    refused(generate(c, proofs), what, code, fragment);
    check(untouched(proofs), "%s: the proofs were written to", what);
    refused(start(c, &pending), what, code, fragment);
    check(pending == NULL, "%s: a failed start left a handle", what);
    free(proofs);
}

// ---- Pointers

static const void *skewed(const void *pointer)
{
    return (const char *)pointer + 1;
}

// The pointer field at `offset` of the second assignment.
static void pointer_field(const char *name, size_t offset)
{
    char what[64], fragment[64];
    const void *value;
    call c;
    snprintf(fragment, sizeof fragment, "provers[1].%s is", name);

    make_right(&c);
    value = NULL;
    memcpy((char *)&c.assignments[1] + offset, &value, sizeof value);
    snprintf(what, sizeof what, "null %s", name);
    expect_error(what, &c, EINVAL, fragment);
    expect_error(what, &c, EINVAL, "a null pointer");

    make_right(&c);
    memcpy(&value, (const char *)&c.assignments[1] + offset, sizeof value);
    value = skewed(value);
    memcpy((char *)&c.assignments[1] + offset, &value, sizeof value);
    snprintf(what, sizeof what, "misaligned %s", name);
    expect_error(what, &c, EINVAL, fragment);
    expect_error(what, &c, EINVAL, "not aligned to 8 bytes");
}

static void pointer_fields(void)
{
    pointer_field("a_aux_density", offsetof(interlock_assignment, a_aux_density));
    pointer_field("b_inp_density", offsetof(interlock_assignment, b_inp_density));
    pointer_field("b_aux_density", offsetof(interlock_assignment, b_aux_density));
    pointer_field("a", offsetof(interlock_assignment, a));
    pointer_field("b", offsetof(interlock_assignment, b));
    pointer_field("c", offsetof(interlock_assignment, c));
    pointer_field("inp_assignment_data", offsetof(interlock_assignment, inp_assignment_data));
    pointer_field("aux_assignment_data", offsetof(interlock_assignment, aux_assignment_data));
    next_is_right("after bad pointers in an assignment");
}

static void null_arguments(void)
{
    call c;
    make_right(&c);
    c.provers = NULL;
    expect_error("null provers", &c, EINVAL, "provers is a null pointer");
    make_right(&c);
    c.r = NULL;
    expect_error("null r", &c, EINVAL, "r_s is a null pointer");
    make_right(&c);
    c.s = NULL;
    expect_error("null s", &c, EINVAL, "s_s is a null pointer");
    make_right(&c);
    c.srs = NULL;
    expect_error("null srs", &c, EINVAL, "srs is a null pointer");
    make_right(&c);
    refused(generate(&c, NULL), "null proofs", EINVAL, "proofs is a null pointer");
    refused(start(&c, NULL), "null pending_out", EINVAL, "pending_out is a null pointer");
    next_is_right("after null arguments");
}

static void misaligned_arguments(void)
{
    char room[sizeof(void *) + 1] = {0};
    interlock_proof *proofs = vector_room(&good);
    call c;
    make_right(&c);
    c.provers = (const interlock_assignment *)skewed(c.provers);
    expect_error("misaligned provers", &c, EINVAL, "provers is 0x");
    make_right(&c);
    c.r = (const interlock_fr *)skewed(c.r);
    expect_error("misaligned r", &c, EINVAL, "r_s is 0x");
    make_right(&c);
    c.s = (const interlock_fr *)skewed(c.s);
    expect_error("misaligned s", &c, EINVAL, "s_s is 0x");
    make_right(&c);
    c.srs = (const interlock_srs *)skewed(&srs);
    expect_error("misaligned srs", &c, EINVAL, "srs is 0x");
    make_right(&c);
    refused(generate(&c, (interlock_proof *)skewed(proofs)), "misaligned proofs", EINVAL, "proofs is 0x");
    check(untouched(proofs), "misaligned proofs: the proofs were written to");
    refused(start(&c, (void **)skewed(((size_t)room & 7) == 7 ? room + 1 : room)), "misaligned pending_out", EINVAL,
            "pending_out is 0x");
    free(proofs);
    next_is_right("after misaligned arguments");
}

// ---- Sizes

static const struct {
    const char *name;
    size_t offset;
    bool popcount;
} SIZES[] = {
    {"a_aux_bit_len", offsetof(interlock_assignment, a_aux_bit_len), false},
    {"b_inp_bit_len", offsetof(interlock_assignment, b_inp_bit_len), false},
    {"b_aux_bit_len", offsetof(interlock_assignment, b_aux_bit_len), false},
    {"inp_assignment_size", offsetof(interlock_assignment, inp_assignment_size), false},
    {"aux_assignment_size", offsetof(interlock_assignment, aux_assignment_size), false},
    {"a_aux_popcount", offsetof(interlock_assignment, a_aux_popcount), true},
    {"b_inp_popcount", offsetof(interlock_assignment, b_inp_popcount), true},
    {"b_aux_popcount", offsetof(interlock_assignment, b_aux_popcount), true},
};

static void size_field(const char *name, size_t offset, bool popcount, size_t right, size_t wrong)
{
    size_t circuit;
    char what[96], fragment[96];
    for (circuit = 0; circuit < CIRCUITS; circuit++) {
        call c;
        make_right(&c);
        memcpy((char *)&c.assignments[circuit] + offset, &wrong, sizeof wrong);
        snprintf(what, sizeof what, "%s %zu", name, wrong);
        snprintf(fragment, sizeof fragment, "provers[%zu].%s is %zu, but", circuit, name, wrong);
        expect_error(what, &c, EINVAL, fragment);
        snprintf(fragment, sizeof fragment, popcount ? "%zu of the first" : "the SRS has %zu ", right);
        expect_error(what, &c, EINVAL, fragment);
    }
}

static void sizes(void)
{
    size_t i;
    for (i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        size_t right;
        memcpy(&right, (const char *)&good.assignments[0] + SIZES[i].offset, sizeof right);
        size_field(SIZES[i].name, SIZES[i].offset, SIZES[i].popcount, right, right + 1);
        size_field(SIZES[i].name, SIZES[i].offset, SIZES[i].popcount, right, right - 1);
        size_field(SIZES[i].name, SIZES[i].offset, SIZES[i].popcount, right, 0);
        size_field(SIZES[i].name, SIZES[i].offset, SIZES[i].popcount, right, SIZE_MAX);
        size_field(SIZES[i].name, SIZES[i].offset, SIZES[i].popcount, right, SIZE_MAX / 32 + 2);
    }
    next_is_right("after wrong sizes");
}

static size_t domain(void)
{
    size_t m = 1;
    while (m < good.assignments[0].abc_size)
        m *= 2;
    return m;
}

// The number of constraints may be anything up to the domain's size, so only more than that is a mistake.
static void too_many_constraints(void)
{
    char fragment[96];
    size_t wrong[3], i;
    wrong[0] = domain() + 1;
    wrong[1] = SIZE_MAX;
    wrong[2] = SIZE_MAX / 32 + 2;
    for (i = 0; i < 3; i++) {
        call c;
        make_right(&c);
        c.assignments[1].abc_size = wrong[i];
        snprintf(fragment, sizeof fragment, "provers[1].abc_size is %zu, but the SRS's domain holds at most %zu",
                 wrong[i], domain());
        expect_error("abc_size", &c, EINVAL, fragment);
    }
    next_is_right("after too many constraints");
}

// A batch without the last constraint proves something else, and one that is padded with zeros the same.
static void fewer_and_padded_constraints(void)
{
    size_t m = domain(), n = good.assignments[1].abc_size, i;
    interlock_proof *proofs = vector_room(&good);
    interlock_fr *padded[3];
    const interlock_fr *from[3];
    call c;
    make_right(&c);
    c.assignments[1].abc_size--;
    if (succeeded(generate(&c, proofs), "one constraint fewer"))
        check(!vector_matches(&good, proofs), "one constraint fewer made no difference");
    free(proofs);

    from[0] = good.assignments[1].a;
    from[1] = good.assignments[1].b;
    from[2] = good.assignments[1].c;
    for (i = 0; i < 3; i++) {
        padded[i] = (interlock_fr *)allocate(m * sizeof(interlock_fr));
        memset(padded[i], 0, m * sizeof(interlock_fr));
        memcpy(padded[i], from[i], n * sizeof(interlock_fr));
    }
    make_right(&c);
    c.assignments[1].a = padded[0];
    c.assignments[1].b = padded[1];
    c.assignments[1].c = padded[2];
    c.assignments[1].abc_size = m;
    expect_right("padded to the domain", &c);
    for (i = 0; i < 3; i++)
        free(padded[i]);
}

static void numbers_of_circuits(void)
{
    static const size_t TOO_MANY[] = {1048577, SIZE_MAX / sizeof(interlock_assignment) + 2, SIZE_MAX};
    interlock_proof *proofs = vector_room(&good);
    void *pending = NULL;
    size_t i;
    call c;
    succeeded(generate_groth16_proofs_c(NULL, 0, NULL, NULL, NULL, NULL, NULL), "no circuits and no pointers");
    succeeded(generate_groth16_proofs_c(NULL, 0, NULL, NULL, NULL, NULL, &pending), "no circuits and garbage locks");
    make_right(&c);
    c.circuits = 0;
    succeeded(generate(&c, proofs), "no circuits");
    check(untouched(proofs), "no circuits: the proofs were written to");

    // Nothing is read: there are two circuits.
    for (i = 0; i < sizeof TOO_MANY / sizeof *TOO_MANY; i++) {
        char fragment[96];
        make_right(&c);
        c.circuits = TOO_MANY[i];
        snprintf(fragment, sizeof fragment, "num_circuits is %zu, but must be at most 1048576", TOO_MANY[i]);
        refused(generate(&c, proofs), "too many circuits", EINVAL, fragment);
        refused(start(&c, &pending), "too many circuits", EINVAL, fragment);
    }
    check(untouched(proofs), "too many circuits: the proofs were written to");
    free(proofs);
    next_is_right("after wrong numbers of circuits");
}

// ---- Densities

static uint64_t *copy_density(const uint64_t *words, size_t bits)
{
    size_t bytes = (bits + 63) / 64 * sizeof(uint64_t);
    uint64_t *copy = (uint64_t *)allocate(bytes);
    memcpy(copy, words, bytes);
    return copy;
}

static uint64_t *dirtied(const uint64_t *words, size_t bits)
{
    uint64_t *copy = copy_density(words, bits);
    if (bits % 64 != 0)
        copy[bits / 64] |= UINT64_MAX << (bits % 64);
    return copy;
}

static void dirty_bits(void)
{
    size_t i;
    call c;
    make_right(&c);
    for (i = 0; i < CIRCUITS; i++) {
        interlock_assignment *a = &c.assignments[i];
        check(a->a_aux_bit_len % 64 != 0 && a->b_inp_bit_len % 64 != 0, "a vector without bits past an end");
        a->a_aux_density = dirtied(a->a_aux_density, a->a_aux_bit_len);
        a->b_inp_density = dirtied(a->b_inp_density, a->b_inp_bit_len);
        a->b_aux_density = dirtied(a->b_aux_density, a->b_aux_bit_len);
    }
    expect_right("bits past the end of the densities", &c);
    for (i = 0; i < CIRCUITS; i++) {
        free((void *)c.assignments[i].a_aux_density);
        free((void *)c.assignments[i].b_inp_density);
        free((void *)c.assignments[i].b_aux_density);
    }
}

// A density and its popcount that agree with each other and not with the SRS: bit 0 is turned over.
static void density_of_another_circuit(const char *name, size_t density, size_t popcount, const char *query)
{
    char fragment[96];
    uint64_t *flipped;
    const uint64_t *value;
    size_t bits, set;
    call c;
    make_right(&c);
    memcpy(&value, (char *)&c.assignments[1] + density, sizeof value);
    memcpy(&bits, (char *)&c.assignments[1] + density + sizeof value, sizeof bits);
    memcpy(&set, (char *)&c.assignments[1] + popcount, sizeof set);
    flipped = copy_density(value, bits);
    flipped[0] ^= 1;
    set = (flipped[0] & 1) != 0 ? set + 1 : set - 1;
    memcpy((char *)&c.assignments[1] + density, &flipped, sizeof flipped);
    memcpy((char *)&c.assignments[1] + popcount, &set, sizeof set);
    snprintf(fragment, sizeof fragment, "provers[1].%s", name);
    expect_error(name, &c, EINVAL, fragment);
    expect_error(name, &c, EINVAL, query);
    free(flipped);
}

static void densities(void)
{
    dirty_bits();
    density_of_another_circuit("a_aux_popcount", offsetof(interlock_assignment, a_aux_density),
                               offsetof(interlock_assignment, a_aux_popcount), "the SRS's a query has");
    density_of_another_circuit("b_inp_popcount", offsetof(interlock_assignment, b_inp_density),
                               offsetof(interlock_assignment, b_inp_popcount), "the SRS's b_g1 and b_g2 queries have");
    density_of_another_circuit("b_inp_popcount + b_aux_popcount", offsetof(interlock_assignment, b_aux_density),
                               offsetof(interlock_assignment, b_aux_popcount), "the SRS's b_g1 and b_g2 queries have");
    next_is_right("after wrong densities");
}

// ---- Scalars

static const interlock_fr TOO_LARGE[] = {
    {{0xffffffff00000001, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48}}, // r
    {{0xffffffff00000002, 0x53bda402fffe5bfe, 0x3339d80809a1d805, 0x73eda753299d7d48}}, // r + 1
    {{0, 0, 0, 0x73eda753299d7d49}},
    {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX}},
};

// A copy of `count` scalars with `value` at `at`.
static interlock_fr *spoiled(const interlock_fr *scalars, size_t count, size_t at, const interlock_fr *value)
{
    interlock_fr *copy = (interlock_fr *)allocate(count * sizeof *copy);
    memcpy(copy, scalars, count * sizeof *copy);
    copy[at] = *value;
    return copy;
}

static void scalar_field(const char *name, size_t offset, size_t count, size_t at, const interlock_fr *value)
{
    char fragment[96];
    const interlock_fr *field;
    interlock_fr *copy;
    call c;
    make_right(&c);
    memcpy(&field, (char *)&c.assignments[1] + offset, sizeof field);
    copy = spoiled(field, count, at, value);
    memcpy((char *)&c.assignments[1] + offset, &copy, sizeof copy);
    snprintf(fragment, sizeof fragment, "provers[1].%s[%zu] is not below the group order", name, at);
    expect_error(name, &c, EINVAL, fragment);
    free(copy);
}

static void blinding(const char *name, bool is_r, size_t at, const interlock_fr *value)
{
    char fragment[96];
    interlock_fr *copy = spoiled(is_r ? good.r : good.s, CIRCUITS, at, value);
    call c;
    make_right(&c);
    if (is_r)
        c.r = copy;
    else
        c.s = copy;
    snprintf(fragment, sizeof fragment, "%s[%zu] is not below the group order", name, at);
    expect_error(name, &c, EINVAL, fragment);
    free(copy);
}

static void scalars(void)
{
    const interlock_assignment *a = &good.assignments[1];
    size_t i;
    for (i = 0; i < sizeof TOO_LARGE / sizeof TOO_LARGE[0]; i++) {
        const interlock_fr *value = &TOO_LARGE[i];
        scalar_field("a", offsetof(interlock_assignment, a), a->abc_size, a->abc_size - 1, value);
        scalar_field("b", offsetof(interlock_assignment, b), a->abc_size, 0, value);
        scalar_field("c", offsetof(interlock_assignment, c), a->abc_size, a->abc_size / 2, value);
        scalar_field("inp_assignment_data", offsetof(interlock_assignment, inp_assignment_data),
                     a->inp_assignment_size, a->inp_assignment_size - 1, value);
        scalar_field("aux_assignment_data", offsetof(interlock_assignment, aux_assignment_data),
                     a->aux_assignment_size, a->aux_assignment_size - 1, value);
        blinding("r_s", true, i % CIRCUITS, value);
        blinding("s_s", false, i % CIRCUITS, value);
    }
    next_is_right("after scalars that are too large");
}

// ---- Handles

static struct {
    unsigned warnings;
    char last[512];
} logged;

static void on_message(int level, const char *message, void *user)
{
    if (user == &logged && level == INTERLOCK_LOG_LEVEL_WARN) {
        logged.warnings++;
        snprintf(logged.last, sizeof logged.last, "%s", message);
    }
}

// Counts a call that returns nothing and must have warned once with `fragment`, or not at all if that is NULL.
static void warned(const char *what, const char *fragment)
{
    if (fragment == NULL)
        check(logged.warnings == 0, "%s: an unexpected warning: %s", what, logged.last);
    else
        check(logged.warnings == 1 && strstr(logged.last, fragment) != NULL, "%s: expected \"%s\", got %u warnings: %s",
              what, fragment, logged.warnings, logged.last);
    logged.warnings = 0;
    logged.last[0] = '\0';
}

static void *number(uintptr_t value)
{
    return (void *)value;
}

static void garbage_locks(void)
{
    int local = 0;
    char *heap = (char *)allocate(64);
    void *garbage[6];
    size_t i;
    garbage[0] = &local;
    garbage[1] = number(0xdeadbeef);
    garbage[2] = heap;
    garbage[3] = number(1);
    garbage[4] = number(UINTPTR_MAX);
    garbage[5] = srs.ptr;
    for (i = 0; i < sizeof garbage / sizeof garbage[0]; i++) {
        call c;
        make_right(&c);
        c.locks = garbage[i];
        expect_error("garbage locks", &c, EINVAL, "gpu_locks handle 0x");
        expect_error("garbage locks", &c, EINVAL, "was never given out by this library");
        destroy_gpu_locks(garbage[i]);
        warned("destroying garbage locks", "destroy_gpu_locks: gpu_locks handle 0x");
        destroy_gpu_mutex(garbage[i]);
        warned("destroying a garbage mutex", "was never given out by this library");
    }
    free(heap);
    next_is_right("after garbage locks");
}

static void destroyed_locks(void)
{
    void *(*const create[])(void) = {create_gpu_locks, create_gpu_mutex};
    void (*const destroy[])(void *) = {destroy_gpu_mutex, destroy_gpu_locks};
    size_t i;
    for (i = 0; i < 2; i++) {
        call c;
        make_right(&c);
        c.locks = create[i]();
        expect_right("with locks", &c);
        destroy[i](c.locks);
        warned("destroying locks", NULL);
        expect_error("destroyed locks", &c, EINVAL, "no longer valid: it was destroyed already");
        destroy[i](c.locks);
        warned("destroying locks twice", "no longer valid: it was destroyed already");
        destroy[i](NULL);
        warned("destroying no locks", NULL);
    }
    next_is_right("after destroyed locks");
}

// What can be set and asked of handles, and of what is none.
static void settings_of_locks(void)
{
    void *locks = create_gpu_locks(), *gone = create_gpu_locks();
    interlock_gpu_locks_statistics before, after;
    size_t devices = 0;
    call c;
    free(interlock_device_count(&devices).message);
    destroy_gpu_locks(gone);
    succeeded(interlock_gpu_locks_set_device(locks, -1), "no device of its own");
    if (devices > 0)
        refused(interlock_gpu_locks_set_device(locks, 1000000), "a device that there is not", EINVAL,
                "device is 1000000, but there are");
    else
        refused(interlock_gpu_locks_set_device(locks, 0), "a device where there are none", ENODEV, "no GPU can prove: ");
    refused(interlock_gpu_locks_set_device(locks, -2), "a negative device", EINVAL, "device is -2, but must be -1");
    succeeded(interlock_gpu_locks_set_workers(locks, 1), "one worker");
    succeeded(interlock_gpu_locks_set_budget(locks, (size_t)1 << 30), "a budget");
    succeeded(interlock_gpu_locks_set_budget(locks, 0), "no budget");
    refused(interlock_gpu_locks_get_statistics(locks, NULL), "nowhere to put statistics", EINVAL, "statistics is a null pointer");
    refused(interlock_gpu_locks_set_workers(gone, 1), "workers of destroyed locks", EINVAL, "it was destroyed already");
    refused(interlock_gpu_locks_set_device(number(0xdeadbeef), -1), "a device of garbage locks", EINVAL, "never given out");
    refused(interlock_gpu_locks_set_budget(number(1), 0), "a budget of garbage locks", EINVAL, "never given out");
    memset(&after, 7, sizeof after);
    before = after;
    refused(interlock_gpu_locks_get_statistics(gone, &after), "statistics of destroyed locks", EINVAL, "it was destroyed already");
    check(memcmp(&before, &after, sizeof after) == 0, "statistics are left alone on error");
    succeeded(interlock_gpu_locks_get_statistics(locks, &before), "statistics");
    check(before.calls == 0 && before.waits == 0 && before.waited_ns == 0 && before.bytes == 0, "new locks have done nothing");
    make_right(&c);
    c.locks = locks;
    expect_right("with one worker", &c);
    succeeded(interlock_gpu_locks_get_statistics(locks, &after), "statistics after a proof");
    check(after.calls == 1 && after.waits == 0, "%llu calls, %llu waits after one", (unsigned long long)after.calls,
          (unsigned long long)after.waits);
    succeeded(interlock_gpu_locks_get_statistics(NULL, &after), "statistics without a handle");
    check(after.calls > 0, "calls without a handle are counted");
    destroy_gpu_locks(locks);
}

static void *started(void)
{
    void *pending = NULL;
    call c;
    make_right(&c);
    succeeded(start(&c, &pending), "start");
    return pending;
}

static void finalized(void *pending)
{
    interlock_proof *proofs = vector_room(&good);
    if (succeeded(finalize_groth16_proof_c(pending, proofs), "finalize"))
        check(vector_matches(&good, proofs), "finalize: wrong proof");
    free(proofs);
}

static void memory_given_back(void)
{
    void *pending = started();
    succeeded(interlock_release_gpu_memory(), "giving memory back beside a pending proof");
    finalized(pending);
    succeeded(interlock_release_gpu_memory(), "giving memory back");
    succeeded(interlock_release_gpu_memory(), "giving memory back that is not there");
    next_is_right("after memory was given back");
}

static void not_finalized(const char *what, void *pending, const char *fragment)
{
    interlock_proof *proofs = vector_room(&good);
    refused(finalize_groth16_proof_c(pending, proofs), what, EINVAL, fragment);
    check(untouched(proofs), "%s: the proofs were written to", what);
    free(proofs);
}

static void garbage_pending(void)
{
    int local = 0;
    void *locks = create_gpu_locks();
    void *garbage[5];
    size_t i;
    garbage[0] = &local;
    garbage[1] = number(0xdeadbeef);
    garbage[2] = locks;
    garbage[3] = srs.ptr;
    garbage[4] = number(UINTPTR_MAX);
    for (i = 0; i < sizeof garbage / sizeof garbage[0]; i++) {
        not_finalized("garbage pending", garbage[i], "pending proof handle 0x");
        not_finalized("garbage pending", garbage[i], "was never given out by this library");
        destroy_pending_proof(garbage[i]);
        warned("destroying garbage", "destroy_pending_proof: pending proof handle 0x");
    }
    not_finalized("null pending", NULL, "pending is a null pointer");
    destroy_pending_proof(NULL);
    warned("destroying nothing", NULL);
    destroy_gpu_locks(locks);
}

static void ended_pending(void)
{
    interlock_proof *proofs = vector_room(&good);
    void *pending = started();
    finalized(pending);
    not_finalized("finalized twice", pending, "finalized or destroyed already");
    destroy_pending_proof(pending);
    warned("destroyed after finalize", NULL);

    pending = started();
    destroy_pending_proof(pending);
    destroy_pending_proof(pending);
    warned("destroyed twice", NULL);
    not_finalized("finalized after destroy", pending, "finalized or destroyed already");

    pending = started();
    refused(finalize_groth16_proof_c(pending, NULL), "finalize to null", EINVAL, "proofs is a null pointer");
    refused(finalize_groth16_proof_c(pending, (interlock_proof *)skewed(proofs)), "finalize to misaligned", EINVAL,
            "proofs is 0x");
    check(untouched(proofs), "misaligned proofs: the proofs were written to");
    finalized(pending);
    free(proofs);
    next_is_right("after ended batches");
}

// ---- The SRS

static void no_srs(const char *what, const interlock_srs *none, const char *fragment)
{
    call c;
    make_right(&c);
    c.srs = none;
    expect_error(what, &c, EINVAL, fragment);
}

static void empty_srs(void)
{
    interlock_srs empty = {NULL}, copy;
    no_srs("empty SRS", &empty, "the SRS is empty");
    evict_SRS(&empty);
    drop_SRS(&empty);
    copy = clone_SRS(&empty);
    check(copy.ptr == NULL, "a clone of nothing is something");
    evict_SRS(NULL);
    drop_SRS(NULL);
    copy = clone_SRS(NULL);
    check(copy.ptr == NULL, "a clone of NULL is something");
    warned("nothing done to no SRS", NULL);
}

static void garbage_srs(void)
{
    int local = 0;
    void *locks = create_gpu_locks();
    void *garbage[4];
    size_t i;
    garbage[0] = &local;
    garbage[1] = number(0xdeadbeef);
    garbage[2] = number(UINTPTR_MAX);
    garbage[3] = locks;
    for (i = 0; i < sizeof garbage / sizeof garbage[0]; i++) {
        interlock_srs bad, copy;
        bad.ptr = garbage[i];
        no_srs("garbage SRS", &bad, "SRS handle 0x");
        copy = clone_SRS(&bad);
        check(copy.ptr == NULL, "a clone of garbage is something");
        warned("cloning garbage", "clone_SRS: SRS handle 0x");
        evict_SRS(&bad);
        warned("evicting garbage", "evict_SRS: SRS handle 0x");
        drop_SRS(&bad);
        warned("dropping garbage", "drop_SRS: SRS handle 0x");
        check(bad.ptr == NULL, "dropped garbage is not empty");
    }
    destroy_gpu_locks(locks);
}

static void dropped_srs(void)
{
    interlock_srs first = clone_SRS(&srs), copy = first, again;
    check(first.ptr != NULL && first.ptr != srs.ptr, "a clone with its original's handle");
    drop_SRS(&first);
    check(first.ptr == NULL, "a dropped SRS is not empty");
    warned("dropping a clone", NULL);
    no_srs("dropped SRS", &first, "the SRS is empty");
    no_srs("a copy of a dropped SRS", &copy, "no longer valid: it was dropped already");
    again = clone_SRS(&copy);
    check(again.ptr == NULL, "a clone of a dropped SRS is something");
    warned("cloning a dropped SRS", "clone_SRS: SRS handle 0x");
    evict_SRS(&copy);
    warned("evicting a dropped SRS", "evict_SRS: SRS handle 0x");
    drop_SRS(&copy);
    warned("dropping twice", "drop_SRS: SRS handle 0x");
    check(copy.ptr == NULL, "an SRS dropped twice is not empty");
    drop_SRS(&first);
    warned("dropping an empty SRS", NULL);
    next_is_right("after a dropped SRS");
}

static void misaligned_srs(void)
{
    char room[2 * sizeof(interlock_srs)] = {0};
    interlock_srs *skew = (interlock_srs *)(void *)(room + (((uintptr_t)room & 7) == 7 ? 2 : 1)), copy;
    memcpy(skew, &srs, sizeof srs);
    evict_SRS(skew);
    warned("evicting through a misaligned pointer", "not aligned to 8 bytes");
    copy = clone_SRS(skew);
    check(copy.ptr == NULL, "cloned through a misaligned pointer");
    warned("cloning through a misaligned pointer", "not aligned to 8 bytes");
    drop_SRS(skew);
    warned("dropping through a misaligned pointer", "not aligned to 8 bytes");
    refused(create_SRS(skew, good.params, false), "creating through a misaligned pointer", EINVAL, "ret is 0x");
    next_is_right("after a misaligned SRS");
}

static void sizes_of_srs(void)
{
    const interlock_assignment *a = &good.assignments[0];
    interlock_srs empty = {NULL};
    interlock_circuit_sizes sizes, before;
    interlock_memory_plan plan;
    memset(&sizes, 0xa5, sizeof sizes);
    before = sizes;
    refused(interlock_srs_sizes(NULL, &sizes), "sizes of no SRS", EINVAL, "srs is a null pointer");
    refused(interlock_srs_sizes(&empty, &sizes), "sizes of an empty SRS", EINVAL, "the SRS is empty");
    empty.ptr = number(0xdeadbeef);
    refused(interlock_srs_sizes(&empty, &sizes), "sizes of garbage", EINVAL, "SRS handle 0x");
    refused(interlock_srs_sizes(&srs, NULL), "sizes to null", EINVAL, "out is a null pointer");
    refused(interlock_srs_sizes(&srs, (interlock_circuit_sizes *)skewed(&sizes)), "sizes to misaligned", EINVAL,
            "out is 0x");
    check(memcmp(&sizes, &before, sizeof sizes) == 0, "sizes are left alone on error");
    if (!succeeded(interlock_srs_sizes(&srs, &sizes), "sizes"))
        return;
    check(sizes.inputs == a->inp_assignment_size && sizes.aux == a->aux_assignment_size && sizes.circuits == 1
              && sizes.a == a->inp_assignment_size + a->a_aux_popcount
              && sizes.b == a->b_inp_popcount + a->b_aux_popcount
              && (size_t)1 << sizes.domain_log2 >= a->abc_size,
          "sizes are not the assignment's");
    succeeded(interlock_plan(&sizes, (size_t)1 << 30, &plan), "a plan for an SRS");
}

// Sizes that belong to other parameters.
static void another_srs(const char *folder)
{
    interlock_srs other;
    char *params = path_of(folder, "params");
    if (succeeded(create_SRS(&other, params, false), params)) {
        no_srs("another circuit's SRS", &other, "provers[0].");
        drop_SRS(&other);
    }
    free(params);
    next_is_right("after another circuit's SRS");
}

static atomic_bool proving;

static void *evict_all_the_time(void *unused)
{
    interlock_error error;
    (void)unused;
    do {
        interlock_srs again;
        error = create_SRS(&again, good.params, true);
        evict_SRS(&again);
        drop_SRS(&again);
    } while (error.code == 0 && proving);
    succeeded(error, "create while proofs run");
    return NULL;
}

// The caller's own SRS goes while its proof is pending, and others come and go meanwhile.
static void evicted_while_proving(void)
{
    pthread_t thread;
    int i;
    proving = true;
    if (!check(pthread_create(&thread, NULL, evict_all_the_time, NULL) == 0, "pthread_create"))
        return;
    for (i = 0; i < 4; i++) {
        interlock_srs own = clone_SRS(&srs);
        void *pending = NULL;
        call c;
        make_right(&c);
        c.srs = &own;
        succeeded(start(&c, &pending), "start");
        evict_SRS(&own);
        drop_SRS(&own);
        finalized(pending);
    }
    proving = false;
    pthread_join(thread, NULL);
    next_is_right("after evictions");
}

// ---- Parameter files

static char *scratch;

static void not_created(const char *what, const char *path, int code, const char *fragment)
{
    interlock_srs none;
    none.ptr = &none;
    refused(create_SRS(&none, path, true), what, code, fragment);
    check(none.ptr == NULL, "%s: a failed create left a handle", what);
}

// Creates from `bytes` bytes of `content` in a file of the scratch folder.
static void bad_file(const char *what, const unsigned char *content, size_t bytes, int code, const char *fragment)
{
    char *path = path_of(scratch, "params");
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(content, 1, bytes, file) != bytes || fclose(file) != 0)
        vector_fail(path, "cannot write");
    not_created(what, path, code, fragment);
    not_created(what, path, code, path);
    unlink(path);
    free(path);
}

static void damaged_files(void)
{
    static const char TOO_LARGE_COUNT[] = {'\x7f', '\xff', '\xff', '\xff'};
    enum { IC = 864 };
    size_t bytes, i;
    unsigned char *content = read_whole(good.params, &bytes);
    const size_t ends[] = {1, 95, 863, 864, 866, 868, 1000, bytes / 2, bytes - 1};
    bad_file("empty file", content, 0, ENODATA, "is empty");
    for (i = 0; i < sizeof ends / sizeof ends[0]; i++)
        bad_file("truncated file", content, ends[i], EOVERFLOW, "is truncated");

    unsigned char *damaged = (unsigned char *)allocate(bytes + 1);
    memcpy(damaged, content, bytes);
    damaged[bytes] = 0;
    bad_file("trailing byte", damaged, bytes + 1, EFBIG, "content ends at");
    damaged[95] ^= 1;
    bad_file("point off the curve", damaged, bytes, EDOM, "is not on the curve");
    memcpy(damaged, content, bytes);
    memset(damaged + bytes - 48, 0xff, 48);
    bad_file("coordinate too large", damaged, bytes, EILSEQ, "[");
    memcpy(damaged, content, bytes);
    memset(damaged + IC + 4, 0, 96);
    damaged[IC + 4] = 0x40;
    bad_file("infinity", damaged, bytes, ERANGE, "point at infinity");
    memcpy(damaged, content, bytes);
    memcpy(damaged + IC, TOO_LARGE_COUNT, sizeof TOO_LARGE_COUNT);
    bad_file("impossible count", damaged, bytes, EOVERFLOW, "is truncated");
    free(damaged);
    free(content);
}

static void files(void)
{
    interlock_srs none;
    char *path = path_of(scratch, "missing");
    refused(create_SRS(NULL, good.params, false), "create to null", EINVAL, "ret is a null pointer");
    none.ptr = &none;
    refused(create_SRS(&none, NULL, false), "create from null", EINVAL, "path is a null pointer");
    check(none.ptr == NULL, "create from null: a failed create left a handle");
    not_created("missing file", path, ENOENT, "parameter file");
    not_created("missing file", path, ENOENT, path);
    not_created("no name", "", ENOENT, "parameter file");
    not_created("folder", scratch, EISDIR, "is a directory");
    not_created("device", "/dev/zero", ENOTSUP, "not a regular file");
    not_created("through a file", "/dev/null/params", ENOTDIR, "parameter file");
    if (check(mkfifo(path, 0600) == 0, "mkfifo"))
        not_created("pipe without a writer", path, ENOTSUP, "not a regular file");
    unlink(path);
    free(path);
    damaged_files();
    next_is_right("after bad parameter files");
}

// ---- The rest

static void control(void)
{
    size_t count = 7;
    char *text = good.params;
    refused(interlock_set_backend(3), "backend 3", EINVAL, "backend is 3, but");
    refused(interlock_set_backend(-1), "backend -1", EINVAL, "interlock_backend, 0 to 2");
    refused(interlock_backend_status(99), "backend 99", EINVAL, "backend is 99, but");
    refused(interlock_set_log_level(6), "level 6", EINVAL, "interlock_log_level, 0 to 5");
    refused(interlock_set_log_level(-1), "level -1", EINVAL, "level is -1, but must be an interlock_log_level, 0 to 5");
    refused(interlock_device_count(NULL), "count to null", EINVAL, "count is a null pointer");
    refused(interlock_device_count((size_t *)skewed(&count)), "count to misaligned", EINVAL, "count is 0x");
    check(count == 7, "a refused count was written");
    refused(interlock_device_text(0, NULL), "text to null", EINVAL, "text is a null pointer");
    interlock_error error = interlock_device_text(SIZE_MAX, &text);
    check(error.code != 0 && text == NULL, "a device of number SIZE_MAX");
    free(error.message);
    succeeded(interlock_backend_status(INTERLOCK_BACKEND_CPU), "the CPU");
    check(interlock_current_backend() != NULL, "no backend: %s", interlock_last_error());
    next_is_right("after wrong settings");
}

static void traces(void)
{
    char *path = path_of(scratch, "trace"), *below = path_of(scratch, "trace/below"), *start;
    unsigned char *content;
    char target[16];
    size_t bytes;
    refused(interlock_trace_write(NULL), "trace to null", EINVAL, "path is a null pointer");
    if (getenv("INTERLOCK_TRACE") == NULL)
        refused(interlock_trace_write(path), "nothing traced", ENODATA, "nothing has been traced");
    interlock_trace_stop();
    succeeded(interlock_trace_start(), "start to trace");
    succeeded(interlock_trace_start(), "start to trace again");
    next_is_right("while it is traced");
    refused(interlock_trace_write(""), "trace to no name", ENOENT, "cannot write trace file");
    refused(interlock_trace_write("/dev/null"), "trace to a device", ENOTSUP, "trace file \"/dev/null\"");
    refused(interlock_trace_write("/dev/stdout"), "trace to an open file", ENOTSUP, "trace file \"/dev/stdout\"");
    refused(interlock_trace_write(scratch), "trace to a folder", EISDIR, scratch);
    if (check(symlink("nowhere", path) == 0, "symlink"))
        refused(interlock_trace_write(path), "trace to a link to nothing", ENOENT, path);
    check(readlink(path, target, sizeof target) == (ssize_t)strlen("nowhere"), "the link to nothing has gone");
    unlink(path);
    succeeded(interlock_trace_write(path), "write the trace");
    refused(interlock_trace_write(below), "trace below a file", ENOTDIR, below);
    interlock_trace_stop();
    interlock_trace_stop();
    next_is_right("after a trace");
    succeeded(interlock_trace_write(path), "write the trace again");
    content = read_whole(path, &bytes);
    start = (char *)content;
    check(bytes > 2 && start[0] == '{' && memcmp(start + bytes - 3, "]}\n", 3) == 0, "a trace that is no object");
    free(content);
    unlink(path);
    free(path);
    free(below);
}

static void *fresh_thread(void *unused)
{
    (void)unused;
    check(strcmp(interlock_last_error(), "") == 0, "a new thread has an error: %s", interlock_last_error());
    return NULL;
}

static void last_error(void)
{
    pthread_t thread;
    refused(interlock_set_backend(3), "backend 3", EINVAL, "backend");
    if (check(pthread_create(&thread, NULL, fresh_thread, NULL) == 0, "pthread_create"))
        pthread_join(thread, NULL);
    next_is_right("after an error");
    check(strstr(interlock_last_error(), "backend is 3, but") != NULL, "a success changed the last error");
}

int main(int argc, char **argv)
{
    char template[] = "/tmp/interlock-misuse-XXXXXX";
    if (argc != 3) {
        fprintf(stderr, "usage: %s FOLDER OTHER_FOLDER\n", argv[0]);
        return 2;
    }
    scratch = mkdtemp(template);
    if (scratch == NULL)
        vector_fail(template, strerror(errno));
    checks_begin(argv[0]);
    good = vector_load(argv[1]);
    if (good.circuits != CIRCUITS)
        vector_fail(argv[1], "not two circuits");
    interlock_set_log_callback(on_message, &logged);
    if (succeeded(create_SRS(&srs, good.params, true), good.params)) {
        next_is_right("before anything is wrong");
        // The first proof may have said which backend it is on.
        logged.warnings = 0;
        pointer_fields();
        null_arguments();
        misaligned_arguments();
        sizes();
        too_many_constraints();
        fewer_and_padded_constraints();
        numbers_of_circuits();
        densities();
        scalars();
        garbage_locks();
        destroyed_locks();
        settings_of_locks();
        memory_given_back();
        garbage_pending();
        ended_pending();
        empty_srs();
        garbage_srs();
        dropped_srs();
        misaligned_srs();
        sizes_of_srs();
        another_srs(argv[2]);
        evicted_while_proving();
        files();
        control();
        traces();
        last_error();
        evict_SRS(&srs);
        drop_SRS(&srs);
    }
    interlock_set_log_callback(NULL, NULL);
    vector_free(&good);
    rmdir(scratch);
    return checks_end();
}
