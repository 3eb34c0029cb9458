#!/usr/bin/env python3
"""The kernels of `oxcl bench width` on OpenCL libraries, through PyOpenCL.

    python3 testsuite/peers/width.py [--seed N] [--count N] [--runs N] OXCL VENDORS [VENDORS...]

OXCL is the command `oxcl`, which makes the kernels. What is printed and how it is measured: `sides.py`.
"""

import argparse
import json
import subprocess
import sys

import numpy

import sides

TYPES = {"uchar": "u1", "ushort": "u2", "uint": "u4", "ulong": "u8", "float": "f4", "double": "f8"}


def numbers(kind, count, random):
    kind = numpy.dtype(TYPES[kind])
    if kind.kind == "f":
        return random.uniform(0.5, 1.5, count).astype(kind)
    return random.integers(0, 1 << 8 * kind.itemsize, count, kind, endpoint=False) if kind.itemsize < 8 else (
        random.integers(0, 1 << 63, count, numpy.uint64))


def make(kernel):
    random = numpy.random.default_rng(kernel["seed"])
    a, b = (numbers(kernel["type"], kernel[key], random) for key in ("items", "b_items"))
    places = random.integers(0, kernel["items"], kernel["items"], numpy.int32)
    arguments = [a, b, numpy.zeros_like(a), places, *map(numpy.int32, kernel["values"])]
    return sides.Kernel(kernel["source"], "", tuple(kernel["global"]), tuple(kernel["local"]), arguments)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("oxcl")
    parser.add_argument("vendors", nargs="+")
    given = parser.parse_args()
    command = [given.oxcl, "--json", "bench", "width", "--show", "--seed", str(given.seed), "--count", str(given.count)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    kernels = [json.loads(line) for line in lines]
    size = lambda kernel: "memory" if kernel["items"] > 1 << 20 else "cache"
    words = lambda kernel: f"{kernel['seed']}: " + ", ".join([kernel["type"], size(kernel)] + kernel["features"])
    sides.compare("width", [(kernel, words(kernel)) for kernel in kernels], given.vendors, given.runs)


if __name__ == "__main__":
    sys.exit(main())
