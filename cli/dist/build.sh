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

# Not the commit's time: crates with C++ are built anew when this changes, and with them nearly everything. Nothing that is built
# here shows a time; the packages have the commit's.
export SOURCE_DATE_EPOCH=315532800
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
