"""Reads digits: a network whose layers are kernels on NumPy's arrays."""

import pathlib

import numpy
import oxcl
from pictures import digits

here = pathlib.Path(__file__).parent
weights = {name: w.astype(numpy.float32) for name, w in numpy.load(here / "weights.npz").items()}
layer = oxcl.compile(here / "layer.cl").kernel("layer")

pictures, shown = digits(10000, seed=3)
hidden = numpy.empty((len(shown), 32), numpy.float32)
scores = numpy.empty((len(shown), 10), numpy.float32)
first = layer(pictures, weights["w1"], weights["b1"], hidden, 64, 0, global_size=(32, len(shown)))
second = layer(hidden, weights["w2"], weights["b2"], scores, 32, 1, global_size=(10, len(shown)))

want = numpy.maximum(pictures @ weights["w1"] + weights["b1"], 0) @ weights["w2"] + weights["b2"]
assert numpy.allclose(scores, want, atol=1e-3)
right = (scores.argmax(axis=1) == shown).mean()
print(pictures[0].reshape(8, 8).round().clip(0, 1).astype(int), "is read as", scores[0].argmax())
print(f"{right:.1%} of {len(shown)} digits are read right, in {(first.seconds + second.seconds) * 1e3:.1f} ms")
assert right > 0.95
