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
    if timeout --kill-after=5 "${step_seconds:-120}" "$@"; then
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
step "MSMs, sums, decoding and lists against blst" ./interlock-kit msm 70000
step "MSMs timed" ./interlock-kit msm-time 26
step "the polynomial h against the CPU's" ./interlock-kit quotient 22
step "the polynomial h, its times" ./interlock-kit quotient-times 27
export INTERLOCK_BACKEND=gpu
step "vectors through the C ABI" ./prove_vector vectors/*/
step "two halves" ./start_finalize vectors/tiny vectors/mimc322x3
step "threads" ./threads 6 vectors/tiny vectors/mimc322 vectors/dup vectors/unsat vectors/nob vectors/lg1
step "misuse" ./misuse vectors/mixed vectors/small
step "whole proofs, checked and timed" ./run.sh --folder "${TMPDIR:-/tmp}" 20 22 24
if [[ -x compare.sh ]]; then
    step_seconds=400 step "beside other provers" ./compare.sh
fi
if [[ -x $sanitizer ]]; then
    for tool in memcheck initcheck racecheck synccheck; do
        step "$tool" "$sanitizer" --tool "$tool" --error-exitcode 9 ./interlock-kit device 700
        step "$tool on MSMs" "$sanitizer" --tool "$tool" --error-exitcode 9 ./interlock-kit msm-few
        step "$tool on h" "$sanitizer" --tool "$tool" --error-exitcode 9 ./interlock-kit quotient 11
        step "$tool on proofs" "$sanitizer" --tool "$tool" --error-exitcode 9 ./prove_vector vectors/lg3 vectors/mimc322 vectors/nob
    done
else
    failed=$((failed + 1))
    echo "FAILED: there is no compute-sanitizer"
fi
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
