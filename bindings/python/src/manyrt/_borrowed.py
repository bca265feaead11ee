# SPDX-License-Identifier: Apache-2.0
"""Memory of other libraries as memory of this one: what keeps it, and what gives it back after its last use."""

import itertools
from typing import TYPE_CHECKING, Any, Callable, Dict, Tuple

from ._callbacks import report
from ._library import ffi, lib
from .errors import Error, check

if TYPE_CHECKING:
    from .device import Context

_numbers = itertools.count(1)
in_use: Dict[int, Callable[[], object]] = {}  # what gives back each memory that is in use


def adopt(native: Tuple[int, int], nbytes: int, give_back: Callable[[], object], context: "Context") -> Tuple[Any, int]:
    """An owner of the memory, and its address. give_back() is called once: when the owner is gone and no work uses the memory.

    It is not called if this call fails."""
    if nbytes == 0:
        return ffi.gc(ffi.cast("char *", 0), lambda _: give_back()), 0
    number = next(_numbers)
    in_use[number] = give_back
    out = ffi.new("void **")
    try:
        check(lib.rtMemImportWithRelease(out, native, nbytes, ffi.cast("void *", number), _is_over, context._h))
    except Error:
        del in_use[number]
        raise
    return ffi.gc(ffi.cast("char *", out[0]), lib.rtFree), int(ffi.cast("uintptr_t", out[0]))


def _end(user: Any) -> None:
    give_back = in_use.pop(int(ffi.cast("uintptr_t", user)))
    try:
        give_back()
    except BaseException:  # pylint: disable=broad-except
        report()  # of another library; an exception cannot pass through C


_is_over = ffi.callback("rtReleaseFunction_t", _end)


def c_contiguous(shape: Tuple[int, ...], steps: Tuple[int, ...], step: int) -> bool:
    """Whether the elements lie without gaps, the last dimension first; `step` is what the steps count from one to the next."""
    if 0 in shape:
        return True
    for size, found in zip(reversed(shape), reversed(steps)):
        if size != 1 and found != step:
            return False
        step *= size
    return True
