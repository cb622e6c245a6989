#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Makes a static library for distribution out of the one that cargo builds: one object in which only the names of the
# allow-list are global. Cargo's own archive exports everything in it (Rust's standard library, blst, the CUDA runtime),
# so it cannot be linked next to another Rust library or another blst.
#
# Usage: scripts/bundle-static.sh INPUT.a OUTPUT.a EXPORTS.txt
#
# EXPORTS.txt has one symbol a line. INPUT.a may be OUTPUT.a. Needs GNU binutils; LD and OBJCOPY choose others.
set -euo pipefail

if [ $# -ne 3 ]; then
    sed -n 's/^# Usage: /usage: /p' "$0" >&2
    exit 2
fi
input=$1 output=$2 exports=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

roots=()
while read -r symbol; do
    roots+=(--require-defined="$symbol")
done <"$exports"

# Members are taken from the archive as the roots need them, and sections likewise; constructors always stay.
# COMDAT groups must be dissolved: the linker would throw away one whose name occurs in another object, and with it
# symbols that are local here.
"${LD:-ld}" -r --gc-sections --force-group-allocation "${roots[@]}" -o "$work/whole.o" "$input"

# The names that the sections left out had wanted must go too: they stand as undefined ones, no longer weak. And the
# bitcode that Rust's standard library carries for its own LTO is no longer any once it has been joined.
"${OBJCOPY:-objcopy}" --keep-global-symbols="$exports" --remove-section=.llvmbc --remove-section=.llvmcmd \
    "$work/whole.o" "$work/interlock.o"
"${OBJCOPY:-objcopy}" --strip-unneeded "$work/interlock.o"

"${AR:-ar}" rcsD "$work/bundle.a" "$work/interlock.o"
install -m 644 "$work/bundle.a" "$output"
