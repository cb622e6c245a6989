#!/usr/bin/env bash
# The CPU backend beside bellperson 0.27's CPU prover: the same made circuit and parameters, in turn, on this machine.
# usage: cpu.sh [K...]    sizes as log2 of the domain, 18 and 20 by default
#   REPEAT=N    how often each prover runs (3)      WORK=FOLDER    where parameters and proofs go (a new one, removed)
#   ROWS=1      prints rows for bench/compare.sh and no table
# The programs are those beside this script where they were carried there; else they are built now.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sizes=("$@")
[ ${#sizes[@]} -gt 0 ] || sizes=(18 20)
repeat=${REPEAT:-3}
work=${WORK:-}
if [ -z "$work" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi

programs=$here
if [ ! -x "$programs/peer-bellperson" ]; then
    export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target}
    programs=$CARGO_TARGET_DIR/release
    for prover in bellperson interlock; do
        cargo build --quiet --release --locked --manifest-path "$here/Cargo.toml" --features "$prover" --bin "peer-$prover"
    done
fi

# Of the column $2 of the file $1: the median, the least and the greatest.
spread() {
    sort -n -k"$2,$2" "$1" | awk -v c="$2" '{ x[NR] = $c } END { print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2, x[1], x[NR] }'
}

# A row of $1, called $2, whose proof is right or not ($3), for the size $k.
row() {
    local median least most cpu
    read -r median least most < <(spread "$folder/$1.times" 1)
    read -r cpu _ < <(spread "$folder/$1.times" 2)
    printf 'CPU proof 2^%s\t%s\t%s\t%s\t%s\t%s\t-\t-\t-\t%s\n' "$k" "$2" "$median" "$least" "$most" "$cpu" "$3"
}

rows() {
    local status=0 k folder equal
    for k in "${sizes[@]}"; do
        folder=$work/$k
        mkdir -p "$folder"
        rm -f "$folder"/*.times "$folder"/*.proof
        for _ in $(seq "$repeat"); do
            "$programs/peer-bellperson" "$k" "$folder" >>"$folder/bellperson.times"
            INTERLOCK_BACKEND=cpu "$programs/peer-interlock" "$k" "$folder" >>"$folder/interlock.times"
        done
        equal=yes
        cmp -s "$folder/bellperson.proof" "$folder/interlock.proof" || equal=NO status=1
        row interlock interlock "$equal"
        row bellperson "bellperson 0.27.0" -
    done
    return $status
}

if [ -n "${ROWS:-}" ]; then
    rows
else
    echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), $(nproc) cores; medians of $repeat runs in turn; load $(cut -d' ' -f1 /proc/loadavg)"
    rows | awk -F '\t' -f "$here/table.awk"
fi
