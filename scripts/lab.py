#!/usr/bin/env python3
"""How docs/lab keeps JSON: one benchmark a line. Rewrites files: lab.py FILE...; or lab.py --tidy SOURCE TARGET COMMIT writes
the JSON of a benchmark without what is this machine's own, and with the commit. Scripts that write JSON import dumps().

The members of the outermost value stand on lines of their own, and so do the elements of their lists and objects. A value below
is one line, unless it would be longer than LONGEST characters: then its own members stand on lines of their own.
"""
import json
import pathlib
import sys

LONGEST = 1600
PRIVATE = ("host_name", "executable")  # of Google Benchmark's context


def lines_of(value, depth):
    whole = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or (depth >= 2 and len(whole) <= LONGEST):
        return whole
    margin = " " * (depth + 1)
    if isinstance(value, dict):
        parts = [f"{margin}{json.dumps(str(key), ensure_ascii=False)}: {lines_of(each, depth + 1)}"
                 for key, each in value.items()]
        return "{\n" + ",\n".join(parts) + "\n" + " " * depth + "}"
    return "[\n" + ",\n".join(margin + lines_of(each, depth + 1) for each in value) + "\n" + " " * depth + "]"


def dumps(value):
    """The text of a file in docs/lab, with its last end of line."""
    return lines_of(value, 0) + "\n"


def tidy(source, target, commit):
    data = json.loads(pathlib.Path(source).read_text(encoding="utf-8"))
    context = data.setdefault("context", {})
    for key in PRIVATE:
        context.pop(key, None)
    context["commit"] = commit
    pathlib.Path(target).write_text(dumps(data), encoding="utf-8")


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 4 and arguments[0] == "--tidy":
        tidy(*arguments[1:])
        return 0
    if not arguments or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    for name in arguments:
        path = pathlib.Path(name)
        path.write_text(dumps(json.loads(path.read_text(encoding="utf-8"))), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
