# SPDX-License-Identifier: Apache-2.0
"""The C interface as it is: every function, constant and struct of rt.h, by its own name, through cffi.

    from manyrt import rt
    device = rt.ffi.new("rtDevice_t *")
    rt.check(rt.rtDeviceGetByName(device, b"cpu"))

Each call releases the GIL. Handles of the package's objects are their attribute `handle`. The documentation is that of
rt.h: `rt.help("rtMalloc")`.
"""

import os
from functools import lru_cache
from typing import Any, Dict, List

from ._library import PACKAGE, LibraryError, ffi
from ._library import raw as lib
from .errors import check

__all__ = ["check", "constants", "ffi", "functions", "help", "lib", "make"]

# rt.json, which is read when it is asked for: inside an installed package, in bindings/ of a source tree.
_PLACES = (os.path.join(PACKAGE, "rt.json"), os.path.join(PACKAGE, "..", "..", "..", "rt.json"))


@lru_cache(maxsize=None)
def _description() -> Any:
    import json  # takes longer than the rest of this module
    try:
        with open(next(filter(os.path.isfile, _PLACES), _PLACES[0]), encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise LibraryError(f"The package manyrt is incomplete, rt.json is missing: {error}. "
                           "Install python3-manyrt again.") from error


@lru_cache(maxsize=None)
def _functions() -> Dict[str, Any]:
    return {item["name"]: item for item in _description()["functions"]}


@lru_cache(maxsize=None)
def _constants() -> Dict[str, Any]:
    values = {item["name"]: item["value"] for item in _description()["constants"]}
    for enum in _description()["enums"]:
        values.update({item["name"]: item["value"] for item in enum["values"]})
    return values


def functions() -> List[str]:
    """The names of all functions."""
    return list(_functions())


def constants() -> List[str]:
    """The names of all constants."""
    return list(_constants())


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
    item = _functions()[name]
    lines = [f"{name}({', '.join(argument['name'] for argument in item['arguments'])})", "", item["doc"], ""]
    lines += [f"{argument['name']} ({argument['type']}, {argument['direction']}): {argument['doc']}"
              for argument in item["arguments"]]
    return "\n".join([*lines, *(f"{key}: {item['notes'][key]}" for key in ("blocks", "capture", "errors"))])


def __getattr__(name: str) -> Any:
    if name[:2] in ("rt", "RT", "MA"):  # not one of those that Python itself looks for
        if hasattr(lib, name):
            return getattr(lib, name)
        if name in _constants():  # has more than 32 bits
            return _constants()[name]
    raise AttributeError(f"rt.h has no '{name}'")


def __dir__() -> List[str]:
    return [*__all__, *_functions(), *_constants()]
