#!/usr/bin/env python3
"""Makes docs/lab/pairs.md, copies and all-reduces between every two devices of a host, from JSON files of bench_pairs:
pairs_table.py docs/lab/measured/bench_pairs*.json >docs/lab/pairs.md

Every figure comes from the files: there is a section for each. scripts/bench.sh pairs and scripts/gpu.sh comm measure."""
import json
import pathlib
import sys

HEAD = """# Pairs of devices

A copy from the device of a row to that of a column, and the all-reduce of a communicator of two ranks, one on each. A cell has
the time of 8 bytes, then the speed of {long}: bytes of one rank by the time. On the diagonal are two contexts of one
device. Peer access is on, where the devices have it.
"""

TAIL = """
A copy is submitted to a stream of the first device and waited for; an all-reduce is submitted for both ranks by one thread,
which then waits for both. Medians of repetitions, each of which is the median of short stretches.

Made by `scripts/pairs_table.py` from `docs/lab/measured/bench_pairs*.json`; `scripts/bench.sh pairs` and `scripts/gpu.sh comm`
measure.
"""


def time_text(nanoseconds):
    for unit, size in (("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.0f} ns"


def bytes_text(count):
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:g} {unit}"
    return f"{count} bytes"


def load(path):
    """(context, {kind: {(from, to): {bytes: ns}}}); the kinds are copy and all_reduce."""
    data = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    found = {"copy": {}, "all_reduce": {}}
    for entry in data.get("benchmarks", []):
        words = entry["name"].split("/")
        if not words[0].startswith("pairs_") or "median_ns" not in entry:
            continue
        found[words[0].removeprefix("pairs_")].setdefault((words[1], words[2]), {})[int(words[3])] = entry["median_ns"]
    return data["context"], found


def cell(times):
    if not times:
        return ""
    short, long = min(times), max(times)
    return f"{time_text(times[short])}, {long / times[long]:.3g} GB/s"


def matrix(title, pairs):
    devices = list(dict.fromkeys(name for pair in pairs for name in pair))
    lines = ["", f"| {title} | " + " | ".join(devices) + " |", "| --- |" + " --- |" * len(devices)]
    for row in devices:
        lines.append(f"| {row} | " + " | ".join(cell(pairs.get((row, column))) for column in devices) + " |")
    return lines


def section(path):
    context, found = load(path)
    names = [f"{key.removeprefix('device_')} is {value}" for key, value in sorted(context.items()) if key.startswith("device_")]
    lines = ["", f"## {'; '.join(names)}", "", f"Commit {context.get('commit', 'unknown')}, {context.get('date', '')[:10]}, "
             f"{context.get('num_cpus', '?')} cores, load {context.get('load_avg', ['?'])[0]}."]
    return lines + matrix("copy from, to", found["copy"]) + matrix("all-reduce", found["all_reduce"]), found


def main():
    sections, sizes = [], set()
    for path in sys.argv[1:]:
        lines, found = section(path)
        sections += lines
        sizes |= {max(times) for pairs in found.values() for times in pairs.values()}
    if not sizes:
        print(__doc__, file=sys.stderr)
        return 2
    print(HEAD.format(long=" or ".join(bytes_text(each) for each in sorted(sizes))) + "\n".join(sections) + "\n" + TAIL, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
