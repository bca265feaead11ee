#!/usr/bin/env python3
"""Runs the examples with OpenCL's first device as the default one, in each tier of memory: examples.py BACKENDS PROGRAM...

BACKENDS (backends.c) tells whether there is a device. Each example checks its own result.
"""
import os
import subprocess
import sys
import tempfile


def main():
    backends, *programs = sys.argv[1:]
    found = subprocess.run([backends], capture_output=True, text=True, check=True).stdout
    if "available 1" not in found:
        print("SKIP: no OpenCL driver is installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        for tier in ("svm", "buffer"):
            for program in programs:
                command = [program]
                if os.path.basename(program) == "digits":
                    command += ["--device", "opencl:0", "--seed", "1", "--images", "300", "--epochs", "3", "--no-threshold",
                                "--graph"]
                environment = {**os.environ, "RT_DEVICE": "opencl:0", "RT_DISABLE": "cuda", "RT_OPENCL_MEMORY": tier,
                               "RT_CACHE_DIR": os.path.join(folder, "cache")}
                result = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=120)
                if result.returncode != 0:
                    sys.exit(f"{program} in the tier {tier} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    print(f"{len(programs)} examples, twice")


if __name__ == "__main__":
    main()
