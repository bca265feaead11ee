#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels whose text is plain C too: what a C compiler makes of them (-O0 -fwrapv, one item after the other), each form of
the CPU's code has to give as well, word by word.

    plain_c.py [--forms quick,optimized,tiered] [--random COUNT] [--rows COUNT] [--places COUNT] [--first 1] [--keep FOLDER]
               [--seconds N] [FILE ...]

The files are those of plain_c/ unless some are named; --random makes kernels (random_c.py) instead, --rows such with
neighbouring elements (random_rows.py), --places such with indices that wrap (random_places.py). `tiered` launches the same
kernel again once the optimised code has come; the other forms are those of random_programs.py. The first line of a file says
// N=items[xM] GROUP=g[xh] OUT=words IN=words of an item, BIG=the last argument, SMALL=what the words of `in` are less than.
A file with vectors has its plain C behind #ifdef PLAIN_C. Exit status: 0 all agree, 1 some do not, 77 no C compiler is here.
"""

import argparse
import ctypes
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import random_c
import random_device
import random_places
import random_rows
from random_programs import FORMS, Form

HERE = pathlib.Path(__file__).resolve().parent
SKIP = 77
OPTIMIZED = ctypes.c_int32(1)  # RT_MODULE_OPTIMIZED
PATIENCE = 120  # seconds for one kernel
FILL = 0xDEADBEEF
ALL = dict(FORMS, tiered=Form("cpu", "tiered"))


def numbers(count, seed):
    state, made = seed, []
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) & (2**64 - 1)
        made.append(state >> 32)
    return made


class Left(Exception):
    """A kernel that is not compared."""


class Launch:
    """What the first line of a kernel says."""

    def __init__(self, source):
        head = dict(re.findall(r"(\w+)=(\S+)", source.split("\n", maxsplit=1)[0]))

        def pair(name, otherwise):
            values = [int(value) for value in head.get(name, otherwise).split("x")]
            return values + [1] * (2 - len(values))

        self.group = pair("GROUP", "64")
        self.grid = [-(-size // group) for size, group in zip(pair("N", "1000"), self.group)]
        size = pair("N", "1000")
        self.items = size[0] * size[1]
        self.limit = self.items if size[1] == 1 else size[0]  # the argument n
        self.whole = [grid * group for grid, group in zip(self.grid, self.group)]
        self.words = self.whole[0] * self.whole[1] * int(head.get("OUT", "1"))
        self.big = int(head.get("BIG", "0"), 0)
        read = numbers(self.whole[0] * self.whole[1] * int(head.get("IN", "1")) + 64, 12345)
        small = int(head.get("SMALL", "0"))
        self.read = [number % small for number in read] if small else read


def compiled(compiler, source, folder):
    """The library of plain C."""
    (folder / "plain.c").write_text(source, encoding="utf-8")
    library = folder / f"plain{time.monotonic_ns()}.so"
    subprocess.run([compiler, "-O0", "-fwrapv", "-ffp-contract=off", "-fsigned-char", "-w", "-std=gnu11", "-include",
                    HERE / "plain_c.h", "-shared", "-fPIC", "-Wl,-Bsymbolic", folder / "plain.c", "-o", library], check=True)
    return library


def wanted(library, launch):
    """The words of plain C."""
    loaded = ctypes.CDLL(str(library))
    out = (ctypes.c_uint32 * launch.words)(*([FILL] * launch.words))
    read = (ctypes.c_uint32 * len(launch.read))(*launch.read)
    sizes = [(ctypes.c_uint32 * 2)(*size) for size in (launch.whole, launch.group)]
    loaded.run_all(out, read, ctypes.c_uint32(launch.limit), ctypes.c_uint64(launch.big), *sizes)
    return list(out)


def work(name):
    """The process of a form: a line with a source each, and a line with the words of each launch back."""
    device = random_device.opened(ALL[name].device)
    for line in sys.stdin:
        source = json.loads(line)
        launch = Launch(source)
        out = (ctypes.c_uint32 * launch.words)(*([FILL] * launch.words))
        read = (ctypes.c_uint32 * len(launch.read))(*launch.read)
        arguments = (out, read, ctypes.c_uint32(launch.limit), ctypes.c_uint64(launch.big))
        try:
            module = device.module(source, "")
            results = [device.changed(module, "t", launch.grid, launch.group, arguments)]
            if name == "tiered":
                device.call("rtModuleWait", module, OPTIMIZED, ctypes.c_uint64(PATIENCE * 10**9))
                results.append(device.changed(module, "t", launch.grid, launch.group, arguments))
            device.destroy(module)
            print(json.dumps({"results": results}), flush=True)
        except random_device.Error as error:
            print(json.dumps({"error": str(error)}), flush=True)


class Worker:
    """A process for a form, made again when a kernel has ended it."""

    def __init__(self, name, environment):
        self.name, self.environment, self.process = name, environment, None

    def ask(self, source):
        if self.process is None:
            self.process = subprocess.Popen([sys.executable, __file__, "--work", self.name], env=self.environment, text=True,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        timer = threading.Timer(2 * PATIENCE, self.process.kill)
        timer.start()
        self.process.stdin.write(json.dumps(source) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        timer.cancel()
        if line:
            return json.loads(line)
        self.process.wait()
        code, self.process = self.process.returncode, None
        return {"error": f"the process ended with {code}"}

    def end(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()


def difference(answer, right, words):
    """What is wrong about an answer; None: nothing."""
    if "error" in answer:
        return answer["error"][:600]
    for number, result in enumerate(answer["results"]):
        bad = [at for at, value in enumerate(right) if result[at] != value]
        if bad:
            at = bad[0]
            return (f"launch {number + 1}: {len(bad)} of {len(right)} words, first item {at // words}, word {at % words}: "
                    f"{result[at]:#x} instead of {right[at]:#x}")
    return None


def compared(sources, find, chosen):
    """Compares kernels, of which `sources` has names and texts; `find` is `wanted` or raises Left. How many differ."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        print("SKIP: there is no C compiler.")
        return SKIP
    begin, count, failed, left = time.monotonic(), 0, 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        workers = []
        for form in chosen.forms.split(","):
            environment = ALL[form].environment(form, folder)
            if environment is None:
                print(f"{form}: is not here")
            else:
                workers.append(Worker(form, environment))
        if not workers:
            print("SKIP: none of the forms is here.")
            return SKIP
        for file, source in sources:
            if time.monotonic() - begin > chosen.seconds:
                break
            launch = Launch(source)
            library = compiled(compiler, source, folder)
            try:
                right = find(library, launch)
            except Left:
                left += 1
                continue
            finally:
                library.unlink()
            count += 1
            words = launch.words // (launch.whole[0] * launch.whole[1])
            found = [(worker.name, difference(worker.ask(source), right, words)) for worker in workers]
            found = [f"{file} {form}: {what}" for form, what in found if what is not None]
            for line in found:
                print(line, flush=True)
            failed += bool(found)
            if found and chosen.keep:
                chosen.keep.mkdir(parents=True, exist_ok=True)
                (chosen.keep / file).write_text(source, encoding="utf-8")
        for worker in workers:
            worker.end()
        also = f" ({left} left out)" if left else ""
        print(f"{count} kernels in {', '.join(worker.name for worker in workers)}: {failed} differ from plain C{also}")
    return 1 if failed else 0


def arguments(forms):
    parser = argparse.ArgumentParser()
    parser.add_argument("--forms", default=forms)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--keep", type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=1e9)
    return parser


def main():
    parser = arguments("quick,optimized,tiered")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--places", type=int, default=0)
    parser.add_argument("--work")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    chosen = parser.parse_args()
    if chosen.work:
        work(chosen.work)
        return 0
    for count, name, generator in ((chosen.random, "random", random_c), (chosen.rows, "rows", random_rows),
                                   (chosen.places, "places", random_places)):
        if count:
            sources = ((f"{name}_{seed}.cl", generator.make(seed)) for seed in range(chosen.first, chosen.first + count))
            break
    else:
        files = chosen.files or sorted((HERE / "plain_c").glob("*.cl"))
        sources = ((file.name, file.read_text(encoding="utf-8")) for file in files)
    return compared(sources, wanted, chosen)


if __name__ == "__main__":
    sys.exit(main())
