#!/usr/bin/env python3
"""Makes docs/kernel-accuracy.md of docs/lab/measured/specification.json: the largest error that each math function showed.

Usage: accuracy_table.py [--check]. With --check nothing is written; the exit status says whether the page is that of the file.
"""
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "lab" / "measured" / "specification.json"
PAGE = ROOT / "docs" / "kernel-accuracy.md"
COLUMNS = (("CPU", "cpu"), ("PoCL", "opencl"), ("CUDA", "cuda"))
HEAD = """# How exact the math functions are

The largest error that each function of OpenCL C showed, in units in the last place of its type, and for which operands. The
limit is that of section 7.4 of OpenCL's specification: 0.5 is correctly rounded, 0 exact, and `-` means that there is none.
The reference is MPFR. Operands are edge cases and ten thousand seeded random numbers for each function: a search that is not
complete. On the CPU quick and optimized code, and all widths of vectors, give the same bits. Other devices were measured in
every width.

A result of another kind than the right one (a NaN, an infinity, the sign of a zero) has no error in units. It fails the test;
what is known to fail stands below the table. `scripts/specification.sh` runs the test and makes this page, and [its
README](../tests/kernels/specification/README.md) says what is tested.
"""


def errors_of(devices, prefix):
    """{(name, type): result} of all devices whose label begins so, the largest first."""
    found = {}
    for label, parts in devices.items():
        if label.startswith(prefix):
            for part in parts.values():
                for each in part["errors"]:
                    key = (each["name"], each["type"])
                    if key not in found or each["error"] > found[key]["error"]:
                        found[key] = each
    return found


def number(value, kind):
    """An operand: short where that says all, else in hexadecimal."""
    short = f"{value:.6g}"
    if value != value or value in (float("inf"), float("-inf")) or float(short) == value:
        return short
    text = float(value).hex()
    if kind == "float":  # the digits that a float has
        head, _, exponent = text.partition("p")
        text = head.rstrip("0").rstrip(".") + "p" + exponent
    return text


def cell(each):
    if each is None:
        return ""
    if each["error"] == 0:
        return "0"
    operands = ", ".join(number(value, each["type"]) for value in each["operands"])
    return f"{each['error']:.3g} at {operands}"


def page(table):
    devices = table["devices"]
    columns = [(title, errors_of(devices, prefix)) for title, prefix in COLUMNS]
    columns = [(title, found) for title, found in columns if found]
    lines = [HEAD, "| function | type | limit | " + " | ".join(title for title, _ in columns) + " |",
             "| --- | --- | --- |" + " --- |" * len(columns)]
    keys = sorted({key for _, found in columns for key in found}, key=lambda key: (key[0].lstrip("1 "), key[1] == "double"))
    for key in keys:
        limit = next(found[key]["limit"] for _, found in columns if key in found)
        lines.append(f"| `{key[0]}` | {key[1]} | {'-' if limit is None else f'{limit:g}'} | "
                     + " | ".join(cell(found.get(key)) for _, found in columns) + " |")
    lines += ["", "## What is known to be wrong", ""]
    known = {}
    for label, parts in sorted(devices.items()):
        for part in parts.values():
            for title, reason in part["known"].items():
                known.setdefault((label.split(":")[0], title, reason), []).append(label)
    lines += [f"- `{title}` on {', '.join(labels)}: {reason}" for (_, title, reason), labels in known.items()]
    if not known:
        lines.append("Nothing.")
    lines += ["", "## What was run", "", "| device | part | calls |", "| --- | --- | --- |"]
    lines += [f"| {label} | {name} | {part['calls']:,} |" for label, parts in sorted(devices.items())
              for name, part in parts.items()]
    lines += ["", f"{table['context']['date']}, commit {table['context']['commit']}.", ""]
    return "\n".join(lines)


def main():
    text = page(json.loads(RESULTS.read_text(encoding="utf-8")))
    if "--check" in sys.argv:
        return 0 if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
