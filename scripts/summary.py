#!/usr/bin/env python3
"""Counts test results and prints, last, the line `N passed, N failed, N skipped`.

summary.py [--broken NAME]... RESULTS_DIR...

A results folder holds ctest.xml (ctest --output-junit) and one <entry>.xml per GoogleTest executable. An entry with such a file
counts as its cases, any other as one test. An entry that fails although no case of it did (a crash, a time-out, a sanitizer's
report) is one failure more. A skip without a reason is a failure. --broken adds a failed stage, such as a build.
"""
import argparse
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


class Totals:
    def __init__(self):
        self.passed = 0
        self.failures = []
        self.skips = []

    def skip(self, name, reason):
        if reason:
            self.skips.append((name, reason))
        else:
            self.failures.append(f"{name}: skipped without a reason")


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
            if case.find("failure") is not None or case.find("error") is not None:
                totals.failures.append(name)
                failed += 1
            elif case.get("result") in ("skipped", "suppressed") or case.find("skipped") is not None:
                totals.skip(name, skip_reason(case))
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
        totals.failures.append(f"{label}: no test ran")
    for case in cases:
        name = case.get("name")
        entry = f"{label}/{name}"
        status = case.get("status")
        if status == "notrun" and printed_reason(case):
            totals.skip(entry, printed_reason(case))
            continue
        counted = read_gtest(folder / f"{name}.xml", entry, totals)
        if status == "run":
            totals.passed += 1 if counted is None else 0
        elif status in ("notrun", "disabled"):
            totals.skip(entry, "")
        elif not counted:
            totals.failures.append(entry if counted is None else f"{entry}: failed outside its cases")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--broken", action="append", default=[], metavar="NAME")
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    options = parser.parse_args()

    totals = Totals()
    for name in options.broken:
        totals.failures.append(name)
    for folder in options.folders:
        if folder.is_dir() or not options.broken:
            read_folder(folder, totals)
    if not options.folders and not options.broken:
        totals.failures.append("no test ran")

    if totals.skips:
        print("Skipped, each with its reason:")
        for name, reason in totals.skips:
            print(f"  {name}: {reason}")
    if totals.failures:
        print("Failed:")
        for name in totals.failures:
            print(f"  {name}")
    print(f"{totals.passed} passed, {len(totals.failures)} failed, {len(totals.skips)} skipped")
    return 1 if totals.failures else 0


if __name__ == "__main__":
    sys.exit(main())
