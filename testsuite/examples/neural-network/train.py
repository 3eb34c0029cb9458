"""Makes weights.npz: a network of two layers learns the digits of pictures.py, by gradient descent in NumPy."""

import numpy
from pictures import digits

random = numpy.random.default_rng(1)
w1, b1 = random.normal(0, 0.15, (64, 32)), numpy.zeros(32)
w2, b2 = random.normal(0, 0.2, (32, 10)), numpy.zeros(10)
weights = [w1, b1, w2, b2]
moments = [numpy.zeros_like(w) for w in weights]
pictures, shown = digits(20000, seed=2)
for step in range(3000):
    batch = random.integers(0, len(shown), 128)
    x, hidden = pictures[batch], numpy.maximum(pictures[batch] @ w1 + b1, 0)
    scores = hidden @ w2 + b2
    shares = numpy.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    shares[numpy.arange(len(batch)), shown[batch]] -= 1
    back = shares @ w2.T * (hidden > 0)
    slopes = [x.T @ back, back.sum(0), hidden.T @ shares, shares.sum(0)]
    for weight, moment, slope in zip(weights, moments, slopes):
        moment *= 0.9
        moment += slope / len(batch)
        weight -= 0.05 * moment
names = ("w1", "b1", "w2", "b2")
numpy.savez_compressed("weights.npz", **{name: w.astype(numpy.float16) for name, w in zip(names, weights)})
