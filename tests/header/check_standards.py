#!/usr/bin/env python3
"""Compiles a public header alone, and a use of every initialiser macro, under each language standard that it promises.

C99 to C23 and C++11 to C++20, with every compiler that is given or found, and no warning allowed; -Wpadded shows that no
public struct has a hidden hole. Run by ctest as header.standards and header.comm_standards.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

C_STANDARDS = ["c99", "c11", "c17", "c2x"]
CXX_STANDARDS = ["c++11", "c++14", "c++17", "c++20"]
WARNINGS = ["-Werror", "-Wall", "-Wextra", "-Wpedantic", "-Wpadded", "-Wconversion", "-Wundef", "-Wno-unused-function"]


def initialiser_uses(header):
    """A translation unit that includes the header alone and makes one object with each RT_..._INIT macro."""
    text = header.read_text(encoding="utf-8")
    pairs = re.findall(r"#define (RT_\w+_INIT)\s.*?sizeof\((\w+)\)", text, flags=re.S)
    structs = set(re.findall(r"typedef struct (\w+_t) \{\s*uint32_t struct_size;", text))
    missing = structs - {struct for _, struct in pairs}
    if missing:
        raise SystemExit(f"no initialiser macro for {', '.join(sorted(missing))}")
    lines = [f'#include "{header.name}"', "static uint32_t uses(void) {", "  uint32_t sum = 0;"]
    for macro, struct in pairs:
        lines += [f"  {struct} x_{macro.lower()} = {macro};", f"  sum += x_{macro.lower()}.struct_size;"]
    return "\n".join(lines + ["  return sum;", "}", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("header", type=pathlib.Path)
    parser.add_argument("--cc", action="append", default=[], help="C compiler (default: gcc and clang where found)")
    parser.add_argument("--cxx", action="append", default=[], help="C++ compiler (default: g++ and clang++ where found)")
    args = parser.parse_args()
    c_compilers = list(dict.fromkeys(args.cc + [c for c in ("gcc", "clang") if shutil.which(c)]))
    cxx_compilers = list(dict.fromkeys(args.cxx + [c for c in ("g++", "clang++") if shutil.which(c)]))
    if not c_compilers or not cxx_compilers:
        raise SystemExit("no compiler found")

    failures = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        alone = pathlib.Path(folder, "alone.h")
        alone.write_text(f'#include "{args.header.name}"\n', encoding="utf-8")
        uses = pathlib.Path(folder, "uses.c")
        uses.write_text(initialiser_uses(args.header), encoding="utf-8")
        for language, compilers, standards in (("c", c_compilers, C_STANDARDS), ("c++", cxx_compilers, CXX_STANDARDS)):
            for compiler in compilers:
                for standard in standards:
                    for unit in (alone, uses):
                        command = [compiler, f"-std={standard}", *WARNINGS, "-fsyntax-only", "-x", language,
                                   f"-I{args.header.parent}", str(unit)]
                        result = subprocess.run(command, capture_output=True, text=True, check=False)
                        runs += 1
                        if result.returncode != 0:
                            failures += 1
                            print(f"{compiler} -std={standard} {unit.name}:\n{result.stderr}", file=sys.stderr)
    print(f"{runs} compilations, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
