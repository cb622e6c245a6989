// SPDX-License-Identifier: MIT OR Apache-2.0
//
// Owners for the ABI's objects, as a C++17 program would write them: errors are exceptions, handles end with their scope.

#ifndef INTERLOCK_OWNED_HPP
#define INTERLOCK_OWNED_HPP

#include <interlock.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace owned {

class Error : public std::runtime_error {
public:
    Error(int code, const std::string &message) : std::runtime_error(message), code_(code) {}
    int code() const noexcept { return code_; }

private:
    int code_;
};

inline void check(interlock_error error)
{
    const std::unique_ptr<char, decltype(&std::free)> message(error.message, &std::free);
    if (error.code != 0)
        throw Error(error.code, message ? message.get() : "out of memory");
}

class Srs {
public:
    Srs(const std::string &path, bool cache) { check(create_SRS(&srs_, path.c_str(), cache)); }
    Srs(const Srs &other) : srs_(clone_SRS(&other.srs_)) {}
    Srs(Srs &&other) noexcept : srs_(std::exchange(other.srs_, interlock_srs{nullptr})) {}
    Srs &operator=(Srs other) noexcept
    {
        std::swap(srs_, other.srs_);
        return *this;
    }
    ~Srs() { drop_SRS(&srs_); }

    void evict() const { evict_SRS(&srs_); }
    const interlock_srs *get() const noexcept { return &srs_; }

private:
    interlock_srs srs_{nullptr};
};

class Locks {
public:
    Locks() : handle_(create_gpu_locks(), &destroy_gpu_locks) {}
    void *get() const noexcept { return handle_.get(); }

private:
    std::unique_ptr<void, decltype(&destroy_gpu_locks)> handle_;
};

// A batch that has been started. Leaving its scope gives it up.
class Pending {
public:
    Pending(const interlock_assignment *provers, std::size_t circuits, const interlock_fr *r, const interlock_fr *s,
            const Srs &srs, const Locks &locks)
        : handle_(nullptr, &destroy_pending_proof), circuits_(circuits)
    {
        void *handle = nullptr;
        check(generate_groth16_proofs_start_c(provers, circuits, r, s, srs.get(), locks.get(), &handle));
        handle_.reset(handle);
    }

    // Leaves the handle with its owner: ending it twice is allowed.
    std::vector<interlock_proof> finalize()
    {
        std::vector<interlock_proof> proofs(circuits_);
        check(finalize_groth16_proof_c(handle_.get(), proofs.data()));
        return proofs;
    }

private:
    std::unique_ptr<void, decltype(&destroy_pending_proof)> handle_;
    std::size_t circuits_;
};

inline std::vector<interlock_proof> prove(const interlock_assignment *provers, std::size_t circuits,
                                          const interlock_fr *r, const interlock_fr *s, const Srs &srs,
                                          const Locks &locks)
{
    std::vector<interlock_proof> proofs(circuits);
    check(generate_groth16_proofs_c(provers, circuits, r, s, proofs.data(), srs.get(), locks.get()));
    return proofs;
}

} // namespace owned

#endif
