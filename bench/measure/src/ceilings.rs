//! What kernels can do on one NVIDIA H200 (NOTES.md), of which the floors are made that benchmarks put beside what they measure.

/// Mixed additions a second in G1, as the kernel that adds makes them by itself.
pub const G1_ADDITIONS: f64 = 3.49e9;
/// The same in G2.
pub const G2_ADDITIONS: f64 = 1.09e9;
/// Multiplications a second in Fr by a number whose quotient is known, and others, as the multiplier's pipe can make them.
const BY_KNOWN: f64 = 93e9;
const OTHERS: f64 = 73e9;
/// Multiplications of h, an element of the domain, that are not by such a number.
const OTHERS_OF_H: f64 = 13.0;

/// Multiplications in Fr for h over m = 2^`log2` points: of six transforms with m/2 a layer, less m where the twiddle is 1; 3m for the
/// twiddles of the blocks, 2m for their coset factors, 4m to scale by these, and m for the product.
pub fn multiplications_of_h(log2: u32) -> f64 {
    f64::from(3 * log2 + 4) * f64::from(log2).exp2()
}

/// Seconds that they take at least.
pub fn seconds_of_h(log2: u32) -> f64 {
    let others = OTHERS_OF_H * f64::from(log2).exp2();
    (multiplications_of_h(log2) - others) / BY_KNOWN + others / OTHERS
}
