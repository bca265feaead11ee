# SPDX-License-Identifier: Apache-2.0
"""How help() shows the package: names as a program writes them, and no parameters that only the package can give.

A class whose objects are made by a call of another object says which call that is, in place of its own parameters.
"""

import inspect
from typing import Any, Dict, Iterable


class _Type(str):
    """A type as it was written, which help() shows without quotes."""

    def __repr__(self) -> str:
        return str(self)


def _unquote(function: Any) -> None:
    types = getattr(function, "__annotations__", {})
    for name, kind in types.items():
        text = getattr(kind, "__forward_arg__", kind)
        if isinstance(text, str):
            types[name] = _Type(text)


def show(public: Iterable[Any], made_by: Dict[type, str], package: str) -> None:
    """Names the objects of `public` after the package. `made_by` has the calls that make objects of a class."""
    for each in public:
        if not inspect.isclass(each) and not inspect.isfunction(each):
            continue
        each.__module__ = package
        for member in [each, *vars(each).values()]:
            function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            if inspect.isfunction(function):
                _unquote(function)
        # Fields that begin with an underscore are declared for type checkers alone.
        fields = vars(each).get("__annotations__", {})
        for name in [name for name in fields if name.startswith("_")]:
            del fields[name]
        if not fields and inspect.isclass(each) and "__annotations__" in vars(each):
            delattr(each, "__annotations__")
    for cls, calls in made_by.items():
        initialise: Any = cls.__dict__.get("__init__")
        if initialise is not None:
            initialise.__doc__ = f"For the package alone: {calls} makes the object."
            initialise.__signature__ = inspect.Signature([inspect.Parameter("self", inspect.Parameter.POSITIONAL_ONLY)])
