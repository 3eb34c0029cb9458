#!/bin/sh
# A C program of the library's tests under ThreadSanitizer, with the library: tsan_library.sh PROGRAM WORDS...
#
# For example `tsan_library.sh random_calls 1 200`. The sanitizer's own part is linked to the program, as Rust links it to programs
# only. Needs the nightly toolchain with its `rust-src`, clang of the version that the project uses, and target/release/oxcl as the
# compiler. Code of kernels is not instrumented, so what they do to each other's memory is not seen. The sanitizer cannot have threads
# in children of forks, so NO_FORKS=1 leaves those out of random_calls; programs that end early leave threads behind by intent.
set -eu
cd "$(dirname "$0")/.."
program=$1
shift
RUSTFLAGS="--cfg oxcl_tsan -Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer" \
    cargo +nightly build -Zbuild-std --target-dir target/tsan --target x86_64-unknown-linux-gnu -p oxcl-icd
here=$(pwd)
cd target/tsan/x86_64-unknown-linux-gnu/debug
ln -sf liboxcl.so liboxcl.so.1
clang=${LLVM_SYS_221_PREFIX:-/usr/lib/llvm-22}/bin/clang
"$clang" -std=gnu11 -fsanitize=thread -g -O1 -c "$here/runtime/icd/tests/c/$program.c"
# shellcheck disable=SC2016 # for the loader
gcc -o "$program" "$program.o" ./liboxcl.so -Wl,-rpath,'$ORIGIN' -rdynamic -Wl,--whole-archive \
    "$(rustc +nightly --print target-libdir)/librustc-nightly_rt.tsan.a" -Wl,--no-whole-archive -lm -ldl -lpthread -lrt -lresolv
export OXCL_COMPILER="$here/target/release/oxcl" NO_FORKS=1
TSAN_OPTIONS="suppressions=$here/runtime/scheduler/tsan.supp:die_after_fork=0:handle_segv=0:report_thread_leaks=0:${TSAN_OPTIONS:-}" "./$program" "$@"
