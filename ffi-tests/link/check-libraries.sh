#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
#
# What the installed libraries show of themselves: the header's functions and nothing else, a SONAME, no demands on the
# loader. Usage: ffi-tests/link/check-libraries.sh PREFIX
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
prefix=$1
exports=$here/exports.txt
shared=$prefix/lib/libinterlock.so.0
static=$prefix/lib/libinterlock.a
passed=0 failed=0

# Runs a command whose output says what is wrong; none is right.
none() {
    local what=$1 found
    shift
    if found=$("$@" 2>&1) && [ -z "$found" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED: %s\n%s\n' "$what" "$found"
    fi
}

exported_by_header() {
    grep -v '^//\|^typedef' "$prefix/include/interlock.h" | sed -n 's/^[a-z][a-z_ ]*[ *]\([A-Za-z0-9_]*\)(.*/\1/p' |
        sort | diff "$exports" -
}
exported_by_shared() { nm --dynamic --defined-only --format=posix "$shared" | cut -d' ' -f1 | sort | diff "$exports" -; }
exported_by_static() {
    nm --extern-only --defined-only --format=posix "$static" | grep -v ':$' | cut -d' ' -f1 | sort | diff "$exports" -
}
soname() { readelf -d "$shared" | grep "SONAME.*\[libinterlock.so.0\]" >/dev/null || echo "not libinterlock.so.0"; }
search_paths() { readelf -d "$shared" | grep 'RPATH\|RUNPATH\|TEXTREL'; [ $? = 1 ]; }
executable_stack() {
    readelf -lW "$shared" | grep GNU_STACK | grep RWE
    readelf -SW "$static" | grep '\.note\.GNU-stack' >/dev/null || echo "$static asks for an executable stack"
}
unloadable() { readelf -d "$shared" | grep NODELETE >/dev/null || echo "threads of it may outlive dlclose()"; }
loose_link() { [ "$(readlink "$prefix/lib/libinterlock.so")" = libinterlock.so.0 ] || echo "not a link to libinterlock.so.0"; }

export LC_ALL=C
none "the header declares other functions than exports.txt (<) lists" exported_by_header
none "libinterlock.so exports other symbols than exports.txt (<) lists" exported_by_shared
none "libinterlock.a exports other symbols than exports.txt (<) lists" exported_by_static
none "the SONAME of libinterlock.so" soname
none "libinterlock.so has search paths or relocations in its code" search_paths
none "a library asks for an executable stack" executable_stack
none "libinterlock.so can be unloaded" unloadable
none "libinterlock.so is not the development link" loose_link
echo "check-libraries: $passed passed, $failed failed"
[ "$failed" = 0 ]
