#!/usr/bin/env bash
# nvcc for the peers: their build scripts name the GPU architectures themselves, and this one puts PEER_ARCHS in their place (90 by
# default) so that a peer is compiled for the GPU that it is measured on, as we are, and once. They find it through NVCC; INTERLOCK_NVCC is
# the compiler behind it.
set -euo pipefail
nvcc=${INTERLOCK_NVCC:?set it to the path of nvcc}
flags=()
while (($#)); do
    case $1 in
    -gencode) shift ;;
    *) flags+=("$1") ;;
    esac
    shift
done
for arch in ${PEER_ARCHS:-90}; do
    flags+=(-gencode "arch=compute_$arch,code=sm_$arch")
done
# CUDA's runtime lies in lib in the packages of PyPI, and in lib64 elsewhere, where nvcc looks by itself.
exec "$nvcc" "${flags[@]}" "-L$(dirname "$nvcc")/../lib"
