# oxcl: build, demonstrate, test. `make demo` and `make test` install what is missing on Debian 12 first, and say so.

.DEFAULT_GOAL := build
.PHONY: mpi test-mpi setup-mpi build install dist dist-test book pictures demo test test-compiler test-runtime random-calls long-life lint doc setup setup-test clean

export LLVM_SYS_221_PREFIX ?= /usr/lib/llvm-22

# The program and the OpenCL library, in target/release/oxcl and target/release/liboxcl.so.
build: setup
	cargo build --release --locked --package oxcl --package oxcl-icd

# Installs both below PREFIX, with the file that makes the OpenCL loader find the library: for PREFIX=/usr (and with
# ICD_DIR=/etc/OpenCL/vendors otherwise) every OpenCL program does. DESTDIR is put before everything, for packages.
PREFIX ?= /usr/local
ICD_DIR ?= $(if $(filter /usr,$(PREFIX)),/etc/OpenCL/vendors,$(PREFIX)/etc/OpenCL/vendors)
install: build
	install -D -m 755 target/release/oxcl $(DESTDIR)$(PREFIX)/bin/oxcl
	install -D -m 644 target/release/liboxcl.so $(DESTDIR)$(PREFIX)/lib/liboxcl.so.1
	ln -sf liboxcl.so.1 $(DESTDIR)$(PREFIX)/lib/liboxcl.so
	mkdir -p $(DESTDIR)$(ICD_DIR)
	echo $(PREFIX)/lib/liboxcl.so.1 > $(DESTDIR)$(ICD_DIR)/oxcl.icd
	@echo "Installed. Programs find the library if the loader reads $(ICD_DIR): OCL_ICD_VENDORS can name it."

# Packages in target/dist/packages: a tarball that runs where it is unpacked, a Debian package, checksums, and what is in them.
dist: setup
	@sh .ci/setup dist
	sh cli/dist/dist.sh target/dist/packages

# Tries them in bare systems (as root; a folder of ROOTS that is not there becomes the release that it is named after).
ROOTS ?= target/dist/bookworm
dist-test:
	@sh .ci/setup dist-test
	@for root in $(ROOTS); do [ -d $$root ] || sh testsuite/bare.sh $$root; done
	sh testsuite/dist.sh target/dist/packages $(ROOTS)

# The pages of docs as a book with search, in target/book/html; fails where a link or a picture is missing.
book:
	@sh .ci/setup book
	sh docs/book.sh $(CURDIR)/target/tools/bin/mdbook

# The pictures that pages show, as the programs draw them.
pictures: build
	sh docs/pictures.sh $(CURDIR)/target/release/oxcl

# Kernels on real data and on simulated processors, with a table of figures at the end.
demo: build
	@sh testsuite/demo.sh target/release/oxcl

# Every test. The work-group functions of the tests are verified after every pass (debug assertions are on).
test: setup setup-test
	cargo build --release --locked --package oxcl --package oxcl-icd
	OXCL_REQUIRE_POCL=1 cargo test --workspace --locked

# The tests that notice when an analysis of the kernel compiler is wrong; minutes less than all, so run them after each change
# to compiler/ir and compiler/workgroup. testsuite/mutations/mutate.py measures what they notice.
test-compiler: setup
	cargo test --locked -p oxcl-ir -p oxcl-irtest -p oxcl-workgroup

# The program without the compiler, and so without LLVM: it runs archives for simulated processors. Says how large it is.
test-runtime: setup
	cargo test --locked --package oxcl --no-default-features --test tta_archive
	cargo build --release --locked --package oxcl --no-default-features --target-dir target/runtime-only
	@ls -l target/runtime-only/release/oxcl

# The program and the library with devices of other machines, over the system's MPI: target/mpi/oxcl and target/mpi/liboxcl.so.
export LIBCLANG_PATH ?= $(LLVM_SYS_221_PREFIX)/lib
WITH_MPI = --package oxcl --package oxcl-icd --features oxcl/mpi,oxcl-icd/mpi
mpi: setup setup-mpi
	cargo build --release --locked $(WITH_MPI)
	mkdir -p target/mpi
	cp target/release/oxcl target/release/liboxcl.so target/mpi

# Jobs of several ranks on this machine. PROGRAMS_OVER_RANKS random programs; OXCL_KILLS says how many nodes are killed.
PROGRAMS_OVER_RANKS ?= 1000
test-mpi: setup setup-test setup-mpi
	cargo build --locked $(WITH_MPI)
	cargo test --locked $(WITH_MPI) --package oxcl-driver-mpi --features oxcl-driver-mpi/mpi --lib --test nodes -- --test-threads=1
	OXCL_PROGRAMS=$(PROGRAMS_OVER_RANKS) cargo test --locked $(WITH_MPI) --package oxcl-runtime --test programs over_ranks

# C programs of the tests, linked to the library as it is installed.
CLIENTS = target/clients
$(CLIENTS)/%: runtime/icd/tests/c/%.c $(wildcard runtime/icd/tests/c/*.h runtime/icd/tests/c/random/*.h) | build
	mkdir -p $(CLIENTS)/tmp
	ln -sf ../release/liboxcl.so $(CLIENTS)/liboxcl.so.1
	cc -std=gnu11 -Wall -Wno-unused -O1 -g -pthread -o $@ $< target/release/liboxcl.so -Wl,-rpath,'$$ORIGIN'
CLIENT = TMPDIR=$(CURDIR)/$(CLIENTS)/tmp OXCL_COMPILER=$(CURDIR)/target/release/oxcl OXCL_CACHE_DIR=$(CURDIR)/$(CLIENTS)/cache

# Random programs of OpenCL calls: as many as PROGRAMS says, or for so many seconds where an s follows the number.
PROGRAMS ?= 7200s
SEED ?= 1
random-calls: $(CLIENTS)/random_calls
	$(CLIENT) $(CLIENTS)/random_calls $(SEED) $(PROGRAMS)

# Every kind of object, made and freed for an hour; then the same with less memory than it asks for now and then.
COMMANDS ?= 100000000
SECONDS ?= 3600
long-life: $(CLIENTS)/long_life
	$(CLIENT) $(CLIENTS)/long_life $(COMMANDS) $(SECONDS)
	$(CLIENT) OXCL_DEVICES="cpu discrete:16M" $(CLIENTS)/long_life $(COMMANDS) $(SECONDS) limit

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

setup-mpi:
	@sh .ci/setup mpi

clean:
	cargo clean
