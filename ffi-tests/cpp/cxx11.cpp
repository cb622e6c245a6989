// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The same ABI from C++11: every function called once, the callback a lambda, for the vector in each folder given.

#include "../c/check.h"
#include "../c/outcome.h"
#include "../c/vector.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

std::atomic<unsigned> messages(0);

void logging(const vector &v)
{
    interlock_set_log_callback(
        [](int level, const char *, void *user) {
            if (level == INTERLOCK_LOG_LEVEL_WARN)
                static_cast<std::atomic<unsigned> *>(user)->fetch_add(1);
        },
        &messages);
    succeeded(interlock_set_log_level(INTERLOCK_LOG_LEVEL_ERROR), v.params);
    destroy_gpu_mutex(&messages);
    check(messages == 0, "a message less grave than the level");
    succeeded(interlock_set_log_level(INTERLOCK_LOG_LEVEL_WARN), v.params);
    destroy_gpu_mutex(&messages);
    check(messages == 1, "%u messages of 1", messages.load());
    interlock_set_log_callback(nullptr, nullptr);
}

void control(const vector &v)
{
    std::size_t devices = 0;
    interlock_error none = interlock_device_count(&devices);
    check((none.code == 0) == (devices > 0), "%zu devices, code %d", devices, none.code);
    std::free(none.message);
    char *text = nullptr;
    interlock_error device = interlock_device_text(0, &text);
    check((device.code == 0) == (text != nullptr) && (devices > 0) == (text != nullptr), "device 0 of %zu", devices);
    std::free(device.message);
    std::free(text);
    int major, minor, patch;
    check(std::sscanf(interlock_version(), "%d.%d.%d", &major, &minor, &patch) == 3, "version %s", interlock_version());
    succeeded(interlock_set_backend(INTERLOCK_BACKEND_CPU), v.params);
    check(std::strcmp(interlock_current_backend(), "cpu") == 0, "backend %s", interlock_current_backend());
    succeeded(interlock_backend_status(INTERLOCK_BACKEND_CPU), v.params);
}

void prove(const vector &v)
{
    std::unique_ptr<interlock_proof[]> proofs(new interlock_proof[v.circuits]);
    std::unique_ptr<void, void (*)(void *)> locks(create_gpu_mutex(), destroy_gpu_mutex);
    interlock_srs first, srs;
    void *pending = nullptr;
    succeeded(create_SRS(&first, v.params, true), v.params);
    srs = clone_SRS(&first);
    evict_SRS(&first);
    drop_SRS(&first);
    succeeded(generate_groth16_proofs_c(v.assignments, v.circuits, v.r, v.s, proofs.get(), &srs, locks.get()), v.params);
    check(vector_matches(&v, proofs.get()), "%s: wrong proof", v.params);
    succeeded(
        generate_groth16_proofs_start_c(v.assignments, v.circuits, v.r, v.s, &srs, locks.get(), &pending), v.params);
    drop_SRS(&srs);
    succeeded(finalize_groth16_proof_c(pending, proofs.get()), v.params);
    check(vector_matches(&v, proofs.get()), "%s: wrong proof in two calls", v.params);
    destroy_pending_proof(pending);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s FOLDER...\n", argv[0]);
        return 2;
    }
    checks_begin(argv[0]);
    for (int i = 1; i < argc; i++) {
        vector v = vector_load(argv[i]);
        logging(v);
        messages = 0;
        control(v);
        prove(v);
        vector_free(&v);
    }
    return checks_end();
}
