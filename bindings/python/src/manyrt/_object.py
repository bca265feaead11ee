# SPDX-License-Identifier: Apache-2.0
"""What all objects with a handle share: closing, use after closing, the context manager, and how they print."""

from types import TracebackType
from typing import Any, Dict, NoReturn, Optional, Type, TypeVar

from ._library import carg, ffi, lib
from .errors import InvalidHandle, check

Self = TypeVar("Self", bound="Owned")


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
        """The handle as cffi has it, for manyrt.rt."""
        return self._h

    @property
    def closed(self) -> bool:
        return "_h" not in self.__dict__

    def close(self) -> None:
        """Ends the object; a second call does nothing. Never blocks."""
        self.__dict__.pop("_c", None)
        handle = self.__dict__.pop("_h", None)
        if handle is not None and self._destroy:
            check(getattr(lib, self._destroy)(handle))

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
    """What a text function of rt.h (buffer, size, needed, owner) gives."""
    needed = ffi.new("size_t *")
    check(get(ffi.NULL, 0, needed, *owner))
    buffer = ffi.new("char[]", needed[0])
    check(get(buffer, needed[0], ffi.NULL, *owner))
    return str(ffi.string(buffer).decode("utf-8", "replace"))


def label_bytes(label: str) -> bytes:
    """A label as the options structs take it: 63 bytes of UTF-8, cut between characters."""
    return label.encode()[:63].decode("utf-8", "ignore").encode()


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
