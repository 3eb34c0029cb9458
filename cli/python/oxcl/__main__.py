"""`python -m oxcl`: the program, in place of this process."""

import os
import sys

from . import program


def main() -> None:
    os.execv(program(), ["oxcl", *sys.argv[1:]])


if __name__ == "__main__":
    main()
