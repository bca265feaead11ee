"""Builds the package manyrt: copies the description of the interface, and the library if one is named, into the package.

    MANYRT_LIBRARY_FILE="$PWD/build/release/lib/libmanyrt.so" pip wheel --no-deps bindings/python

pip builds in a folder of its own, so that the path is a whole one. Without MANYRT_LIBRARY_FILE the wheel has no library and
opens the system's libmanyrt.so.0. All else is in pyproject.toml.
"""

import os
import pathlib
import shutil
import subprocess

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = os.environ.get("MANYRT_LIBRARY_FILE")
if LIBRARY and not (pathlib.Path(LIBRARY).is_absolute() and pathlib.Path(LIBRARY).is_file()):
    raise SystemExit(f"MANYRT_LIBRARY_FILE is '{LIBRARY}': it has to be the whole path of a file, such as "
                     "$PWD/build/release/lib/libmanyrt.so")


def description():
    """rt.json of the repository, or of a source archive that has it beside the modules."""
    for path in (HERE.parent / "rt.json", HERE / "src" / "manyrt" / "rt.json"):
        if path.is_file():
            return path
    raise FileNotFoundError(f"rt.json is neither in {HERE.parent} nor in the package: build from the repository")


class BuildPackage(build_py):
    """Puts the generated file into the build folder only: nothing is copied into the source tree."""

    def run(self):
        super().run()
        package = pathlib.Path(self.build_lib) / "manyrt"
        shutil.copyfile(description(), package / "rt.json")
        shutil.rmtree(package / "lib", ignore_errors=True)
        if LIBRARY:
            (package / "lib").mkdir()
            inside = package / "lib" / "libmanyrt.so.0"
            shutil.copyfile(pathlib.Path(LIBRARY).resolve(), inside)
            if shutil.which("strip"):  # debug information is nine tenths of the file
                subprocess.run(["strip", "--strip-unneeded", str(inside)], check=True)


class Package(Distribution):
    """With the library inside, the files go where those of a platform belong."""

    def has_ext_modules(self):
        return bool(LIBRARY)


class Wheel(bdist_wheel):
    """A wheel with the library is for one platform, but for every Python 3: no extension module is inside."""

    def get_tag(self):
        return ("py3", "none", super().get_tag()[2] if LIBRARY else "any")


setup(distclass=Package, cmdclass={"build_py": BuildPackage, "bdist_wheel": Wheel})
