# SPDX-License-Identifier: Apache-2.0
"""How objects look in a terminal and in a notebook. Nothing here waits long, and nothing raises."""

from __future__ import annotations

import html
import struct
from typing import TYPE_CHECKING, Any, List, Optional, Sequence, Tuple

from ._library import ffi, lib
from .errors import Error

if TYPE_CHECKING:
    from .device import Device
    from .kernel import Kernel
    from .memory import Array

SUMMARIZED = 1000  # elements above which only the ends of each dimension are shown, as in numpy
_EDGE = 3          # elements at each end
_PATIENCE_NS = 200_000_000  # how long a look waits for work that may still write the array
_WIDTH = 75
_pending: List[Any] = []  # buffers that a copy which did not end in time may still write to


def _ends(size: int, summarized: bool) -> Tuple[List[int], List[int]]:
    """The indices that are shown of a dimension, in front of the dots and after them."""
    if not summarized or size <= 2 * _EDGE:
        return list(range(size)), []
    return list(range(_EDGE)), list(range(size - _EDGE, size))


def _runs(array: Array) -> List[Tuple[int, int]]:
    """(first element, number of elements) of each contiguous piece that is shown."""
    if not array.shape:
        return [(0, 1)]
    if array.size <= SUMMARIZED:
        return [(0, array.size)] if array.size else []
    starts = [0]
    for at, size in enumerate(array.shape[:-1]):
        step = array.size
        for before in array.shape[:at + 1]:
            step //= before
        front, back = _ends(size, True)
        starts = [start + index * step for start in starts for index in front + back]
    last = array.shape[-1]
    if last <= 2 * _EDGE:
        return [(start, last) for start in starts]
    return [run for start in starts for run in ((start, _EDGE), (start + last - _EDGE, _EDGE))]


def _read(array: Array) -> Optional[List[Any]]:
    """The shown elements, one after the other; None where work that may write them does not end soon, or has failed."""
    from .stream import Stream  # needs the module of arrays
    runs = _runs(array)
    if not runs:
        return []
    item = array.dtype.itemsize
    buffer = ffi.new("char[]", sum(count for _, count in runs) * item)
    try:
        with Stream(array.context, label="repr") as stream:
            if lib.rtStreamWaitPointer(array._h, stream._h) or lib.rtStreamSynchronizeFor(_PATIENCE_NS, stream._h):
                return None
            at = 0
            for start, count in runs:
                source = ffi.cast("char *", array._h) + start * item
                if lib.rtMemcpyAsync(buffer + at, source, count * item, lib.RT_MEMCPY_DEFAULT, stream._h):
                    return None
                at += count * item
            if lib.rtStreamSynchronizeFor(_PATIENCE_NS, stream._h):
                _pending.append(buffer)
                return None
    except Error:  # the context is closed, or there is no memory for a stream
        return None
    code = "e" if array.dtype.name == "float16" else array.dtype.format
    return list(struct.unpack(f"={len(buffer) // item}{code}", bytes(ffi.buffer(buffer))))


def _word(value: Any, array: Array) -> str:
    if array.dtype.kind != "f":
        return str(value)
    short = f"{value:.8g}"
    if array.dtype.itemsize < 8:  # as few digits as give the same number again
        code = "e" if array.dtype.itemsize == 2 else "f"
        tries = (f"{value:.{digits}g}" for digits in range(1, 9))
        short = next((each for each in tries if struct.pack(code, float(each)) == struct.pack(code, value)), short)
    return repr(float(short))


def _nested(words: List[str], shape: Sequence[int], summarized: bool, indent: int) -> str:
    """The words of `shape` in brackets, rows below one another; takes them off the front of `words`."""
    if not shape:
        return words.pop(0)
    front, back = _ends(shape[0], summarized)
    parts = [_nested(words, shape[1:], summarized, indent + 1) for _ in front]
    if back:
        parts += ["..."] + [_nested(words, shape[1:], summarized, indent + 1) for _ in back]
    if len(shape) > 1:
        return "[" + (",\n" + " " * (indent + 1)).join(parts) + "]"
    lines, line = [], ""
    for at, part in enumerate(parts):
        piece = part + (", " if at + 1 < len(parts) else "")
        if line and indent + len(line) + len(piece.rstrip()) > _WIDTH:
            lines.append(line.rstrip())
            line = ""
        line += piece
    return "[" + ("\n" + " " * (indent + 1)).join([*lines, line]) + "]"


def array_values(array: Array, indent: int = 0) -> Optional[str]:
    """The elements as numpy shows them, the first and the last ones of a large array; None where they cannot be read now."""
    values = _read(array)
    if values is None:
        return None
    words = [_word(value, array) for value in values]
    width = max(map(len, words), default=0)
    padded = [word.rjust(width) for word in words] if array.shape else words
    return _nested(padded, array.shape, array.size > SUMMARIZED, indent)


def array_repr(array: Array) -> str:
    name = f"manyrt.{type(array).__name__}"
    what = f"{array.dtype} {array.shape}, {array.kind} memory of {array.context.device.name}"
    if array.closed:
        return f"<{name} (closed) {what}>"
    values = array_values(array, len(name) + 1)
    if values is None:
        return f"<{name} {what}, values not ready>"
    shape = f"shape={array.shape}, " if array.size > SUMMARIZED or not array.size else ""
    kind = f", kind='{array.kind}'" if array.kind != "device" else ""
    return f"{name}({values}, {shape}dtype='{array.dtype}', device='{array.context.device.name}'{kind})"


def _table(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    def row(cells: Sequence[Any], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag} style='text-align:left'>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"
    return "<table>" + (row(head, "th") if head else "") + "".join(row(each, "td") for each in rows) + "</table>"


def array_html(array: Array) -> str:
    values = None if array.closed else array_values(array)
    state = "closed" if array.closed else "values not ready"
    shape = " × ".join(map(str, array.shape)) or "one element"
    caption = f"{array.dtype}, {shape}, {array.kind} memory of {array.context.device.name}"
    return f"<div><pre>{html.escape(values if values is not None else state)}</pre><small>{html.escape(caption)}</small></div>"


def device_html(device: Device) -> str:
    known = [(name.replace("_", " "), value) for name, value in device.properties.items()
             if name not in ("struct_size", "reserved", "kind", "backend") and isinstance(value, (int, str)) and value]
    return _table((), [("backend", device.backend), *known])


def signature(kernel: Kernel) -> str:
    """As in the source: scale(float* x, float f)."""
    return f"{kernel.name}(" + ", ".join(f"{info.type or info.kind} {info.name}".strip() for info in kernel.args) + ")"


def kernel_html(kernel: Kernel) -> str:
    rows = [(info.position, info.name, info.type, info.kind, info.size, info.access or "") for info in kernel.args]
    return f"<code>{html.escape(signature(kernel))}</code>" + _table(("", "argument", "type", "kind", "bytes", "access"), rows)
