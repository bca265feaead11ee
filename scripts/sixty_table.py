#!/usr/bin/env python3
"""Writes the page of the sixty kernels from the JSON of bench_sixty on one machine or several, the worst first; use it as
sixty_table.py docs/lab/measured/bench_sixty*.json >docs/lab/sixty.md
sixty_table.py FILE: one machine, with the times of each peer and of builds
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


def summary(kernels, key):
    """[what, value, goal, whether it is met or None] of one machine."""
    against = {kernel["name"]: ratios(kernel, key) for kernel in kernels}
    measured = {name: pair[0] for name, pair in against.items() if pair[0] is not None}
    by_hand = {name: pair[1] for name, pair in against.items() if pair[1] is not None}
    failed = [kernel["name"] for kernel in kernels if "error" in kernel["candidates"]["manyrt"]]
    rows = []
    if measured:
        mean = math.exp(sum(math.log(ratio) for ratio in measured.values()) / len(measured))
        above = sum(ratio > WORST_GOAL for ratio in measured.values())
        rows.append(["geometric mean of ours / better peer", f"{mean:.3f}", f"≤ {MEAN_GOAL}", mean <= MEAN_GOAL])
        rows.append([f"kernels above {WORST_GOAL}", f"{above} of {len(measured)}", "0", above == 0])
        for name in PEERS:
            single = [kernel["candidates"]["manyrt"][key] / kernel["candidates"][name][key] for kernel in kernels
                      if key in kernel["candidates"]["manyrt"] and key in kernel["candidates"].get(name, {})]
            if single:
                value = math.exp(sum(map(math.log, single)) / len(single))
                rows.append([f"geometric mean of ours / {PEERS[name]}", f"{value:.3f}", "", None])
    if by_hand:
        above = sum(ratio > WORST_GOAL for ratio in by_hand.values())
        rows.append([f"above {WORST_GOAL} of the loop written by hand", f"{above} of {len(by_hand)}", "0", above == 0])
    slow = slow_builds(kernels)
    rows.append([f"builds over {BUILD_GOAL:g} s and {BUILD_SHARE} of PoCL's", f"{len(slow)} of {len(kernels)}", "0", not slow])
    rows.append(["failed here", ", ".join(failed) or "none", "none", not failed])
    return rows


def summaries(machines, mode, key):
    """The summary of each machine side by side; a goal that is missed is bold."""
    columns = {label: {row[0]: row for row in summary(of_mode(data, mode), key)} for label, data in machines.items()}
    whats = list(dict.fromkeys(what for column in columns.values() for what in column))
    rows = []
    for what in whats:
        row = [what, next(column[what][2] for column in columns.values() if what in column)]
        for column in columns.values():
            _, value, _, met = column.get(what, ("", "", "", None))
            row.append(f"**{value}**" if met is False else value)
        rows.append(row)
    return table(["", "wanted", *columns], rows)


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


def of_mode(data, mode):
    return [kernel for kernel in data["kernels"] if kernel["mode"] == mode]


def compared(machines, mode, key):
    """A row a kernel: each machine's ratio to the better peer, our time, and the ratio to the loop written by hand."""
    by_name = {label: {kernel["name"]: kernel for kernel in of_mode(data, mode)} for label, data in machines.items()}
    names = list(dict.fromkeys(name for kernels in by_name.values() for name in kernels))

    def worst(name):
        return max((ratios(kernels[name], key)[0] or 0 for kernels in by_name.values() if name in kernels), default=0)

    rows = []
    for name in sorted(names, key=lambda name: -worst(name)):
        row = [name, next(kernels[name]["class"] for kernels in by_name.values() if name in kernels)]
        for kernels in by_name.values():
            if name not in kernels:
                row += ["", "", ""]
                continue
            peer, hand = ratios(kernels[name], key)
            row += ["" if peer is None else f"{peer:.2f}" if peer <= WORST_GOAL else f"**{peer:.2f}**",
                    micro(kernels[name]["candidates"]["manyrt"], key), "" if hand is None else f"{hand:.2f}"]
        rows.append(row)
    head = ["kernel", "class"]
    for label in by_name:
        head += [f"{label}: ours / better", "µs", "ours / by hand"]
    return table(head, rows)


def main():
    arguments = sys.argv[1:]
    key = "best_ns" if "--best" in arguments else "median_ns"
    paths = sorted((pathlib.Path(argument) for argument in arguments if argument != "--best"), key=lambda path: path.stem)
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    machines = {}
    for path in paths:
        data = json.loads(path.read_text(encoding="utf-8"))
        label = path.stem.removeprefix("bench_sixty").strip("_").replace("_", " ").replace("avx", "AVX")
        machines[label or f"{data['context']['cores']} cores"] = data
    print("# Sixty kernels on the CPU\n")
    print("This file is made by `scripts/sixty_table.py` from the JSON in `docs/lab/measured`, which has the times of each")
    print("peer and of builds, too; nothing in it is typed. Below 1 ours is faster; what misses its goal is bold.\n")
    rows = []
    for label, data in machines.items():
        context = data["context"]
        rows.append([label, f"{context['cpu']}, {context['cores']} cores", f"{context['kernel']}, {context['libc']}",
                     f"{context['compiler']}, {context['build']}", context.get("commit", "unknown"),
                     f"{context['date'][:10]}, {context['rounds']} rounds of {context['repetition_ms']} ms" +
                     (", the shortest runs" if key == "best_ns" else ""),
                     *(context.get("peer_" + name, "unknown") for name in ("pocl", "intel", "by_hand"))])
    head = ["machine", "processor", "system", "built by", "commit", "measured", "PoCL", "Intel's runtime", "by hand"]
    print(table(head, rows))
    for mode, title in MODES.items():
        if not any(of_mode(data, mode) for data in machines.values()):
            continue
        print(f"\n## {title}\n")
        print(summaries(machines, mode, key))
        print()
        if len(machines) == 1:
            print(figures(of_mode(next(iter(machines.values())), mode), key))
        else:
            print(compared(machines, mode, key))
    print(METHOD.rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
