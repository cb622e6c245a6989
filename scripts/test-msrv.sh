#!/usr/bin/env bash
# Checks that the library builds on the oldest Rust that Cargo.toml promises. Needs rustup, which brings that Rust.
set -euo pipefail
cd "$(dirname "$0")/.."
oldest=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
if ! command -v rustup >/dev/null 2>&1; then
    echo "test-msrv: no rustup here, so Rust $oldest could not be tried" >&2
    exit 0
fi
rustup toolchain list | grep -q "^$oldest" || rustup toolchain install "$oldest" --profile minimal --no-self-update
CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}/msrv INTERLOCK_NVCC=none cargo "+$oldest" check --locked --all-targets
