#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Tests the installed C library from C and C++: header, proofs, misuse, threads, sanitizers, valgrind, linking, installing.
#
# Usage: ffi-tests/run-c.sh PREFIX
#
# PREFIX is where scripts/install.sh has installed to, a staging folder included. INTERLOCK_VECTORS is the folder of the
# vectors, by default the one beside this script. CC and CXX choose the compilers; clang is tried as well where there is
# one. Needs gcc, g++, GNU binutils, pkg-config, python3, valgrind and cargo.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(dirname "$here")
if [ $# -ne 1 ] || [ ! -f "$1/lib/pkgconfig/interlock.pc" ]; then
    echo "usage: ffi-tests/run-c.sh PREFIX, where scripts/install.sh has installed the library" >&2
    exit 2
fi
prefix=$(cd "$1" && pwd)
vectors=${INTERLOCK_VECTORS:-$here/vectors/data}
if [ ! -f "$vectors/tiny/params" ]; then
    echo "no vectors in $vectors: set INTERLOCK_VECTORS" >&2
    exit 2
fi
: "${CC:=gcc}" "${CXX:=g++}"
warnings=(-Wall -Wextra -Wpedantic -Werror)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# Runs a command and counts it, or what it says it counted; shows its output if it fails.
step() {
    local name=$1 output status counts p=0 f=0
    shift
    output=$(timeout --kill-after=10 300 "$@" 2>&1 </dev/null)
    status=$?
    counts=$(tail -n 1 <<<"$output" | sed -n 's/.*: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
    if [ -n "$counts" ]; then
        read -r p f <<<"$counts"
    elif [ "$status" = 0 ]; then
        p=1
    fi
    if [ "$status" != 0 ] && [ "$f" = 0 ]; then
        f=1
    fi
    passed=$((passed + p)) failed=$((failed + f))
    if [ "$f" = 0 ]; then
        printf 'ok      %-58s %5d\n' "$name" "$p"
    else
        printf 'FAILED  %s (exit status %d)\n%s\n' "$name" "$status" "$output"
        return 1
    fi
}

folders() {
    printf '%s\n' "${@/#/$vectors/}"
}

# Sets `flags` to what pkg-config gives for the library installed in a prefix.
flags_of() {
    local installed=$1
    shift
    read -ra flags < <(PKG_CONFIG_PATH=$installed/lib/pkgconfig pkg-config "$@" --cflags --libs interlock)
}

c_program() {
    local source=$1 output=$2
    shift 2
    step "build $(basename "$output")" "$CC" -std=c11 -D_GNU_SOURCE -O1 -g "${warnings[@]}" "$here/$source" -o "$output" "$@" -pthread
}

cxx_program() {
    local standard=$1 source=$2 output=$3
    shift 3
    step "build $(basename "$output")" "$CXX" "-std=$standard" -O1 -g "${warnings[@]}" "$here/$source" -o "$output" "$@" -pthread
}

# Builds all programs as $work/PREFIX-name, with the flags given.
programs() {
    local kind=$1 name
    shift
    for name in prove_vector start_finalize threads devices parameters stress misuse plan surroundings; do
        c_program "c/$name.c" "$work/$kind-$name" "$@"
    done
    cxx_program c++17 cpp/prove_vector.cpp "$work/$kind-cxx17" "$@"
    cxx_program c++11 cpp/cxx11.cpp "$work/$kind-cxx11" "$@"
}

header() {
    local include=-I$prefix/include compiler language standard names
    for compiler in "$CC" clang; do
        command -v "$compiler" >/dev/null || continue
        for standard in c99 c11 c++11 c++17; do
            language=c
            if [[ $standard == c++* ]]; then language=c++; fi
            for names in "" -DINTERLOCK_NO_SHORT_NAMES; do
                step "header: $compiler $standard $names" "$compiler" -x $language -std=$standard "${warnings[@]}" \
                    -fsyntax-only "$include" $names "$here/c/header.c"
            done
            if [ "$standard" != c99 ]; then
                step "layout: $compiler $standard" "$compiler" -x $language -std=$standard "${warnings[@]}" \
                    -fsyntax-only "$include" "$here/c/layout.c"
            fi
        done
    done
}

# Every program on plenty of vectors.
run_all() {
    local kind=$1 some
    mapfile -t some < <(folders tiny lg2 lg3 nob noa dup mixed mimc322x3)
    step "$kind: prove_vector, all vectors" "$work/$kind-prove_vector" "$vectors"/*/
    step "$kind: start_finalize" "$work/$kind-start_finalize" "${some[@]}"
    step "$kind: threads" "$work/$kind-threads" 6 "${some[@]}"
    step "$kind: devices" "$work/$kind-devices" 3 "${some[@]}"
    step "$kind: parameters" "$work/$kind-parameters" "${some[@]}"
    step "$kind: stress" "$work/$kind-stress" 1 400 "${some[@]:0:5}" "$vectors/lg1"
    step "$kind: misuse" "$work/$kind-misuse" "$vectors/mixed" "$vectors/small"
    step "$kind: plan" "$work/$kind-plan"
    step "$kind: surroundings" "$work/$kind-surroundings" "$vectors/lg2"
    step "$kind: C++17" "$work/$kind-cxx17" "${some[@]}"
    step "$kind: C++11" "$work/$kind-cxx11" "${some[@]}"
}

shared() {
    flags_of "$prefix"
    programs shared "${flags[@]}" && LD_LIBRARY_PATH=$prefix/lib run_all shared
}

# pkg-config --static where there is no shared library, and libinterlock.a by name where there are both.
static() {
    mkdir -p "$work/static/lib"
    cp -r "$prefix/include" "$work/static/"
    cp -r "$prefix/lib/libinterlock.a" "$prefix/lib/pkgconfig" "$work/static/lib/"
    flags_of "$work/static" --static
    programs static "${flags[@]}" && run_all static
    c_program c/prove_vector.c "$work/all-static" -static "${flags[@]}" &&
        step "no shared library at all: prove_vector" "$work/all-static" "$vectors/tiny"

    flags_of "$prefix" --static
    c_program c/prove_vector.c "$work/by-name" "${flags[@]/#-linterlock/-l:libinterlock.a}" &&
        step "by name: prove_vector" "$work/by-name" "$vectors/tiny"
}

sanitizers() {
    local some
    mapfile -t some < <(folders tiny lg2 nob dup word1)
    flags_of "$prefix"
    programs sanitized -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer "${flags[@]}"
    export LD_LIBRARY_PATH=$prefix/lib INTERLOCK_BACKEND=cpu
    export ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1
    step "sanitizers: prove_vector" "$work/sanitized-prove_vector" "${some[@]}"
    step "sanitizers: start_finalize" "$work/sanitized-start_finalize" "${some[@]}"
    step "sanitizers: threads" "$work/sanitized-threads" 3 "${some[@]}"
    step "sanitizers: parameters" "$work/sanitized-parameters" "${some[@]}"
    step "sanitizers: stress" "$work/sanitized-stress" 2 100 "${some[@]}"
    step "sanitizers: misuse" "$work/sanitized-misuse" "$vectors/mixed" "$vectors/small"
    step "sanitizers: plan" "$work/sanitized-plan"
    step "sanitizers: C++17" "$work/sanitized-cxx17" "${some[@]}"
    step "sanitizers: C++11" "$work/sanitized-cxx11" "${some[@]}"
    unset LD_LIBRARY_PATH INTERLOCK_BACKEND ASAN_OPTIONS
}

under_valgrind() {
    local program=$1
    shift
    LD_LIBRARY_PATH=$prefix/lib INTERLOCK_BACKEND=cpu INTERLOCK_CPU_THREADS=2 step "valgrind: $program" \
        valgrind --quiet --fair-sched=yes --error-exitcode=99 --leak-check=full --show-leak-kinds=definite \
        --errors-for-leak-kinds=definite "$work/shared-$program" "$@"
}

valgrind_some() {
    under_valgrind prove_vector "$vectors/tiny" "$vectors/lg3"
    under_valgrind start_finalize "$vectors/lg2"
    under_valgrind threads 1 "$vectors/tiny" "$vectors/lg2"
    under_valgrind parameters "$vectors/lg3"
    under_valgrind misuse "$vectors/mixed" "$vectors/zeros"
    under_valgrind cxx11 "$vectors/lg2"
}

# Our static library next to another Rust library and another blst, in both orders, by archive rules and whole.
neighbours() {
    local target=${CARGO_TARGET_DIR:-$root/target}/second-rust ours=$work/static/lib/libinterlock.a theirs order=0 libraries
    step "build the neighbour" cargo build --quiet --release --locked \
        --manifest-path "$here/link/second-rust/Cargo.toml" --target-dir "$target" || return
    theirs=$target/release/libsecond_rust.a
    flags_of "$work/static" --static
    for libraries in "$ours $theirs" "$theirs $ours" "-Wl,--whole-archive $ours $theirs -Wl,--no-whole-archive" \
        "-Wl,--whole-archive $theirs $ours -Wl,--no-whole-archive"; do
        order=$((order + 1))
        # shellcheck disable=SC2086  # several words
        c_program link/neighbours.c "$work/neighbours-$order" $libraries "${flags[@]}" &&
            step "neighbours, order $order" "$work/neighbours-$order" "$vectors/tiny" "$vectors/mixed"
    done
}

# Whether the ABI's description notices each of some changes that would break programs, and allows what would not.
changes_are_noticed() {
    local changed=$work/changed edit noticed=0
    mkdir -p "$changed/lib" "$changed/include"
    cp -P "$prefix"/lib/libinterlock.so* "$changed/lib"
    for edit in '/^void interlock_trace_stop/d' 's/size_t inputs;/uint32_t inputs;/' 's/BACKEND_GPU = 2/BACKEND_GPU = 3/' \
        's/set_backend(int/set_backend(long/' 's/callback)(int level/callback)(long level/'; do
        sed "$edit" "$prefix/include/interlock.h" >"$changed/include/interlock.h"
        "$here/abi/check.sh" "$changed" >/dev/null || noticed=$((noticed + 1))
    done
    sed 's/^void interlock_trace_stop.*/&\nint interlock_new(void);/' "$prefix/include/interlock.h" >"$changed/include/interlock.h"
    "$here/abi/check.sh" "$changed" && [ "$noticed" = 5 ]
}

abi() {
    step "what programs were built against still holds" "$here/abi/check.sh" "$prefix"
    export -f changes_are_noticed
    export work prefix here
    step "changes of the ABI are noticed" bash -c changes_are_noticed
}

linking() {
    step "what the libraries export" "$here/link/check-libraries.sh" "$prefix"
    flags_of "$work/static" --static
    c_program link/unwind.c "$work/unwind-static" "${flags[@]}" && step "unwinding, static" "$work/unwind-static"
    flags_of "$prefix"
    c_program link/unwind.c "$work/unwind-shared" "${flags[@]}" &&
        LD_LIBRARY_PATH=$prefix/lib step "unwinding, shared" "$work/unwind-shared"
    c_program link/loaded.c "$work/loaded" "-I$prefix/include" -ldl &&
        step "loaded at run time" "$work/loaded" "$prefix/lib/libinterlock.so" "$vectors/tiny"
    neighbours
}

header
shared
static
sanitizers
valgrind_some
linking
abi
step "installing" "$here/link/check-install.sh" "$prefix"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
