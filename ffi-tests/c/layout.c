// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The ABI's layout, asserted where the caller's compiler sees it. C11 and C++11; compiling is the test.

#include <interlock.h>

#ifdef __cplusplus
#define ASSERT(condition) static_assert(condition, #condition)
#define ALIGN(type) alignof(type)
#else
#define ASSERT(condition) _Static_assert(condition, #condition)
#define ALIGN(type) _Alignof(type)
#endif

#define FIELD(type, field, at, bytes)                                                                                  \
    ASSERT(offsetof(type, field) == (at));                                                                             \
    ASSERT(sizeof(((type *)0)->field) == (bytes))

ASSERT(sizeof(void *) == 8);
ASSERT(sizeof(size_t) == 8);
ASSERT(sizeof(bool) == 1);

ASSERT(sizeof(interlock_fr) == 32);
ASSERT(ALIGN(interlock_fr) == 8);
FIELD(interlock_fr, limbs, 0, 32);

ASSERT(sizeof(interlock_g1) == 96);
ASSERT(ALIGN(interlock_g1) == 8);
FIELD(interlock_g1, x, 0, 48);
FIELD(interlock_g1, y, 48, 48);

ASSERT(sizeof(interlock_g2) == 192);
ASSERT(ALIGN(interlock_g2) == 8);
FIELD(interlock_g2, x, 0, 96);
FIELD(interlock_g2, x[1], 48, 48);
FIELD(interlock_g2, y, 96, 96);
FIELD(interlock_g2, y[1], 144, 48);

ASSERT(sizeof(interlock_proof) == 384);
ASSERT(ALIGN(interlock_proof) == 8);
FIELD(interlock_proof, a, 0, 96);
FIELD(interlock_proof, b, 96, 192);
FIELD(interlock_proof, c, 288, 96);

ASSERT(sizeof(interlock_srs) == 8);
ASSERT(ALIGN(interlock_srs) == 8);
FIELD(interlock_srs, ptr, 0, 8);

ASSERT(sizeof(interlock_error) == 16);
ASSERT(ALIGN(interlock_error) == 8);
FIELD(interlock_error, code, 0, 4);
FIELD(interlock_error, message, 8, 8);

ASSERT(sizeof(interlock_assignment) == 136);
ASSERT(ALIGN(interlock_assignment) == 8);
FIELD(interlock_assignment, a_aux_density, 0, 8);
FIELD(interlock_assignment, a_aux_bit_len, 8, 8);
FIELD(interlock_assignment, a_aux_popcount, 16, 8);
FIELD(interlock_assignment, b_inp_density, 24, 8);
FIELD(interlock_assignment, b_inp_bit_len, 32, 8);
FIELD(interlock_assignment, b_inp_popcount, 40, 8);
FIELD(interlock_assignment, b_aux_density, 48, 8);
FIELD(interlock_assignment, b_aux_bit_len, 56, 8);
FIELD(interlock_assignment, b_aux_popcount, 64, 8);
FIELD(interlock_assignment, a, 72, 8);
FIELD(interlock_assignment, b, 80, 8);
FIELD(interlock_assignment, c, 88, 8);
FIELD(interlock_assignment, abc_size, 96, 8);
FIELD(interlock_assignment, inp_assignment_data, 104, 8);
FIELD(interlock_assignment, inp_assignment_size, 112, 8);
FIELD(interlock_assignment, aux_assignment_data, 120, 8);
FIELD(interlock_assignment, aux_assignment_size, 128, 8);

ASSERT(sizeof(interlock_circuit_sizes) == 48);
ASSERT(ALIGN(interlock_circuit_sizes) == 8);
FIELD(interlock_circuit_sizes, domain_log2, 0, 8);
FIELD(interlock_circuit_sizes, inputs, 8, 8);
FIELD(interlock_circuit_sizes, aux, 16, 8);
FIELD(interlock_circuit_sizes, a, 24, 8);
FIELD(interlock_circuit_sizes, b, 32, 8);
FIELD(interlock_circuit_sizes, circuits, 40, 8);

ASSERT(sizeof(interlock_memory_plan) == 128);
ASSERT(ALIGN(interlock_memory_plan) == 8);
FIELD(interlock_memory_plan, parameters, 0, 4);
FIELD(interlock_memory_plan, vectors, 4, 4);
FIELD(interlock_memory_plan, parameter_bytes, 8, 8);
FIELD(interlock_memory_plan, scratch_bytes, 16, 8);
FIELD(interlock_memory_plan, slot_bytes, 24, 8);
FIELD(interlock_memory_plan, h_part_points, 32, 8);
FIELD(interlock_memory_plan, witness_part_bytes, 40, 8);
FIELD(interlock_memory_plan, witness_bytes, 48, 8);
FIELD(interlock_memory_plan, pass_bytes, 56, 8);
FIELD(interlock_memory_plan, witness_phase_bytes, 64, 8);
FIELD(interlock_memory_plan, h_phase_bytes, 72, 8);
FIELD(interlock_memory_plan, host_vector_bytes, 80, 8);
FIELD(interlock_memory_plan, copied_parameter_bytes, 88, 8);
FIELD(interlock_memory_plan, copied_scalar_bytes, 96, 8);
FIELD(interlock_memory_plan, mapped_bytes, 104, 8);
FIELD(interlock_memory_plan, seconds, 112, 8);
FIELD(interlock_memory_plan, host_parameter_bytes, 120, 8);

ASSERT(sizeof(interlock_gpu_locks_statistics) == 32);
ASSERT(ALIGN(interlock_gpu_locks_statistics) == 8);
FIELD(interlock_gpu_locks_statistics, calls, 0, 8);
FIELD(interlock_gpu_locks_statistics, waits, 8, 8);
FIELD(interlock_gpu_locks_statistics, waited_ns, 16, 8);
FIELD(interlock_gpu_locks_statistics, bytes, 24, 8);

ASSERT(INTERLOCK_BACKEND_AUTO == 0);
ASSERT(INTERLOCK_BACKEND_CPU == 1);
ASSERT(INTERLOCK_BACKEND_GPU == 2);
ASSERT(INTERLOCK_LOG_LEVEL_OFF == 0);
ASSERT(INTERLOCK_LOG_LEVEL_ERROR == 1);
ASSERT(INTERLOCK_LOG_LEVEL_WARN == 2);
ASSERT(INTERLOCK_LOG_LEVEL_INFO == 3);
ASSERT(INTERLOCK_LOG_LEVEL_DEBUG == 4);
ASSERT(INTERLOCK_LOG_LEVEL_TRACE == 5);
ASSERT(INTERLOCK_RESIDENCE_RESIDENT == 0);
ASSERT(INTERLOCK_RESIDENCE_STREAMED == 1);
ASSERT(INTERLOCK_VECTORS_NONE == 0);
ASSERT(INTERLOCK_VECTORS_ONE == 1);
ASSERT(INTERLOCK_VECTORS_TWO == 2);
ASSERT(INTERLOCK_VECTORS_THREE == 3);
