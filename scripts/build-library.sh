#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Builds the C library, shared and static, where cargo puts what it builds: libinterlock.so and libinterlock.a in target/release.
#
# Usage: scripts/build-library.sh [OPTION OF cargo rustc...]     such as --features cuda
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The SONAME is the ABI's version: it changes when a program built against an older header would no longer work. The threads of the
# library's pool outlive dlclose(), so its code must, too.
exec "${CARGO:-cargo}" rustc --release --locked --lib --crate-type staticlib,cdylib "$@" -- \
    -C link-arg=-Wl,-soname,libinterlock.so.0 -C link-arg=-Wl,-z,nodelete
