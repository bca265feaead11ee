#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/lab/benchmarks-generated.md from docs/lab/measured/generated.json (of benchmarks/generated/measure.py): prints it.

Usage: generated_table.py FILE"""

import json
import math
import sys

WANTED_MEAN, WANTED_MOST, WANTED_STEP = 0.6, 1.1, 0.6
HEAD = """# Kernels that a compiler generates

This file is made by `scripts/generated_table.py` from the JSON in `docs/lab/measured`; nothing in it is typed.
`scripts/bench.sh generated` measures: tinygrad {tinygrad} generates the OpenCL C of three small models with random weights
(`benchmarks/generated/models.py`), and each kernel of a step runs in turn on manyrt's CPU and on other drivers, in one process
on {cores} of the machine's cores.

{machine}; commit {commit}. Drivers: {drivers}.
"""


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def verdict(value, wanted):
    return "met" if value <= wanted else "**missed**"


def model(name, table, drivers):
    kernels = table["kernels"]
    ratios = [row["ratio"] for row in kernels]
    over = sum(ratio > WANTED_MOST for ratio in ratios)
    steps = table["step_ms"]
    best = min((column for column in steps if column != "manyrt"), key=steps.get)
    step = steps["manyrt"] / steps[best]
    print(f"\n## {name}\n\n|  |  | wanted |  |\n| --- | --- | --- | --- |")
    print(f"| geometric mean of {len(kernels)} kernels, of the better driver | {mean(ratios):.2f} | ≤ {WANTED_MEAN} | "
          f"{verdict(mean(ratios), WANTED_MEAN)} |")
    print(f"| kernels above {WANTED_MOST} | {over} | 0 | {verdict(over, 0)} |")
    print(f"| the kernels of a step, of {best}'s | {step:.2f} | ≤ {WANTED_STEP} | {verdict(step, WANTED_STEP)} |")
    print("\n| all kernels of a step | " + " | ".join(steps) + " |\n" + "| --- " * (len(steps) + 1) + "|")
    print("| ms | " + " | ".join(f"{value:.1f}" for value in steps.values()) + " |")
    builds = table["builds_s"]
    for at, what in enumerate(("first code", "code that stays")):
        cells = [f"{builds[column][at]:.1f}" if column in builds else "" for column in steps]
        print(f"| {what}, s | {' | '.join(cells)} |")
    print(f"\n| kernel | group | launches | {' | '.join(drivers)} | of the better |\n" + "| --- " * (len(drivers) + 4) + "|")
    for row in sorted(kernels, key=lambda each: -each["us"]["manyrt"] * each["launches"]):
        times = " | ".join(f"{row['us'][driver]:.1f}" for driver in drivers)
        print(f"| {row['name']} | {' x '.join(map(str, row['group']))} | {row['launches']} | {times} | {row['ratio']:.2f} |")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    drivers = list(next(iter(data["models"].values()))["kernels"][0]["us"])
    print(HEAD.format(tinygrad=data["tinygrad"], cores=data["cores"], machine=data["machine"], commit=data["commit"],
                      drivers="; ".join(data["drivers"].values())), end="")
    print("\nMicroseconds of a launch; the longest of a step come first.")
    for name, table in data["models"].items():
        model(name, table, drivers)


if __name__ == "__main__":
    main()
