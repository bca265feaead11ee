#!/usr/bin/env python3
"""Runs all-reduces and digits_parallel over simulated hosts, and writes what came of it beside a model; use it as
scale_table.py [--most HOSTS] [--core N] [--build FOLDER]   measures, writes page and picture (scripts/scale.sh builds first)
scale_table.py --creation  measures creations and splits, and keeps the rest
scale_table.py --epochs    measures the epochs that the figures lack, up to --most hosts, and keeps the rest
scale_table.py --tables    writes these again
scale_table.py --check     ends with 1 if they are not what the figures give

Figures are kept in docs/lab/measured/scale.json; docs/lab/scale.md and docs/lab/scale.svg are made of them alone."""
import argparse
import json
import math
import pathlib
import sys

import lab
import scale_measure
import scale_picture

ROOT = pathlib.Path(__file__).resolve().parent.parent
FIGURES = ROOT / "docs/lab/measured/scale.json"
PAGE = ROOT / "docs/lab/scale.md"
PICTURE = ROOT / "docs/lab/scale.svg"
BATCH = 32  # images of a step, as kBatch of the example
FEW = 64  # hosts of which each sends to each, as kFewRanks of mpi/rank.h


class Model:
    """Closed forms: alpha is the latency of a message, beta the time of a byte."""

    def __init__(self, context):
        self.alpha = 2 * context["link_seconds"]
        self.beta = 1 / context["link_bytes_per_second"]

    def all_reduce(self, algorithm, hosts, size):
        rounds = math.log2(hosts)
        if algorithm == "recursive doubling":
            return rounds * (self.alpha + size * self.beta)
        if algorithm == "ring":
            return 2 * (hosts - 1) * (self.alpha + size / hosts * self.beta)
        return 2 * rounds * self.alpha + 2 * (hosts - 1) / hosts * size * self.beta

    def epoch(self, hosts, steps, gradient):
        """What an epoch sends: the gradients of each step, and the sum of three floats, by the algorithms that are run."""
        results = self.all_reduce("recursive doubling", hosts, 12)
        return steps * self.all_reduce("halving and doubling", hosts, gradient) + results


def words_of(size):
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"


def microseconds(seconds):
    return f"{seconds * 1e6:.2f}" if seconds < 1e-4 else f"{seconds * 1e6:.0f}"


def best_of(data, hosts, size):
    rows = [row for row in data["all_reduce"] if row["hosts"] == hosts and row["bytes"] == size]
    return min(rows, key=lambda row: row["seconds"]), rows


def hosts_of(rows):
    return sorted({row["hosts"] for row in rows})


HEAD = """# Over simulated hosts

What `rtCommAllReduce` would take on up to {most} hosts, and the training of `examples/digits_parallel` on up to
{most_training}, of which there are none here: SimGrid's SMPI runs the same sources and libraries over simulated ones.
`scripts/scale.sh` measures and writes this page.

![All-reduces and an epoch over hosts]({picture})

**What runs.** `libmanyrt.so` and `libmanyrt-comm.so` are those of the build; `libmanyrt-comm-mpi.so` and the programs are
compiled against SMPI's `mpi.h` (`cmake/ManyrtSmpi.cmake`). It is no replay: every rank trains, on real images with real
messages, as a thread of one process, and the sums and hashes are compared. `RT_COMM_MPI=collectives` makes the library call
MPI's collectives. SMPI has no `MPI_THREAD_MULTIPLE`, so the library calls it on the rank's own thread
([design/comm.md](../design/comm.md)).

**What is simulated.** {simulator}. A crossbar: each host has a link of {gbit:g} Gbit/s and {link_us:g} us each way, and a
message takes two of them, so alpha = {alpha_us:g} us and beta = {beta_ns:.3g} ns for a byte. SMPI's factors of bandwidth and
latency, which were measured on other machines, are off, and so is what a message costs the processors of both hosts:
{settings}.

**What is not.** Computation takes no simulated time: neither the additions of a reduction nor the network. What a rank
computes is measured on this machine ({cpu}) by `scale_compute`, which runs the last rank of so many without the others, with
one thread for kernels: the least of five medians of 60 epochs. An epoch is the sum of both, as each step ends with an
all-reduce of all ranks, and they are taken to be equally fast.

## All-reduce

Float32, sums, out of place, from the last rank's start to the last rank's end. p hosts, n bytes:

| algorithm | SMPI's name | model |
| --- | --- | --- |
| recursive doubling | `rdb` | log2(p) (alpha + n beta) |
| halving and doubling (Rabenseifner) | `mvapich2_rs` | 2 log2(p) alpha + 2 (p - 1) / p n beta |
| ring | `lr` | 2 (p - 1) (alpha + n / p beta) |

Each table has the fastest of those that were simulated (`smpi/allreduce`). A ring was simulated from {ring_size} on and up to
{ring_hosts} hosts, since it sends 2 (p - 1) messages a rank, and recursive doubling of {doubling_size} up to {doubling_hosts}
hosts. The sums are checked up to 4 MiB; longer operands of all ranks are one piece of memory. The last column is of all
algorithms: how far a simulation is from its model at most. Halving leaves the rest of elements that p does not divide, as those
of {elements} gradients, to the last rank, which the model does not have.
"""

SIZE_HEAD = """
### {size}{of}

| hosts | fastest | simulated, us | model, us | simulated / model | others, us | farthest from the model |
| --- | --- | --- | --- | --- | --- | --- |
"""

CREATION = """
## Creation and splits

`rtCommCreateFromMpi` of all hosts, and `rtCommSplit` into every second rank, by `scale_create`, which checks ranks, sizes and
a sum over each: simulated time, and what the simulation took on one core of this machine. Creation is three copies of MPI's
communicator and two agreements of MPI, a split one split and two copies; the algorithms are those that SMPI chooses. The
library itself adds no step that grows with the hosts.

| hosts | creation, us | split, us | simulation, s |
| --- | --- | --- | --- |
{rows}
## Memory of a rank

What a rank takes that has run no operation, in a communicator of one process with one context of the CPU (`scale_memory`). Of
engines among processes the process's own memory is that of its own ranks. What grows with the ranks of all is in
[design/comm.md](../design/comm.md#many-ranks).

| engine | ranks | own, KiB | in /dev/shm, KiB |
| --- | --- | --- | --- |
{memory}
Creation, splits and memory: commit {commit}.
"""

EPOCH = """
## An epoch of digits

{images} images, {held_out} of them held out; {steps} steps of {batch} images, which are dealt to the hosts (strong
scaling). After each step {gradient} bytes of gradients are averaged by halving and doubling. Sending is a
difference of runs, as the simulation is exact: of as many epochs as the table says and of one; where that is one, of it and
one of {few} images, and of two of these. "Equal": ranks whose weights were compared at the end of the longest run, and
were the same.

| hosts | images a step | computing, ms | sending, ms | its model, ms | epoch, ms | one host | read right | epochs | equal |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
{rows}
"One host": how many times faster than one, which computes an epoch in {one_ms:.2f} ms. The order of a sum depends on the number
of hosts, so hashes and accuracies differ between rows.

## What breaks first

{breaks}
Made by `scripts/scale_table.py` from `docs/lab/measured/scale.json`; commit {commit}{later}.
"""


def size_section(data, model, size):
    gradient = data["context"]["gradient_bytes"]
    text = SIZE_HEAD.format(size=words_of(size), of=", the gradients of digits" if size == gradient else "")
    for hosts in hosts_of(data["all_reduce"]):
        best, rows = best_of(data, hosts, size)
        modelled = model.all_reduce(best["algorithm"], hosts, size)
        others = ", ".join(f"{row['algorithm']} {microseconds(row['seconds'])}" for row in rows if row is not best) or "-"
        away = max(abs(row["seconds"] / model.all_reduce(row["algorithm"], hosts, size) - 1) for row in rows)
        text += (f"| {hosts} | {best['algorithm']} | {microseconds(best['seconds'])} | {microseconds(modelled)} | "
                 f"{best['seconds'] / modelled:.3f} | {others} | {100 * away:.1f} % |\n")
    return text


def computing(data, hosts):
    return next(row for row in data["compute"] if row["hosts"] == hosts)


def share_words(hosts):
    return f"{BATCH // hosts}" if hosts <= BATCH else f"1 on {BATCH} of {hosts} ranks"


def epoch_rows(data, model, steps):
    one = computing(data, 1)["seconds"]
    text = ""
    for row in data["epochs"]:
        hosts, compute = row["hosts"], computing(data, row["hosts"])["seconds"]
        total = compute + row["seconds"]
        sending = model.epoch(hosts, steps, data["context"]["gradient_bytes"])
        text += (f"| {hosts} | {share_words(hosts)} | {compute * 1e3:.3f} | {row['seconds'] * 1e3:.3f} | {sending * 1e3:.3f} | "
                 f"{total * 1e3:.3f} | {one / total:.2f} times | {row['accuracy']:.2f} % | {row['epochs']} | "
                 f"{row['equal_hashes']} of {hosts} |\n")
    return text


def breaks(data, model):
    """Sentences from the figures, in the order of the number of hosts at which each happens."""
    gradient = data["context"]["gradient_bytes"]
    compute = {row["hosts"]: row["seconds"] for row in data["compute"]}
    memory = {row["hosts"]: row["memory_mib"] for row in data["compute"]}
    sending = {row["hosts"]: row["seconds"] for row in data["epochs"]}
    total = {hosts: compute[hosts] + seconds for hosts, seconds in sending.items()}
    most, best = max(total), min(total, key=total.get)
    found = []
    passes = next((hosts for hosts in sorted(total) if sending[hosts] > compute[hosts]), None)
    if passes is not None:
        found.append((passes, f"**At {passes} hosts sending takes longer than computing**: {sending[passes] * 1e3:.3f} ms "
                      f"of an epoch beside {compute[passes] * 1e3:.3f} ms."))
    found.append((best, f"**The shortest epoch is that of {best} hosts**: {total[best] * 1e3:.3f} ms, "
                  f"{compute[1] / total[best]:.2f} times as fast as one host. {most} hosts take {total[most] * 1e3:.3f} ms."))
    beyond = next((hosts for hosts in sorted(total) if hosts > BATCH), None)
    if beyond is not None:
        found.append((beyond, f"**From {beyond} hosts on some ranks have no image of a step**, as a batch has {BATCH}; they "
                      f"add zeros. Computing goes from {compute[BATCH] * 1e3:.3f} ms at {BATCH} hosts to "
                      f"{compute[most] * 1e3:.3f} ms at {most}: what is left are launches, the update of all weights and the "
                      "dealing of the images."))
    found.append((FEW, "**The library's own reductions** (`RT_COMM_MPI=messages`, the default) send messages from each rank to "
                  f"each up to {FEW} hosts, two for the gradients and one to meet. Among more they meet by one small reduction "
                  "of MPI and move parts by its all-to-all and all-gather, so that operands keep their order: as many bytes as "
                  "halving and doubling, in the messages that MPI's algorithms choose. They are not simulated here, since what "
                  "a message costs a processor is not."))
    share = 2 * math.log2(most) * model.alpha / model.all_reduce("halving and doubling", most, gradient)
    found.append((most, f"**Latency**: {100 * share:.0f} % of the model's all-reduce of the gradients at {most} hosts are "
                  "alpha. Fewer and larger steps would avoid it; a faster link would not."))
    found.append((most, f"**Memory does not break, and does not shrink**: a rank takes {memory[1]:.1f} MiB alone and "
                  f"{memory[most]:.1f} MiB as one of {most}, since each keeps all weights and reads all images."))
    last = data["epochs"][-1]
    found.append((most, f"**The simulation**: {last['epochs']} epochs over {last['hosts']} hosts took {last['took']:.0f} s on "
                  "one core of this machine."))
    found.sort(key=lambda each: each[0])
    return "".join(f"{number}. {text}\n" for number, (_, text) in enumerate(found, 1))


def later(data):
    rows = [row for row in data["epochs"] if "commit" in row]
    return "".join(f", the epoch of {row['hosts']} hosts {row['commit']}" for row in rows)


def page(data):
    context, model = data["context"], Model(data["context"])
    images, held_out = data["epochs"][0]["images"]
    steps = -(-(images - held_out) // BATCH)
    text = HEAD.format(most=hosts_of(data["all_reduce"])[-1], most_training=hosts_of(data["epochs"])[-1],
                       picture=PICTURE.name, elements=context["gradient_bytes"] // 4,
                       simulator=context["simulator"], cpu=context["cpu"],
                       gbit=context["link_bytes_per_second"] * 8e-9, link_us=context["link_seconds"] * 1e6,
                       alpha_us=model.alpha * 1e6, beta_ns=model.beta * 1e9,
                       settings=", ".join(f"`{each}`" for each in context["settings"]),
                       ring_size=words_of(scale_measure.RING[0]), ring_hosts=scale_measure.RING[1],
                       doubling_size=words_of(scale_measure.DOUBLING[0]), doubling_hosts=scale_measure.DOUBLING[1])
    for size in sorted({row["bytes"] for row in data["all_reduce"]}):
        text += size_section(data, model, size)
    rows = data["creation"]["rows"]
    memory = "".join(f"| {row['engine']} | {row['ranks']} | {row['own'] / 1024:.1f} | {row['shared'] / 1024:.0f} |\n"
                     for row in data["creation"]["memory"])
    text += CREATION.format(commit=data["creation"]["commit"], memory=memory, rows="".join(
        f"| {row['hosts']} | {row['create'] * 1e6:.1f} | {row['split'] * 1e6:.1f} | {row['took']:.1f} |\n" for row in rows))
    return text + EPOCH.format(images=images, held_out=held_out, steps=steps, batch=BATCH, few=scale_measure.FEW_IMAGES,
                               gradient=context["gradient_bytes"], rows=epoch_rows(data, model, steps),
                               breaks=breaks(data, model), commit=context["commit"],
                               later=later(data), one_ms=computing(data, 1)["seconds"] * 1e3)


def curves(data):
    """For the picture: by size the simulated points and the model's, and the parts of an epoch."""
    model, hosts = Model(data["context"]), hosts_of(data["epochs"])
    reduce = {}
    for size in sorted({row["bytes"] for row in data["all_reduce"]}):
        best = [best_of(data, each, size)[0] for each in hosts_of(data["all_reduce"])]
        reduce[words_of(size)] = {"simulated": [(row["hosts"], row["seconds"]) for row in best],
                                  "model": [(row["hosts"], model.all_reduce(row["algorithm"], row["hosts"], size))
                                            for row in best]}
    images, held_out = data["epochs"][0]["images"]
    steps = -(-(images - held_out) // BATCH)
    compute = {row["hosts"]: row["seconds"] for row in data["compute"]}
    sending = {row["hosts"]: row["seconds"] for row in data["epochs"]}
    epoch = {
        "epoch": [(each, compute[each] + sending[each]) for each in hosts],
        "computing": [(each, compute[each]) for each in hosts],
        "sending": [(each, sending[each]) for each in hosts],
    }
    modelled = [(each, model.epoch(each, steps, data["context"]["gradient_bytes"])) for each in hosts]
    return reduce, epoch, modelled


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=scale_measure.HOSTS[-1])
    parser.add_argument("--core", type=int, default=1)
    parser.add_argument("--build", default=str(ROOT / "build/release"))
    parser.add_argument("--creation", action="store_true")
    parser.add_argument("--epochs", action="store_true")
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if arguments.most < scale_measure.HOSTS[0]:
        parser.error(f"{scale_measure.HOSTS[0]} hosts are the least")

    def keep(data):
        FIGURES.write_text(lab.dumps(data), encoding="utf-8")

    build = pathlib.Path(arguments.build).resolve()
    if arguments.epochs:
        data = json.loads(FIGURES.read_text(encoding="utf-8"))
        scale_measure.add_epochs(data, build, arguments.most, arguments.core, keep)
    elif arguments.creation:
        data = json.loads(FIGURES.read_text(encoding="utf-8"))
        scale_measure.add_creations(data, build, arguments.most, arguments.core, keep)
    elif not arguments.tables and not arguments.check:
        keep(scale_measure.measure(build, arguments.most, arguments.core))
    data = json.loads(FIGURES.read_text(encoding="utf-8"))
    stale = []
    for path, words in {PAGE: page(data), PICTURE: scale_picture.draw(*curves(data))}.items():
        if not arguments.check:
            path.write_text(words, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != words:
            stale.append(path.relative_to(ROOT).as_posix())
    for name in stale:
        print(f"{name} is not what docs/lab/measured/scale.json gives: run {pathlib.Path(__file__).name} --tables")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
