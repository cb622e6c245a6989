#!/usr/bin/env bash
# What the build script does without nvcc, with ones that cannot work, and with the one in .tools/cuda if it is there.
# Builds a copy of the package in a temporary folder. Ends with `N passed, N failed`.
set -uo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/package" "$work/bin"
cp -r --parents Cargo.toml Cargo.lock build.rs build cuda src ffi-tests/vectors/Cargo.toml ffi-tests/vectors/src "$work/package"
touch "$work/package/README.md"
export CARGO_TARGET_DIR=$work/target
real=$PWD/.tools/cuda/nvidia/cu13/bin/nvcc

# No CUDA but what a case brings: no variables, no folder with nvcc on PATH, no packages of Python's.
unset INTERLOCK_NVCC INTERLOCK_CUDA_ARCHS CUDA_HOME CUDA_PATH NVCC NVCC_CCBIN VIRTUAL_ENV
path=$work/bin
IFS=: read -ra folders <<< "$PATH"
for folder in "${folders[@]}"; do
    [[ -e $folder/nvcc ]] || path+=:$folder
done
export PATH=$path
printf '#!/bin/sh\n' > "$work/bin/python3"
chmod +x "$work/bin/python3"

passed=0 failed=0
# expect NAME STATUS TEXT COMMAND...: the command ends with success (0) or failure (1) and says TEXT; with !TEXT, does not say it.
expect() {
    local name=$1 status=$2 text=$3 said got=0 fits=1
    shift 3
    said=$(cd "$work/package" && touch build.rs && "$@" 2>&1) || got=1
    case $text in
        !*) [[ $said != *"${text#!}"* ]] ;;
        *) [[ $said == *"$text"* ]] ;;
    esac || fits=0
    if [[ $got == "$status" && $fits == 1 ]]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s: status %s, wanted %s with: %s\nIt said:\n%s\n' "$name" "$got" "$status" "$text" "$said"
    fi
}

# fake NAME VERSION WORDS: a toolkit whose nvcc is of this version and ends every compilation with these words.
fake() {
    local nvcc=$work/$1/bin/nvcc
    mkdir -p "$work/$1/bin" "$work/$1/lib"
    cat > "$nvcc" <<END
#!/bin/sh
case "\$1" in
    --version) echo "Cuda compilation tools, release $2, V$2.1" ;;
    --list-gpu-code) echo sm_80 ;;
    *) echo "$3" >&2; exit 1 ;;
esac
END
    chmod +x "$nvcc"
    touch "$work/$1/lib/libcudart_static.a"
    echo "$nvcc"
}

expect "no nvcc: a CPU-only build that says so" 0 "proves on the CPU only: no CUDA compiler (nvcc) was found" cargo check
expect "no nvcc: what to install" 0 "install the CUDA Toolkit" cargo check
expect "no nvcc, feature cuda: an error" 1 "the feature \`cuda\` of interlock needs CUDA's compiler" cargo check --features cuda
expect "no nvcc, feature cuda: what to install" 1 "install the CUDA Toolkit" cargo check --features cuda
expect "CUDA_HOME without nvcc is named" 0 "CUDA_HOME (/nowhere has no bin/nvcc)" env CUDA_HOME=/nowhere cargo check
expect "a wrong INTERLOCK_NVCC" 1 "INTERLOCK_NVCC is /nowhere/nvcc, which is no file" env INTERLOCK_NVCC=/nowhere/nvcc cargo check
expect "no CUDA wanted: no warning" 0 "!proves on the CPU only" env INTERLOCK_NVCC=none cargo check
expect "no CUDA wanted, feature cuda" 1 "INTERLOCK_NVCC was \`none\`" env INTERLOCK_NVCC=none cargo check --features cuda
expect "something else than nvcc" 1 "does not say its release" env INTERLOCK_NVCC=/bin/true cargo check
expect "an old CUDA" 1 "is of CUDA 11.8, and interlock needs 12" env INTERLOCK_NVCC="$(fake old 11.8 "")" cargo check

nvcc=$(fake strict 13.0 "error: #error -- unsupported GNU version! gcc versions later than 15 are not supported! The nvcc flag")
expect "a refused host compiler: its limit" 1 "gcc versions later than 15 are not supported" env INTERLOCK_NVCC="$nvcc" cargo check
expect "a refused host compiler: the way out" 1 "name it in NVCC_CCBIN" env INTERLOCK_NVCC="$nvcc" cargo check
expect "an architecture that nvcc lacks" 1 "asks for 61, but this nvcc has only 80" \
    env INTERLOCK_NVCC="$nvcc" INTERLOCK_CUDA_ARCHS=61 cargo check
expect "no list of architectures" 1 "comma-separated list such as 80,86,90" \
    env INTERLOCK_NVCC="$nvcc" INTERLOCK_CUDA_ARCHS=sm_80 cargo check
nvcc=$(fake broken 13.0 "sh: 1: cicc: not found")
expect "a compiler that cannot compile" 1 "cicc: not found" env INTERLOCK_NVCC="$nvcc" cargo check
rm "$work/broken/lib/libcudart_static.a"
expect "a toolkit without the runtime" 1 "no libcudart_static.a" env INTERLOCK_NVCC="$nvcc" cargo check

if [[ -x $real ]]; then
    export INTERLOCK_NVCC=$real INTERLOCK_CUDA_ARCHS=90
    expect "the architectures asked for are compiled" 0 "-gencode=arch=compute_90,code=sm_90" cargo build -vv --features cuda
    expect "device code of a debug build is optimised" 0 "!\"-G\"" cargo rustc -vv --lib --crate-type cdylib --features cuda
    expect "an absent host compiler" 1 "cannot compile an empty kernel with the host compiler /nowhere/c++" \
        env NVCC_CCBIN=/nowhere/c++ cargo check
    expect "the launchers need no C++ runtime" 0 "!__cxa_" find "$CARGO_TARGET_DIR" -name libinterlock_cuda.a -exec nm -u {} +
    library=$CARGO_TARGET_DIR/debug/libinterlock.so
    for needed in libcuda.so libcudart libstdc++; do
        expect "the library does not need $needed" 0 "!$needed" readelf -d "$library"
    done
fi
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
