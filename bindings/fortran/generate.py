#!/usr/bin/env python3
"""Makes manyrt_c.f90 from rt.json: the module manyrt_c with every constant, struct, callback and function of rt.h.

    generate.py --output FILE      writes the file
    generate.py --check FILE       fails if the file differs from what rt.json gives, or lacks a function

With --interface rt_comm it makes manyrt_comm_c.f90 from rt_comm.json in the same way: the module manyrt_comm_c of rt_comm.h.
The interfaces are those of iso_c_binding. Handles and addresses are type(c_ptr). An argument that may be NULL, and is no
address, is optional: Fortran 2018 passes an absent one as NULL. Unsigned integers are the signed ones of the same width, so
that the largest values are negative. Needs Python's standard library alone.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import json
import pathlib
import re
import sys
import textwrap

BINDINGS = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = 126
SCALARS = {"int32_t": "integer(c_int32_t)", "uint32_t": "integer(c_int32_t)", "rtStatus_t": "integer(c_int32_t)",
           "int64_t": "integer(c_int64_t)", "uint64_t": "integer(c_int64_t)", "size_t": "integer(c_size_t)",
           "uint8_t": "integer(c_int8_t)", "float": "real(c_float)", "char": "character(kind=c_char)"}
EMPTY = {"type(c_ptr)": "c_null_ptr", "type(c_funptr)": "c_null_funptr", "character(kind=c_char)": "c_null_char"}


def wrapped(text, indent):
    """A statement in lines of at most COLUMNS columns, broken after blanks."""
    lines = textwrap.wrap(text, COLUMNS - indent - 2, break_long_words=False, break_on_hyphens=False,
                          subsequent_indent="    ")
    return [" " * indent + line + (" &" if line is not lines[-1] else "") for line in lines]


def comment(text, indent):
    return [" " * indent + "! " + line for line in textwrap.wrap(text, COLUMNS - indent - 2)]


class Writer:
    """Turns the parts of rt.json into lines of Fortran."""

    def __init__(self, rt, base=None):
        self.rt = rt
        self.handles = {handle["name"] for part in (rt, base or {"handles": []}) for handle in part["handles"]}
        self.callbacks = {callback["name"] for callback in rt["callbacks"]}
        self.structs = {struct["name"]: struct for struct in rt["structs"]}

    def plain(self, name):
        """The Fortran type of a C type without a star, or None."""
        if name in self.handles:
            return "type(c_ptr)"
        if name in self.callbacks:
            return "type(c_funptr)"
        return f"type({name})" if name in self.structs else SCALARS.get(name)

    def argument(self, argument):
        """The declaration of one dummy argument."""
        name, c_type = argument["name"], argument["type"]
        optional = ", optional" if argument.get("nullable") else ""
        if "*" not in c_type:
            return f"{self.plain(c_type)}, value :: {name}"
        if c_type.endswith("*const *"):  # an array of pointers
            return f"type(c_ptr), intent(in){optional} :: {name}(*)"
        base = c_type.replace("const ", "")[:-1].strip()
        if base == "void *":
            return f"type(c_ptr), intent(out) :: {name}"
        if base == "void":
            return f"type(c_ptr), value :: {name}"
        intent = argument.get("direction", "in")
        shape = ""
        if "count" in argument:
            shape = f"({argument['count']})"
        elif base == "char" or "length" in argument:
            shape = "(*)"
            intent = "inout" if intent == "out" else intent
        made = self.plain(base)
        if made is None:
            raise SystemExit(f"generate.py knows no Fortran type for '{c_type}' of {name}")
        return f"{made}, intent({intent}){optional} :: {name}{shape}"

    def procedure(self, entry, indent, bound):
        names = ", ".join(argument["name"] for argument in entry["arguments"])
        pad = " " * indent
        binding = f'bind(C, name="{entry["name"]}")' if bound else "bind(C)"
        if entry["return"] == "void":
            head, result, word = f"subroutine {entry['name']}({names}) {binding}", [], "subroutine"
        else:
            kind = "type(c_ptr)" if "*" in entry["return"] else self.plain(entry["return"])
            head = f"function {entry['name']}({names}) {binding} result(returned)"
            result, word = [f"{pad}  {kind} :: returned"], "function"
        lines = comment(entry["doc"], indent) + wrapped(head, indent) + [f"{pad}  import"]
        for argument in entry["arguments"]:
            lines += wrapped(self.argument(argument), indent + 2)
        return [*lines, *result, f"{pad}end {word} {entry['name']}"]

    def struct(self, struct):
        lines = comment(struct["doc"], 2) + [f"  type, bind(C) :: {struct['name']}"]
        for field in struct["fields"]:
            made = "type(c_ptr)" if "*" in field["type"] else self.plain(field["type"])
            if made is None:
                raise SystemExit(f"generate.py knows no Fortran type for '{field['type']}' of {struct['name']}")
            value = EMPTY.get(made, "0.0" if made.startswith("real") else "0")
            if field["name"] == "struct_size":
                value = str(struct["size"])
            elif isinstance(field.get("initial"), list) and any(field["initial"]):
                value = str(field["initial"])
            start = "" if made.startswith("type(rt") else f" = {value}"
            shape = f"({field['count']})" if "count" in field else ""
            lines.append(f"    {made} :: {field['name']}{shape}{start}")
        return [*lines, f"  end type {struct['name']}", ""]

    def constant(self, entry):
        value, kind = entry["value"], "c_int32_t"
        if value >= 2**32:
            value, kind = value - 2**64, "c_int64_t"
        elif value >= 2**31:
            value -= 2**32
        return f"  integer({kind}), parameter :: {entry['name']} = {value}_{kind}"

    def module(self):
        interface = pathlib.Path(self.rt["header"]).stem
        name = "many" + interface
        lines = ["! SPDX-License-Identifier: Apache-2.0",
                 f"! Made by bindings/fortran/generate.py from {interface}.json; not to be edited.", "!",
                 f"! The C interface {self.rt['header']}, one to one. The module {name} has derived types over it.",
                 f"module {name}_c", "  use, intrinsic :: iso_c_binding", "  implicit none", "  public", ""]
        for enum in self.rt["enums"]:
            lines += comment(enum["doc"], 2) + [self.constant(value) for value in enum["values"]] + [""]
        lines += [self.constant(entry) for entry in self.rt["constants"]] + [""]
        for struct in self.rt["structs"]:
            lines += self.struct(struct)
        if self.rt["callbacks"]:
            lines += ["  abstract interface"]
            for entry in self.rt["callbacks"]:
                lines += [*self.procedure(entry, 4, False), ""]
            lines[-1:] = ["  end interface", ""]
        lines += ["  interface"]
        for entry in self.rt["functions"]:
            lines += [*self.procedure(entry, 4, True), ""]
        lines[-1] = "  end interface"
        return "\n".join([*lines, f"end module {name}_c", ""])


def missing(text, rt):
    """The functions of rt.json that the text does not bind."""
    bound = set(re.findall(r'bind\(C,[\s&]*name="(\w+)"\)', text))
    return sorted({function["name"] for function in rt["functions"]} - bound)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bindings", type=pathlib.Path, default=BINDINGS, help="the folder of rt.json and rt_comm.json")
    parser.add_argument("--interface", choices=("rt", "rt_comm"), default="rt")
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--output", type=pathlib.Path)
    action.add_argument("--check", type=pathlib.Path)
    args = parser.parse_args()
    rt = json.loads((args.bindings / f"{args.interface}.json").read_text(encoding="utf-8"))
    base = json.loads((args.bindings / "rt.json").read_text(encoding="utf-8"))
    text = Writer(rt, base).module()
    if args.output:
        args.output.write_text(text, encoding="utf-8")
        return 0
    found = args.check.read_text(encoding="utf-8") if args.check.exists() else ""
    absent = missing(found, rt)
    if absent:
        print(f"{args.check} lacks {', '.join(absent)}", file=sys.stderr)
    if found != text:
        print(f"{args.check} is stale; run bindings/fortran/generate.py --interface {args.interface} "
              f"--output {args.check}", file=sys.stderr)
    return 1 if absent or found != text else 0


if __name__ == "__main__":
    sys.exit(main())
