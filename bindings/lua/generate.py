#!/usr/bin/env python3
"""Makes manyrt_cdef.lua, which manyrt.lua loads: the declarations of rt.cdef.h and the constants of rt.json.

    generate.py --output FILE      writes the file
    generate.py --check FILE       fails if the file differs from what rt.cdef.h and rt.json give

With --interface rt_comm it makes manyrt_comm_cdef.lua, which manyrt/comm.lua loads, from rt_comm.cdef.h and rt_comm.json.

Needs Python's standard library alone. The declarations are taken over as they are, so that no line is written by hand.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import sys

BINDINGS = pathlib.Path(__file__).resolve().parent.parent


def lua_number(value):
    """A constant as LuaJIT reads it without loss: above 2^53 it is a 64-bit integer."""
    return f"{value}ULL" if value > 2**53 else str(value)


def make(bindings, interface):
    rt = json.loads((bindings / f"{interface}.json").read_text(encoding="utf-8"))
    cdef = (bindings / f"{interface}.cdef.h").read_text(encoding="utf-8")
    if "]==]" in cdef:
        raise SystemExit(f"{interface}.cdef.h holds the bracket that ends a string of Lua")
    lines = ["-- SPDX-License-Identifier: Apache-2.0",
             f"-- Made by bindings/lua/generate.py from {interface}.cdef.h and {interface}.json; not to be edited.",
             "return {", f"version = \"{rt['version']}\",", "constants = {"]
    values = list(rt["constants"]) + [value for enum in rt["enums"] for value in enum["values"]]
    lines += [f"  {value['name']} = {lua_number(value['value'])}," for value in values]
    lines += ["},", "statuses = {"]
    lines += [f"  [{value['value']}] = \"{value['name']}\"," for enum in rt["enums"] if enum["name"] == "rtStatusCode"
              for value in enum["values"]]
    lines += ["},", "functions = {"]
    lines += [f"  \"{function['name']}\"," for function in rt["functions"]]
    return "\n".join([*lines, "},", "cdef = [==[", cdef.rstrip("\n"), "]==],", "}", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bindings", type=pathlib.Path, default=BINDINGS, help="the folder of rt.json and rt.cdef.h")
    parser.add_argument("--interface", choices=("rt", "rt_comm"), default="rt")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--output", type=pathlib.Path)
    action.add_argument("--check", type=pathlib.Path)
    args = parser.parse_args()
    text = make(args.bindings, args.interface)
    if args.check:
        if not args.check.exists() or args.check.read_text(encoding="utf-8") != text:
            print(f"{args.check} is stale; run bindings/lua/generate.py --interface {args.interface} --output "
                  f"{args.check}", file=sys.stderr)
            return 1
        return 0
    args.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
