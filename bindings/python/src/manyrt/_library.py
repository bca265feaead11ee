# SPDX-License-Identifier: Apache-2.0
"""Finds, opens and checks libmanyrt, and ends it before the interpreter goes.

`lib` has every function through cffi, which releases the GIL in each call. `hot` is the same library through ctypes.PyDLL,
which keeps the GIL: for the frequent calls that never block. Giving up the GIL there would hand the thread's turn to other
Python threads. Its functions have no argtypes on purpose: ready arguments from carg() and small integers need no conversion.
"""

import atexit
import ctypes
import json
import os
import pathlib
import threading
import weakref
from typing import Any, Tuple

import cffi

PACKAGE = pathlib.Path(__file__).resolve().parent
SYSTEM_LIBRARY = "libmanyrt.so.0"
WHERE_TO_GET_IT = "Install the Debian package libmanyrt0, or set MANYRT_LIBRARY to the path of libmanyrt.so."


class LibraryError(ImportError):
    """libmanyrt was not found, cannot be opened, or has a version that does not fit the package."""


def description(name: str) -> str:
    """The text of rt.json or rt.cdef.h: inside an installed package, in bindings/ of a source tree."""
    installed = PACKAGE / name
    path = installed if installed.is_file() else PACKAGE.parents[2] / name
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise LibraryError(f"The package manyrt is incomplete, {name} is missing: {error}. "
                           "Install python3-manyrt again.") from error


def check_version(library: int, package: str) -> None:
    """Refuses a library (major * 10000 + minor * 100 + patch) that a package of the given version cannot use."""
    major, minor, patch = (int(part) for part in package.split("."))
    found = (library // 10000, library // 100 % 100, library % 100)
    text = ".".join(map(str, found))
    if found[0] != major or (major == 0 and found[1] != minor):
        promise = "minor version before 1.0" if major == 0 and found[0] == 0 else "major version"
        raise LibraryError(f"libmanyrt {text} does not fit the Python package manyrt {package}: another {promise} is another "
                           f"interface. {WHERE_TO_GET_IT}")
    if found < (major, minor, patch):
        raise LibraryError(f"libmanyrt {text} is older than the Python package manyrt {package}. {WHERE_TO_GET_IT}")


def library_path() -> str:
    """MANYRT_LIBRARY, else the library inside the wheel, else the system's by its name."""
    chosen = os.environ.get("MANYRT_LIBRARY")
    if chosen:
        return chosen
    inside = PACKAGE / "lib" / SYSTEM_LIBRARY
    return str(inside) if inside.is_file() else SYSTEM_LIBRARY


def _open() -> Tuple[Any, Any, Any]:
    ffi = cffi.FFI()
    ffi.cdef(description("rt.cdef.h"))
    path = library_path()
    try:
        lib = ffi.dlopen(path, ffi.RTLD_NOW | ffi.RTLD_LOCAL)
        hot = ctypes.PyDLL(path, mode=ctypes.RTLD_LOCAL)
    except OSError as error:
        origin = " (from MANYRT_LIBRARY)" if os.environ.get("MANYRT_LIBRARY") else ""
        raise LibraryError(f"libmanyrt cannot be opened as '{path}'{origin}: {error}. {WHERE_TO_GET_IT}") from error
    try:
        version = ffi.new("uint32_t *")
        lib.rtGetVersion(version)
    except AttributeError as error:
        raise LibraryError(f"'{path}' is not libmanyrt: it has no rtGetVersion. {WHERE_TO_GET_IT}") from error
    check_version(version[0], PACKAGE_VERSION)
    return ffi, lib, hot


DESCRIPTION: Any = json.loads(description("rt.json"))
PACKAGE_VERSION: str = DESCRIPTION["version"]
ffi, lib, hot = _open()
NULL = ffi.NULL


def resolve(one: Any, *types: str) -> None:
    """Parses types that destructors use.

    The first use of a name or a type takes a lock of cffi that the same thread cannot take twice. The garbage collector may run
    while it is held: a destructor that took it again would wait for ever. So all that destructors use is looked up here."""
    for name in types:
        one.typeof(name)


for _name in dir(lib):
    getattr(lib, _name)
resolve(ffi, "size_t *", "char[]", "int32_t *", "uintptr_t", "void *", "char *")


def carg(handle: Any) -> Any:
    """A handle, or an address, as an argument for the functions of `hot`."""
    return ctypes.c_void_p.from_param(int(ffi.cast("uintptr_t", handle)))


def library_version() -> str:
    """The version of the library in use, such as "0.2.0"."""
    version = ffi.new("uint32_t *")
    lib.rtGetVersion(version)
    return f"{version[0] // 10000}.{version[0] // 100 % 100}.{version[0] % 100}"


# Fences that are alive: a stream that waits for one would make the end of the process wait for ever.
fences: "weakref.WeakSet[Any]" = weakref.WeakSet()

_starting = threading.Lock()
_started_in = 0  # process id; a child that was forked before the first use starts for itself


def start() -> None:
    """Called before the first device is looked up. Importing the package alone does not use the library: a fork stays legal."""
    global _started_in  # pylint: disable=global-statement
    with _starting:
        if _started_in == 0:
            lib.rtInit()
            _started_in = os.getpid()


def _end() -> None:
    """Ends the library while Python still runs: later, a host function could not get the GIL.

    Work in flight completes first. What waits for a fence fails, since nothing will signal it any more."""
    if _started_in != os.getpid():
        return
    for fence in list(fences):
        fence.__del__()  # close() without errors: a fence may be stale, and the rest has to end all the same
    lib.rtSetLogCallback(NULL, NULL, lib.RT_LOG_NONE)
    lib.rtShutdown()


atexit.register(_end)
