#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch and the package on one GPU: memory is shared both ways without a copy, and in the order of the streams.

    gpu_dlpack.py [--device cuda:0] [--commit NAME] [--out FILE.json]      scripts/gpu.sh dlpack calls it

Each check passes, fails or is skipped with its reason; the figures assert nothing. Order is proved twice: with the order that
DLPack makes, a copy after a long kernel has the new values, and without it (stream -1) the same copy has the old ones. With
`--device cpu` the checks that need no GPU run, to try the program. Without PyTorch the exit status is 77.
"""

import argparse
import gc
import pathlib
import platform
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import lab  # noqa: E402

import manyrt
from call_overhead import measure
from manyrt import _borrowed, dlpack

try:
    import torch
except ImportError:
    torch = None

COUNT = 1 << 20
SOURCE = """
kernel void leaky(global float *x, float slope, uint count) {
  size_t i = get_global_id(0);
  if (i < count && x[i] < 0.0f) x[i] *= slope;
}
kernel void twice(global long *x, uint count) {
  size_t i = get_global_id(0);
  if (i < count) x[i] *= 2;
}
kernel void slow(global uint *x, uint rounds) {
  uint value = x[0];
  for (uint i = 0; i < rounds; ++i) value = value * 1664525u + (1013904223u ^ (value >> 3));
  x[0] = value;
}
kernel void tiny(global float *x, int n, float y) { if (n < 0) x[0] = y; }
"""
CHECKS = []


class Skip(Exception):
    """A check cannot run here; the text says why."""


def check(function):
    CHECKS.append(function)
    return function


def expect(condition, *facts):
    if not condition:
        raise AssertionError(", ".join(map(str, facts)) or "not so")


def soon(condition):
    """Whether it holds within five seconds: a thread of the library tells when the last use of memory is over."""
    end = time.monotonic() + 5
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
        gc.collect()
    return condition()


class Rig:
    """The device on both sides, and what takes long on either."""

    def __init__(self, name):
        self.name, self.gpu = name, name != "cpu"
        self.context = manyrt.Context(name)
        self.kernels = {kernel: self.context.module(SOURCE)[kernel] for kernel in ("leaky", "twice", "slow", "tiny")}
        self.stream = self.context.stream()
        self.seed = self.context.zeros(1, "uint32")
        self.rounds, self.cycles = 1 << 20, 1 << 24
        if self.gpu:
            torch.cuda.init()
            self.side = torch.cuda.Stream(name)
            self.calibrate()

    def calibrate(self):
        """Makes each long kernel one of about 100 ms: a copy that does not wait for it is over much earlier."""
        for _ in range(2):  # the first one also loads it
            began = time.perf_counter()
            self.take_long()
            self.stream.synchronize()
            seconds = time.perf_counter() - began
        self.rounds = min(2**31, max(1 << 16, int(self.rounds * 0.1 / seconds)))
        for _ in range(2):
            began = time.perf_counter()
            torch.cuda._sleep(self.cycles)
            torch.cuda.synchronize()
            seconds = time.perf_counter() - began
        self.cycles = max(1 << 20, int(self.cycles * 0.1 / seconds))

    def take_long(self):
        self.kernels["slow"][1, 1](self.stream, self.seed, self.rounds)

    def needs_gpu(self):
        if not self.gpu:
            raise Skip("the device is the CPU, which has no streams of a driver")

    def tensor(self, *values, **options):
        return torch.tensor(*values, device=self.name, **options)


class WithoutOrder:
    """A tensor whose producer is told that no order is wanted."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, *, stream=None, **arguments):  # pylint: disable=unused-argument
        return self.tensor.__dlpack__(stream=-1, **arguments)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


# ---- memory


@check
def the_pointers_are_equal_for_every_element_type(rig):
    for name in manyrt.DTYPES:
        tensor = torch.tensor([[0, 1], [1, 0]]).to(getattr(torch, name)).to(rig.name)
        array = rig.context.from_dlpack(tensor)
        back = torch.from_dlpack(array)
        expect(array.address == tensor.data_ptr() == back.data_ptr(), name, array.address, tensor.data_ptr(), back.data_ptr())
        expect(array.dtype.name == name and back.dtype == tensor.dtype and back.device == tensor.device, name, back.dtype)
        expect(array.tolist() == tensor.tolist() == back.tolist(), name)
    try:
        rig.context.from_dlpack(rig.tensor([1.0], dtype=torch.bfloat16))
    except BufferError:
        pass
    else:
        raise AssertionError("bfloat16 came in")
    tensor = rig.tensor([1.0], dtype=torch.bfloat16)
    expect(rig.context.from_dlpack(tensor.view(torch.int16)).address == tensor.data_ptr())


@check
def what_one_side_writes_the_other_reads(rig):
    tensor = torch.arange(COUNT, dtype=torch.float32, device=rig.name)
    array = rig.context.from_dlpack(tensor)
    array.fill(3.0)
    expect(bool((tensor == 3).all()))
    back = torch.from_dlpack(array)
    back[COUNT // 2:] = 4.0
    if rig.gpu:
        torch.cuda.synchronize()
    expect(array[COUNT - 1:].tolist() == [4.0] and array[:1].tolist() == [3.0])
    expect(float(tensor[-1]) == 4.0)


@check
def shapes_parts_and_refusals(rig):
    for shape in ((), (0,), (2, 0, 3), (1, 5, 1), (2, 3, 4)):
        tensor = torch.ones(shape, device=rig.name)
        array = rig.context.from_dlpack(tensor)
        back = torch.from_dlpack(array)
        expect(array.shape == tuple(back.shape) == shape, shape, array.shape, tuple(back.shape))
        expect(back.device == tensor.device and back.tolist() == tensor.tolist(), shape)
    tensor = torch.ones((4, 6), device=rig.name)
    expect(rig.context.from_dlpack(tensor[1:3]).address == tensor.data_ptr() + 24)
    for bad in (tensor.T, tensor[:, 1:3], tensor[::2]):
        try:
            rig.context.from_dlpack(bad)
        except BufferError as error:
            expect("C-contiguous" in str(error), error)
        else:
            raise AssertionError(f"strides {bad.stride()} came in")


@check
def a_kernel_works_on_a_tensor_where_it_lies(rig):
    tensor = torch.linspace(-4, 4, COUNT, device=rig.name)
    wanted = torch.nn.functional.leaky_relu(tensor, 0.25)
    stream = rig.stream
    leaky = rig.kernels["leaky"]
    leaky[leaky.shape(COUNT)](stream, rig.context.from_dlpack(tensor, stream), 0.25, COUNT)
    stream.synchronize()
    expect(torch.equal(tensor, wanted))


@check
def pinned_memory_is_shared_both_ways(rig):
    rig.needs_gpu()
    tensor = torch.arange(1000, dtype=torch.int32).pin_memory()
    array = rig.context.from_dlpack(tensor)
    expect((array.kind, array.address) == ("host", tensor.data_ptr()), array.kind)
    target = rig.context.zeros(1000, "int32")
    target.copy_from(array, rig.stream)
    expect(target.tolist(rig.stream) == tensor.tolist())
    made = rig.context.array(range(1000), "int32", kind="host")
    back = torch.from_dlpack(made.__dlpack__(dl_device=(1, 0)))
    expect(back.data_ptr() == made.address and back.device.type == "cpu" and back.tolist() == made.tolist())
    expect(back.is_pinned(), "PyTorch does not see that the memory is pinned")
    try:
        rig.context.from_dlpack(torch.ones(3))
    except BufferError as error:
        expect("pageable" in str(error), error)
    else:
        raise AssertionError("pageable memory came in")


@check
def managed_memory_is_shared(rig):
    rig.needs_gpu()
    made = rig.context.array(range(1000), "int32", kind="shared")
    back = torch.from_dlpack(made)
    expect(back.data_ptr() == made.address and back.device.type == "cuda", back.device)
    back += 1
    torch.cuda.synchronize()
    expect(made.host()[999] == 1000, made.host()[999])


@check
def the_cuda_array_interface_is_shared_both_ways(rig):
    rig.needs_gpu()
    made = rig.context.zeros((4, 5), "float32")
    found = made.__cuda_array_interface__
    expect(found["version"] == 3 and found["stream"] > 2, found)
    tensor = torch.as_tensor(made, device=rig.name)
    expect(tensor.data_ptr() == made.address and tuple(tensor.shape) == (4, 5), tensor.data_ptr(), made.address)
    tensor += 2
    torch.cuda.synchronize()
    expect(made.tolist() == [[2.0] * 5] * 4)
    again = rig.context.from_cuda_array(tensor)
    expect(again.address == made.address and again.shape == (4, 5))


# ---- order


def without_and_with_order(run):
    """What run(ordered) reads: the old values without order, the new ones with it. A long kernel is 100 ms, up to 400."""
    for attempt in range(3):
        old = run(False, 1 << attempt)
        if old == 1:
            break
    expect(old == 1, "without order the copy had the value", old, "already: this proves nothing")
    new = run(True, 1)
    expect(new == 2, "with order the copy had the value", new)


@check
def an_array_follows_pytorchs_side_stream(rig):
    """PyTorch: a long kernel, then new values. The package: a copy."""
    rig.needs_gpu()

    def run(ordered, times):
        tensor, target = torch.ones(COUNT, device=rig.name), rig.context.zeros(COUNT)
        torch.cuda.synchronize()
        with torch.cuda.stream(rig.side):
            torch.cuda._sleep(rig.cycles * times)
            tensor.fill_(2)
            array = rig.context.from_dlpack(tensor if ordered else WithoutOrder(tensor), rig.stream)
        target.copy_from(array, rig.stream)
        expect(not ordered or not rig.side.query(), "the calls have waited for the long kernel")
        rig.stream.synchronize()
        value = target[COUNT - 1:].tolist()[0]
        rig.side.synchronize()
        return value

    without_and_with_order(run)


@check
def without_a_stream_the_call_waits(rig):
    rig.needs_gpu()
    tensor, target = torch.ones(COUNT, device=rig.name), rig.context.zeros(COUNT)
    torch.cuda.synchronize()
    with torch.cuda.stream(rig.side):
        torch.cuda._sleep(rig.cycles)
        tensor.fill_(2)
        array = rig.context.from_dlpack(tensor)
    target.copy_from(array, rig.stream)  # nothing orders this stream: it would copy the old values
    expect(target.tolist(rig.stream)[-1] == 2.0, "the call returned ahead of the producer's work")


def pytorch_follows(rig, stream, number=None):
    """The package: a long kernel, then new values. PyTorch: a copy on a stream, which `number` names for DLPack."""
    rounds = rig.rounds

    def run(ordered, times):
        array = rig.context.zeros(COUNT)
        array.fill(1)
        rig.rounds = rounds * times
        rig.take_long()
        rig.rounds = rounds
        array.fill(2, rig.stream)
        with torch.cuda.stream(stream):
            source = array if ordered and number is None else array.__dlpack__(stream=number if ordered else -1)
            copied = torch.from_dlpack(source).clone()
            expect(not ordered or not rig.stream.query(), "the calls have waited for the long kernel")
            stream.synchronize()
            value = float(copied[-1])
        rig.stream.synchronize()
        return value

    without_and_with_order(run)


@check
def pytorchs_side_stream_follows_an_array(rig):
    rig.needs_gpu()
    pytorch_follows(rig, rig.side)


@check
def pytorchs_default_stream_follows_an_array(rig):
    rig.needs_gpu()
    pytorch_follows(rig, torch.cuda.default_stream(rig.name))


@check
def the_threads_default_stream_follows_an_array(rig):
    rig.needs_gpu()
    pytorch_follows(rig, torch.cuda.ExternalStream(2, rig.name), 2)


@check
def the_stream_of_the_cuda_array_interface_is_after_all_work(rig):
    rig.needs_gpu()

    def run(ordered, times):
        array = rig.context.zeros(COUNT)
        array.fill(1)
        tensor = torch.as_tensor(array, device=rig.name)  # PyTorch ignores the stream
        for _ in range(times):
            rig.take_long()
        array.fill(2, rig.stream)
        if ordered:
            rig.side.wait_stream(torch.cuda.ExternalStream(array.__cuda_array_interface__["stream"], rig.name))
        with torch.cuda.stream(rig.side):
            copied = tensor.clone()
            rig.side.synchronize()
            value = float(copied[-1])
        rig.stream.synchronize()
        return value

    without_and_with_order(run)


@check
def work_after_a_fence_is_waited_for(rig):
    """The library holds it back: the driver cannot wait for what it does not have."""
    rig.needs_gpu()
    array, gate, values = rig.context.zeros(COUNT), rig.context.fence(), []
    rig.stream.wait_fence(gate, 1)
    array.fill(2, rig.stream)

    def consume():
        with torch.cuda.stream(rig.side):
            values.append(float(torch.from_dlpack(array).clone()[-1]))

    thread = threading.Thread(target=consume)
    thread.start()
    thread.join(0.2)
    early = list(values)
    gate.signal(1)
    thread.join()
    expect(not early and values == [2.0], early, values)


@check
def both_work_in_turn_on_one_stream(rig):
    """A stream of the package in PyTorch's hands (__cuda_stream__), and one of PyTorch's in the package's."""
    rig.needs_gpu()
    twice = rig.kernels["twice"]
    step = twice[twice.shape(COUNT)]
    version, native = rig.stream.__cuda_stream__()
    expect((version, native) == (0, rig.stream.native))
    pairs = ((rig.stream, torch.cuda.ExternalStream(native, rig.name)),
             (rig.context.import_stream(rig.side.cuda_stream), rig.side))
    for stream, external in pairs:
        tensor = torch.zeros(COUNT, dtype=torch.int64, device=rig.name)
        array = rig.context.from_dlpack(tensor, stream)
        torch.cuda.synchronize()
        with torch.cuda.stream(external):
            for _ in range(40):
                tensor.add_(1)
                step(stream, array, COUNT)
        external.synchronize()
        expect(tensor[0].item() == tensor[-1].item() == 2**41 - 2, tensor[0].item())


@check
def a_stream_of_the_package_waits_for_an_imported_one(rig):
    rig.needs_gpu()
    tensor, target = torch.ones(COUNT, device=rig.name), rig.context.zeros(COUNT)
    array = rig.context.from_dlpack(tensor)
    with torch.cuda.stream(rig.side):
        torch.cuda._sleep(rig.cycles)
        tensor.fill_(2)
    rig.stream.wait(rig.context.import_stream(rig.side.cuda_stream))
    target.copy_from(array, rig.stream)
    expect(target.tolist(rig.stream)[-1] == 2.0)


# ---- lifetime


@check
def pytorchs_allocator_gets_memory_back_after_its_last_use(rig):
    rig.needs_gpu()
    torch.cuda.synchronize()
    expect(soon(lambda: not _borrowed.in_use), "tensors of earlier checks are still in use")
    before = torch.cuda.memory_allocated()
    target = rig.context.zeros(COUNT)
    tensor = torch.full((COUNT,), 5.0, device=rig.name)
    address = tensor.data_ptr()
    array = rig.context.from_dlpack(tensor, rig.stream)
    rig.take_long()
    target.copy_from(array, rig.stream)
    del tensor
    array.close()
    gc.collect()
    expect(not rig.stream.query(), "the long kernel is over already: this proves nothing")
    other = torch.full((COUNT,), 9.0, device=rig.name)  # the freed block, if it were free
    expect(other.data_ptr() != address, "PyTorch has given the memory to another tensor under the copy")
    torch.cuda.synchronize()
    expect(target.tolist(rig.stream)[-1] == 5.0)
    del other
    expect(soon(lambda: torch.cuda.memory_allocated() == before), before, torch.cuda.memory_allocated())


@check
def an_array_lives_as_long_as_a_tensor_over_it(rig):
    before = manyrt.live_handles("allocation")
    context = manyrt.Context(rig.name)
    array = context.array(range(1000), "int32")
    tensor = torch.from_dlpack(array)
    view = tensor[500:]
    array.close()
    context.close()
    del array, context, tensor
    gc.collect()
    view += 1
    expect(view.tolist() == list(range(501, 1001)))
    expect(manyrt.live_handles("allocation") == before + 1)
    del view
    expect(soon(lambda: manyrt.live_handles("allocation") == before), manyrt.live_handles("allocation"), before)


@check
def a_thousand_round_trips_leave_nothing_behind(rig):
    tensor = torch.arange(COUNT, device=rig.name)
    made = rig.context.from_dlpack(tensor)
    used, lent = len(_borrowed.in_use), len(dlpack._exported)

    def round_trips(count):
        for _ in range(count):
            again = rig.context.from_dlpack(torch.from_dlpack(made), rig.stream)
            expect(again.address == tensor.data_ptr())
            again.close()
        rig.context.synchronize()
        expect(soon(lambda: len(_borrowed.in_use) <= used and len(dlpack._exported) <= lent), len(_borrowed.in_use),
               len(dlpack._exported))
        return manyrt.live_handles(), rig.context.device.memory_info[0] if rig.gpu else 0, memory_of_process()

    handles, free, process = round_trips(100)
    began = time.perf_counter()
    later = round_trips(1000)
    seconds = time.perf_counter() - began
    expect(later[0] == handles, "handles", handles, later[0])
    expect(later[1] >= free - (2 << 20), "free bytes of the device", free, later[1])
    expect(later[2] <= process + (4 << 20), "bytes of the process", process, later[2])
    return {"round_trip_us": seconds * 1e3, "device_bytes_grown": free - later[1], "process_bytes_grown": later[2] - process}


@check
def the_other_gpu_is_another_device(rig):
    rig.needs_gpu()
    if torch.cuda.device_count() < 2 or len(manyrt.devices("cuda")) < 2:
        raise Skip("there is one GPU")
    with manyrt.Context("cuda:1") as second:
        with torch.cuda.device(1):
            tensor = torch.ones(4, device="cuda:1")
            array = second.from_dlpack(tensor)
            expect(array.address == tensor.data_ptr() and torch.from_dlpack(array).device == tensor.device)
            try:
                rig.context.from_dlpack(tensor)
            except BufferError as error:
                expect("kDLCUDA:1" in str(error), error)
            else:
                raise AssertionError("a tensor of cuda:1 came into a context of cuda:0")


# ---- figures


def memory_of_process():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


def real_launches(rig, call):
    """Nanoseconds for each of 500 calls that launch, the least of 15 runs; the waits between are left out."""
    times = []
    for _ in range(15):
        began = time.perf_counter()
        for _ in range(500):
            call()
        times.append((time.perf_counter() - began) / 500 * 1e9)
        rig.stream.synchronize()
        if rig.gpu:
            torch.cuda.synchronize()
    return min(times)


def figures(rig):
    """Nanoseconds for each call, the least of 15 runs."""
    context, stream, event, data = rig.context, rig.stream, rig.context.event(), rig.context.zeros(64)
    tensor = torch.zeros(64, device=rig.name)
    none, one = rig.kernels["tiny"][0, 64], rig.kernels["tiny"][1, 64]
    least = {name: measure(call)[1] for name, call in (
        ("launch of no group", lambda: none(stream, data, 1, 2.0)), ("record", lambda: stream.record(event)),
        ("stream query", stream.query), ("event query", event.query))}
    stream.synchronize()
    least["launch of one group"] = real_launches(rig, lambda: one(stream, data, 1, 2.0))
    least["PyTorch: add_ of 64"] = real_launches(rig, lambda: tensor.add_(1))
    least["context.from_dlpack(tensor, stream)"] = real_launches(rig, lambda: context.from_dlpack(tensor, stream).close())
    least["torch.from_dlpack(array)"] = real_launches(rig, lambda: torch.from_dlpack(data))
    least["PyTorch: torch.from_dlpack(tensor)"] = real_launches(rig, lambda: torch.from_dlpack(tensor))
    return {f"{name}, ns": round(value) for name, value in least.items()}


def lines_of(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30, check=False).stdout.strip().splitlines()
    except OSError:
        return []


def run(rig):
    outcome = {"passed": 0, "failed": {}, "skipped": {}, "figures": {}}
    for function in CHECKS:
        name, began = function.__name__, time.perf_counter()
        try:
            outcome["figures"].update(function(rig) or {})
            outcome["passed"] += 1
            word = "passed"
        except Skip as reason:
            outcome["skipped"][name] = word = str(reason)
        except Exception as error:  # pylint: disable=broad-except
            outcome["failed"][name] = f"{type(error).__name__}: {error}"
            word = "FAILED: " + outcome["failed"][name]
        print(f"{name:62} {time.perf_counter() - began:6.2f} s  {word}", flush=True)
        try:  # what a failure left over
            rig.context.synchronize()
            if rig.gpu:
                torch.cuda.synchronize()
        except Exception as error:  # pylint: disable=broad-except
            outcome["failed"][name] = f"{outcome['failed'].get(name, '')} The device afterwards: {error}".strip()
            break
    else:
        try:
            outcome["figures"].update(figures(rig))
        except Exception as error:  # pylint: disable=broad-except
            outcome["failed"]["figures"] = f"{type(error).__name__}: {error}"
    return outcome


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--out")
    args = parser.parse_args()
    if torch is None:
        print("skipped: PyTorch is not installed")
        return 77
    if args.device != "cpu" and not (torch.cuda.is_available() and manyrt.devices("cuda")):
        seen = manyrt.backend_info("cuda")
        print(f"skipped: no GPU for both: PyTorch {torch.__version__} sees {torch.cuda.device_count()}, the library "
              f"{len(manyrt.devices('cuda'))} ({seen.get('reason') or seen.get('driver') or seen})")
        return 77
    outcome = run(Rig(args.device))
    result = {"commit": args.commit, "gpus": lines_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"),
              "versions": {"python": platform.python_version(), "torch": torch.__version__, "torch_cuda": torch.version.cuda,
                           "manyrt": manyrt.library_version()}, **outcome}
    for name, value in outcome["figures"].items():
        print(f"{name:62} {value:12.3f}" if isinstance(value, float) else f"{name:62} {value:12}")
    if args.out:
        with open(args.out, "w", encoding="utf-8") as file:
            file.write(lab.dumps(result))
    print(f"{outcome['passed']} passed, {len(outcome['failed'])} failed, {len(outcome['skipped'])} skipped")
    return 1 if outcome["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
