#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Checks that programs which were built against the last release's header work with this library: every fact of the ABI's
# description, SONAME.abi beside this script, still holds. More than that may hold.
#
# Usage: ffi-tests/abi/check.sh PREFIX             where scripts/install.sh has installed to
#        ffi-tests/abi/check.sh --update PREFIX    takes the present ABI as the one to keep: at a release, and with a new SONAME
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
update=
if [[ ${1:-} == --update ]]; then
    update=yes
    shift
fi
if [[ $# != 1 || ! -f $1/include/interlock.h ]]; then
    sed -n 's/^# Usage: //p; s/^#        \(ffi\)/\1/p' "$0" >&2
    exit 2
fi
export LC_ALL=C
soname=$(readelf -d "$1/lib/libinterlock.so" | sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')
kept=$here/$soname.abi
present=$("$here/describe.py" "$1/include/interlock.h")

if [[ $update ]]; then
    printf '%s\n' "$present" >"$kept"
    exit
fi
if [[ ! -f $kept ]]; then
    echo "there is no $kept: ffi-tests/abi/check.sh --update makes it" >&2
    exit 1
fi
if lost=$(grep -Fxv -f <(printf '%s\n' "$present") "$kept"); then
    printf 'programs built against %s rely on what is no longer so:\n%s\n' "$soname" "$lost"
    echo "undo that, or raise the SONAME as README.md says"
    exit 1
fi
