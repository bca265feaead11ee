#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""RT_TRACE's times beside those of events in the same run, for the example digits and for long_kernels.c.

    against_events.py DIGITS LONG_KERNELS LAUNCH_EVENTS DEVICE [--epochs 5] [--runs 3] [--times 100] [--limit 0.05]
                      [--json FILE] [--commit NAME] [--machine NAME]

An event before a launch and one after it (launch_events.c, loaded ahead of the library) also contain what the device does
between the three: some microseconds, which is nothing beside a long kernel and much beside a short one. So there are two kinds
of rows:

    one by one      where a kernel, or a graph for each of its nodes, takes 100 us or more: the span, or the sum of the spans of
                    a graph's nodes, beside the two events around this launch.
    back to back    of shorter ones: so many launches (--times) between one pair of events. The spans and the gaps between them
                    together, from the begin of the first span to the end of the last one, beside the events. The gap for each
                    span has a column of its own, and so has the share that the spans alone are of the events.

A row is the median of its launches, and of the runs. It is beyond the limit where its ratio is not 1 within --limit. What one
launch takes without a trace is told beside it. Exit status: 0 all within the limit, 1 not, 77 no such device.
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import lab  # noqa: E402

LONG = 100_000  # nanoseconds of a span from which on launches are compared one by one
OTHER_WEIGHTS = "a graph leaves other weights than the launches it was captured from"


class Run:
    """What events say of one run of a program, and its trace, by kind ("k", "g") and name, in the order of the launches."""

    def __init__(self, chosen, command, times, traced):
        self.times = times
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            environment = {**os.environ, "LD_PRELOAD": str(chosen.launch_events), "LAUNCH_EVENTS": str(folder / "events.txt"),
                           "LAUNCH_EVENTS_TIMES": str(times)}
            if traced:
                environment["RT_TRACE"] = str(folder / "trace.json")
            words = [str(word) for word in command] + (["--output", str(folder)] if command[0] == chosen.digits else [])
            result = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=500, errors="replace",
                                    check=False)
            # Launches that were made several times leave other weights than a graph of each one: what digits finds out last.
            if result.returncode != 0 and not (times > 1 and result.stderr.rstrip().endswith(OTHER_WEIGHTS)):
                print(f"{' '.join(words)}: exit status {result.returncode}: {result.stderr.strip()[-400:]}")
                sys.exit(1)
            self.events = collections.defaultdict(list)
            for line in (folder / "events.txt").read_text(encoding="utf-8").splitlines():
                kind, what, nanoseconds = line.split()
                self.events[kind, what].append(int(nanoseconds))
            self.spans = self.launches_of(folder / "trace.json") if traced else {}

    @staticmethod
    def launches_of(file):
        """Of each launch the spans, as pairs of begin and end in nanoseconds: one of a kernel, or those of a graph."""
        launches, nodes = collections.defaultdict(list), collections.defaultdict(list)
        for event in json.loads(file.read_text(encoding="utf-8")):
            if event["ph"] != "X" or event["cat"] not in ("kernel", "copy", "fill"):
                continue
            span = (event["ts"] * 1000, (event["ts"] + event["dur"]) * 1000)
            if event["args"].get("in_graph"):
                nodes[event["args"]["stream"], event["args"]["serial"]].append(span)
            elif event["cat"] == "kernel":
                launches["k", event["name"]].append([span])
        launches["g", "graph"] = list(nodes.values())
        for each in launches.values():
            each.sort(key=min)
        return launches

    def pairs(self, key):
        """[(nanoseconds of the events, spans of the launches between them)]"""
        events, launches = self.events[key], self.spans.get(key, [])
        assert len(launches) == len(events) * self.times, \
            f"{key[1]}: {len(events)} times {self.times} launches, and {len(launches)} in the trace"
        return [(taken, [span for launch in launches[first:first + self.times] for span in launch])
                for taken, first in zip(events, range(0, len(launches), self.times))]


def row_of(key, pairs, times, untraced):
    """The medians of one run."""
    rows = []
    for events, spans in pairs:
        total = sum(end - begin for begin, end in spans)
        extent = max(end for _, end in spans) - min(begin for begin, _ in spans)
        rows.append({"events_ns": events, "spans_ns": total, "with_gaps_ns": extent,
                     "gap_ns": (extent - total) / max(1, len(spans) - 1), "spans": len(spans)})
    row = {name: statistics.median(each[name] for each in rows) for name in rows[0]}
    by_pairs = times > 1
    compared = "with_gaps_ns" if by_pairs else "spans_ns"
    row["ratio"] = statistics.median(each[compared] / each["events_ns"] for each in rows)
    row["spans_of_events"] = statistics.median(each["spans_ns"] / each["events_ns"] for each in rows)
    row["untraced_ns"] = statistics.median(untraced) / times
    return (("back to back" if by_pairs else "one by one", {"k": "kernel", "g": "graph"}[key[0]], key[1], times), row)


def rows_of_a_run(chosen, command):
    """Each kernel and the graph of a program, one by one where they are long."""
    single, rows = Run(chosen, command, 1, True), []
    short = []
    for key in sorted(single.events):
        pairs = single.pairs(key)
        spans = statistics.median(sum(end - begin for begin, end in spans) / len(spans) for _, spans in pairs)
        if spans < LONG:
            short.append(key)
            continue
        rows.append((key, pairs, 1))
    untraced = {1: Run(chosen, command, 1, False)}
    if short:
        many, untraced[chosen.times] = (Run(chosen, command, chosen.times, traced) for traced in (True, False))
        rows += [(key, many.pairs(key), chosen.times) for key in short]
    return [row_of(key, pairs, times, untraced[times].events[key]) for key, pairs, times in rows]


def turns_of_long_kernels(chosen):
    result = subprocess.run([chosen.long_kernels, chosen.device], capture_output=True, text=True, timeout=300, check=False)
    if result.returncode == 77:
        print(f"SKIP: there is no device {chosen.device}")
        sys.exit(77)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def compared(chosen):
    digits = [chosen.digits, "--device", chosen.device, "--seed", "1", "--epochs", chosen.epochs, "--no-threshold"]
    slow = [chosen.long_kernels, chosen.device, turns_of_long_kernels(chosen)]
    found = collections.defaultdict(list)
    for _ in range(chosen.runs):
        for command in (digits, [*digits, "--graph"], slow):
            for name, row in rows_of_a_run(chosen, command):
                program = pathlib.Path(command[0]).name
                if command[-1] == "--graph" and name[1] != "graph":  # what is before the graph is no training
                    continue
                found[program, *name].append(row)
    return {name: {each: statistics.median(row[each] for row in rows) for each in rows[0]} for name, rows in found.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("digits", type=pathlib.Path)
    parser.add_argument("long_kernels", type=pathlib.Path)
    parser.add_argument("launch_events", type=pathlib.Path)
    parser.add_argument("device")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--limit", type=float, default=0.05)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--machine", default="")
    chosen = parser.parse_args()
    if chosen.times < 2:
        parser.error("--times: at least 2")
    beyond, table = 0, []
    print("| what | launches between events | events, us | spans, us | gap after a span, us | spans of events "
          "| compared with events | ratio | a launch without a trace, us |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for (program, how, kind, name, times), row in compared(chosen).items():
        beyond += not abs(row["ratio"] - 1) <= chosen.limit
        what = name if kind == "graph" else f"kernel {name}"
        print(f"| {program}: {what} | {times}, {how} | {row['events_ns'] / 1000:.2f} | {row['spans_ns'] / 1000:.2f} | "
              f"{row['gap_ns'] / 1000:.2f} | {row['spans_of_events']:.3f} | {'spans' if times == 1 else 'spans and gaps'} | "
              f"{row['ratio']:.3f} | {row['untraced_ns'] / 1000:.2f} |")
        table.append({"program": program, "kind": kind, "name": name, "how": how, "launches": times,
                      "spans": round(row["spans"]), **{each: round(row[each]) for each in
                                                       ("events_ns", "spans_ns", "with_gaps_ns", "gap_ns", "untraced_ns")},
                      "spans_of_events": round(row["spans_of_events"], 4), "ratio": round(row["ratio"], 4)})
    if chosen.json:
        head = {"commit": chosen.commit, "machine": chosen.machine, "device": chosen.device, "epochs": chosen.epochs,
                "runs": chosen.runs, "limit": chosen.limit}
        chosen.json.write_text(lab.dumps({**head, "rows": table}), encoding="utf-8")
    print(f"{len(table)} rows, {beyond} beyond {chosen.limit:.0%}")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
