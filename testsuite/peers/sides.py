"""One kernel after the other on several OpenCL libraries in turns, through PyOpenCL; for the programs beside this one.

Each library runs in a process of its own, with its folder of loader files (`OCL_ICD_VENDORS`); the processes take turns, so that other work
on the machine falls on all of them. What is printed, a line for each kernel, is the best time of a launch in microseconds (of several that
are enqueued and awaited together, as a program sees it), the last library's time over the best of the others, and how far what the others
leave in memory is from the first library's, in parts of the largest number there. It does not judge.
"""

import argparse
import importlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

import numpy

# Launches are repeated until they take so many seconds.
LEAST = 2e-3


class Kernel(NamedTuple):
    """The kernel `k` of a source. Arguments: arrays become buffers, numbers and bytes are passed by value, and ("local", N) is memory."""

    source: str
    options: str
    shape: tuple
    local: tuple
    arguments: list


def worker(module):
    """Makes, checks and times what the lines name; each is answered with a line of JSON."""
    import pyopencl as cl

    maker = importlib.import_module(module)
    device = cl.get_platforms()[0].get_devices()[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context)
    print(json.dumps(device.platform.name.split()[0]), flush=True)
    # A kernel does not keep its buffers.
    launches, launch, _kept = 1, None, None

    def prepare(what, left):
        made = maker.make(what)
        kernel = cl.Kernel(cl.Program(context, made.source).build(made.options), "k")
        buffers = []

        def passed(argument):
            if isinstance(argument, numpy.ndarray):
                flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
                buffers.append((cl.Buffer(context, flags, hostbuf=argument), argument.copy()))
                return buffers[-1][0]
            return cl.LocalMemory(argument[1]) if isinstance(argument, tuple) else argument

        kernel.set_args(*[passed(argument) for argument in made.arguments])

        def launch(count):
            begun = time.perf_counter()
            for _ in range(count):
                cl.enqueue_nd_range_kernel(queue, kernel, made.shape, made.local)
            queue.finish()
            return time.perf_counter() - begun

        launch(1)
        for buffer, array in buffers:
            cl.enqueue_copy(queue, array, buffer)
        numpy.savez(left, *[array for _, array in buffers])
        return launch, buffers

    for line in sys.stdin:
        words = json.loads(line)
        if words:
            try:
                (launch, _kept), launches = prepare(*words), 1
                while launch(launches) < LEAST and launches < 1 << 12:
                    launches *= 2
                print("[]", flush=True)
            except Exception as error:
                launch = None
                print(json.dumps(str(error)[:2000]), flush=True)
        else:
            print(json.dumps(launch(launches) / launches * 1e6 if launch else math.inf), flush=True)


def distance(one, other):
    """How far the arrays of two files are from each other: of each, the largest difference over the largest number."""
    far = 0.0
    one, other = numpy.load(one), numpy.load(other)
    for name in one.files:
        want, got = one[name].astype(numpy.float64), other[name].astype(numpy.float64)
        same = (want == got) | (numpy.isnan(want) & numpy.isnan(got))
        if not same.all():
            largest = numpy.abs(want[numpy.isfinite(want)]).max(initial=1e-30)
            far = max(far, numpy.abs(want - got)[~same].max() / largest)
    return far


def compare(module, kernels, vendors, runs):
    """Runs `kernels`, pairs of what `module.make` takes and words to print, on all libraries."""
    peers = []
    for folder in vendors:
        # PyOpenCL keeps binaries by the names of platform and device: those of another build would be measured.
        environment = {**os.environ, "OCL_ICD_VENDORS": os.path.abspath(folder), "PYOPENCL_NO_CACHE": "1"}
        environment["PYTHONPATH"] = os.path.dirname(os.path.abspath(__file__))
        command = [sys.executable, "-W", "ignore", "-c", f"import sides; sides.worker({module!r})"]
        peers.append(subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True))

    def ask(peer, words):
        peer.stdin.write(json.dumps(words) + "\n")
        peer.stdin.flush()
        answer = peer.stdout.readline()
        return json.loads(answer) if answer else "the process has ended"

    titles = [json.loads(peer.stdout.readline()) for peer in peers]
    print("".join(f"{title:>11}" for title in titles) + f"{'ratio':>7}{'far':>9}  what")
    ratios = []
    for what, words in kernels:
        best = [math.inf] * len(peers)
        with tempfile.TemporaryDirectory() as folder:
            left = [os.path.join(folder, f"{number}.npz") for number in range(len(peers))]
            failed = [ask(peer, [what, path]) for peer, path in zip(peers, left)]
            for title, error in zip(titles, failed):
                if error:
                    print(f"{title}: {words}: {error}")
            for _ in range(runs):
                for number, peer in enumerate(peers):
                    if not failed[number]:
                        best[number] = min(best[number], ask(peer, []))
            right = [path for path, error in zip(left, failed) if not error]
            far = max((distance(right[0], path) for path in right[1:]), default=0.0)
        ratio = best[-1] / min(best[:-1]) if len(best) > 1 else 1.0
        ratios.append((ratio, words))
        print("".join(f"{us:11.1f}" for us in best) + f"{ratio:7.2f}{far:9.1e}  {words}", flush=True)
    known = [ratio for ratio, _ in ratios if 0 < ratio < math.inf]
    mean = math.exp(sum(map(math.log, known)) / max(len(known), 1))
    worst = ", ".join(f"{ratio:.2f} ({words})" for ratio, words in sorted(ratios, reverse=True)[:10])
    print(f"{len(ratios)} kernels: {titles[-1]} over the best of the others: geometric mean {mean:.3f}, "
          f"above 1.05: {sum(ratio > 1.05 for ratio, _ in ratios)}; the worst: {worst}")


class Table:
    """The kernels of a program beside this one, by their functions' names: `@table(SOURCE, OPTIONS)` stands before a function that gives
    shape, local size and arguments. The program's module, of this name, has `make = table.make`."""

    def __init__(self, module):
        self.module = module
        self.kernels = {}

    def __call__(self, source, options=""):
        def add(function):
            self.kernels[function.__name__] = (source, options, function)
            return function
        return add

    def make(self, name):
        source, options, function = self.kernels[name]
        shape, local, arguments = function(numpy.random.default_rng(len(name)))
        return Kernel(source, options, shape, local, arguments)

    def main(self, description):
        parser = argparse.ArgumentParser(description=description.split("\n")[0])
        parser.add_argument("--only", action="append", choices=list(self.kernels))
        parser.add_argument("--runs", type=int, default=7)
        parser.add_argument("vendors", nargs="+")
        given = parser.parse_args()
        names = given.only or list(self.kernels)
        compare(self.module, [(name, name) for name in names], given.vendors, given.runs)


def reals(random, *shape, kind=numpy.float32):
    return random.uniform(0.5, 1.5, shape).astype(kind)


def empty(count, kind=numpy.float32):
    return numpy.zeros(count, kind)
