#!/usr/bin/env python3
"""What a package contains: contents.py FOLDER writes, in FOLDER,

    sbom.cdx.json   every crate and every Debian package that is linked in, as CycloneDX 1.5
    copyright       our licence, and the licence texts of all of these

In: the workspace (current folder), the crates that `cargo metadata` names, and Debian's copyright files. The same in gives the
same out. Fails where a licence text is missing, because then the package may not be given to anybody.
"""

import json
import pathlib
import re
import subprocess
import sys

# The static archives that are linked into the program, and what of each package they are.
DEBIAN = {
    "llvm-22-dev": "LLVM",
    "libclang-22-dev": "clang",
    "liblld-22-dev": "lld",
    "libstdc++-12-dev": "the C++ library",
    "zlib1g-dev": "zlib",
    "libzstd-dev": "zstd",
    "libffi-dev": "libffi",
}

# Crates whose files have no licence text; their manifests name the licence.
KNOWN = {"MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "Unlicense", "BSD-3-Clause", "Zlib", "Unicode-3.0"}


def packages():
    """The crates that are linked into the program, the library and the Python extension, ours first."""
    text = subprocess.run(
        ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", "x86_64-unknown-linux-gnu"],
        check=True,
        capture_output=True,
    ).stdout
    data = json.loads(text)
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    by_id = {package["id"]: package for package in data["packages"]}
    wanted = [package["id"] for package in data["packages"] if package["name"] in ("oxcl", "oxcl-icd", "oxcl-python")]
    seen = set()
    while wanted:
        one = wanted.pop()
        if one in seen:
            continue
        seen.add(one)
        for dependency in nodes[one]["deps"]:
            # What only tests and build scripts use is in no file of the package.
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                wanted.append(dependency["pkg"])
    return sorted((by_id[one] for one in seen), key=lambda p: (p["source"] is not None, p["name"], p["version"]))


def debian():
    """The versions of Debian's packages."""
    for name in DEBIAN:
        out = subprocess.run(
            ["dpkg-query", "-W", "-f", "${Version}\t${source:Package}", name], capture_output=True, text=True
        )
        if out.returncode:
            sys.exit(f"contents.py: {name} is not installed, and its archives are linked in")
        version, source = out.stdout.split("\t")
        yield name, version, source


def licence_files(folder):
    pattern = re.compile(r"(?i)^(licen[cs]e|copying|unlicense|notice)")
    return sorted(file for file in folder.iterdir() if file.is_file() and pattern.match(file.name))


def main():
    folder = pathlib.Path(sys.argv[1])
    crates = packages()
    archives = list(debian())
    version = next(package["version"] for package in crates if package["name"] == "oxcl")
    components = []
    for package in crates:
        if package["source"] is None:
            continue
        components.append({
            "type": "library",
            "name": package["name"],
            "version": package["version"],
            "licenses": [{"expression": package["license"]}] if package["license"] else [],
            "purl": f"pkg:cargo/{package['name']}@{package['version']}",
        })
    for name, number, source in archives:
        purl = f"pkg:deb/debian/{name}@{number}?arch=amd64"
        components.append({"type": "library", "name": name, "version": number, "description": DEBIAN[name], "purl": purl})
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": {"type": "application", "name": "oxcl", "version": version}},
        "components": components,
    }
    (folder / "sbom.cdx.json").write_text(json.dumps(bom, indent=1) + "\n")

    parts = ["oxcl " + version + "\n\nLicence: MIT or Apache-2.0, at your option.\n"]
    parts += [pathlib.Path(name).read_text() for name in ("LICENSE-MIT", "LICENSE-APACHE")]
    parts.append("The program holds parts of the following, under their own licences.\n")
    # Many crates have the same text: each is printed once, behind the names of its crates.
    texts = {}
    for package in crates:
        if package["source"] is None:
            continue
        label = f"{package['name']} {package['version']} ({package['license']})"
        files = licence_files(pathlib.Path(package["manifest_path"]).parent)
        if not files and not set(re.split(r" OR | AND |/", package["license"] or "")) & KNOWN:
            sys.exit(f"contents.py: {label} has no licence text")
        for file in files:
            texts.setdefault(file.read_text(errors="replace").strip(), []).append(label)
        if not files:
            texts.setdefault(f"Licence: {package['license']}, as its manifest says.", []).append(label)
    for name, number, source in archives:
        file = pathlib.Path(f"/usr/share/doc/{name}/copyright")
        texts.setdefault(file.read_text(errors="replace").strip(), []).append(f"{DEBIAN[name]}: {name} {number} ({source})")
    for text, labels in texts.items():
        parts.append("\n".join(labels) + "\n\n" + text + "\n")
    line = "\n" + "-" * 78 + "\n\n"
    (folder / "copyright").write_text(line.join(parts))


main()
