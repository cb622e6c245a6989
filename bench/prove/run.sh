#!/usr/bin/env bash
# Times and checks whole proofs: with the program beside this script where it was carried to a machine without cargo, else with one
# that is built now.
# usage: run.sh [OPTION...] K...     as interlock-bench-prove, e.g. `run.sh 20 22 24` or `run.sh --backend cpu 16`
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
program=$here/interlock-bench-prove
if [[ ! -x $program ]]; then
    target=${CARGO_TARGET_DIR:-$here/target}
    CARGO_TARGET_DIR=$target cargo build --quiet --release --locked --manifest-path "$here/Cargo.toml"
    program=$target/release/interlock-bench-prove
fi
if command -v nvidia-smi >/dev/null; then
    nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,memory.total --format=csv,noheader
fi
echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2 | xargs), $(nproc) cores; load $(cut -d' ' -f1 /proc/loadavg)"
exec "$program" "$@"
