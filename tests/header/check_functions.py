#!/usr/bin/env python3
"""Compares the functions that a public header declares with its list here: functions.txt, comm_functions.txt.

The list is the interface that was agreed on, in the header's order. A new function is added here on purpose, and one that
disappears is a broken promise: both differences fail the test. Run by ctest as header.functions and
header.comm_functions.
"""

import argparse
import pathlib
import re
import sys


def declared(header):
    """The names of all functions that the header exports, in order."""
    text = re.sub(r"/\*.*?\*/", " ", header.read_text(encoding="utf-8"), flags=re.S)
    text = re.sub(r"^\s*#.*(?:\\\n.*)*$", " ", text, flags=re.M)
    return re.findall(r"\bRT_API\b[^;(]*?\b(rt[A-Z]\w*)\s*\(", text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("header", type=pathlib.Path)
    parser.add_argument("functions", type=pathlib.Path)
    args = parser.parse_args()

    have = declared(args.header)
    want = args.functions.read_text(encoding="utf-8").split()
    problems = [f"{name} is in the list and not in {args.header.name}" for name in want if name not in have]
    problems += [f"{name} is in {args.header.name} and not in the list" for name in have if name not in want]
    problems += [f"{name} is declared twice" for name in sorted({n for n in have if have.count(n) > 1})]
    problems += [f"{name} is listed twice" for name in sorted({n for n in want if want.count(n) > 1})]
    if not problems and have != want:
        problems.append("the order of the list is not that of the header")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(have)} functions declared, {len(want)} listed, {len(problems)} differences")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
