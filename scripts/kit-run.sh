#!/usr/bin/env bash
# Runs what scripts/kit-build.sh built, on a machine with a GPU, in parts that take minutes each. A part ends with
# `PART: N passed, N failed`, all of them with `N passed, N failed`.
#   kit/kit-run.sh [PART...]     all of these if none is given
#     kernels    arithmetic, MSMs, lists, decoding and h against blst and the CPU
#     abi        the vectors through the C ABI, and what its callers may do and get wrong
#     shapes     200 random circuits against the CPU's proofs, and what a warm proof calls; KIT_SEED repeats a run
#     variants   random circuits and the vectors under budgets of device memory that make every variant of the prover
#     faults     each call of CUDA failing in turn, KIT_FAULTS (40) in each kind of work
#     workers    three workers at 2^24 under several budgets, and whether one's uploads lie inside the MSMs of others
#     devices    calls that name a device; with several GPUs, workers on one and on all
#     proofs     whole proofs of 2^20 to 2^24 constraints, checked and timed; and a process for each proof
#     times      throughput of the arithmetic; MSMs and h timed
#     peers      the table of bench/compare.sh, where other provers were built too
#     surroundings
#                processes and threads that are not as usual
#     memcheck, initcheck, synccheck, racecheck
#                kernels and proofs of few blocks under this tool of compute-sanitizer
set -uo pipefail
cd "$(dirname "$0")"
parts=(kernels abi shapes variants faults proofs workers devices times peers surroundings memcheck initcheck synccheck racecheck)

all_passed=0 all_failed=0 passed=0 failed=0

# Runs a command for so many seconds at most, and counts it.
step() {
    local name=$1 limit=$2 start=$SECONDS status
    shift 2
    printf '== %s\n' "$name"
    timeout --kill-after=5 "$limit" "$@"
    status=$?
    if [[ $status == 0 ]]; then
        passed=$((passed + 1))
        printf '   %d s\n' $((SECONDS - start))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s (exit status %d after %d s)\n' "$name" "$status" $((SECONDS - start))
    fi
}

vectors() {
    printf '%s\n' "${@/#/vectors/}"
}

kernels() {
    step "devices" 30 ./interlock-kit devices
    # It ends with 1 where there is something to do, here about a folder without a node's parameters.
    # shellcheck disable=SC2016  # for sh
    FIL_PROOFS_PARAMETER_CACHE=vectors/lg2 step "what the doctor says" 60 sh -c './interlock-doctor; [ $? -le 1 ]'
    step "arithmetic against blst" 120 ./interlock-kit device 1000000
    step "MSMs, sums, decoding and lists against blst" 120 ./interlock-kit msm 70000
    step "the polynomial h against the CPU's" 120 ./interlock-kit quotient 22
    step "uploads from one thread and from several" 120 ./interlock-kit uploads 3000000
    step "uploads that pass others" 60 ./interlock-kit uploads-apart
    step "parameter files, good and bad, as the CPU loads them" 120 ./interlock-kit load 30
}

abi() {
    local some
    mapfile -t some < <(vectors tiny mimc322 dup unsat nob lg1)
    step "all vectors" 120 ./prove_vector vectors/*/
    INTERLOCK_H_MULTIPLES=1 step "all vectors with multiples of h" 120 ./prove_vector vectors/*/
    step "two halves" 60 ./start_finalize vectors/tiny vectors/mimc322x3
    step "threads" 60 ./threads 6 "${some[@]}"
    step "parameters that take each other's place" 120 ./parameters vectors/mimc322 vectors/dup vectors/sha256x2
    step "any order" 60 ./stress 1 100 "${some[@]}"
    step "misuse" 60 ./misuse vectors/mixed vectors/small
    INTERLOCK_BACKEND=gpu INTERLOCK_VECTORS=$PWD/vectors step "an engine like cuzk's" 120 ./curio-engine
}

surroundings() {
    step "processes and threads that are not as usual" 500 ./surroundings vectors/lg2
}

shapes() {
    # shellcheck disable=SC2086  # none or one
    step "random circuits against the CPU" 300 ./interlock-kit shapes 200 ${KIT_SEED:-}
    step "a warm proof's calls" 60 ./interlock-kit warm
    step "the trace of proofs" 60 ./interlock-kit traced
}

faults() {
    step "failures of CUDA" 280 ./interlock-kit faults "${KIT_FAULTS:-40}"
    INTERLOCK_H_MULTIPLES=1 step "failures of CUDA with multiples of h" 280 ./interlock-kit faults "${KIT_FAULTS:-40}"
}

workers() {
    local trace=${TMPDIR:-/tmp}/interlock-trace-$$.json
    OPTIONS="--trace $trace" WORKERS=3 step "workers at once" 280 ./workers.sh 24 free 16/12
    step "uploads inside the MSMs of others" 30 awk -f uploads.awk "$trace"
    OPTIONS="--parameters 2" WORKERS=4 step "workers with two parameter files" 280 ./workers.sh 22 3G 1G
    rm -f "$trace"
}

devices() {
    step "calls that name a device" 120 ./devices 6 vectors/{tiny,mimc322,dup,sha256x2}
    if (($(./interlock-kit devices | wc -l) < 2)); then
        echo "skipped, as there is one GPU: workers on several"
        return
    fi
    CUDA_VISIBLE_DEVICES=0 WORKERS=3,6 step "workers on one GPU" 120 ./workers.sh 24 free
    CALLS=16 WORKERS=3,6 step "workers on all GPUs" 120 ./workers.sh 24 free
}

# A line with a budget and a vector for the least budget of each variant.
least_budgets() {
    local folder budget
    for folder in vectors/*/; do
        for budget in $(./interlock-kit budgets "$folder/params"); do echo "$budget $folder"; done
    done
}

variants() {
    local vectors budget processes=8
    step "plans" 30 ./plan
    for vectors in 0 1 2 3; do
        INTERLOCK_VRAM_BUDGET=1G step "random circuits, resident, $vectors vectors" 200 \
            ./interlock-kit shapes 60 "${KIT_SEED:-1}" resident $vectors
    done
    for vectors in 0 1 2; do
        INTERLOCK_VRAM_BUDGET=24M step "random circuits, streamed, $vectors vectors" 200 \
            ./interlock-kit shapes 60 "${KIT_SEED:-1}" streamed $vectors
    done
    step "random circuits within the least budgets, $processes processes at once" 400 \
        ./interlock-kit variants 60 "${KIT_SEED:-1}" "$processes"
    # shellcheck disable=SC2016  # for sh
    step "each vector within the least budgets, $processes processes at once" 300 xargs -n 2 -P "$processes" sh -c \
        'INTERLOCK_VRAM_BUDGET=$0 timeout 60 ./prove_vector "$1" || { echo "FAILED: $1 within $0 bytes"; exit 1; }' < <(least_budgets)
    for budget in 17M 20M 24M 1G; do
        INTERLOCK_VRAM_BUDGET=$budget step "all vectors within $budget" 120 ./prove_vector vectors/*/
    done
    for budget in 17M 24M 32M; do
        INTERLOCK_VRAM_BUDGET=$budget step "parameters that take each other's place within $budget" 120 \
            ./parameters vectors/mimc322 vectors/sha256x2
    done
    INTERLOCK_VRAM_BUDGET=32M step "threads within 32M" 60 ./threads 6 vectors/{tiny,mimc322,dup,unsat,nob,lg1,sha256x2}
    INTERLOCK_VRAM_BUDGET=12M step "a warm proof's calls within 12M" 60 ./interlock-kit warm
    INTERLOCK_H_MULTIPLES=1 step "random circuits with multiples of h" 200 ./interlock-kit shapes 60 "${KIT_SEED:-1}" resident 3
    # No vector, one and two in device memory.
    for budget in 128M 300M 500M; do
        INTERLOCK_VRAM_BUDGET=$budget step "2^22 within $budget" 300 ./run.sh --folder "${TMPDIR:-/tmp}" 22
    done
}

proofs() {
    step "whole proofs, checked and timed" 300 ./run.sh --folder "${TMPDIR:-/tmp}" 20 22 24
    step "a process for each proof" 300 ./run.sh --folder "${TMPDIR:-/tmp}" --warm 3 --children 1,2 22
}

times() {
    step "throughput" 60 ./interlock-kit throughput
    step "MSMs timed" 120 ./interlock-kit msm-time 26
    step "MSMs with multiples of points timed" 120 ./interlock-kit msm-multiples 26
    step "uploads timed" 60 ./interlock-kit uploads-time 24
    step "the polynomial h timed" 120 ./interlock-kit quotient-times 27
}

peers() {
    if [[ -x compare.sh ]]; then step "beside other provers" 500 ./compare.sh; fi
}

# Runs a command under a tool of compute-sanitizer; a finding is a failure.
under() {
    local tool=$1 name=$2 limit=$3
    shift 3
    step "$tool: $name" "$limit" "$sanitizer" --tool "$tool" --error-exitcode 9 "$@"
}

sanitize() {
    local tool=$1 folder
    shift
    if [[ $tool != racecheck ]]; then
        under "$tool" "arithmetic" 90 ./interlock-kit device 700
    fi
    under "$tool" "MSMs and sums" 90 ./interlock-kit msm-few
    under "$tool" "uploads" 90 ./interlock-kit uploads 9000
    under "$tool" "h" 90 ./interlock-kit quotient-few
    if [[ $tool == memcheck || $tool == initcheck ]]; then
        INTERLOCK_VRAM_BUDGET=24M under "$tool" "circuits whose parameters pass" 200 ./interlock-kit shapes 4 1 streamed 2
    fi
    for folder in "$@"; do
        under "$tool" "proofs of $folder" 90 ./prove_vector "vectors/$folder"
    done
}

memcheck() { sanitize memcheck lg3 dom2noaux nob; }
initcheck() { sanitize initcheck lg3 dom2noaux nob; }
synccheck() { sanitize synccheck lg3 dom2noaux nob; }
racecheck() { sanitize racecheck dom2noaux lg1 tiny; }

for part in "$@"; do
    if [[ " ${parts[*]} " != *" $part "* ]]; then
        echo "there is no part $part, but: ${parts[*]}" >&2
        exit 2
    fi
done
if [[ $# -gt 0 ]]; then parts=("$@"); fi

export INTERLOCK_BACKEND=gpu
sanitizer=$(command -v compute-sanitizer || ls -d /usr/local/cuda*/bin/compute-sanitizer 2>/dev/null | tail -n 1)
sanitizer=${sanitizer:-compute-sanitizer}
command -v nvidia-smi >/dev/null && nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,memory.total --format=csv,noheader
for part in "${parts[@]}"; do
    passed=0 failed=0
    "$part"
    echo "$part: $passed passed, $failed failed"
    all_passed=$((all_passed + passed)) all_failed=$((all_failed + failed))
done
echo "$all_passed passed, $all_failed failed"
[[ $all_failed == 0 ]]
