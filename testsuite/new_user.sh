#!/bin/sh
# The first minutes of somebody who has a wheel and a picture: new_user.sh WHEEL PICTURE
#
# In an empty folder and an empty environment of Python the wheel is installed, a kernel is written, `oxcl run` says what it takes,
# the picture is filtered by it from the command line and from Python, and both results are held against each other and against
# the reference executor's. Ends with 0 if all agree, and says how long each step took. PYTHON names another Python 3.
set -eu
wheel=$(realpath "$1")
picture=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
# Nothing that this user has elsewhere helps or is in the way.
unset OCL_ICD_VENDORS OCL_ICD_FILENAMES OXCL_COMPILER OXCL_DEVICES PYTHONPATH
export OXCL_CACHE_DIR="$folder/cache"

now() { date +%s%N; }
first=$(now)
last=$first
# step WHAT: says how long it took.
step() {
    time=$(now)
    awk -v step="$1" -v spent="$((time - last))" 'BEGIN { printf "%-44s %7.2f s\n", step, spent / 1e9 }'
    last=$time
}
failed() {
    echo "new_user.sh: $1" >&2
    exit 1
}

"${PYTHON:-python3}" -m venv e
step "an empty environment"
e/bin/pip install --quiet "$wheel"
step "pip install"

cat > edges.cl <<'K'
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

// How much each pixel differs from those on its right and below it.
kernel void edges(read_only image2d_t in, write_only image2d_t out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  float4 here = read_imagef(in, nearest, at);
  float4 right = read_imagef(in, nearest, at + (int2)(1, 0)), below = read_imagef(in, nearest, at + (int2)(0, 1));
  float4 edge = fabs(right - here) + fabs(below - here);
  write_imagef(out, at, (float4)(clamp(3 * edge.xyz, 0.0f, 1.0f), 1));
}
K
status=0
e/bin/oxcl run edges.cl > said 2>&1 || status=$?
[ $status = 2 ] || failed "a kernel without arguments ends with $status, not 2: $(cat said)"
example=$(sed -n 's/^help: for example: oxcl //p' said)
[ -n "$example" ] || failed "no command line is proposed: $(cat said)"
eval "e/bin/oxcl $example" > said 2>&1 || failed "what is proposed fails: oxcl $example: $(cat said)"
step "what the kernel takes, and that as proposed"

size=$(od -An -tu1 -j16 -N8 "$picture" | awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 "x" (($5 * 256 + $6) * 256 + $7) * 256 + $8 }')
filter() {
    e/bin/oxcl run edges.cl --global "$(echo "$size" | tr x ,)" --arg "in=image:$picture" --arg "out=image:$size" "$@"
}
filter --save out=edges.png
step "the picture, filtered"
until_then=$last
last=$first
step "from the wheel to the picture"
last=$until_then
filter --device ref --expect out=@edges.png
step "the same by the reference executor"

cat > edges_of_arrays.cl <<'K'
kernel void edges(global const uchar4 *in, global uchar4 *out, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  int4 here = convert_int4(in[y * width + x]);
  int4 right = convert_int4(in[y * width + min(x + 1, width - 1)]), below = convert_int4(in[min(y + 1, height - 1) * width + x]);
  uint4 edge = abs(right - here) + abs(below - here);
  out[y * width + x] = (uchar4)(convert_uchar3_sat(3 * edge.xyz), 255);
}
K
# Pictures as arrays: the program itself turns them into files of NumPy's and back.
cat > copy.cl <<'K'
kernel void copy(global const uchar4 *in, global uchar4 *out) { out[get_global_id(0)] = in[get_global_id(0)]; }
K
pixels=$(echo "$size" | awk -Fx '{ print $1 * $2 }')
e/bin/oxcl run --quiet copy.cl -g "$pixels" -a "in=@$picture" -a "out=zeros:uchar4:$pixels" -s out=picture.npy
e/bin/python - "$(echo "$size" | cut -dx -f1)" <<'P'
import sys

import numpy
import oxcl

width = int(sys.argv[1])
picture = numpy.load("picture.npy").reshape(-1, width, 4)
edges = numpy.empty_like(picture)
oxcl.run("edges_of_arrays.cl", picture, edges, width, len(picture), global_size=(width, len(picture)))
numpy.save("edges.npy", edges.reshape(-1, 4))
P
e/bin/oxcl run --quiet copy.cl -g "$pixels" -a in=@edges.npy:uchar4 -a "out=zeros:uchar4:$pixels" \
    --expect out=@edges.png
step "the picture as an array of Python's"
