#!/usr/bin/env bash
# Has the workspace in this folder, or in FOLDER, prove with interlock: overrides the path of the crate supraseal-c2 in its
# .cargo/config.toml, changes nothing else, and asks cargo whether that is what it builds. May be run again at any time.
#   override.sh [--undo] [FOLDER]     FOLDER has Cargo.toml and Cargo.lock; --undo takes the override out again
#   FEATURES=...                      features to ask cargo about (cuda-supraseal,multicore-sdr, where the package has them)
set -euo pipefail
undo=no
if [[ ${1:-} == --undo ]]; then
    undo=yes
    shift
fi
if [[ $# -gt 1 || ${1:-} == -* ]]; then
    echo "usage: override.sh [--undo] [FOLDER]" >&2
    exit 2
fi
ours=$(cd "$(dirname "$0")" && pwd)/supraseal-c2
cd "${1:-.}"
[[ -e Cargo.toml && -e Cargo.lock ]] || { echo "$PWD has no Cargo.toml and Cargo.lock: name the workspace that is built" >&2; exit 1; }

config=.cargo/config.toml
line="paths = [\"$ours\"]"
was_there=$([[ -e $config ]] && cat "$config" && echo . || true)
others=$([[ ! -e $config ]] || grep -vE '^paths = \["[^"]*/compat/supraseal-c2"\]$' "$config" || true)
# The file with this content, or none if there is no content.
leave() {
    if [[ -n $1 ]]; then
        printf %s "$1" >"$config"
    else
        rm -f "$config"
        rmdir .cargo 2>/dev/null || true
    fi
}
if [[ $undo == yes ]]; then
    leave "${others:+$others$'\n'}"
    echo "supraseal-c2 is the one of Cargo.lock again: build as before"
    exit
fi

if grep -qE '^paths *=' <<<"$others"; then
    echo "$PWD/$config overrides other paths already: add \"$ours\" to them by hand" >&2
    exit 1
fi
version=$(rustc --version | cut -d' ' -f2)
if [[ $(printf '1.86.0\n%s\n' "$version" | sort -V | head -n 1) != 1.86.0 ]]; then
    echo "rustc $version builds here, and interlock needs 1.86: raise it in $PWD/rust-toolchain.toml" >&2
    exit 1
fi
# What is not to be built is left as it was.
trap 'leave "${was_there%.}"' EXIT
mkdir -p .cargo
# At the top: below a table the line would belong to that.
printf '%s\n' "$line" ${others:+"$others"} >"$config"

known() { cargo metadata --no-deps --locked --format-version 1 2>/dev/null | grep -oE '"(cuda-supraseal|multicore-sdr)":' | tr -d '":' | sort -u | paste -sd,; }
features=$(known || true)
features=${FEATURES-$features}
tree=$(cargo tree --locked --no-default-features ${features:+--features "$features"} -i supraseal-c2) || { echo "nothing is overridden: no package here takes supraseal-c2 with the features asked about (FEATURES=$features)" >&2; exit 1; }
if ! grep -qF "($ours)" <<<"$tree"; then
    printf '%s\n' "$tree" >&2
    echo "cargo does not build interlock's supraseal-c2 here, so nothing is overridden" >&2
    exit 1
fi
trap - EXIT
echo "supraseal-c2 is interlock's: build as before, with the feature cuda-supraseal"
