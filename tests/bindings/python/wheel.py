#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel with the library inside, installs it into a virtual environment without a network, and runs a kernel.

    wheel.py bindings/python BUILD_FOLDER COMMAND SIMULATED_CUDA

MANYRT_LIBRARY and MANYRT_COMM_LIBRARY name the libraries that go into the wheel, COMMAND the command manyrt ("": none). Then
packages beside it are found: a compiler where PATH has none, and CUDA's libraries, for which SIMULATED_CUDA stands.
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

WITHOUT_COMPILER = """
import manyrt
with manyrt.Context("cpu") as context:
    try:
        context.module("kernel void f(global float *x) { x[get_global_id(0)] *= 2; }")
    except manyrt.CompilerNotFound as error:
        assert 'pip install "manyrt[compiler]"' in str(error), error
    else:
        raise SystemExit("a kernel was built without a compiler")
"""
WITH_ZIG = """
import manyrt
with manyrt.Context("cpu") as context, context.stream() as stream:
    data = context.array([1, 2, 3, 4], "float32")
    context.module("kernel void f(global float *x) { x[get_global_id(0)] *= 2; }")["f"][1, 4](stream, data)
    assert data.tolist(stream) == [2, 4, 6, 8], data.tolist()
"""
WITH_CUDA = """
import manyrt
with manyrt.Context("cuda:0") as context, context.stream() as stream:
    data = context.array([1, 2, 3, 4], "float32")
    assert data.tolist(stream) == [1, 2, 3, 4]
    try:  # the simulation has no compiler of kernels in it that computes; what it compiles it takes
        context.module("kernel void f(global float *x) { x[get_global_id(0)] *= 2; }")
    except manyrt.CompilerNotFound as error:
        raise SystemExit(f"NVRTC beside the wheel was not found: {error}")
    except manyrt.Error:
        pass
"""
ZIG = """#!/bin/sh
[ "$1" = c++ ] || exit 3
shift
for word; do shift; case $word in -mcpu=*) ;; *) set -- "$@" "$word" ;; esac; done
PATH=%s exec g++ "$@"
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


def try_packages_beside(python, folder, clean, simulated_cuda):
    """What the extras `compiler` and `cuda` install, with stand-ins."""
    site = pathlib.Path(call(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", env=clean).strip())
    (folder / "empty").mkdir()
    bare = {**clean, "PATH": str(folder / "empty"), "RT_CACHE_DIR": "off"}
    call(python, "-c", WITHOUT_COMPILER, cwd=folder, env=bare)
    (site / "ziglang").mkdir()
    zig = site / "ziglang" / "zig"
    zig.write_text(ZIG % clean["PATH"], encoding="ascii")
    zig.chmod(0o755)
    call(python, "-c", WITH_ZIG, cwd=folder, env=bare)
    shutil.rmtree(site / "ziglang")
    for name in ("cuda_runtime/lib/libcudart.so.12", "cuda_nvrtc/lib/libnvrtc.so.12"):
        library = site / "nvidia" / name
        library.parent.mkdir(parents=True)
        library.symlink_to(simulated_cuda)
    call(python, "-c", WITH_CUDA, cwd=folder, env={**clean, "RT_DISABLE": "opencl"})
    shutil.rmtree(site / "nvidia")


def main():
    package, folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    command, simulated_cuda = sys.argv[3:]
    needs("pip", "setuptools", "wheel", "_cffi_backend", "ensurepip")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    of_the_tree = ("PYTHONPATH", "LD_LIBRARY_PATH", "MANYRT_LIBRARY", "MANYRT_COMM_LIBRARY", "PYTHONDONTWRITEBYTECODE")
    clean = {name: value for name, value in os.environ.items() if name not in of_the_tree}
    libraries = {f"{name}_FILE": os.environ[name] for name in ("MANYRT_LIBRARY", "MANYRT_COMM_LIBRARY")}
    if command:
        libraries["MANYRT_COMMAND_FILE"] = command
    wheel = build(package, folder, {**clean, **libraries})
    if "-py3-none-linux_" not in wheel.name:
        sys.exit(f"the wheel is called {wheel.name}: it has a library and has to name a platform")
    with zipfile.ZipFile(wheel) as archive:
        wanted = {"manyrt/lib/libmanyrt.so.0", "manyrt/lib/libmanyrt-comm.so.0", "manyrt/rt.json", "manyrt/rt_comm.json",
                  "manyrt/_interface.py", "manyrt/py.typed"}
        if command:
            wanted.add("manyrt/bin/manyrt")
        missing = wanted - set(archive.namelist())
    if missing:
        sys.exit(f"{wheel.name} lacks {missing}")

    venv.create(folder / "venv", system_site_packages=True, with_pip=True)
    python = folder / "venv" / "bin" / "python"
    call(python, "-m", "pip", "install", "--no-index", "--no-deps", wheel, env=clean)
    print(call(python, "-c", PROGRAM, cwd=folder, env=clean))
    if command and "cpu" not in call(folder / "venv/bin/manyrt", "info", cwd=folder, env=clean):
        sys.exit("the command of the wheel does not list the CPU")
    try_packages_beside(python, folder, clean, simulated_cuda)
    call(python, "-m", "pip", "uninstall", "--yes", "manyrt", env=clean)
    left = call(python, "-c", "import importlib.util; print(importlib.util.find_spec('manyrt'))", cwd=folder, env=clean)
    if left.strip() != "None":
        sys.exit(f"the package is still there: {left}")
    print(wheel.name, "was built, installed, used and removed")


if __name__ == "__main__":
    main()
