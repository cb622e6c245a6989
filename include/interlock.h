// SPDX-License-Identifier: MIT OR Apache-2.0
//
// interlock: a Groth16 prover for Filecoin's proofs over BLS12-381, with the C ABI of supraseal-c2.
//
// In short:
//
//     interlock_srs srs;
//     interlock_error e = create_SRS(&srs, "circuit.params", true);
//     if (e.code == 0)
//         e = generate_groth16_proofs_c(&assignment, 1, &r, &s, &proof, &srs, NULL);
//     if (e.code != 0) {
//         fprintf(stderr, "%d: %s\n", e.code, e.message ? e.message : "out of memory");
//         free(e.message);
//     }
//     drop_SRS(&srs);
//
// r and s blind the proof: draw each anew for every proof, uniformly, from a secure source, and keep them secret. An
// assignment is what bellperson's prover has after synthesis; abc_size counts, after the circuit's own constraints, one
// for each public input. A proof here is three affine points; verifiers take 192 bytes, which blst makes of them:
// blst_p1_affine_compress of a (48), blst_p2_affine_compress of b (96), blst_p1_affine_compress of c (48).
//
// Conventions
//   - Any thread with 64 KiB of stack may call any function, several at once. Nothing exits, unwinds out of a call, or
//     writes to standard output, and nothing aborts but for want of the little memory that any program needs: a lack of
//     much is an error. Warnings go to standard error unless a callback takes them.
//   - Handles (gpu_locks, pending proofs, an SRS's ptr) are numbers that are looked up, never addresses that are
//     followed: a stale or garbage one is an error. They are not reused.
//   - A child that is forked once parameters have been loaded or proofs made has none of the library's threads: there
//     every call that returns an error returns EINVAL, and nothing is logged. Fork before that, while no other thread
//     is in a call, or exec.
//   - A function that fails says why: an errno (> 0) or a negated cudaError (< 0) as code, and a text that names the
//     argument, what it was and what it had to be. The text is the caller's, to be freed with free().
//   - Sizes count elements, never bytes, unless they say so. All numbers in memory are little-endian.
//
// Linking: `pkg-config --cflags --libs interlock`. For libinterlock.a add --static and, where the shared library is
// installed too, write -l:libinterlock.a in place of -linterlock.
//
// This header compiles as C99 and later, and as C++11 and later. It is generated: edit the Rust sources instead.


#ifndef INTERLOCK_H
#define INTERLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// An element of the scalar field Fr: 4 limbs, least significant first, Montgomery form with R = 2^256, below the
// group order r. The layout of blst_fr. 32 bytes.
typedef struct interlock_fr {
    uint64_t limbs[4];
} interlock_fr;

// A point of G1 in affine coordinates: x, y, 6 limbs each, least significant first, Montgomery form with R = 2^384.
// The point at infinity is all zeros. The layout of blst_p1_affine. 96 bytes.
typedef struct interlock_g1 {
    uint64_t x[6], y[6];
} interlock_g1;

// A point of G2 in affine coordinates over Fp2: x = x[0] + x[1]·u, y likewise; as interlock_g1 otherwise. The layout of
// blst_p2_affine. 192 bytes.
typedef struct interlock_g2 {
    uint64_t x[2][6], y[2][6];
} interlock_g2;


// Where parameters are while a device proves.
typedef enum interlock_residence {
  // In device memory, from when they are loaded on.
  INTERLOCK_RESIDENCE_RESIDENT = 0,
  // In page-locked host memory, copied part by part during every proof.
  INTERLOCK_RESIDENCE_STREAMED = 1,
} interlock_residence;

// How many of a circuit's vectors a, b and c are in device memory while the quotient is made.
typedef enum interlock_vectors {
  // None: a and b, and c in b's place, are in page-locked host memory.
  INTERLOCK_VECTORS_NONE = 0,
  // a, with b and then c in host memory.
  INTERLOCK_VECTORS_ONE = 1,
  // a and b, and c in b's place.
  INTERLOCK_VECTORS_TWO = 2,
  // All.
  INTERLOCK_VECTORS_THREE = 3,
} interlock_vectors;

// Which backend proves.
typedef enum interlock_backend {
  // A GPU where one can prove, else the CPU.
  INTERLOCK_BACKEND_AUTO = 0,
  // The CPU.
  INTERLOCK_BACKEND_CPU = 1,
  // A GPU, and an error where none can prove.
  INTERLOCK_BACKEND_GPU = 2,
} interlock_backend;

// How grave a message is.
typedef enum interlock_log_level {
  // Nothing is logged.
  INTERLOCK_LOG_LEVEL_OFF = 0,
  // Something failed that the caller does not learn of otherwise.
  INTERLOCK_LOG_LEVEL_ERROR = 1,
  // Something works, but not as its user would want it to.
  INTERLOCK_LOG_LEVEL_WARN = 2,
  // What a proof did and how long its phases took.
  INTERLOCK_LOG_LEVEL_INFO = 3,
  // Decisions on the way.
  INTERLOCK_LOG_LEVEL_DEBUG = 4,
  // Everything.
  INTERLOCK_LOG_LEVEL_TRACE = 5,
} interlock_log_level;

// How a call went, returned by value.
//
// `code` is 0 on success, an errno value (> 0) or a negated cudaError (< 0). `message` is NULL or a NUL-terminated
// text that says what was expected, what was found and what to do; it belongs to the caller, who frees it with
// `free()`.
typedef struct interlock_error {
  // 0, an errno, or a negated cudaError.
  int code;
  // NULL, or a text to be freed with `free()`.
  char *message;
} interlock_error;

// A reference to loaded parameters. `ptr` is a handle, not an address; NULL is an empty SRS.
//
// Each SRS that create_SRS() or clone_SRS() returned is dropped once, with drop_SRS(). A bitwise copy is the same
// reference.
typedef struct interlock_srs {
  // The handle, or NULL.
  void *ptr;
} interlock_srs;

// The sizes of circuits that are proved by one call: those of their parameters.
typedef struct interlock_circuit_sizes {
  // log2 of the domain's size m, which is one more than the points of the `h` query; at most 32.
  size_t domain_log2;
  // Public inputs, the constant one included; less than 2^32.
  size_t inputs;
  // Private variables: points of the `l` query; less than 2^32.
  size_t aux;
  // Points of the `a` query: of an assignment, `inp_assignment_size` + `a_aux_popcount`.
  size_t a;
  // Points of the `b` query in each of G1 and G2: of an assignment, `b_inp_popcount` + `b_aux_popcount`.
  size_t b;
  // How many circuits the call proves, 1 to 1048576.
  size_t circuits;
} interlock_circuit_sizes;

// One circuit's input: 17 eight-byte fields, 136 bytes.
//
// Densities are bit vectors in 64-bit words, bit 0 of word 0 first; bits past the length are ignored.
typedef struct interlock_assignment {
  // Which private variables have a point in the `a` query: `a_aux_bit_len` bits.
  const uint64_t *a_aux_density;
  // Number of bits; must be `aux_assignment_size`.
  size_t a_aux_bit_len;
  // Number of bits that are set; with the inputs, the length of the `a` query.
  size_t a_aux_popcount;
  // Which inputs have a point in the `b_g1` and `b_g2` queries: `b_inp_bit_len` bits.
  const uint64_t *b_inp_density;
  // Number of bits; must be `inp_assignment_size`.
  size_t b_inp_bit_len;
  // Number of bits that are set.
  size_t b_inp_popcount;
  // Which private variables have a point in the `b_g1` and `b_g2` queries: `b_aux_bit_len` bits.
  const uint64_t *b_aux_density;
  // Number of bits; must be `aux_assignment_size`.
  size_t b_aux_bit_len;
  // Number of bits that are set; with `b_inp_popcount`, the length of the `b_g1` and `b_g2` queries.
  size_t b_aux_popcount;
  // A's evaluations: `abc_size` scalars.
  const interlock_fr *a;
  // B's evaluations: `abc_size` scalars.
  const interlock_fr *b;
  // C's evaluations: `abc_size` scalars.
  const interlock_fr *c;
  // Number of constraints, at most the size of the SRS's domain.
  size_t abc_size;
  // Public inputs, the constant one first: `inp_assignment_size` scalars.
  const interlock_fr *inp_assignment_data;
  // Number of public inputs: the length of the SRS's `ic` query.
  size_t inp_assignment_size;
  // Private variables: `aux_assignment_size` scalars.
  const interlock_fr *aux_assignment_data;
  // Number of private variables: the length of the SRS's `l` query.
  size_t aux_assignment_size;
} interlock_assignment;

// A Groth16 proof: A (G1), B (G2), C (G1), 384 bytes.
typedef struct interlock_proof {
  // A = α + r·δ + Σ a.
  interlock_g1 a;
  // B = β + s·δ + Σ b, in G2.
  interlock_g2 b;
  // C = s·A + r·B1 − rs·δ + H + L.
  interlock_g1 c;
} interlock_proof;

// What the calls with a handle did since it was created.
typedef struct interlock_gpu_locks_statistics {
  // Calls whose work began, after their checks. A call with several circuits is one.
  uint64_t calls;
  // How often one of them waited, for others of the handle or for device memory.
  uint64_t waits;
  // How long they waited in all, in nanoseconds.
  uint64_t waited_ns;
  // Bytes of device memory that they were given in all; 0 on the CPU.
  uint64_t bytes;
} interlock_gpu_locks_statistics;

// A callback for log messages. `level` is an interlock_log_level, `message` is NUL-terminated and valid during the
// call only, `user` is what was registered with it. It may run on any thread, several at once, and must not unwind.
// It may call the library, whose messages then reach it again, inside that call: one that proves needs a guard of its
// own against that, or the stack ends.
typedef void (*interlock_log_callback)(int level, const char *message, void *user);

// How a proof is made within a budget. Sizes are in bytes unless they say otherwise; what depends on the values of
// scalars is an upper bound, for scalars none of which is 0 or 1.
typedef struct interlock_memory_plan {
  // Where the parameters are.
  enum interlock_residence parameters;
  // Which vectors are in device memory.
  enum interlock_vectors vectors;
  // What resident parameters hold, with multiples of points if INTERLOCK_H_MULTIPLES asks for them; 0 if they are streamed.
  size_t parameter_bytes;
  // What scratch holds: once a device, for all calls there. It is a share of the budget, up to
  // what large circuits are fastest with, and not what these circuits need.
  size_t scratch_bytes;
  // What a slot for parameters holds, of which there are five, or three where the budget is small; 0 if parameters are
  // resident.
  size_t slot_bytes;
  // Points of the `h` query that are worked on at a time.
  size_t h_part_points;
  // What a part of a circuit's witness takes at most.
  size_t witness_part_bytes;
  // What is held of a circuit's witness at a time: two parts at least, so that one is sent while another is worked on.
  // With streamed parameters the rest is for results and for what is kept from part to part: terms, sums, and the
  // buckets of the MSM over h.
  size_t witness_bytes;
  // What a device keeps for the passing of streamed parameters, whoever proves: slots, and what is held of a witness; 0
  // if parameters are resident.
  size_t pass_bytes;
  // All that is held during the MSMs over a circuit's witness: parameters, scratch, what serves the passing, and the
  // phase's own.
  size_t witness_phase_bytes;
  // All that is held while a circuit's quotient is made and during the MSM over it. With streamed parameters there is
  // one phase, so that both numbers are the same.
  size_t h_phase_bytes;
  // Page-locked host memory for vectors.
  size_t host_vector_bytes;
  // Bytes of parameters copied to the device during the call, at most: circuits that find room together share a copy.
  size_t copied_parameter_bytes;
  // Bytes of scalars copied to the device during the call.
  size_t copied_scalar_bytes;
  // Bytes that kernels read from and write to vectors in host memory during the call.
  size_t mapped_bytes;
  // How long the call takes on an H200 with its bus, by a rough model that variants are compared by. For circuits of
  // PoRep's mix over 2^24 and 2^27 points it is within 10 % of what was measured with 32 bytes a point of the domain or more;
  // with a quarter of that they take twice as long. With 12 % of full-size private variables they take a quarter longer.
  double seconds;
  // Page-locked host memory for parameters that are streamed, once a device and not once a call; 0 if they are
  // resident.
  size_t host_parameter_bytes;
} interlock_memory_plan;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Loads the parameter file at `path` into `*ret`, and returns when every point of it has been read and checked, by the
// backend that would prove now: the points are then in memory, or on a GPU. Another takes them from the file on first
// use.
//
// `path`: NUL-terminated, in the file system's encoding. A file that is in memory already, under this path or another,
// is shared and not read again. `cache`: keep it in memory also when the last SRS is dropped, until evict_SRS(); the
// four (INTERLOCK_SRS_CACHE) used last are kept. On error `*ret` is an empty SRS.
//
// Errors: EINVAL for a null pointer, and for an INTERLOCK_BACKEND, INTERLOCK_VRAM_BUDGET, INTERLOCK_H_MULTIPLES or
// INTERLOCK_CHECK_SUBGROUP that is not what it may be; the errno of a file operation, such as ENOENT or EACCES; EISDIR,
// ENOTSUP (not a regular file), ENODATA (empty), EOVERFLOW (truncated), EFBIG (trailing bytes), EBADMSG (counts that
// make no sense), EILSEQ (a coordinate or flag that is not canonical), EDOM (a point off the curve), ERANGE (a point at
// infinity), EPROTO (a point outside the subgroup, if INTERLOCK_CHECK_SUBGROUP=1), ESTALE (changed while it was read);
// ENOMEM; with a GPU, ENODEV (one was asked for and none can prove) and negated cudaErrors.
struct interlock_error create_SRS(struct interlock_srs *ret,
                                  const char *path,
                                  bool cache);

// Drops the cache's own reference to these parameters; they go when the last SRS and the last proof that use them do.
// NULL and an empty SRS are left alone.
void evict_SRS(const struct interlock_srs *srs);

// Ends one reference and makes `*srs` empty. Proofs that use the parameters go on. NULL and an empty SRS are left
// alone.
void drop_SRS(struct interlock_srs *srs);

// Returns another reference to the same parameters, to be dropped by itself; an empty SRS for NULL, an empty one, and
// one that was dropped.
struct interlock_srs clone_SRS(const struct interlock_srs *srs);

// Stores the sizes of the circuit that these parameters are for in `*out`, with `circuits` 1: what interlock_plan()
// takes.
//
// Errors: EINVAL for a null or misaligned pointer, an empty SRS and one that was dropped; then `*out` is left alone.
struct interlock_error interlock_srs_sizes(const struct interlock_srs *srs,
                                           struct interlock_circuit_sizes *out);

// Proves `num_circuits` circuits, 1,048,576 at most, with one SRS and writes one proof for each.
//
// `provers`, `r_s`, `s_s`: `num_circuits` elements each; r and s are the blinding scalars. `proofs`: room for
// `num_circuits` proofs, which may be uninitialised; all are written on success and none otherwise. `gpu_locks`: NULL,
// or what create_gpu_locks() returned. Everything still belongs to the caller, and nothing of it is needed after the
// call.
//
// The proofs are a pure function of the inputs: byte for byte those of bellperson's own prover. With `num_circuits` 0
// the call succeeds and looks at nothing. Any number of threads may call at once.
//
// Errors: EINVAL for too many circuits, a null or misaligned pointer, an empty SRS, a size that disagrees with the SRS,
// a popcount that disagrees with its bits, a scalar that is not below the group order, a `gpu_locks` value that is
// none; ENOMEM; ENODEV if a GPU was asked for and none can prove; a negated cudaError; -2, CUDA's number for a lack of
// memory, also if a budget (INTERLOCK_VRAM_BUDGET, interlock_gpu_locks_set_budget()) is too small and the CPU may not
// prove instead; ESTALE if the parameter file was written to before what proves had taken the points from it;
// ENOTRECOVERABLE for a fault of the library's own.
struct interlock_error generate_groth16_proofs_c(const struct interlock_assignment *provers,
                                                 size_t num_circuits,
                                                 const interlock_fr *r_s,
                                                 const interlock_fr *s_s,
                                                 struct interlock_proof *proofs,
                                                 const struct interlock_srs *srs,
                                                 void *gpu_locks);

// Begins the proofs of `num_circuits` circuits and stores a handle to the rest of the work in `*pending_out`.
//
// Arguments are those of generate_groth16_proofs_c(). When the call returns, the caller may free or overwrite a, b, c,
// `r_s`, `s_s` and the array `provers`. The densities and the inp and aux assignments must stay, unchanged, until
// finalize_groth16_proof_c() or destroy_pending_proof(). The handle may be used from any thread, and need not be the
// only one: begin the next batch while this one is pending. On error `*pending_out` is NULL.
//
// Errors: those of generate_groth16_proofs_c(), and EINVAL if `pending_out` is NULL.
struct interlock_error generate_groth16_proofs_start_c(const struct interlock_assignment *provers,
                                                       size_t num_circuits,
                                                       const interlock_fr *r_s,
                                                       const interlock_fr *s_s,
                                                       const struct interlock_srs *srs,
                                                       void *gpu_locks,
                                                       void **pending_out);

// Finishes what generate_groth16_proofs_start_c() began and writes its proofs.
//
// `proofs`: room for as many proofs as the batch has circuits; all are written on success and none otherwise. The
// handle is used up either way, unless `proofs` itself is NULL or misaligned; a second call with it is an error, and
// destroy_pending_proof() on it does nothing.
//
// Errors: EINVAL for a handle that is none, or was finalized or destroyed before; otherwise those of
// generate_groth16_proofs_c().
struct interlock_error finalize_groth16_proof_c(void *pending,
                                                struct interlock_proof *proofs);

// Gives up what generate_groth16_proofs_start_c() began. NULL and handles that were finalized or destroyed before are
// left alone, so an error path may call this without knowing how far it came.
void destroy_pending_proof(void *pending);

// Gives out a `gpu_locks` handle, for proofs that are to share a place in a GPU's queues. Never NULL, but in a forked
// child that cannot prove.
//
// Handles are numbers, not addresses. One handle serves any number of threads and proofs; passing NULL to the proof
// functions uses one of the library's own. End it with destroy_gpu_locks() or destroy_gpu_mutex().
void *create_gpu_locks(void);

// Ends a handle that create_gpu_locks() or create_gpu_mutex() gave out. Proofs that are using it go on. NULL is left
// alone; any other value is logged as a warning and does nothing.
void destroy_gpu_locks(void *gpu_locks);

// The same as create_gpu_locks(), under the name that callers of `supraseal-c2` know.
void *create_gpu_mutex(void);

// The same as destroy_gpu_locks(), under the name that callers of `supraseal-c2` know.
void destroy_gpu_mutex(void *gpu_locks);

// Sets the device of proofs with this handle whose `gpu_index` is -1 or whose function has none: a device in CUDA's
// order, or -1 to let the library choose for each the one that will be free first, which is so at first. NULL sets it
// for calls without a handle.
//
// Errors: EINVAL for a handle that is none or was destroyed, and for a number that names no device; ENODEV where there
// are none, with the reason.
struct interlock_error interlock_gpu_locks_set_device(void *gpu_locks,
                                                      int device);

// Sets how many calls with this handle do their work at once, 0 for as many as are made, which is so at first; the
// others wait, first come, first served. A call's work is done, for this, when all of it has been given to the device.
// A proof that a log callback makes on the thread of a call that does its work begins at once. NULL sets it for calls
// without a handle.
//
// Errors: EINVAL for a handle that is none or was destroyed.
struct interlock_error interlock_gpu_locks_set_workers(void *gpu_locks,
                                                       size_t workers);

// Sets the most bytes of device memory that a call with this handle plans with; 0 for what the device has to give (see
// INTERLOCK_VRAM_BUDGET), which is so at first. NULL sets it for calls without a handle.
//
// It does not count what serves all calls on a device: scratch, parameters that stay in device memory, and the memory
// through which streamed ones pass. The budget of interlock_plan(), like INTERLOCK_VRAM_BUDGET, counts all of these. A
// call whose budget is too small fails with -2, or proves on the CPU where it may.
//
// Errors: EINVAL for a handle that is none or was destroyed.
struct interlock_error interlock_gpu_locks_set_budget(void *gpu_locks,
                                                      size_t bytes);

// Stores what the calls with a handle did in `*statistics`; NULL for those without a handle. On error it is left alone.
//
// Errors: EINVAL if `statistics` is NULL, and for a handle that is none or was destroyed.
struct interlock_error interlock_gpu_locks_get_statistics(const void *gpu_locks,
                                                          struct interlock_gpu_locks_statistics *statistics);

// Gives memory back to the system that no parameters and no proof need now; what proofs need is taken again as they
// need it. It is device memory, and page-locked host memory: that of results, and that of vectors which a budget had no
// room for on the device, 4 GiB each at a domain of 2^27, and up to 256 MiB in which scalars were sorted. Parameters
// stay where they are as long as they are loaded, and what serves uploads to a device that was used stays, too. To give
// back page-locked memory waits for what devices are doing and holds up who else uses them, so call this when they are
// idle. Does nothing where there is no GPU.
//
// Errors: those of CUDA.
struct interlock_error interlock_release_gpu_memory(void);

// The library's version, such as "0.1.0". Static; do not free.
const char *interlock_version(void);

// The text of the last error of a call on this thread, "" if there was none. It belongs to the library and stays
// valid until the next error on this thread. Functions that return nothing leave their errors here too.
const char *interlock_last_error(void);

// Chooses which backend proves from now on, whatever INTERLOCK_BACKEND says: an interlock_backend value.
//
// Errors: EINVAL for a number that is none; ENODEV for INTERLOCK_BACKEND_GPU if no GPU can prove, with the reason, and
// then nothing is changed.
struct interlock_error interlock_set_backend(int backend);

// Whether a backend could prove now: an interlock_backend value. Success says yes. This ignores
// INTERLOCK_BACKEND; interlock_current_backend() does not.
//
// Errors: EINVAL for a number that is none; ENODEV with the reason and what to do.
struct interlock_error interlock_backend_status(int backend);

// The name of the backend that would prove now, "cpu" or "gpu", by interlock_set_backend() or else by
// INTERLOCK_BACKEND; NULL if none would (interlock_last_error() says why). Static; do not free.
const char *interlock_current_backend(void);

// Stores the number of CUDA devices in `*count`; 0 on error.
//
// Errors: EINVAL if `count` is NULL; ENODEV with the reason why there are none: a build without CUDA, no driver, a
// driver too old.
struct interlock_error interlock_device_count(size_t *count);

// Describes one CUDA device, for people: name, memory and compute capability in one line of text in `*text`, which
// the caller frees with `free()`. `index` is in CUDA's order. On error `*text` is NULL.
//
// Errors: EINVAL if `text` is NULL or there is no device of that index; ENODEV as interlock_device_count(); ENOMEM.
struct interlock_error interlock_device_text(size_t index,
                                             char **text);

// Sends log messages to `callback` from now on; NULL sends them to standard error again. Nothing is ever written to
// standard output. A message that is under way on another thread may still reach the previous callback.
void interlock_set_log_callback(interlock_log_callback callback,
                                void *user);

// Drops messages less grave than `level` from now on, whatever INTERLOCK_LOG says: an interlock_log_level.
//
// Errors: EINVAL for a number that is none.
struct interlock_error interlock_set_log_level(int level);

// Plans the proofs of one call within a budget of `budget` bytes of device memory, and writes to `*out` how they would
// be made, what they would hold at a time and send over the bus. It asks no GPU: the budget is what
// INTERLOCK_VRAM_BUDGET would say (but 0 is nothing at all here), and parameters and scratch count. (That of
// interlock_gpu_locks_set_budget() is for a call beside these, and beside what else serves all calls on a device.) With
// INTERLOCK_H_MULTIPLES=1, parameters include multiples of points. interlock_srs_sizes() gives the sizes of parameters.
//
// Errors: EINVAL for a null or misaligned pointer, for sizes that no parameters have, and for an INTERLOCK_H_MULTIPLES
// that is neither 0 nor 1; -2, CUDA's number for a lack of memory, if not even the smallest variant fits: the text says
// what budget would do. `*out` is written on success only.
struct interlock_error interlock_plan(const struct interlock_circuit_sizes *sizes,
                                      size_t budget,
                                      struct interlock_memory_plan *out);

// Forgets what was traced and traces the calls that begin from now on: their phases and waits on the host, uploads and
// kernels on GPUs, and the GPU memory that is held. The last 65,536 spans are kept, in 6 MiB that are taken now.
//
// INTERLOCK_TRACE=FILE in the environment starts it with the first call and keeps FILE up to date; each %p in it stands
// for the number of the process. FILE is written after a call, at most every second, within seconds of the last one,
// and when the program exits: but not at the exit of a Go program, and not when a signal or _exit() ends the process.
// There call interlock_trace_write() for what came last.
//
// Errors: ENOMEM; then nothing is changed.
struct interlock_error interlock_trace_start(void);

// Traces nothing more. What was traced stays, to be written, until interlock_trace_start() is called again.
void interlock_trace_stop(void);

// Writes what was traced to the file at `path`, in the place of what may be there: JSON in Chrome's trace event format,
// which https://ui.perfetto.dev and chrome://tracing show. Tracing goes on. What a GPU did is known once the call that
// asked for it has ended.
//
// `path`: NUL-terminated, in the file system's encoding. A symbolic link is followed; one that leads nowhere is an
// error. A file that is replaced leaves its permissions, a new one has those that umask gives.
//
// Errors: EINVAL if `path` is NULL; ENODATA if nothing was ever traced, which INTERLOCK_TRACE starts with the first
// call that loads parameters or proves; ENOMEM; the errno of a file operation, such as ENOENT or EACCES, which is also
// that of a link that neither this process's user nor root owns; ELOOP; EISDIR; ENOTSUP for what is no regular file,
// and for the name of an open one, such as /dev/stdout. Then the file is as it was.
struct interlock_error interlock_trace_write(const char *path);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* INTERLOCK_H */

// The types under the names that the ABI's other implementations use; define INTERLOCK_NO_SHORT_NAMES before the
// #include to leave these out.
#if !defined(INTERLOCK_NO_SHORT_NAMES) && !defined(INTERLOCK_SHORT_NAMES)
#define INTERLOCK_SHORT_NAMES
typedef interlock_fr Fr;
typedef interlock_assignment Assignment;
typedef interlock_proof Proof;
typedef interlock_srs SRS;
typedef interlock_error RustError;
#endif
