#!/usr/bin/env python3
"""Measures digits_parallel on 1 to N ranks and draws the time per epoch; use it as
digits_parallel_table.py [--ranks N] [--rounds R] [--build FOLDER] [--gpus]   measures, writes page and pictures
digits_parallel_table.py --tables    writes these again
digits_parallel_table.py --check     ends with 1 if they are not what the figures give

Figures are kept in docs/lab/measured/digits_parallel.json, with --gpus in digits_parallel_gpu.json; docs/lab/digits-parallel.md
has a section and a picture for each. Ranks are processes of mpirun, and devices of one process: the CPU as often as there are
ranks, with --gpus cuda:0, cuda:1 and so on. The ways take turns, in R rounds. A run whose ranks have other weights ends with a
failure, and so does this script."""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

import lab

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEASURED = ROOT / "docs/lab/measured"
PAGE = ROOT / "docs/lab/digits-parallel.md"
PICTURES = {"digits_parallel.json": "digits-parallel.svg", "digits_parallel_gpu.json": "digits-parallel-gpu.svg"}
WAYS = {"processes": "processes of MPI, on the CPU", "cpu": "one process, on the CPU", "cuda": "one process, a GPU each"}
COLOURS = {"processes": "#0072b2", "cpu": "#d55e00", "cuda": "#009e73"}
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 400, 76, 530, 56, 340


def command(way, ranks, program):
    if way == "processes":
        mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
        return None if mpirun is None else [mpirun, "--oversubscribe", "-n", str(ranks), program]
    names = ["cpu"] * ranks if way == "cpu" else [f"cuda:{i}" for i in range(ranks)]
    return [program, "--devices", ",".join(names)]


def run_once(words):
    """{"ms": per epoch, "accuracy": percent, "hash": of all ranks}"""
    environment = dict(os.environ)
    if os.geteuid() == 0:  # Open MPI asks twice
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, env=environment, check=False)
    last = re.search(r"read right: ([\d.]+) % .*median of an epoch: ([\d.]+) ms", done.stdout)
    hashes = set(re.findall(r"\b[0-9a-f]{16}\b", done.stdout))
    if done.returncode != 0 or last is None or len(hashes) != 1:
        raise SystemExit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return {"ms": float(last[2]), "accuracy": float(last[1]), "hash": hashes.pop()}


def first_line(*words):
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=30, check=False, cwd=ROOT).stdout.split("\n")[0]
    except OSError:
        return ""


def measure(arguments):
    program = str(pathlib.Path(arguments.build).resolve() / "bin/digits_parallel")
    ways = ["cuda"] if arguments.gpus else ["processes", "cpu"]
    runs = {}
    for round_number in range(arguments.rounds):
        for ranks in range(1, arguments.ranks + 1):
            for way in ways:
                words = command(way, ranks, program)
                if words is None:
                    continue
                runs.setdefault(way, {}).setdefault(str(ranks), []).append(run_once(words))
                print(f"round {round_number + 1}, {WAYS[way]}, {ranks}: {runs[way][str(ranks)][-1]['ms']} ms", file=sys.stderr)
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    context = {"commit": os.environ.get("COMMIT") or first_line("git", "describe", "--always", "--dirty"),
               "cores": len(os.sched_getaffinity(0)), "cpu": cpu[1] if cpu else "", "mpi": first_line("mpirun", "--version"),
               "gpus": first_line("nvidia-smi", "--query-gpu=name", "--format=csv,noheader") if arguments.gpus else "",
               "load": round(os.getloadavg()[0], 1)}
    return {"context": context, "runs": runs}


def medians(data):
    """{way: {ranks: ms}}"""
    return {way: {int(ranks): statistics.median(run["ms"] for run in runs) for ranks, runs in by_ranks.items()}
            for way, by_ranks in data["runs"].items()}


HEAD = """# digits on several ranks

The network of `examples/digits`, trained by `examples/digits_parallel`: each batch of 32 images is dealt to the ranks, which
average 9610 gradients after each of the 45 steps of an epoch. The ranks have equal hashes, or the program fails.
"""

SECTION = """
## {where}

| ranks | how | ms per epoch | beside one rank | held-out images read | hash of the weights |
| --- | --- | --- | --- | --- | --- |
{rows}
![Time per epoch over ranks]({picture})

Medians of {rounds} runs of 40 epochs, seed 1, the ways in turn; commit {commit}, load {load}.
"""

TAIL = """
A batch is small: its work is divided by the ranks, and the all-reduce and the launches of a step are not. More ranks than cores
only add to these.

The same number of ranks has the same bits at each run, in one process or in several: a reduction takes the operands in the
order of the ranks. On GPUs NCCL chooses the order. Hashes that differ between runs would be counted in the last column.

[scale.md](scale.md) has the same over hundreds of simulated hosts.

Made by `scripts/digits_parallel_table.py` from `docs/lab/measured/digits_parallel*.json`.
"""


def row(way, ranks, runs, one):
    """`one` is the time of one rank."""
    now = statistics.median(run["ms"] for run in runs)
    hashes = {run["hash"] for run in runs}
    same = f"`{hashes.pop()}`" if len(hashes) == 1 else f"{len(hashes)} different in {len(runs)} runs"
    accuracies = ", ".join(f"{each:.2f} %" for each in sorted({run["accuracy"] for run in runs}))
    return f"| {ranks} | {WAYS[way]} | {now:.2f} | {now / one:.2f} | {accuracies} | {same} |\n"


def section(data, picture):
    context, times = data["context"], medians(data)
    rows = "".join(row(way, ranks, runs, times[way][1]) for way, by_ranks in data["runs"].items()
                   for ranks, runs in sorted(by_ranks.items(), key=lambda item: int(item[0])))
    where = [context["gpus"], context["cpu"], f"{context['cores']} cores", context["mpi"]]
    return SECTION.format(where=", ".join(filter(None, where)), rows=rows, picture=picture, commit=context["commit"],
                          load=context["load"],
                          rounds=max(len(runs) for by_ranks in data["runs"].values() for runs in by_ranks.values()))


def text(x, y, words, anchor="start", extra=""):
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}' {extra}>{words}</text>"


def step_for(most):
    """A round distance between grid lines, for about six of them."""
    step = 10 ** len(str(int(most)))
    for part in (0.5, 0.2, 0.1, 0.05, 0.02, 0.01):
        if most / (step * part) >= 4:
            return step * part
    return step * 0.01


def draw(data):
    times = medians(data)
    most_ranks = max(max(by_ranks) for by_ranks in times.values())
    most = 1.05 * max(value for by_ranks in times.values() for value in by_ranks.values())

    def x_of(ranks):
        return LEFT + 24 + (RIGHT - LEFT - 48) * (ranks - 1) / max(1, most_ranks - 1)

    def y_of(milliseconds):
        return BOTTOM - (BOTTOM - TOP) * milliseconds / most

    parts = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' height='{HEIGHT}' "
             "font-family='DejaVu Sans, Helvetica, Arial, sans-serif' font-size='13' fill='#333'>",
             "<rect width='100%' height='100%' fill='white'/>",
             text(LEFT, 32, "digits_parallel: time per epoch over ranks", extra="font-size='15' font-weight='bold'"),
             f"<text transform='translate(22 {(TOP + BOTTOM) / 2}) rotate(-90)' text-anchor='middle'>milliseconds</text>",
             text((LEFT + RIGHT) / 2, BOTTOM + 42, "ranks", "middle")]
    step = step_for(most)
    for index in range(int(most / step) + 1):
        y = y_of(index * step)
        parts += [f"<path d='M{LEFT} {y:.1f}H{RIGHT}' stroke='#e4e4e4'/>", text(LEFT - 9, y + 4.5, f"{index * step:g}", "end")]
    for ranks in range(1, most_ranks + 1):
        parts += [f"<path d='M{x_of(ranks):.1f} {BOTTOM}v5' stroke='#333'/>", text(x_of(ranks), BOTTOM + 20, ranks, "middle")]
    parts.append(f"<path d='M{LEFT} {TOP}V{BOTTOM}H{RIGHT}' fill='none' stroke='#333'/>")
    for index, (way, by_ranks) in enumerate(times.items()):
        points = [(x_of(ranks), y_of(value)) for ranks, value in sorted(by_ranks.items())]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(f"<path d='M{path}' fill='none' stroke='{COLOURS[way]}' stroke-width='2' stroke-linejoin='round'/>")
        parts += [f"<circle cx='{x:.1f}' cy='{y:.1f}' r='3.5' fill='{COLOURS[way]}'/>" for x, y in points]
        y = TOP + 12 + 24 * index
        parts.append(f"<path d='M{RIGHT + 16} {y}h24' stroke='{COLOURS[way]}' stroke-width='3'/>")
        parts.append(text(RIGHT + 46, y + 4.5, WAYS[way], extra="font-size='12'"))
    return "\n".join(parts + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    parser.add_argument("--gpus", action="store_true")
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.ranks < 1 or arguments.rounds < 1:
        parser.error("one rank and one round are the least")
    if not arguments.tables and not arguments.check:
        name = "digits_parallel_gpu.json" if arguments.gpus else "digits_parallel.json"
        (MEASURED / name).write_text(lab.dumps(measure(arguments)), encoding="utf-8")
    page, files = HEAD, {}
    for name, picture in PICTURES.items():
        if (MEASURED / name).exists():
            data = json.loads((MEASURED / name).read_text(encoding="utf-8"))
            page += section(data, picture)
            files[PAGE.with_name(picture)] = draw(data)
    files[PAGE] = page + TAIL
    stale = []
    for path, words in files.items():
        if not arguments.check:
            path.write_text(words, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != words:
            stale.append(path.relative_to(ROOT).as_posix())
    for name in stale:
        print(f"{name} is not what its figures in docs/lab/measured give: run {pathlib.Path(__file__).name} --tables")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
