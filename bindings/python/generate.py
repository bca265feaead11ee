#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes src/manyrt/_interface.py, the C interface as cffi reads it without a parser, from bindings/rt.cdef.h.

`generate.py` writes it, `generate.py --check` fails if the committed one is stale. To parse the text at each import would take
eight times as long as all the rest of it. This program needs cffi; the package needs only cffi's compiled part.
"""

import argparse
import ast
import contextlib
import io
import pathlib
import sys
import tempfile

import cffi

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent / "rt.cdef.h"
TARGET = HERE / "src" / "manyrt" / "_interface.py"
HEAD = "# Made by bindings/python/generate.py from bindings/rt.cdef.h; not to be edited. SPDX-License-Identifier: Apache-2.0"
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


def tables(module):
    """The tables that a module of cffi's hands to its compiled part, by their names."""
    call = next(node for node in ast.walk(ast.parse(module)) if isinstance(node, ast.Call))
    return {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}


def generate():
    ffi = cffi.FFI()
    ffi.cdef(SOURCE.read_text(encoding="utf-8") + DLPACK)
    ffi.set_source("manyrt._interface", None)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):  # cffi says that it generates
        made = pathlib.Path(folder) / "interface.py"
        ffi.emit_python_code(str(made))
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


def module(made):
    """The text of a module with these tables, in lines that fit."""
    lines = [HEAD, "import _cffi_backend", "", "ffi = _cffi_backend.FFI(", '    "manyrt._interface",']
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
    return "\n".join([*lines, ")", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the committed file is stale")
    args = parser.parse_args()
    made = generate()
    if TARGET.exists() and tables(TARGET.read_text(encoding="utf-8")) == made:
        print(f"{TARGET.name} is current")
        return 0
    if args.check:
        print(f"{TARGET.name} is stale; run bindings/python/generate.py", file=sys.stderr)
        return 1
    TARGET.write_text(module(made), encoding="utf-8")
    print(f"wrote {TARGET.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
