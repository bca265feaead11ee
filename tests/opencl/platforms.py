#!/usr/bin/env python3
"""What the library says of OpenCL where the loader or a platform fails: platforms.py PROGRAM FAILING_LOADER.

PROGRAM prints what it finds (backends.c), FAILING_LOADER has two platforms that fail beside the real ones.
"""
import os
import subprocess
import sys


def run(program, **variables):
    """The printed lines as a dictionary of their first words; of devices, a list."""
    environment = {**os.environ, "RT_LOG": "warning", **variables}
    result = subprocess.run([program], env=environment, capture_output=True, text=True, timeout=60, check=True)
    found = {"devices": [], "log": result.stderr}
    for line in result.stdout.splitlines():
        word, _, rest = line.partition(" ")
        if word == "device":
            found["devices"].append(rest)
        else:
            found[word if word != "devices" else "count"] = rest
    return found


def check(condition, what, found):
    if not condition:
        sys.exit(f"{what}: {found}")


def main():
    program, failing = sys.argv[1:]
    missing = run(program, RT_OPENCL="/nonexistent/libOpenCL.so")
    check(missing["available"] == "0" and missing["count"] == "0", "A missing loader has devices", missing)
    check("RT_OPENCL" in missing["reason"], "The reason does not name the variable", missing)
    wrong = run(program, RT_OPENCL="libc.so.6")
    check(wrong["available"] == "0", "A library that is no loader has devices", wrong)
    check("has no cl" in wrong["reason"], "The reason does not name a function", wrong)
    alone = run(program, RT_OPENCL=failing, OCL_ICD_VENDORS="/nonexistent/")
    check(alone["available"] == "0", "Platforms that fail have devices", alone)
    for name in ("First that fails", "Last that fails"):
        check(name in alone["reason"], f"The reason does not name \"{name}\"", alone)
    real = run(program)
    if not real["devices"]:
        print("SKIP: no OpenCL driver is installed")
        sys.exit(77)
    beside = run(program, RT_OPENCL=failing)
    check(beside["devices"] == real["devices"], "Platforms that fail take others along", beside)
    check("First that fails" in beside["log"], "A platform that fails is not in the log", beside)
    check(beside["reason"] == "", "There are devices, and a reason why not", beside)
    buffers = run(program, RT_OPENCL_MEMORY="buffer")
    check(all(device.endswith("tier 3") for device in buffers["devices"]), "RT_OPENCL_MEMORY=buffer is not followed", buffers)
    unknown = run(program, RT_OPENCL_MEMORY="paper")
    check(unknown["devices"] == real["devices"] and "paper" in unknown["log"], "A wrong word is followed, or not told", unknown)
    print(f"{len(real['devices'])} devices; 2 platforms that fail are left out")


if __name__ == "__main__":
    main()
