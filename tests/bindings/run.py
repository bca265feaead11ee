#!/usr/bin/env python3
"""Runs one language's program once for each behaviour of the table in README.md, and writes the results as a JUnit file.

    run.py --language python --device cpu --results DIR -- python3 behaviours.py

Exits with 0 if no cell failed, and with 77 if every cell was skipped.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import time
from xml.sax.saxutils import escape, quoteattr

LIMIT_S = 60
SKIP = 77


def behaviours():
    """The names in the table of README.md, in its order."""
    text = pathlib.Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(\w+)` \|", text, flags=re.M)


def run_cell(command, behaviour, device):
    """What became of one cell ("passed", "skipped" or "failed"), its output, and its seconds."""
    began = time.monotonic()
    try:
        done = subprocess.run([*command, behaviour, device], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT_S, check=False, text=True, errors="replace")
        outcome = {0: "passed", SKIP: "skipped"}.get(done.returncode, "failed")
        output = done.stdout
        if outcome == "failed":
            output += f"\n(it ended with {done.returncode})"
    except subprocess.TimeoutExpired as error:
        outcome = "failed"
        output = (error.stdout or b"").decode(errors="replace") + f"\n(stopped after {LIMIT_S} s)"
    except OSError as error:
        outcome, output = "failed", str(error)
    return outcome, output.strip(), time.monotonic() - began


def as_xml(text):
    """Text without the control characters that XML has no form for."""
    return escape(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "?", text))


def write_junit(path, suite, cells):
    failed = sum(outcome == "failed" for _, outcome, _, _ in cells)
    skipped = sum(outcome == "skipped" for _, outcome, _, _ in cells)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>',
             f'<testsuites tests="{len(cells)}" failures="{failed}" disabled="0" errors="0" name="AllTests">',
             f'<testsuite name={quoteattr(suite)} tests="{len(cells)}" failures="{failed}" skipped="{skipped}" errors="0">']
    for behaviour, outcome, output, seconds in cells:
        lines.append(f'<testcase name={quoteattr(behaviour)} classname={quoteattr(suite)} status="run" time="{seconds:.3f}">')
        if outcome == "failed":
            lines.append(f'<failure message="failed">{as_xml(output)}</failure>')
        elif outcome == "skipped":
            reason = output.splitlines()[-1] if output else "no reason given"
            lines.append(f"<skipped message={quoteattr(as_xml(reason))}/>")
        lines.append("</testcase>")
    path.write_text("\n".join([*lines, "</testsuite>", "</testsuites>", ""]), encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", required=True)
    parser.add_argument("--device", required=True)
    parser.add_argument("--results", type=pathlib.Path, required=True)
    parser.add_argument("--only", help="one behaviour")
    parser.add_argument("command", nargs="+", help="after --")
    args = parser.parse_args()
    names = behaviours()
    if args.only is not None and args.only not in names:
        parser.error(f"there is no behaviour '{args.only}'")
    cells = []
    for behaviour in names if args.only is None else [args.only]:
        outcome, output, seconds = run_cell(args.command, behaviour, args.device)
        cells.append((behaviour, outcome, output, seconds))
        print(f"{outcome:8} {behaviour} ({seconds:.2f} s)", flush=True)
        if outcome != "passed":
            print("    " + output.replace("\n", "\n    "), flush=True)
    args.results.mkdir(parents=True, exist_ok=True)
    suite = f"bindings.{args.language}.{args.device.split(':')[0]}"
    write_junit(args.results / f"{suite}.xml", suite, cells)
    outcomes = {outcome for _, outcome, _, _ in cells}
    return 1 if "failed" in outcomes else SKIP if outcomes == {"skipped"} else 0


if __name__ == "__main__":
    sys.exit(main())
