#!/usr/bin/env python3
"""Compares what an object file made from every_function.cpp refers to with rt.json: a function of rt.h that is not called
through rt.hpp is a fault, and so is a status below zero without a kind of rt::Error.

    functions.py --json bindings/rt.json --headers bindings/cpp --program every_function.cpp --object every_function.o --nm nm

rt_comm.json is compared with rt_comm.hpp and a program of its own in the same way; its statuses are those of rt.json.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys


def code_of(path):
    """A C++ file without its comments."""
    text = path.read_text(encoding="utf-8")
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def faults_of(functions, statuses, referred, header_code, program_code):
    """One sentence for each function that is not reached and each status that has no kind."""
    for name in sorted(functions):
        if name not in referred:
            yield f"{name} is not called through the headers by the program"
        if not re.search(rf"\b{name}\b", header_code):
            yield f"{name} is not in the headers"
        if re.search(rf"\b{name}\b", program_code):
            yield f"{name} is called by the program itself"
    for name in sorted(statuses):
        if not re.search(rf"KIND\(\w+, {name}\)", header_code):
            yield f"{name} has no kind of rt::Error"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--headers", type=pathlib.Path, required=True)
    parser.add_argument("--program", type=pathlib.Path, required=True)
    parser.add_argument("--object", type=pathlib.Path, required=True)
    parser.add_argument("--nm", default="nm")
    args = parser.parse_args()
    interface = json.loads(args.json.read_text(encoding="utf-8"))
    functions = {function["name"] for function in interface["functions"]}
    statuses = {value["name"] for enum in interface["enums"] if enum["name"] == "rtStatusCode" for value in enum["values"]
                if value["value"] < 0}
    command = [args.nm, "--undefined-only", str(args.object)]
    symbols = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    referred = set(re.findall(r"\bU (rt\w+)", symbols))
    header_code = "\n".join(code_of(path) for path in sorted(args.headers.rglob("*.hpp")))
    program_code = code_of(args.program)
    faults = list(faults_of(functions, statuses, referred, header_code, program_code))
    # The comparison has to find a function and a status that no header can have.
    invented = list(faults_of({"rtInvented"}, {"RT_ERROR_INVENTED"}, referred, header_code, program_code))
    if len(invented) != 3:
        faults.append(f"the comparison does not find what is missing: {invented}")
    for fault in faults:
        print(fault)
    print(f"{len(functions)} functions and {len(statuses)} statuses; {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
