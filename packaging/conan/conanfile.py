# SPDX-License-Identifier: Apache-2.0
"""Conan 2: `conan create packaging/conan` in a source tree. Sources come from the tree that the recipe is in."""

import os

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain
from conan.tools.files import copy, load
from conan.tools.gnu import PkgConfigDeps

required_conan_version = ">=2.0"


class ManyrtConan(ConanFile):
    name = "manyrt"
    description = "One runtime for devices, streams, events and memory behind a C header"
    license = "Apache-2.0"
    topics = ("gpu", "opencl", "cuda", "runtime")
    package_type = "shared-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"tools": [True, False]}
    default_options = {"tools": True}

    def set_version(self):
        text = load(self, os.path.join(self.recipe_folder, "..", "..", "CMakeLists.txt"))
        self.version = text.split("project(manyrt VERSION ", 1)[1].split(" ", 1)[0]

    def export_sources(self):
        tree = os.path.join(self.recipe_folder, "..", "..")
        for folder in ("bindings", "cmake", "docs", "examples", "include", "pkgconfig", "src", "tools"):
            copy(self, f"{folder}/*", tree, self.export_sources_folder, excludes=("*/target/*", "*/__pycache__/*"))
        for file in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"):
            copy(self, file, tree, self.export_sources_folder)

    def requirements(self):
        self.requires("hwloc/[>=2.4]")
        self.requires("boost/[>=1.74]")  # Boost.Context, whose archive is linked in
        self.requires("nlohmann_json/[>=3.9]", visible=False)
        if self.options.tools:
            self.requires("cli11/[>=2.1]", visible=False)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("manyrt runs on Linux alone.")

    def generate(self):
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "EXAMPLES", "BENCHMARKS"):
            toolchain.cache_variables[f"MANYRT_BUILD_{part}"] = "OFF"
        toolchain.cache_variables["MANYRT_BUILD_TOOLS"] = "ON" if self.options.tools else "OFF"
        toolchain.cache_variables["MANYRT_CUDA_TOOLKIT"] = "OFF"
        toolchain.cache_variables["MANYRT_COMM_MPI"] = "OFF"
        toolchain.cache_variables["MANYRT_UNITY"] = "ON"
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # The package's own files for CMake and pkg-config are those of every other installation.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "manyrt")]
        self.cpp_info.includedirs = [os.path.join("include", "manyrt")]
        self.cpp_info.libs = ["manyrt"]
