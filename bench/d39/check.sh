#!/bin/sh
# Bounds, errors, digits and sums of the arithmetic in digits of 39 bits, on the host. Less than a minute.
set -eu
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
for program in bounds errors digits sums; do
    ${CXX:-g++} -std=c++17 -O2 -ffp-contract=off -Wall -Wno-unknown-pragmas -I../../cuda $program.cpp -o "$out/$program"
done
"$out/bounds"
"$out/errors" 1000000
"$out/sums" 500000
"$out/digits" "${TURNS:-30000}" "${SEED:-1}" | python3 check.py
