#!/usr/bin/env python3
r"""Checks that a layer uses every function of rt.json, or lists it in a file with the reason why it does not.

    coverage.py --json rt.json --list not_wrapped.txt --pattern 'C\.(rt\w+)' SOURCE...

A line of the list is `rtNounVerb: reason`, or `rtGraphAdd*: reason` for several. It fails for a function that is in neither
place, for one that is in both, and for a line that names no function.
"""
# SPDX-License-Identifier: Apache-2.0

import argparse
import fnmatch
import json
import pathlib
import re
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--list", type=pathlib.Path, required=True)
    parser.add_argument("--pattern", required=True, help="how a source calls a function; its group is the name")
    parser.add_argument("sources", type=pathlib.Path, nargs="+")
    args = parser.parse_args()
    functions = {function["name"] for function in json.loads(args.json.read_text(encoding="utf-8"))["functions"]}
    used = {name for source in args.sources for name in re.findall(args.pattern, source.read_text(encoding="utf-8"))}
    problems, listed = [], set()
    for number, line in enumerate(args.list.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        match = re.fullmatch(r"(rt[\w*]+): (.{10,})", line)
        names = set(fnmatch.filter(functions, match[1])) if match else set()
        if not names:
            problems.append(f"{args.list.name}:{number}: names no function, or gives no reason: {line}")
        listed |= names
    problems += [f"{name} is used, and listed as not wrapped" for name in sorted(functions & used & listed)]
    problems += [f"{name} is neither used nor listed in {args.list.name}" for name in sorted(functions - used - listed)]
    print(*problems, f"{len(functions & used)} of {len(functions)} functions are wrapped, {len(listed)} are listed", sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
