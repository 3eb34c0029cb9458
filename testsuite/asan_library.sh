#!/bin/sh
# A C program of the library's tests under AddressSanitizer, with the library: asan_library.sh PROGRAM WORDS...
#
# For example `asan_library.sh random_calls 1 1000`. The sanitizer's own part is linked to the program, as Rust links it to programs
# only. Needs the nightly toolchain, and target/release/oxcl as the compiler. With LEAKS=1 leaks are looked for, too: that is for
# programs that end with `main`. Then what was freed may soon be used again, as such programs watch their own memory.
set -eu
cd "$(dirname "$0")/.."
program=$1
shift
RUSTFLAGS="-Zsanitizer=address" cargo +nightly build --target-dir target/asan --target x86_64-unknown-linux-gnu -p oxcl-icd
here=$(pwd)
cd target/asan/x86_64-unknown-linux-gnu/debug
ln -sf liboxcl.so liboxcl.so.1
gcc -std=gnu11 -fsanitize=address -g -O1 -c "$here/runtime/icd/tests/c/$program.c"
# shellcheck disable=SC2016 # for the loader
gcc -o "$program" "$program.o" ./liboxcl.so -Wl,-rpath,'$ORIGIN' -rdynamic -Wl,--whole-archive \
    "$(rustc +nightly --print target-libdir)/librustc-nightly_rt.asan.a" -Wl,--no-whole-archive -lm -ldl -lpthread -lrt -lresolv
export OXCL_COMPILER="$here/target/release/oxcl" LSAN_OPTIONS="suppressions=$here/runtime/icd/lsan.supp"
leaks=${LEAKS:-0}
ASAN_OPTIONS="detect_leaks=$leaks:handle_segv=0:quarantine_size_mb=$((leaks ? 1 : 256))" "./$program" "$@"
