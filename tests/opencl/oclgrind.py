#!/usr/bin/env python3
"""Runs programs on Oclgrind, a device of OpenCL 1.2 that watches every access: oclgrind.py DIGITS TESTS BACKENDS.

Oclgrind exits with 0 whatever it finds, so its log is read. First the platform's name is asserted, as the loader might have
taken another one; then a planted overrun and a planted race have to be found, and nothing in digits or the tests of addresses.
Each allocation is one of the driver (RT_POOL=off): inside a buffer Oclgrind sees no borders.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

DRIVER = "/usr/lib/oclgrind/liboclgrind-rt-icd.so"


def run(folder, command, expect=0):
    """The output and Oclgrind's log of one run."""
    log = folder / "oclgrind.log"
    log.unlink(missing_ok=True)
    environment = {**os.environ, "OCL_ICD_VENDORS": DRIVER, "OCLGRIND_LOG": str(log), "OCLGRIND_DATA_RACES": "1",
                   "OCLGRIND_CHECK_API": "1", "RT_POOL": "off", "RT_DISABLE": "cuda", "RT_CACHE_DIR": "off"}
    environment.pop("RT_OPENCL_MEMORY", None)
    result = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=folder)
    if result.returncode != expect:
        sys.exit(f"{command} ended with {result.returncode}:\n{result.stdout[-3000:]}{result.stderr[-3000:]}")
    return result.stdout, log.read_text() if log.exists() else ""


def main():
    digits, tests, backends = sys.argv[1:]
    if not pathlib.Path(DRIVER).exists():
        print("SKIP: Oclgrind is not installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        output, _ = run(folder, [backends])
        if "driver Oclgrind" not in output or "tier 3" not in output:
            sys.exit(f"The device is not Oclgrind's, with buffers:\n{output}")
        for planted, words in (("plant", "Invalid write"), ("race", "data race")):
            _, log = run(folder, [backends, planted])
            if words not in log:
                sys.exit(f"The planted \"{planted}\" was not found: {log!r}")
        watched = ("OpenClMemoryTest.*:OpenClCallsTest.ALaunch*:OpenClCallsTest.Nothing*:OpenClReplayTest.AChange*:"
                   "OpenClReplayTest.Binding*:OpenClReplayTest.Memory*:OpenClReplayTest.*Outlives*")
        for command in ([digits, "--device", "opencl:0", "--seed", "1", "--images", "64", "--epochs", "1", "--no-threshold"],
                        [tests, "--gtest_filter=" + watched]):
            output, log = run(folder, command)
            if log:
                sys.exit(f"{command[0]}: Oclgrind found\n{log[:5000]}")
            print(output.splitlines()[-1] if output else "")
    print("Oclgrind: planted overrun and race found; nothing in digits and in the tests")


if __name__ == "__main__":
    main()
