#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Installing into a staging folder, again, and undoing it. Usage: ffi-tests/link/check-install.sh PREFIX, whose libraries
# are taken for the build's.
set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
built=$1/lib
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DESTDIR=$work/stage PREFIX=/opt/interlock
installed=$DESTDIR$PREFIX
passed=0 failed=0

check() {
    local what=$1
    shift
    if "$@"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
    fi
}

files() {
    (cd "$DESTDIR" && find . ! -type d | sort)
}

fingerprint() {
    (cd "$DESTDIR" && find . ! -type d -print0 | sort -z | xargs -0 sha256sum)
}

# Whether what pkg-config says of an installed tree compiles and runs there.
works_in() {
    local flags
    read -ra flags < <(PKG_CONFIG_PATH=$1/lib/pkgconfig pkg-config --cflags --libs interlock)
    cat >"$work/version.c" <<'C'
#include <interlock.h>
#include <stdio.h>
int main(void) { return puts(interlock_version()) < 0; }
C
    "${CC:-gcc}" "$work/version.c" -o "$work/version" "${flags[@]}" &&
        [ "$(LD_LIBRARY_PATH=$1/lib "$work/version")" = "$(PKG_CONFIG_PATH=$1/lib/pkgconfig pkg-config --modversion interlock)" ]
}

mkdir -p "$installed/lib"
echo foreign >"$installed/lib/foreign"
expected="./opt/interlock/include/interlock.h
./opt/interlock/lib/foreign
./opt/interlock/lib/libinterlock.a
./opt/interlock/lib/libinterlock.so
./opt/interlock/lib/libinterlock.so.0
./opt/interlock/lib/pkgconfig/interlock.pc"

check "install" "$root/scripts/install.sh" "$built"
check "the installed files are others: $(files)" [ "$(files)" = "$expected" ]
first=$(fingerprint)
check "install again" "$root/scripts/install.sh" "$built"
check "installing again changed something" [ "$(fingerprint)" = "$first" ]
check "the staging folder is named in the installed text" \
    [ -z "$(grep -l "$work" "$installed/lib/pkgconfig/interlock.pc" "$installed/include/interlock.h")" ]
check "a program built from the staged tree" works_in "$installed"
mv "$installed" "$work/moved"
check "a program built from the moved tree" works_in "$work/moved"
mkdir -p "$(dirname "$installed")"
mv "$work/moved" "$installed"
check "uninstall" "$root/scripts/install.sh" --uninstall
check "left after uninstalling: $(files)" [ "$(files)" = "./opt/interlock/lib/foreign" ]
check "uninstall again" "$root/scripts/install.sh" --uninstall
echo "check-install: $passed passed, $failed failed"
[ "$failed" = 0 ]
