// The quotient polynomial h, by transforms.
#include <cuda_runtime.h>

#include "groth16/factors.cuh"
#include "groth16/quotient.cuh"
#include "launchers.h"
#include "shared_memory.cuh"
#include "ntt/pass.cuh"

namespace {

using namespace interlock;
using groth16::Factors;
using groth16::Quotient;
using ntt::Direction;
using ntt::Pass;
using ntt::Powers;

/// table[i] = scale · Π factors[j] over the bits j of i, for i < 2^bits.
template <class Entry>
struct Table {
    Entry *entries;
    int bits;
    const Fr *factors, *scale;
};

/// The memory of a domain: the factors, then the tables of powers made of them.
class Layout {
   public:
    Layout(const void *memory, int log2) : start(reinterpret_cast<uintptr_t>(memory)) {
        factors = reinterpret_cast<Factors *>(start);
        quotient.log2 = log2;
        quotient.of_c = &factors->of_c;
        // The passes before the blocks use those roots only that the low table has.
        const int roots = log2 > 0 ? log2 - 1 : 0, low_roots = roots > ntt::BLOCK_LOG2 ? roots - ntt::BLOCK_LOG2 : 0;
        quotient.roots = powers(low_roots, roots, factors->roots, nullptr);
        quotient.to_coset = powers(quotient.block_log2(), log2, factors->to_coset, nullptr);
        quotient.from_coset = powers(quotient.block_log2(), log2, factors->from_coset, &factors->of_product);
    }

    Factors *factors;
    Quotient quotient;
    Table<Multiplier> low[3];
    Table<Fr> high[3];
    size_t bytes = sizeof(Factors);

   private:
    Powers powers(int split, int bits, const Fr *factors, const Fr *scale) {
        low[count] = table<Multiplier>(split, factors, nullptr);
        high[count] = table<Fr>(bits - split, factors + split, scale);
        const Powers powers{low[count].entries, high[count].entries, split};
        count++;
        return powers;
    }

    template <class Entry>
    Table<Entry> table(int bits, const Fr *factors, const Fr *scale) {
        Entry *entries = reinterpret_cast<Entry *>(start + bytes);
        bytes += sizeof(Entry) << bits;
        return {entries, bits, factors, scale};
    }

    uintptr_t start;
    int count = 0;
};

template <class Entry>
cudaError_t fill(const Table<Entry> &table, cudaStream_t stream) {
    constexpr unsigned BLOCK = 128;
    const unsigned grid = static_cast<unsigned>(((size_t{1} << table.bits) + BLOCK - 1) / BLOCK);
    ntt::fill_powers<<<grid, BLOCK, 0, stream>>>(table.entries, table.factors, table.bits, table.scale);
    return cudaGetLastError();
}

/// The passes before the blocks, about equally many layers each.
struct Passes {
    explicit Passes(const Quotient &quotient) : log2(quotient.log2), layers(log2 - quotient.block_log2()) {
        count = (layers + ntt::PASS_LAYERS - 1) / ntt::PASS_LAYERS;
    }

    Pass operator[](int i) const { return {log2, bound(i), bound(i + 1) - bound(i)}; }
    unsigned tiles() const { return 1u << (log2 - ntt::TILE_LOG2); }

    int log2, layers, count;

   private:
    int bound(int i) const { return layers * i / count; }
};

template <Direction DIRECTION>
cudaError_t transform(Fr *values, const Quotient &quotient, const Passes &passes, int pass, cudaStream_t stream) {
    ntt::transform<DIRECTION><<<passes.tiles(), ntt::THREADS, 0, stream>>>(values, quotient.roots, passes[pass]);
    return cudaGetLastError();
}

/// Launches a kernel on the vectors' contiguous blocks, with more shared memory than one has unasked: four blocks of threads take all
/// that a multiprocessor of an H100 has.
template <class Kernel, class... Arguments>
cudaError_t on_blocks(const Quotient &quotient, cudaStream_t stream, Kernel kernel, Arguments... arguments) {
    constexpr size_t BYTES = sizeof(ntt::BlocksShared);
    if (cudaError_t error = interlock::allow_shared_memory(kernel, BYTES)) return error;
    kernel<<<1u << (quotient.log2 - quotient.block_log2()), ntt::THREADS, BYTES, stream>>>(arguments..., quotient);
    return cudaGetLastError();
}

/// The passes of the inverse transform from `first` on.
cudaError_t inverse(Fr *values, const Quotient &quotient, int first, cudaStream_t stream) {
    const Passes passes(quotient);
    cudaError_t error = cudaSuccess;
    for (int i = first; i < passes.count && error == cudaSuccess; i++) {
        error = transform<Direction::INVERSE>(values, quotient, passes, i, stream);
    }
    return error;
}

/// The passes of the forward transform down to `last`.
cudaError_t forward(Fr *values, const Quotient &quotient, int last, cudaStream_t stream) {
    const Passes passes(quotient);
    cudaError_t error = cudaSuccess;
    for (int i = passes.count - 1; i >= last && error == cudaSuccess; i--) {
        error = transform<Direction::FORWARD>(values, quotient, passes, i, stream);
    }
    return error;
}

cudaError_t product(Fr *a, Fr *b, const Quotient &quotient, cudaStream_t stream) {
    const Passes passes(quotient);
    cudaError_t error = inverse(a, quotient, 0, stream);
    if (error == cudaSuccess) error = inverse(b, quotient, 0, stream);
    if (error != cudaSuccess) return error;
    error = on_blocks(quotient, stream, groth16::blocks_to_coset, a, b);
    if (error == cudaSuccess) error = forward(a, quotient, 0, stream);
    if (error == cudaSuccess) error = forward(b, quotient, 1, stream);
    if (error != cudaSuccess) return error;
    if (passes.count == 0) {
        return static_cast<cudaError_t>(interlock_fr_mul(a, a, b, size_t{1} << quotient.log2, stream));
    }
    ntt::transform_product<<<passes.tiles(), ntt::THREADS, 0, stream>>>(a, b, quotient.roots, passes[0]);
    error = cudaGetLastError();
    return error == cudaSuccess ? inverse(a, quotient, 1, stream) : error;
}

bool is_domain(unsigned log2) { return log2 <= groth16::MAX_LOG2; }

}  // namespace

size_t interlock_quotient_domain_bytes(unsigned log2) {
    return is_domain(log2) ? Layout(nullptr, static_cast<int>(log2)).bytes : 0;
}

int interlock_quotient_domain(void *domain, unsigned log2, struct CUstream_st *stream) {
    if (!is_domain(log2)) return cudaErrorInvalidValue;
    const Layout layout(domain, static_cast<int>(log2));
    groth16::fill_factors<<<3, 1, 0, stream>>>(layout.factors, layout.quotient.log2);
    cudaError_t error = cudaGetLastError();
    for (int i = 0; i < 3 && error == cudaSuccess; i++) {
        error = fill(layout.low[i], stream);
        if (error == cudaSuccess) error = fill(layout.high[i], stream);
    }
    return error;
}

int interlock_quotient_product(void *a, void *b, const void *domain, unsigned log2, struct CUstream_st *stream) {
    if (!is_domain(log2)) return cudaErrorInvalidValue;
    const Layout layout(domain, static_cast<int>(log2));
    return product(static_cast<Fr *>(a), static_cast<Fr *>(b), layout.quotient, stream);
}

int interlock_quotient_finish(void *a, void *c, const void *domain, unsigned log2, struct CUstream_st *stream) {
    if (!is_domain(log2)) return cudaErrorInvalidValue;
    const Quotient quotient = Layout(domain, static_cast<int>(log2)).quotient;
    const cudaError_t error = inverse(static_cast<Fr *>(c), quotient, 0, stream);
    if (error != cudaSuccess) return error;
    return on_blocks(quotient, stream, groth16::blocks_to_quotient, static_cast<Fr *>(a), static_cast<const Fr *>(c));
}
