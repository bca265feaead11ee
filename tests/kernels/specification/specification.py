#!/usr/bin/env python3
"""Holds the built-in functions against the specification of OpenCL C 1.2: every name with every type, width, mixed form and
address space has to build, and to give the right values for edge cases and ten thousand random operands.

    specification.py --reference FILE [--parts math,...] [--devices cpu,opencl:0] [--builds quick,optimized] [--only PATTERN]

known.txt lists what a device is known to do wrong, with the reason: such a failure is counted, and one that does not happen
fails the run. --json keeps the largest errors of the math functions, of which scripts/specification.sh makes the table in the
docs.
"""
import argparse
import datetime
import fnmatch
import json
import os
import pathlib
import sys
import time
import typing

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import lab  # noqa: E402

FOLDER = pathlib.Path(__file__).resolve().parent
SKIP = 77
PARTS = ("math", "integer", "common", "relational", "geometric", "convert", "as", "half", "memory")


class Known(typing.NamedTuple):
    """A line of known.txt."""

    part: str
    device: str
    title: str
    reason: str


def known_failures():
    """Lines of part | device pattern | title pattern | reason."""
    found = []
    for line in (FOLDER / "known.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            part, device, title, reason = (word.strip() for word in line.split("|"))
            if part not in PARTS or not reason:
                sys.exit(f"known.txt: not a line with part, device, title and reason: {line}")
            found.append(Known(part, device, title, reason))
    return found


def unseen(known, happened, parts, labels):
    """Lines for the parts and devices of this run, which was a whole one, whose failure did not happen."""
    return [line for line in known if not line.device.startswith("?") and line.part in parts and line not in happened
            and any(fnmatch.fnmatchcase(label, line.device) for label in labels)]


def report(device, failures, known, happened):
    """Prints what failed. Answers how many failures no line of the list explains, and the lines that explain some."""
    unexpected, explained = 0, {}
    for failure in failures:
        line = next((each for each in known if fnmatch.fnmatchcase(device.label, each.device.lstrip("?"))
                     and fnmatch.fnmatchcase(failure.title, each.title)), None)
        if line is None:
            unexpected += 1
            print(f"{device.label}: {failure.title}: {failure.reason}", flush=True)
        else:
            happened.add(line)
            explained[line.title] = line.reason
    return unexpected, explained


def keep(path, results, commit):
    """Adds what was found to the file: label of a device, then part. What it has of other devices and parts stays."""
    table = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"devices": {}}
    table["context"] = {"date": datetime.date.today().isoformat(), "commit": commit}
    for label, parts in results.items():
        table["devices"].setdefault(label, {}).update(parts)
    path.write_text(lab.dumps(table), encoding="utf-8")


def parts_of(arguments):
    """The parts by name: each takes a device and returns the largest errors that it saw."""
    import conversion_part
    import geometric_part
    import component_part
    import math_part
    import memory_part
    reference = math_part.Reference(arguments.reference)
    widths = [int(width) for width in arguments.widths.split(",")]
    types = arguments.types.split(",")
    parts = {"math": lambda device: math_part.check(device, reference, arguments.only, types, widths)}
    for section in ("integer", "common", "relational"):
        parts[section] = lambda device, section=section: component_part.check(
            device, reference, [section], arguments.only, widths)
    parts["geometric"] = lambda device: geometric_part.check(device, arguments.only)
    parts["convert"] = lambda device: conversion_part.check_conversions(device, arguments.only, widths)
    parts["as"] = lambda device: conversion_part.check_as(device, arguments.only, widths)
    parts["half"] = lambda device: conversion_part.check_halves(device, arguments.only, widths)
    parts["memory"] = lambda device: memory_part.check(device, arguments.only, widths)
    return parts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reference", help="the library made of math_reference.cpp")
    parser.add_argument("--parts", default="math", help=f"all, or some of {', '.join(PARTS)}")
    parser.add_argument("--devices", default="cpu")
    parser.add_argument("--builds", default="quick,optimized", help="of the CPU's code")
    parser.add_argument("--only", default="*", help="names of functions")
    parser.add_argument("--types", default="float,double")
    parser.add_argument("--widths", default="1,2,3,4,8,16")
    parser.add_argument("--plant", action="append", default=[], metavar="NAME=TEXT", help="a macro for each program")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--commit", default="unknown", help="for --json")
    arguments = parser.parse_args()
    if not arguments.reference or not os.path.exists(arguments.reference):
        print("SKIP: the reference is not built: it needs MPFR, Debian's libmpfr-dev")
        return SKIP
    sys.path.insert(0, str(FOLDER))
    import engine
    import manyrt
    here = [device.name for device in manyrt.devices()]
    runs = [(name, build) for name in arguments.devices.split(",") if name in here
            for build in (arguments.builds.split(",") if name == "cpu" else [""])]
    if not runs:
        print(f"SKIP: none of the devices {arguments.devices} is here")
        return SKIP
    parts = parts_of(arguments)
    chosen = PARTS if arguments.parts == "all" else arguments.parts.split(",")
    known, happened, unexpected, results = known_failures(), set(), 0, {}
    for name, build in runs:
        device = engine.Device(name, build, "".join(f"#define {each.replace('=', ' ')}\n" for each in arguments.plant))
        for part in chosen:
            start, device.calls, device.failures = time.monotonic(), 0, []
            found = parts[part](device) or []
            count, explained = report(device, device.failures, known, happened)
            unexpected += count
            print(f"{device.label}: {part}: {device.calls} calls in {time.monotonic() - start:.1f} s, {len(device.failures)} "
                  f"functions fail, {len(device.failures) - count} of them for known reasons", flush=True)
            results.setdefault(device.label, {})[part] = {"calls": device.calls, "unknown": count, "known": explained,
                                                          "errors": [each._asdict() for each in found]}
        device.close()
    if arguments.json:
        keep(arguments.json, results, arguments.commit)
    if (arguments.only, arguments.types, arguments.widths) == ("*", "float,double", "1,2,3,4,8,16"):
        for line in unseen(known, happened, chosen, list(results)):
            print(f"known.txt has {line.title} on {line.device}, but that did not fail")
            unexpected += 1
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
