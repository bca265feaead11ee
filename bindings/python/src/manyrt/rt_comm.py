# SPDX-License-Identifier: Apache-2.0
"""The C interface of communicators as it is: every function, constant and struct of rt_comm.h, by its own name, through cffi.

    from manyrt import rt_comm
    id = rt_comm.ffi.new("rtCommUniqueId_t *")
    rt_comm.check(rt_comm.rtCommGetUniqueId(id))

Each call releases the GIL. `rt_comm.ffi` knows the types of rt.h, too. The documentation is that of rt_comm.h:
`rt_comm.help("rtCommAllReduce")`.
"""

from typing import Any, List

from ._comm_library import ffi, lib
from ._described import Description
from .comm import check

__all__ = ["check", "constants", "ffi", "functions", "help", "lib"]

_description = Description("rt_comm.json")


def functions() -> List[str]:
    """The names of all functions."""
    return list(_description.functions)


def constants() -> List[str]:
    """The names of all constants."""
    return list(_description.constants)


def help(name: str) -> str:  # pylint: disable=redefined-builtin
    """What rt_comm.h says about a function."""
    return _description.help(name)


def __getattr__(name: str) -> Any:
    if name[:2] in ("rt", "RT") and (name in _description.functions or name in _description.constants):
        return getattr(lib, name)
    raise AttributeError(f"rt_comm.h has no '{name}'")


def __dir__() -> List[str]:
    return [*__all__, *functions(), *constants()]
