#!/bin/sh
# Builds what is packaged: build.sh FOLDER. On exit FOLDER/release has oxcl and liboxcl.so, with LLVM, clang, lld and the C++
# library in the program, and FOLDER/python the wheel that maturin makes of cli/python, all without symbols and without the paths
# of this machine.
set -eu
cd "$(dirname "$0")/../.."
here=$(pwd)
mkdir -p "$1"
to=$(cd "$1" && pwd)
cargo=${CARGO_HOME:-$HOME/.cargo}

export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
export CARGO_PROFILE_RELEASE_STRIP=symbols
export CXXFLAGS="-ffile-prefix-map=$here=/oxcl"
export RUSTFLAGS="--remap-path-prefix=$here=/oxcl --remap-path-prefix=$cargo=/cargo"
cargo build --release --locked --package oxcl --package oxcl-icd --target-dir "$to"

maturin=$to/maturin/bin/maturin
if ! [ -x "$maturin" ]; then
    python3 -m venv "$to/maturin"
    "$to/maturin/bin/pip" install --quiet "maturin==1.16.0"
fi
rm -rf "$to/python"
"$maturin" build --release --locked --manifest-path cli/python/Cargo.toml --target-dir "$to" \
    --compatibility manylinux_2_36 --out "$to/python"
