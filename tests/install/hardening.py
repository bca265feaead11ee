#!/usr/bin/env python3
"""The library carries what a distribution's libraries do. Usage: hardening.py LIBRARY OBJECTS_FOLDER FIBERS LEAST_OBJECTS

BIND_NOW and RELRO, a stack that is not executable, calls of libc in their checked form, the stack protector, and the marks of
control-flow protection: in every object of the library, and in the library, unless the archive of Boost.Context was linked in
without them or the C library starts its own without (both are so on Debian 12): a linker keeps only what all its inputs have.
"""
import pathlib
import platform
import subprocess
import sys

library, objects, fibers, least = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3], int(sys.argv[4])
failures = []


def readelf(*arguments):
    return subprocess.run(["readelf", "--wide", *arguments], capture_output=True, text=True, check=True).stdout


def expect(condition, what):
    print(("ok      " if condition else "MISSING ") + what)
    if not condition:
        failures.append(what)


dynamic, headers, symbols = readelf("--dynamic", library), readelf("--program-headers", library), readelf("--dyn-syms", library)
expect("BIND_NOW" in dynamic or "NOW" in dynamic.split("(FLAGS_1)", 1)[-1].splitlines()[0], "BIND_NOW")
expect("GNU_RELRO" in headers, "RELRO")
stack = next((line for line in headers.splitlines() if "GNU_STACK" in line), "")
expect(stack and "RWE" not in stack, "a stack that is not executable")
expect("TEXTREL" not in dynamic, "no relocations in code")
expect("__stack_chk_fail" in symbols, "the stack protector")
expect(any(f"__{name}_chk" in symbols for name in ("memcpy", "snprintf", "vsnprintf", "fprintf")), "checked calls of libc")

if platform.machine() == "x86_64":
    marks, made = "IBT, SHSTK", sorted(objects.rglob("*.o"))
    expect(len(made) >= least, f"{len(made)} objects in {objects}")
    without = [path.name for path in made if marks not in readelf("--notes", str(path))]
    expect(not without, f"control-flow marks in every object; without: {' '.join(without[:5])}")
    if marks in readelf("--notes", library):
        print("ok      control-flow marks in the library")
    elif fibers != "boost":
        start = subprocess.run(["cc", "-print-file-name=crti.o"], capture_output=True, text=True, check=True).stdout.strip()
        expect(marks not in readelf("--notes", start), "control-flow marks in the library, or none in the C library's crti.o")
    else:
        print("note    the archive of Boost.Context has no control-flow marks, so the linker leaves the library without")
sys.exit(1 if failures else 0)
