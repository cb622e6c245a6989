// SPDX-License-Identifier: MIT OR Apache-2.0
//
// The vectors in the folders given, proved through owners, with exceptions on the way. C++17.

#include "../c/check.h"
#include "../c/vector.h"
#include "interlock_owned.hpp"

#include <future>

namespace {

template <typename Failing> void throws(const char *what, int code, const char *fragment, Failing failing)
{
    try {
        failing();
        check(false, "%s: no exception", what);
    } catch (const owned::Error &error) {
        check(error.code() == code && std::string(error.what()).find(fragment) != std::string::npos, "%s: %d: %s", what,
              error.code(), error.what());
    }
}

void prove(const std::string &folder)
{
    vector v = vector_load(folder.c_str());
    owned::Srs srs(v.params, true);
    const owned::Srs shared = srs;
    const owned::Locks locks;
    check(vector_matches(&v, owned::prove(v.assignments, v.circuits, v.r, v.s, srs, locks).data()), "%s: wrong proof",
          folder.c_str());

    owned::Pending first(v.assignments, v.circuits, v.r, v.s, srs, locks);
    owned::Pending given_up(v.assignments, v.circuits, v.r, v.s, srs, locks);
    auto second = std::async(std::launch::async, [&v, moved = std::move(srs), &locks] {
        return owned::Pending(v.assignments, v.circuits, v.r, v.s, moved, locks).finalize();
    });
    check(vector_matches(&v, second.get().data()), "%s: wrong proof on another thread", folder.c_str());
    check(vector_matches(&v, first.finalize().data()), "%s: wrong proof in two calls", folder.c_str());
    throws("finalized twice", EINVAL, "finalized or destroyed already", [&first] { first.finalize(); });
    throws("moved from", EINVAL, "the SRS is empty",
           [&] { owned::prove(v.assignments, v.circuits, v.r, v.s, srs, locks); });
    srs = shared;
    check(vector_matches(&v, owned::prove(v.assignments, v.circuits, v.r, v.s, srs, locks).data()),
          "%s: wrong proof after errors", folder.c_str());
    shared.evict();
    vector_free(&v);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s FOLDER...\n", argv[0]);
        return 2;
    }
    checks_begin(argv[0]);
    throws("missing file", ENOENT, "parameter file", [] { owned::Srs("/nonexistent/params", false); });
    for (int i = 1; i < argc; i++) {
        try {
            prove(argv[i]);
        } catch (const std::exception &error) {
            check(false, "%s: %s", argv[i], error.what());
        }
    }
    return checks_end();
}
