#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel with the library inside, installs it into a virtual environment without a network, and runs a kernel.

    wheel.py bindings/python BUILD_FOLDER

MANYRT_LIBRARY and MANYRT_COMM_LIBRARY name the libraries that go into the wheel.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import venv
import zipfile

SKIP = 77
PROGRAM = """
import manyrt, pathlib
assert pathlib.Path(manyrt.library_path()).parent.parent == pathlib.Path(manyrt.__file__).parent, manyrt.library_path()
with manyrt.Context("cpu") as context, context.stream() as stream:
    data = context.array([1, 2, 3, 4], "float32")
    context.module("kernel void f(global float *x) { x[get_global_id(0)] *= 2; }")["f"][1, 4](stream, data)
    assert data.tolist(stream) == [2, 4, 6, 8], data.tolist()
import manyrt.rt
assert "kernel" in manyrt.rt.help("rtLaunchKernel")
from manyrt import comm, rt_comm
assert pathlib.Path(comm.library_path()).parent == pathlib.Path(manyrt.library_path()).parent, comm.library_path()
assert "Reduces" in rt_comm.help("rtCommAllReduce")
with manyrt.Context("cpu") as first, manyrt.Context("cpu") as second:
    data, ranks = [context.array([at]) for at, context in enumerate((first, second))], comm.create_all([first, second])
    with comm.group():
        for rank, each in zip(ranks, data):
            rank.all_reduce(each)
    assert data[0].tolist() == [1], data[0].tolist()
print("a kernel ran from", manyrt.library_path(), manyrt.library_version())
"""


def call(*command, **options):
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, **options)
    if done.returncode != 0:
        sys.exit(f"{command} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def needs(*modules):
    for module in modules:
        if subprocess.run([sys.executable, "-c", f"import {module}"], check=False, stderr=subprocess.DEVNULL).returncode:
            print(f"no {module} for {sys.executable}: the wheel is not built")
            sys.exit(SKIP)


def build(package, folder, environment):
    """The wheel, built from a copy of the sources, since setuptools writes beside them."""
    sources = folder / "bindings" / "python"
    shutil.copytree(package, sources, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
    for name in ("rt.json", "rt_comm.json"):
        shutil.copyfile(package.parent / name, folder / "bindings" / name)
    call(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", folder,
         sources, env=environment)
    wheels = list(folder.glob("manyrt-*.whl"))
    if len(wheels) != 1:
        sys.exit(f"expected one wheel, found {wheels}")
    return wheels[0]


def main():
    package, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    needs("pip", "setuptools", "wheel", "_cffi_backend", "ensurepip")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    of_the_tree = ("PYTHONPATH", "LD_LIBRARY_PATH", "MANYRT_LIBRARY", "MANYRT_COMM_LIBRARY", "PYTHONDONTWRITEBYTECODE")
    clean = {name: value for name, value in os.environ.items() if name not in of_the_tree}
    libraries = {f"{name}_FILE": os.environ[name] for name in ("MANYRT_LIBRARY", "MANYRT_COMM_LIBRARY")}
    wheel = build(package, folder, {**clean, **libraries})
    if "-py3-none-linux_" not in wheel.name:
        sys.exit(f"the wheel is called {wheel.name}: it has a library and has to name a platform")
    with zipfile.ZipFile(wheel) as archive:
        wanted = {"manyrt/lib/libmanyrt.so.0", "manyrt/lib/libmanyrt-comm.so.0", "manyrt/rt.json", "manyrt/rt_comm.json",
                  "manyrt/_interface.py", "manyrt/py.typed"}
        missing = wanted - set(archive.namelist())
    if missing:
        sys.exit(f"{wheel.name} lacks {missing}")

    venv.create(folder / "venv", system_site_packages=True, with_pip=True)
    python = folder / "venv" / "bin" / "python"
    call(python, "-m", "pip", "install", "--no-index", "--no-deps", wheel, env=clean)
    print(call(python, "-c", PROGRAM, cwd=folder, env=clean))
    call(python, "-m", "pip", "uninstall", "--yes", "manyrt", env=clean)
    left = call(python, "-c", "import importlib.util; print(importlib.util.find_spec('manyrt'))", cwd=folder, env=clean)
    if left.strip() != "None":
        sys.exit(f"the package is still there: {left}")
    print(wheel.name, "was built, installed, used and removed")


if __name__ == "__main__":
    main()
