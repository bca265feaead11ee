#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels made at random (random_kernels.py, random_planes.py, random_barriers.py), which have to give the same bits however
and wherever they are built.

    random_programs.py [--count 40] [--first 1] [--forms none,quick,optimized] [--planes | --barriers] [--exact] [--batch 5]
                       [--keep FOLDER] [--parallel] [--jobs N] [--seconds N] [--json FILE]

A form is a way to build, or a device; `--forms list` says which there are. Each has a process of its own, and programs with
--batch kernels each. All run groups of several sizes; what other devices than the CPU have to agree about is --exact. A
process that ends or hangs is started again after the kernel at fault. A difference, a crash or a refusal prints the kernel's
number, and --keep writes its source and a line of the differences; `--first NUMBER --count 1` makes the kernel again. At the
end there is a line for each form, which --json writes too. --seconds begins no batch after that time, --parallel lets all forms
of a batch work at once, --jobs is how many batches do. Exit status: 0 all agree, 1 some do not, 77 fewer than two forms are
here.
"""

import argparse
import concurrent.futures
import ctypes
import hashlib
import json
import math
import os
import pathlib
import queue
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import lab  # noqa: E402

import random_barriers
import random_device
import random_kernels
import random_planes

SKIP = 77
WORDS = random_kernels.ITEMS * (random_kernels.SLOTS + 4)  # 2 * random_planes.MOST
PATIENCE = 300  # seconds for one program, with all of its kernels
CONTENTS = 4096  # words of what a kernel reads: an item may go along a row of its own


class Form:
    """How kernels are built: for a device, with options of the build and variables of the environment. Groups of some sizes may
    be left out, those that a driver runs wrongly. `high`: a launch of the highest group comes first, then the code that is
    made for it."""

    def __init__(self, device, build="tiered", options="", compiler="", compiler_flags="", vendors="", without=(), high=False,
                 debugged=False):
        self.device, self.build, self.options, self.high = device, build, options, high
        self.compiler, self.compiler_flags, self.vendors = compiler, compiler_flags, vendors
        self.without, self.debugged = without, debugged

    def environment(self, name, folder):
        """None: it is not here. A compiler for another processor is a script around the real one."""
        environment = dict(os.environ, RT_CPU_BUILD=self.build, RT_CACHE_DIR="off")
        environment["RT_DISABLE"] = ",".join({"cpu", "cuda", "opencl"} - {self.device.split(":", maxsplit=1)[0]})
        if self.debugged:
            environment["RT_CPU_DEBUG"] = str(folder / name)
        if self.compiler:
            program = shutil.which(self.compiler)
            if program is None:
                return None
            wrapper = folder / f"{name}.sh"
            wrapper.write_text("#!/bin/sh\nfor word do\n  shift\n  case $word in -march=native|-mcpu=native) set -- \"$@\" "
                               f"{self.compiler_flags or '$word'};; *) set -- \"$@\" \"$word\";; esac\ndone\n"
                               f"exec {program} \"$@\"\n", encoding="utf-8")
            wrapper.chmod(0o700)
            environment["RT_CC"] = str(wrapper)
        if self.vendors:
            source = pathlib.Path(os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors"))
            files = [file for file in source.glob("*.icd") if self.vendors in file.name]
            if not files:
                return None
            own = folder / f"{name}.icd"
            own.mkdir(exist_ok=True)
            for file in files:
                shutil.copy(file, own)
            environment["OCL_ICD_VENDORS"] = str(own)
        return environment


FORMS = {
    "none": Form("cpu", options="-cl-opt-disable"),
    "quick": Form("cpu", "quick"),
    "optimized": Form("cpu", "optimized"),
    "turned": Form("cpu", "tiered", high=True),  # lanes along the last dimension, then groups of all sizes
    "turned_sse": Form("cpu", "tiered", compiler="g++", compiler_flags="-march=x86-64", high=True),  # beside sse_none
    "avx2": Form("cpu", "optimized", compiler="g++", compiler_flags="-march=haswell"),
    "sse": Form("cpu", "optimized", compiler="g++", compiler_flags="-march=x86-64"),
    "sse_none": Form("cpu", options="-cl-opt-disable", compiler="g++", compiler_flags="-march=x86-64"),  # beside sse: no fma
    "clang": Form("cpu", "optimized", compiler="clang++"),
    "pocl": Form("opencl:0", vendors="pocl", without=((1, 16),)),  # docs/opencl.md: its first item runs twice
    "intel": Form("opencl:0", vendors="intel"),
    "cuda": Form("cuda:0"),
    "debugged": Form("cpu", debugged=True),  # each variable in its place, under its name
    "ir": Form("ir"),  # interpreted, by the program KERNEL_IR
    "ir_passes": Form("ir:all"),  # the same after the passes
    "ir_lanes": Form("ir:lanes0"),  # and with lanes
    "ir_lanes_1": Form("ir:lanes1"),  # along dimension 1 where that can be
    "ir_lanes_2": Form("ir:lanes2"),
}


# ---- The process of one form ----

def contents(seed):
    numbers = random.Random(seed)
    words = [numbers.randrange(1 << 32) if at % 3 else numbers.randrange(16) for at in range(CONTENTS)]
    floats = [numbers.uniform(-8, 8) for _ in range(CONTENTS)]
    return (ctypes.c_uint32 * CONTENTS)(*words), (ctypes.c_float * CONTENTS)(*floats)


def launched(device, module, seed, launches):
    """What the kernel wrote in each launch; None for those that are left out."""
    words, floats = contents(seed)
    results = []
    for launch in launches:
        if launch is None:
            results.append(None)
            continue
        grid, group = launch
        arguments = (words, floats, None, ctypes.c_uint32(5), ctypes.c_int32(3), ctypes.c_size_t(4 * math.prod(group)))
        results.append(device.run(module, f"k{seed}", grid, group, arguments, WORDS))
    return results


def settle(device, module, seeds, kernels, exact):
    """Launches each kernel in the highest group, and waits for the code that is made for these."""
    for seed in seeds:
        high = max((launch for launch in kernels.launches(seed, (), exact) if launch), key=lambda launch: launch[1][-1])
        launched(device, module, seed, [high])
    device.call("rtModuleWait", module, ctypes.c_int32(1), ctypes.c_uint64(PATIENCE * 10**9))  # RT_MODULE_OPTIMIZED


def digest(results):
    return [words and hashlib.sha256(json.dumps(words).encode()).hexdigest()[:16] for words in results]


def agree(one, other):
    """Of two lists of results or digests, for the sizes that both have."""
    return all(None in (a, b) or a == b for a, b in zip(one, other))


def work(name, exact, kernels):
    """Reads lines of seeds, one for each program; says before each kernel which it is, and then what it gave."""
    form = FORMS[name]

    def say(**what):
        print(json.dumps(what), flush=True)

    try:
        device = random_device.opened(form.device)
    except random_device.Error as error:
        say(absent=str(error))
        return
    say(device=form.device)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            module = device.module(kernels.source(request["seeds"], exact), form.options)
        except random_device.Error as error:
            say(refused=str(error))
            continue
        if form.high:
            settle(device, module, request["seeds"], kernels, exact)
        for seed in request["seeds"]:
            say(seed=seed)
            results = launched(device, module, seed, kernels.launches(seed, form.without, exact))
            say(results=results if request.get("whole") else digest(results))
        device.destroy(module)
        say(done=True)


# ---- The process that compares ----

class Worker:
    """A process for one form, started when it is first asked and again when it has ended."""

    def __init__(self, name, arguments, folder):
        self.name, self.exact, self.planes, self.barriers = name, arguments.exact, arguments.planes, arguments.barriers
        self.environment = FORMS[name].environment(name, folder)
        self.said = tempfile.TemporaryFile()  # pylint: disable=consider-using-with
        self.process = None
        self.absent = "" if self.environment is not None else "it is not installed"

    def start(self):
        command = [sys.executable, os.path.abspath(__file__), "--work", self.name]
        command += ["--exact"] * self.exact + ["--planes"] * self.planes + ["--barriers"] * self.barriers
        # pylint: disable-next=consider-using-with
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.said, text=True,
                                        env=self.environment, start_new_session=True)
        self.absent = self.read().get("absent", "")
        return not self.absent

    def read(self):
        line = self.process.stdout.readline()
        while line and not line.startswith("{"):  # what a driver prints
            line = self.process.stdout.readline()
        return json.loads(line) if line else {}

    def stop(self):
        """How the process ended; it is killed with what it started."""
        if self.process is None:
            return ""
        try:
            self.process.stdin.close()
            code = self.process.wait(20)
        except (subprocess.TimeoutExpired, OSError):
            code = -signal.SIGKILL
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.said.seek(0)
        said = self.said.read().decode(errors="replace").strip().splitlines()
        self.said.truncate(0)
        self.process = None
        how = f"signal {-code}" if code < 0 else f"exit status {code}"
        return f"{how}: {said[-1][:200]}" if said else how

    def ask(self, seeds, whole=False):
        """The results of each seed, and why there are none of the others: {seed: [...]}, {seed: reason}."""
        if self.process is None and not self.start():
            return {}, {}
        timer = threading.Timer(PATIENCE, lambda process: os.killpg(process.pid, signal.SIGKILL), [self.process])
        timer.start()
        found, at = {}, None
        try:
            self.process.stdin.write(json.dumps({"seeds": seeds, "whole": whole}) + "\n")
            self.process.stdin.flush()
            while True:
                answer = self.read()
                if "seed" in answer:
                    at = answer["seed"]
                elif "results" in answer:
                    found[at] = answer["results"]
                elif "done" in answer:
                    return found, {}
                else:
                    break
        except OSError:
            answer = {}
        finally:
            timer.cancel()
        refused = answer.get("refused")
        reason = f"refused: {refused.splitlines()[0][:300]}" if refused else f"the process ended with {self.stop()}"
        if len(seeds) == 1:
            return found, {seeds[0]: reason}
        # Each kernel by itself: one of them is at fault, and a compiler may end for the whole program.
        wrong = {}
        for seed in seeds:
            if seed not in found:
                own, bad = self.ask([seed])
                found.update(own)
                wrong.update(bad)
        if not wrong:
            print(f"{self.name}: kernels {seeds[0]} to {seeds[-1]} together: {reason}; each by itself is built", flush=True)
        return found, wrong


class Comparison:
    """Compares batches, --jobs at a time. Each has a crew of workers while it runs: one for each form."""

    def __init__(self, arguments, names, folder):
        self.arguments = arguments
        self.kernels = makers(arguments)
        self.crews = [{name: Worker(name, arguments, folder) for name in names} for _ in range(arguments.jobs)]
        self.free = queue.SimpleQueue()
        for crew in self.crews:
            self.free.put(crew)
        self.agreed = dict.fromkeys(names, 0)
        self.differed, self.failed = {name: [] for name in names}, {name: [] for name in names}
        self.programs = 0
        self.counting = threading.Lock()
        self.pool = concurrent.futures.ThreadPoolExecutor(len(names) * arguments.jobs)

    def keep(self, seed, text):
        print(f"kernel {seed}: {text}", flush=True)
        if self.arguments.keep:
            self.arguments.keep.mkdir(parents=True, exist_ok=True)
            path = self.arguments.keep / f"{seed}{'.exact' if self.arguments.exact else ''}.cl"
            path.write_text(self.kernels.source([seed], self.arguments.exact), encoding="utf-8")
            with open(self.arguments.keep / "differences.txt", "a", encoding="utf-8") as file:
                file.write(f"{path.name}: {text}\n")

    def place(self, crew, seed, one, other):
        """Where two forms differ first."""
        results = [crew[name].ask([seed], whole=True)[0].get(seed) for name in (one, other)]
        if None in results:
            return "only once"
        for size, a, b in zip(self.kernels.GROUPS, *results):
            for at, (x, y) in enumerate(zip(a or (), b or ())):
                if x != y:
                    return f"for groups of {size} at word {at}, {x:#x} and {y:#x}"
        return "only once"

    def answers(self, crew, seeds):
        """What each form gave and why it gave nothing else."""
        present = [name for name, worker in crew.items() if not worker.absent]
        if self.arguments.parallel:
            asked = self.pool.map(lambda name: crew[name].ask(seeds), present)
        else:
            asked = (crew[name].ask(seeds) for name in present)
        return {name: answer for name, answer in zip(present, asked) if not crew[name].absent or any(answer)}

    def run(self, seeds):
        crew = self.free.get()
        try:
            answers = self.answers(crew, seeds)
            places = {(seed, name): f"{name} differs from {first} {self.place(crew, seed, first, name)}"
                      for seed in seeds for first, name in self.differing(answers, seed)}
        finally:
            self.free.put(crew)
        with self.counting:
            self.programs += len(seeds)
            for name, (found, wrong) in answers.items():
                for seed, reason in wrong.items():
                    self.failed[name].append(seed)
                    self.keep(seed, f"{name}: {reason}")
                self.agreed[name] += sum((seed, name) not in places for seed in found)
            for (seed, name), text in places.items():
                self.differed[name].append(seed)
                self.keep(seed, text)

    @staticmethod
    def differing(answers, seed):
        """The first form that ran a kernel, and each that gave something else."""
        having = [(name, found[seed]) for name, (found, _) in answers.items() if seed in found]
        return [(having[0][0], name) for name, results in having if not agree(results, having[0][1])]

    def run_all(self):
        """Runs all batches, or as many as are begun within --seconds."""
        asked = self.arguments
        last = asked.first + asked.count
        batches = iter([list(range(at, min(at + asked.batch, last))) for at in range(asked.first, last, asked.batch)])
        end = time.monotonic() + asked.seconds
        late = threading.Event()

        def some():
            for seeds in iter(lambda: self.next_of(batches), None):
                if time.monotonic() > end:
                    if not late.is_set():
                        print(f"stopped before kernel {seeds[0]}, after {asked.seconds:.0f} s")
                    late.set()
                    return
                self.run(seeds)

        with concurrent.futures.ThreadPoolExecutor(len(self.crews)) as pool:
            for ended in [pool.submit(some) for _ in self.crews]:
                ended.result()

    def next_of(self, batches):
        with self.counting:
            return next(batches, None)

    def end(self):
        """Prints what came out; the exit status."""
        for crew in self.crews:
            for worker in crew.values():
                worker.stop()
        absent, lost = {}, []
        for name in self.agreed:
            reasons = [crew[name].absent for crew in self.crews if crew[name].absent]
            compared = self.agreed[name] + len(self.differed[name]) + len(self.failed[name])
            if reasons and not compared:
                absent[name] = reasons[0]
                print(f"{name}: left out, {reasons[0]}")
                continue
            print(f"{name}: {self.agreed[name]} agree, {len(self.differed[name])} differ, {len(self.failed[name])} not run")
            if compared < self.programs:
                lost.append(name)
                print(f"{name}: {self.programs - compared} kernels were not compared: {', '.join(reasons) or 'no answer'}")
        present = [name for name in self.agreed if name not in absent]
        if self.arguments.json:
            forms = {name: {"agree": self.agreed[name], "differ": self.differed[name], "not_run": self.failed[name]}
                     for name in present}
            self.arguments.json.write_text(lab.dumps({
                "commit": self.arguments.commit, "device": self.arguments.device, "exact": self.arguments.exact,
                "first": self.arguments.first, "programs": self.programs, "forms": forms}), encoding="utf-8")
        if len(present) < 2 or not self.programs:
            print("SKIP: there is nothing to compare")
            return SKIP
        return 1 if lost or any(self.differed[name] or self.failed[name] for name in present) else 0


def makers(arguments):
    return random_planes if arguments.planes else random_barriers if arguments.barriers else random_kernels


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--forms", default="none,quick,optimized")
    parser.add_argument("--batch", type=int, default=5)
    parser.add_argument("--exact", action="store_true")
    parser.add_argument("--planes", action="store_true", help="kernels over planes")
    parser.add_argument("--barriers", action="store_true", help="kernels with barriers in control of all kinds")
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--parallel", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--commit", default="unknown", help="for --json")
    parser.add_argument("--device", default="", help="for --json: the machine's own, in words")
    parser.add_argument("--work", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.work:
        work(arguments.work, arguments.exact, makers(arguments))
        return 0
    if arguments.forms == "list":
        print(" ".join(FORMS))
        return 0
    if arguments.jobs < 1 or arguments.batch < 1 or arguments.count < 1:
        parser.error("one job, one kernel in a batch and one kernel are the least")
    names = arguments.forms.split(",")
    if unknown := [name for name in names if name not in FORMS]:
        parser.error(f"unknown forms: {' '.join(unknown)}")
    with tempfile.TemporaryDirectory() as folder:
        comparison = Comparison(arguments, names, pathlib.Path(folder))
        comparison.run_all()
        return comparison.end()


if __name__ == "__main__":
    sys.exit(main())
