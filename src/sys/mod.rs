//! Raw CUDA.
