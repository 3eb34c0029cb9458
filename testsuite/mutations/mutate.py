#!/usr/bin/env python3
"""Mutations of the analyses: draws them by seed, builds all of them into one program, and says which the tests notice.

A mutation is a small change that makes code wrong: another operator, another constant, a condition that always holds, a
statement left out, a function that returns at once. Those of Rust are the ones that cargo-mutants knows; those of the C++
bridge are found here, in the same spirit. Instead of building the tests once for each, every drawn mutation is put beside
the code that it changes and chosen by OXCL_MUTANT when the tests run:

    fn f() -> T { match crate::mutants::active() { 7 => { changed body } _ => { body } } }

    mutate.py draw --seed N          writes list.json: 45 of Rust, 30 of C++ (--rust N, --cxx N for more: the first stay the
                                     same), and some to take the places of those that are not valid code
    mutate.py build                  changes the working tree, which must be clean below compiler/, builds make test-compiler's
                                     tests, leaving out what does not compile, and puts them into target/mutants
    mutate.py run                    runs them for each mutation and writes result.tsv; --only N,N: for some mutations
    mutate.py undo                   takes the changes back: git checkout compiler

Nothing of this is part of a build or of make test.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIST = HERE / "list.json"
RESULT = HERE / "result.tsv"
PROGRAMS = ROOT / "target/mutants"

# The analyses: what is mutated.
RUST = [
    "compiler/ir/src/access.rs",
    "compiler/ir/src/affine.rs",
    "compiler/ir/src/cfg.rs",
    "compiler/ir/src/shape.rs",
    "compiler/ir/src/range.rs",
    "compiler/ir/src/uniformity.rs",
    "compiler/workgroup/src/facts.rs",
    "compiler/workgroup/src/indices.rs",
    "compiler/workgroup/src/privates.rs",
    "compiler/workgroup/src/regions.rs",
    "compiler/workgroup/src/slots.rs",
    "compiler/workgroup/src/window.rs",
    "compiler/workgroup/src/workitem.rs",
    "compiler/workgroup/src/emit/independent.rs",
]
BRIDGE = "compiler/ir/bridge"
WANTED = {"rust": 45, "c++": 30}
# For each three that are wanted, one more.
SPARE = 3


def rust_files():
    found = []
    for name in RUST:
        path = ROOT / name
        if path.is_dir():
            found.extend(sorted(str(p.relative_to(ROOT)) for p in path.rglob("*.rs")))
        elif path.exists():
            found.append(name)
    return found


# ---- Rust -----------------------------------------------------------------------------------------------------------


def offset(text, place):
    """The offset in characters of a line and a column, both counted from 1."""
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: place["line"] - 1]) + place["column"] - 1


def rust_candidates():
    command = ["cargo", "mutants", "--list", "--json"]
    for name in rust_files():
        command += ["-f", name]
    listed = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    candidates = []
    for mutant in listed:
        function = mutant.get("function")
        if not function:
            continue
        text = (ROOT / mutant["file"]).read_text()
        start, end = (offset(text, mutant["span"][k]) for k in ("start", "end"))
        fstart, fend = (offset(text, function["span"][k]) for k in ("start", "end"))
        body = rust_body(blanked(text), fstart, fend)
        head = text[fstart:body] if body else ""
        # A constant function cannot ask which mutation is on.
        if body is None or start < body or re.search(r"\bconst fn\b|\bimpl\b[^{]*$", head):
            continue
        candidates.append(
            {
                "language": "rust",
                "file": mutant["file"],
                "line": mutant["span"]["start"]["line"],
                "what": mutant["name"].split(": ", 1)[-1],
                "body": [body, fend],
                "span": [start, end],
                "text": mutant["replacement"],
            }
        )
    return candidates


def rust_body(text, start, end):
    """Where the body of the function between these offsets begins: its first brace outside of brackets."""
    depth = 0
    for at in range(start, end):
        c = text[at]
        if c in "([":
            depth += 1
        elif c in ")]":
            depth -= 1
        elif c == "{" and depth == 0:
            return at
        elif c == ";" and depth == 0:
            return None
    return None


# ---- C++ ------------------------------------------------------------------------------------------------------------


def blanked(text):
    """The text with comments, strings and preprocessor lines blanked, so that offsets stay."""
    out = list(text)
    for match in re.finditer(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^#[^\n]*', text, re.S | re.M):
        for at in range(*match.span()):
            if out[at] != "\n":
                out[at] = " "
    return "".join(out)


def cpp_bodies(code):
    """The offsets of each function's body, braces included."""
    bodies, stack, inside = [], [], None
    for at, c in enumerate(code):
        if c == "{":
            if inside is None:
                before = re.sub(r"\s+(const|override|noexcept)\s*$", "", code[:at].rstrip())
                head = code[: at].rstrip()[-400:]
                keyword = re.search(r"\b(namespace|class|struct|enum|extern)\b[^;{}()]*$", head)
                if before.endswith(")") and not keyword:
                    inside = (at, len(stack))
            stack.append(at)
        elif c == "}":
            stack.pop()
            if inside is not None and len(stack) == inside[1]:
                bodies.append((inside[0], at + 1))
                inside = None
    return bodies


SWAPS = {
    "==": ["!="], "!=": ["=="], "<=": ["<", ">"], ">=": [">", "<"], " < ": [" <= ", " > "], " > ": [" >= ", " < "],
    "&&": ["||"], "||": ["&&"], " + ": [" - "], " - ": [" + "], " * ": [" + "], "|=": ["&="], "+=": ["-="],
    " & ": [" | "], " | ": [" & "],
}


def cpp_mutations(code, start, end):
    """Every (start, end, replacement, words) inside one body."""
    body = code[start:end]
    found = []

    def add(match, group, text, what):
        a, b = match.span(group)
        found.append((start + a, start + b, text, what))

    for match in re.finditer(r"==|!=|<=|>=|&&|\|\||\|=|\+=| [<>+\-*&|] ", body):
        # `Type *Name` and `Type &Name` are declarations; operators have blanks on both sides here.
        for text in SWAPS.get(match.group(0), []):
            add(match, 0, text, f"replace {match.group(0).strip()} with {text.strip()}")
    for match in re.finditer(r"(?<![\w)])!(?=[\w(*])", body):
        add(match, 0, "", "delete !")
    for match in re.finditer(r"\b(true|false)\b", body):
        text = "false" if match.group(1) == "true" else "true"
        add(match, 0, text, f"replace {match.group(1)} with {text}")
    for match in re.finditer(r"(?<![\w.\"])(\d+)(?![\w.])", body):
        text = str(int(match.group(1)) + 1)
        add(match, 0, text, f"replace {match.group(1)} with {text}")
    for match in re.finditer(r"\b(if|while) (\()", body):
        depth, at = 0, match.end() - 1
        while at < len(body):
            depth += {"(": 1, ")": -1}.get(body[at], 0)
            if depth == 0:
                break
            at += 1
        condition = body[match.end() : at]
        # A declaration in a condition is needed by what follows.
        if re.match(r"\s*(auto|const)\b|\s*\w+ \*?\w+ = ", condition):
            continue
        for text in ["false"] if match.group(1) == "while" else ["true", "false"]:
            found.append((start + match.end(), start + at, text, f"replace condition ({condition.strip()}) with {text}"))
    for match in re.finditer(r"^[ \t]+([\w.>:\-\[\]()*]+\([^;{}]*\);)[ \t]*$", body, re.M):
        statement = match.group(1)
        if not statement.startswith("return") and not re.match(r"\w+ \w", statement):
            add(match, 1, ";", f"delete {statement}")
    for match in re.finditer(r"\b(continue|break);", body):
        add(match, 0, ";", f"delete {match.group(0)}")
    return found


def cpp_candidates():
    candidates = []
    for path in sorted((ROOT / BRIDGE).glob("*.cpp")):
        text = path.read_text()
        code = blanked(text)
        for start, end in cpp_bodies(code):
            for a, b, replacement, what in cpp_mutations(code, start, end):
                candidates.append(
                    {
                        "language": "c++",
                        "file": str(path.relative_to(ROOT)),
                        "line": text.count("\n", 0, a) + 1,
                        "what": " ".join(what.split()),
                        "body": [start, end],
                        "span": [a, b],
                        "text": replacement,
                    }
                )
    return candidates


# ---- Drawing, applying, running -------------------------------------------------------------------------------------


def draw(seed, wanted):
    chance = random.Random(seed)
    drawn, totals = [], {}
    for language, candidates in [("rust", rust_candidates()), ("c++", cpp_candidates())]:
        totals[language] = len(candidates)
        chance.shuffle(candidates)
        drawn.extend(candidates[: wanted[language] + wanted[language] // SPARE])
    for number, mutation in enumerate(drawn, 1):
        mutation["number"] = number
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    content = {"seed": seed, "commit": commit, "candidates": totals, "wanted": wanted, "invalid": [], "mutations": drawn}
    save(content)
    print(f"{totals} candidates, {len(drawn)} drawn by seed {seed} at {commit[:10]}")


def save(content):
    LIST.write_text(json.dumps(content, indent=1) + "\n")


RUST_ACTIVE = """
/// Which mutation is on.
#[allow(missing_docs, unreachable_pub, dead_code, reason = "mutations are measured, not shipped")]
pub(crate) mod mutants {
    pub(crate) fn active() -> u32 {
        static ACTIVE: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
        *ACTIVE.get_or_init(|| std::env::var("OXCL_MUTANT").ok().and_then(|n| n.parse().ok()).unwrap_or(0))
    }
}
"""
# The crates that have mutations.
LIBS = ["compiler/ir/src/lib.rs", "compiler/workgroup/src/lib.rs"]
CPP_ACTIVE = """#include <cstdlib>
static unsigned oxclMutant() {
  static const unsigned Active = [] { const char *N = getenv("OXCL_MUTANT"); return N ? unsigned(atoi(N)) : 0u; }();
  return Active;
}
"""


def apply(content):
    """Puts the mutations beside the code that they change. Gives for each file the lines that each of them has now."""
    files = sorted({mutation["file"] for mutation in content["mutations"]})
    original = {}
    for name in [*files, *LIBS]:
        shown = ["git", "show", f"{content['commit']}:{name}"]
        original[name] = subprocess.run(shown, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        same = subprocess.run(["git", "diff", "--quiet", content["commit"], "HEAD", "--", name], cwd=ROOT)
        if same.returncode != 0:
            sys.exit(f"{name} is not that of {content['commit']}, where the mutations were drawn: draw again")
    places = {}
    for name in files:
        text = original[name]
        bodies = {}
        for mutation in content["mutations"]:
            if mutation["file"] == name and mutation["number"] not in content["invalid"]:
                bodies.setdefault(tuple(mutation["body"]), []).append(mutation)
        for (start, end), group in sorted(bodies.items(), reverse=True):
            changed = []
            for mutation in group:
                a, b = mutation["span"]
                changed.append((mutation["number"], text[start:a] + mutation["text"] + text[b:end]))
            body = text[start:end]
            if name.endswith(".rs"):
                arms = "".join(f"\n/*<{number}*/ {number} => {new} /*>*/" for number, new in changed)
                new = f"{{ match crate::mutants::active() {{ {arms}\n _ => {body} }} }}"
            else:
                ways = "".join(f"\n/*<{n}*/ if (oxclMutant() == {n}) {new} /*>*/ else " for n, new in changed)
                new = "{ " + ways + "\n" + body + " }"
            text = text[:start] + new + text[end:]
        if name.endswith(".cpp"):
            text = CPP_ACTIVE + text
        replace(ROOT / name, text)
        places[name] = lines_of(text)
    for name in LIBS:
        replace(ROOT / name, original[name] + RUST_ACTIVE)
    return places


def replace(path, text):
    # What is as it was need not be compiled again.
    if path.read_text() != text:
        path.write_text(text)


def lines_of(text):
    found, open_one = [], None
    for line, content in enumerate(text.split("\n"), 1):
        for mark in re.finditer(r"/\*<(\d+)\*/|/\*>\*/", content):
            if mark.group(1):
                open_one = (int(mark.group(1)), line)
            elif open_one:
                found.append((*open_one, line))
                open_one = None
    return found


# What `make test-compiler` runs.
TESTS = [
    (["-p", "oxcl-irtest", "-p", "oxcl-ir", "-p", "oxcl-workgroup"], []),
]


def compiled():
    """The test programs of make test-compiler with their folders and filters, and the errors as (file, line)."""
    found, errors, words = [], set(), []
    for packages, filters in TESTS:
        command = ["cargo", "test", "--no-run", "--locked", "--message-format=json", *packages]
        built = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for place in re.finditer(r"(?:^|[ =])(\S+\.cpp):(\d+):\d+: (?:fatal )?error: .*", built.stderr, re.M):
            errors.add((place.group(1), int(place.group(2))))
            words.append(place.group(0))
        for line in built.stdout.splitlines():
            message = json.loads(line)
            if message.get("reason") == "compiler-artifact" and message.get("executable") and message["profile"]["test"]:
                folder = str(Path(message["manifest_path"]).parent)
                found.append((message["executable"], folder, filters))
            elif message.get("reason") == "compiler-message" and message["message"]["level"] == "error":
                spans = [span for span in message["message"]["spans"] if span["is_primary"]]
                errors.update((span["file_name"], line) for span in spans for line in range(span["line_start"], span["line_end"] + 1))
                words.append(message["message"]["rendered"])
        if built.returncode != 0 and not errors:
            sys.exit(built.stderr)
    # The quick ones first; the file tests notice most.
    order = {"files": 0, "workgroup": 2, "uniformity": 3}
    found.sort(key=lambda program: order.get(Path(program[0]).name.rsplit("-", 1)[0], 1))
    return found, errors, words


def build():
    """Builds, leaving out what does not compile."""
    content = json.loads(LIST.read_text())
    while True:
        places = apply(content)
        found, errors, words = compiled()
        if not errors:
            break
        invalid = {
            number
            for file, at in errors
            for name, lines in places.items()
            if Path(file).name == Path(name).name and (file.endswith(".cpp") or file == name)
            for number, first, last in lines
            if first <= at <= last
        }
        if not invalid:
            sys.exit("\n".join(words))
        print(f"not valid: {sorted(invalid)}", flush=True)
        content["invalid"] = sorted({*content["invalid"], *invalid})
        save(content)
    # What is built later does not touch these.
    shutil.rmtree(PROGRAMS, ignore_errors=True)
    PROGRAMS.mkdir(parents=True)
    kept = []
    for program, folder, filters in found:
        kept.append((shutil.copy2(program, PROGRAMS), folder, filters))
    (PROGRAMS / "programs.json").write_text(json.dumps(kept))


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(only):
    content = json.loads(LIST.read_text())
    all_programs = json.loads((PROGRAMS / "programs.json").read_text())
    rows = []
    # What each program takes without a mutation.
    times = {}
    counts = {language: [0, 0] for language in WANTED}

    def outcome(mutation):
        environment = {**os.environ, "OXCL_MUTANT": str(mutation["number"])}
        for program, folder, filters in all_programs:
            # The tests of oxcl-ir do not have the other crate in them.
            if folder.endswith("compiler/ir") and not mutation["file"].startswith("compiler/ir/"):
                continue
            # Of the processor's time: others may be at work on the machine.
            most = int(times.get(program, 60) * 3 + 3)
            begun = processor_time()
            done = subprocess.run(
                [program, "-q", *filters], cwd=folder, env=environment,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (most, most)),
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            )
            if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
                return "caught", f"{Path(program).name.rsplit('-', 1)[0]}: does not end"
            if done.returncode != 0:
                failed = re.findall(r"^    (\S+)$", done.stdout, re.M)
                what = " ".join(sorted(set(failed))[:3]) or f"exit status {done.returncode}"
                return "caught", f"{Path(program).name.rsplit('-', 1)[0]}: {what}"
            times.setdefault(program, processor_time() - begun)
        return "survived", ""

    state, what = outcome({"number": 0, "file": "compiler/ir/"})
    if state != "survived":
        sys.exit(f"the tests fail without a mutation: {what}")
    for mutation in content["mutations"]:
        language = mutation["language"]
        if mutation["number"] in content["invalid"] or counts[language][1] >= content["wanted"][language]:
            continue
        if only and mutation["number"] not in only:
            continue
        state, what = outcome(mutation)
        counts[language][0] += state == "caught"
        counts[language][1] += 1
        rows.append([str(mutation["number"]), state, f"{mutation['file']}:{mutation['line']}", mutation["what"], what])
        print("\t".join(rows[-1]), flush=True)
        if not only and counts[language][1] == WANTED[language]:
            print(f"{language}: {counts[language][0]} of the first {WANTED[language]} caught", flush=True)
    if not only:
        RESULT.write_text("".join("\t".join(row) + "\n" for row in rows))
    for language, (caught, tried) in counts.items():
        print(f"{language}: {caught} of {tried} caught")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("command", choices=["draw", "build", "run", "undo"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rust", type=int, default=WANTED["rust"], help="how many mutations of Rust")
    parser.add_argument("--cxx", type=int, default=WANTED["c++"], help="how many mutations of C++")
    parser.add_argument("--only", default="", help="the numbers of the mutations to run, with commas")
    arguments = parser.parse_args()
    if arguments.command == "draw":
        draw(arguments.seed, {"rust": arguments.rust, "c++": arguments.cxx})
    elif arguments.command == "build":
        build()
    elif arguments.command == "run":
        run({int(n) for n in arguments.only.split(",") if n})
    else:
        subprocess.run(["git", "checkout", "--", "compiler"], cwd=ROOT, check=True)


main()
