#!/bin/sh
# Builds what is packaged: build.sh FOLDER. On exit FOLDER/release has oxcl and liboxcl.so, with LLVM, clang, lld and the C++
# library in the program, without symbols, and without the paths of this machine.
set -eu
cd "$(dirname "$0")/../.."
here=$(pwd)
cargo=${CARGO_HOME:-$HOME/.cargo}

export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
export CARGO_PROFILE_RELEASE_STRIP=symbols
export CXXFLAGS="-ffile-prefix-map=$here=/oxcl"
export RUSTFLAGS="--remap-path-prefix=$here=/oxcl --remap-path-prefix=$cargo=/cargo"
exec cargo build --release --locked --package oxcl --package oxcl-icd --target-dir "$1"
