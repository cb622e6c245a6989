// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Plans without a GPU: for budgets from nothing to everything, and for sizes and pointers that are none. Usage: plan

#include "check.h"
#include "outcome.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const size_t GIB = (size_t)1 << 30;
enum { NO_DEVICE_MEMORY = -2 };

// The circuit of the 32 GiB PoRep.
static interlock_circuit_sizes porep(void)
{
    interlock_circuit_sizes sizes = {27, 328, 130169893, 129779711, 33063153, 1};
    return sizes;
}

static size_t most(const interlock_memory_plan *plan)
{
    return plan->h_phase_bytes > plan->witness_phase_bytes ? plan->h_phase_bytes : plan->witness_phase_bytes;
}

static void budgets(void)
{
    static const struct {
        size_t gib;
        interlock_residence parameters;
        interlock_vectors vectors;
    } expected[] = {
        {4, INTERLOCK_RESIDENCE_STREAMED, INTERLOCK_VECTORS_NONE},
        {8, INTERLOCK_RESIDENCE_STREAMED, INTERLOCK_VECTORS_ONE},
        {15, INTERLOCK_RESIDENCE_STREAMED, INTERLOCK_VECTORS_TWO},
        {130, INTERLOCK_RESIDENCE_RESIDENT, INTERLOCK_VECTORS_THREE},
    };
    interlock_circuit_sizes sizes = porep();
    double before = 0;
    size_t i;
    for (i = 0; i < sizeof expected / sizeof *expected; i++) {
        interlock_memory_plan plan;
        if (!succeeded(interlock_plan(&sizes, expected[i].gib * GIB, &plan), "a plan"))
            continue;
        check(plan.parameters == expected[i].parameters && plan.vectors == expected[i].vectors,
              "%zu GiB: parameters %d, vectors %d", expected[i].gib, (int)plan.parameters, (int)plan.vectors);
        check(most(&plan) <= expected[i].gib * GIB, "%zu GiB: %zu bytes are held", expected[i].gib, most(&plan));
        check(plan.seconds > 0 && (i == 0 || plan.seconds <= before), "%zu GiB: slower", expected[i].gib);
        check((plan.copied_parameter_bytes == 0) == (plan.parameters == INTERLOCK_RESIDENCE_RESIDENT),
              "%zu GiB: %zu bytes of parameters are copied", expected[i].gib, plan.copied_parameter_bytes);
        check((plan.host_parameter_bytes == 0) == (plan.parameters == INTERLOCK_RESIDENCE_RESIDENT)
                  && plan.host_parameter_bytes >= plan.copied_parameter_bytes,
              "%zu GiB: %zu bytes of parameters in host memory", expected[i].gib, plan.host_parameter_bytes);
        check((plan.mapped_bytes == 0) == (plan.vectors >= INTERLOCK_VECTORS_TWO) && plan.copied_scalar_bytes > 16 * GIB / 2,
              "%zu GiB: %zu bytes are accessed over the bus", expected[i].gib, plan.mapped_bytes);
        before = plan.seconds;
    }
}

// The setting is read by every call.
static void multiples(void)
{
    interlock_circuit_sizes sizes = {24, 328, 16268000, 16219000, 4132000, 1};
    interlock_memory_plan without, with, small, small_with;
    bool all = succeeded(interlock_plan(&sizes, 64 * GIB, &without), "a plan") && succeeded(interlock_plan(&sizes, 4 * GIB, &small), "a plan");
    setenv("INTERLOCK_H_MULTIPLES", "1", 1);
    all = all && succeeded(interlock_plan(&sizes, 64 * GIB, &with), "multiples") && succeeded(interlock_plan(&sizes, 4 * GIB, &small_with), "no multiples");
    if (all) {
        size_t more = with.parameter_bytes - without.parameter_bytes;
        check(more / (96u << 24) == 11 && most(&with) == most(&without) + more && most(&with) <= 64 * GIB,
              "multiples of h hold %zu bytes more, %zu in all", more, most(&with));
        check(with.seconds < without.seconds, "multiples of h are no faster");
        check(memcmp(&small, &small_with, sizeof small) == 0, "streamed parameters with multiples");
    }
    setenv("INTERLOCK_H_MULTIPLES", "2", 1);
    refused(interlock_plan(&sizes, 64 * GIB, &with), "two", EINVAL, "INTERLOCK_H_MULTIPLES is \"2\", but must be 0 or 1");
    unsetenv("INTERLOCK_H_MULTIPLES");
}

static bool same(const interlock_memory_plan *plan, unsigned char byte)
{
    const unsigned char *bytes = (const unsigned char *)plan;
    size_t i;
    for (i = 0; i < sizeof *plan; i++)
        if (bytes[i] != byte)
            return false;
    return true;
}

static void impossible(void)
{
    interlock_circuit_sizes right = porep(), sizes;
    interlock_memory_plan plan;
    memset(&plan, 0xa5, sizeof plan);
    refused(interlock_plan(&right, 0, &plan), "no memory", NO_DEVICE_MEMORY, "budget is 0 bytes, but the smallest way");
    refused(interlock_plan(&right, 16 << 20, &plan), "too little", NO_DEVICE_MEMORY, "budget is 16777216 bytes");
    refused(interlock_plan(NULL, GIB, &plan), "no sizes", EINVAL, "sizes is a null pointer");
    refused(interlock_plan(&right, GIB, NULL), "no plan", EINVAL, "out is a null pointer");
    refused(interlock_plan((const interlock_circuit_sizes *)((uintptr_t)&right | 1), GIB, &plan), "misaligned sizes",
            EINVAL, "sizes is 0x");
    sizes = right, sizes.domain_log2 = 33;
    refused(interlock_plan(&sizes, GIB, &plan), "a domain", EINVAL, "domain_log2 is 33, but must be at most 32");
    sizes = right, sizes.domain_log2 = SIZE_MAX;
    refused(interlock_plan(&sizes, GIB, &plan), "a huge domain", EINVAL, "domain_log2 is 18446744073709551615");
    sizes = right, sizes.inputs = SIZE_MAX;
    refused(interlock_plan(&sizes, GIB, &plan), "inputs", EINVAL, "inputs is 18446744073709551615");
    sizes = right, sizes.aux = (size_t)1 << 32;
    refused(interlock_plan(&sizes, GIB, &plan), "aux", EINVAL, "aux is 4294967296");
    sizes = right, sizes.a = right.inputs + right.aux + 1;
    refused(interlock_plan(&sizes, GIB, &plan), "a", EINVAL, "a is 130170222");
    sizes = right, sizes.b = SIZE_MAX;
    refused(interlock_plan(&sizes, GIB, &plan), "b", EINVAL, "b is 18446744073709551615");
    sizes = right, sizes.circuits = SIZE_MAX;
    refused(interlock_plan(&sizes, GIB, &plan), "circuits", EINVAL,
            "circuits is 18446744073709551615, but must be at most 1048576");
    sizes = right, sizes.a = right.inputs - 1;
    refused(interlock_plan(&sizes, GIB, &plan), "too small an a", EINVAL, "a is 327, but must be at least 328");
    sizes = right, sizes.circuits = 0;
    refused(interlock_plan(&sizes, GIB, &plan), "no circuits", EINVAL, "circuits is 0, but must be at least 1");
    check(same(&plan, 0xa5), "a plan was written on error");
    succeeded(interlock_plan(&right, SIZE_MAX, &plan), "all the memory there can be");
}

// The budget that a refusal names does, and a byte less does not.
static void least(void)
{
    interlock_circuit_sizes sizes = porep();
    interlock_memory_plan plan;
    interlock_error error = interlock_plan(&sizes, 0, &plan);
    const char *takes = error.message != NULL ? strstr(error.message, "takes ") : NULL;
    size_t bytes = takes != NULL ? strtoull(takes + strlen("takes "), NULL, 10) : 0;
    free(error.message);
    if (check(bytes > 0, "no budget is named")) {
        succeeded(interlock_plan(&sizes, bytes, &plan), "the least budget");
        refused(interlock_plan(&sizes, bytes - 1, &plan), "a byte less", NO_DEVICE_MEMORY, "budget is");
    }
}

int main(void)
{
    checks_begin("plan");
    budgets();
    least();
    impossible();
    multiples();
    return checks_end();
}
