#!/usr/bin/env python3
"""Writes the table of behaviours in docs/bindings.md from what tests/bindings/run.py has left in a build's results
folder, of a run of scripts/test.sh --long.

Usage: bindings_table.py [build/release/results]. A cell is `yes` where the behaviour was shown, `-` where the device cannot do
it (the reason stands below the table), `no` where it failed, and empty where it was not run.
"""

import pathlib
import re
import sys
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "bindings.md"
BEGIN, END = "<!-- behaviours -->", "<!-- end of behaviours -->"
LANGUAGES = {"cpp": "C++", "python": "Python", "rust": "Rust", "go": "Go", "lua": "LuaJIT", "fortran": "Fortran"}
DEVICES = {"cpu": "CPU", "opencl": "PoCL"}


def behaviours():
    text = (ROOT / "tests" / "bindings" / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(\w+)` \|", text, flags=re.M)


def read_cells(results):
    """{(language, device, behaviour): (outcome, reason)} of all files that are there."""
    cells = {}
    for language in LANGUAGES:
        for device in DEVICES:
            path = results / f"bindings.{language}.{device}.xml"
            if not path.exists():
                continue
            for case in xml.etree.ElementTree.parse(path).iter("testcase"):
                skipped = case.find("skipped")
                outcome = "no" if case.find("failure") is not None else "-" if skipped is not None else "yes"
                reason = skipped.get("message") if skipped is not None else ""
                cells[language, device, case.get("name")] = (outcome, reason)
    return cells


def table(cells):
    columns = [(language, device) for language in LANGUAGES for device in DEVICES
               if any(key[:2] == (language, device) for key in cells)]
    lines = ["| behaviour | " + " | ".join(f"{LANGUAGES[language]}, {DEVICES[device]}" for language, device in columns) + " |",
             "| --- |" + " --- |" * len(columns)]
    reasons = {}
    for behaviour in behaviours():
        row = []
        for language, device in columns:
            outcome, reason = cells.get((language, device, behaviour), ("", ""))
            if reason:
                reasons.setdefault((behaviour, reason), []).append(f"{LANGUAGES[language]} on {DEVICES[device]}")
            row.append(outcome)
        lines.append(f"| `{behaviour}` | " + " | ".join(row) + " |")
    if reasons:
        lines.append("")
        lines += [f"- `{behaviour}`, {', '.join(where)}: {reason}" for (behaviour, reason), where in reasons.items()]
    return "\n".join(lines)


def main():
    results = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "release" / "results"
    cells = read_cells(results)
    if not cells:
        sys.exit(f"{results} has no results of tests/bindings.")
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    PAGE.write_text(f"{before}{BEGIN}\n{table(cells)}\n{END}{after}", encoding="utf-8")
    failed = sum(outcome == "no" for outcome, _ in cells.values())
    print(f"{len(cells)} cells, {failed} failed")


if __name__ == "__main__":
    main()
