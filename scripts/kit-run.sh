#!/usr/bin/env bash
# Runs what scripts/kit-build.sh built, on a machine with a GPU: the kernels' arithmetic against blst and its throughput, the
# polynomial h against the CPU's and its times, the vectors through the C ABI, and the kernels under compute-sanitizer. Ends with
# `N passed, N failed`.
#   kit/kit-run.sh [N]     N results a checked operation (a million by default)
set -uo pipefail
cd "$(dirname "$0")"
count=${1:-1000000}

passed=0 failed=0
step() {
    local name=$1 start=$SECONDS
    shift
    printf '== %s\n' "$name"
    if timeout --kill-after=5 120 "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n' "$name"
    fi
    printf '   %d s\n' $((SECONDS - start))
}

sanitizer=$(command -v compute-sanitizer || ls -d /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | tail -n 1)

nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,memory.total --format=csv,noheader
step "devices" ./interlock-kit devices
step "arithmetic against blst" ./interlock-kit device "$count"
step "throughput" ./interlock-kit throughput
step "the polynomial h against the CPU's" ./interlock-kit quotient 22
step "the polynomial h, its times" ./interlock-kit quotient-times 27
step "vectors through the C ABI" ./prove-vector vectors/*/
if [[ -x $sanitizer ]]; then
    for tool in memcheck initcheck racecheck synccheck; do
        step "$tool" "$sanitizer" --tool "$tool" --error-exitcode 9 ./interlock-kit device 700
        step "$tool on h" "$sanitizer" --tool "$tool" --error-exitcode 9 ./interlock-kit quotient 11
    done
else
    failed=$((failed + 1))
    echo "FAILED: there is no compute-sanitizer"
fi
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
