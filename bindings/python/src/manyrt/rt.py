# SPDX-License-Identifier: Apache-2.0
"""The C interface as it is: every function, constant and struct of rt.h, by its own name, through cffi.

    from manyrt import rt
    device = rt.ffi.new("rtDevice_t *")
    rt.check(rt.rtDeviceGetByName(device, b"cpu"))

Each call releases the GIL. Handles of the package's objects are their attribute `handle`. The documentation is that of
rt.h: `rt.help("rtMalloc")`.
"""

from typing import Any, List

from ._described import Description
from ._library import ffi
from ._library import raw as lib
from .errors import check

__all__ = ["check", "constants", "ffi", "functions", "help", "lib", "make"]

_description = Description("rt.json")


def functions() -> List[str]:
    """The names of all functions."""
    return list(_description.functions)


def constants() -> List[str]:
    """The names of all constants."""
    return list(_description.constants)


def make(struct: str, **fields: Any) -> Any:
    """A pointer to a new struct, zeros apart from `fields` and, where the struct has one, its struct_size."""
    value = ffi.new(f"{struct} *")
    if any(name == "struct_size" for name, _ in ffi.typeof(struct).fields):
        value.struct_size = ffi.sizeof(struct)
    for name, field in fields.items():
        setattr(value, name, field)
    return value


def help(name: str) -> str:  # pylint: disable=redefined-builtin
    """What rt.h says about a function."""
    return _description.help(name)


def __getattr__(name: str) -> Any:
    if name[:2] in ("rt", "RT", "MA"):  # not one of those that Python itself looks for
        if hasattr(lib, name):
            return getattr(lib, name)
        if name in _description.constants:  # has more than 32 bits
            return _description.constants[name]
    raise AttributeError(f"rt.h has no '{name}'")


def __dir__() -> List[str]:
    return [*__all__, *functions(), *constants()]
