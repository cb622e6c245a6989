#!/usr/bin/env bash
# Us beside other provers, one after the other on this machine's first GPU, in one table: whole proofs, first and warm, those of three workers
# at once at 2^24, and the loading of parameters by supraseal-c2; MSMs and the polynomial h by sppark; proofs on the CPU by bellperson. Both
# sides prove the same circuits over the same parameters, and the bytes of the proofs are compared. Programs are those beside this script or in the folder peers there, where they were carried to a machine
# without compilers; else they are built now (INTERLOCK_NVCC: the CUDA compiler).
# usage: compare.sh [K...]    sizes of whole proofs, as log2 of the domain (20 22 24)
#   WORK=FOLDER    where parameters and circuits go: 650 bytes times the largest domain (a new one, removed)
#   PROOFS=only    leaves out MSMs, h and the CPU
#   ROWS=FILE      where what was measured is kept, a line for each prover and work (see bench/measure/src/row.rs)
# What no peer did in this run is set beside what bench/peers/recorded.tsv has, and says so.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sizes=("$@")
((${#sizes[@]})) || sizes=(20 22 24)
work=$(mktemp -d "${WORK:-${TMPDIR:-/tmp}}/interlock-compare.XXXXXX")
trap 'rm -rf "$work"' EXIT
rows=${ROWS:-$work/rows.tsv}
: >"$rows"
failed=0

# The path of the program $1, which the crate in the folder $2 here builds.
program() {
    local carried
    for carried in "$here/$1" "$here/peers/$1"; do
        if [[ -x $carried ]]; then
            echo "$carried"
            return
        fi
    done
    local target=${CARGO_TARGET_DIR:-$here/$2/target}
    NVCC=$here/peers/nvcc.sh CARGO_TARGET_DIR=$target \
        cargo build --quiet --release --locked --manifest-path "$here/$2/Cargo.toml" && echo "$target/release/$1"
}

measure() {
    local start=$SECONDS
    timeout --kill-after=5 "$1" "${@:2}" >>"$rows" 2>"$work/log" || {
        failed=$((failed + 1))
        echo "FAILED: ${*:2}"
        tail -n 5 "$work/log"
    }
    echo "$(basename "$2") ${*:3}: $((SECONDS - start)) s" >&2
}

nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,memory.total --format=csv,noheader
echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), $(nproc) cores; load $(cut -d' ' -f1 /proc/loadavg)"
kit=$(program interlock-kit kit)
sppark=$(program interlock-peer-sppark peers/sppark)
prove=$(program interlock-bench-prove prove)
supraseal=$(program interlock-peer-supraseal peers/supraseal)
if [[ ${PROOFS:-} != only ]]; then
    measure 100 "$kit" compare 26 27
    measure 100 "$sppark" 26 27
fi
for k in "${sizes[@]}"; do
    warm=$((k < 24 ? 5 : 3))
    together=()
    if ((k == 24)); then together=(--workers 3 --calls $((3 * warm))); fi
    measure 150 "$prove" --compare --folder "$work" --warm "$warm" "${together[@]}" "$k"
    measure 150 "$supraseal" "$k" "$work/$k" "$warm" "${together[@]:1:1}"
    rm -rf "${work:?}/$k"
done
if [[ ${PROOFS:-} != only ]]; then measure 150 env ROWS=1 WORK="$work" "$here/peers/cpu.sh" 18 20; fi

echo
awk -F '\t' -f "$here/peers/table.awk" "$rows" "$here/peers/recorded.tsv" || failed=$((failed + 1))
exit $((failed > 0))
