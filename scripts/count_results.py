#!/usr/bin/env python3
"""Counts test results and prints, last, the line `N passed, N failed, N skipped`.

count_results.py [--broken NAME]... RESULTS_DIR...

A results folder holds ctest.xml (ctest --output-junit) and one <entry>.xml per GoogleTest executable. An entry with such a file
counts as its cases, any other as one test. An entry that fails although no case of it did (a crash, a time-out, a sanitizer's
report) is one failure more. A skip without a reason is a failure. --broken adds a failed stage, such as a build. A test that
is skipped counts once for each kind of device, in however many entries, builds and devices of that kind: the tiers of OpenCL's
memory are one kind. Skips are told by program, kind and reason, failures last, with what they printed.
"""
import argparse
import collections
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


KEPT_LINES = 120  # of what a failure printed: the traces of some threads


class Totals:
    def __init__(self):
        self.passed = 0
        self.failures = []  # (name, what it printed)
        self.skips = {}  # (program, test, kind of device): reason

    def fail(self, name, printed=""):
        self.failures.append((name, printed))

    def skip(self, entry, test, reason):
        """`entry` is build/program.variant, `test` Suite.Test/null_0 or the entry itself."""
        if not reason:
            self.fail(f"{entry}: {test}: skipped without a reason")
            return
        program = entry.split("/", 1)[-1].split(".", 1)[0] if test != entry else entry.split("/", 1)[-1]
        name, _, device = test.partition("/") if test != entry else (program, "", "")
        kind = re.fullmatch(r"(cpu|null|cuda|opencl)(_\d+)?", device)
        self.skips.setdefault((program, name, kind.group(1) if kind else device), reason)


def skip_reason(case):
    """The words after the file:line that GoogleTest puts first."""
    element = case.find("skipped")
    text = "" if element is None else (element.get("message") or element.text or "")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " ".join(line for line in lines if line != "Skipped" and not re.fullmatch(r".*\.\w+:\d+", line))


def printed_reason(case):
    """A ctest entry skips by exit code 77 and a line `SKIP: reason`."""
    for line in (case.findtext("system-out") or "").splitlines():
        if line.startswith("SKIP: "):
            return line[len("SKIP: "):].strip()
    return ""


def read_gtest(path, entry, totals):
    """Adds the cases of one executable; returns how many failed, or None where the file says nothing."""
    try:
        root = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        return None
    failed = 0
    for suite in root.iter("testsuite"):
        for case in suite.iter("testcase"):
            name = f"{entry}: {case.get('classname')}.{case.get('name')}"
            wrong = case.findall("failure") + case.findall("error")
            if wrong:
                totals.fail(name, "\n".join(each.text or each.get("message") or "" for each in wrong))
                failed += 1
            elif case.get("result") in ("skipped", "suppressed") or case.find("skipped") is not None:
                totals.skip(entry, f"{case.get('classname')}.{case.get('name')}", skip_reason(case))
            else:
                totals.passed += 1
    return failed


def read_folder(folder, totals):
    label = folder.parent.name
    try:
        cases = list(ElementTree.parse(folder / "ctest.xml").getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError):
        cases = []
    if not cases:
        totals.fail(f"{label}: no test ran")
    for case in cases:
        name = case.get("name")
        entry = f"{label}/{name}"
        status = case.get("status")
        if status == "notrun" and printed_reason(case):
            totals.skip(entry, entry, printed_reason(case))
            continue
        counted = read_gtest(folder / f"{name}.xml", entry, totals)
        if status == "run":
            totals.passed += 1 if counted is None else 0
        elif status in ("notrun", "disabled"):
            totals.skip(entry, entry, "")
        elif not counted:
            reason = case.find("failure")
            how = "" if reason is None else f" ({reason.get('message')})"
            name = entry if counted is None else f"{entry}: failed outside its cases"
            totals.fail(name + how, case.findtext("system-out") or "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--broken", action="append", default=[], metavar="NAME")
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    options = parser.parse_args()

    totals = Totals()
    for name in options.broken:
        totals.fail(name)
    for folder in options.folders:
        if folder.is_dir() or not options.broken:
            read_folder(folder, totals)
    if not options.folders and not options.broken:
        totals.fail("no test ran")

    if totals.skips:
        print("Skipped, with the reason:")
        told = collections.Counter((program, kind, reason) for (program, _, kind), reason in totals.skips.items())
        for (program, kind, reason), count in told.items():
            print(f"  {program}{' on ' + kind if kind else ''}: {count}: {reason}")
    for name, printed in totals.failures:
        print(f"Failed: {name}")
        for line in printed.rstrip().splitlines()[-KEPT_LINES:]:
            print(f"    {line}")
    print(f"{totals.passed} passed, {len(totals.failures)} failed, {len(totals.skips)} skipped")
    return 1 if totals.failures else 0


if __name__ == "__main__":
    sys.exit(main())
