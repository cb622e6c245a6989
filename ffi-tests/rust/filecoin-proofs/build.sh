#!/usr/bin/env bash
# Builds the life cycle of a 2 KiB sector for a machine with a GPU and no compilers, into a folder: with interlock, with supraseal-c2
# from crates.io, and paramcache, which makes parameters there. Takes 20 minutes on few cores, so `make test` leaves it out.
#   ffi-tests/rust/filecoin-proofs/build.sh FOLDER [ARCH]     for the GPU architecture ARCH (90 by default, H100 and H200)
# On that machine: FOLDER/run.sh
set -euo pipefail
folder=$(realpath -m "${1:?the folder to build into}")
cd "$(dirname "$0")"
root=$(cd ../../.. && pwd)
arch=${2:-90}
INTERLOCK_NVCC=${INTERLOCK_NVCC:-$("$root/scripts/cuda-toolkit.sh")}
target=$(realpath -m "${CARGO_TARGET_DIR:-$root/target}")/filecoin-proofs
export INTERLOCK_NVCC INTERLOCK_CUDA_ARCHS=$arch
mkdir -p "$folder" "$target"

# neptune and bellperson look for nvcc on PATH; what they compile is theirs.
cuda=$(dirname "$(dirname "$INTERLOCK_NVCC")")
export PATH=$cuda/bin:$PATH
# supraseal-c2 leaves it to its users to find CUDA's runtime.
export LIBRARY_PATH=$cuda/lib64:$cuda/lib
for who in EC_GPU BELLMAN NEPTUNE; do
    export ${who}_CUDA_NVCC_ARGS="--fatbin --gpu-architecture=sm_$arch --generate-code=arch=compute_$arch,code=sm_$arch"
done

# Their build scripts are linked with the driver's library and run. Where there is no driver, one that has no device does.
if ! ldconfig -p | grep -q libcuda.so.1; then
    stub=$target/driver/lib64
    mkdir -p "$stub"
    sed 's/.*/int &(void) { return 100; }/' driver.txt | "${CC:-cc}" -shared -fPIC -Wl,-soname,libcuda.so.1 -x c -o "$stub/libcuda.so.1" -
    ln -sf libcuda.so.1 "$stub/libcuda.so"
    export CUDA_LIBRARY_PATH=${stub%/lib64} LIBRARY_PATH=$stub:$LIBRARY_PATH LD_LIBRARY_PATH=$stub
fi

build() {
    local name=$1
    shift
    echo "building $name"
    CARGO_TARGET_DIR=$target/$name cargo build --release --locked "$@"
    install "$target/$name/release/filecoin-proofs-life-cycle" "$folder/life-cycle-$name"
}

build bellperson
build interlock --features supraseal --config "paths=[\"$root/compat/supraseal-c2\"]"
NVCC=$root/bench/peers/nvcc.sh PEER_ARCHS=$arch build supraseal --features supraseal
CARGO_TARGET_DIR=$target/bellperson cargo install --quiet --locked --no-default-features --root "$target" --version 14.1.0 \
    --bin paramcache fil-proofs-param
install "$target/bin/paramcache" run.sh "$folder"
strip "$folder"/life-cycle-* "$folder/paramcache"
du -sh "$folder"/*
