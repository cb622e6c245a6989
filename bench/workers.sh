#!/usr/bin/env bash
# Workers that prove at once on this machine's first GPU, under budgets of device memory; a line for each budget and number of workers. All
# prove the same circuit of the PoRep mix, so that the host's memory suffices. The program is the one beside this script where it was carried
# to a machine without cargo, else it is built now.
# usage: workers.sh [K [BUDGET...]]    the size as log2 of the domain (24), and of these (all three):
#   a size           as INTERLOCK_VRAM_BUDGET takes it
#   free             what the device has
#   16/12            16 GiB for each 12 GiB that a, b and c of a circuit have
#   down             three quarters of that and so on, down to the smallest with which three workers prove
#   WORKERS=W,W...   how many (1,2,3,4,8)
#   ROUNDS=N         calls that each makes (3)
#   LIMIT=SECONDS    for a budget (280)
#   OPTIONS=...      more options of interlock-bench-prove, e.g. "--overlap --circuits 2"
#   WORK=FOLDER      where parameters go: 400 bytes times the domain's size (a new one, removed)
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
k=${1:-24}
budgets=("${@:2}")
((${#budgets[@]})) || budgets=(free 16/12 down)
work=$(mktemp -d "${WORK:-${TMPDIR:-/tmp}}/interlock-workers.XXXXXX")
trap 'rm -rf "$work"' EXIT
like_16_of_12=$((128 << k))
program=$here/interlock-bench-prove
if [[ ! -x $program ]]; then
    target=${CARGO_TARGET_DIR:-$here/prove/target}
    CARGO_TARGET_DIR=$target cargo build --quiet --release --locked --manifest-path "$here/prove/Cargo.toml"
    program=$target/release/interlock-bench-prove
fi

# Prints the lines for budget $1, or none for what is free, and the workers $2.
lines() {
    local said status
    # shellcheck disable=SC2086  # several options or none
    said=$(${1:+env INTERLOCK_VRAM_BUDGET=$1} timeout --kill-after=5 "${LIMIT:-280}" "$program" --keep --folder "$work" --warm 1 --workers "$2" \
        --rounds "${ROUNDS:-3}" ${OPTIONS:-} "$k" 2>"$work/log")
    status=$?
    awk -v header="$header" '/^\| size \| values \| budget/ { on = 1; left = 2 } on && (left-- <= 0 || header) && /^\|/' <<<"$said"
    header=
    return $status
}

failed=0 header=yes
command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,memory.total --format=csv,noheader
echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), $(nproc) cores; load $(cut -d' ' -f1 /proc/loadavg)"
for budget in "${budgets[@]}"; do
    case $budget in
    free) bytes= ;;
    16/12) bytes=$like_16_of_12 ;;
    down)
        bytes=$((like_16_of_12 / 4 * 3))
        while lines $bytes 3; do bytes=$((bytes / 4 * 3)); done
        echo "not with $bytes: $(tail -n 1 "$work/log")"
        if grep -q -e WRONG -e panic "$work/log"; then failed=$((failed + 1)); fi
        continue
        ;;
    *) bytes=$budget ;;
    esac
    lines "$bytes" "${WORKERS:-1,2,3,4,8}" || {
        failed=$((failed + 1))
        echo "FAILED with $budget: $(tail -n 1 "$work/log")"
    }
done
exit $((failed > 0))
