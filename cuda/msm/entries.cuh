// From scalars to entries: which point goes into which bucket of which window, sorted by bucket.
//
// A scalar s stands for ±m with m < 2^254 (m = r − s where s > r/2). m has signed digits of c bits, from −2^(c−1) to 2^(c−1),
// by Booth's recoding: each is a function of c + 1 bits. Window w has a bucket for each absolute value d > 0, number d − 1.
#pragma once

#include <cuda_runtime.h>

#include "launch/launchers.h"

namespace interlock {
namespace msm {

/// Set in the value of an entry whose point is subtracted.
constexpr uint32_t NEGATIVE = 1u << 31;

/// The windows that are worked on at a time, and so many sets of buckets: window w has set (w − base) mod sets, and adds to it the multiples of points
/// that stand (w − base)/sets times the stride after these.
struct Group {
    unsigned bits, first, windows, base, sets;
    uint32_t stride;

    /// Windows that have a set each.
    static constexpr Group alone(unsigned bits, unsigned first, unsigned windows) { return {bits, first, windows, first, windows, 0}; }

    size_t buckets() const { return size_t{sets} << (bits - 1); }
    /// The key of entries that need no addition: one past the last bucket's.
    uint32_t skipped() const { return static_cast<uint32_t>(buckets()); }
    /// The bits of a key.
    int key_bits() const {
        int bits = 0;
        while (buckets() >> bits != 0) bits++;
        return bits;
    }
};

/// Entries (key, value): the number of the bucket in its group, and the position of the point with NEGATIVE. Two arrays of each:
/// sorting goes from one to the other and leaves the result at [0].
struct Entries {
    uint32_t *keys[2], *values[2];
    /// One word: how many have a key below `skipped`, once they are sorted.
    uint32_t *count;
    void *sort;
    size_t sort_bytes;
};

/// Bytes of `Entries::sort` for sorting up to `n` entries.
cudaError_t sort_bytes(size_t n, size_t *bytes);

/// Enqueues the making, sorting and counting of the group's entries.
cudaError_t make_entries(Entries *entries, const interlock_msm_terms &terms, const Group &group, cudaStream_t stream);

}  // namespace msm
}  // namespace interlock
