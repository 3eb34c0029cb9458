#!/usr/bin/env python3
"""Completes the Python wheel: wheel.py BASE STAGE WHEEL, with BASE as maturin makes it and STAGE as stage.sh lays it out.

Added are the program in `oxcl/bin`, and the library in `pyopencl/.libs` with a file that names it: there the OpenCL loader looks
that comes with PyOpenCL's wheels, so PyOpenCL finds the platform without any variable. So are the licences of everything in it, and
the list of that. The same in gives the same bytes: names are sorted, and times are those of SOURCE_DATE_EPOCH.
"""

import base64
import hashlib
import os
import pathlib
import sys
import time
import zipfile


def main():
    base, stage, out = (pathlib.Path(name) for name in sys.argv[1:])
    with zipfile.ZipFile(base) as wheel:
        files = {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/")}
    info = next(name.split("/")[0] for name in files if name.endswith(".dist-info/METADATA"))
    doc = stage / "share/doc/oxcl"
    files.update({
        "oxcl/bin/oxcl": (stage / "bin/oxcl").read_bytes(),
        "pyopencl/.libs/liboxcl.so.1": (stage / "lib/liboxcl.so.1").read_bytes(),
        "pyopencl/.libs/oxcl.icd": b"liboxcl.so.1\n",
        f"{info}/licenses/copyright": (doc / "copyright").read_bytes(),
        f"{info}/sboms/oxcl.cdx.json": (doc / "sbom.cdx.json").read_bytes(),
    })
    licence = b"License-Expression: MIT OR Apache-2.0\n"
    metadata = files[f"{info}/METADATA"]
    if metadata.count(licence) != 1:
        sys.exit(f"wheel.py: {base} does not say its licence as it should")
    files[f"{info}/METADATA"] = metadata.replace(licence, licence + b"License-File: copyright\n")
    del files[f"{info}/RECORD"]
    record = []
    for name in sorted(files):
        digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(files[name])}\n")
    files[f"{info}/RECORD"] = ("".join(record) + f"{info}/RECORD,,\n").encode()

    # Zip files begin in 1980.
    date = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]
    # What names the wheel comes last, so that it is found at once.
    order = sorted(files, key=lambda name: (name.startswith(info), name.endswith("RECORD"), name))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name in order:
            entry = zipfile.ZipInfo(name, date)
            executable = name == "oxcl/bin/oxcl" or ".so" in pathlib.PurePath(name).suffixes
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, files[name], compresslevel=9)


main()
