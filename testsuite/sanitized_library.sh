#!/bin/sh
# A C program of the library's tests under a sanitizer, with the library: sanitized_library.sh address|thread PROGRAM WORDS...
#
# For example `sanitized_library.sh address random_calls 1 1000`. The sanitizer's own part is linked to the program, as Rust links it to
# programs only. Needs the nightly toolchain (with `rust-src` for threads), clang of the version that the project uses, and
# target/release/oxcl as the compiler. Code of kernels is not instrumented.
#
# Address: with LEAKS=1 leaks are looked for, too. That is for programs that end with `main`, which watch their own memory: what was freed
# is used again after 8 MiB of it. Thread: the sanitizer cannot have threads in children of forks, so random_calls makes none, and programs
# that end early leave threads behind by intent.
set -eu
cd "$(dirname "$0")/.."
sanitizer=$1 program=$2
shift 2
leaks=${LEAKS:-0}
case $sanitizer in
address) part=asan flags="" build="" ;;
thread) part=tsan flags="--cfg oxcl_tsan -Cunsafe-allow-abi-mismatch=sanitizer" build=-Zbuild-std ;;
*) echo "address or thread, not '$sanitizer'" >&2; exit 2 ;;
esac
# shellcheck disable=SC2086 # none or one word
RUSTFLAGS="-Zsanitizer=$sanitizer $flags" cargo +nightly build $build --target-dir target/$part --target x86_64-unknown-linux-gnu -p oxcl-icd
here=$(pwd)
cd target/$part/x86_64-unknown-linux-gnu/debug
ln -sf liboxcl.so liboxcl.so.1
"${LLVM_SYS_221_PREFIX:-/usr/lib/llvm-22}/bin/clang" -std=gnu11 -fsanitize="$sanitizer" -g -O1 -c "$here/runtime/icd/tests/c/$program.c"
# shellcheck disable=SC2016 # for the loader
gcc -o "$program" "$program.o" ./liboxcl.so -Wl,-rpath,'$ORIGIN' -rdynamic -Wl,--whole-archive \
    "$(rustc +nightly --print target-libdir)/librustc-nightly_rt.$part.a" -Wl,--no-whole-archive -lm -ldl -lpthread -lrt -lresolv
export OXCL_COMPILER="$here/target/release/oxcl" LSAN_OPTIONS="suppressions=$here/runtime/icd/lsan.supp"
export ASAN_OPTIONS="detect_leaks=$leaks:handle_segv=0:quarantine_size_mb=$((leaks ? 8 : 256))"
export TSAN_OPTIONS="suppressions=$here/runtime/scheduler/tsan.supp:handle_segv=0:report_thread_leaks=0"
[ "$sanitizer" = address ] || export NO_FORKS=1
"./$program" "$@"
