#!/usr/bin/env bash
# Builds what scripts/kit-run.sh runs on a machine that has a GPU and neither compilers nor cargo, into the folder kit:
# the checks and timings of bench/kit and bench/prove, the library with C programs of ffi-tests, and the vectors.
#   scripts/kit-build.sh [--peers] [ARCHS]     for the GPU architectures ARCHS (90 by default, H100 and H200)
# With --peers also the other provers that bench/compare.sh runs beside us, into kit/peers.
set -euo pipefail
cd "$(dirname "$0")/.."

peers=
if [[ ${1:-} == --peers ]]; then
    peers=yes
    shift
fi
INTERLOCK_NVCC=${INTERLOCK_NVCC:-$(scripts/cuda-toolkit.sh)}
INTERLOCK_CUDA_ARCHS=${1:-90}
export INTERLOCK_NVCC INTERLOCK_CUDA_ARCHS
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR=$target

scripts/build-library.sh --quiet --features cuda
cargo build --quiet --release --locked --features cuda --bin interlock-doctor
for package in kit prove; do
    (cd "bench/$package" && CARGO_TARGET_DIR=$target/$package cargo build --quiet --release --locked)
done

# The test of Curio's way of calling, which cargo gives a name of its own.
engine=$(cd ffi-tests/rust/curio && CARGO_TARGET_DIR=$target/curio cargo test --quiet --release --locked --no-run --test engine \
    --message-format json | sed -n 's/.*"executable":"\([^"]*\)".*/\1/p')

rm -rf kit
mkdir kit
cp -r scripts/kit-run.sh ffi-tests/vectors/data kit
mv kit/data kit/vectors
cp "$target/kit/release/interlock-kit" "$target/prove/release/interlock-bench-prove" bench/prove/run.sh bench/workers.sh bench/uploads.awk kit
cp "$target/release/libinterlock.so" kit/libinterlock.so.0
cp "$target/release/interlock-doctor" kit
cp "$engine" kit/curio-engine
strip --strip-all kit/curio-engine kit/interlock-doctor kit/interlock-kit kit/interlock-bench-prove kit/libinterlock.so.0
for program in prove_vector start_finalize threads devices parameters stress misuse plan surroundings; do
    "${CC:-cc}" -std=c11 -D_GNU_SOURCE -O2 -pthread -Iinclude "ffi-tests/c/$program.c" kit/libinterlock.so.0 -Wl,-rpath,'$ORIGIN' -o "kit/$program"
done
if [[ $peers ]]; then
    mkdir kit/peers
    cp bench/compare.sh kit
    cp bench/peers/{cpu.sh,table.awk,recorded.tsv} kit/peers
    for peer in supraseal sppark; do
        (cd "bench/peers/$peer" && NVCC=$PWD/../nvcc.sh PEER_ARCHS=${INTERLOCK_CUDA_ARCHS//,/ } CARGO_TARGET_DIR=$target/$peer \
            cargo build --quiet --release --locked)
        cp "$target/$peer/release/interlock-peer-$peer" kit/peers
    done
    for prover in bellperson interlock; do
        (cd bench/peers && INTERLOCK_NVCC=none CARGO_TARGET_DIR=$target/cpu cargo build --quiet --release --locked \
            --features "$prover" --bin "peer-$prover")
        cp "$target/cpu/release/peer-$prover" kit/peers
    done
    strip kit/peers/{interlock-peer,peer}-*
fi
du -sh kit
