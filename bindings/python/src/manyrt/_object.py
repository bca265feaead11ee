# SPDX-License-Identifier: Apache-2.0
"""Shared by all objects with a handle: closing, use after closing, the context manager, and how they print."""

import threading
import time
from types import TracebackType
from typing import Any, Callable, Dict, List, Mapping, NoReturn, Optional, Type, TypeVar

from ._library import carg, ffi, lib
from .errors import InvalidHandle, InvalidValue, check

Self = TypeVar("Self", bound="Owned")
_SLICE_S = 0.1  # how long a wait stays in C, where Python cannot handle a signal


class Owned:
    """An object of the library. close() ends it, as the end of a `with` block or of the last reference does.

    Work in flight completes first, and close() does not wait for it. A closed object raises InvalidHandle."""

    _destroy = ""  # the name of its destroy function; empty: another object owns the handle

    # `_h` (for cffi) and `_c` (for ctypes) are missing once the object is closed, so that an open one needs no check.
    _h: Any
    _c: Any

    def _own(self, handle: Any, label: str = "") -> None:
        self._h = handle
        self._c = carg(handle)
        self.label = label

    @property
    def handle(self) -> Any:
        """The handle as cffi has it, for manyrt.rt. Borrowed: the object still owns it."""
        return self._h

    @property
    def closed(self) -> bool:
        """Whether close() has ended the object. Every other use then raises InvalidHandle."""
        return "_h" not in self.__dict__

    def close(self) -> None:
        """Ends the object; a second call does nothing, as one after the end of its context. Never blocks."""
        self.__dict__.pop("_c", None)
        handle = self.__dict__.pop("_h", None)
        if handle is None or not self._destroy:
            return
        status = getattr(lib, self._destroy)(handle)
        context = self.__dict__.get("context")
        if status != lib.RT_ERROR_INVALID_HANDLE or context is None or not context.closed:
            check(status)

    def __getattr__(self, name: str) -> Any:
        if name in ("_h", "_c", "_address", "_memory"):
            raise InvalidHandle(f"The {self._noun()} is closed, or was never opened.")
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _noun(self) -> str:
        label = self.__dict__.get("label")
        return type(self).__name__.lower() + (f" '{label}'" if label else "")

    def __repr__(self) -> str:
        label = self.__dict__.get("label")
        name = f" '{label}'" if label else ""
        if self.closed:
            return f"<manyrt.{type(self).__name__}{name} (closed)>"
        return f"<manyrt.{type(self).__name__}{name} {int(ffi.cast('uintptr_t', self._h)):#x}>"

    def __enter__(self: Self) -> Self:
        """The object itself, which the end of the `with` block closes."""
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:  # pylint: disable=broad-except
            pass  # the context was closed first, or the interpreter is ending: the handle is stale

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled: it is bound to this process")


def text(get: Any, *owner: Any) -> str:
    """The text of a function of rt.h (buffer, size, needed, owner)."""
    needed = ffi.new("size_t *")
    check(get(ffi.NULL, 0, needed, *owner))
    buffer = ffi.new("char[]", needed[0])
    check(get(buffer, needed[0], ffi.NULL, *owner))
    return str(ffi.string(buffer).decode("utf-8", "replace"))


def native_of(get: Any, handle: Any) -> int:
    """The driver's object of a handle: what a function of rt.h (native, handle) gives."""
    out = ffi.new("uint64_t[2]")
    check(get(out, handle))
    return int(out[0])


def utf8(value: str, what: str) -> bytes:
    """A text as an argument of C, which would end it at a NUL character."""
    if not isinstance(value, str):
        raise TypeError(f"{what} has to be a str, not {type(value).__name__}")
    if "\0" in value:
        raise InvalidValue(f"{what} has a NUL character at position {value.index(chr(0))}.")
    return value.encode()


def label_bytes(label: str) -> bytes:
    """A label as the options structs take it: 63 bytes of UTF-8, cut between characters."""
    return utf8(label, "the label")[:63].decode("utf-8", "ignore").encode()


def choice(name: str, table: Mapping[str, int], what: str) -> int:
    """The number of an option that is chosen by its name."""
    if name not in table:
        raise InvalidValue(f"'{name}' is no {what}; there are {', '.join(table)}.")
    return table[name]


def numbers_of(prefix: str) -> Dict[str, int]:
    """The constants of rt.h with a prefix, by the rest of their names in small letters."""
    return {name[len(prefix):].lower(): int(getattr(lib, name)) for name in dir(lib)
            if name.startswith(prefix) and name != prefix + "INVALID"}


def nanoseconds(timeout: Optional[float]) -> Optional[int]:
    """A limit for the library; None, as infinity, is none."""
    if timeout is None or timeout == float("inf"):
        return None
    if timeout != timeout:
        raise InvalidValue("The timeout is not a number.")
    return max(0, int(min(timeout, 9e9) * 1e9))


def wait(limited: Callable[..., Any], timeout: Optional[float], *arguments: Any) -> int:
    """The status of a wait, limited(nanoseconds, *arguments), that comes back to Python in between: Ctrl-C ends it."""
    limit = nanoseconds(timeout)
    longest = int(_SLICE_S * 1e9)
    if limit is not None and limit <= longest:
        return int(limited(limit, *arguments))
    end = None if limit is None else time.monotonic_ns() + limit
    while True:
        began = time.monotonic_ns()
        left = longest if end is None else max(0, min(longest, end - began))
        status = limited(left, *arguments)
        if status != lib.RT_ERROR_TIMEOUT or left < longest:
            return int(status)
        if time.monotonic_ns() - began < longest // 2:  # a failure of the work, which may be a time-out, too
            return int(status)


def apart(function: Callable[[], object]) -> None:
    """Calls a function that waits without a limit. Ctrl-C ends the wait of the main thread, which alone gets signals: there
    the function runs on another thread, and goes on waiting when the main thread has left."""
    if threading.current_thread() is not threading.main_thread():
        function()
        return
    errors: List[BaseException] = []

    def run() -> None:
        try:
            function()
        except BaseException as error:  # pylint: disable=broad-except
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]


def as_dict(struct: Any) -> Dict[str, Any]:
    """The fields of a result struct: text as str, arrays as tuples."""
    fields: Dict[str, Any] = {}
    for name, field in ffi.typeof(struct[0]).fields:
        value = getattr(struct, name)
        if field.type.kind == "array":
            is_text = field.type.item.cname == "char"
            value = ffi.string(value).decode("utf-8", "replace") if is_text else tuple(value)
        if name not in ("struct_size", "reserved"):
            fields[name] = value
    return fields
