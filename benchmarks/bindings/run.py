#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what launch, record and query cost in each language, in turn, beside C.

    run.py [--build build/release] [--device cpu] [--rounds 5] [--runs 15] [--calls 2000] [--keep]

Each program of this folder does the same: launches of one work-item with three arguments, and records, into a stream
that a fence holds, so that what is timed is the call and not the work, and queries of a stream that is idle. They run
one after the other, some rounds. --keep writes docs/lab/measured/bindings_overhead.json, and the table in docs/bindings.md
from it.
"""

import argparse
import os
import pathlib
import platform
import re
import shutil
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import lab  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PAGE, FIGURES = ROOT / "docs" / "bindings.md", ROOT / "docs" / "lab" / "measured" / "bindings_overhead.json"
BEGIN, END = "<!-- overhead -->", "<!-- end of overhead -->"
WHAT = ("launch", "record", "query")


def run(command, **options):
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False, **options)
    if done.returncode != 0:
        sys.exit(f"run.py: {' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def python():
    """The first Python that has cffi, which the package needs."""
    for candidate in ("/usr/bin/python3", sys.executable):
        if subprocess.run([candidate, "-c", "import cffi"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
            return candidate
    return None


def build(library, work):
    """{language: (command, what it was built with)} of the languages that this machine has."""
    programs, environment = {}, dict(os.environ, MANYRT_LIB_DIR=str(library))
    include, link = ["-I", ROOT / "include"], ["-L", library, "-lmanyrt", f"-Wl,-rpath,{library}"]

    def version(*command):
        return run(command).splitlines()[0]

    def compiled(language, tool, *arguments):
        if shutil.which(tool):
            run([tool, "-O2", *arguments, "-o", work / language, *include, *link])
            programs[language] = [work / language], version(tool, "--version")

    compiled("C", "gcc", HERE / "overhead.c")
    compiled("C++", "g++", "-std=c++17", "-I", ROOT / "bindings" / "cpp", HERE / "overhead.cpp")
    cargo = next((path for path in ("/usr/bin/cargo", shutil.which("cargo")) if path and pathlib.Path(path).exists()), None)
    if cargo:
        rustc = pathlib.Path(cargo).with_name("rustc")
        run([cargo, "build", "--release", "--offline", "--manifest-path", HERE / "rust" / "Cargo.toml"],
            env=dict(environment, CARGO_TARGET_DIR=str(work / "rust"), RUSTC=str(rustc)))
        programs["Rust"] = [work / "rust" / "release" / "overhead"], version(rustc, "--version")
    if shutil.which("gfortran"):
        layer = work / "fortran"
        run(["cmake", "-S", ROOT / "bindings" / "fortran", "-B", layer, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"],
            env=dict(os.environ, PKG_CONFIG_PATH=str(work / "pkgconfig")))
        run(["cmake", "--build", layer])
        modules, archive = next(layer.rglob("manyrt.mod")).parent, next(layer.rglob("libmanyrt_fortran.a"))
        compiled("Fortran", "gfortran", "-I", modules, HERE / "overhead.f90", archive)
    if shutil.which("go"):
        folder = work / "go"
        folder.mkdir(exist_ok=True)
        shutil.copy(HERE / "overhead.go", folder)
        (folder / "go.mod").write_text("module overhead\n\ngo 1.19\n\nrequire manyrt v0.0.0\n\n"
                                       f"replace manyrt => {ROOT / 'bindings' / 'go'}\n", encoding="utf-8")
        run(["go", "build", "-o", work / "Go", "."], cwd=folder, env=dict(
            os.environ, GOFLAGS="-mod=mod", GOPROXY="off", GOWORK="off", CGO_ENABLED="1", GOCACHE=str(work / "go" / "cache"),
            PKG_CONFIG_PATH=str(work / "pkgconfig")))
        programs["Go"] = [work / "Go"], version("go", "version")
    if shutil.which("luajit"):
        run([sys.executable, ROOT / "bindings" / "lua" / "generate.py", "--output", work / "manyrt_cdef.lua"])
        programs["LuaJIT"] = ["luajit", HERE / "overhead.lua"], version("luajit", "-v")
    if python():
        programs["Python"] = [python(), HERE / "overhead.py"], version(python(), "--version")
    return programs


def measure(programs, arguments, library, work):
    """{language: {what: [nanoseconds of a call, one for each run]}}, in the order of the runs."""
    environment = dict(os.environ, LD_LIBRARY_PATH=str(library), MANYRT_LIBRARY=str(library / "libmanyrt.so"),
                       PYTHONPATH=str(ROOT / "bindings" / "python" / "src"), PYTHONDONTWRITEBYTECODE="1",
                       LUA_PATH=f"{ROOT}/bindings/lua/?.lua;{work}/?.lua")
    times = {language: {what: [] for what in WHAT} for language in programs}
    for _ in range(arguments.rounds):
        for language, (command, _) in programs.items():
            for line in run([*command, arguments.device, arguments.calls, arguments.runs], env=environment).splitlines():
                what, nanoseconds = line.split()
                times[language][what].append(float(nanoseconds))
    return times


def commit():
    """Of the tree; unknown where it is a copy without history."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        return "unknown"
    return run(["git", "-C", ROOT, "describe", "--always", "--dirty"]).strip()


def machine():
    text = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    name = re.search(r"model name\s*: (.*)", text)
    return {"cpu": name.group(1) if name else platform.machine(), "cpus": os.cpu_count(), "load_before": os.getloadavg()[0]}


def table(figures):
    lines = ["| language | launch | record | query | built or run with |", "| --- | --- | --- | --- | --- |"]
    for language, row in figures["languages"].items():
        cells = [f"{row[what]['median']:.0f} ({row[what]['least']:.0f})" for what in WHAT]
        lines.append(f"| {language} | " + " | ".join(cells) + f" | {row['with']} |")
    context = figures["context"]
    lines += ["", f"Nanoseconds of a call: the median of the runs, and the least. {figures['rounds']} rounds of "
              f"{figures['runs']} runs of {figures['calls']:,} calls on device `{figures['device']}`, the languages in turn; "
              f"{context['cpu']}, {context['cpus']} CPUs, load {context['load_before']:.1f} before; "
              f"commit {context['commit']}."]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--device", default="cpu")
    for option, default in (("--rounds", 5), ("--runs", 15), ("--calls", 2000)):
        parser.add_argument(option, type=int, default=default)
    parser.add_argument("--keep", action="store_true")
    arguments = parser.parse_args()
    library = (arguments.build / "lib").resolve()
    work = arguments.build.resolve() / "bench-bindings"
    (work / "pkgconfig").mkdir(parents=True, exist_ok=True)
    (work / "pkgconfig" / "manyrt.pc").write_text(
        f"Name: manyrt\nDescription: the build tree\nVersion: 0\nCflags: -I{ROOT}/include -I{ROOT}/bindings\n"
        f"Libs: -L{library} -lmanyrt -Wl,-rpath,{library}\n", encoding="utf-8")
    programs = build(library, work)
    context = machine()
    context["commit"] = commit()
    times = measure(programs, arguments, library, work)
    for language, row in times.items():
        for what, values in row.items():
            if len(values) != arguments.rounds * arguments.runs:
                sys.exit(f"run.py: {language} gave {len(values)} times of {what}")
    figures = {"context": context, "device": arguments.device, "rounds": arguments.rounds, "runs": arguments.runs,
               "calls": arguments.calls,
               "languages": {language: {"with": programs[language][1], **{
                   what: {"median": round(statistics.median(values), 1), "least": round(min(values), 1)}
                   for what, values in times[language].items()}} for language in programs}}
    print(table(figures))
    if arguments.keep:
        FIGURES.write_text(lab.dumps(figures), encoding="utf-8")
        page = PAGE.read_text(encoding="utf-8")
        before, rest = page.split(BEGIN)
        PAGE.write_text(before + BEGIN + "\n" + table(figures) + "\n" + END + rest.split(END)[1], encoding="utf-8")


if __name__ == "__main__":
    main()
