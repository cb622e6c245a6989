# make prove     sets up, builds, and proves and verifies a real circuit: on the GPU if there is one that can, else on the CPU
# make test      sets up and runs every test
# make doctor    says what this machine has for proofs, which parameters are there and whole, and what to do
# make install   builds and installs header, libraries and pkg-config file below $(DESTDIR)$(PREFIX)
# make uninstall removes them
# make bench     compares the CPU backend with bellperson's CPU prover; bench/compare.sh is for machines with a GPU
# make codegen   regenerates the header and the bindings that are committed
# make kit       builds what scripts/kit-run.sh runs on a machine that has a GPU and no compilers
# make clean

PREFIX ?= /usr/local
DESTDIR ?=
CARGO ?= cargo
# The newest CUDA architecture that the tests compile for; others: see INTERLOCK_CUDA_ARCHS in README.md.
TEST_CUDA_ARCHS ?= 90

target := $(abspath $(or $(CARGO_TARGET_DIR),target))
staging := $(target)/stage
tests := test-lint test-codegen test-rust test-policy test-kernels test-build test-c test-go test-bellperson

.PHONY: prove doctor test $(tests) build install uninstall bench codegen kit clean setup-prove setup-test stage

prove: setup-prove
	@echo "prove: building, a minute or two the first time; then parameters are generated, half a minute, once"
	@cd ffi-tests/rust/bellperson-027 && CARGO_TARGET_DIR=$(target) $(CARGO) run --release --locked --bin prove

doctor:
	@echo "doctor: building, some minutes the first time"
	@$(CARGO) run --quiet --release --locked --bin interlock-doctor

test: setup-test
	$(MAKE) --no-print-directory $(tests)
	@echo "make test: all passed"

setup-prove setup-test: setup-%:
	@scripts/setup.sh $*

build:
	CARGO="$(CARGO)" scripts/build-library.sh

install: build
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install.sh $(target)/release

uninstall:
	PREFIX="$(PREFIX)" DESTDIR="$(DESTDIR)" scripts/install.sh --uninstall

# What the C and Go tests link: an installation below the target folder, with CUDA's code in it.
stage: export INTERLOCK_CUDA_ARCHS = $(TEST_CUDA_ARCHS)
stage:
	CARGO="$(CARGO)" scripts/build-library.sh --features cuda
	rm -rf $(staging)
	PREFIX=$(staging) DESTDIR= scripts/install.sh $(target)/release

test-lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --locked --all-targets -- -D warnings
	$(CARGO) clippy --locked --all-targets --features kit -- -D warnings
	INTERLOCK_CUDA_ARCHS=$(TEST_CUDA_ARCHS) $(CARGO) clippy --locked --all-targets --features cuda -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --no-deps --quiet
	scripts/test-msrv.sh

test-codegen:
	scripts/codegen-header.sh --check
	scripts/codegen.sh --check

# With CUDA's code compiled in: without a driver, that must start and prove as well.
test-rust: export INTERLOCK_CUDA_ARCHS = $(TEST_CUDA_ARCHS)
test-rust:
	$(CARGO) test --locked --features cuda
	cd ffi-tests/vectors && CARGO_TARGET_DIR=$(target) $(CARGO) test --locked

# The queues for a device under a model checker, which needs a target folder of its own; and the simulation of devices that workers share.
test-policy: export INTERLOCK_NVCC = none
test-policy:
	CARGO_TARGET_DIR=$(target)/shuttle RUSTFLAGS="--cfg interlock_shuttle" $(CARGO) test --locked --features kit --lib models
	cd bench/simulate && CARGO_TARGET_DIR=$(target)/simulate $(CARGO) test --locked

# The kernels' arithmetic against blst, compiled for the host with the device's carry chains; the bounds of that in floating point; the benchmark's own checks.
test-kernels: export INTERLOCK_NVCC = none
test-kernels:
	bench/d39/check.sh
	cd bench/kit && CARGO_TARGET_DIR=$(target)/kit-host $(CARGO) test --locked
	cd bench/prove && CARGO_TARGET_DIR=$(target)/prove-host $(CARGO) test --locked
	cd bench/measure && CARGO_TARGET_DIR=$(target)/measure $(CARGO) test --locked

test-build:
	scripts/test-build.sh

test-c: stage
	ffi-tests/run-c.sh $(staging)

test-go: stage
	PKG_CONFIG_PATH=$(staging)/lib/pkgconfig ffi-tests/run-go.sh

test-bellperson:
	CARGO_TARGET_DIR=$(target) ffi-tests/rust/run.sh all lint

bench:
	bench/peers/cpu.sh

codegen:
	scripts/codegen-header.sh
	scripts/codegen.sh

kit:
	scripts/kit-build.sh

clean:
	$(CARGO) clean
	rm -rf kit
