#!/usr/bin/env bash
# Installs what `make prove` or `make test` needs and this machine lacks: into the tree (.tools) where it can, else with apt.
#   scripts/setup.sh prove|test
set -euo pipefail
cd "$(dirname "$0")/.."
goal=${1:?prove or test}

say() { printf 'setup: %s\n' "$*" >&2; }
have() { command -v "$1" >/dev/null 2>&1; }
die() { say "$*"; exit 1; }

# apt_install PACKAGE...: installs Debian packages if that is possible here, else says what to install.
apt_install() {
    have apt-get || die "please install: $* (there is no apt-get here to do it with)"
    local sudo=()
    if [ "$(id -u)" != 0 ]; then
        have sudo || die "please install as root: apt-get install $*"
        sudo=(sudo)
    fi
    say "installing $*"
    "${sudo[@]}" apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "$@" >&2
}

# at_least A B: whether version A is B or later.
at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# A CUDA compiler: always for the tests, and to prove where there is a GPU to prove on.
nvcc=no
if [ "$goal" = test ] || [ -e /dev/nvidiactl ]; then
    if [ -n "${INTERLOCK_NVCC:-}${CUDA_HOME:-}${CUDA_PATH:-}" ] || have nvcc; then
        say "using the CUDA compiler that this environment names"
    else
        nvcc=yes
    fi
fi

packages=()
have cc && have make || packages+=(build-essential)
if [ "$goal" = test ]; then
    have c++ || packages+=(g++)
    have pkg-config || packages+=(pkg-config)
    have valgrind || packages+=(valgrind)
fi
if [ "$goal" = test ] || [ $nvcc = yes ]; then
    have python3 || packages+=(python3)
    python3 -m pip --version >/dev/null 2>&1 || packages+=(python3-pip)
fi
[ ${#packages[@]} = 0 ] || apt_install "${packages[@]}"

# The library needs Rust 1.86; bellperson 0.27, which both goals build, is made with 1.93.
have cargo || die "please install Rust 1.93 or later: https://rustup.rs"
rust=$(rustc --version | awk '{print $2}')
at_least "$rust" 1.93.0 || die "Rust $rust is too old: please run 'rustup update stable' (1.93 or later is needed)"

if [ "$goal" = test ]; then
    have go || die "please install Go 1.22 or later: https://go.dev/doc/install"
    go=$(go env GOVERSION | sed 's/^go//')
    at_least "$go" 1.22 || die "Go $go is too old: please install Go 1.22 or later"
fi

[ $nvcc = no ] || scripts/cuda-toolkit.sh
