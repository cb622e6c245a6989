#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# Installs the C library: header, shared library, static library, pkg-config file.
#
# Usage: [PREFIX=/usr/local] [DESTDIR=] scripts/install.sh BUILD_FOLDER
#        [PREFIX=/usr/local] [DESTDIR=] scripts/install.sh --uninstall
#
# BUILD_FOLDER has libinterlock.so and libinterlock.a, as scripts/build-library.sh leaves them in target/release. The pkg-config file finds
# the rest from where it lies, so the installed tree may be moved.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
prefix=${DESTDIR:-}${PREFIX:-/usr/local}
soname=libinterlock.so.0

uninstall() {
    rm -f "$prefix/include/interlock.h" "$prefix/lib/libinterlock.so" "$prefix/lib/$soname" \
        "$prefix/lib/libinterlock.a" "$prefix/lib/pkgconfig/interlock.pc"
}

# What libinterlock.a needs besides what every C compiler links by itself: C++'s runtime only with CUDA inside.
private_libraries() {
    local libraries="-lpthread -lm -ldl -lrt"
    if nm --undefined-only "$1" | grep -E ' (__gxx_personality_v0|__cxa_throw|_Zn[aw]m|_ZSt[0-9].*)$' >/dev/null; then
        libraries="-lstdc++ $libraries"
    fi
    echo "$libraries"
}

install_all() {
    local build=$1 version staging
    version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$root/Cargo.toml" | head -n 1)
    staging=$(mktemp -d)
    # shellcheck disable=SC2064  # the folder of now
    trap "rm -rf '$staging'" EXIT
    "$root/scripts/bundle-static.sh" "$build/libinterlock.a" "$staging/libinterlock.a" \
        "$root/ffi-tests/link/exports.txt"
    sed -e "s|@VERSION@|$version|" -e "s|@LIBS_PRIVATE@|$(private_libraries "$staging/libinterlock.a")|" \
        "$root/scripts/interlock.pc.in" >"$staging/interlock.pc"

    install -d "$prefix/include" "$prefix/lib/pkgconfig"
    install -m 644 "$root/include/interlock.h" "$prefix/include/interlock.h"
    install -m 755 "$build/libinterlock.so" "$prefix/lib/$soname"
    ln -sf "$soname" "$prefix/lib/libinterlock.so"
    install -m 644 "$staging/libinterlock.a" "$prefix/lib/libinterlock.a"
    install -m 644 "$staging/interlock.pc" "$prefix/lib/pkgconfig/interlock.pc"
}

case ${1:-} in
--uninstall) uninstall ;;
"" | -*)
    sed -n 's/^# Usage: //p; s/^#        \[/[/p' "$0" >&2
    exit 2
    ;;
*) install_all "$1" ;;
esac
