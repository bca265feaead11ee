# SPDX-License-Identifier: Apache-2.0
"""What kernel nodes of a graph take as arguments beside arrays and numbers: buffers and values that the graph names, and what a
node does with memory. kernel.py turns them into the structs of rt.h; graph.py makes them.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

from ._library import ffi, lib
from ._object import as_dict
from .addresses import Address
from .dtypes import DType
from .errors import InvalidValue, check
from .memory import Array

if TYPE_CHECKING:
    from .graph import Graph

ROLES = {"input": lib.RT_GRAPH_BUFFER_INPUT, "output": lib.RT_GRAPH_BUFFER_OUTPUT, "temporary": lib.RT_GRAPH_BUFFER_TEMPORARY,
         "constant": lib.RT_GRAPH_BUFFER_CONSTANT}
_ROLE_NAMES = {number: name for name, number in ROLES.items()}


class GraphBuffer:
    """Memory that a graph names and that is bound before a launch; ends with its graph. Made by Graph.add_buffer() or
    Graph.make_buffer().

    It has `name`, `role` ("input", "output", "constant", "temporary") and `nbytes`, the most bytes that can be bound."""

    def __init__(self, graph: Graph, handle: Any) -> None:
        self.graph = graph
        self.handle = handle
        out = ffi.new("rtGraphBufferInfo_t *", {"struct_size": ffi.sizeof("rtGraphBufferInfo_t")})
        check(lib.rtGraphBufferGetInfo(out, handle))
        info = as_dict(out)
        self.name: str = info["name"]
        self.nbytes: int = info["size"]
        self.role = _ROLE_NAMES.get(info["role"], "unknown")

    def at(self, offset: int, nbytes: int = 0) -> Place:
        """The buffer from `offset` bytes on, of which a node uses `nbytes`; 0: up to the end."""
        return Place(self, offset, nbytes)

    def __repr__(self) -> str:
        return f"<manyrt.GraphBuffer '{self.name}', {self.role}, {self.nbytes} bytes>"


class Place(NamedTuple):
    """A part of a buffer. Made by GraphBuffer.at()."""

    buffer: GraphBuffer
    offset: int
    nbytes: int


Memory = Union[Array, GraphBuffer, Place, Address, None]


class Access(NamedTuple):
    """Memory, and what a kernel does with it. Made by reads(), writes() and updates()."""

    memory: Memory
    flags: int


def reads(memory: Memory) -> Access:
    """Memory that the kernel reads and does not write, for Graph.add_kernel(): nodes that only read it have no order."""
    return Access(memory, lib.RT_GRAPH_READ)


def writes(memory: Memory) -> Access:
    """Memory that the kernel writes and does not read."""
    return Access(memory, lib.RT_GRAPH_WRITE)


def updates(memory: Memory) -> Access:
    """Memory that the kernel reads and writes, as any is for which nothing is said."""
    return Access(memory, lib.RT_GRAPH_READ | lib.RT_GRAPH_WRITE)


def operand(out: Any, memory: Any, what: str) -> int:
    """Fills an rtGraphOperand_t. Returns the bytes that are meant, 0: unknown."""
    if isinstance(memory, GraphBuffer):
        memory = memory.at(0, memory.nbytes)
    if isinstance(memory, Place):
        out.buffer, out.offset = memory.buffer.handle, memory.offset
        return memory.nbytes or max(0, memory.buffer.nbytes - memory.offset)
    if isinstance(memory, Array):
        out.pointer = ffi.cast("void *", memory._address)
        return memory.nbytes
    if isinstance(memory, Address):
        out.pointer = ffi.cast("void *", memory.value)
        return 0
    raise TypeError(f"{what} is a manyrt.Array or a buffer of the graph, not {memory!r}")


class GraphValue:
    """A number, or other bytes, that a graph names, that arguments of any number of kernels are, and that GraphExec.bind() says
    for all of them; ends with its graph. Made by Graph.add_value(). Those of a loaded graph have no dtype and
    take bytes, unless Graph.value() was given one."""

    def __init__(self, graph: Graph, handle: Any, dtype: Optional[DType] = None) -> None:
        self.graph = graph
        self.handle = handle
        self.dtype = dtype
        out = ffi.new("rtGraphValueInfo_t *", {"struct_size": ffi.sizeof("rtGraphValueInfo_t")})
        check(lib.rtGraphValueGetInfo(out, handle))
        info = as_dict(out)
        self.name: str = info["name"]
        self.nbytes: int = info["size"]
        self.has_initial = bool(info["has_initial"])

    def _pack(self, value: Any) -> bytes:
        """The bytes of what the value is to be."""
        return pack(value, self.dtype, f"The value '{self.name}'")

    def __repr__(self) -> str:
        return f"<manyrt.GraphValue '{self.name}', {self.dtype or f'{self.nbytes} bytes'}>"


def pack(value: Any, dtype: Optional[DType], noun: str) -> bytes:
    """A number of a type, or anything that has bytes."""
    if dtype is not None and isinstance(value, (int, float)):
        try:
            return struct.pack("<" + ("e" if dtype.name == "float16" else dtype.format), value)
        except (struct.error, OverflowError) as error:
            raise InvalidValue(f"{noun} is a number of type {dtype}: {error}.") from None
    try:
        return bytes(memoryview(value).cast("B"))
    except TypeError:
        raise TypeError(f"{noun} takes {f'a number of type {dtype}, or ' if dtype else ''}bytes: a ctypes or numpy scalar, or "
                        f"bytes; got {value!r}") from None
