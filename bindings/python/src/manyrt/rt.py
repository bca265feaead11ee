# SPDX-License-Identifier: Apache-2.0
"""The C interface as it is: every function, constant and struct of rt.h, by its own name, through cffi.

    from manyrt import rt
    device = rt.ffi.new("rtDevice_t *")
    rt.check(rt.rtDeviceGetByName(device, b"cpu"))

Handles of the package's objects are their attribute `handle`. The documentation is that of rt.h: `rt.help("rtMalloc")`.
"""

from typing import Any, List

from ._library import DESCRIPTION, ffi, lib
from .errors import check

__all__ = ["check", "constants", "ffi", "functions", "help", "lib", "make"]

_FUNCTIONS = {item["name"]: item for item in DESCRIPTION["functions"]}
_CONSTANTS = {item["name"]: item["value"] for item in DESCRIPTION["constants"]}
for _enum in DESCRIPTION["enums"]:
    _CONSTANTS.update({item["name"]: item["value"] for item in _enum["values"]})


def functions() -> List[str]:
    """The names of all functions."""
    return list(_FUNCTIONS)


def constants() -> List[str]:
    """The names of all constants."""
    return list(_CONSTANTS)


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
    item = _FUNCTIONS[name]
    lines = [f"{name}({', '.join(argument['name'] for argument in item['arguments'])})", "", item["doc"], ""]
    lines += [f"{argument['name']} ({argument['type']}, {argument['direction']}): {argument['doc']}"
              for argument in item["arguments"]]
    return "\n".join([*lines, *(f"{key}: {item['notes'][key]}" for key in ("blocks", "capture", "errors"))])


def __getattr__(name: str) -> Any:
    if name in _FUNCTIONS:
        return getattr(lib, name)
    if name in _CONSTANTS:
        return _CONSTANTS[name]
    raise AttributeError(f"rt.h has no '{name}'")


def __dir__() -> List[str]:
    return [*__all__, *_FUNCTIONS, *_CONSTANTS]
