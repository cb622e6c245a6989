#!/usr/bin/env bash
# The Rust doors, tested: unmodified bellperson and Curio's way of calling, through the two `supraseal-c2` crates.
#   ffi-tests/rust/run.sh [all | bellperson-026 | bellperson-027 | paths-override | override-script | curio | no-static-library | lint | relock]...
# `relock` brings the lock files up to date after a change of the library's own dependencies.
# Builds into CARGO_TARGET_DIR, or else into `target` at the top of the repository. May be run again at any time.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
export INTERLOCK_BELLPERSON_CASES=$CARGO_TARGET_DIR/bellperson-cases
export INTERLOCK_VECTORS=${INTERLOCK_VECTORS:-$root/ffi-tests/vectors/data}

say() { printf '== %s\n' "$*"; }

# Parameters and the proofs of bellperson's CPU prover, made once a run.
cases() {
    [ -z "${cases_made:-}" ] || return 0
    say "bellperson's CPU prover makes parameters and proofs"
    (cd bellperson-cpu && cargo run --release --locked --quiet -- "$INTERLOCK_BELLPERSON_CASES")
    cases_made=yes
}

# patched PACKAGE: bellperson with [patch.crates-io].
patched() {
    cases
    say "$1, swapped in by [patch.crates-io]"
    (cd "$1" && cargo test --release --locked)
}

paths_override() {
    cases
    say "a lock file with crates.io's supraseal-c2, swapped in by paths = [...], built with --locked"
    (
        cd paths-override
        grep -A 3 '^name = "supraseal-c2"' Cargo.lock | grep -q '^checksum' ||
            { echo "paths-override/Cargo.lock does not name crates.io's supraseal-c2" >&2; exit 1; }
        before=$(cksum Cargo.lock)
        cargo test --release --locked
        [ "$(cksum Cargo.lock)" = "$before" ] || { echo "paths-override/Cargo.lock has changed" >&2; exit 1; }
    )
}

# compat/override.sh on a copy of that workspace.
override_script() {
    say "the script that puts the override in and takes it out"
    local work config before
    work=$(mktemp -d)
    mkdir "$work/workspace"
    cp -r common "$work"
    cp paths-override/Cargo.toml paths-override/Cargo.lock "$work/workspace"
    config=$work/workspace/.cargo/config.toml
    before=$(cksum <"$work/workspace/Cargo.lock")
    for others in "" $'[net]\nretry = 3'; do
        rm -rf "$work/workspace/.cargo"
        if [ -n "$others" ]; then
            mkdir "$work/workspace/.cargo"
            printf '%s\n' "$others" >"$config"
        fi
        for _ in 1 2; do
            "$root/compat/override.sh" "$work/workspace"
            [ "$(grep -c '^paths' "$config")" = 1 ] && head -n 1 "$config" | grep -qF "$root/compat/supraseal-c2\""
        done
        "$root/compat/override.sh" --undo "$work/workspace"
        [ "$(cat "$config" 2>/dev/null || true)" = "$others" ] || { echo "something is left in $config" >&2; exit 1; }
    done
    mkdir -p "$work/workspace/.cargo"
    printf 'paths = ["/elsewhere"]\n' >"$config"
    ! "$root/compat/override.sh" "$work/workspace" || { echo "other paths were overridden" >&2; exit 1; }
    [ "$(cksum <"$work/workspace/Cargo.lock")" = "$before" ] || { echo "Cargo.lock has changed" >&2; exit 1; }
    # Where nothing takes supraseal-c2, or the arguments are none, nothing is left.
    mkdir -p "$work/other/src"
    printf '[package]\nname = "other"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n' >"$work/other/Cargo.toml"
    touch "$work/other/src/lib.rs"
    (cd "$work/other" && cargo generate-lockfile --offline --quiet)
    for arguments in "$work/other" "$work/other --undo" "--undoo $work/other"; do
        # shellcheck disable=SC2086  # several arguments
        ! "$root/compat/override.sh" $arguments || { echo "override.sh $arguments succeeded" >&2; exit 1; }
        [ ! -e "$work/other/.cargo" ] || { echo "override.sh $arguments left its override" >&2; exit 1; }
    done
    rm -r "$work"
}

curio() {
    say "Curio's way of calling"
    (cd curio && cargo test --release --locked)
}

# filecoin-ffi takes the first line in which rustc tells the native libraries of a static library for those of its own.
no_static_library() {
    say "no library of C's is made of interlock as a dependency"
    ! (cd "$root" && cargo metadata --format-version 1 --no-deps --locked) | grep -o '"crate_types":\["[^]]*lib"\]' | grep "static\|cdylib"
}

packages=(../../compat/supraseal-c2 ../../compat/supraseal-c2-curio bellperson-cpu bellperson-026 bellperson-027 curio)

relock() {
    for package in "${packages[@]}"; do
        (cd "$package" && cargo metadata --format-version 1 >/dev/null)
    done
}

lint() {
    for package in "${packages[@]}"; do
        say "lint ${package##*/}"
        (cd "$package" && cargo fmt --check && cargo clippy --quiet --release --locked --all-targets -- -D warnings)
    done
}

[ $# -gt 0 ] || set -- all
for target in "$@"; do
    case $target in
        bellperson-026 | bellperson-027) patched "$target" ;;
        paths-override) paths_override ;;
        override-script) override_script ;;
        curio) curio ;;
        lint) lint ;;
        relock) relock ;;
        no-static-library) no_static_library ;;
        all)
            no_static_library
            patched bellperson-026
            patched bellperson-027
            paths_override
            override_script
            curio
            ;;
        *)
            echo "run.sh: there is no $target" >&2
            exit 2
            ;;
    esac
done
say "done"
