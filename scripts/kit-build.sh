#!/usr/bin/env bash
# Builds what scripts/kit-run.sh runs on a machine that has a GPU and neither compilers nor cargo, into the folder kit:
# the checks and timings of bench/kit, the library with the C program that proves the vectors, and the vectors.
#   scripts/kit-build.sh [ARCHS]     for the GPU architectures ARCHS (90 by default, H100 and H200)
set -euo pipefail
cd "$(dirname "$0")/.."

INTERLOCK_NVCC=${INTERLOCK_NVCC:-$(scripts/cuda-toolkit.sh)}
INTERLOCK_CUDA_ARCHS=${1:-90}
export INTERLOCK_NVCC INTERLOCK_CUDA_ARCHS
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR=$target

cargo build --quiet --release --locked --features cuda
(cd bench/kit && CARGO_TARGET_DIR=$target/kit cargo build --quiet --release --locked)

rm -rf kit
mkdir kit
cp -r scripts/kit-run.sh ffi-tests/vectors/data kit
mv kit/data kit/vectors
cp "$target/kit/release/interlock-kit" kit
cp "$target/release/libinterlock.so" kit/libinterlock.so.0
strip --strip-debug kit/interlock-kit kit/libinterlock.so.0
"${CC:-cc}" -O2 -Iinclude ffi-tests/c/prove_vector.c kit/libinterlock.so.0 -Wl,-rpath,'$ORIGIN' -o kit/prove-vector
du -sh kit
