#!/usr/bin/env bash
# Runs what build.sh built: makes parameters for sectors of 2 KiB, once, and takes such a sector through its life with each prover
# that was built. Every proof is verified. Fails if one is not right or a prover fails.
#   run.sh [PROVER...]     interlock, supraseal and bellperson (all)
#   PARAMETERS=FOLDER      where parameters are and go, 2 GB (parameters beside this script)
#   ROUNDS=N               proofs of each kind (3)
#   KINDS="KIND..."        of these: replication winning window update (all)
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
export FIL_PROOFS_PARAMETER_CACHE=${PARAMETERS:-$here/parameters}
mkdir -p "$FIL_PROOFS_PARAMETER_CACHE"
provers=("$@")
((${#provers[@]})) || provers=(interlock supraseal bellperson)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ ! -e $FIL_PROOFS_PARAMETER_CACHE/.whole ]]; then
    echo "== parameters"
    time "$here/paramcache" --sector-sizes 2048 --api-version 1.2.0 || exit
    touch "$FIL_PROOFS_PARAMETER_CACHE/.whole"
fi
failed=0
for prover in "${provers[@]}"; do
    echo "== $prover"
    # What proves on the CPU although it was built for a GPU is no result.
    # shellcheck disable=SC2086  # several kinds or none
    INTERLOCK_BACKEND=${INTERLOCK_BACKEND:-gpu} timeout --kill-after=5 "${LIMIT:-300}" \
        "$here/life-cycle-$prover" "$work/$prover" "${ROUNDS:-3}" ${KINDS:-} || {
        failed=$((failed + 1))
        echo "FAILED: $prover"
    }
done
echo "$((${#provers[@]} - failed)) passed, $failed failed"
exit $((failed > 0))
