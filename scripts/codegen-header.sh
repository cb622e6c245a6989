#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Generates include/interlock.h from the Rust sources; with --check, fails with the difference if it is not current.
#
# Usage: scripts/codegen-header.sh [--check]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
version=0.29.4
cbindgen=.tools/bin/cbindgen

if [ "$("$cbindgen" --version 2>/dev/null)" != "cbindgen $version" ]; then
    cargo install --quiet --root .tools --version "$version" --locked --force cbindgen
fi

generated=$(mktemp)
trap 'rm -f "$generated"' EXIT
"$cbindgen" --quiet --config cbindgen.toml --output "$generated" .

case ${1:-} in
--check) diff -u include/interlock.h "$generated" || {
    echo "include/interlock.h is not current: run scripts/codegen-header.sh" >&2
    exit 1
} ;;
"") install -m 644 "$generated" include/interlock.h ;;
*)
    sed -n 's/^# Usage: /usage: /p' "$0" >&2
    exit 2
    ;;
esac
