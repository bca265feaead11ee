#!/usr/bin/env python3
"""Writes the table of the sixty kernels from the JSON of bench_sixty, the worst first; use it as
sixty_table.py docs/measured/bench_sixty.json >docs/benchmarks-sixty.md
sixty_table.py --best FILE: of the shortest runs and not of the medians, for a look on a machine that is busy with other things

Every figure comes from the file; the goals below are the only numbers that stand here."""
import json
import math
import pathlib
import sys

PEERS = {"pocl": "PoCL", "intel": "Intel"}
MEAN_GOAL = 0.67  # geometric mean of ours relative to the better peer
WORST_GOAL = 1.1  # of every kernel, beside the better peer and beside the loop written by hand
BUILD_GOAL = 3.0  # seconds, or BUILD_SHARE of PoCL's
BUILD_SHARE = 0.7
MODES = {"plain": "Without options", "relaxed": "With `-cl-fast-relaxed-math`"}

METHOD = """
## How it is measured

All run in one process on one source, with the same work-groups. Results are compared with a reference in double precision
before anything is timed: a wrong result of ours would be a failure of the program, one of a peer is the word in its column.
With `-cl-fast-relaxed-math` a peer may be less exact by up to 0.02 than the reference wants; it is marked with `~`. A round of
a candidate is a warm-up and single runs of all launches of a kernel, each with the wait at its end; the candidates take turns,
each after a pause in which the threads of the others go to sleep. The figure is the median of the rounds' medians. The build is
the time from the source to the end of the first run, without a cache: optimised code on our side. By hand: a loop with OpenMP,
by gcc with `-O3 -march=native`. Kernels are in `benchmarks/kernels`.
"""


def micro(entry, key):
    if entry is None:
        return ""
    if "error" in entry:
        return "wrong result" if entry["error"].startswith("wrong") else "fails"
    if key not in entry:
        return ""
    value = entry[key] / 1e3
    digits = 0 if value >= 1000 else 1
    return f"{value:.{digits}f}" + ("~" if entry.get("inexact") else "")


def seconds(entry):
    return "" if entry is None or "build_s" not in entry else f"{entry['build_s']:.2f}"


def ratios(kernel, key):
    """Ours relative to the better peer, and to the loop written by hand; None where there is none."""
    candidates = kernel["candidates"]
    ours = candidates["manyrt"].get(key)
    there = [candidates[name][key] for name in PEERS if key in candidates.get(name, {})]
    by_hand = candidates.get("by_hand", {}).get(key)
    if ours is None:
        return None, None
    return ours / min(there) if there else None, ours / by_hand if by_hand else None


def slow_builds(kernels):
    slow = []
    for kernel in kernels:
        candidates = kernel["candidates"]
        ours = candidates["manyrt"].get("build_s", 0)
        limit = max(BUILD_GOAL, BUILD_SHARE * candidates.get("pocl", {}).get("build_s", 0))
        if ours > limit:
            slow.append(kernel["name"])
    return slow


def verdict(good):
    return "met" if good else "**missed**"


def summary(kernels, key):
    against = {kernel["name"]: ratios(kernel, key) for kernel in kernels}
    measured = {name: pair[0] for name, pair in against.items() if pair[0] is not None}
    by_hand = {name: pair[1] for name, pair in against.items() if pair[1] is not None}
    failed = [kernel["name"] for kernel in kernels if "error" in kernel["candidates"]["manyrt"]]
    rows = []
    if measured:
        mean = math.exp(sum(math.log(ratio) for ratio in measured.values()) / len(measured))
        above = sum(ratio > WORST_GOAL for ratio in measured.values())
        rows.append(["geometric mean of ours / better peer", f"{mean:.3f}", f"≤ {MEAN_GOAL}", verdict(mean <= MEAN_GOAL)])
        rows.append([f"kernels above {WORST_GOAL}", f"{above} of {len(measured)}", "0", verdict(above == 0)])
        for name in PEERS:
            single = [kernel["candidates"]["manyrt"][key] / kernel["candidates"][name][key] for kernel in kernels
                      if key in kernel["candidates"]["manyrt"] and key in kernel["candidates"].get(name, {})]
            if single:
                value = math.exp(sum(map(math.log, single)) / len(single))
                rows.append([f"geometric mean of ours / {PEERS[name]}", f"{value:.3f}", "", ""])
    if by_hand:
        above = sum(ratio > WORST_GOAL for ratio in by_hand.values())
        rows.append([f"above {WORST_GOAL} of the loop written by hand", f"{above} of {len(by_hand)}", "0", verdict(above == 0)])
    slow = slow_builds(kernels)
    rows.append([f"builds over {BUILD_GOAL:g} s and {BUILD_SHARE} of PoCL's", f"{len(slow)} of {len(kernels)}", "0",
                 verdict(not slow)])
    if failed:
        rows.append(["failed here", ", ".join(failed), "none", verdict(False)])
    return table(["", "", "wanted", ""], rows)


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def figures(kernels, key):
    rows = []
    ordered = sorted(kernels, key=lambda kernel: -(ratios(kernel, key)[0] or math.inf))
    for kernel in ordered:
        candidates = kernel["candidates"]
        peer, hand = ratios(kernel, key)
        ratio = "" if peer is None else f"{peer:.2f}" if peer <= WORST_GOAL else f"**{peer:.2f}**"
        rows.append([kernel["name"], kernel["class"], ratio, micro(candidates["manyrt"], key),
                     micro(candidates.get("pocl"), key), micro(candidates.get("intel"), key),
                     micro(candidates.get("by_hand"), key), "" if hand is None else f"{hand:.2f}",
                     seconds(candidates["manyrt"]), seconds(candidates.get("pocl")), seconds(candidates.get("intel"))])
    return table(["kernel", "class", "ours / better", "ours µs", "PoCL µs", "Intel µs", "by hand µs", "ours / by hand",
                  "build s", "PoCL s", "Intel s"], rows)


def main():
    arguments = sys.argv[1:]
    key = "best_ns" if "--best" in arguments else "median_ns"
    paths = [argument for argument in arguments if argument != "--best"]
    if len(paths) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    data = json.loads(pathlib.Path(paths[0]).read_text(encoding="utf-8"))
    context = data["context"]
    print("# Sixty kernels on the CPU\n")
    print("This file is made by `scripts/sixty_table.py` from the JSON in `docs/measured`; nothing in it is typed.\n")
    print(f"{context['cpu']}, {context['cores']} cores; {context['kernel']}, {context['libc']}.")
    print(f"Built by {context['compiler']}, {context['build']}; commit {context.get('commit', 'unknown')}, "
          f"{context['date'][:10]}, {context['rounds']} rounds of {context['repetition_ms']} ms" +
          (", the shortest runs" if key == "best_ns" else "") + ".\n")
    for name, title in (("pocl", "PoCL"), ("intel", "Intel's runtime"), ("by_hand", "By hand")):
        print(f"- {title}: {context.get('peer_' + name, 'unknown')}")
    for mode, title in MODES.items():
        kernels = [kernel for kernel in data["kernels"] if kernel["mode"] == mode]
        if not kernels:
            continue
        print(f"\n## {title}\n")
        print(summary(kernels, key))
        print()
        print(figures(kernels, key))
    print(METHOD.rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
