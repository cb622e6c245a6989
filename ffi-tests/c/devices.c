// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Proofs on the device that a handle names, on each of several at once, and where the library chooses. The trace says where
// they were made. Usage: devices ROUNDS FOLDER...

#include "check.h"
#include "outcome.h"
#include "vector.h"

#include <errno.h>

enum { THREADS_A_DEVICE = 4, FIRST_DEVICE = 2 /* the trace's number of device 0 */ };

static size_t devices, folders, rounds;
static vector *vectors;
static interlock_srs *srss;
static char trace_file[] = "/tmp/interlock-devices-XXXXXX";

// Whether the trace has work of device `device`.
static bool has_work_of(size_t device)
{
    char what[64];
    size_t bytes;
    unsigned char *content;
    char *text;
    bool found = false;
    if (!succeeded(interlock_trace_write(trace_file), "interlock_trace_write"))
        return false;
    content = read_whole(trace_file, &bytes);
    text = (char *)allocate(bytes + 1);
    memcpy(text, content, bytes);
    text[bytes] = '\0';
    snprintf(what, sizeof what, "\"cat\":\"device\",\"pid\":%zu,", device + FIRST_DEVICE);
    found = strstr(text, what) != NULL;
    free(text);
    free(content);
    return found;
}

static void prove(const vector *v, const interlock_srs *srs, void *locks, const char *what)
{
    interlock_proof *proofs = vector_room(v);
    if (succeeded(generate_groth16_proofs_c(v->assignments, v->circuits, v->r, v->s, proofs, srs, locks), what))
        check(vector_matches(v, proofs), "%s: wrong proof %s", v->params, what);
    free(proofs);
}

static void *locks_of(size_t device)
{
    void *locks = create_gpu_locks();
    succeeded(interlock_gpu_locks_set_device(locks, (int)device), "a device of its own");
    return locks;
}

// All proofs with `locks` are made on `device` and nowhere else.
static void only_on(size_t device, void *locks, const char *what)
{
    size_t i;
    succeeded(interlock_trace_start(), "interlock_trace_start");
    for (i = 0; i < folders; i++)
        prove(&vectors[i], &srss[i], locks, what);
    interlock_trace_stop();
    for (i = 0; i < devices; i++)
        check(has_work_of(i) == (i == device), "%s on device %zu: device %zu has %s work", what, device, i,
              i == device ? "no" : "some");
}

static void each_alone(void)
{
    size_t device;
    for (device = 0; device < devices; device++) {
        void *locks = locks_of(device);
        only_on(device, locks, "with a handle");
        refused(interlock_gpu_locks_set_device(locks, (int)devices), "one device too many", EINVAL, "device is ");
        only_on(device, locks, "after a device that there is not");
        destroy_gpu_locks(locks);
        succeeded(interlock_gpu_locks_set_device(NULL, (int)device), "a device for calls without a handle");
        only_on(device, NULL, "without a handle");
    }
    succeeded(interlock_gpu_locks_set_device(NULL, -1), "none for calls without a handle");
}

// Begun on one device after the other, and finished the other way round.
static void halves(void)
{
    void **pending = (void **)allocate(devices * sizeof *pending);
    size_t device, which;
    for (which = 0; which < folders; which++) {
        const vector *v = &vectors[which];
        interlock_proof *proofs = vector_room(v);
        for (device = 0; device < devices; device++) {
            void *locks = locks_of(device);
            succeeded(generate_groth16_proofs_start_c(v->assignments, v->circuits, v->r, v->s, &srss[which], locks,
                                                      &pending[device]),
                      "begun");
            destroy_gpu_locks(locks);
        }
        while (device-- > 0) {
            memset(proofs, 0xa5, v->circuits * sizeof *proofs);
            if (succeeded(finalize_groth16_proof_c(pending[device], proofs), "finished"))
                check(vector_matches(v, proofs), "%s: wrong proof in halves on device %zu", v->params, device);
        }
        free(proofs);
    }
    free(pending);
}

// One of those that prove at once: with a handle for a device, or without a handle, with the shared parameters or its own.
static void *work(void *argument)
{
    size_t self = *(const size_t *)argument, round;
    void *locks = self % 3 == 2 ? NULL : locks_of(self % devices);
    for (round = 0; round < rounds; round++) {
        size_t which = (self / devices + round) % folders;
        interlock_srs own = {NULL};
        if ((self + round) % 4 == 0)
            succeeded(create_SRS(&own, vectors[which].params, false), vectors[which].params);
        else
            own = clone_SRS(&srss[which]);
        prove(&vectors[which], &own, locks, "at once");
        drop_SRS(&own);
    }
    if (locks != NULL) {
        interlock_gpu_locks_statistics statistics;
        if (succeeded(interlock_gpu_locks_get_statistics(locks, &statistics), "statistics"))
            check(statistics.calls == rounds && statistics.bytes > 0, "%zu calls, of which %llu were counted", rounds,
                  (unsigned long long)statistics.calls);
        destroy_gpu_locks(locks);
    }
    return NULL;
}

static void all_at_once(void)
{
    size_t count = devices * THREADS_A_DEVICE, started = 0, i;
    pthread_t *threads = (pthread_t *)allocate(count * sizeof *threads);
    size_t *numbers = (size_t *)allocate(count * sizeof *numbers);
    succeeded(interlock_trace_start(), "interlock_trace_start");
    for (i = 0; i < count; i++) {
        numbers[i] = i;
        if (!check(pthread_create(&threads[i], NULL, work, &numbers[i]) == 0, "pthread_create"))
            break;
        started++;
    }
    for (i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    interlock_trace_stop();
    for (i = 0; i < devices; i++)
        check(has_work_of(i), "device %zu had no work", i);
    free(numbers);
    free(threads);
}

int main(int argc, char **argv)
{
    size_t i;
    int file;
    if (argc < 3) {
        fprintf(stderr, "usage: %s ROUNDS FOLDER...\n", argv[0]);
        return 2;
    }
    free(interlock_device_count(&devices).message);
    if (devices == 0) {
        printf("devices: skipped, as there is no GPU\n");
        return 0;
    }
    if (devices == 1)
        printf("devices: there is one GPU; that others have no part in its work, and the reverse, is skipped\n");
    rounds = strtoul(argv[1], NULL, 10);
    folders = (size_t)argc - 2;
    vectors = (vector *)allocate(folders * sizeof *vectors);
    srss = (interlock_srs *)allocate(folders * sizeof *srss);
    file = mkstemp(trace_file);
    if (file < 0)
        vector_fail(trace_file, strerror(errno));
    close(file);

    checks_begin(argv[0]);
    for (i = 0; i < folders; i++) {
        vectors[i] = vector_load(argv[i + 2]);
        succeeded(create_SRS(&srss[i], vectors[i].params, true), vectors[i].params);
    }
    each_alone();
    halves();
    all_at_once();
    for (i = 0; i < folders; i++) {
        evict_SRS(&srss[i]);
        drop_SRS(&srss[i]);
        vector_free(&vectors[i]);
    }
    unlink(trace_file);
    free(srss);
    free(vectors);
    return checks_end();
}
