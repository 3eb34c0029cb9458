"""The package as its users see it. Run by `cargo test` on what was built, and by `make dist-test` on the installed wheel:

    python -m unittest test_oxcl.py
"""

import array
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest

import numpy

import oxcl

TWICE = "kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }"
ADD = """kernel void add(global const float *a, global const float *b, global float *c, float f) {
    size_t i = get_global_id(0);
    c[i] = a[i] + f * b[i];
}"""
# A kernel of seconds that nobody can shorten: each step needs the one before.
LONG = """kernel void spin(global uint *x, uint n) {
    uint v = x[get_global_id(0)];
    for (uint i = 0; i < n; i++) v = (v >> 1) ^ (v * 1664525u + 1013904223u);
    x[get_global_id(0)] = v;
}"""


def floats(count):
    return numpy.arange(count, dtype=numpy.float32)


class Arrays(unittest.TestCase):
    def refused(self, code, *arguments, source=TWICE, **named):
        with self.assertRaises(oxcl.ArgumentError) as caught:
            oxcl.run(source, *arguments, global_size=4, **named)
        self.assertEqual(caught.exception.code, code)
        self.assertIn(f"[{code}]", str(caught.exception))
        return str(caught.exception)

    def test_kernels_work_in_the_arrays_own_memory(self):
        source = "kernel void where(global const char *x, global ulong *at) { at[0] = (ulong)x; }"
        for size in (1, 1000, 1 << 22):
            x, at = numpy.zeros(size, numpy.int8), numpy.zeros(1, numpy.uint64)
            oxcl.run(source, x, at, global_size=1)
            self.assertEqual(int(at[0]), x.__array_interface__["data"][0])

    def test_results_by_position_and_by_name(self):
        a, b, c = floats(1000), floats(1000) + 1, numpy.empty(1000, numpy.float32)
        oxcl.run(ADD, a, b, c, 2, global_size=c.size)
        numpy.testing.assert_array_equal(c, a + 2 * b)
        run = oxcl.run(ADD, a, b=b, f=-1.0, c=c, global_size=c.shape, local_size=[10])
        numpy.testing.assert_array_equal(c, a - b)
        self.assertEqual(run.local_size, [10])
        self.assertGreater(run.seconds, 0)

    def test_dimensions_and_offsets(self):
        source = """kernel void ids(global int2 *x) {
            size_t w = get_global_size(0);
            x[get_global_id(1) * w + get_global_id(0) - 1] = (int2)(get_global_id(0), get_global_id(1));
        }"""
        x = numpy.zeros((3, 5, 2), numpy.int32)
        oxcl.run(source, x, global_size=(5, 3), offset=(1, 0))
        self.assertEqual(x[2, 4].tolist(), [5, 2])

    def test_views_that_overlap_are_one_memory(self):
        x = floats(100)
        oxcl.run(ADD, x[:50], x[50:], x[25:75].copy(), 1, global_size=50)
        source = "kernel void f(global float *a, global const float *b) { a[get_global_id(0)] = b[get_global_id(0)] + 1; }"
        oxcl.run(source, x[:60], x[40:], global_size=40)
        numpy.testing.assert_array_equal(x[:40], numpy.arange(41, 81))
        oxcl.run(ADD, x, x, x, 1, global_size=100)

    def test_what_has_the_buffer_protocol_is_an_array(self):
        data = array.array("f", [1, 2, 3, 4])
        oxcl.run(TWICE, data, global_size=4)
        self.assertEqual(data.tolist(), [2, 4, 6, 8])
        data = bytearray(b"abcd")
        oxcl.run("kernel void f(global uchar *x) { x[get_global_id(0)] -= 32; }", data, global_size=4)
        self.assertEqual(data, b"ABCD")

    def test_other_types_are_refused(self):
        text = self.refused("OX0903", numpy.zeros(4))
        self.assertIn("float32", text)
        self.refused("OX0903", numpy.zeros(4, numpy.int32))
        self.refused("OX0903", numpy.zeros(4, numpy.dtype(numpy.float32).newbyteorder(">")))
        self.refused("OX0903", numpy.zeros(4, "U1"))

    def test_arrays_with_gaps_are_refused(self):
        self.refused("OX0904", floats(8)[::2])
        self.refused("OX0904", floats(4)[::-1])
        self.refused("OX0904", numpy.zeros((2, 2), numpy.float32, order="F")[:, :])
        oxcl.run(TWICE, numpy.zeros((4, 1), numpy.float32), global_size=4)

    def test_read_only_arrays_are_read(self):
        x = floats(4)
        x.flags.writeable = False
        self.refused("OX0905", x)
        self.refused("OX0905", bytes(4), source="kernel void f(global uchar *x) { x[get_global_id(0)] = 1; }")
        c = numpy.empty(4, numpy.float32)
        oxcl.run(ADD, x, x, c, 1, global_size=4)
        self.assertEqual(c.tolist(), [0, 2, 4, 6])
        self.assertEqual(x.tolist(), [0, 1, 2, 3])

    def test_alignment(self):
        source = "kernel void f(global double16 *x) { x[get_global_id(0)] += 1; }"
        x = oxcl.empty((4, 16), numpy.float64)
        self.assertEqual(x.__array_interface__["data"][0] % 128, 0)
        x[:] = 0
        oxcl.run(source, x, global_size=4)
        self.assertEqual(x.sum(), 64)
        y = oxcl.empty(4 * 16 + 1, numpy.float64)[1:]
        self.refused("OX0906", y, source=source)

    def test_sizes(self):
        self.refused("OX0907", numpy.zeros(0, numpy.float32))
        self.refused("OX0907", numpy.zeros(6, numpy.float32), source="kernel void f(global float4 *x) { x[0] = 1; }")
        three = "kernel void f(global float3 *x) { x[get_global_id(0)] = 1; }"
        self.refused("OX0907", numpy.zeros((4, 3), numpy.float32), source=three)
        x = numpy.zeros((4, 4), numpy.float32)
        oxcl.run(three, x, global_size=4)
        with self.assertRaises(oxcl.LaunchError) as caught:
            oxcl.run(TWICE, floats(4), global_size=5)
        self.assertEqual(caught.exception.code, "OX0560")

    def test_complex_numbers_are_two(self):
        x = (numpy.arange(4) + 1j).astype(numpy.complex64)
        oxcl.run("kernel void f(global float2 *x) { x[get_global_id(0)] = x[get_global_id(0)].yx; }", x, global_size=4)
        self.assertEqual(x.tolist(), [1 + 0j, 1 + 1j, 1 + 2j, 1 + 3j])

    def test_structures(self):
        source = """typedef struct { int a; float b; } pair;
        kernel void f(global pair *x, pair p) { x[get_global_id(0)].a += p.a; x[get_global_id(0)].b = p.b; }"""
        pair = numpy.dtype([("a", numpy.int32), ("b", numpy.float32)])
        x = numpy.zeros(4, pair)
        oxcl.run(source, x, numpy.array((3, 2.5), pair)[()], global_size=4)
        self.assertEqual(x[3].tolist(), (3, 2.5))
        self.refused("OX0902", x, bytes(7), source=source)

    def test_values(self):
        source = "kernel void f(global int *x, char c, float4 v, local int *l) { *l = c; x[0] = *l + (int)(v.x + v.w); }"
        x = numpy.zeros(1, numpy.int32)
        oxcl.run(source, x, numpy.int8(-3), (1, 2, 3, 4.5), oxcl.Local(4), global_size=1)
        self.assertEqual(x[0], 2)
        oxcl.run(source, x, True, floats(4), oxcl.Local(4), global_size=1)
        self.refused("OX0902", x, 128, (1, 2, 3, 4), oxcl.Local(4), source=source)
        self.refused("OX0902", x, 1.5, (1, 2, 3, 4), oxcl.Local(4), source=source)
        self.refused("OX0902", x, 1, (1, 2, 3), oxcl.Local(4), source=source)
        self.refused("OX0902", x, 1, (1, 2, 3, 4), 4, source=source)
        self.refused("OX0902", 3, 1, (1, 2, 3, 4), oxcl.Local(4), source=source)
        self.refused("OX0901", x, 1, source=source)
        self.assertIn("`c`", self.refused("OX0901", x, 1, cc=1, source=source))
        self.refused("OX0901", x, x=x, source=source)
        null = "kernel void f(global int *x, global int *y) { x[0] = y == 0; }"
        oxcl.run(null, x, None, global_size=1)
        self.assertEqual(x[0], 1)


class Programs(unittest.TestCase):
    def test_messages_of_the_compiler(self):
        with self.assertRaises(oxcl.BuildError) as caught:
            oxcl.compile("kernel void f(global int *x) { x[0] = y; }")
        self.assertEqual(caught.exception.code, "OX0710")
        self.assertIn("kernel.cl:1:", caught.exception.log)
        self.assertIn("use of undeclared identifier 'y'", str(caught.exception))
        with self.assertRaises(oxcl.BuildError) as caught:
            oxcl.compile(TWICE, options="-no-such-option")
        self.assertEqual(caught.exception.code, "OX0711")

    def test_options_headers_and_several_kernels(self):
        source = '#include "n.h"\nkernel void a(global int *x) { x[0] = N; }\nkernel void b(global int *x) { x[0] = M; }'
        program = oxcl.compile(source, options="-DM=7", headers={"n.h": "#define N 5\n"})
        self.assertEqual(sorted(program.kernels), ["a", "b"])
        x = numpy.zeros(1, numpy.int32)
        program["a"](x, global_size=1)
        self.assertEqual(x[0], 5)
        oxcl.run(program, x, kernel="b", global_size=1)
        self.assertEqual(x[0], 7)
        self.assertEqual(program["b"].parameters, [("x", "int*")])
        with self.assertRaises(oxcl.ArgumentError):
            oxcl.run(program, x, global_size=1)
        with self.assertRaises(oxcl.BuildError) as caught:
            program["c"]
        self.assertEqual(caught.exception.code, "OX0604")

    def test_archives_and_files(self):
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(folder) / "twice.cl"
            text.write_text(TWICE)
            kept = pathlib.Path(folder) / "twice.poclbin"
            kept.write_bytes(oxcl.compile(text).binary)
            x = floats(4)
            oxcl.run(str(kept), x, global_size=4)
            oxcl.run(str(text), x, global_size=4)
            self.assertEqual(x.tolist(), [0, 4, 8, 12])
        with self.assertRaises(FileNotFoundError):
            oxcl.compile("no-such-file.cl")

    def test_every_device_of_this_machine(self):
        for device in ("cpu", "basic", "ref", "discrete"):
            x = floats(100)
            oxcl.run(TWICE, x, global_size=x.size, device=device)
            numpy.testing.assert_array_equal(x, 2 * floats(100), device)
        with self.assertRaises(oxcl.LaunchError):
            oxcl.compile(TWICE, device="gpu")

    def test_printf(self):
        self.assertEqual(oxcl.run('kernel void f() { printf("%d\\n", 42); }', global_size=1).printed, "42\n")

    def test_everything_is_documented(self):
        for name in oxcl.__all__:
            if name != "__version__":
                self.assertTrue(getattr(oxcl, name).__doc__, name)
        self.assertTrue((pathlib.Path(oxcl.__file__).parent / "py.typed").exists())


class Waiting(unittest.TestCase):
    def test_other_threads_go_on(self):
        x = numpy.ones(1, numpy.uint32)
        kernel = oxcl.compile(LONG)["spin"]
        steps = 100_000_000
        done = []
        thread = threading.Thread(target=lambda: done.append(kernel(x, steps, global_size=1)))
        count = 0
        thread.start()
        while thread.is_alive():
            count += 1
            time.sleep(0.001)
        thread.join()
        self.assertGreater(done[0].seconds, 0.02)
        self.assertGreater(count, 10)

    def test_many_threads(self):
        kernel = oxcl.compile(TWICE)["twice"]
        arrays = [floats(1000) for _ in range(8)]

        def work(x):
            for _ in range(20):
                kernel(x, global_size=x.size)

        threads = [threading.Thread(target=work, args=(x,)) for x in arrays]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for x in arrays:
            numpy.testing.assert_array_equal(x, floats(1000) * 2**20)

    def test_interrupts_end_the_waiting(self):
        program = textwrap.dedent(f"""
            import numpy, oxcl, sys
            x = numpy.ones(1, numpy.uint32)
            kernel = oxcl.compile({LONG!r})["spin"]
            print("begins", flush=True)
            try:
                for _ in range(1000):
                    kernel(x, 4000000000, global_size=1)
            except KeyboardInterrupt:
                sys.exit(7)
        """)
        # What a shell starts in the background has interrupts ignored, and so would this.
        command = ["env", "--default-signal=INT", sys.executable, "-c", program]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
            child.stdout.readline()
            time.sleep(0.3)
            began = time.monotonic()
            child.send_signal(signal.SIGINT)
            try:
                status = child.wait(timeout=60)
            except subprocess.TimeoutExpired:
                child.kill()
                raise
        self.assertEqual(status, 7)
        self.assertLess(time.monotonic() - began, 5)

    def test_the_main_thread_s_work_is_done_by_one_thread(self):
        program = textwrap.dedent(f"""
            import os, numpy, oxcl, signal, time
            from pathlib import Path

            def helpers():
                threads = Path("/proc/self/task").iterdir()
                return {{thread.name for thread in threads if (thread / "comm").read_text() == "oxcl-python\\n"}}

            def wait_until(right):
                # A thread that has not run yet has the name of the one that started it, on a busy machine for a while.
                end = time.monotonic() + 20
                while not right(helpers()):
                    assert time.monotonic() < end, helpers()
                    time.sleep(0.01)

            kernel = oxcl.compile({TWICE!r})["twice"]
            x = numpy.ones(4, numpy.float32)
            kernel(x, global_size=4)
            wait_until(lambda found: len(found) == 1)
            first = helpers()
            for _ in range(50):
                kernel(x, global_size=4)
                wait_until(lambda found: found == first)

            # An error of ours is no reason for another one, an interrupt is: the work goes on.
            try:
                kernel(x, global_size=-1)
            except TypeError:
                pass
            assert helpers() == first

            def handler(*_):
                raise KeyboardInterrupt
            signal.signal(signal.SIGALRM, handler)
            spin = oxcl.compile({LONG!r})["spin"]
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            try:
                spin(numpy.ones(1, numpy.uint32), 2000000000, global_size=1)
            except KeyboardInterrupt:
                kernel(x, global_size=4)
                assert helpers() > first, helpers()
            else:
                raise SystemExit("the kernel was too short")
        """)
        subprocess.run([sys.executable, "-c", program], check=True, timeout=100)

    def test_children_of_a_fork_run_kernels_too(self):
        x = floats(8)
        oxcl.run(TWICE, x, global_size=8)
        child = os.fork()
        if child == 0:
            oxcl.run(TWICE, x, global_size=8)
            os._exit(0 if x[7] == 28 else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(x[7], 14)


SMOOTH = """
[programs.smooth]
source = "smooth.cl"

[buffers.noise]
npy = "noise.npy"

[buffers.once]
like = "noise"

[buffers.twice]
like = "noise"

[[commands]]
kernel = "smooth"
name = "first"
global = 64
args = { in = "noise", out = "once", count = 64 }

[[commands]]
kernel = "smooth"
global = 64
args = { in = "once", out = "twice", count = 64 }
after = ["first"]

[[outputs]]
buffer = "twice"
print = "0..4"
"""


class Workloads(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        folder = pathlib.Path(self.folder.name)
        (folder / "smooth.cl").write_text(
            "kernel void smooth(global const float *in, global float *out, int count) {"
            " int i = get_global_id(0);"
            " out[i] = (in[max(i - 1, 0)] + in[i] + in[min(i + 1, count - 1)]) / 3; }"
        )
        (folder / "smooth.toml").write_text(SMOOTH)
        self.path = folder / "smooth.toml"

    @staticmethod
    def smooth(x):
        wide = numpy.concatenate([x[:1], x, x[-1:]])
        return (wide[:-2] + wide[1:-1] + wide[2:]) / numpy.float32(3)

    def test_arrays_in_and_out(self):
        workload = oxcl.Workload(self.path)
        self.assertEqual(workload.buffers, ["noise", "once", "twice"])
        noise, twice = floats(64) ** 2, numpy.empty(64, numpy.float32)
        noise.flags.writeable = False
        for device in (None, "ref", "discrete"):
            twice[:] = 0
            result = workload.run(noise=noise, twice=twice, device=device)
            self.assertIs(result["twice"], twice)
            self.assertIs(result["noise"], noise)
            numpy.testing.assert_allclose(result["once"], self.smooth(noise), rtol=1e-6)
            numpy.testing.assert_allclose(twice, self.smooth(self.smooth(noise)), rtol=1e-6)

    def test_data_from_files(self):
        numpy.save(self.path.parent / "noise.npy", floats(64))
        result = oxcl.Workload(self.path).run()
        numpy.testing.assert_allclose(result["twice"], self.smooth(self.smooth(floats(64))), rtol=1e-6)
        self.assertEqual(result["noise"].shape, (64,))

    def test_what_does_not_fit(self):
        workload = oxcl.Workload(self.path)
        for code, arrays in (
            ("OX0901", {"nois": floats(64)}),
            ("OX0902", {"noise": 3}),
            ("OX0904", {"noise": floats(128)[::2]}),
        ):
            with self.assertRaises(oxcl.ArgumentError) as caught:
                workload.run(**arrays)
            self.assertEqual(caught.exception.code, code)
        out = floats(64)
        out.flags.writeable = False
        with self.assertRaises(oxcl.ArgumentError) as caught:
            workload.run(noise=floats(64), twice=out)
        self.assertEqual(caught.exception.code, "OX0905")
        with self.assertRaises(oxcl.WorkloadError) as caught:
            workload.run(noise=numpy.zeros(64, numpy.int32))
        self.assertIn("float", str(caught.exception))
        with self.assertRaises(oxcl.WorkloadError) as caught:
            oxcl.Workload.from_text(SMOOTH.replace("after", "aftr"), self.path.parent)
        self.assertIn("line", str(caught.exception))
        with self.assertRaises(oxcl.WorkloadError):
            oxcl.Workload(self.path.parent / "none.toml")


if __name__ == "__main__":
    unittest.main()
