"""The exceptions of this package, each with a code that docs/errors.md explains."""

from __future__ import annotations

from typing import Optional


class Error(Exception):
    """What went wrong, its stable code (`OX0903`), and what to do about it where that is known."""

    code: Optional[str]
    help: Optional[str]

    def __init__(
        self, message: str, code: Optional[str] = None, help: Optional[str] = None, log: Optional[str] = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.help = help

    def __str__(self) -> str:
        text = str(self.args[0])
        return f"{text}\nhelp: {self.help}" if self.help else text


class BuildError(Error):
    """A program was not built or cannot be loaded. `log` is what the compiler said."""

    log: str

    def __init__(
        self, message: str, code: Optional[str] = None, help: Optional[str] = None, log: Optional[str] = None
    ) -> None:
        super().__init__(message, code, help)
        self.log = log or ""


class ArgumentError(Error, TypeError):
    """An argument does not fit the kernel's parameter or the workload's buffer."""


class LaunchError(Error, RuntimeError):
    """A device cannot be had, or a launch was refused or failed."""


class WorkloadError(Error):
    """A workload's file, or a file that it names, cannot be used."""
