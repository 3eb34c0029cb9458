"""Kernels on NumPy arrays, without copies; task graphs as files; and the program `oxcl`.

    import numpy, oxcl

    x = numpy.arange(8, dtype=numpy.float32)
    oxcl.run("kernel void twice(global float *x) { x[get_global_id(0)] *= 2; }", x, global_size=x.size)

Kernels work on the arrays' own memory. Other threads of Python go on while they run, and must leave these arrays alone until
then; Ctrl-C ends the waiting, not the kernel. Everything that goes wrong is an `oxcl.Error` with a code that the documents
explain.

PyOpenCL finds the platform by itself. `program()` is the path of the command line, which `python -m oxcl` runs.
"""

from ._arrays import empty
from ._errors import ArgumentError, BuildError, Error, LaunchError, WorkloadError
from ._oxcl import Kernel, Local, Program, Run, Workload, __version__, load
from ._run import compile, program, run

__all__ = [
    "ArgumentError",
    "BuildError",
    "Error",
    "Kernel",
    "LaunchError",
    "Local",
    "Program",
    "Run",
    "Workload",
    "WorkloadError",
    "__version__",
    "compile",
    "empty",
    "load",
    "program",
    "run",
]
