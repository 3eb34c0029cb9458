#!/usr/bin/env python3
"""Makes the Python wheel: wheel.py STAGE OUT, with STAGE as stage.sh lays it out.

The wheel holds the package `oxcl` with the program in `oxcl/bin`, and the library in `pyopencl/.libs` with a file that names it: there the
OpenCL loader looks that comes with PyOpenCL's wheels, so PyOpenCL finds the platform without any variable. The same stage gives the
same bytes: names are sorted, and times are those of SOURCE_DATE_EPOCH.
"""

import base64
import hashlib
import os
import pathlib
import re
import sys
import time
import zipfile

HERE = pathlib.Path(__file__).parent
TAG = "py3-none-manylinux_2_36_x86_64"

METADATA = """\
Metadata-Version: 2.4
Name: oxcl
Version: {version}
Summary: OpenCL for CPUs, and a compiler for OpenCL C
License-Expression: MIT OR Apache-2.0
License-File: copyright
Requires-Python: >=3.9
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Description-Content-Type: text/markdown

An OpenCL 3.0 platform that PyOpenCL finds when both wheels are installed, and the program `oxcl` (also `python -m oxcl`): it compiles
OpenCL C, runs kernels and task graphs on files of data, and shows what the compiler makes of a kernel.

```python
import pyopencl as cl
platform = next(p for p in cl.get_platforms() if p.name == "oxcl")
```

`python -m oxcl doctor` says what is wrong when that does not work.
"""


def main():
    stage, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    root = HERE.parent.parent
    version = re.search(r'\[workspace\.package\]\nversion = "(.*)"', (root / "Cargo.toml").read_text()).group(1)
    info = f"oxcl-{version}.dist-info"
    doc = stage / "share/doc/oxcl"
    files = {
        "oxcl/bin/oxcl": (stage / "bin/oxcl").read_bytes(),
        "pyopencl/.libs/liboxcl.so.1": (stage / "lib/liboxcl.so.1").read_bytes(),
        "pyopencl/.libs/oxcl.icd": b"liboxcl.so.1\n",
        f"{info}/METADATA": METADATA.format(version=version).encode(),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: oxcl\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode(),
        f"{info}/entry_points.txt": b"[console_scripts]\noxcl = oxcl.__main__:main\n",
        f"{info}/licenses/copyright": (doc / "copyright").read_bytes(),
        f"{info}/sboms/oxcl.cdx.json": (doc / "sbom.cdx.json").read_bytes(),
    }
    for file in (HERE / "python/oxcl").iterdir():
        if file.is_file():
            files[f"oxcl/{file.name}"] = file.read_bytes().replace(b"@VERSION@", version.encode())
    record = []
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(files[name])}\n")
    files[f"{info}/RECORD"] = ("".join(record) + f"{info}/RECORD,,\n").encode()

    # Zip files begin in 1980.
    date = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]
    # What names the wheel comes last, so that it is found at once.
    order = sorted(files, key=lambda name: (name.startswith(info), name.endswith("RECORD"), name))
    with zipfile.ZipFile(out / f"oxcl-{version}-{TAG}.whl", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name in order:
            entry = zipfile.ZipInfo(name, date)
            executable = name in ("oxcl/bin/oxcl", "pyopencl/.libs/liboxcl.so.1")
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, files[name], compresslevel=9)


main()
