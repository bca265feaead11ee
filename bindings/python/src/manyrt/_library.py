# SPDX-License-Identifier: Apache-2.0
"""Finds, opens and checks libmanyrt, and ends it before the interpreter goes.

`raw` has every function through cffi, which releases the GIL in each call. `lib` is the same, but calls that never block and
are short keep the GIL: _gil.py has the list. `hot` is the library through ctypes.PyDLL, for the most frequent of those. Its
functions have no argtypes on purpose, because ready arguments from carg() and small integers need no conversion.
"""

import atexit
import ctypes
import os
import threading
import weakref
from types import SimpleNamespace
from typing import Any, Callable, List, Tuple

from . import _gil

try:
    from ._interface import ffi as _ffi
except ModuleNotFoundError as _error:
    if _error.name != "_cffi_backend":
        raise
    raise ImportError("The package manyrt needs cffi for this Python: install the Debian package python3-cffi-backend, or "
                      f"cffi with pip ({_error}).") from _error

ffi: Any = _ffi
PACKAGE = os.path.dirname(os.path.realpath(__file__))
SYSTEM_LIBRARY = "libmanyrt.so.0"
WHERE_TO_GET_IT = "Install the Debian package libmanyrt0, or set MANYRT_LIBRARY to the path of libmanyrt.so."


class LibraryError(ImportError):
    """libmanyrt was not found, cannot be opened, or has a version that does not fit the package."""


def check_version(library: int, package: str) -> None:
    """Refuses a library (major * 10000 + minor * 100 + patch) that a package of the given version cannot use."""
    major, minor, patch = (int(part) for part in package.split("."))
    found = (library // 10000, library // 100 % 100, library % 100)
    text = ".".join(map(str, found))
    if found[0] != major:
        raise LibraryError(f"libmanyrt {text} does not fit the Python package manyrt {package}: another major version is "
                           f"another interface. {WHERE_TO_GET_IT}")
    if found < (major, minor, patch):
        raise LibraryError(f"libmanyrt {text} is older than the Python package manyrt {package}. {WHERE_TO_GET_IT}")


def library_path() -> str:
    """MANYRT_LIBRARY, else the library inside the wheel, else the system's by its name."""
    chosen = os.environ.get("MANYRT_LIBRARY")
    if chosen:
        return chosen
    inside = os.path.join(PACKAGE, "lib", SYSTEM_LIBRARY)
    return inside if os.path.isfile(inside) else SYSTEM_LIBRARY


def _open() -> Tuple[str, Any, Any]:
    path = library_path()
    try:
        opened = ffi.dlopen(path, ffi.RTLD_NOW | ffi.RTLD_LOCAL)
        hot = ctypes.PyDLL(path, mode=ctypes.RTLD_LOCAL)
    except OSError as error:
        origin = " (from MANYRT_LIBRARY)" if os.environ.get("MANYRT_LIBRARY") else ""
        raise LibraryError(f"libmanyrt cannot be opened as '{path}'{origin}: {error}. {WHERE_TO_GET_IT}") from error
    try:
        version = ffi.new("uint32_t *")
        opened.rtGetVersion(version)
    except ffi.error as error:
        raise LibraryError(f"'{path}' is not libmanyrt: it has no rtGetVersion. {WHERE_TO_GET_IT}") from error
    package = f"{opened.MANYRT_VERSION_MAJOR}.{opened.MANYRT_VERSION_MINOR}.{opened.MANYRT_VERSION_PATCH}"
    check_version(version[0], package)
    return package, opened, hot


PACKAGE_VERSION, raw, hot = _open()
NULL = ffi.NULL


def resolve(*types: str) -> None:
    """Looks up types that destructors use.

    The first use of a name or a type builds it in buffers of cffi that each ffi has once. The garbage collector may run
    meanwhile: a destructor that built another one would overwrite them. So all that destructors use is looked up here."""
    for name in types:
        ffi.typeof(name)


lib: Any = SimpleNamespace(**{_name: getattr(raw, _name) for _name in dir(raw)})
for _name in _gil.KEPT:
    setattr(lib, _name, _gil.keeping(ffi, raw, hot, _name))
resolve("size_t *", "char[]", "int32_t *", "uintptr_t", "void *", "char *")


def carg(handle: Any) -> Any:
    """A handle, or an address, as an argument for the functions of `hot`."""
    return ctypes.c_void_p.from_param(int(ffi.cast("uintptr_t", handle)))


def library_version() -> str:
    """The version of the library in use, such as "0.3.0"."""
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


_before_end: List[Callable[[], None]] = []


def before_end(function: Callable[[], None]) -> None:
    """Has a function called before the library ends, in the process that has started it."""
    _before_end.append(function)


def _end() -> None:
    """Ends the library while Python still runs: later, a host function could not get the GIL.

    Work in flight completes first. What waits for a fence fails, since nothing will signal it any more."""
    if _started_in != os.getpid():
        return
    for function in _before_end:
        function()
    for fence in list(fences):
        fence.__del__()  # close() without errors: a fence may be stale, and the rest has to end all the same
    lib.rtSetLogCallback(NULL, NULL, lib.RT_LOG_NONE)
    lib.rtShutdown()


atexit.register(_end)
