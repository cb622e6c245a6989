//! What the sizes of spans of device memory are multiples of.

/// Every span starts and ends at a multiple of this: what kernels and copies want.
pub const ALIGNMENT: usize = 256;

/// Spans of [`LARGE`] bytes and more start and end at multiples of this, the size of a physical page. Lists differ in
/// length from proof to proof by little: rounded, one fits where another was, and the rest is no sliver.
pub const PAGE: usize = 2 << 20;

/// From here on a span is counted in pages, which adds 6 % to it at most.
pub const LARGE: usize = 32 << 20;

/// What a span of this size is a multiple of.
pub const fn granule(size: usize) -> usize {
    if size < LARGE {
        ALIGNMENT
    } else {
        PAGE
    }
}
