# SPDX-License-Identifier: Apache-2.0
"""Whole steps of models (models.py) under tinygrad, on manyrt and on tinygrad's own devices: one process a device, in turn.

    side_by_side.py [--cores N] [--rounds N] [--seconds S] [--json FILE] [--commit C]
                    --device "NAME:VARIABLE=VALUE,..." ... [-- MODEL ...]

A device is a name for the table and the environment that tinygrad gets: "manyrt on the CPU:DEV=MANYRT,RT_DEVICE=cpu",
"clang:DEV=CPU", "PoCL:DEV=CL,OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd", "CUDA:DEV=CUDA". PYTHONPATH has the
Python package and integrations/tinygrad. For each device: seconds until the first step has ended and until the tenth has,
and the milliseconds of a step once all code has come: the least and the median. Devices whose results differ end the run.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

SETTLED = 10  # tinygrad captures the second step; what it replays is launched from the third on


def work(name):
    """In a process of its own: answers each line, a number of steps, with their times and the last result."""
    start = time.perf_counter()
    import models  # pylint: disable=import-outside-toplevel
    from tinygrad import Device, Tensor  # pylint: disable=import-outside-toplevel

    modules = []
    if os.environ["DEV"] == "MANYRT":
        import manyrt  # pylint: disable=import-outside-toplevel
        import manyrt_tinygrad  # noqa: F401  pylint: disable=import-outside-toplevel,unused-import
        build = manyrt.Context.module

        def built(*arguments, **named):
            modules.append(build(*arguments, **named))
            return modules[-1]

        manyrt.Context.module = built
    Tensor.manual_seed(1)
    step = models.WHOLE[name]()
    device = Device[Device.DEFAULT]

    def steps(count):
        times = []
        for _ in range(count):
            begin = time.perf_counter()
            result = step()
            device.synchronize()
            times.append(time.perf_counter() - begin)
        return times, result

    steps(1)
    first = time.perf_counter() - start
    times, result = steps(SETTLED - 1)
    tenth = time.perf_counter() - start
    for module in modules:
        module.wait_optimized()
    settled = time.perf_counter() - start
    answer = {"first_s": first, "tenth_s": tenth, "settled_s": settled, "result": flat(result)}
    print(json.dumps(answer), flush=True)
    for line in sys.stdin:
        times, result = steps(int(line))
        print(json.dumps({"times": times}), flush=True)


def flat(result):
    return [float(each) for each in result.flatten()] if hasattr(result, "flatten") else [float(result)]


class Worker:
    """A device's process."""

    def __init__(self, model, environment, cores):
        self.process = subprocess.Popen(  # pylint: disable=consider-using-with
            [sys.executable, __file__, "--work", model], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "CACHELEVEL": "0", "CPU_COUNT": str(cores), **environment})
        self.times = []

    def ask(self, line=None):
        if line is not None:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"side_by_side: a device's process ended with {self.process.wait()}")
        return json.loads(answer)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def differ(results):
    """The largest difference to the first device's, of the largest number there is."""
    size = max(abs(number) for result in results for number in result) or 1
    return [max(abs(a - b) for a, b in zip(results[0], result)) / size for result in results]


def measure(model, devices, chosen):
    rows, workers = {}, {}
    for name, environment in devices.items():  # one after the other, since each wants the machine for its start
        workers[name] = Worker(model, environment, chosen.cores)
        rows[name] = workers[name].ask()
    for _ in range(chosen.rounds):
        for name, worker in workers.items():
            one = worker.ask("1")["times"][0]
            worker.times += worker.ask(str(max(1, int(chosen.seconds / one))))["times"]
    differences = differ([row.pop("result") for row in rows.values()])
    for (name, worker), difference in zip(workers.items(), differences):
        worker.end()
        least, median = min(worker.times), statistics.median(worker.times)
        rows[name].update(least_ms=least * 1e3, median_ms=median * 1e3, difference=difference)
        rows[name] = {key: float(f"{value:.4g}") for key, value in rows[name].items()}
        print(f"{model:12} {name:24} " + "  ".join(f"{key} {value:g}" for key, value in rows[name].items()), flush=True)
        if not difference < 0.02:
            raise SystemExit(f"side_by_side: {model} on {name} gives other numbers")
    return rows


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--device", action="append", required=True)
    parser.add_argument("--cores", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--json")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--machine", default="")
    parser.add_argument("models", nargs="*")
    chosen = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:chosen.cores])
    devices = {}
    for text in chosen.device:
        name, _, variables = text.partition(":")
        devices[name] = dict(each.split("=", 1) for each in variables.split(","))
    found = {"commit": chosen.commit, "machine": chosen.machine, "cores": chosen.cores, "models": {}}
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))
    import models  # pylint: disable=import-outside-toplevel
    for model in chosen.models or models.WHOLE:
        found["models"][model] = measure(model, devices, chosen)
        if chosen.json:
            import lab  # pylint: disable=import-outside-toplevel
            with open(chosen.json, "w", encoding="utf-8") as file:
                file.write(lab.dumps(found))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--work"]:
        work(sys.argv[2])
    else:
        main()
