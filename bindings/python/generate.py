#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the C interface as cffi reads it without a parser: src/manyrt/_interface.py from bindings/rt.cdef.h, _comm_interface.py
from rt_comm.cdef.h.

`generate.py` writes them, `generate.py --check` fails if a committed one is stale. To parse the text at each import would take
eight times as long as all the rest of it. This program needs cffi; the package needs only cffi's compiled part.
"""

import argparse
import ast
import contextlib
import io
import pathlib
import sys
import tempfile
from typing import NamedTuple, Optional

import cffi

HERE = pathlib.Path(__file__).resolve().parent
HEAD = "# Made by bindings/python/generate.py from bindings/{}; not to be edited. SPDX-License-Identifier: Apache-2.0"
# The structs of DLPack 1.0, and those that came before it, which have no version: see dlpack.py.
DLPACK = """
typedef struct { int32_t device_type; int32_t device_id; } DLDevice;
typedef struct { uint8_t code; uint8_t bits; uint16_t lanes; } DLDataType;
typedef struct {
  void *data; DLDevice device; int32_t ndim; DLDataType dtype; int64_t *shape; int64_t *strides; uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
  DLTensor dl_tensor; void *manager_ctx; void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;
typedef struct { uint32_t major; uint32_t minor; } DLPackVersion;
typedef struct DLManagedTensorVersioned {
  DLPackVersion version; void *manager_ctx; void (*deleter)(struct DLManagedTensorVersioned *self); uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;
"""


class Interface(NamedTuple):
    """A header, and the module that is made of it."""

    name: str
    source: str
    more: str = ""  # declarations besides those of the header
    base: Optional["Interface"] = None  # whose types this one knows

    @property
    def target(self) -> pathlib.Path:
        return HERE / "src" / "manyrt" / f"{self.name}.py"

    def ffi(self):
        ffi = cffi.FFI()
        if self.base is not None:
            ffi.include(self.base.ffi())
        ffi.cdef((HERE.parent / self.source).read_text(encoding="utf-8") + self.more)
        ffi.set_source(f"manyrt.{self.name}", None)
        return ffi


RT = Interface("_interface", "rt.cdef.h", DLPACK)
INTERFACES = (RT, Interface("_comm_interface", "rt_comm.cdef.h", base=RT))


def tables(module):
    """The tables that a module of cffi's hands to its compiled part, by their names, but for the modules that it includes."""
    call = next(node for node in ast.walk(ast.parse(module)) if isinstance(node, ast.Call))
    return {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg != "_includes"}


def generate(interface):
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):  # cffi says that it generates
        made = pathlib.Path(folder) / "interface.py"
        interface.ffi().emit_python_code(str(made))
        return tables(made.read_text(encoding="utf-8"))


def tokens(value):
    """The parts of a value's text, between which a line may end."""
    if isinstance(value, tuple):
        inner = [token for part in value for token in tokens(part)] or [""]
        inner[0] = "(" + inner[0]
        inner[-1] += "),"
        return inner
    if isinstance(value, bytes):
        parts = [repr(value[at:at + 24]) for at in range(0, len(value), 24)]
        return [*parts[:-1], parts[-1] + ","]
    return [f"{value},"]


def module(interface, made):
    """The text of a module with these tables, in lines that fit."""
    lines = [HEAD.format(interface.source), "import _cffi_backend", ""]
    if interface.base is not None:
        lines += [f"from .{interface.base.name} import ffi as _base", ""]
    lines += ["ffi = _cffi_backend.FFI(", f'    "manyrt.{interface.name}",']
    for name, value in made.items():
        lines.append(f"    {name}={hex(value)}," if isinstance(value, int) else f"    {name}=(")
        if isinstance(value, int):
            continue
        inside = tokens(value)
        if isinstance(value, bytes):
            inside[-1] = inside[-1][:-1]  # one value, not a tuple of one
        else:
            inside[0], inside[-1] = inside[0][1:], inside[-1][:-2]
        line = "       "
        for token in inside:
            if len(line) + len(token) >= 128:
                lines.append(line)
                line = "       "
            line += " " + token
        lines += [line, "    ),"]
    if interface.base is not None:
        lines.append("    _includes=(_base,),")
    return "\n".join([*lines, ")", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a committed file is stale")
    args = parser.parse_args()
    status = 0
    for interface in INTERFACES:
        made, target = generate(interface), interface.target
        if target.exists() and tables(target.read_text(encoding="utf-8")) == made:
            print(f"{target.name} is current")
        elif args.check:
            print(f"{target.name} is stale; run bindings/python/generate.py", file=sys.stderr)
            status = 1
        else:
            target.write_text(module(interface, made), encoding="utf-8")
            print(f"wrote {target.name}")
    return status


if __name__ == "__main__":
    sys.exit(main())
