#!/usr/bin/env python3
"""The kernels of `oxcl bench images` on OpenCL libraries, through PyOpenCL: each on images and on buffers.

    python3 testsuite/peers/images.py [--runs N] [--local X,Y] VENDORS [VENDORS...]

Each VENDORS is a folder with loader files (`OCL_ICD_VENDORS`), run in a process of its own; the processes take turns, so that other
work on the machine falls on all of them. What is printed is the best time of each in microseconds, from the device's profile, and
whether the bytes are those of the scalar reference, to one unit of the last place. It does not judge.
"""

import argparse
import json
import os
import subprocess
import sys

import numpy

SOURCE = os.path.join(os.path.dirname(__file__), "../../cli/src/images/kernels.cl")
SIDE, WIDE, VOLUME = 1024, 1536, 128
NAMES = ["convolution", "resize", "gather", "volume", "format"]


def inputs():
    random = numpy.random.default_rng(18)
    picture = random.integers(0, 256, (SIDE, SIDE, 4), numpy.uint8)
    return {
        "picture": picture,
        "places": random.integers(-8, SIDE + 8, (SIDE, SIDE, 2), numpy.int32),
        "shorts": random.integers(0, 65536, (SIDE, SIDE, 4), numpy.uint16),
        "volume": random.random((VOLUME, VOLUME, VOLUME), numpy.float32),
        "weights": numpy.array([1, 2, 1, 2, 4, 2, 1, 2, 1], numpy.float32) / 16,
    }


def to_bytes(colour):
    return numpy.rint(numpy.clip(colour, 0, 1) * 255).astype(numpy.uint8)


def between(at, size):
    first = numpy.floor(at)
    low = numpy.clip(first.astype(int), 0, size - 1)
    high = numpy.clip(first.astype(int) + 1, 0, size - 1)
    return low, high, (at - first)


def reference(name, data):
    """What the kernel gives, in double precision."""
    picture = data["picture"] / 255.0
    if name == "convolution":
        wide = numpy.pad(picture, ((1, 1), (1, 1), (0, 0)), "edge")
        parts = [data["weights"][3 * y + x] * wide[y:y + SIDE, x:x + SIDE] for y in range(3) for x in range(3)]
        return to_bytes(sum(parts))
    if name == "resize":
        at = (numpy.arange(WIDE) + 0.5) * SIDE / WIDE - 0.5
        low, high, part = between(at, SIDE)
        across = picture[:, low] * (1 - part)[:, None] + picture[:, high] * part[:, None]
        return to_bytes(across[low] * (1 - part)[:, None, None] + across[high] * part[:, None, None])
    if name == "gather":
        x, y = (numpy.clip(data["places"][..., d], 0, SIDE - 1) for d in range(2))
        return data["picture"][y, x]
    if name == "format":
        return to_bytes(data["shorts"] / 65535.0)[..., [2, 1, 0, 3]]
    x, row = numpy.meshgrid(numpy.arange(VOLUME), numpy.arange(VOLUME * VOLUME))
    a, b, c = (((v + 0.5) / VOLUME - 0.5) for v in (x, row % VOLUME, row // VOLUME))
    places = [(v + 0.5) * VOLUME - 0.5 for v in (0.8 * a - 0.6 * b, 0.6 * a + 0.8 * b, c)]
    (x0, x1, u), (y0, y1, v), (z0, z1, w) = (between(place, VOLUME) for place in places)
    volume = data["volume"]
    plane = lambda z: (volume[z, y0, x0] * (1 - u) + volume[z, y0, x1] * u) * (1 - v) + (
        volume[z, y1, x0] * (1 - u) + volume[z, y1, x1] * u) * v
    return (plane(z0) * (1 - w) + plane(z1) * w).astype(numpy.float32)


def worker(local):
    """Answers each line, a kernel's name, with its time and whether its result is right."""
    import pyopencl as cl

    device = cl.get_platforms()[0].get_devices()[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    program = cl.Program(context, open(SOURCE).read()).build()
    data = inputs()
    flags = cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR
    order, kind = cl.channel_order, cl.channel_type

    def image(array, order, kind, shape):
        return cl.create_image(context, flags, cl.ImageFormat(order, kind), shape=shape, hostbuf=array)

    def empty(order, kind, shape):
        return cl.create_image(context, cl.mem_flags.WRITE_ONLY, cl.ImageFormat(order, kind), shape=shape)

    buffers = {name: cl.Buffer(context, flags, hostbuf=array) for name, array in data.items()}
    out = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, WIDE * WIDE * 4)
    eight, sixteen, real = kind.UNORM_INT8, kind.UNORM_INT16, kind.FLOAT
    picture = image(data["picture"], order.RGBA, eight, (SIDE, SIDE))
    shorts = image(data["shorts"], order.RGBA, sixteen, (SIDE, SIDE))
    volume = image(data["volume"], order.R, real, (VOLUME,) * 3)
    plain, large = empty(order.RGBA, eight, (SIDE, SIDE)), empty(order.RGBA, eight, (WIDE, WIDE))
    blue, slices = empty(order.BGRA, eight, (SIDE, SIDE)), empty(order.R, real, (VOLUME, VOLUME * VOLUME))
    step, size = numpy.float32(1 / WIDE), numpy.int32(SIDE)
    turn, side = numpy.float32(1 / VOLUME), numpy.int32(VOLUME)
    square = (SIDE, SIDE)
    weights, places = buffers["weights"], buffers["places"]
    of_picture = buffers["picture"]
    works = {
        "convolution_image": (square, plain, [picture, plain, weights]),
        "convolution_buffer": (square, out, [of_picture, out, weights, size, size]),
        "resize_image": ((WIDE, WIDE), large, [picture, large, step, step]),
        "resize_buffer": ((WIDE, WIDE), out, [of_picture, out, step, step, size, size]),
        "gather_image": (square, plain, [picture, places, plain]),
        "gather_buffer": (square, out, [of_picture, places, out, size, size]),
        "volume_image": ((VOLUME, VOLUME * VOLUME), slices, [volume, slices, turn, side]),
        "volume_buffer": ((VOLUME, VOLUME * VOLUME), out, [buffers["volume"], out, turn, side]),
        "format_image": (square, blue, [shorts, blue]),
        "format_buffer": (square, out, [buffers["shorts"], out]),
    }
    print(json.dumps(f"{device.platform.name.split()[0]}"), flush=True)
    for line in sys.stdin:
        name, check = line.split()
        size, result, arguments = works[name]
        kernel = cl.Kernel(program, name)
        kernel.set_args(*arguments)
        best = float("inf")
        for _ in range(10):
            event = cl.enqueue_nd_range_kernel(queue, kernel, size, local)
            event.wait()
            best = min(best, (event.profile.end - event.profile.start) / 1000)
        right = None
        if check == "1":
            want = reference(name.split("_")[0], data)
            got = numpy.empty(want.shape, want.dtype)
            if isinstance(result, cl.Image):
                cl.enqueue_copy(queue, got, result, origin=(0, 0), region=size)
            else:
                cl.enqueue_copy(queue, got, result)
            far = numpy.abs(want.astype(numpy.float64) - got).max()
            right = bool(far <= (1 if want.dtype == numpy.uint8 else 1e-3))
        print(json.dumps([best, right]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--local", help="the local size, such as 16,16; else the implementation's choice")
    parser.add_argument("--only", action="append", choices=NAMES)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("vendors", nargs="*")
    given = parser.parse_args()
    if given.worker:
        worker(tuple(map(int, given.local.split(","))) if given.local else None)
        return
    peers = []
    for vendors in given.vendors:
        command = [sys.executable, __file__, "--worker"] + (["--local", given.local] if given.local else [])
        # PyOpenCL keeps binaries by the names of platform and device: those of another build would be measured.
        environment = {**os.environ, "OCL_ICD_VENDORS": os.path.abspath(vendors), "PYOPENCL_NO_CACHE": "1"}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        peers.append(subprocess.Popen(command, env=environment, **pipes))
    titles = [json.loads(peer.stdout.readline()) for peer in peers]
    print(f"{'us':14}" + "".join(f"{title:>12}{'buffers':>10}{'ratio':>7}" for title in titles))
    names = given.only or NAMES
    best = {}
    for run in range(given.runs):
        for name in [f"{name}_{on}" for name in names for on in ("image", "buffer")]:
            for number, peer in enumerate(peers):
                peer.stdin.write(f"{name} {int(run == 0)}\n")
                peer.stdin.flush()
                time, right = json.loads(peer.stdout.readline())
                best[name, number] = min(time, best.get((name, number), time))
                if right is False:
                    print(f"{titles[number]}: {name}: wrong result")
    for name in names:
        line = f"{name:14}"
        for number in range(len(peers)):
            image, buffer = best[f"{name}_image", number], best[f"{name}_buffer", number]
            line += f"{image:12.0f}{buffer:10.0f}{image / buffer:7.2f}"
        print(line)


main()
