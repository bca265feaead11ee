#!/usr/bin/env python3
"""Compiles rt.hpp as programs do: each header alone in C++17 and C++20, a program without exceptions, the programs of
the page for users, and the cases of refused.cpp, each of which has to fail with the text that stands beside it.

    compile.py --include include --headers bindings/cpp --page docs/bindings/cpp.md --cxx g++ --cxx clang++
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]


class Compiler:
    """One compiler with the folders of rt.h and rt.hpp."""

    def __init__(self, name, folders):
        self.name = name
        self.flags = [f"-I{folder}" for folder in folders]
        self.runs = 0

    def with_header(self, folder, standard):
        """Reads rt.hpp once for all compilations that get the arguments returned."""
        clang = "clang" in self.name
        header = folder / ("rt.pch" if clang else "rt.hpp.gch")
        (folder / "all.hpp").write_text("#include <rt_comm.hpp>\n#include <vector>\n", encoding="utf-8")
        kind = ["-Xclang", "-emit-pch"] if clang else []
        command = [self.name, f"-std={standard}", *WARNINGS, *self.flags, "-x", "c++-header", *kind, str(folder / "all.hpp"),
                   "-o", str(header)]
        subprocess.run(command, check=True)
        return ["-include-pch", str(header)] if clang else ["-include", str(folder / "rt.hpp")]

    def output(self, standard, arguments, source=None):
        """Whether a compilation succeeds, and what it prints. The locale is fixed, as messages are compared."""
        self.runs += 1
        command = [self.name, f"-std={standard}", "-fsyntax-only", *WARNINGS, *self.flags, *arguments]
        done = subprocess.run(command, input=source, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode == 0, done.stdout


def check_headers(compiler, headers):
    each = sorted(headers.glob("rt/*.hpp"))
    settings = [(header, "c++17") for header in [*each, headers / "rt_comm.hpp"]]
    settings += [(headers / name, "c++20") for name in ("rt.hpp", "rt_comm.hpp")]
    for header, standard in settings:
        name = header.relative_to(headers).as_posix()
        works, output = compiler.output(standard, ["-x", "c++", "-"], f"#include <{name}>\n#include <{name}>\n")
        if not works:
            yield f"{name} alone in {standard}:\n{output}"


def check_programs(compiler):
    for standard in ("c++17", "c++20"):
        for name, flags in (("behaviours.cpp", []), ("every_function.cpp", []), ("bad_input.cpp", []), ("comm.cpp", []),
                            ("no_exceptions.cpp", ["-fno-exceptions"])):
            if name == "behaviours.cpp":
                flags = [f"-DMANYRT_TEST_{part}=\"\"" for part in ("CXX", "CMAKE", "HEADERS", "PROGRAM", "PROJECT", "BUILD")]
            works, output = compiler.output(standard, [*flags, str(HERE / name)])
            if not works:
                yield f"{name} in {standard}:\n{output}"


def check_page(compiler, page):
    """The whole programs of the page for users."""
    programs = re.findall(r"^```cpp[^\n]*\n(#include.*?)^```$", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    if not programs:
        yield f"{page.name} has no program"
    for number, program in enumerate(programs, 1):
        works, output = compiler.output("c++17", ["-x", "c++", "-"], program)
        if not works:
            yield f"{page.name}, program {number}:\n{output}"


def check_refused(compiler):
    source = HERE / "refused.cpp"
    cases = re.findall(r"^#(?:if|elif) CASE == (\d+) +// expects: (.+)$", source.read_text(encoding="utf-8"), flags=re.M)
    if [int(number) for number, _ in cases] != list(range(1, len(cases) + 1)):
        yield f"{source.name}: the cases are not numbered from 1 on"
    works, output = compiler.output("c++17", ["-DCASE=0", str(source)])
    if not works:
        yield f"{source.name} without a case:\n{output}"
    with tempfile.TemporaryDirectory() as folder:
        once = compiler.with_header(pathlib.Path(folder), "c++17")
        for number, expected in cases:
            works, output = compiler.output("c++17", [*once, f"-DCASE={number}", str(source)])
            if works:
                yield f"{source.name}: case {number} compiles"
            elif expected not in output:
                yield f"{source.name}: case {number} fails without \"{expected}\":\n{output}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", type=pathlib.Path, required=True, help="folder of rt.h")
    parser.add_argument("--headers", type=pathlib.Path, required=True, help="folder of rt.hpp")
    parser.add_argument("--page", type=pathlib.Path, required=True, help="docs/bindings/cpp.md")
    parser.add_argument("--cxx", action="append", required=True)
    args = parser.parse_args()
    faults = 0
    for name in args.cxx:
        compiler = Compiler(name, [args.include, args.headers])
        for check in (check_headers(compiler, args.headers), check_programs(compiler), check_page(compiler, args.page),
                      check_refused(compiler)):
            for fault in check:
                print(f"{name}: {fault}")
                faults += 1
        print(f"{name}: {compiler.runs} compilations")
    print(f"{faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
