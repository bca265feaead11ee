#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counts two runs of tinygrad's tests, on MANYRT and on a device of tinygrad's own, and names what fails on MANYRT alone.

    compare_results.py MANYRT.xml OWN.xml --device NAME --own NAME --version NAME [--json FILE]

The files are pytest's (--junitxml). Ends with 1 if a test fails on MANYRT that passes on the other device, or if nothing
passed.
"""
import argparse
import collections
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import lab  # noqa: E402  pylint: disable=wrong-import-position


def results(path):
    """passed, failed or skipped, by the name of each test."""
    found = {}
    for case in ElementTree.parse(path).iter("testcase"):
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        found[f"{case.get('classname')}.{case.get('name')}"] = outcome
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("ours")
    parser.add_argument("reference")
    parser.add_argument("--device", required=True)
    parser.add_argument("--own", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--json")
    given = parser.parse_args()
    ours, reference = results(given.ours), results(given.reference)
    counts = {name: dict(collections.Counter(each.values())) for name, each in (("ours", ours), ("reference", reference))}
    alone = sorted(name for name, outcome in ours.items() if outcome == "failed" and reference.get(name) == "passed")
    better = sorted(name for name, outcome in reference.items() if outcome == "failed" and ours.get(name) == "passed")
    for title, which in ((f"MANYRT ({given.device})", "ours"), (given.own, "reference")):
        print(f"{title}: " + ", ".join(f"{counts[which].get(kind, 0)} {kind}" for kind in ("passed", "failed", "skipped")))
    for name in alone:
        print(f"fails on MANYRT alone: {name}")
    for name in better:
        print(f"fails on {given.own} alone: {name}")
    if given.json:
        pathlib.Path(given.json).write_text(lab.dumps({
            "tinygrad": given.version, "device": given.device, "own": given.own, **counts, "fails_on_manyrt_alone": alone,
            "fails_on_own_alone": better}), encoding="utf-8")
    return 1 if alone or counts["ours"].get("passed", 0) == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
