/* What Rust calls: plain C, the one truth for both sides (src/sys/launchers.rs is generated from it).
 *
 * Every launcher returns a cudaError (0 is success), enqueues on `stream` of the current device, and neither allocates nor waits.
 * Pointers are to memory that the device can address, such as its own and page-locked host memory, unless they say otherwise. */
#ifndef INTERLOCK_LAUNCHERS_H
#define INTERLOCK_LAUNCHERS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct CUstream_st; /* a cudaStream_t points to one */

/* The driver's function of this name as it was in CUDA `version` (12000 is 12.0), in *function; both are host memory.
 * The driver is loaded if it is not yet. */
int interlock_driver_entry_point(const char *symbol, unsigned version, void **function);

/* out[i] = a[i]·b[i] in Fr for i < n: Montgomery form, canonical, 32 bytes and aligned to 16. `out` may be `a` or `b`. */
int interlock_fr_mul(void *out, const void *a, const void *b, size_t n, struct CUstream_st *stream);

/* The quotient polynomial h of a circuit over a domain of m = 2^log2 points, log2 <= 32:
 * h = coset_iNTT((coset_NTT(iNTT a) . coset_NTT(iNTT b)) / z) - iNTT(c) / z, with the coset of 7 and z = 7^m - 1.
 * Vectors are m elements of Fr: Montgomery form, canonical, 32 bytes and aligned to 16. Only h is not in Montgomery form.
 *
 * What depends on log2 only is kept in a domain of this many bytes, aligned to 16: 24 MiB for 2^27. 0 if there is no such domain. */
size_t interlock_quotient_domain_bytes(unsigned log2);

/* Fills a domain. */
int interlock_quotient_domain(void *domain, unsigned log2, struct CUstream_st *stream);

/* The product over the coset, on its way back: what interlock_quotient_finish wants in a. b is destroyed, and its memory may serve
 * for c. */
int interlock_quotient_product(void *a, void *b, const void *domain, unsigned log2, struct CUstream_st *stream);

/* The m coefficients of h, in a, as integers below r: that of x^i is at the position whose log2 bits are those of i reversed. c is
 * destroyed. */
int interlock_quotient_finish(void *a, void *c, const void *domain, unsigned log2, struct CUstream_st *stream);

/* out[i] = the scalar whose number is first + i with its `bits` lowest bits reversed, for i < n: bits <= 32, first + n <= 2^bits. */
int interlock_gather(void *out, const void *scalars, unsigned bits, size_t first, size_t n, struct CUstream_st *stream);

/* Multi-scalar multiplication, the sum of scalar·point over terms, in G1 and G2.
 *
 * Points are affine: 96 bytes, or 192 in G2, as in the C ABI, aligned to 16; all zeros are infinity. Scalars are in Fr, 32 bytes aligned
 * to 16, in Montgomery form or as integers below r. Sums are (X, Y, ZZ, ZZZ) for the point (X/ZZ, Y/ZZZ), 192 or 384 bytes, infinity where ZZ is 0. */

/* The n terms: term i multiplies points[positions ? positions[i] : i] by the scalar number (indices ? indices[i] : i), or, if
 * reversed_bits is not 0, by that whose number is first + i with this many of its lowest bits reversed (then this is at most 32, indices
 * is null, and first + n at most 2^reversed_bits; otherwise first is 0). Positions are below 2^31. If count is not null, only the first
 * *count terms count. If integers is not 0, scalars are integers, else in Montgomery form. */
struct interlock_msm_terms {
    const void *points;
    const void *scalars;
    const uint32_t *positions;
    const uint32_t *indices;
    const uint32_t *count;
    size_t n;
    size_t first;
    unsigned reversed_bits;
    unsigned integers;
};

/* How the work is cut: windows of window_bits bits of a scalar, `group` of them at a time, and segments of `segment`
 * buckets, from 1 to 2^(window_bits − 1), the last of a window shorter if need be. A caller who has less scratch may lower `group`, which costs speed.
 *
 * There are `sets` sets of buckets: as many as windows, or in G1 fewer, and then window w has those of set w mod sets, and adds to them points
 * times 2^(window_bits·sets·t), t = w/sets rounded down, which stand t·stride places after the points themselves. Otherwise stride is 0. */
struct interlock_msm_shape {
    unsigned window_bits;
    unsigned windows;
    unsigned group;
    unsigned segment;
    unsigned sets;
    size_t stride;
};

/* The shape that suits n terms. */
struct interlock_msm_shape interlock_msm_g1_shape_for(size_t n);
struct interlock_msm_shape interlock_msm_g2_shape_for(size_t n);

/* to[i] = from[i] times 2^doublings for i < n, affine points of G1. Scratch is for 240 bytes a point that is worked on at a time, aligned to 256. */
int interlock_multiples_g1(void *scratch, size_t bytes, void *to, const void *from, size_t n, unsigned doublings, struct CUstream_st *stream);

/* Bytes of scratch, aligned to 256, for n terms in this shape, in *bytes, which is host memory. */
int interlock_msm_g1_scratch_bytes(size_t n, struct interlock_msm_shape shape, size_t *bytes);
int interlock_msm_g2_scratch_bytes(size_t n, struct interlock_msm_shape shape, size_t *bytes);

/* Enqueues the MSM. It leaves 1 sum a set of buckets, here called a window, and one for each bit of the number of a window's last segment, counted from 0, for window
 * 0, 1, …, in `sums`. The result is the sum of all these with weights: 2^(w·window_bits) is that of the first of window w, and
 * segment·2^(w·window_bits + j) that of its number 1 + j. `terms` and `shape` are host memory, read before it returns. */
int interlock_msm_g1(void *scratch, void *sums, const struct interlock_msm_terms *terms, struct interlock_msm_shape shape,
                     struct CUstream_st *stream);
int interlock_msm_g2(void *scratch, void *sums, const struct interlock_msm_terms *terms, struct interlock_msm_shape shape,
                     struct CUstream_st *stream);

/* The same part by part, in G1: the buckets of all windows, windows·2^(window_bits − 1) sums that are zeros at first, take the terms of one
 * call after the other; reducing them then leaves the sums that an MSM of all these terms leaves.
 *
 * Enqueues the adding of terms to the buckets of up to shape.group windows from number `first` on. Scratch of *bytes bytes, which is host
 * memory, aligned to 256, for n terms and so many windows. */
int interlock_fill_g1_scratch_bytes(size_t n, unsigned windows, size_t *bytes);
int interlock_fill_g1(void *scratch, void *buckets, const struct interlock_msm_terms *terms, struct interlock_msm_shape shape,
                      unsigned first, struct CUstream_st *stream);

/* Enqueues the reduction. shape.group is of no consequence. */
size_t interlock_reduce_g1_scratch_bytes(struct interlock_msm_shape shape);
int interlock_reduce_g1(void *scratch, void *sums, const void *buckets, struct interlock_msm_shape shape, struct CUstream_st *stream);

/* Terms that have positions, indices and a count, and where they are copied to: points[i] and scalars[i], for i < terms.n, become
 * those of term i, or zeros from *terms.count on. Terms in order, then, whose MSM is the same. */
struct interlock_copied_terms {
    void *points;
    void *scalars;
    struct interlock_msm_terms terms;
};

#define INTERLOCK_COPIES 3

/* Copies the terms of n <= INTERLOCK_COPIES MSMs. `copies` is host memory, read before it returns. */
int interlock_copy_terms_g1(const struct interlock_copied_terms *copies, size_t n, struct CUstream_st *stream);
int interlock_copy_terms_g2(const struct interlock_copied_terms *copies, size_t n, struct CUstream_st *stream);

/* The n points at positions[i], or at i if positions is null; if count is not null, only the first *count. */
struct interlock_sum_terms {
    const void *points;
    const uint32_t *positions;
    const uint32_t *count;
    size_t n;
};

/* Sums of the points of up to INTERLOCK_SUM_QUERIES queries at once, part by part: each query has blocks·INTERLOCK_SUM_BLOCK accumulators,
 * one query's after the other's, as large as an MSM's sums, zeros at first. */
#define INTERLOCK_SUM_QUERIES 3
#define INTERLOCK_SUM_BLOCK 128

/* Enqueues the adding of points to accumulators. The array is host memory, read before it returns. */
int interlock_sum_g1(void *accumulators, unsigned blocks, const struct interlock_sum_terms *terms, unsigned queries,
                     struct CUstream_st *stream);
int interlock_sum_g2(void *accumulators, unsigned blocks, const struct interlock_sum_terms *terms, unsigned queries,
                     struct CUstream_st *stream);

/* Enqueues sums[q] = the sum of query q's accumulators. Scratch has queries·blocks sums and is aligned to 256. */
int interlock_total_g1(void *scratch, void *sums, const void *accumulators, unsigned blocks, unsigned queries,
                       struct CUstream_st *stream);
int interlock_total_g2(void *scratch, void *sums, const void *accumulators, unsigned blocks, unsigned queries,
                       struct CUstream_st *stream);

/* What may be wrong with a point of a parameter file. */
enum interlock_point_fault {
    INTERLOCK_POINT_COMPRESSED = 1,    /* the flag of compressed points is set */
    INTERLOCK_POINT_INFINITY = 2,      /* it is the point at infinity */
    INTERLOCK_POINT_INFINITY_FLAG = 3, /* the flag of infinity is set, and other bits are too */
    INTERLOCK_POINT_SIGN = 4,          /* the sign's flag is set */
    INTERLOCK_POINT_COORDINATE = 5,    /* a coordinate is not below the field's modulus */
    INTERLOCK_POINT_OFF_CURVE = 6      /* the coordinates do not satisfy the curve's equation */
};

/* Decodes n points of ZCash's uncompressed encoding, 96 or 192 bytes each and aligned to 4, to affine points, aligned to 16. If any
 * is at fault, *fault becomes the least of itself and of (first + its number)·256 + an interlock_point_fault for the first such point;
 * let it be all ones before. What a point at fault decodes to is not specified. That points are of order r is not checked. The
 * points may take the place of their encodings. */
int interlock_decode_g1(void *points, const void *bytes, size_t n, uint64_t first, uint64_t *fault, struct CUstream_st *stream);
int interlock_decode_g2(void *points, const void *bytes, size_t n, uint64_t first, uint64_t *fault, struct CUstream_st *stream);

/* The terms of a query with full-size scalars and with 1, as lists in device memory, with room for all. */
struct interlock_query_terms {
    uint32_t *ones;      /* positions in the query of points that are multiplied by 1 */
    uint32_t *positions; /* positions in the query of points that are multiplied by full-size scalars */
    uint32_t *indices;   /* the numbers of these scalars */
    uint32_t *counts;    /* three: points of the query, and the lengths of the lists of ones and of full-size terms */
};

/* Variables in order. Variable i has the class that bits 2(i mod 32) and 2(i mod 32) + 1 of classes[i/32] say: 0 for a scalar that is
 * 0, 1 for 1, 2 for a full-size one. Those in the query have bit i mod 64 of density[i/64] set; all are in it if density is null.
 * Full-size scalars are numbered in order, those of no point too: from chunk_starts[k] on for the variables from k·chunk on, or
 * from 0 throughout if chunk is 0. */
struct interlock_variables {
    const uint64_t *classes;
    const uint64_t *density;
    const uint32_t *chunk_starts;
    size_t chunk; /* a multiple of INTERLOCK_TERMS_TILE */
    size_t n;
};

#define INTERLOCK_TERMS_TILE 8192

/* A query: its terms, and its variables in runs, whose points follow those of the runs before. A run may be empty; all together have
 * less than 2^32 variables. */
#define INTERLOCK_QUERY_RUNS 2
struct interlock_query {
    struct interlock_query_terms terms;
    struct interlock_variables runs[INTERLOCK_QUERY_RUNS];
};

#define INTERLOCK_QUERIES 3

/* Bytes of scratch, aligned to 16, for a run of n variables. */
size_t interlock_terms_scratch_bytes(size_t n);

/* Lists the terms of n <= INTERLOCK_QUERIES queries, ascending. What was in the lists and in `counts` does not matter. The scratch is
 * that of all runs together. `queries` is host memory, read before it returns. */
int interlock_terms(void *scratch, const struct interlock_query *queries, size_t n, struct CUstream_st *stream);

/* Scalars of a piece, as vectors are sent to the device. */
#define INTERLOCK_EXPAND_PIECE 2048

/* Where a piece is: it is that of scalars INTERLOCK_EXPAND_PIECE·piece and on, and begins at byte 32·place. */
struct interlock_place {
    uint32_t piece, place;
};

/* Writes pieces of a vector of n scalars, `out`: those of `places`, which has `count` of them and is device memory. At its place in
 * `pieces` a piece has first INTERLOCK_EXPAND_PIECE classes as in interlock_variables, then the full-size scalars of these in order.
 * `out` and `pieces` are aligned to 16. */
int interlock_expand(void *out, size_t n, const void *pieces, const struct interlock_place *places, size_t count,
                     struct CUstream_st *stream);

/* Lets NVIDIA's profilers hear of ranges, and returns whether they can: 0 where this was compiled without NVTX's headers. Called once,
 * before the others. */
int interlock_profiler_start(void);

/* Begins a range of this thread, inside of those that it has begun before, and ends the last one. */
void interlock_profiler_push(const char *name);
void interlock_profiler_pop(void);

#ifdef __cplusplus
}
#endif

#endif
