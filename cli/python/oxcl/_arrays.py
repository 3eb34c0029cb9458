"""Arrays for kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence, Union

if TYPE_CHECKING:
    import numpy
    import numpy.typing

ALIGNMENT = 128
"""Bytes: what the largest type of OpenCL C, `double16`, begins at multiples of."""


def empty(shape: Union[int, Sequence[int]], dtype: numpy.typing.DTypeLike = "float32") -> numpy.typing.NDArray[Any]:
    """An array like `numpy.empty`, aligned for every type of OpenCL C: for parameters such as `float8 *` and `double16 *`."""
    import numpy

    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    kind = numpy.dtype(dtype)
    size = kind.itemsize
    for one in sizes:
        size *= one
    memory = numpy.empty(size + ALIGNMENT, dtype=numpy.uint8)
    begin = -memory.__array_interface__["data"][0] % ALIGNMENT
    return memory[begin : begin + size].view(kind).reshape(sizes)
