#!/usr/bin/env python3
"""Makes bindings/rt.json, rt.cdef.h and rt_message.h from include/rt.h, and rt_comm.* likewise from include/rt_comm.h.

rt.json describes functions, constants, enums, structs (with the sizes and offsets that a C compiler gives them), callbacks
and handles for programs that make bindings: bindings/README.md says what each member means. rt.cdef.h is the header after the
preprocessor, for cffi and LuaJIT; rt_message.h calls a function and fetches its message in one C function. All are committed:
`generate.py` writes them, `generate.py --check` fails if they are stale. What a generator of bindings has to know stands in the
comments of the headers, in fixed words; a comment that lacks them is an error. Needs Python's standard library and a C compiler
($CC, else cc).
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
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCKS = ("never", "maybe", "yes")
CAPTURE = ("node", "unsafe", "outside")
DIRECTIONS = ("in", "out", "inout")
THREADS = ("any", "library")
NULLABLE = re.compile(r"\b(?:may be NULL|nullable)\b(?: if ([^;,:]+))?")
ELEMENT_NULLABLE = re.compile(r"\ban element may be NULL\b")
VALUES = re.compile(r"^(?P<first>RT_[A-Z0-9_]+) to (?P<last>RT_[A-Z0-9_]+)$")
INTEGER = re.compile(r"(const )?u?int32_t(?: \*)?")

COMMENT = r"/\*\*(?:[^*]|\*(?!/))*\*/"
DOC = rf"(?:(?P<doc>(?!/\*\*<){COMMENT})\s*)?"
AFTER = rf"(?:[ \t]*(?P<after>{COMMENT}))?"
FUNCTION = re.compile(DOC + r"^RT_API\s+(?P<head>[^;(]*?)(?P<name>\brt\w+)\s*\((?P<arguments>[^;]*)\)\s*;", re.M)
ENUM = re.compile(DOC + r"^enum (?P<name>\w+) \{(?P<body>[^}]*)\};", re.M)
ENUM_VALUE = re.compile(r"(?P<name>RT_\w+) = (?P<value>-?\d+),?" + AFTER)
STRUCT = re.compile(DOC + r"^typedef struct (?P<name>\w+) \{(?P<body>.*?)^\} (?P=name);", re.M | re.S)
FIELD = re.compile(r"^\s*(?P<type>[^/\n;]*?[\s*])(?P<name>\w+)(?:\[(?P<count>\d+)\])?;" + AFTER, re.M)
CALLBACK = re.compile(DOC + r"^typedef (?P<type>\w+) \(\*(?P<name>\w+)\)\((?P<arguments>[^;]*)\);", re.M)
HANDLE = re.compile(r"^typedef struct (?P<tag>\w+_st)\s*\*\s*(?P<name>\w+);" + AFTER, re.M)
DEFINE = re.compile(r"^#define (?P<name>(?:RT|MANYRT)_\w+)[ \t]+(?P<value>0x[0-9A-Fa-f]+u?|\d+)"
                    r"(?:[ \t]*/\*(?P<after>.*?)\*/)?[ \t]*$", re.M)
TYPEDEF = re.compile(DOC + r"^typedef (?P<type>u?int\d+_t) (?P<name>\w+);", re.M)
INITIALISER = re.compile(r"^#define (?P<macro>RT_\w+_INIT)\s+\\\n\s*\{sizeof\((?P<struct>\w+)\)(?P<rest>(?:.*\\\n)*.*)", re.M)
INITIAL = re.compile(r"(?:\{sizeof\(\w+\)|(?P<value>\{[^}]*\}|[\w-]+))\s*/\* (?P<name>\w+) \*/")
ELEMENTS = re.compile(r"\belements of (?P<names>each|\w+(?:(?:, (?!or\b)| and )\w+)*)")
ELEMENT_RANGE = re.compile(r"^(?:count elements\b|count times size elements\b)")
LENGTH = re.compile(r"\b(?P<length>size|local_bytes|count|arg_count|pattern_size \* count|pattern_size) "
                    r"(?:bytes|nodes|pointers|contexts|ranks)\b")
# Words by which a comment says that an address has no length of its own.
NO_LENGTH = re.compile(r"\bpassed to\b|\bkept\b|\ban(y)? address\b|\bas (given|the allocation)\b|\brows\b|\bthe value\b"
                       r"|\bof the allocation\b|\bas many bytes as\b|\bpoints to an\b")
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


def parse_callback(match):
    """A callback type. Its comment says on which thread the library calls it, and how often."""
    name = match["name"]
    lines, facts = [], {}
    for line in comment_lines(match["doc"]):
        tag = re.fullmatch(r"\s*(thread|called):\s*(.*)", line)
        if tag:
            facts[tag[1]] = " ".join(tag[2].split())
        else:
            lines.append(line)
    if set(facts) != {"thread", "called"} or facts["thread"].split(",")[0] not in THREADS:
        raise HeaderError(f"{name}: the comment lacks `thread: {' | '.join(THREADS)}` or `called:`")
    arguments = parse_arguments(match["arguments"])
    user = next((argument["name"] for argument in arguments if argument["name"] == "user"), None)
    return {"name": name, "return": match["type"], "arguments": arguments, "user": user,
            "thread": facts["thread"].split(",")[0], "notes": facts, "doc": " ".join(" ".join(lines).split())}


def nullable(where, doc, direction="in"):
    """False, True, or the condition under which an argument or a field may be NULL.

    A comment that speaks of NULL in other words is refused: a reader would see that NULL is legal, rt.json would deny it. What
    is received through an output may be NULL; that says nothing of the output itself."""
    doc = ELEMENT_NULLABLE.sub("", doc)
    match = NULLABLE.search(doc)
    if match:
        return match[1].strip() if match[1] else True
    if re.search(r"\b(?:NULL|null)\b", doc) and not (direction != "in" and doc.startswith("receives ")):
        raise HeaderError(f"{where}: the comment speaks of NULL without 'may be NULL' or 'may be NULL if ...'")
    return False


def integer_meaning(where, doc, enums):
    """What an int32_t or uint32_t stands for: {"enum": name}, {"flags": [names]}, {"boolean": True}, or nothing: a number."""
    family = re.search(r"\b(RT_[A-Z0-9_]*?_)\*", doc)
    if family:
        for enum in enums:
            if enum["values"][0]["name"] == family[1] + "INVALID":
                return {"enum": enum["name"]}
        raise HeaderError(f"{where}: there is no enum of {family[1]}*")
    values = VALUES.match(doc)
    if values:
        for enum in enums:
            names = [value["name"] for value in enum["values"]]
            if (names[1], names[-1]) == (values["first"], values["last"]) and names[0].endswith("_INVALID"):
                return {"enum": enum["name"]}
        raise HeaderError(f"{where}: there is no enum of {values[0]}")
    if re.search(r"\b1 (or 0|if)\b", doc):
        return {"boolean": True}
    return {}


def flags_meaning(where, doc, enums):
    """The enum whose values may be joined in a field `flags`, `access`, `kinds` or `qualifiers`; None: there are none yet."""
    names = re.findall(r"\bRT_[A-Z0-9_]+\b(?!\*)", doc)
    known = {value["name"]: enum["name"] for enum in enums for value in enum["values"]}
    found = {known[name] for name in names if name in known and known[name] != "rtArgKind"}
    if len(found) > 1 or (not found and doc != "0"):
        raise HeaderError(f"{where}: the comment does not name the flags")
    return {"flags": found.pop() if found else None}


def add_meaning(where, entry, enums):
    """Adds enum, flags or boolean to an argument or a field whose type is a 32-bit integer, and to a status."""
    if entry["type"].rstrip(" *").endswith("rtStatus_t"):
        entry["enum"] = "rtStatusCode"
    elif entry["name"] in ("flags", "access", "kinds", "qualifiers") and "_*" not in entry["doc"]:
        entry.update(flags_meaning(where, entry["doc"], enums))
    elif INTEGER.fullmatch(entry["type"]):
        entry.update(integer_meaning(where, entry["doc"], enums))


def add_lengths(where, entries):
    """Says of arrays, buffers and texts which argument or field holds their length, from `elements of x` and `size bytes`."""
    by_name = {entry["name"]: entry for entry in entries}
    for entry in entries:
        if entry["type"] == "const char *" or (entry["type"] == "char" and "count" in entry):
            entry["text"] = True  # it ends with a zero
        match = ELEMENTS.search(entry["doc"])
        if match and not entry["type"].endswith("*"):
            names = re.findall(r"\w+", match["names"].replace(" and ", " "))
            if names == ["each"]:
                names = [other["name"] for other in entries if re.fullmatch(r"(const )?rt\w+ \*", other["type"])]
            for name in names:
                if name not in by_name:
                    raise HeaderError(f"{where}: {entry['name']} counts {name}, which is not there")
                by_name[name]["length"] = entry["name"]
    if all(name in by_name for name in ("buffer", "size", "needed")):
        by_name["buffer"].update(text=True, length="size")
    for entry in entries:
        match = LENGTH.search(entry["doc"])
        if match and entry["type"].endswith("*") and not {"length", "count"} & set(entry):
            if all(part in by_name for part in match["length"].split(" * ")):
                entry["length"] = match["length"]
        match = ELEMENT_RANGE.match(entry["doc"])
        if match and entry["type"].endswith("void *"):
            if not all(name in by_name for name in ("count", "type")):
                raise HeaderError(f"{where}: {entry['name']} is in elements, but there is no count or no type")
            entry.update(length="count * size" if "times" in match[0] else "count", elements="type")
        if entry["type"] in ("void *", "const void *") and "length" not in entry and not NO_LENGTH.search(entry["doc"]):
            raise HeaderError(f"{where}: the comment does not say how long {entry['name']} is")


def ownership(where, argument, handles):
    """Whose the handle or the memory is that a call gives out: the caller's, its parent's, or borrowed."""
    kind = argument["type"][:-2]
    if argument["direction"] == "in" or not (kind in handles or argument["type"] == "void **"):
        return {}
    doc = argument["doc"]
    if "which the caller destroys" in doc:
        return {"ownership": "caller", "destroy": f"rt{kind[2:-2]}Destroy"}
    if re.search(r"\bfor rtFree\b", doc):
        return {"ownership": "caller", "destroy": "rtFree"}
    if "belongs to" in doc or "as many as fit" in doc or "at most capacity" in doc:
        return {"ownership": "parent"}
    if "borrowed" in doc or kind == "rtDevice_t" or argument["type"] == "void **":
        return {"ownership": "borrowed"}
    raise HeaderError(f"{where}: the comment does not say whose {argument['name']} is")


def parse_function(match, statuses, enums, handles, callbacks):
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
        takes_null = pointer or argument["type"] in handles or argument["type"] in callbacks
        argument.update(direction=param["direction"], nullable=takes_null and
                        nullable(f"{name}: {argument['name']}", param["doc"], param["direction"]), doc=param["doc"])
        if ELEMENT_NULLABLE.search(param["doc"]):
            argument["element_nullable"] = True
        add_meaning(f"{name}: {argument['name']}", argument, enums)
        argument.update(ownership(name, argument, handles))
    add_lengths(name, arguments)
    add_users(arguments, callbacks)
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


def add_users(entries, callbacks):
    """Says of a callback which argument or field is handed to it, and which one releases that."""
    names = [entry["name"] for entry in entries]
    for entry in entries:
        if entry["type"] in callbacks and "user" in names:
            entry["user"] = "user"
            if entry["type"] != "rtReleaseFunction_t":
                entry["release"] = "release" if "release" in names else None


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
    lines = [f'#include "{header.name}"', "#include <stdio.h>", "#define ALIGN(t) offsetof(struct { char c; t x; }, x)",
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


def initial_values(macro, rest):
    """The value of each field in an initialiser macro: a number, a list for an array or a struct, None for NULL."""
    values = {}
    for item in INITIAL.finditer("{sizeof(x)" + re.sub(r"\\\n", " ", rest)):
        text = item["value"]
        if text is None:
            continue  # struct_size
        parts = [None if part == "NULL" else int(part, 0) for part in re.findall(r"[\w-]+", text)]
        values[item["name"]] = parts if text.startswith("{") else parts[0]
    if not values and "/* struct_size */" not in rest:
        raise HeaderError(f"cannot read {macro}")
    return values


def parse_struct(match, initialisers, enums, handles, callbacks):
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
    macro, values = initialisers.get(name, (None, {}))
    for field in fields:
        if field["type"].endswith("*") or field["type"] in callbacks or field["type"] in handles:
            field["nullable"] = nullable(f"{name}.{field['name']}", field["doc"])
        add_meaning(f"{name}.{field['name']}", field, enums)
        if macro and field["name"] != "struct_size":
            if field["name"] not in values:
                raise HeaderError(f"{macro} does not set {field['name']}")
            field["initial"] = values[field["name"]]
            if "count" in field and isinstance(field["initial"], list) and len(field["initial"]) < field["count"]:
                field["initial"] += [0] * (field["count"] - len(field["initial"]))
    add_lengths(name, fields)
    add_users(fields, callbacks)
    return {"name": name, "versioned": versioned, "initialiser": macro, "size": 0, "alignment": 0,
            "doc": plain(match["doc"]), "fields": fields}


def describe(header, compiler, base=None):
    """The whole header as one dictionary, which becomes rt.json. `base` is that of the header which this one includes: its
    statuses, enums, handles and callbacks are known here, and its version and general errors are those of this header."""
    text = header.read_text(encoding="utf-8")
    known = base or {"enums": [], "handles": [], "callbacks": []}
    enums = [{"name": match["name"], "doc": plain(match["doc"]),
              "values": [{"name": value["name"], "value": int(value["value"]), "doc": plain(value["after"])}
                         for value in ENUM_VALUE.finditer(match["body"])]} for match in ENUM.finditer(text)]
    declared = len(re.findall(r"^enum \w+ \{", text, flags=re.M))
    if declared != len(enums):
        raise HeaderError(f"{declared} enums begin, {len(enums)} could be read")
    all_enums = known["enums"] + enums
    statuses = {value["name"] for enum in all_enums if enum["name"] == "rtStatusCode" for value in enum["values"]}
    for enum in enums:
        if enum["name"] != "rtStatusCode" and enum["values"][0]["value"] != -1:
            raise HeaderError(f"enum {enum['name']} does not begin with an INVALID of -1")
    constants = []
    for match in DEFINE.finditer(text):
        value = int(match["value"].rstrip("u"), 0)
        constants.append({"name": match["name"], "value": value, "doc": " ".join((match["after"] or "").split())})
    handles = [{"name": match["name"], "doc": plain(match["after"])} for match in HANDLE.finditer(text)]
    callbacks = [parse_callback(match) for match in CALLBACK.finditer(text)]
    callback_types = {callback["name"]: callback for callback in known["callbacks"] + callbacks}
    initialisers = {match["struct"]: (match["macro"], initial_values(match["macro"], match["rest"]))
                    for match in INITIALISER.finditer(text)}
    handle_types = {handle["name"] for handle in known["handles"] + handles}
    structs = [parse_struct(match, initialisers, all_enums, handle_types, callback_types) for match in STRUCT.finditer(text)]
    layout(compiler, header, structs)
    functions = [parse_function(match, statuses, all_enums, handle_types, callback_types) for match in FUNCTION.finditer(text)]
    names = {function["name"] for function in functions + (base["functions"] if base else [])}
    for handle in handles:
        destroy = f"rt{handle['name'][2:-2]}Destroy"
        handle["destroy"] = destroy if destroy in names else None
    for function in functions:
        for argument in function["arguments"]:
            if argument.get("destroy", "rtFree") not in names:
                raise HeaderError(f"{function['name']}: there is no {argument['destroy']}")
    declared = len(re.findall(r"^RT_API\b", text, flags=re.M))
    if declared != len(functions):
        raise HeaderError(f"{declared} declarations begin with RT_API, {len(functions)} could be read")
    version = ".".join(str(constant["value"]) for constant in constants if constant["name"].startswith("MANYRT_VERSION_"))
    library = {"name": "manyrt"} if base is None else {"name": "manyrt-comm", "base": f"{base['header'][:-2]}.json"}
    return {
        **library, "header": header.name, "version": version if base is None else base["version"], "generator": "bindings/generate.py",
        "typedefs": [{"name": match["name"], "type": match["type"], "doc": plain(match["doc"])}
                     for match in TYPEDEF.finditer(text)],
        "handles": handles,
        "constants": constants,
        "enums": enums,
        "callbacks": callbacks,
        "structs": structs,
        "general_errors": parse_general_errors(text, statuses) if base is None else base["general_errors"],
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


def cdef(header, compiler, constants):
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
    head = f"/* {header.name} after the preprocessor, for cffi and LuaJIT; made by bindings/generate.py, not to be edited.\n"
    if not constants:
        return f"{head} * It comes after that of the header which it includes. */\n{text}\n"
    head += (" * Fixed-width integers and size_t are known to both. Constants that fit in 32 bits are an enum at the end.\n"
             " * RT_TIMEOUT_INFINITE, with 64 bits, is none of them: LuaJIT reads no such number here. It is 2^64 - 1. */\n")
    small = [constant for constant in constants if constant["value"] < 2**32]
    values = ",\n".join(f"  {constant['name']} = {constant['value']}" for constant in small)
    return f"{head}{text}\nenum rtConstant {{\n{values}\n}};\n"


def message_header(description):
    """Each function with the message of its failure, for languages whose threads may change between two calls."""
    comm = description["header"] == "rt_comm.h"
    last, keep = ("rtCommGetLastErrorMessage", "rtCommKeepMessage") if comm else ("rtGetLastErrorMessage", "rtKeepMessage")
    stem = description["header"][:-2]
    guard = f"MANYRT_{stem.upper()}_MESSAGE_H_"
    example = "rtCommGetUniqueIdWithMessage(message, message_size, id)" if comm else \
        "rtStreamCreateWithMessage(message, message_size, stream, options, context)"
    empty = "where the call did not fail" + ("." if comm else " or leaves no message (RT_ERROR_TIMEOUT).")
    about = (f"{last} answers on the thread of the failed call. A language whose code may move to another thread between two "
             f"calls makes both in one C function: {example}. The text is cut off at message_size, and empty {empty}")
    fails = "status < 0" if comm else "status < 0 && status != RT_ERROR_TIMEOUT"
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0",
        " *",
        f" * {stem}_message.h - every function of {stem}.h that may fail, with its message. Made by bindings/generate.py.",
        " *",
        *textwrap.wrap(about, 124, initial_indent=" * ", subsequent_indent=" * "),
        " */",
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        f"#include <{description['header']}>",
        "",
        f"static inline rtStatus_t {keep}(char* message, size_t message_size, rtStatus_t status) {{",
        "  if (message_size != 0) message[0] = '\\0';",
        f"  if ({fails}) (void){last}(message, message_size, NULL);",
        "  return status;",
        "}",
    ]
    for function in description["functions"]:
        if function["return"] != "rtStatus_t" or function["name"] == last:
            continue
        parameters, names = ["char* message", "size_t message_size"], []
        for argument in function["arguments"]:
            kind, count = argument["type"], argument.get("count")
            text = f"{kind[:-2]} {argument['name']}[{count}]" if count else f"{kind.replace(' *', '*')} {argument['name']}"
            parameters.append(text)
            names.append(argument["name"])
        kept = ", ".join(text.replace(" ", "\1") for text in parameters)  # a line does not end between a type and its name
        head = f"static inline rtStatus_t {function['name']}WithMessage({kept}) {{"
        body = f"  return {keep}(message, message_size, {function['name']}({', '.join(names)}));"
        lines += ["", *(line.replace("\1", " ") for line in textwrap.wrap(head, 120, subsequent_indent="    ")),
                  *textwrap.wrap(body, 120, subsequent_indent="      "), "}"]
    return "\n".join([*lines, "", f"#endif /* {guard} */", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the committed files are stale")
    parser.add_argument("--header", type=pathlib.Path, default=ROOT / "include" / "rt.h", help="rt_comm.h is taken beside it")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "bindings")
    args = parser.parse_args()
    compiler = os.environ.get("CC", "").split() or [next((c for c in ("cc", "gcc", "clang") if shutil.which(c)), "cc")]
    try:
        header, base, made = args.header, None, {}
        for header in (args.header, args.header.with_name("rt_comm.h")):  # which includes the first
            if base is not None and not header.exists():
                break
            description = describe(header, compiler, base)
            base = base or description
            made[f"{header.stem}.json"] = to_json(description) + "\n"
            made[f"{header.stem}.cdef.h"] = cdef(header, compiler, description["constants"])
            made[f"{header.stem}_message.h"] = message_header(description)
    except HeaderError as error:
        print(f"{header.name}: {error}", file=sys.stderr)
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
        print(", ".join(made) + " are current")
    return 1 if args.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
