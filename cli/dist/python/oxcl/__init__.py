"""oxcl: OpenCL for CPUs, and a compiler for OpenCL C.

PyOpenCL finds the platform by itself. `program()` is the path of the command line, which `python -m oxcl` runs.
"""

import pathlib

__version__ = "@VERSION@"
__all__ = ["__version__", "program"]


def program() -> pathlib.Path:
    """The program `oxcl`."""
    return pathlib.Path(__file__).parent / "bin" / "oxcl"
