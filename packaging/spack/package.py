# SPDX-License-Identifier: Apache-2.0
"""Spack: `spack repo create`, this file as packages/manyrt/package.py in it, then `spack dev-build manyrt@0.3.0` in the tree."""

from spack.package import *  # noqa: F403  # pylint: disable=wildcard-import,unused-wildcard-import


class Manyrt(CMakePackage):  # noqa: F405
    """One runtime for devices, streams, events and memory behind a C header: CPU, CUDA and OpenCL."""

    license("Apache-2.0")  # noqa: F405

    version("0.3.0")  # noqa: F405  # sources: the tree of `spack dev-build`

    variant("tools", default=True, description="The command manyrt")  # noqa: F405
    variant("mpi", default=False, description="Communicators of processes that MPI starts")  # noqa: F405

    depends_on("c", type="build")  # noqa: F405
    depends_on("cxx", type=("build", "run"))  # noqa: F405  # kernels for the CPU are compiled while a program runs
    depends_on("cmake@3.22:", type="build")  # noqa: F405
    depends_on("ninja", type="build")  # noqa: F405
    depends_on("pkgconfig", type="build")  # noqa: F405
    depends_on("python@3.9:", type="build")  # noqa: F405
    depends_on("hwloc@2.4:")  # noqa: F405
    depends_on("boost+context@1.74:", type="build")  # noqa: F405
    depends_on("nlohmann-json@3.9:", type="build")  # noqa: F405
    depends_on("opencl-c-headers", type="build")  # noqa: F405
    depends_on("cli11@2.1:", type="build", when="+tools")  # noqa: F405
    depends_on("mpi", when="+mpi")  # noqa: F405

    conflicts("platform=darwin", msg="manyrt runs on Linux alone")  # noqa: F405
    conflicts("platform=windows", msg="manyrt runs on Linux alone")  # noqa: F405

    generator("ninja")  # noqa: F405

    def cmake_args(self):
        return [
            self.define("MANYRT_BUILD_TESTS", False),
            self.define("MANYRT_BUILD_EXAMPLES", False),
            self.define("MANYRT_BUILD_BENCHMARKS", False),
            self.define("MANYRT_CUDA_TOOLKIT", False),
            self.define("MANYRT_CCACHE", False),
            self.define_from_variant("MANYRT_BUILD_TOOLS", "tools"),
            self.define_from_variant("MANYRT_COMM_MPI", "mpi"),
        ]
