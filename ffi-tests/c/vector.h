// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Test vectors: a folder with `params`, `inputs.bin` and `proofs.bin`, read into blocks of exactly the size that the
// ABI asks for, so that a memory checker sees every access past an end; and proofs in the compressed form of
// `proofs.bin`, by arithmetic of this file's own.

#ifndef VECTOR_H
#define VECTOR_H

#include <interlock.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPRESSED_PROOF 192

typedef struct vector {
    size_t circuits;
    interlock_assignment *assignments;
    interlock_fr *r, *s;
    unsigned char *proofs; // COMPRESSED_PROOF bytes a circuit
    char *params;          // the path of the parameter file
} vector;

// ---- Reading

typedef struct cursor {
    const unsigned char *next;
    size_t left;
} cursor;

static inline void vector_fail(const char *path, const char *what)
{
    fprintf(stderr, "%s: %s\n", path, what);
    exit(2);
}

static inline void *allocate(size_t bytes)
{
    void *block = malloc(bytes);
    if (block == NULL && bytes != 0) {
        fprintf(stderr, "out of memory: %zu bytes\n", bytes);
        exit(2);
    }
    return block;
}

// A block of its own with the next `bytes` bytes; NULL for none.
static inline void *take(cursor *from, size_t bytes)
{
    void *block = NULL;
    if (bytes > from->left)
        vector_fail("inputs.bin", "too short");
    if (bytes != 0) {
        block = allocate(bytes);
        memcpy(block, from->next, bytes);
        from->next += bytes;
        from->left -= bytes;
    }
    return block;
}

static inline size_t take_size(cursor *from)
{
    uint64_t value = 0;
    if (from->left < sizeof value)
        vector_fail("inputs.bin", "too short");
    memcpy(&value, from->next, sizeof value);
    from->next += sizeof value;
    from->left -= sizeof value;
    return (size_t)value;
}

static inline const uint64_t *take_density(cursor *from, size_t bits)
{
    return (const uint64_t *)take(from, (bits / 64 + (bits % 64 != 0)) * sizeof(uint64_t));
}

static inline interlock_fr *take_scalars(cursor *from, size_t count)
{
    return (interlock_fr *)take(from, count * sizeof(interlock_fr));
}

static inline char *path_of(const char *folder, const char *name)
{
    size_t room = strlen(folder) + strlen(name) + 2;
    char *path = (char *)allocate(room);
    snprintf(path, room, "%s/%s", folder, name);
    return path;
}

static inline unsigned char *read_whole(const char *path, size_t *bytes)
{
    unsigned char *content;
    long end;
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        vector_fail(path, strerror(errno));
    fseek(file, 0, SEEK_END);
    end = ftell(file);
    rewind(file);
    if (end < 0)
        vector_fail(path, strerror(errno));
    *bytes = (size_t)end;
    content = (unsigned char *)allocate(*bytes);
    if (fread(content, 1, *bytes, file) != *bytes)
        vector_fail(path, "cannot read");
    fclose(file);
    return content;
}

static inline void take_circuit(cursor *from, interlock_assignment *to, interlock_fr *r, interlock_fr *s)
{
    interlock_fr *blinding;
    to->a_aux_bit_len = take_size(from);
    to->a_aux_popcount = take_size(from);
    to->b_inp_bit_len = take_size(from);
    to->b_inp_popcount = take_size(from);
    to->b_aux_bit_len = take_size(from);
    to->b_aux_popcount = take_size(from);
    to->abc_size = take_size(from);
    to->inp_assignment_size = take_size(from);
    to->aux_assignment_size = take_size(from);
    to->a_aux_density = take_density(from, to->a_aux_bit_len);
    to->b_inp_density = take_density(from, to->b_inp_bit_len);
    to->b_aux_density = take_density(from, to->b_aux_bit_len);
    to->a = take_scalars(from, to->abc_size);
    to->b = take_scalars(from, to->abc_size);
    to->c = take_scalars(from, to->abc_size);
    to->inp_assignment_data = take_scalars(from, to->inp_assignment_size);
    to->aux_assignment_data = take_scalars(from, to->aux_assignment_size);
    blinding = take_scalars(from, 2);
    *r = blinding[0];
    *s = blinding[1];
    free(blinding);
}

// Reads the vector in `folder`; ends the program if there is none.
static inline vector vector_load(const char *folder)
{
    vector loaded;
    size_t bytes, i;
    char *path = path_of(folder, "inputs.bin");
    unsigned char *content = read_whole(path, &bytes);
    cursor from;
    if (bytes < 16 || memcmp(content, "C2VEC001", 8) != 0)
        vector_fail(path, "not a vector");
    from.next = content + 8;
    from.left = bytes - 8;
    loaded.circuits = take_size(&from);
    loaded.assignments = (interlock_assignment *)allocate(loaded.circuits * sizeof(interlock_assignment));
    loaded.r = (interlock_fr *)allocate(loaded.circuits * sizeof(interlock_fr));
    loaded.s = (interlock_fr *)allocate(loaded.circuits * sizeof(interlock_fr));
    for (i = 0; i < loaded.circuits; i++)
        take_circuit(&from, &loaded.assignments[i], &loaded.r[i], &loaded.s[i]);
    if (from.left != 0)
        vector_fail(path, "too long");
    free(content);
    free(path);

    path = path_of(folder, "proofs.bin");
    loaded.proofs = read_whole(path, &bytes);
    if (bytes != loaded.circuits * COMPRESSED_PROOF)
        vector_fail(path, "not one proof a circuit");
    free(path);
    loaded.params = path_of(folder, "params");
    return loaded;
}

// Frees what proofs do not need any more once they have been started: a, b, c, r, s and the array of assignments.
// With a copy of the array, vector_free_witness() still finds the rest.
static inline void vector_free_evaluations(vector *v)
{
    size_t i;
    for (i = 0; i < v->circuits; i++) {
        free((void *)v->assignments[i].a);
        free((void *)v->assignments[i].b);
        free((void *)v->assignments[i].c);
    }
    free(v->assignments);
    free(v->r);
    free(v->s);
    v->assignments = NULL;
    v->r = v->s = NULL;
}

// Frees the densities and assignments of `circuits` circuits.
static inline void vector_free_witness(const interlock_assignment *assignments, size_t circuits)
{
    size_t i;
    for (i = 0; i < circuits; i++) {
        free((void *)assignments[i].a_aux_density);
        free((void *)assignments[i].b_inp_density);
        free((void *)assignments[i].b_aux_density);
        free((void *)assignments[i].inp_assignment_data);
        free((void *)assignments[i].aux_assignment_data);
    }
}

static inline void vector_free(vector *v)
{
    vector_free_witness(v->assignments, v->circuits);
    vector_free_evaluations(v);
    free(v->proofs);
    free(v->params);
}

// ---- Compressing

#ifdef __GNUC__
__extension__
#endif
typedef unsigned __int128 wide;

// The modulus of Fp, least significant limb first, and −1/modulus mod 2^64.
static const uint64_t FP_MODULUS[6] = {0xb9feffffffffaaab, 0x1eabfffeb153ffff, 0x6730d2a0f6b0f624,
                                       0x64774b84f38512bf, 0x4b1ba7b6434bacd7, 0x1a0111ea397fe69a};
static const uint64_t FP_NEGATED_INVERSE = 0x89f3fffcfffcfffd;

static inline void big_endian(const uint64_t limbs[6], unsigned char bytes[48])
{
    int i;
    for (i = 0; i < 48; i++)
        bytes[i] = (unsigned char)(limbs[5 - i / 8] >> (56 - 8 * (i % 8)));
}

// x·2^-384 mod p for x below p, as 48 big-endian bytes.
static inline void field_bytes(const uint64_t x[6], unsigned char bytes[48])
{
    uint64_t t[6];
    int round, i;
    memcpy(t, x, sizeof t);
    for (round = 0; round < 6; round++) {
        uint64_t quotient = t[0] * FP_NEGATED_INVERSE;
        wide carry = ((wide)quotient * FP_MODULUS[0] + t[0]) >> 64;
        for (i = 1; i < 6; i++) {
            carry += (wide)quotient * FP_MODULUS[i] + t[i];
            t[i - 1] = (uint64_t)carry;
            carry >>= 64;
        }
        t[5] = (uint64_t)carry;
    }
    big_endian(t, bytes);
}

// Whether y, which is not 0, is larger than −y.
static inline bool in_upper_half(const unsigned char y[48])
{
    uint64_t half[6];
    unsigned char bytes[48];
    int i;
    for (i = 0; i < 6; i++)
        half[i] = FP_MODULUS[i] >> 1 | (i < 5 ? FP_MODULUS[i + 1] << 63 : 0);
    big_endian(half, bytes);
    return memcmp(y, bytes, sizeof bytes) > 0;
}

static inline bool all_zero(const void *object, size_t bytes)
{
    const unsigned char *byte = (const unsigned char *)object;
    size_t i;
    for (i = 0; i < bytes; i++)
        if (byte[i] != 0)
            return false;
    return true;
}

static inline void compress_g1(const interlock_g1 *point, unsigned char out[48])
{
    unsigned char y[48];
    memset(out, 0, 48);
    if (all_zero(point, sizeof *point)) {
        out[0] = 0xc0;
        return;
    }
    field_bytes(point->x, out);
    field_bytes(point->y, y);
    out[0] = (unsigned char)(out[0] | 0x80 | (in_upper_half(y) ? 0x20 : 0));
}

static inline void compress_g2(const interlock_g2 *point, unsigned char out[96])
{
    unsigned char y[48];
    memset(out, 0, 96);
    if (all_zero(point, sizeof *point)) {
        out[0] = 0xc0;
        return;
    }
    field_bytes(point->x[1], out);
    field_bytes(point->x[0], out + 48);
    field_bytes(point->y[1], y);
    if (all_zero(y, sizeof y))
        field_bytes(point->y[0], y);
    out[0] = (unsigned char)(out[0] | 0x80 | (in_upper_half(y) ? 0x20 : 0));
}

// Whether `proofs` are the vector's, byte for byte.
static inline bool vector_matches(const vector *v, const interlock_proof *proofs)
{
    unsigned char compressed[COMPRESSED_PROOF];
    size_t i;
    for (i = 0; i < v->circuits; i++) {
        compress_g1(&proofs[i].a, compressed);
        compress_g2(&proofs[i].b, compressed + 48);
        compress_g1(&proofs[i].c, compressed + 144);
        if (memcmp(compressed, v->proofs + i * COMPRESSED_PROOF, sizeof compressed) != 0)
            return false;
    }
    return true;
}

// Room for the vector's proofs, full of garbage.
static inline interlock_proof *vector_room(const vector *v)
{
    interlock_proof *proofs = (interlock_proof *)allocate(v->circuits * sizeof *proofs);
    memset(proofs, 0xa5, v->circuits * sizeof *proofs);
    return proofs;
}

#endif
