#!/usr/bin/env python3
"""Writes the table of functions (function_table.h) from bindings/rt.json: one entry and one caller for each function.

The caller takes every argument as a 64-bit word, so that a test can put anything into any place. Nothing is left out: a
function that is added to rt.h is tested the next time the tests are built.
Usage: generate_function_table.py rt.json output.cpp
"""

import json
import pathlib
import sys

SIZES = {"char": 1, "uint8_t": 1, "int32_t": 4, "uint32_t": 4, "float": 4, "rtStatus_t": 4, "int64_t": 8, "uint64_t": 8,
         "size_t": 8, "void *": 8}


def quoted(text):
    return json.dumps(text)


def target(kind):
    """What a pointer type points to, without qualifiers; empty for a scalar or a handle."""
    return kind[:-1].replace("const ", "").replace("*const", "*").strip() if kind.endswith("*") else ""


def word(kind, index):
    cast = "static_cast" if kind in SIZES and not kind.endswith("*") else "reinterpret_cast"
    return f"{cast}<{kind}>(words[{index}])"


def argument_entry(argument, structs, handles):
    pointee = target(argument["type"])
    struct = structs.get(pointee)
    size = struct["size"] if struct else 8 if pointee in handles else SIZES.get(pointee, 0)
    nullable = argument["nullable"]
    condition = quoted(nullable) if isinstance(nullable, str) else '""'
    versioned = "true" if struct and struct["versioned"] else "false"
    return (f'{{{quoted(argument["name"])}, {quoted(argument["type"])}, Direction::{argument["direction"]}, '
            f'{"true" if nullable is True else "false"}, {condition}, {size * argument.get("count", 1)}, {versioned}}}')


def main():
    source, output = map(pathlib.Path, sys.argv[1:3])
    rt = json.loads(source.read_text(encoding="utf-8"))
    structs = {struct["name"]: struct for struct in rt["structs"]}
    handles = {handle["name"] for handle in rt["handles"]}
    lines = [f"// Made from {source.name} by generate_function_table.py: every function of rt.h, its arguments and a caller.",
             '#include "support/function_table.h"', "", "namespace manyrt::calls {", "namespace {", ""]
    for function in rt["functions"]:
        arguments = function["arguments"]
        call = f'{function["name"]}({", ".join(word(a["type"], i) for i, a in enumerate(arguments))})'
        unused = "" if arguments else "/*words*/"
        lines.append(f'rtStatus_t call_{function["name"]}(const uint64_t*{unused or " words"}) {{')
        if function["return"] == "rtStatus_t":
            lines.append(f"  return {call};")
        else:
            lines.append(f"  return {call} != nullptr ? RT_SUCCESS : RT_ERROR_INTERNAL;")
        lines += ["}", ""]
    lines += ["}  // namespace", "", "const std::vector<Function>& functions() {",
              "  static const std::vector<Function> table = {"]
    for function in rt["functions"]:
        arguments = ", ".join(argument_entry(argument, structs, handles) for argument in function["arguments"])
        errors = ", ".join(function["errors"])
        lines.append(f'      {{{quoted(function["name"])}, {{{arguments}}}, {{{errors}}}, call_{function["name"]}}},')
    general = ", ".join(error["name"] for error in rt["general_errors"])
    lines += ["  };", "  return table;", "}", "", "const std::vector<rtStatus_t>& generalErrors() {",
              f"  static const std::vector<rtStatus_t> errors = {{{general}}};", "  return errors;", "}", "",
              "const std::vector<Struct>& structs() {",
              "  static const std::vector<Struct> table = {"]
    for struct in rt["structs"]:
        fields = ", ".join(f'{{{quoted(f["name"])}, {f["offset"]}, {f["size"]}}}' for f in struct["fields"])
        lines.append(f'      {{{quoted(struct["name"])}, {struct["size"]}, {{{fields}}}}},')
    lines += ["  };", "  return table;", "}", "", "}  // namespace manyrt::calls", ""]
    output.write_text("\n".join(lines), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
