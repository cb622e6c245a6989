//! The CPU backend: the same proofs with blst's arithmetic on rayon.
