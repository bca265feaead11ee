# SPDX-License-Identifier: Apache-2.0
"""Arrays over what has a __cuda_array_interface__, version 2 or 3, without a copy: CuPy, Numba, PyTorch and others.

The rules are those of https://nvidia.github.io/numba-cuda/user/cuda_array_interface.html. PyTorch names no stream there:
DLPack orders its work, this does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from . import _borrowed, dtypes
from .memory import Array, ReadOnlyArray

if TYPE_CHECKING:
    from .device import Context
    from .stream import Stream


def load(source: Any, context: Context, stream: Optional[Stream]) -> Array:
    """As Context.from_cuda_array()."""
    if context.device.backend != "cuda":
        raise BufferError(f"memory with a __cuda_array_interface__ is CUDA's, the context is on {context.device.name}")
    found = source.__cuda_array_interface__
    shape, steps = tuple(found["shape"]), found.get("strides")
    element = dtypes.of_typestr(found["typestr"])
    if found.get("mask") is not None:
        raise BufferError("the source has a mask: an array here has none")
    if steps is not None and not _borrowed.c_contiguous(shape, tuple(steps), element.itemsize):
        raise BufferError(f"the source is not C-contiguous: its shape is {shape}, its strides in bytes are {tuple(steps)}")
    address, readonly = found["data"]
    producer = found.get("stream")
    if producer == 0:
        raise BufferError("the source names the stream 0, which is ambiguous: 1 is CUDA's default stream, 2 that of the thread")
    nbytes = element.itemsize
    for size in shape:
        nbytes *= size
    # The function keeps the source until it is called.
    memory, start = _borrowed.adopt((address, 0), nbytes, lambda kept=source: None, context)  # type: ignore[misc]
    array = (ReadOnlyArray if readonly else Array)(context, memory, start, shape, element, "device")
    if producer is not None:
        later = stream or context.default_stream
        with context.import_stream(producer) as earlier:
            later.wait(earlier)
        if stream is None:
            later.record().synchronize()
    return array
