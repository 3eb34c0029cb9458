"""Filters a picture by a kernel: picture.py [PICTURE]. Writes edges.png."""

import pathlib
import struct
import sys
import zlib

import numpy
import oxcl


def drawn(width=1024, height=768):
    """Rings and a gradient: rows, columns, and red, green, blue, alpha."""
    y, x = numpy.mgrid[0:height, 0:width]
    rings = ((x - width / 2) ** 2 + (y - height / 2) ** 2) // 4000 % 2 * 200
    picture = numpy.empty((height, width, 4), numpy.uint8)
    picture[..., 0] = rings
    picture[..., 1] = 255 * x // width
    picture[..., 2] = 255 * y // height
    picture[..., 3] = 255
    return picture


def read(path):
    from PIL import Image

    return numpy.array(Image.open(path).convert("RGBA"))


def write(path, picture):
    """A PNG of four bytes a pixel."""
    height, width, _ = picture.shape

    def part(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + row.tobytes() for row in picture)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    parts = part(b"IHDR", header) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")
    pathlib.Path(path).write_bytes(b"\x89PNG\r\n\x1a\n" + parts)


picture = read(sys.argv[1]) if len(sys.argv) > 1 else drawn()
height, width, _ = picture.shape
edges = numpy.empty_like(picture)
run = oxcl.run(pathlib.Path(__file__).parent / "edges.cl", picture, edges, global_size=(width, height))
write("edges.png", edges)

# The same in NumPy, to be sure.
wide = picture.astype(int)
right = numpy.concatenate([wide[:, 1:], wide[:, -1:]], axis=1)
below = numpy.concatenate([wide[1:], wide[-1:]], axis=0)
want = numpy.minimum(3 * numpy.minimum(abs(wide - right) + abs(wide - below), 255), 255)
want[..., 3] = 255
assert (edges == want).all()
print(f"edges.png: {width}x{height} pixels in {run.seconds * 1e3:.2f} ms")
