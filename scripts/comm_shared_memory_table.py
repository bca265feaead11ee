#!/usr/bin/env python3
"""Measures all-reduces between two processes of one host beside Open MPI and gloo; use it as
comm_shared_memory_table.py [--rounds R] [--seconds S] [--build FOLDER] [--python PYTHON]    measures, writes the page
comm_shared_memory_table.py --tables    writes it again
comm_shared_memory_table.py --check     ends with 1 if it is not what the figures give

Figures are kept in docs/lab/measured/comm_shared_memory.json, the page is docs/lab/comm-shared-memory.md.
bench_comm_shared_memory has ours and Open MPI's in the same two processes, in turns; gloo, of the PyTorch that PYTHON imports,
has two of its own, and is left out where there is none. Each of R rounds runs both programs, with S seconds for each length.
The least of all rounds counts: a machine that others use takes time from each, and never gives any."""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import lab

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs/lab/measured/comm_shared_memory.json"
PAGE = ROOT / "docs/lab/comm-shared-memory.md"
TIMES, PLUS = 1.05, 2.0  # of the better peer, and microseconds more


def run_once(words):
    """(what the first line names, {bytes: [nanoseconds of each candidate]})"""
    environment = dict(os.environ)
    if os.geteuid() == 0:  # Open MPI asks twice
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = subprocess.run(words, capture_output=True, text=True, timeout=1800, env=environment, check=False)
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines or not lines[0].startswith("# "):
        raise SystemExit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return lines[0][2:], {line.split()[0]: [float(word) for word in line.split()[1:]] for line in lines[1:]}


def keep_least(rows, names, measured):
    for length, values in measured.items():
        for name, value in zip(names, values):
            row = rows.setdefault(length, {})
            row[name] = min(row.get(name, value), value)


def measure(arguments):
    mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    program = str(pathlib.Path(arguments.build).resolve() / "bin/bench_comm_shared_memory")
    has_gloo = arguments.python and subprocess.run([arguments.python, "-c", "import torch.distributed"], capture_output=True,
                                                   check=False).returncode == 0
    rows, peers = {}, {}
    for round_number in range(arguments.rounds):
        peers["mpi"], measured = run_once([mpirun, "-n", "2", program, str(arguments.seconds)])
        keep_least(rows, ("manyrt", "mpi"), measured)
        if has_gloo:
            peers["gloo"], measured = run_once([arguments.python, str(ROOT / "benchmarks/gloo_all_reduce.py"),
                                                str(arguments.seconds)])
            keep_least(rows, ("gloo",), measured)
        print(f"round {round_number + 1} of {arguments.rounds}", file=sys.stderr)
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False, cwd=ROOT)
    context = {"commit": os.environ.get("COMMIT") or commit.stdout.strip(), "cores": len(os.sched_getaffinity(0)),
               "cpu": cpu[1] if cpu else "", "peers": peers, "rounds": arguments.rounds, "seconds": arguments.seconds,
               "load": round(os.getloadavg()[0], 1), "nice": os.nice(0)}
    return {"context": context, "rows": rows}


def size_name(length):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if length >= unit:
            return f"{length // unit} {name}"
    return f"{length} B"


def page(data):
    context, rows = data["context"], data["rows"]
    has_gloo = "gloo" in context["peers"]
    names = ["mpi"] + (["gloo"] if has_gloo else [])
    lines = [
        "# All-reduces between two processes of one host",
        "",
        "Floats, a sum, each waited for: the call of the library and `rtStreamSynchronize` on a stream of the CPU, in",
        "processes that share memory ([design/comm.md](../design/comm.md#a-collective-among-processes-of-one-host)). Beside it",
        "`MPI_Allreduce` of the same processes and memory, in turns"
        + (", and gloo's in two processes of its own, in place." if has_gloo else "."),
        "",
        f"{context['cpu']}, {context['cores']} cores, {context['peers']['mpi']}"
        + (f", {context['peers']['gloo']}" if has_gloo else "") + ". Microseconds of one all-reduce:",
        f"the least of {context['rounds']} rounds of {context['seconds']} s for each length, since other programs had the "
        f"cores, too (load {context['load']}"
        + (f"; these ones ran with priority {context['nice']}, all alike)." if context["nice"] else ")."),
        "",
        "| length | manyrt | Open MPI |" + (" gloo |" if has_gloo else "") + " manyrt / better | goal |",
        "| --- | --- | --- |" + (" --- |" if has_gloo else "") + " --- | --- |",
    ]
    missed = 0
    for length, row in sorted(rows.items(), key=lambda item: int(item[0])):
        ours, others = row["manyrt"] / 1000, [row[name] / 1000 for name in names]
        better = min(others)
        met = ours <= TIMES * better + PLUS
        missed += not met
        cells = [size_name(int(length)), f"{ours:.2f}", *(f"{other:.2f}" for other in others), f"{ours / better:.2f}",
                 "met" if met else "MISSED"]
        lines.append("| " + " | ".join(cells) + " |")
    lines += [
        "",
        f"The goal is at most {TIMES} of the better one and {PLUS:g} us: " + ("met at each length." if missed == 0
                                                                        else f"missed at {missed} of {len(rows)} lengths."),
        "Commit " + context["commit"] + ".",
        "",
        "Made by `scripts/comm_shared_memory_table.py` from `docs/lab/measured/comm_shared_memory.json`.",
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if not arguments.tables and not arguments.check:
        FIGURES.write_text(lab.dumps(measure(arguments)), encoding="utf-8")
    text = page(json.loads(FIGURES.read_text(encoding="utf-8")))
    if arguments.check:
        same = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
        print(f"{PAGE.name} is {'as' if same else 'not what'} the figures give{'' if same else ': run --tables'}")
        return 0 if same else 1
    PAGE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
