#!/usr/bin/env python3
"""Draws what each device and tier of OpenCL costs, from the JSON of bench_opencl; use it as
plot_opencl_overhead.py docs/lab/measured/bench_opencl*.json >docs/lab/opencl-overhead.svg

A row for each device and tier, a panel for each kind of work; ours is a filled mark, raw OpenCL on the same device a ring. The
axes are logarithmic; to the left is faster."""
import json
import math
import pathlib
import re
import sys

PANELS = [
    ("launch", "P17_launch_"),
    ("launch and synchronise", "P17_launch_synchronize_"),
    ("copy of 1 MiB to the device", "copy_to_device_1MiB_"),
    ("copy of 64 MiB to the host", "copy_to_host_64MiB_"),
]
ROW, LEFT, PANEL, GAP, TOP = 30, 190, 220, 64, 84
OURS, RAW, TEXT, FAINT = "#1f6feb", "#c4432b", "#24292f", "#d0d7de"


def load(paths):
    """{row: {panel prefix: {"ours": ns, "peer": ns}}}; a row is (device, tier)."""
    rows = {}
    for path in paths:
        for entry in json.loads(pathlib.Path(path).read_text(encoding="utf-8")).get("benchmarks", []):
            comparison = entry["name"].split("/")[0]
            prefix = max((each for _, each in PANELS if comparison.startswith(each)), key=len, default=None)
            if prefix is None or "median_ns" not in entry:
                continue
            found = re.fullmatch(r"(.+)_(usm|svm|buffer)", comparison.removeprefix(prefix))
            if found:
                rows.setdefault(found.groups(), {}).setdefault(prefix, {})[entry.get("label")] = entry["median_ns"]
    return dict(sorted(rows.items()))


def time_text(nanoseconds):
    for unit, size in (("ms", 1e6), ("µs", 1e3), ("ns", 1)):
        if nanoseconds >= size or unit == "ns":
            return f"{nanoseconds / size:.3g} {unit}"


def text(x, y, words, anchor="start", size=12, colour=TEXT, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}" '
            f'font-weight="{weight}">{words}</text>')


def panel(rows, prefix, title, left):
    values = [value for row in rows.values() for value in row.get(prefix, {}).values()]
    bottom = TOP + ROW * len(rows)
    parts = [text(left, TOP - 34, title, weight="bold")]
    if not values:
        return parts + [text(left, TOP - 12, "not measured", size=11)]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    high = max(high, low + 1)

    def place(value):
        return left + (math.log10(value) - low) / (high - low) * PANEL

    for power in range(low, high + 1):
        x = place(10**power)
        parts.append(f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{bottom}" stroke="{FAINT}"/>')
        parts.append(text(x, TOP - 14, time_text(10**power), anchor="middle", size=11))
    for index, row in enumerate(rows.values()):
        y = TOP + ROW * index + ROW / 2
        found = row.get(prefix, {})
        if {"ours", "peer"} <= found.keys():
            parts.append(f'<line x1="{place(found["ours"]):.1f}" y1="{y}" x2="{place(found["peer"]):.1f}" y2="{y}" '
                         f'stroke="{FAINT}" stroke-width="3"/>')
        if "peer" in found:
            parts.append(f'<circle cx="{place(found["peer"]):.1f}" cy="{y}" r="6" fill="none" stroke="{RAW}" stroke-width="2">'
                         f'<title>raw OpenCL: {time_text(found["peer"])}</title></circle>')
        if "ours" in found:
            parts.append(f'<circle cx="{place(found["ours"]):.1f}" cy="{y}" r="4" fill="{OURS}">'
                         f'<title>manyrt: {time_text(found["ours"])}</title></circle>')
    return parts


def draw(rows):
    width = LEFT + len(PANELS) * (PANEL + GAP) + 10
    height = TOP + ROW * len(rows) + 20
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
             'font-family="sans-serif">', f'<rect width="{width}" height="{height}" fill="white"/>',
             f'<circle cx="20" cy="22" r="4" fill="{OURS}"/>', text(30, 26, "manyrt"),
             f'<circle cx="100" cy="22" r="6" fill="none" stroke="{RAW}" stroke-width="2"/>', text(112, 26, "raw OpenCL")]
    for index, (device, tier) in enumerate(rows):
        y = TOP + ROW * index
        if index % 2 == 0:
            parts.append(f'<rect x="8" y="{y}" width="{width - 16}" height="{ROW}" fill="#f6f8fa"/>')
        parts.append(text(16, y + ROW / 2 + 4, f"{device.replace('_', ' ')}, {tier}"))
    for index, (title, prefix) in enumerate(PANELS):
        parts += panel(rows, prefix, title, LEFT + index * (PANEL + GAP))
    return "\n".join(parts + ["</svg>"])


def main():
    rows = load(sys.argv[1:])
    if not rows:
        print(__doc__, file=sys.stderr)
        return 2
    print(draw(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
