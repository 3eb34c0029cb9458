#!/bin/sh
# The demo: four workloads on real data, and a chain over three simulated processors, in one table. `sh testsuite/demo.sh PATH/TO/oxcl`.
set -eu
oxcl=${1:?the path of oxcl}
folder=$(dirname "$0")/workloads
"$oxcl" run --no-cache "$folder/blur-sobel/blur-sobel.toml" "$folder/photo/photo.toml" "$folder/mandelbrot/mandelbrot.toml" \
    "$folder/reduction/input.toml" "$folder/reduction/reduction.toml" \
    "$folder/tta-pipeline/pipeline.toml"
echo
echo "Pictures: $folder/blur-sobel/out/blurred.png, $folder/blur-sobel/out/edges.png, $folder/photo/out/small.png and $folder/mandelbrot/out/mandelbrot.png"
