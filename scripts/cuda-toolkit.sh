#!/usr/bin/env bash
# Installs CUDA's compiler and runtime from PyPI into .tools/cuda, where build.rs finds them. Needs python3 with pip; no root.
# Prints the path of nvcc. Does nothing when that version is there already.
set -euo pipefail
cd "$(dirname "$0")/.."

line='==13.0.*'
packages=(
    nvidia-cuda-nvcc==13.0.88 "nvidia-nvvm$line" "nvidia-cuda-crt$line" "nvidia-cuda-runtime$line" "nvidia-cuda-cccl$line"
    "nvidia-nvtx$line" # headers that name the prover's phases to NVIDIA's profilers
    nvidia-cuda-cuobjdump==13.2.51 nvidia-cuda-nvdisasm==13.2.51 # the disassemblers start at 13.2 there
)
target=.tools/cuda
stamp=$target/.installed
nvcc=$target/nvidia/cu13/bin/nvcc

if [[ ! -x $nvcc || "$(cat "$stamp" 2>/dev/null)" != "${packages[*]}" ]]; then
    rm -rf "$target"
    mkdir -p "$target"
    python3 -m pip install --quiet --disable-pip-version-check --no-deps --only-binary=:all: --root-user-action=ignore \
        --target "$target" "${packages[@]}" >&2
    chmod -R u+rwX,go+rX "$target"
    find "$target/nvidia/cu13" -path '*/bin/*' -type f -exec chmod +x {} +
    "$nvcc" --version >&2
    echo "${packages[*]}" > "$stamp"
    touch build.rs # Cargo looks for nvcc again
fi
echo "$PWD/$nvcc"
