#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Checks the Go package and tests it in every way it can be built: linked statically and dynamically, with Go's full
# checks of pointers that C gets to see, with its race detector, and beside another Rust static library.
#
# Needs Go, cargo, a C compiler, and an installed interlock that pkg-config finds (PKG_CONFIG_PATH). INTERLOCK_VECTORS says
# where the test vectors are, if not in this repository.
#
# Usage: ffi-tests/run-go.sh [ARGUMENT OF go test...]
set -uo pipefail
cd "$(dirname "$0")/go"

root=$(cd ../.. && pwd)
libdir=$(pkg-config --variable=libdir interlock) || exit 1
# Results are not taken from Go's cache, which does not see the library change.
arguments=(-count=1 "$@")
failed=()

say() { printf 'run-go: %s\n' "$*"; }

run() {
    say "$*"
    "$@" || failed+=("$*")
}

formatted() {
    local files
    files=$(gofmt -l .) && [ -z "$files" ] || { say "not as gofmt writes it: $files"; return 1; }
}

say "$(go version), interlock $(pkg-config --modversion interlock) in $libdir"
run formatted
run go vet ./...
run go vet -tags interlock_shared ./...
run env GODEBUG=cgocheck=1 go test "${arguments[@]}" ./...
run env LD_LIBRARY_PATH="$libdir${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
    go test -tags interlock_shared "${arguments[@]}" ./...
run env GOEXPERIMENT=cgocheck2 go test "${arguments[@]}" ./...
run go test -race "${arguments[@]}" ./...

neighbour=${CARGO_TARGET_DIR:-$root/target}/second-rust
run cargo build --quiet --release --locked --manifest-path "$root/ffi-tests/link/second-rust/Cargo.toml" --target-dir "$neighbour"
beside="$neighbour/release/libsecond_rust.a -lpthread -lm -ldl"
run env CGO_LDFLAGS="$beside" go vet -tags interlock_neighbour ./...
run env CGO_LDFLAGS="$beside" go test -race -tags interlock_neighbour "${arguments[@]}" ./...

if [ ${#failed[@]} != 0 ]; then
    say "FAILED:"
    printf '    %s\n' "${failed[@]}"
    exit 1
fi
say "all passed"
