#!/usr/bin/env python3
"""An epoch of examples/digits on the CPU beside numpy, in one process (P15); scripts/bench.sh runs it. Use it as
bench_digits.py MODULE [--epochs N] [--benchmark_out FILE]
MODULE is libbench_digits.so: the example's own files, made into a library.

The example trains, and after each of its epochs numpy trains one: on the same images in the same order, from the same weights,
in the same 32 bits. Loss and accuracy of both are compared after each epoch; a difference ends the program with a failure. Both
sides are timed by one clock, from the first batch to the losses and the accuracy of what is held out. numpy's images are floats
already and its batches are in order, which the example's epoch has to see to; so numpy's side is the shorter one.

numpy's BLAS gets as many threads as the library has for kernels. Its arrays are small, and with one thread it may be faster:
where its OpenBLAS lets the number be changed, a third training is `numpy_one_thread`."""
import argparse
import ctypes
import datetime
import json
import os
import pathlib
import platform
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
PIXELS, HIDDEN, CLASSES, BATCH = 64, 128, 10, 32
MOMENTUM, DECAY, FIRST_RATE = 0.9, 1e-4, 0.1
WARM_UP = 2  # epochs
SETTLE = 0.015  # seconds before each epoch: longer than the threads of the other side spin
# How far two sums in another order may be apart. An image that lies on the border between two digits is read either way.
LOSS_TOLERANCE, IMAGES_TOLERANCE = 2e-3, 2
ORDER_SEED, MASK = 0x5DEECE66D, 2**64 - 1


def threads():
    """Of the library: what RT_CPU_THREADS says, else the cores that this process may use."""
    return int(os.environ.get("RT_CPU_THREADS", len(os.sched_getaffinity(0))))


for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = str(threads())  # before numpy is loaded
os.environ["RT_CPU_THREADS"] = str(threads())
os.environ.setdefault("RT_CPU_BUILD", "optimized")
os.environ["RT_DISABLE"], os.environ["RT_CACHE_DIR"] = "cuda,opencl", "off"
try:
    import numpy as np
except ImportError:
    np = None


class Pcg:
    """examples/digits/pcg.h, number for number."""

    def __init__(self, seed):
        self.state = (seed + 1442695040888963407) & MASK
        self.next()

    def next(self):
        old = self.state
        self.state = (old * 6364136223846793005 + 1442695040888963407) & MASK
        shifted, turn = (((old >> 18) ^ old) >> 27) & 0xFFFFFFFF, old >> 59
        return ((shifted >> turn) | (shifted << (-turn & 31))) & 0xFFFFFFFF

    def uniform(self, limit):
        return limit * np.float32((self.next() >> 8) * (2 / 16777216) - 1)

    def shuffle(self, order):
        for i in range(len(order), 1, -1):
            j = (self.next() * i) >> 32
            order[i - 1], order[j] = order[j], order[i - 1]


class NumpyNetwork:
    """What network.c and train.c do, in numpy's words; arrays that can be kept are."""

    def __init__(self, images, digits, seed, epochs):
        held = np.arange(len(images)) % 5 == 4
        self.train = np.flatnonzero(~held)
        self.images, self.digits = images, digits
        self.held_images, self.held_digits = images[held], digits[held]
        self.pcg, self.order = Pcg(seed ^ ORDER_SEED), self.train.tolist()
        self.rate_step = np.float32(FIRST_RATE / (-(-len(self.order) // BATCH) * epochs))
        split = (PIXELS + 1) * HIDDEN
        self.weights = np.zeros(split + (HIDDEN + 1) * CLASSES, np.float32)
        self.gradients, self.velocity, self.change = (np.zeros_like(self.weights) for _ in range(3))
        self.layers, self.layer_gradients = ((flat[:split].reshape(-1, HIDDEN), flat[split:].reshape(-1, CLASSES))
                                             for flat in (self.weights, self.gradients))
        start = Pcg(seed)
        for layer in self.layers:
            limit = np.sqrt(np.float32(6 / (len(layer) - 1)))
            layer[:-1].flat = [start.uniform(limit) for _ in range(layer[:-1].size)]
        self.losses = np.empty(len(self.order), np.float32)
        self.rows = np.arange(len(self.held_digits))
        self.rate = np.float32(FIRST_RATE)

    def shuffled(self):
        self.pcg.shuffle(self.order)
        return np.array(self.order)

    def forward(self, images, digits):
        hidden = images @ self.layers[0][:-1]
        hidden += self.layers[0][-1]
        np.maximum(hidden, 0, out=hidden)
        logits = hidden @ self.layers[1][:-1]
        logits += self.layers[1][-1]
        predictions = logits.argmax(1)
        logits -= logits.max(1, keepdims=True)
        exponentials = np.exp(logits)
        sums = exponentials.sum(1, keepdims=True)
        losses = np.log(sums[:, 0]) - logits[self.rows[:len(digits)], digits]
        return hidden, exponentials, sums, losses, predictions

    def learn(self, images, digits):
        hidden, delta, sums, losses, _ = self.forward(images, digits)
        delta /= sums
        delta[self.rows[:len(digits)], digits] -= 1
        delta /= np.float32(len(digits))
        hidden_delta = delta @ self.layers[1][:-1].T
        hidden_delta *= hidden > 0
        for into, values, deltas in zip(self.layer_gradients, (images, hidden), (hidden_delta, delta)):
            np.matmul(values.T, deltas, out=into[:-1])
            deltas.sum(0, out=into[-1])
        np.multiply(self.weights, np.float32(DECAY), out=self.change)
        self.change += self.gradients
        self.change *= self.rate
        self.velocity *= np.float32(MOMENTUM)
        self.velocity -= self.change
        self.weights += self.velocity
        return losses

    def epoch(self, order):
        """(mean loss while learning, mean loss of what is held out, how many of that are read right)"""
        for first in range(0, len(order), BATCH):
            batch = order[first:first + BATCH]
            self.losses[first:first + BATCH] = self.learn(self.images[batch], self.digits[batch])
            self.rate -= self.rate_step
        _, _, _, losses, predictions = self.forward(self.held_images, self.held_digits)
        right = np.count_nonzero(predictions == self.held_digits)
        return float(self.losses.mean(dtype=np.float64)), float(losses.mean(dtype=np.float64)), int(right)


def blas_threads():
    """OpenBLAS's own function that sets how many threads it has; None: it is another BLAS."""
    for line in pathlib.Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        path = line.split()[-1]
        if "openblas" not in path:
            continue
        library = ctypes.CDLL(path)
        for name in ("scipy_openblas_set_num_threads64_", "openblas_set_num_threads64_", "openblas_set_num_threads"):
            if hasattr(library, name):
                return getattr(library, name)
    return None


class Dataset(ctypes.Structure):
    _fields_ = [("images", ctypes.c_void_p), ("count", ctypes.c_uint32), ("train", ctypes.c_void_p),
                ("train_count", ctypes.c_uint32), ("held_out", ctypes.c_void_p), ("held_out_count", ctypes.c_uint32)]


class Epoch(ctypes.Structure):
    _fields_ = [(name, ctypes.c_float) for name in ("train_loss", "held_out_loss", "accuracy", "milliseconds")]


class Run(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char * 32), ("seed", ctypes.c_uint64), ("epochs", ctypes.POINTER(Epoch)),
                ("epoch_count", ctypes.c_uint32), ("predictions", ctypes.c_void_p), ("hash", ctypes.c_uint64)]


class TrainOptions(ctypes.Structure):
    _fields_ = [("kernels", ctypes.c_char_p), ("seed", ctypes.c_uint64), ("epochs", ctypes.c_uint32), ("graph", ctypes.c_int),
                ("graph_file", ctypes.c_char_p)]


Callback = ctypes.CFUNCTYPE(None, ctypes.POINTER(Run), ctypes.c_uint32)


def read_images():
    rows = np.loadtxt(EXAMPLES / "data" / "digits.csv", delimiter=",", dtype=np.int64)
    return (rows[:, :PIXELS] / 16).astype(np.float32), rows[:, PIXELS].copy()


class Beside:
    """A training of the example, with those of numpy between its epochs. Times are nanoseconds, one for each epoch."""

    def __init__(self, library, epochs, seed, graph):
        self.library, self.epochs, self.seed, self.graph = library, epochs, seed, graph
        self.set_threads = blas_threads() if np is not None else None
        self.networks = {"numpy": NumpyNetwork(*read_images(), seed, epochs)} if np is not None else {}
        if self.set_threads is not None and threads() > 1:
            self.networks["numpy_one_thread"] = NumpyNetwork(*read_images(), seed, epochs)
        self.times, self.differences = {"manyrt": []} | {name: [] for name in self.networks}, []
        self.before = 0

    def compare(self, ours, name, found):
        held = len(self.networks[name].held_digits)
        apart = [abs(ours.train_loss - found[0]), abs(ours.held_out_loss - found[1])]
        if all(each <= LOSS_TOLERANCE for each in apart) and abs(round(ours.accuracy * held) - found[2]) <= IMAGES_TOLERANCE:
            return
        self.differences.append(
            f"epoch {len(self.times[name])}: loss {ours.train_loss:.5f}, held out {ours.held_out_loss:.5f}, read right "
            f"{ours.accuracy * held:.0f}; {name} {found[0]:.5f}, {found[1]:.5f}, {found[2]}")

    def after_epoch(self, run, index):
        now = time.perf_counter_ns()
        self.times["manyrt"].append(now - self.before)
        for name, network in self.networks.items():
            order = network.shuffled()
            if self.set_threads is not None:
                self.set_threads(1 if name == "numpy_one_thread" else threads())
            time.sleep(SETTLE)
            began = time.perf_counter_ns()
            found = network.epoch(order)
            self.times[name].append(time.perf_counter_ns() - began)
            self.compare(run.contents.epochs[index], name, found)
        time.sleep(SETTLE)
        self.before = time.perf_counter_ns()

    def train(self):
        data, run, device = Dataset(), Run(), ctypes.c_void_p()
        if not self.library.datasetLoad(ctypes.byref(data), str(EXAMPLES / "data" / "digits.csv").encode(), 0):
            sys.exit(1)
        if self.library.rtDeviceGetByName(ctypes.byref(device), b"cpu") < 0:
            sys.exit("bench_digits.py: there is no device cpu")
        kernels = str(EXAMPLES / "digits" / "digits.cl").encode()
        options = TrainOptions(kernels, self.seed, self.epochs, self.graph, None)
        failure = []

        def after_epoch(run, index):  # an exception would be printed and forgotten by ctypes
            try:
                self.after_epoch(run, index)
            except Exception as error:  # pylint: disable=broad-except
                failure.append(error)

        callback = Callback(after_epoch)
        self.before = time.perf_counter_ns()
        self.library.runTrain(ctypes.byref(run), ctypes.byref(data), ctypes.byref(options), callback, device)
        self.library.runFree(ctypes.byref(run))
        self.library.datasetFree(ctypes.byref(data))
        if failure:
            raise failure[0]


def quantile(values, part):
    ordered = sorted(values)
    return ordered[int(part * (len(ordered) - 1) + 0.5)]


def entry(comparison, name, times):
    times = times[WARM_UP:]
    result = {"name": f"{comparison}/{name}", "median_ns": quantile(times, 0.5), "low_ns": quantile(times, 0.25),
              "high_ns": quantile(times, 0.75), "best_ns": min(times), "rounds": len(times)}
    if name == "manyrt":
        result["label"] = "ours"
    return result


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(": ", 1)[1]
    return "unknown"


def blas():
    with_blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"] if np.__version__ >= "1.25" else {}
    return f"{with_blas.get('name', 'BLAS')} {with_blas.get('version', '')}".strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("--epochs", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--benchmark_out", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.epochs <= WARM_UP:
        parser.error(f"--epochs: more than the {WARM_UP} that warm up")
    context = {"date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"), "cpu": processor(),
               "cores": str(len(os.sched_getaffinity(0))), "kernel": f"Linux {platform.release()}",
               "libc": " ".join(platform.libc_ver()), "rounds": str(arguments.epochs - WARM_UP)}
    context["peer_numpy"] = "absent"
    if np is not None:
        context["peer_numpy"] = f"numpy {np.__version__} with {blas()}, {threads()} threads, as many as the library"
    library = ctypes.CDLL(str(arguments.module.resolve()))
    results, failed = [], False
    for comparison, graph in {"P15_digits_epoch": 0, "P15_digits_epoch_graph": 1}.items():
        beside = Beside(library, arguments.epochs, arguments.seed, graph)
        beside.train()
        for difference in beside.differences:
            print(f"{comparison}: {difference}", file=sys.stderr)
        failed = failed or bool(beside.differences)
        ours, *peers = [entry(comparison, name, times) for name, times in beside.times.items()]
        print(f"{comparison}: {ours['median_ns'] / 1e6:.2f} ms ({ours['best_ns'] / 1e6:.2f})")
        for peer in peers:
            print(f"  {peer['name'].split('/')[1]} {peer['median_ns'] / 1e6:.2f} ms ({peer['best_ns'] / 1e6:.2f}), ratio "
                  f"{ours['median_ns'] / peer['median_ns']:.2f}")
        if np is None:
            peers = [{"name": f"{comparison}/numpy", "error_occurred": True, "error_message": "numpy is absent"}]
        results += [ours, *peers]
        context["repetition_ms"] = f"{ours['median_ns'] / 1e6:.1f}"
    if arguments.benchmark_out is not None:
        text = json.dumps({"context": context, "benchmarks": results}, indent=1)
        arguments.benchmark_out.write_text(text + "\n", encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
