#!/usr/bin/env bash
# Workers that prove at once on this machine's GPUs, under budgets of device memory; a line for each budget and number of workers. All
# prove the same circuit of the PoRep mix, so that the host's memory suffices, over the same parameters, which are made once. Every proof is
# checked. The program is the one beside this script where it was carried to a machine without cargo, else it is built now.
# usage: workers.sh [K [BUDGET...]]    the size as log2 of the domain (24), and of these (free and 16/12):
#   a size           as INTERLOCK_VRAM_BUDGET takes it
#   free             what the devices have
#   16/12            16 GiB for each 12 GiB that a, b and c of a circuit have
#   least            the least that a circuit can be proved within
#   WORKERS=W,W...   how many (1,2,3,4,8)
#   CALLS=N          calls of so many that are timed, at least, and two of each (8)
#   LIMIT=SECONDS    for a budget (280)
#   OPTIONS=...      more options of interlock-bench-prove, e.g. "--overlap --circuits 2" or "--trace FILE"
#   WORK=FOLDER      where parameters go: 400 bytes times the domain's size (a new one, removed)
#   CUDA_VISIBLE_DEVICES=0    on one GPU of several
# "Computing" is the share of the time in which a device had kernels of a batch, from when all of it was enqueued, and, as the second number,
# from its first kernel on and with those of uploads; "busy" is the same by the driver's samples.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
k=${1:-24}
budgets=("${@:2}")
((${#budgets[@]})) || budgets=(free 16/12)
work=$(mktemp -d "${WORK:-${TMPDIR:-/tmp}}/interlock-workers.XXXXXX")
trap 'rm -rf "$work"' EXIT
program=$here/interlock-bench-prove
if [[ ! -x $program ]]; then
    target=${CARGO_TARGET_DIR:-$here/prove/target}
    CARGO_TARGET_DIR=$target cargo build --quiet --release --locked --manifest-path "$here/prove/Cargo.toml"
    program=$target/release/interlock-bench-prove
fi

# Prints the lines for budget $1, or none for what is free.
lines() {
    # shellcheck disable=SC2086  # several options or none
    ${1:+env INTERLOCK_VRAM_BUDGET=$1} timeout --kill-after=5 "${LIMIT:-280}" "$program" --keep --folder "$work" \
        --workers "${WORKERS:-1,2,3,4,8}" --calls "${CALLS:-8}" ${OPTIONS:-} "$k" 2>"$work/log" |
        awk -F '|' -v header="$header" 'NF == 18 && (header || !/^\| (size|---)/) { print; fflush() }'
}

failed=0 header=yes
command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,memory.total --format=csv,noheader
echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), $(nproc) cores; load $(cut -d' ' -f1 /proc/loadavg)"
for budget in "${budgets[@]}"; do
    case $budget in
    free) bytes= ;;
    16/12) bytes=$((128 << k)) ;;
    least) bytes=$("$program" --least "$k") ;;
    *) bytes=$budget ;;
    esac
    start=$SECONDS
    lines "$bytes" || {
        failed=$((failed + 1))
        echo "FAILED with $budget: $(tail -n 1 "$work/log")"
    }
    header=
    echo "$budget: $((SECONDS - start)) s; $(grep -o 'parameters of .* written in .*' "$work/log")" >&2
done
exit $((failed > 0))
