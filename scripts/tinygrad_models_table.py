#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""docs/lab/tinygrad-models.md from docs/lab/measured/tinygrad_models_*.json, of benchmarks/generated/side_by_side.py: prints
it.

Usage: tinygrad_models_table.py FILE ..."""

import json
import sys

HEAD = """# Whole models under tinygrad

This file is made by `scripts/tinygrad_models_table.py` from the JSON in `docs/lab/measured`; nothing in it is typed.
`benchmarks/generated/side_by_side.py` measures: each model of `benchmarks/generated/models.py` has random weights and runs as
it is, on `MANYRT` ([tinygrad.md](../tinygrad.md)) and on tinygrad's own devices, in a process each, in turn. The results of all
devices agree.

`first step` and `tenth step` are seconds from the start of the process, tinygrad's own work included. A step is the median of
many, once no code is compiled any more.
"""


def main():
    print(HEAD, end="")
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        facts = (data["machine"], f"{data['cores']} cores of the host", f"commit {data['commit']}")
        where = ", ".join(fact for fact in facts if fact)
        print(f"\n## {where}\n\n| model | device | first step, s | tenth step, s | a step, ms | of the best other |")
        print("| --- | --- | --- | --- | --- | --- |")
        for model, devices in data["models"].items():
            others = [row["median_ms"] for name, row in devices.items() if not name.startswith("manyrt")]
            for name, row in devices.items():
                ratio = f"{row['median_ms'] / min(others):.2f}" if name.startswith("manyrt") and others else ""
                print(f"| {model} | {name} | {row['first_s']:.1f} | {row['tenth_s']:.1f} | {row['median_ms']:.2f} | {ratio} |")


if __name__ == "__main__":
    main()
