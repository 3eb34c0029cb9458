"""The part of the package that is not written in Python."""

import os
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union, final

import numpy.typing

__version__: str

Sizes = Union[int, Sequence[int]]

def compile(
    source: str,
    *,
    options: str = "",
    device: str = "cpu",
    name: str = "kernel.cl",
    headers: Optional[Mapping[str, str]] = None,
) -> Program: ...
def load(binary: bytes, *, device: str = "cpu") -> Program:
    """Loads an archive that was compiled before, as `Program.binary` and `oxcl compile` give it."""

@final
class Local:
    """Bytes of local memory, for a parameter that points there."""

    def __init__(self, nbytes: int) -> None: ...
    @property
    def nbytes(self) -> int: ...

@final
class Program:
    """A program, built for a device."""

    @property
    def kernels(self) -> List[str]:
        """The kernels' names."""
    @property
    def device(self) -> str:
        """The name of the device that it was built for."""
    @property
    def log(self) -> str:
        """What the compiler said: warnings."""
    @property
    def binary(self) -> bytes:
        """The archive, in full quality: `oxcl.load` and `oxcl run` take it, and PoCL."""
    def kernel(self, name: str) -> Kernel:
        """A kernel by its name."""
    def __getitem__(self, name: str) -> Kernel: ...

@final
class Kernel:
    """A kernel: called, it runs."""

    @property
    def name(self) -> str: ...
    @property
    def parameters(self) -> List[Tuple[str, str]]:
        """Names and types of its parameters."""
    def __call__(
        self,
        *args: Any,
        global_size: Sizes,
        local_size: Optional[Sizes] = None,
        offset: Optional[Sizes] = None,
        **named: Any,
    ) -> Run:
        """Runs the kernel on arrays and numbers, by position or by name, and waits for it; see `oxcl.run`."""

@final
class Run:
    """How a launch went."""

    @property
    def seconds(self) -> float:
        """Time from the first work-group's start to the last one's end."""
    @property
    def cycles(self) -> Optional[int]:
        """Cycles, on a simulated processor."""
    @property
    def local_size(self) -> List[int]: ...
    @property
    def width(self) -> int:
        """Work-items that the code runs at a time."""
    @property
    def printed(self) -> str:
        """What the kernel printed; it was shown already."""

@final
class Workload:
    """A task graph from a file (docs/workloads.md)."""

    def __init__(self, path: Union[str, os.PathLike[str]]) -> None: ...
    @staticmethod
    def from_text(text: str, folder: Union[str, os.PathLike[str]] = ".") -> Workload:
        """A workload from the text of a file; paths in it begin at `folder`."""
    @property
    def title(self) -> str: ...
    @property
    def buffers(self) -> List[str]:
        """The names of its buffers."""
    def run(self, *, device: Optional[str] = None, **arrays: Any) -> Dict[str, numpy.typing.NDArray[Any]]:
        """Runs every command once, and gives all buffers by their names.

        Arrays that are given are these buffers' memory, in place of what the file says; all others are made, with the contents
        that the file gives them. `device` replaces the device of every queue.
        """
