# SPDX-License-Identifier: Apache-2.0
"""Kernels from one expression: ElementwiseKernel writes the loop over elements, ReductionKernel also the sum over them.

Both are thin: the source that they make is `source`, and the module is built once, when the object is made.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, List, Optional

from . import dtypes
from .errors import InvalidValue
from .kernel import Kernel, Module
from .memory import Array

if TYPE_CHECKING:
    from .device import Context
    from .stream import Stream

_GROUP = 256  # work-items of a group of a reduction, a power of two
_MOST_GROUPS = 64
_NAME = re.compile(r"[A-Za-z_]\w*")


def _parameters(text: str) -> List[str]:
    """"float a, float *x": the declarations, with __global for each pointer that names no memory."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts:
        raise InvalidValue("The arguments are a list such as 'float a, float *x', with at least one array.")
    spaces = ("global", "constant", "local", "private")
    bare = [part for part in parts if "*" in part and not any(f"{space} " in part for space in spaces)]
    return [f"__global {part}" if part in bare else part for part in parts]


def _name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InvalidValue(f"{name!r} is no name of a kernel.")
    return name


def _elements(name: str, args: Any, wanted: int) -> int:
    """The common number of elements of the arrays."""
    if len(args) != wanted:
        raise TypeError(f"kernel '{name}' takes {wanted} argument{'' if wanted == 1 else 's'}, {len(args)} were given")
    sizes = {arg.size for arg in args if isinstance(arg, Array)}
    if len(sizes) != 1:
        found = f"the arrays have {', '.join(map(str, sorted(sizes)))} elements, not the same number"
        raise InvalidValue(f"Kernel '{name}': {found if sizes else 'there is no array among the arguments'}.")
    return int(sizes.pop())


def _reduction(name: str, parameters: List[str], element: str, neutral: str, reduce: str, value: str) -> str:
    """A kernel whose groups each reduce what their work-items have gathered, in local memory, to one element of `result`."""
    return f"""__kernel void {name}({', '.join(parameters)}, __global {element} *result, ulong n) {{
  __local {element} part[{_GROUP}];
  {element} a = {neutral};
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {{
    const {element} b = {value};
    a = {reduce};
  }}
  part[get_local_id(0)] = a;
  for (int half_size = {_GROUP // 2}; half_size > 0; half_size /= 2) {{
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < half_size) {{
      const {element} b = part[get_local_id(0) + half_size];
      a = {reduce};
      part[get_local_id(0)] = a;
    }}
  }}
  if (get_local_id(0) == 0) result[get_group_id(0)] = a;
}}
"""


class ElementwiseKernel:
    """operation is OpenCL C for element i: ElementwiseKernel(context, "float a, float *x, float *y", "y[i] += a * x[i]").

    Called with a stream and the arguments it launches, and never blocks. All arrays have the same number of elements."""

    def __init__(self, context: Context, arguments: str, operation: str, *, name: str = "elementwise", options: str = "",
                 preamble: str = "") -> None:
        self.context = context
        parameters = _parameters(arguments)
        self._count = len(parameters)
        self.source = (f"{preamble}\n__kernel void {_name(name)}({', '.join(parameters)}, ulong n) {{\n"
                       f"  const ulong i = get_global_id(0);\n  if (i < n) {{ {operation}; }}\n}}\n")
        self.module = Module(context, self.source, options)
        self.kernel: Kernel = self.module.kernel(name)

    def __call__(self, stream: Stream, *args: Any) -> None:
        """Launches in the stream's order, and never blocks. The arguments are those of the declaration, in its order."""
        count = _elements(self.kernel.name, args, self._count)
        if count:
            self.kernel[self.kernel.shape(count)](stream, *args, count)

    def __repr__(self) -> str:
        return f"<manyrt.ElementwiseKernel of {self.kernel!r}>"


class ReductionKernel:
    """map gives a value for element i, reduce joins two, a and b: the sum of squares is
    ReductionKernel(context, "float32", "0", "a + b", "x[i] * x[i]", "const float *x").

    Called with a stream and the arguments, it returns an array of one element, which later work of the stream may use. The
    order in which values are joined is the same at each call with as many elements."""

    def __init__(self, context: Context, dtype: Any, neutral: str, reduce: str, map: str,  # pylint: disable=redefined-builtin
                 arguments: str, *, name: str = "reduction", options: str = "", preamble: str = "") -> None:
        self.context = context
        self.dtype = dtypes.dtype(dtype)
        words = [word for word, each in dtypes.C_TYPES.items() if each is self.dtype and word.isalnum()]
        if not words or self.dtype.name == "bool":
            raise InvalidValue(f"A reduction has no type for {self.dtype}.")
        parameters = _parameters(arguments)
        self._count = len(parameters)
        first = _reduction(_name(name), parameters, words[0], neutral, reduce, map)
        last = _reduction(f"{name}_last", [f"__global const {words[0]} *partial"], words[0], neutral, reduce, "partial[i]")
        self.source = f"{preamble}\n{first}{last}"
        self.module = Module(context, self.source, options)
        self._first, self._last = self.module.kernel(name), self.module.kernel(f"{name}_last")

    def __call__(self, stream: Stream, *args: Any, out: Optional[Array] = None) -> Array:
        """out: an array of one element for the result, else a new one."""
        count = _elements(self._first.name, args, self._count)
        if out is not None and (out.size != 1 or out.dtype is not self.dtype):
            raise InvalidValue(f"The result is one element of {self.dtype}, out has {out.size} of {out.dtype}.")
        result = out if out is not None else self.context.empty((), self.dtype)
        groups = max(1, min(_MOST_GROUPS, -(-count // _GROUP)))
        if groups == 1:
            self._first[1, _GROUP](stream, *args, result, count)
        else:
            partial = self.context.empty(groups, self.dtype)  # kept by the work that uses it
            self._first[groups, _GROUP](stream, *args, partial, count)
            self._last[1, _GROUP](stream, partial, result, groups)
        return result

    def __repr__(self) -> str:
        return f"<manyrt.ReductionKernel of {self._first!r} to {self.dtype}>"
