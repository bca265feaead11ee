# SPDX-License-Identifier: Apache-2.0
"""Generated kernels (capture.py) on manyrt's CPU and on each OpenCL driver for CPUs, in one process on one core, in turn.

    measure.py FOLDER [MODEL ...] [--seconds 1] [--cores 1] [--only NAME,...] [--json FILE] [--commit NAME] [--own FILE]

A figure is the median time of a launch; where launches are short, several are waited for together. All candidates begin with
the contents that were captured, and what they have made of them is compared. --own: of own_device.py. Needs pyopencl and
numpy. MANYRT_LIBRARY names the library.
"""

import argparse
import ctypes
import importlib.metadata
import json
import math
import os
import pathlib
import platform
import statistics
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import lab  # noqa: E402

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "kernels"))

OPTIMIZED = ctypes.c_int32(1)  # RT_MODULE_OPTIMIZED
SHORTEST = 2e-3                # seconds that are measured at once
MOST_APART = 2e-2              # of float results, relative to the largest


class Manyrt:
    """The CPU of this library, with the code that stays."""

    name = version = "manyrt"

    def __init__(self):
        import random_device  # pylint: disable=import-outside-toplevel
        self.device = random_device.opened("cpu")

    def build(self, kernel):
        self.module, self.kernel = self.device.module(kernel["source"], ""), ctypes.c_void_p()
        self.device.call("rtModuleGetKernel", ctypes.byref(self.kernel), kernel["name"].encode(), self.module)
        self.sizes = [ctypes.c_uint32(size) for size in (*kernel["groups"], *kernel["group"])]
        self.buffers = []

    def settle(self):
        self.device.call("rtModuleWait", self.module, OPTIMIZED, ctypes.c_uint64(600 * 10**9))

    def fill(self, contents, values):
        data = [(ctypes.c_char * len(each)).from_buffer_copy(each) for each in contents]
        if not self.buffers:
            self.buffers = [self.device.uploaded(each, []) for each in data]
            self.values = [*self.buffers, *(ctypes.c_int32(value) for value in values)]
            self.places = (ctypes.c_void_p * len(self.values))(*(ctypes.addressof(value) for value in self.values))
        for buffer, each in zip(self.buffers, data):
            self.device.copy(buffer, each, each)
        self.wait()

    def launch(self):
        self.device.call("rtLaunchKernel", self.kernel, *self.sizes, ctypes.c_uint32(0), self.device.stream, self.places,
                         ctypes.c_uint32(len(self.values)))

    def wait(self):
        self.device.call("rtStreamSynchronize", self.device.stream)

    def read(self, number, size):
        data = (ctypes.c_char * size)()
        self.device.copy(data, self.buffers[number], data)
        self.wait()
        return bytes(data)

    def end(self):
        for buffer in self.buffers:
            self.device.call("rtFree", buffer)
        self.device.destroy(self.module)


class OpenCl:
    """A driver for CPUs."""

    def __init__(self, cl, device):
        self.cl, self.name = cl, "PoCL" if "Portable" in device.platform.name else "Intel"
        self.version = f"{device.platform.name} {device.driver_version}"
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context)

    def build(self, kernel):
        self.kernel = self.cl.Kernel(self.cl.Program(self.context, kernel["source"]).build(), kernel["name"])
        self.group = kernel["group"]
        self.all = [groups * items for groups, items in zip(kernel["groups"], kernel["group"])]
        self.buffers = []

    def settle(self):
        pass

    def fill(self, contents, values):
        if not self.buffers:
            flags = self.cl.mem_flags.READ_WRITE
            self.buffers = [self.cl.Buffer(self.context, flags, len(each)) for each in contents]
            self.kernel.set_args(*self.buffers, *(ctypes.c_int32(value) for value in values))
        for buffer, each in zip(self.buffers, contents):
            self.cl.enqueue_copy(self.queue, buffer, each)
        self.wait()

    def launch(self):
        self.cl.enqueue_nd_range_kernel(self.queue, self.kernel, self.all, self.group)

    def wait(self):
        self.queue.finish()

    def read(self, number, size):
        data = bytearray(size)
        self.cl.enqueue_copy(self.queue, data, self.buffers[number])
        return bytes(data)

    def end(self):
        for buffer in self.buffers:
            buffer.release()


def candidates(names):
    made = [Manyrt()]
    import pyopencl as cl  # pylint: disable=import-outside-toplevel
    for platform in cl.get_platforms():
        made += [OpenCl(cl, device) for device in platform.get_devices(cl.device_type.CPU)]
    return [each for each in made if not names or each.name in names]


def seconds_of(candidate, count):
    begin = time.perf_counter()
    for _ in range(count):
        candidate.launch()
    candidate.wait()
    return (time.perf_counter() - begin) / count


def far_apart(one, other):
    """How far results are apart: floats relative to the largest; other bytes are not judged. None: the same bytes."""
    import numpy  # pylint: disable=import-outside-toplevel
    if one == other:
        return None
    with numpy.errstate(all="ignore"):
        a, b = (numpy.frombuffer(each, numpy.float32).astype(float) for each in (one, other))
        usual = numpy.isfinite(a) & numpy.isfinite(b) & (numpy.abs(a) < 1e30) & (numpy.abs(b) < 1e30)
        if not usual.any():
            return None
        return float(numpy.abs(a[usual] - b[usual]).max() / max(1e-30, numpy.abs(a[usual]).max()))


def measured(kernel, folder, made, chosen):
    """One kernel: microseconds and seconds of its build, by candidate."""
    contents = [(folder / buffer["file"]).read_bytes() for buffer in kernel["buffers"]]
    builds, results, times = {}, {}, {each.name: [] for each in made}
    for each in made:
        begin = time.perf_counter()
        each.build(kernel)
        each.fill(contents, kernel["values"])
        builds[each.name] = [time.perf_counter() - begin]
        each.launch()
        each.wait()
        results[each.name] = [each.read(i, len(data)) for i, data in enumerate(contents)]
        each.settle()
        builds[each.name].append(time.perf_counter() - begin)
    counts = {each.name: min(1000, max(1, math.ceil(SHORTEST / seconds_of(each, 2)))) for each in made}
    begin = time.perf_counter()
    while time.perf_counter() - begin < chosen.seconds * len(made) or len(times[made[0].name]) < 3:
        for each in made:
            times[each.name].append(seconds_of(each, counts[each.name]))
    wrong = {}
    for each in made[1:]:
        apart = [far_apart(one, other) for one, other in zip(results[made[0].name], results[each.name])]
        wrong[each.name] = max((value for value in apart if value is not None), default=0)
    for each in made:
        each.end()
    return {"us": {name: round(statistics.median(of) * 1e6, 2) for name, of in times.items()},
            "build_s": {name: [round(value, 3) for value in of] for name, of in builds.items()}, "apart": wrong}


def machine():
    lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
    return f"{name}, {os.cpu_count()} cores; {platform.system()} {platform.release()}, Python {platform.python_version()}"


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--own", type=pathlib.Path)
    chosen = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))[:chosen.cores]
    os.sched_setaffinity(0, cores)  # before a driver looks
    os.environ.update(RT_DISABLE="opencl,cuda", RT_CPU_THREADS=str(len(cores)), POCL_MAX_PTHREAD_COUNT=str(len(cores)))
    folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
    os.environ.update(RT_CACHE_DIR="off", PYOPENCL_NO_CACHE="1", POCL_CACHE_DIR=folder.name)  # each build is the first
    made = candidates([name for name in chosen.only.split(",") if name])
    peers = [each.name for each in made[1:]]
    own = json.loads(chosen.own.read_text(encoding="utf-8")) if chosen.own else {}
    tables = {}
    for name in chosen.models or sorted(path.stem for path in chosen.folder.glob("*.json")):
        data = json.loads((chosen.folder / f"{name}.json").read_text(encoding="utf-8"))
        rows = []
        print(f"\n{name}\n| kernel | group | launches | {' | '.join(each.name for each in made)} | of the better | apart |\n"
              f"|{' --- |' * (5 + len(made))}", flush=True)
        for kernel in data["kernels"]:
            row = measured(kernel, chosen.folder / name, made, chosen)
            better = min((row["us"][peer] for peer in peers), default=float("nan"))
            row.update(name=kernel["name"], group=kernel["group"], groups=kernel["groups"], launches=kernel["launches"],
                       ratio=round(row["us"]["manyrt"] / better, 3))
            rows.append(row)
            print(f"| {row['name']} | {'x'.join(map(str, row['group']))} | {row['launches']} | "
                  f"{' | '.join(str(row['us'][each.name]) for each in made)} | {row['ratio']} | "
                  f"{max(row['apart'].values(), default=0):.1e} |", flush=True)
        sums = {each.name: round(sum(row["us"][each.name] * row["launches"] for row in rows) / 1000, 2) for each in made}
        if name in own:
            sums["tinygrad's clang"] = own[name]
        builds = {each.name: [round(sum(row["build_s"][each.name][i] for row in rows), 2) for i in (0, 1)] for each in made}
        over = [row["name"] for row in rows if row["ratio"] > 1.1]
        wrong = [row["name"] for row in rows if max(row["apart"].values(), default=0) > MOST_APART]
        print(f"{name}: {len(rows)} kernels, mean {mean([row['ratio'] for row in rows]):.2f} of the better, "
              f"{len(over)} above 1.1; a step {sums} ms; builds {builds} s; too far apart: {wrong or 'none'}")
        tables[name] = {"kernels": rows, "step_ms": sums, "builds_s": builds}
    if chosen.json:
        head = {"commit": chosen.commit, "machine": machine(), "cores": len(cores), "seconds": chosen.seconds,
                "tinygrad": importlib.metadata.version("tinygrad"), "drivers": {each.name: each.version for each in made[1:]}}
        chosen.json.write_text(lab.dumps({**head, "models": tables}), encoding="utf-8")


if __name__ == "__main__":
    main()
