#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program with a real library of the next major version, made by generate.py, in the place of libmanyrt.so.0.

    check.py --json rt.json --library libmanyrt.so.0 -- program arguments...

The program has to fail before it uses the library, with a message that says which version was found, which is wanted, and that
the major version is another.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    parser.add_argument("--library", type=pathlib.Path, required=True)
    parser.add_argument("command", nargs="+", help="after --")
    args = parser.parse_args()
    wanted = json.loads(args.json.read_text(encoding="utf-8"))["version"]
    found = f"{int(wanted.split('.')[0]) + 1}.2.3"
    environment = {**os.environ, "LD_LIBRARY_PATH": str(args.library.parent), "MANYRT_LIBRARY": str(args.library)}
    done = subprocess.run(args.command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False, timeout=60)
    print(done.stdout.strip())
    problems = [] if done.returncode else ["the program did not fail"]
    problems += [f"'{word}' is not said" for word in (found, wanted, "another major version") if word not in done.stdout]
    if "was called" in done.stdout:
        problems.append("the program went on to use the library")
    for problem in problems:
        print(f"check.py: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
