#!/usr/bin/env python3
"""Holds texts against what they describe: docs/porting.md against rt.json, infinirt.h against its test, the manual page against
the command's own help.

    check_texts.py SOURCE_FOLDER [PATH_OF_MANYRT]
"""

import json
import pathlib
import re
import subprocess
import sys


def known_names(interface):
    """Every name that rt.json has: functions, types, constants and members of structs."""
    names = {"rtStatus_t"}

    def collect(value):
        if isinstance(value, dict):
            if isinstance(value.get("name"), str):
                names.add(value["name"])
            for member in value.values():
                collect(member)
        elif isinstance(value, list):
            for member in value:
                collect(member)

    collect(interface)
    return names


def unknown_in_text(text, names):
    """The rt and RT_ names of a text that are none. Environment variables are RT_ names, too, that docs/environment.md has."""
    used = set(re.findall(r"\b(?:rt[A-Z]\w*|RT_[A-Z0-9_]+)\b", text))
    return sorted(used - names)


def without_row(text, functions):
    """The functions that no table of a text has as code, with or without a list of parameters."""
    code = " ".join(re.findall(r"`([^`]+)`", "\n".join(line for line in text.splitlines() if line.startswith("|"))))
    return sorted(name for name in functions if not re.search(rf"\b{name}\b", code))


def functions_of_header(text):
    return set(re.findall(r"\binfiniStatus_t (infinirt\w+)\(", text))


def help_words(command):
    """Commands and options that the command's own help has."""
    words = set()
    for arguments in ([], ["info"], ["doctor"], ["bench"], ["graph"], ["run"], ["memory"], ["trace"], ["cc"], ["cache"],
                      ["completion"]):
        text = subprocess.run([command, *arguments, "--help"], stdout=subprocess.PIPE, check=True, text=True).stdout
        words |= set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text))
        if "Subcommands:" in text:
            words |= set(re.findall(r"^  ([a-z]+) {3,}", text.split("Subcommands:")[1], flags=re.M))
    return words


def missing_in_page(page, words):
    plain = page.replace("\\-", "-")
    return sorted(word for word in words if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", plain))


def main():
    source = pathlib.Path(sys.argv[1])
    command = sys.argv[2] if len(sys.argv) > 2 and sys.argv[2] else None
    interface = json.loads((source / "bindings/rt.json").read_text(encoding="utf-8"))
    names = known_names(interface)
    names |= set(re.findall(r"^\| `(RT_\w+)` \|", (source / "docs/environment.md").read_text(encoding="utf-8"), flags=re.M))
    porting = (source / "docs/porting.md").read_text(encoding="utf-8")
    functions = functions_of_header((source / "bindings/compat/infinirt.h").read_text(encoding="utf-8"))
    test = (source / "tests/bindings/compat/infinirt_test.c").read_text(encoding="utf-8")
    page = (source / "docs/manyrt.1").read_text(encoding="utf-8")

    problems = [f"docs/porting.md: rt.h has no {name}" for name in unknown_in_text(porting, names)]
    problems += [f"docs/porting.md: no table has {name} of infinirt.h" for name in without_row(porting, functions)]
    problems += [f"infinirt_test.c does not call {name}" for name in sorted(functions) if f"{name}(" not in test]
    if len(functions) < 25:
        problems.append(f"infinirt.h: only {len(functions)} functions were found")
    if command is not None:
        problems += [f"docs/manyrt.1 does not have {word} of --help" for word in missing_in_page(page, help_words(command))]
    version = re.search(r"project\(manyrt VERSION ([\d.]+)", (source / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    if f'"manyrt {version}"' not in page.splitlines()[2]:
        problems.append(f"docs/manyrt.1 is not that of version {version}")
    for problem in problems:
        print(problem)
    print(f"{len(functions)} functions of infinirt.h, {len(names)} names of rt.h, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
