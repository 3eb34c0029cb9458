#!/bin/sh
# Makes the pictures that pages show, by the programs that the pages are about. `sh docs/pictures.sh PATH/TO/oxcl`
#
# docs/images/memory-timeline.svg is `oxcl bench memory`'s (docs/memory.md), which takes longer.
set -eu
oxcl=$(realpath "${1:?the path of oxcl}")
cd "$(dirname "$0")/.."
images=$PWD/docs/images
machine=$PWD/compiler/tta/machines/three_bus.adf
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# A machine, and the same coloured by what the page's program in C keeps busy.
"$oxcl" tta show "$machine" --svg "$images/three-bus.svg" >/dev/null
awk '/^\/\/ fir\.c$/ { on = 1 } /^```$/ { on = 0 } on' docs/own-processor.md > "$scratch/fir.c"
"$oxcl" compile --lang c "$scratch/fir.c" --device "ttasim:$machine" -o "$scratch/fir.ttaimg"
"$oxcl" sim "$scratch/fir.ttaimg" --heat "$images/three-bus-heat.svg" >/dev/null

# Timelines: three processors in cycles, and two workers.
"$oxcl" run -q testsuite/workloads/tta-pipeline/pipeline.toml --trace "$images/pipeline.svg" >/dev/null
OXCL_NUM_THREADS=2 "$oxcl" run -q testsuite/workloads/blur-sobel/blur-sobel.toml --trace "$images/timeline.svg" >/dev/null

# Pictures that kernels draw.
for example in image-filter n-body; do
    folder=testsuite/examples/$example
    "$oxcl" run -q $folder/*.toml >/dev/null
done
cp testsuite/examples/image-filter/out/noisy.png testsuite/examples/image-filter/out/sharp.png testsuite/examples/image-filter
cp testsuite/examples/n-body/out/bodies.png testsuite/examples/n-body
"$oxcl" run -q testsuite/workloads/blur-sobel/blur-sobel.toml testsuite/workloads/mandelbrot/mandelbrot.toml >/dev/null
"$oxcl" run -q testsuite/workloads/photo/photo.toml >/dev/null
cp testsuite/workloads/photo/out/before.png "$images/photo-before.png"
cp testsuite/workloads/photo/out/small.png "$images/photo-after.png"
cp testsuite/workloads/blur-sobel/scene.png testsuite/workloads/blur-sobel/out/edges.png testsuite/workloads/mandelbrot/out/mandelbrot.png "$images"
