# oxcl: build, demonstrate, test. `make demo` and `make test` install what is missing on Debian 12 first, and say so.

.DEFAULT_GOAL := build
.PHONY: build demo test lint doc setup setup-test clean

export LLVM_SYS_221_PREFIX ?= /usr/lib/llvm-22

# The program, in target/release/oxcl.
build: setup
	cargo build --release --locked --package oxcl

# Kernels on real data, with a table of figures at the end.
demo: build
	@sh testsuite/demo.sh target/release/oxcl

# Every test. The work-group functions of the tests are verified after every pass (debug assertions are on).
test: setup setup-test
	cargo build --release --locked --package oxcl
	OXCL_REQUIRE_POCL=1 cargo test --workspace --locked

# Formatting, lints and documentation, all free of warnings.
lint: setup
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings

doc: setup
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

setup:
	@sh .ci/setup build

setup-test:
	@sh .ci/setup test

clean:
	cargo clean
