"""Programs from text and files, and kernels in one call."""

from __future__ import annotations

import functools
import os
import pathlib
from typing import Any, Mapping, Optional, Sequence, Union

from . import _oxcl
from ._errors import ArgumentError, BuildError

Source = Union[str, "os.PathLike[str]"]
Sizes = Union[int, Sequence[int]]


def program() -> pathlib.Path:
    """The program `oxcl`."""
    return pathlib.Path(__file__).parent / "bin" / "oxcl"


def _is_path(source: object) -> bool:
    # No text of a program ends so.
    return isinstance(source, os.PathLike) or (isinstance(source, str) and source.endswith((".cl", ".poclbin")))


def compile(
    source: Source, *, options: str = "", device: str = "cpu", headers: Optional[Mapping[str, str]] = None
) -> _oxcl.Program:
    """Builds OpenCL C for a device: a text, or a file (`pathlib.Path`, or a name that ends with `.cl`).

    An archive (`.poclbin`), as `oxcl compile` and `Program.binary` give, is loaded. `options` are OpenCL's, such as
    `-cl-std=CL3.0 -DN=8`; `headers` are files that exist in memory only. What was built before comes from the cache.

    Raises `BuildError` with the compiler's messages.
    """
    if not _is_path(source):
        return _oxcl.compile(source, options=options, device=device, headers=headers)  # type: ignore[arg-type]
    name = os.fspath(source)
    with open(name, "rb") as file:
        contents = file.read()
    if contents.startswith(b"poclbin\0"):
        if options or headers:
            raise ArgumentError(f"'{name}' is compiled already, and options or headers were given [OX0901]", "OX0901")
        return _oxcl.load(contents, device=device)
    try:
        text = contents.decode()
    except UnicodeDecodeError:
        raise BuildError(f"'{name}' is neither an archive nor OpenCL C text [OX0601]", "OX0601") from None
    return _oxcl.compile(text, options=options, device=device, name=name, headers=headers)


@functools.lru_cache(maxsize=64)
def _known(source: str, options: str, device: str, process: int) -> _oxcl.Program:
    return _oxcl.compile(source, options=options, device=device)


def run(
    source: Union[Source, _oxcl.Program, _oxcl.Kernel],
    *arguments: Any,
    global_size: Sizes,
    local_size: Optional[Sizes] = None,
    offset: Optional[Sizes] = None,
    kernel: Optional[str] = None,
    options: str = "",
    device: str = "cpu",
    **named: Any,
) -> _oxcl.Run:
    """Runs one kernel on arrays and numbers, given in the order of its parameters or by their names, and waits for it.

    `source` is what `compile` takes, or a program or a kernel that there is. `kernel` names one of several. NumPy arrays
    (and what else has the buffer protocol) are used in place: C-contiguous, of the dtype that the parameter points to, and
    writable if the kernel writes. Numbers get the parameter's type, sequences become vectors, `None` is a null pointer,
    `oxcl.Local(nbytes)` is local memory.

    Raises `ArgumentError`, `BuildError` or `LaunchError`.
    """
    if not isinstance(source, _oxcl.Kernel):
        if isinstance(source, _oxcl.Program):
            built = source
        elif _is_path(source):
            built = compile(source, options=options, device=device)
        else:
            # A child of a fork has devices of its own.
            built = _known(source, options, device, os.getpid())  # type: ignore[arg-type]
        names = built.kernels
        if kernel is None and len(names) != 1:
            raise ArgumentError(
                f"the program has {len(names)} kernels: name one with kernel= [OX0901]",
                "OX0901",
                "its kernels: " + ", ".join(names),
            )
        source = built.kernel(names[0] if kernel is None else kernel)
    return source(*arguments, global_size=global_size, local_size=local_size, offset=offset, **named)
