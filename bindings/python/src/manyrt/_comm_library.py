# SPDX-License-Identifier: Apache-2.0
"""Finds, opens and checks libmanyrt-comm, which is a library of its own beside libmanyrt.

All functions go through cffi and give up the GIL: those that create wait for other ranks, which may be threads of this process,
and so does an operation of an MPI that only one thread may call.
"""

import os
from typing import Any, List

from ._comm_interface import ffi as _ffi
from ._library import PACKAGE, LibraryError, library_path

ffi: Any = _ffi  # knows the types of rt.h, too: the same as those of _library.ffi
SYSTEM_LIBRARY = "libmanyrt-comm.so.0"
WHERE_TO_GET_IT = "Install the Debian package libmanyrt-comm0, or set MANYRT_COMM_LIBRARY to the path of libmanyrt-comm.so."


def comm_library_path() -> str:
    """MANYRT_COMM_LIBRARY, else the one beside libmanyrt where that was found by a path, else the system's by its name."""
    chosen = os.environ.get("MANYRT_COMM_LIBRARY")
    if chosen:
        return chosen
    for folder in (os.path.dirname(os.path.realpath(library_path())) if os.sep in library_path() else "",
                   os.path.join(PACKAGE, "lib")):
        beside = os.path.join(folder, SYSTEM_LIBRARY)
        if folder and os.path.isfile(beside):
            return beside
    return SYSTEM_LIBRARY


def functions() -> List[str]:
    """The names of all functions of rt_comm.h."""
    return [name for name in _names if name.startswith("rtComm")]


def _open() -> Any:
    path = comm_library_path()
    try:
        # It needs libmanyrt.so.0, which the process has already: the one that this package has opened.
        opened = ffi.dlopen(path, ffi.RTLD_NOW | ffi.RTLD_LOCAL)
    except OSError as error:
        origin = " (from MANYRT_COMM_LIBRARY)" if os.environ.get("MANYRT_COMM_LIBRARY") else ""
        raise LibraryError(f"libmanyrt-comm cannot be opened as '{path}'{origin}: {error}. {WHERE_TO_GET_IT}") from error
    return path, opened


PATH, lib = _open()
_names = dir(lib)
for _name in functions():
    try:
        getattr(lib, _name)
    except (AttributeError, ffi.error) as _error:
        raise LibraryError(f"'{PATH}' has no {_name}: it is not libmanyrt-comm, or older than this package. "
                           f"{WHERE_TO_GET_IT}") from _error
# Destructors use these names and types: see resolve() in _library.py.
for _type in ("size_t *", "char[]", "uintptr_t", "rtComm_t"):
    ffi.typeof(_type)
