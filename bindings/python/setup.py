"""Builds the package manyrt: copies the descriptions of the interfaces, and the libraries that are named, into the package.

    MANYRT_LIBRARY_FILE="$PWD/build/release/lib/libmanyrt.so" pip wheel --no-deps bindings/python

pip builds in a folder of its own, so that the path is a whole one. Without MANYRT_LIBRARY_FILE the wheel has no library and
opens the system's libmanyrt.so.0. MANYRT_COMM_LIBRARY_FILE likewise names libmanyrt-comm.so, for communicators, and
MANYRT_COMMAND_FILE the command manyrt. MANYRT_LICENCES names a folder with the licences of what these have inside.
scripts/build-wheels.sh makes a wheel that installs anywhere. All else is in pyproject.toml.
"""

import os
import pathlib
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent


def library(variable, name):
    """The library that goes into the wheel, if the variable names one."""
    path = os.environ.get(variable)
    if path and not (pathlib.Path(path).is_absolute() and pathlib.Path(path).is_file()):
        raise SystemExit(f"{variable} is '{path}': it has to be the whole path of a file, such as "
                         f"$PWD/build/release/lib/{name}")
    return path


LIBRARY = library("MANYRT_LIBRARY_FILE", "libmanyrt.so")
COMM_LIBRARY = library("MANYRT_COMM_LIBRARY_FILE", "libmanyrt-comm.so")
COMMAND = library("MANYRT_COMMAND_FILE", "manyrt")
LICENCES = os.environ.get("MANYRT_LICENCES")
if (COMM_LIBRARY or COMMAND) and not LIBRARY:
    raise SystemExit(f"MANYRT_{'COMM_LIBRARY' if COMM_LIBRARY else 'COMMAND'}_FILE is set and MANYRT_LIBRARY_FILE is not: "
                     "a wheel has the library, or nothing that was compiled")


def description(name):
    """rt.json of the repository, or of a source archive that has it beside the modules; rt_comm.json likewise."""
    for path in (HERE.parent / name, HERE / "src" / "manyrt" / name):
        if path.is_file():
            return path
    raise FileNotFoundError(f"{name} is neither in {HERE.parent} nor in the package: build from the repository")


class BuildPackage(build_py):
    """Puts the generated file into the build folder only: nothing is copied into the source tree."""

    def run(self):
        super().run()
        package = pathlib.Path(self.build_lib) / "manyrt"
        for name in ("rt.json", "rt_comm.json"):
            shutil.copyfile(description(name), package / name)
        for folder in ("lib", "bin", "licences"):
            shutil.rmtree(package / folder, ignore_errors=True)
        strip = os.environ.get("STRIP", "strip")
        for source, name in ((LIBRARY, "lib/libmanyrt.so.0"), (COMM_LIBRARY, "lib/libmanyrt-comm.so.0"),
                             (COMMAND, "bin/manyrt")):
            if not source:
                continue
            inside = package / name
            inside.parent.mkdir(exist_ok=True)
            shutil.copyfile(pathlib.Path(source).resolve(), inside)
            if shutil.which(strip):  # debug information is nine tenths of the file
                subprocess.run([strip, "--strip-unneeded", str(inside)], check=True)
            if source is COMMAND:
                inside.chmod(0o755)
        if LICENCES:
            shutil.copytree(LICENCES, package / "licences")


class Package(Distribution):
    """With the library inside, the files go where those of a platform belong."""

    def has_ext_modules(self):
        return bool(LIBRARY)


class Wheel(bdist_wheel):
    """A wheel with the library is for one platform, but for every Python 3: no extension module is inside."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2] if LIBRARY else "any")


# Without the command no program of its name is installed: Debian's manyrt-tools has one.
setup(distclass=Package, cmdclass={"build_py": BuildPackage, "bdist_wheel": Wheel},
      entry_points={"console_scripts": ["manyrt = manyrt._command:main"]} if COMMAND else {})
