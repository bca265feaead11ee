#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""RT_TRACE's times beside those of events, for a training of the example digits.

    against_events.py DIGITS LAUNCH_EVENTS DEVICE [--epochs 5] [--runs 3] [--limit 0.05]
                      [--json FILE] [--commit NAME] [--machine NAME]

A run trains with events around every launch (launch_events.c, loaded ahead of the library), then with RT_TRACE instead: the
median of a kernel's spans stands beside the median of its events. A third training has each step as a graph, with both: the sum
of its nodes' spans stands beside the events around the same launches, and so does its span from the begin of the first node to
the end of the last one. A fourth has graphs with events alone, which tells how
much longer a traced graph takes. Exit status: 0 all within the limit, 1 not, 77 no such device.
"""

import argparse
import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

WHOLE = "w", "graph from begin to end"


def trained(chosen, words, environment):
    with tempfile.TemporaryDirectory() as folder:
        command = [chosen.digits, "--device", chosen.device, "--seed", "1", "--epochs", str(chosen.epochs), "--no-threshold",
                   "--output", folder, *words]
        result = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, timeout=300,
                                check=False)
    if result.returncode != 0:
        print(f"{' '.join(words) or 'launches'}: exit status {result.returncode}: {result.stderr.strip()[-400:]}")
        sys.exit(77 if "no device" in result.stderr.lower() else 1)


def times_of_events(file):
    """Nanoseconds of each launch, by kind and name."""
    times = collections.defaultdict(list)
    for line in file.read_text(encoding="utf-8").splitlines():
        kind, name, nanoseconds = line.split()
        times[kind, name].append(int(nanoseconds))
    return times


def times_of_trace(file):
    """As times_of_events; a graph's time is that of its nodes together."""
    times, nodes = collections.defaultdict(list), collections.Counter()
    for event in json.loads(file.read_text(encoding="utf-8")):
        if event["ph"] != "X" or event["cat"] not in ("kernel", "copy", "fill", "graph"):
            continue
        if event["args"].get("in_graph"):
            nodes[event["args"]["serial"]] += event["dur"] * 1000
        elif event["cat"] == "kernel":
            times["k", event["name"]].append(event["dur"] * 1000)
        elif event["cat"] == "graph":
            times[WHOLE].append(event["dur"] * 1000)
    times["g", "graph"] = list(nodes.values())
    return times


def measured(chosen, words, events, trace):
    """One training; what events say of it, and what its trace says."""
    with tempfile.TemporaryDirectory() as name:
        files = [pathlib.Path(name) / "events.txt", pathlib.Path(name) / "trace.json"]
        environment = {"LD_PRELOAD": str(chosen.launch_events), "LAUNCH_EVENTS": str(files[0])} if events else {}
        if trace:
            environment["RT_TRACE"] = str(files[1])
        trained(chosen, words, environment)
        return times_of_events(files[0]) if events else None, times_of_trace(files[1]) if trace else None


def compared(chosen):
    """By kind and name, for each run: what events say, what the trace says, what events say without a trace."""
    rows = collections.defaultdict(list)
    for _ in range(chosen.runs):
        alone, spans = measured(chosen, [], True, False)[0], measured(chosen, [], False, True)[1]
        both, graphs = measured(chosen, ["--graph"], True, True)
        alone["g", "graph"] = measured(chosen, ["--graph"], True, False)[0]["g", "graph"]
        for key in (("g", "graph"), WHOLE):
            spans[key] = graphs[key]
        alone[WHOLE], both[WHOLE] = alone["g", "graph"], both["g", "graph"]
        for key in sorted(alone):
            wanted = both[key] if key[0] in "gw" else alone[key]
            assert len(spans[key]) == len(wanted), f"{key[1]}: {len(wanted)} launches, and {len(spans[key])} in the trace"
            rows[key].append([statistics.median(times) for times in (wanted, spans[key], alone[key])])
    return rows


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("digits", type=pathlib.Path)
    parser.add_argument("launch_events", type=pathlib.Path)
    parser.add_argument("device")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--limit", type=float, default=0.05)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--machine", default="")
    chosen = parser.parse_args()
    beyond, table = 0, []
    print("| what | events, us | trace, us | ratio |\n| --- | --- | --- | --- |")
    for (kind, name), runs in compared(chosen).items():
        wanted, found, untraced = (statistics.median(column) for column in zip(*runs))
        ratio = found / wanted
        beyond += not abs(ratio - 1) <= chosen.limit
        print(f"| {name} | {wanted / 1000:.2f} | {found / 1000:.2f} | {ratio:.3f} |")
        row = {"kind": {"g": "graph", "w": "whole graph"}.get(kind, "kernel"), "name": name, "events_ns": round(wanted),
               "trace_ns": round(found), "ratio": round(ratio, 4)}
        if kind != "k":
            row["untraced_ns"] = round(untraced)
        table.append(row)
    if chosen.json:
        head = {"commit": chosen.commit, "machine": chosen.machine, "device": chosen.device, "epochs": chosen.epochs,
                "runs": chosen.runs}
        chosen.json.write_text(json.dumps({**head, "rows": table}, indent=1) + "\n", encoding="utf-8")
    print(f"{len(table)} rows, {beyond} beyond {chosen.limit:.0%}")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
