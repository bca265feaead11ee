#!/usr/bin/env python3
"""Holds the front end against clang: what one accepts the other accepts, what one refuses the other refuses.

Runs over classes/*.cl, language/*.cl, errors/*.cl and the lines of oracle_cases.txt. Each has a recorded verdict (files of
errors/ are refused, the other files accepted), so that the front end is checked where clang is missing too; where it is there
its verdict is checked the same way. Wanted differences stand in oracle_differences.txt, and one that is none fails the run.
Usage: oracle.py CHECK_SOURCE [PATTERN], or oracle.py --write FOLDER for the programs as files: inputs of tests/fuzz.
"""
import concurrent.futures
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
CLANG = ["-x", "cl", "-cl-std=CL1.2", "-Xclang", "-finclude-default-header", "-D__OPENCL_VERSION__=120", "-fsyntax-only"]
LIMIT_SECONDS = 20
HEAD = ("typedef struct { int a, b; float2 m; int t[3]; } pair_t;\n"
        "__kernel void k(__global int *o, __global float *f, __constant int *c, __local int *l, int n, uint u, float x,\n"
        "                double d, float4 v, int4 w, float2 v2, float3 v3, pair_t p) {\n")


class Case:
    def __init__(self, name, accept, text):
        self.name, self.accept, self.text = name, accept, text


def read_cases():
    cases, names = [], set()
    for line in (FOLDER / "oracle_cases.txt").read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        match = re.fullmatch(r"(accept|reject) (file|body) \| (.*?) \|(?: (.*))?", line)
        if not match:
            sys.exit(f"oracle_cases.txt: not a case: {line}")
        verdict, kind, name, code = match.groups()
        # An end of line is a backslash and an n that no quote, x or backslash makes part of a C escape.
        code = re.sub(r"(?<!')\\n(?!')", "\n", code or "").replace("%d %f %s\n", "%d %f %s\\n").replace("%v4f\n", "%v4f\\n")
        if name in names:
            sys.exit(f"oracle_cases.txt: two cases with the purpose: {name}")
        names.add(name)
        cases.append(Case(name, verdict == "accept", code + "\n" if kind == "file" else HEAD + code + "\n}\n"))
    for folder, accept in (("classes", True), ("language", True), ("errors", False)):
        for path in sorted((FOLDER / folder).glob("*.cl")):
            cases.append(Case(f"{folder}/{path.name}", accept, path.read_text(encoding="utf-8")))
    return cases


def read_differences():
    differences = {}
    for line in (FOLDER / "oracle_differences.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            name, ours, reason = (part.strip() for part in line.split("|"))
            if ours not in ("accept", "reject") or not reason:
                sys.exit(f"oracle_differences.txt: not a difference: {line}")
            differences[name] = ours == "accept"
    return differences


def accepts(command):
    """True, False, or None for a crash, a limit or a misuse; and what was said."""
    try:
        result = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LIMIT_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None, f"did not end within {LIMIT_SECONDS} s"
    said = result.stderr.strip()
    return {0: True, 1: False}.get(result.returncode), said or f"exit status {result.returncode}"


def write(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("case*.cl"):
        old.unlink()
    cases = read_cases()
    for number, case in enumerate(cases):
        (folder / f"case{number}.cl").write_text(case.text, encoding="utf-8")
    print(f"{len(cases)} programs were written.")


def main():
    if sys.argv[1] == "--write":
        write(pathlib.Path(sys.argv[2]))
        return 0
    check_source, pattern = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    clang = shutil.which("clang")
    cases = [case for case in read_cases() if pattern in case.name]
    differences = read_differences()
    listed = set(differences)
    problems = []

    def run(numbered):
        number, case = numbered
        path = pathlib.Path(folder) / f"case{number}.cl"
        path.write_text(case.text, encoding="utf-8")
        ours = accepts([check_source, str(path)])
        theirs = accepts([clang, *CLANG, str(path)]) if clang else (case.accept, "")
        return case, ours, theirs

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, (ours, log), (theirs, clang_log) in pool.map(run, enumerate(cases)):
            words = {True: "accepts", False: "refuses", None: "fails on"}
            wanted = case.accept
            if case.name in differences:
                wanted = differences[case.name]
                listed.discard(case.name)
                expected_clang = not wanted if clang else theirs
            else:
                expected_clang = case.accept
            if theirs != expected_clang:
                problems.append(f"{case.name}: clang {words[theirs]} it, against what is written: {first_line(clang_log)}")
            if ours != wanted:
                problems.append(f"{case.name}: the front end {words[ours]} it: {first_line(log)}")
    if not pattern:
        problems += [f"{name}: listed as a difference, but there is no such case" for name in sorted(listed)]
    for problem in problems:
        print(problem)
    print(f"{len(cases)} programs, {'with' if clang else 'without'} clang: {len(problems)} problems")
    return 1 if problems else 0


def first_line(log):
    found = re.search(r"(?m)^.*error: .*$", log)
    return (found.group() if found else log.splitlines()[0] if log else "no message")[-160:]


if __name__ == "__main__":
    sys.exit(main())
