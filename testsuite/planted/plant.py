#!/usr/bin/env python3
"""Plants the errors of errors.toml one at a time and says whether random programs find them on the reference executor.

    testsuite/planted/plant.py [--seeds N] [--release] [NAME...]

For each error: the file is changed, the campaign program built, programs are run on `ref` until one differs from the
evaluator, and the file is put back. A row of a table is printed for each. Ends with 1 if an error was not found, with 2
if one could not be planted.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]


def campaign(release, first, count):
    program = ROOT / "target" / ("release" if release else "debug") / "oxcl-campaign"
    command = [program, "run", "--on", "ref", "--seed", str(first), "--count", str(count)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def plant(error, seeds, release):
    path = ROOT / error["file"]
    before = path.read_text()
    if before.count(error["old"]) != 1:
        return "cannot be planted: the text is there %d times" % before.count(error["old"])
    path.write_text(before.replace(error["old"], error["new"]))
    try:
        build = ["cargo", "build", "-p", "oxcl-testsuite", "--bin", "oxcl-campaign"] + (["--release"] if release else [])
        built = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
        if built.returncode != 0:
            return "cannot be planted: it does not build\n" + built.stderr[-2000:]
        step = 100
        for first in range(1, seeds + 1, step):
            run = campaign(release, first, step)
            found = re.search(r"^seed (\d+) on \S+: (.*)$", run.stderr, re.M)
            if found:
                return "found by seed %s: %s" % (found.group(1), found.group(2)[:80])
        return "not found in %d programs" % seeds
    finally:
        path.write_text(before)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=1000)
    parser.add_argument("--release", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    errors = tomllib.loads((ROOT / "testsuite/planted/errors.toml").read_text())["error"]
    status = 0
    for error in errors:
        if arguments.names and error["name"] not in arguments.names:
            continue
        result = plant(error, arguments.seeds, arguments.release)
        print("| %s | %s |" % (error["name"], result), flush=True)
        status = max(status, 2 if result.startswith("cannot") else 0 if result.startswith("found") else 1)
    return status


if __name__ == "__main__":
    sys.exit(main())
