#!/bin/sh
# How soon code gets fast when it is used: a short program's matrix products with full code, in a first process, in the next
# one, and in one of a second; alone and beside two busy processes. Prints the speeds (in 10^9 operations a second), what
# they are of full code's, the processor time of all compilers, and how long the last one lived after the program. And what
# compilers take in all where many kernels of one program are hot, beside full code at once. About six minutes.
#
#   heat.sh LIBRARY COMPILER    for example target/release/liboxcl.so target/release/oxcl
set -eu
library=$(readlink -f "$1")
OXCL_COMPILER=$(readlink -f "$2")
export OXCL_COMPILER
here=$(dirname "$(readlink -f "$0")")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/vendors"
echo "$library" > "$place/vendors/oxcl.icd"
cc -std=gnu11 -O1 -o "$place/gemm" "$here/../runtime/icd/tests/c/gemm.c" -lOpenCL -lm
export OCL_ICD_VENDORS="$place/vendors"
"$place/gemm" measure 0
"$place/gemm" measure 2
cc -std=gnu11 -O1 -o "$place/hot_kernels" "$here/../runtime/icd/tests/c/hot_kernels.c" -lOpenCL -lm
"$place/hot_kernels" measure 0
"$place/hot_kernels" measure 2
