"""The Mandelbrot set on the platform `oxcl`, with PyOpenCL."""

import numpy
import pyopencl as cl

SOURCE = """
kernel void mandelbrot(global ushort *counts, float left, float top, float step, ushort most) {
  size_t x = get_global_id(0), y = get_global_id(1);
  float2 c = (float2)(left + x * step, top - y * step), z = 0;
  ushort n = 0;
  while (n < most && dot(z, z) <= 4) {
    z = (float2)(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
    n++;
  }
  counts[y * get_global_size(0) + x] = n;
}
"""
WIDTH, HEIGHT, MOST = 1200, 1000, 200

platform = next(p for p in cl.get_platforms() if p.name == "oxcl")
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
program = cl.Program(context, SOURCE).build()

counts = numpy.empty((HEIGHT, WIDTH), numpy.uint16)
flags = cl.mem_flags.WRITE_ONLY | cl.mem_flags.USE_HOST_PTR
buffer = cl.Buffer(context, flags, hostbuf=counts)
step = 3 / WIDTH
arguments = (numpy.float32(-2.2), numpy.float32(1.25), numpy.float32(step), numpy.uint16(MOST))
event = program.mandelbrot(queue, (WIDTH, HEIGHT), None, buffer, *arguments)
cl.enqueue_copy(queue, counts, buffer)

inside = counts == MOST
for row in inside[::50, ::20]:
    print("".join("#" if one else "." for one in row))
area = inside.sum() * step * step
print(f"about {area:.2f} of area, in {(event.profile.end - event.profile.start) / 1e6:.1f} ms on {platform.name}")
assert 1.50 < area < 1.56
