#!/usr/bin/env bash
# The CPU backend beside bellperson 0.27's CPU prover: the same made circuit and parameters, in turn, on this machine.
# usage: cpu.sh [K...]    sizes as log2 of the domain, 18 and 20 by default
#   REPEAT=N    how often each prover runs (3)      WORK=FOLDER    where parameters and proofs go (a new one, removed)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
sizes=("$@")
[ ${#sizes[@]} -gt 0 ] || sizes=(18 20)
repeat=${REPEAT:-3}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$here/target}
work=${WORK:-}
if [ -z "$work" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi

for prover in bellperson interlock; do
    cargo build --quiet --release --locked --manifest-path "$here/Cargo.toml" --features "$prover" --bin "peer-$prover"
done

# The median of a column of a file.
median() {
    sort -n -k"$2,$2" "$1" | awk -v c="$2" '{ x[NR] = $c } END { print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'
}

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), $(nproc) cores; medians of $repeat runs in turn; load $(cut -d' ' -f1 /proc/loadavg)"
echo "| size | bellperson 0.27, s | interlock, s | ratio | bellperson, CPU s | interlock, CPU s | ratio | bytes equal |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- |"
status=0
for k in "${sizes[@]}"; do
    folder=$work/$k
    mkdir -p "$folder"
    rm -f "$folder"/*.times "$folder"/*.proof
    for _ in $(seq "$repeat"); do
        "$CARGO_TARGET_DIR/release/peer-bellperson" "$k" "$folder" >>"$folder/bellperson.times"
        INTERLOCK_BACKEND=cpu "$CARGO_TARGET_DIR/release/peer-interlock" "$k" "$folder" >>"$folder/interlock.times"
    done
    equal=yes
    cmp -s "$folder/bellperson.proof" "$folder/interlock.proof" || { equal=NO; status=1; }
    awk -v k="$k" -v equal="$equal" \
        -v bw="$(median "$folder/bellperson.times" 1)" -v bc="$(median "$folder/bellperson.times" 2)" \
        -v iw="$(median "$folder/interlock.times" 1)" -v ic="$(median "$folder/interlock.times" 2)" \
        'BEGIN { printf "| 2^%d | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %s |\n", k, bw, iw, iw / bw, bc, ic, ic / bc, equal }'
done
exit $status
