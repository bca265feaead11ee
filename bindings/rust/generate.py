#!/usr/bin/env python3
"""Makes the Rust declarations of the C interface, and the Rust forms of its constants and results, from bindings/rt.json.

Writes manyrt-sys/src/declarations.rs (every function, struct, constant, callback and handle, with tests of sizes and offsets),
manyrt/src/constants.rs (each enum as a type with named values) and manyrt/src/results.rs (structs that the library fills, with
text as String); and from bindings/rt_comm.json manyrt-sys/src/comm.rs, manyrt/src/comm/constants.rs and
manyrt/src/comm/results.rs. All are committed: `generate.py` writes them, `generate.py --check` fails if one is stale. Needs
Python's standard library alone.
"""

import argparse
import difflib
import json
import pathlib
import re
import sys
import textwrap

HERE = pathlib.Path(__file__).resolve().parent
HEAD = "// Made by bindings/rust/generate.py from bindings/{}.json; not to be edited. SPDX-License-Identifier: Apache-2.0\n"
WIDTH = 128
SCALARS = {"void": "c_void", "char": "c_char", "float": "f32", "double": "f64", "size_t": "usize", "int8_t": "i8",
           "uint8_t": "u8", "int16_t": "i16", "uint16_t": "u16", "int32_t": "i32", "uint32_t": "u32", "int64_t": "i64",
           "uint64_t": "u64", "uintptr_t": "usize", "intptr_t": "isize"}
KEYWORDS = {"as", "box", "const", "dyn", "enum", "extern", "fn", "impl", "in", "loop", "match", "mod", "move", "mut", "ref",
            "self", "static", "struct", "super", "trait", "type", "use", "where", "final", "override", "priv", "virtual"}
# Results about the library's own objects stay in the C form; graph.rs and memory.rs give it a type of their own.
RESULTS = ("rtBackendInfo_t", "rtDeviceProperties_t", "rtContextStats_t", "rtMemPoolStats_t", "rtModuleInfo_t",
           "rtKernelInfo_t", "rtKernelArgInfo_t", "rtGraphBufferInfo_t", "rtGraphValueInfo_t",
           "rtCapturePlanInfo_t", "rtCapturePlanBuffer_t")
COMM_RESULTS = ("rtCommInfo_t",)
# An enum of one value that the crate has as an Option.
WITHOUT_TYPE = ("rtCommColor",)


def is_comm(interface):
    return interface["header"] == "rt_comm.h"


def head(interface):
    return HEAD.format("rt_comm" if is_comm(interface) else "rt")


def sys_path(interface):
    """Where manyrt-sys has the declarations of an interface."""
    return "manyrt_sys::comm" if is_comm(interface) else "manyrt_sys"


def name_of(name):
    return name + "_" if name in KEYWORDS else name


def doc(text, indent="", mark="///"):
    """A rustdoc comment. What Markdown would read as a mark of its own is escaped."""
    text = re.sub(r"([\\`*\[\]<>_])", r"\\\1", " ".join(text.split()))
    lines = textwrap.wrap(text, WIDTH - len(indent) - len(mark) - 1, break_long_words=False, break_on_hyphens=False)
    return "".join(f"{indent}{mark} {line}\n" for line in lines)


def rust_type(c_type):
    """'const char *const *' as '*const *const c_char'."""
    words = c_type.replace("*", " * ").split()
    constant = words[0] == "const"
    base = words[1] if constant else words[0]
    result = SCALARS.get(base, base)
    for word in words[2 if constant else 1:]:
        if word == "*":
            result = f"*{'const' if constant else 'mut'} {result}"
            constant = False
        elif word == "const":
            constant = True
        else:
            raise ValueError(f"cannot read the type '{c_type}'")
    return result


def constant_type(constant):
    return "u64" if constant["value"] > 0xFFFFFFFF else "u32"


def arguments(entries):
    return ", ".join(f"{name_of(entry['name'])}: {rust_type(entry['type'])}" for entry in entries)


def result_type(c_type):
    return "" if c_type == "void" else f" -> {rust_type(c_type)}"


def signature(head, entries, tail):
    """One line, or an argument in each where it would be too long."""
    line = f"{head}({arguments(entries)}){tail}"
    if len(line) <= WIDTH - 28:
        return line
    pad = " " * (len(head) - len(head.lstrip()) + 4)
    return head + "(\n" + "".join(f"{pad}{name_of(entry['name'])}: {rust_type(entry['type'])},\n" for entry in entries) \
        + pad[4:] + ")" + tail


def initial(field, handles):
    """The value of a field in the initialiser of its struct."""
    value, kind = field["initial"], field["type"]
    if kind.endswith("*") or kind in handles:
        return "std::ptr::null()" if kind.startswith("const ") else "std::ptr::null_mut()"
    if value is None:
        return "None"
    if kind == "rtGraphOperand_t":
        return "rtGraphOperand_t { buffer: std::ptr::null_mut(), offset: 0, pointer: std::ptr::null_mut() }"
    if isinstance(value, list):
        return f"[{value[0]}; {len(value)}]" if len(set(value)) == 1 else str(value)
    return str(value)


def declarations(interface):
    handles = {handle["name"] for handle in interface["handles"]}
    out = [head(interface)]
    if is_comm(interface):
        out.append("//! The C interface of communicators, `rt_comm.h`, whose library is libmanyrt-comm.\n\n"
                   "use crate::declarations::{rtContext_t, rtStatus_t, rtStream_t};")
    out.append("\nuse std::os::raw::{c_char, c_void};\n")
    for typedef in interface["typedefs"]:
        out.append("\n" + doc(typedef["doc"]) + f"pub type {typedef['name']} = {rust_type(typedef['type'])};\n")
    for handle in interface["handles"]:
        tag = re.sub(r"_t$", "_st", handle["name"])
        out.append(f"\n/// Opaque: see {handle['name'].replace('_', chr(92) + '_')}.\n#[repr(C)]\n#[derive(Debug)]\n"
                   f"pub struct {tag} {{\n    _private: [u8; 0],\n}}\n")
        out.append(doc(handle["doc"]) + f"pub type {handle['name']} = *mut {tag};\n")
    out.append("\n")
    for constant in interface["constants"]:
        value = constant["value"]
        text = f"0x{value:X}" if value > 0xFFFF else str(value)
        out.append(doc(constant["doc"] or "The version of the interface that these declarations were made from.")
                   + f"pub const {constant['name']}: {constant_type(constant)} = {text};\n")
    for enum in interface["enums"]:
        out.append(f"\n// enum {enum['name']}\n")
        for value in enum["values"]:
            out.append(doc(value["doc"] or f"See enum {enum['name']}.")
                       + f"pub const {value['name']}: i32 = {value['value']};\n")
    for callback in interface["callbacks"]:
        out.append("\n" + doc(callback["doc"])
                   + signature(f"pub type {callback['name']} = Option<unsafe extern \"C\" fn", callback["arguments"],
                               result_type(callback["return"]) + ">;\n"))
    for struct in interface["structs"]:
        out.append("\n" + doc(struct["doc"] or struct["name"]) + "#[repr(C)]\n#[derive(Debug, Clone, Copy)]\n"
                   f"pub struct {struct['name']} {{\n")
        for field in struct["fields"]:
            kind = rust_type(field["type"])
            if "count" in field:
                kind = f"[{kind}; {field['count']}]"
            out.append(doc(field["doc"] or f"{field['name'].replace('_', ' ')}.", "    ")
                       + f"    pub {name_of(field['name'])}: {kind},\n")
        out.append("}\n")
        if struct["versioned"]:
            out.append(f"\nimpl Default for {struct['name']} {{\n"
                       + doc(f"As {struct['initialiser']}: struct_size is set, and the rest means the defaults.", "    ")
                       + "    fn default() -> Self {\n"
                       f"        {struct['name']} {{\n            struct_size: std::mem::size_of::<Self>() as u32,\n"
                       + "".join(f"            {name_of(field['name'])}: {initial(field, handles)},\n"
                                 for field in struct["fields"][1:]) + "        }\n    }\n}\n")
    out.append('\nextern "C" {\n')
    for index, function in enumerate(interface["functions"]):
        out.append("\n" if index else "")
        out.append(doc(function["doc"], "    ") + "    ///\n")
        for argument in function["arguments"]:
            out.append(doc(f"{argument['direction']} {argument['name']}: {argument['doc']}", "    ", "/// -"))
        for note in ("blocks", "capture", "errors"):
            out.append(doc(f"{note}: {function['notes'][note]}", "    ", "/// -"))
        out.append(signature(f"    pub fn {function['name']}", function["arguments"], result_type(function["return"]) + ";\n"))
    out.append("}\n")
    out.append(layout_tests(interface))
    return "".join(out)


def layout_tests(interface):
    """Tests that hold the structs against the sizes and offsets of the C compiler, and link every function."""
    out = ["\n#[cfg(test)]\nmod tests {\n    use super::*;\n    use std::mem::{align_of, size_of, MaybeUninit};\n"
           "    use std::ptr::addr_of;\n\n"
           "    macro_rules! offset {\n        ($type:ty, $field:ident) => {{\n"
           "            let value = MaybeUninit::<$type>::uninit();\n"
           "            // SAFETY: only the address of the field is taken; nothing is read.\n"
           "            let field = unsafe { addr_of!((*value.as_ptr()).$field) };\n"
           "            field as usize - value.as_ptr() as usize\n        }};\n    }\n"]
    for struct in interface["structs"]:
        name = struct["name"]
        out.append(f"\n    #[test]\n    fn layout_of_{name}() {{\n"
                   f"        assert_eq!((size_of::<{name}>(), align_of::<{name}>()), "
                   f"({struct['size']}, {struct['alignment']}));\n")
        for field in struct["fields"]:
            out.append(f"        assert_eq!(offset!({name}, {name_of(field['name'])}), {field['offset']});\n")
        out.append("    }\n")
    names = [function["name"] for function in interface["functions"]]
    out.append("\n    #[test]\n    fn every_function_is_linked() {\n"
               f"        let functions: [(&str, *const ()); {len(names)}] = [\n")
    out.extend(f"            (\"{name}\", {name} as *const ()),\n" for name in names)
    out.append("        ];\n        let mut addresses: Vec<_> = functions.iter().map(|(_, address)| *address).collect();\n"
               "        addresses.sort();\n        addresses.dedup();\n"
               "        assert_eq!(addresses.len(), functions.len(), \"two names have one address\");\n    }\n}\n")
    return "".join(out)


def common_prefix(names):
    parts = [name.split("_") for name in names]
    size = 0
    while all(len(part) > size + 1 and part[size] == parts[0][size] for part in parts):
        size += 1
    return "_".join(parts[0][:size]) + "_"


def enum_type(name):
    """rtStatusCode as Status, rtLogLevel as LogLevel."""
    return re.sub(r"Code$", "", name[2:])


def short_values(enum):
    """The values but INVALID, with the names that they have inside the type."""
    prefix = common_prefix([value["name"] for value in enum["values"]])
    result = []
    for value in enum["values"]:
        if value["value"] == -1 and value["name"].endswith("_INVALID"):
            continue
        result.append((re.sub(r"^ERROR_", "", value["name"][len(prefix):]), value))
    return result


def constants(interface):
    out = [head(interface),
           "//! The enumerations of the interface as types. A newer library may give values that have no name here.\n",
           "\nuse std::fmt;\n"]
    for enum in interface["enums"]:
        if enum["name"] in WITHOUT_TYPE:
            continue
        name = enum_type(enum["name"])
        text = enum["doc"] or f"The values of {enum['name']}."
        out.append("\n" + doc(text) + "#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]\n#[repr(transparent)]\n"
                   f"pub struct {name}(pub i32);\n\nimpl {name} {{\n")
        values = short_values(enum)
        for short, value in values:
            out.append(doc(value["doc"] or f"{value['name']}.", "    ")
                       + f"    pub const {short}: {name} = {name}({sys_path(interface)}::{value['name']});\n")
        out.append(f"}}\n\nimpl fmt::Debug for {name} {{\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {{\n"
                   "        match *self {\n")
        for short, _ in values:
            out.append(f"            {name}::{short} => f.write_str(\"{short}\"),\n")
        out.append(f"            {name}(other) => write!(f, \"{name}({{}})\", other),\n        }}\n    }}\n}}\n")
    return "".join(out)


def results(interface, names):
    structs = {struct["name"]: struct for struct in interface["structs"]}
    what = "communicators" if is_comm(interface) else "devices, kernels, pools and graphs"
    constants_path = "crate::comm::constants" if is_comm(interface) else "crate::constants"
    out = [head(interface), f"//! What the library says about {what}, as Rust values.\n\n",
           f"use {constants_path}::*;\nuse crate::error::text;\n"]
    for c_name in names:
        struct = structs[c_name]
        name = c_name[2:-2]
        body, values = [], []
        for field in struct["fields"]:
            if field["name"] in ("struct_size", "reserved"):
                continue
            enum = enum_type(field["enum"]) if "enum" in field else None
            kind, value = rust_type(field["type"]), f"raw.{name_of(field['name'])}"
            if field["type"] == "char":
                kind, value = "String", f"text(&{value})"
            elif enum:
                kind, value = enum, f"{enum}({value})"
            elif "count" in field:
                kind = f"[{kind}; {field['count']}]"
            body.append(doc(field["doc"] or f"{field['name'].replace('_', ' ')}.", "    ")
                        + f"    pub {name_of(field['name'])}: {kind},\n")
            values.append(f"            {name_of(field['name'])}: {value},\n")
        out.append("\n" + doc(struct["doc"]) + "#[derive(Debug, Clone, PartialEq, Eq)]\n#[non_exhaustive]\n"
                   + f"pub struct {name} {{\n" + "".join(body) + f"}}\n\nimpl {name} {{\n"
                   f"    pub(crate) fn new(raw: &{sys_path(interface)}::{c_name}) -> Self {{\n"
                   f"        {name} {{\n" + "".join(values) + "        }\n    }\n}\n")
    return "".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a committed file is stale")
    parser.add_argument("--interface", type=pathlib.Path, default=HERE.parent / "rt.json", help="rt.json, beside rt_comm.json")
    args = parser.parse_args()
    interface = json.loads(args.interface.read_text(encoding="utf-8"))
    comm = json.loads((args.interface.parent / "rt_comm.json").read_text(encoding="utf-8"))
    made = {"manyrt-sys/src/declarations.rs": declarations(interface), "manyrt/src/constants.rs": constants(interface),
            "manyrt/src/results.rs": results(interface, RESULTS), "manyrt-sys/src/comm.rs": declarations(comm),
            "manyrt/src/comm/constants.rs": constants(comm), "manyrt/src/comm/results.rs": results(comm, COMM_RESULTS)}
    stale = 0
    for name, text in made.items():
        path = HERE / name
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if old == text:
            continue
        stale += 1
        if args.check:
            lines = list(difflib.unified_diff(old.splitlines(), text.splitlines(), "committed", "made", lineterm="", n=1))
            print(f"{name} is stale; run bindings/rust/generate.py", *lines[:20], sep="\n", file=sys.stderr)
        else:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    if not stale:
        print("the Rust files are current")
    return 1 if args.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
