#!/usr/bin/env python3
"""Makes bindings/rt.json and bindings/rt.cdef.h from include/rt.h.

rt.json describes functions, constants, enums, structs (with the sizes and offsets that a C compiler gives them), callbacks
and handles for programs that make bindings; rt.cdef.h is the header after the preprocessor, for cffi and LuaJIT. Both are
committed: `generate.py` writes them, `generate.py --check` fails if they are stale. A function whose comment lacks blocks,
capture, errors or a parameter is an error. Needs Python's standard library and a C compiler ($CC, else cc).
"""

import argparse
import difflib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCKS = ("never", "maybe", "yes")
CAPTURE = ("node", "unsafe", "outside")
DIRECTIONS = ("in", "out", "inout")

COMMENT = r"/\*\*(?:[^*]|\*(?!/))*\*/"
DOC = rf"(?:(?P<doc>(?!/\*\*<){COMMENT})\s*)?"
AFTER = rf"(?:[ \t]*(?P<after>{COMMENT}))?"
FUNCTION = re.compile(DOC + r"^RT_API\s+(?P<head>[^;(]*?)(?P<name>\brt\w+)\s*\((?P<arguments>[^;]*)\)\s*;", re.M)
ENUM = re.compile(DOC + r"^enum (?P<name>\w+) \{(?P<body>.*?)^\};", re.M | re.S)
ENUM_VALUE = re.compile(r"(?P<name>RT_\w+) = (?P<value>-?\d+),?" + AFTER)
STRUCT = re.compile(DOC + r"^typedef struct (?P<name>\w+) \{(?P<body>.*?)^\} (?P=name);", re.M | re.S)
FIELD = re.compile(r"^\s*(?P<type>[^/\n;]*?[\s*])(?P<name>\w+)(?:\[(?P<count>\d+)\])?;" + AFTER, re.M)
CALLBACK = re.compile(DOC + r"^typedef (?P<type>\w+) \(\*(?P<name>\w+)\)\((?P<arguments>[^;]*)\);", re.M)
HANDLE = re.compile(r"^typedef struct (?P<tag>\w+_st)\s*\*\s*(?P<name>\w+);" + AFTER, re.M)
DEFINE = re.compile(r"^#define (?P<name>(?:RT|MANYRT)_\w+)[ \t]+(?P<value>UINT64_MAX|0x[0-9A-Fa-f]+u?|\d+)"
                    r"(?:[ \t]*/\*(?P<after>.*?)\*/)?[ \t]*$", re.M)
INITIALISER = re.compile(r"^#define (RT_\w+_INIT)\s+\\\n\s*\{sizeof\((\w+)\)", re.M)
GENERAL_ERRORS = re.compile(r"Every function may return, besides those listed: (?P<list>.*?\))\.")
PARAMETER = re.compile(r"@param\[(\w+)\]\s+(\w+)\s+(.*)")


class HeaderError(Exception):
    """What is wrong with the header, in a sentence."""


def comment_lines(comment):
    """The text of a /** */ comment, one entry a line, without its frame."""
    text = re.sub(r"^/\*\*<?|\*/$", "", comment or "")
    return [re.sub(r"^\s*\*?(?: |$)", "", line).rstrip() for line in text.split("\n")]


def plain(comment):
    return " ".join(" ".join(comment_lines(comment)).split())


def c_type(text):
    """A type in one spelling: 'const char *', 'void **'."""
    text = re.sub(r"\s*\*\s*", "*", " ".join(text.split()))
    text = re.sub(r"\*const\b", "* const ", text)
    text = re.sub(r"(?<![\s*])\*", " *", text)
    return " ".join(text.replace("* const *", "* const*").split()).replace("* const*", "*const *")


def parse_arguments(text):
    """The arguments of a prototype, without their comments."""
    text = " ".join(text.split())
    if text == "void":
        return []
    result = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(?P<type>.*?[\s*])(?P<name>\w+)(?:\[(?P<count>\d+)\])?\s*", part)
        if not match:
            raise HeaderError(f"cannot read the argument '{part.strip()}'")
        argument = {"name": match["name"], "type": c_type(match["type"])}
        if match["count"]:
            argument["type"] = c_type(argument["type"] + " *")
            argument["count"] = int(match["count"])
        result.append(argument)
    return result


def parse_doc(name, comment):
    """Splits a function's comment into text, parameters, blocks, capture and errors; every line belongs to one of them."""
    if not comment:
        raise HeaderError(f"{name} has no comment")
    entries = []
    for line in comment_lines(comment):
        tag = re.match(r"\s*(@param|blocks:|capture:|errors:)", line)
        if tag or not entries:
            entries.append([tag[1] if tag else "text", line.strip()])
        else:
            entries[-1][1] = f"{entries[-1][1]} {line.strip()}".strip()
    doc = {"text": "", "params": {}}
    for tag, text in entries:
        if tag == "text":
            doc["text"] = text
        elif tag == "@param":
            match = PARAMETER.fullmatch(text)
            if not match or match[1] not in DIRECTIONS:
                raise HeaderError(f"{name}: cannot read '{text}'")
            doc["params"][match[2]] = {"direction": match[1], "doc": " ".join(match[3].split())}
        else:
            doc[tag[:-1]] = text.split(":", 1)[1].strip()
    for tag in ("text", "blocks", "capture", "errors"):
        if not doc.get(tag):
            raise HeaderError(f"{name}: the comment lacks {tag}")
    return doc


def nullable(doc):
    """False, True, or the condition under which an argument may be NULL."""
    match = re.search(r"\b(?:may be NULL|nullable)\b(?: if ([^;,:]+))?", doc)
    if not match:
        return False
    return match[1].strip() if match[1] else True


def parse_function(match, statuses):
    name = match["name"]
    doc = parse_doc(name, match["doc"])
    arguments = parse_arguments(match["arguments"])
    names = [argument["name"] for argument in arguments]
    if list(doc["params"]) != names:
        raise HeaderError(f"{name} takes {', '.join(names)}; its comment has {', '.join(doc['params'])}")
    for argument in arguments:
        param = doc["params"][argument["name"]]
        written = param["direction"] != "in"
        pointer = argument["type"].endswith("*")
        if written and (not pointer or argument["type"].startswith("const ")):
            raise HeaderError(f"{name}: {argument['name']} is {param['direction']}, but not a pointer to write through")
        argument.update(direction=param["direction"], nullable=nullable(param["doc"]), doc=param["doc"])
    blocks, capture = doc["blocks"].split(",")[0].strip(), doc["capture"].split(",")[0].strip()
    if blocks not in BLOCKS or capture not in CAPTURE:
        raise HeaderError(f"{name}: blocks is '{blocks}' and capture '{capture}'; known are {BLOCKS} and {CAPTURE}")
    errors = re.sub(r"\s*\([^)]*\)", "", doc["errors"])
    errors = [] if errors == "none" else ["RT_ERROR_" + error.strip() for error in errors.split(",")]
    for error in errors:
        if error not in statuses:
            raise HeaderError(f"{name}: there is no {error}")
    return {"name": name, "return": c_type(match["head"]), "arguments": arguments, "blocks": blocks, "capture": capture,
            "errors": errors, "notes": {tag: doc[tag] for tag in ("blocks", "capture", "errors")}, "doc": doc["text"]}


def parse_general_errors(text, statuses):
    """What every function may return, with the case, from the comment at the head."""
    match = GENERAL_ERRORS.search(plain(text[:text.index("*/")]))
    if not match:
        raise HeaderError("the head does not say what every function may return")
    errors = [{"name": "RT_ERROR_" + name, "doc": doc} for name, doc in re.findall(r"(\w+) \(([^)]*)\)", match["list"])]
    if match["list"] != ", ".join(f"{error['name'][9:]} ({error['doc']})" for error in errors):
        raise HeaderError(f"cannot read the list '{match['list']}'")
    for error in errors:
        if error["name"] not in statuses:
            raise HeaderError(f"the head has {error['name']}, which is no status")
    return errors


def layout(compiler, header, structs):
    """Adds size, alignment and offsets to the structs, as the C compiler sees them."""
    lines = ['#include "rt.h"', "#include <stdio.h>", "#define ALIGN(t) offsetof(struct { char c; t x; }, x)",
             "int main(void) {"]
    for struct in structs:
        lines.append(f'  printf("%zu %zu\\n", sizeof({struct["name"]}), ALIGN({struct["name"]}));')
        for field in struct["fields"]:
            lines.append(f'  printf("%zu %zu\\n", offsetof({struct["name"]}, {field["name"]}), '
                         f'sizeof((({struct["name"]} *)0)->{field["name"]}));')
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "layout.c"), pathlib.Path(folder, "layout")
        source.write_text("\n".join(lines + ["  return 0;", "}", ""]), encoding="utf-8")
        subprocess.run([*compiler, "-w", f"-I{header.parent}", "-o", str(program), str(source)], check=True)
        output = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout
    numbers = iter([tuple(map(int, line.split())) for line in output.splitlines()])
    for struct in structs:
        struct["size"], struct["alignment"] = next(numbers)
        end = 0
        for field in struct["fields"]:
            field["offset"], field["size"] = next(numbers)
            if field["offset"] != end:
                raise HeaderError(f"{struct['name']} has a hole before {field['name']}")
            end = field["offset"] + field["size"]
        if end != struct["size"]:
            raise HeaderError(f"{struct['name']} has a hole at its end")


def parse_struct(match, initialisers):
    fields = []
    for field in FIELD.finditer(match["body"]):
        entry = {"name": field["name"], "type": c_type(field["type"])}
        if field["count"]:
            entry["count"] = int(field["count"])
        fields.append({**entry, "offset": 0, "size": 0, "doc": plain(field["after"])})
    name = match["name"]
    versioned = fields[0]["name"] == "struct_size"
    if versioned and name not in initialisers:
        raise HeaderError(f"{name} has no initialiser macro")
    return {"name": name, "versioned": versioned, "initialiser": initialisers.get(name), "size": 0, "alignment": 0,
            "doc": plain(match["doc"]), "fields": fields}


def describe(header, compiler):
    """The whole header as one dictionary, which becomes rt.json."""
    text = header.read_text(encoding="utf-8")
    enums = [{"name": match["name"], "doc": plain(match["doc"]),
              "values": [{"name": value["name"], "value": int(value["value"]), "doc": plain(value["after"])}
                         for value in ENUM_VALUE.finditer(match["body"])]} for match in ENUM.finditer(text)]
    statuses = {value["name"] for enum in enums if enum["name"] == "rtStatusCode" for value in enum["values"]}
    for enum in enums:
        if enum["name"] != "rtStatusCode" and enum["values"][0]["value"] != -1:
            raise HeaderError(f"enum {enum['name']} does not begin with an INVALID of -1")
    constants = []
    for match in DEFINE.finditer(text):
        value = 2**64 - 1 if match["value"] == "UINT64_MAX" else int(match["value"].rstrip("u"), 0)
        constants.append({"name": match["name"], "value": value, "doc": " ".join((match["after"] or "").split())})
    structs = [parse_struct(match, {b: a for a, b in INITIALISER.findall(text)}) for match in STRUCT.finditer(text)]
    layout(compiler, header, structs)
    functions = [parse_function(match, statuses) for match in FUNCTION.finditer(text)]
    declared = len(re.findall(r"^RT_API\b", text, flags=re.M))
    if declared != len(functions):
        raise HeaderError(f"{declared} declarations begin with RT_API, {len(functions)} could be read")
    version = ".".join(str(constant["value"]) for constant in constants if constant["name"].startswith("MANYRT_VERSION_"))
    return {
        "name": "manyrt", "header": "rt.h", "version": version, "generator": "bindings/generate.py",
        "handles": [{"name": match["name"], "doc": plain(match["after"])} for match in HANDLE.finditer(text)],
        "constants": constants,
        "enums": enums,
        "callbacks": [{"name": match["name"], "return": match["type"], "arguments": parse_arguments(match["arguments"]),
                       "doc": plain(match["doc"])} for match in CALLBACK.finditer(text)],
        "structs": structs,
        "general_errors": parse_general_errors(text, statuses),
        "functions": functions,
    }


def to_json(value, indent=0):
    """JSON with one line for each innermost object, so that a change of the header is a readable difference."""
    inner = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or (indent > 0 and len(inner) + indent <= 118):
        return inner
    if isinstance(value, dict) and not any(isinstance(item, (dict, list)) for item in value.values()) and indent > 2:
        return inner
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        items = [f"{pad}{json.dumps(key)}: {to_json(item, indent + 1)}" for key, item in value.items()]
        return "{\n" + ",\n".join(items) + "\n" + " " * indent + "}"
    return "[\n" + ",\n".join(pad + to_json(item, indent + 1) for item in value) + "\n" + " " * indent + "]"


def cdef(header, compiler):
    """The declarations after the preprocessor, without what the header includes and without attributes."""
    output = subprocess.run([*compiler, "-E", "-std=c99", str(header)], check=True, capture_output=True, text=True).stdout
    kept, inside = [], False
    for line in output.splitlines():
        marker = re.match(r'#\s*\d+\s+"([^"]*)"', line)
        if marker:
            inside = pathlib.Path(marker[1]).name == header.name
        elif inside:
            kept.append(line)
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)\s*", "", "\n".join(kept))
    text = re.sub(r"[ \t]+\n", "\n", text)
    text = re.sub(r",\n\s{5,}", ",\n    ", text)
    text = re.sub(r"\n{2,}", "\n", text).strip()
    head = (f"/* {header.name} after the preprocessor, for cffi and LuaJIT; made by bindings/generate.py, not to be edited.\n"
            " * Fixed-width integers and size_t are known to both. Macros are left out: see constants in rt.json. */\n")
    return head + text + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the committed files are stale")
    parser.add_argument("--header", type=pathlib.Path, default=ROOT / "include" / "rt.h")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "bindings")
    args = parser.parse_args()
    compiler = os.environ.get("CC", "").split() or [next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), "cc")]
    try:
        made = {"rt.json": to_json(describe(args.header, compiler)) + "\n", "rt.cdef.h": cdef(args.header, compiler)}
    except HeaderError as error:
        print(f"{args.header.name}: {error}", file=sys.stderr)
        return 1
    stale = 0
    for name, text in made.items():
        path = args.output / name
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        if old == text:
            continue
        stale += 1
        if args.check:
            difference = difflib.unified_diff(old.splitlines(), text.splitlines(), "committed", "from rt.h", lineterm="", n=1)
            print(f"{name} is stale; run bindings/generate.py", *list(difference)[:20], sep="\n", file=sys.stderr)
        else:
            path.write_text(text, encoding="utf-8")
            print(f"wrote {name}")
    if not stale:
        print("rt.json and rt.cdef.h are current")
    return 1 if args.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
