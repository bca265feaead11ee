# SPDX-License-Identifier: Apache-2.0
"""Memory by its address: as an argument of a kernel, as an array with an owner, and what the library knows about it."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Tuple

from . import _borrowed
from ._library import ffi, lib
from ._object import as_dict, choice, numbers_of
from .dtypes import dtype as dtype_of
from .errors import InvalidValue, check
from .memory import KINDS, Array, ReadOnlyArray, as_shape, bytes_of

if TYPE_CHECKING:
    from .device import Context


class Address:
    """An address, as the argument of a kernel. Made by address(). It is a number, too: int(address(x)), hex(address(x)).

    It keeps `owner`; memory that a launch uses has to live until that is complete, so keep one of the two."""

    __slots__ = ("value", "owner")

    def __init__(self, value: int, owner: Any = None) -> None:
        self.value = value
        self.owner = owner

    def __index__(self) -> int:
        return self.value

    __int__ = __index__

    def __add__(self, nbytes: int) -> Address:
        """The address so many bytes further on."""
        return Address(self.value + index(nbytes), self.owner)

    def __repr__(self) -> str:
        return f"manyrt.address({self.value:#x})"


def address(x: Any) -> Address:
    """The address of memory, for an argument that is a pointer to anything: kernel[grid, group](stream, address(x)).

    `x` is an array of any element type, a number, what has a __cuda_array_interface__ or data_ptr() (a tensor of PyTorch), or
    any buffer (numpy, bytearray), whose memory the host sees. The library checks an address where the context is strict."""
    if isinstance(x, Address):
        return x
    if isinstance(x, Array):
        return Address(x.address, x)
    if hasattr(x, "__index__") and not hasattr(x, "data_ptr"):  # a tensor of one element is a number, too
        value = index(x)
        if not 0 <= value < 2**64:
            raise InvalidValue(f"{value} is no address of 64 bits.")
        return Address(value)
    if callable(getattr(x, "data_ptr", None)):
        return Address(int(x.data_ptr()), x)
    interface = getattr(x, "__cuda_array_interface__", None)
    if interface is not None:
        return Address(int(interface["data"][0]), x)
    try:
        view = memoryview(x)
    except TypeError:
        raise TypeError(f"{x!r} has no address: it is no number, array or buffer") from None
    if not view.c_contiguous:
        raise InvalidValue(f"The buffer is not C-contiguous: its shape is {view.shape}, its strides are {view.strides}.")
    memory = ffi.from_buffer(view.cast("B") if view.nbytes else b"")
    return Address(int(ffi.cast("uintptr_t", memory)), (memory, x))


def load(context: Context, where: Any, shape: Any, dtype: Any, owner: Any, release: Optional[Callable[[], object]], kind: str,
         readonly: bool, offset: int) -> Array:
    """As Context.from_address()."""
    choice(kind, KINDS, "kind of memory")
    sizes, element = as_shape(shape), dtype_of(dtype)
    given = address(where)

    def end(kept: Tuple[Any, ...] = (owner, given.owner)) -> None:  # keeps them until it is called
        if release is not None:
            release()
        del kept

    memory, start = _borrowed.adopt((given.value, offset), bytes_of(sizes, element), end, context)
    return (ReadOnlyArray if readonly else Array)(context, memory, start, sizes, element, kind)


def pointer_info(x: Any) -> Dict[str, Any]:
    """What the library knows about the memory at an address, or at that of an array or buffer.

    `kind` is "unknown", "device", "host", "shared", "registered" or "imported"; `base` is the first address of the allocation,
    `size` its bytes."""
    found = ffi.new("rtPointerAttributes_t *", {"struct_size": ffi.sizeof("rtPointerAttributes_t")})
    check(lib.rtPointerGetAttributes(found, ffi.cast("void *", address(x).value)))
    info = as_dict(found)
    names = {number: name for name, number in numbers_of("RT_POINTER_").items()}
    return {"kind": names.get(info["kind"], "unknown"), "base": int(ffi.cast("uintptr_t", info["base"])), "size": info["size"]}
