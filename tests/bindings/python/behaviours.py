#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The fifteen behaviours of tests/bindings/README.md, through the package manyrt: behaviours.py BEHAVIOUR DEVICE."""

import array
import os
import subprocess
import sys
import threading
import time

COUNT = 1000
SKIP = 77
SOURCE = """
kernel void scale_add(global float *data, int count, float factor, local float *scratch) {
  size_t i = get_global_id(0);
  scratch[get_local_id(0)] = factor;
  barrier(CLK_LOCAL_MEM_FENCE);
  if ((int)i < count) data[i] = data[i] * scratch[0] + (float)i;
}
kernel void increment(global float *data, int count) {
  size_t i = get_global_id(0);
  if ((int)i < count) data[i] += 1.0f;
}
kernel void work(global float *data, int rounds) {
  size_t i = get_global_id(0);
  float x = data[i];
  for (int r = 0; r < rounds; ++r) x = x * 0.999f + 0.001f;
  data[i] = x;
}
"""


def expect(condition, *words):
    if not condition:
        raise AssertionError(" ".join(str(word) for word in words))


def refused(kind, function, *parts):
    """The message of the exception of this kind, which has to have all parts."""
    try:
        function()
    except kind as error:
        for part in parts:
            expect(str(part) in str(error), "the message lacks", repr(part), ":", error)
        return str(error)
    raise AssertionError(f"expected {kind.__name__}, and nothing was raised")


def floats(count=COUNT, first=0.0):
    return array.array("f", [first + i for i in range(count)])


def create(manyrt, device):
    kinds = ("context", "stream", "event", "fence", "mem_pool", "graph", "module", "graph_exec", "allocation")
    before = {kind: manyrt.live_handles(kind) for kind in kinds}
    context = manyrt.Device(device).context(label="table")
    stream = context.stream(label="work")
    event, fence, pool = context.event(), context.fence(3), context.pool(maximum_bytes=1 << 20)
    with stream.capture() as graph:
        stream.record(event)
    made = (context, stream, event, fence, pool, graph)
    for item in made:
        expect(type(item).__name__ in repr(item) and "0x" in repr(item), "prints as", repr(item))
    expect("table" in repr(context) and "work" in repr(stream), repr(context), repr(stream))
    expect(manyrt.live_handles("stream") == before["stream"] + 1, "a stream more is counted")
    expect(fence.value == 3, "the fence begins with", fence.value)
    for item in reversed(made):
        item.close()
        expect(item.closed and "closed" in repr(item), repr(item))
    after = {kind: manyrt.live_handles(kind) for kind in kinds}
    expect(after == before, "live before", before, "and after", after)


def copy(manyrt, device):
    with manyrt.Context(device) as context, context.stream() as stream:
        source = floats()
        first, second = context.array(source), context.empty(COUNT)
        second.copy_from(first)
        expect(second.tolist() == source.tolist(), "without a stream")
        pinned = context.empty(COUNT, "float32", "host")
        first.copy_from(floats(first=5000.0), stream)
        second.copy_from(first, stream)
        pinned.copy_from(second, stream)
        stream.synchronize()
        expect(pinned.host().tolist() == floats(first=5000.0).tolist(), "with a stream")
        half = COUNT // 2
        second[half:].copy_from(source[:half])
        second[:half].copy_from(first[half:])
        wanted = floats(first=5000.0)[half:] + source[:half]
        expect(second.tolist() == wanted.tolist(), "halves")


def launch(manyrt, device):
    with manyrt.Context(device) as context, context.stream() as stream:
        kernel = context.module(SOURCE)["scale_add"]
        data = context.array(floats())
        grid, group = kernel.shape(COUNT, 50)
        kernel[grid, group](stream, data, COUNT, 3.0, manyrt.Local(50 * 4))
        expect(data.tolist(stream) == [3.0 * i + i for i in range(COUNT)], data.tolist()[:5])
        run, local = kernel[grid, group], manyrt.Local(200)
        refused(TypeError, lambda: run(stream, data, COUNT, 3.0), "4 arguments", "3 were given", "count", "factor")
        refused(TypeError, lambda: run(stream, data, COUNT, "3", local), "argument 2 'factor' (float)")
        refused(manyrt.InvalidValue, lambda: run(stream, data, 1.5, 3.0, local), "argument 1 'count' (int)", "1.5")
        refused(manyrt.InvalidValue, lambda: run(stream, data, 2**40, 3.0, local), "argument 1 'count' (int)")
        refused(TypeError, lambda: run(stream, 7, COUNT, 3.0, local), "argument 0 'data'", "Array")
        refused(TypeError, lambda: run(stream, context.empty(4, "int32"), 4, 3.0, local), "argument 0 'data'", "int32")
        refused(manyrt.InvalidValue, lambda: run(stream, data, COUNT, 3.0, 200), "argument 3 'scratch'", "Local")
        expect(data.tolist(stream) == [4.0 * i for i in range(COUNT)], "no refused launch ran")
        step = context.module(SOURCE)["increment"]
        step[1, 50].starting_at(100)(stream, data, COUNT)
        expect(data.tolist(stream) == [4.0 * i + (100 <= i < 150) for i in range(COUNT)], "the ids begin at the offset")
        refused(manyrt.InvalidValue, lambda: step[1, 50].starting_at(-1), "offset")
        refused(manyrt.InvalidValue, lambda: step[1, 50].starting_at((0, 2**40))(stream, data, COUNT), "global offset")


def event_time(manyrt, device):
    with manyrt.Context(device) as context, context.stream() as stream:
        if not context.device.has("timing"):
            skip(f"{device} has no timing")
        kernel = context.module(SOURCE)["work"]
        data = context.array(floats(4096))
        kernel[1, 1](stream, data, 1)
        stream.synchronize()
        began = time.perf_counter()
        start = stream.record()
        kernel[64, 64](stream, data, 20000)
        stop = stream.record()
        stop.synchronize()
        host = time.perf_counter() - began
        on_device = stop.seconds_since(start)
        expect(0 < on_device < host, "device", on_device, "host", host)


def cross_stream_wait(manyrt, device):
    with manyrt.Context(device) as context, context.stream() as first, context.stream() as second:
        gate, kernel = context.fence(), context.module(SOURCE)["scale_add"]
        data = context.array(floats())
        first.wait_fence(gate, 1)
        data.fill(10.0, first)
        event = first.record()
        second.wait(event)
        kernel[COUNT // 50, 50](second, data, COUNT, 2.0, manyrt.Local(200))
        expect(not event.query() and not second.query(), "the fence holds both streams back")
        gate.signal(1)
        expect(data.tolist(second) == [20.0 + i for i in range(COUNT)], data.tolist()[:5])


def use_after_close(manyrt, device):
    with manyrt.Context(device) as context:
        stream, other = context.stream(label="gone"), context.stream()
        stream.close()
        stream.close()
        for use in (stream.synchronize, stream.query, stream.record, lambda: stream.priority, lambda: other.wait(stream),
                    lambda: context.empty(4).fill(1, stream)):
            refused(manyrt.InvalidHandle, use, "stream 'gone'", "closed")
        data = context.zeros(4)
        data.close()
        data.close()
        refused(manyrt.InvalidHandle, data.tolist, "array", "closed")
    refused(manyrt.InvalidHandle, other.query)  # stale: the context went first
    expect(manyrt.InvalidHandle.name == "RT_ERROR_INVALID_HANDLE", manyrt.InvalidHandle.name)


def wrong_size(manyrt, device):
    with manyrt.Context(device) as context, context.stream() as stream:
        data = context.zeros(100)
        refused(ValueError, lambda: data.copy_from(floats(101)), "404 bytes", "400 bytes")
        refused(manyrt.InvalidValue, lambda: data.copy_from(context.empty(101), stream), "404 bytes", "400 bytes")
        refused(manyrt.InvalidValue, lambda: data.copy_to(bytearray(396)), "400 bytes", "396 bytes")
        refused(IndexError, lambda: data[100], "100")
        refused(IndexError, lambda: data[-101], "100")
        expect(data[99].tolist() == 0.0 and data.tolist() == [0.0] * 100, "nothing was written")


def build_error(manyrt, device):
    with manyrt.Context(device) as context:
        source = "kernel void f(global float *x) {\n  x[0] = wrong_word;\n}"
        message = refused(manyrt.BuildFailed, lambda: context.module(source), "wrong_word")
        expect(":2:" in message or "line 2" in message, "line 2 is not named:", message)


def callback(manyrt, device):
    with manyrt.Context(device) as context, context.stream() as stream:
        gate, seen = context.fence(), []
        data = context.zeros(COUNT, kind="host")
        stream.wait_fence(gate, 1)
        data.fill(7.0, stream)
        stream.call(lambda: seen.append((data.host()[COUNT - 1], threading.get_ident())))
        expect(not seen, "it waits for the work ahead")
        gate.signal(1)
        stream.synchronize()
        expect(len(seen) == 1 and seen[0][0] == 7.0 and seen[0][1] != threading.get_ident(), seen)
        reported, before = [], threading.excepthook
        threading.excepthook = reported.append
        stream.call(lambda: {}["missing"])
        stream.call(lambda: seen.append("later work runs"))
        stream.synchronize()
        threading.excepthook = before
        expect(len(reported) == 1 and reported[0].exc_type is KeyError and "missing" in str(reported[0].exc_value), reported)
        expect(seen[-1] == "later work runs", seen)


def out_of_memory(manyrt, device):
    with manyrt.Context(device) as context:
        refused(manyrt.OutOfMemory, lambda: context.empty(2**60, "uint8"), 2**60)
        refused(MemoryError, lambda: context.empty(2**60, "uint8"))
        expect(context.array([1.0, 2.0]).tolist() == [1.0, 2.0], "the next allocation works")


def replay(manyrt, device):
    with manyrt.Context(device) as context, context.stream() as stream:
        kernel = context.module(SOURCE)["increment"]
        data, result, other = context.zeros(COUNT), context.zeros(COUNT), context.array(floats())
        with stream.capture() as graph:
            kernel[20, 50](stream, data, COUNT)
            result.copy_from(data, stream)
        expect(data.tolist() == [0.0] * COUNT, "the capture ran nothing")
        expect([node.type for node in graph.nodes] == ["kernel", "memcpy"], graph.nodes)
        buffer = graph.make_buffer(data, "input", "data")
        with graph.instantiate() as exec_:
            exec_.bind(buffer, data)
            for _ in range(5):
                exec_.launch(stream)
            expect(result.tolist(stream) == [5.0] * COUNT, result.tolist()[:3])
            exec_.bind(buffer, other)
            for _ in range(5):
                exec_.launch(stream)
            expect(result.tolist(stream) == [i + 5.0 for i in range(COUNT)], result.tolist()[:3])
            expect(data.tolist(stream) == [5.0] * COUNT, data.tolist()[:3])


def two_devices(manyrt, device):
    peer = "cpu" if device.split(":")[0] != "cpu" else "null:0"
    with manyrt.Context(device) as here, manyrt.Context(peer) as there, here.stream() as stream, there.stream() as far:
        data, copied, back = here.array(floats()), there.empty(COUNT), here.zeros(COUNT)
        copied.copy_from(data)
        back.copy_from(copied, stream)
        expect(back.tolist(stream) == floats().tolist(), "there and back")
        message = refused(manyrt.Error, lambda: copied.fill(1.0, stream))
        expect(peer in message and device in message, "both are not named:", message)
        if here.device.has("kernels"):
            kernel = here.module(SOURCE)["increment"]
            refused(manyrt.WrongContext, lambda: kernel[1, 1](far, data, 1), device, peer)
            message = refused(manyrt.WrongContext, lambda: kernel[1, 1](stream, copied, 1))
            expect(peer in message and device in message, "both are not named:", message)


def version(manyrt, device):  # pylint: disable=unused-argument
    from manyrt import _library
    print("package", manyrt.__version__, "library", manyrt.library_version(), "from", manyrt.library_path())
    major, minor, patch = (int(part) for part in manyrt.__version__.split("."))
    number = major * 10000 + minor * 100 + patch
    _library.check_version(number, manyrt.__version__)
    _library.check_version(number + 1, manyrt.__version__)
    refused(manyrt.LibraryError, lambda: _library.check_version(number + 10000, manyrt.__version__), "another", "libmanyrt0")
    refused(manyrt.LibraryError, lambda: _library.check_version(10203, "1.2.4"), "1.2.3", "older", "1.2.4")
    _library.check_version(300, "0.2.0")  # a release before 1.0 that breaks the interface has another SONAME
    _library.check_version(10300, "1.2.4")


def missing_library(manyrt, device):  # pylint: disable=unused-argument
    def importing(library, code):
        environment = {**os.environ, "MANYRT_LIBRARY": library}
        done = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False)
        expect(done.returncode != 0 and "LibraryError" in done.stdout and "libmanyrt0" in done.stdout, done.stdout)
        return done.stdout

    told = importing("/nowhere/libmanyrt.so", "import manyrt")
    expect("/nowhere/libmanyrt.so" in told and "MANYRT_LIBRARY" in told, told)
    expect("no_such_libmanyrt" in importing("", SYSTEM_WITHOUT_LIBRARY), "the system's library is named")


def exit_with_work(manyrt, device):
    code = f"""
import manyrt, time
context = manyrt.Context({device!r})
stream, held = context.stream(), context.stream()
work = context.module({SOURCE!r})["work"]
data, target = context.zeros(4096), context.zeros(4096, kind="host")
for _ in range(5):
    work[64, 64](stream, data, 20000)
stream.call(lambda: time.sleep(0.2))
target.copy_from(data, stream)
gate = context.fence()
held.wait_fence(gate, 1)
held.call(lambda: print("never: the fence was not signalled"), lambda status: print("failed with", status))
target.copy_from(data, held)
print("leaving", flush=True)
"""
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, timeout=50)
    expect(done.returncode == 0, "it ended with", done.returncode, done.stdout)
    expect("leaving" in done.stdout and "never" not in done.stdout, done.stdout)
    expect(time.monotonic() - began < 10, "it took", time.monotonic() - began, "s")


# The machine of the test may have the library installed: another name stands for the system's.
SYSTEM_WITHOUT_LIBRARY = """
import importlib.util, pathlib
package = pathlib.Path(importlib.util.find_spec("manyrt").origin).parent
source = (package / "_library.py").read_text().replace('"libmanyrt.so.0"', '"no_such_libmanyrt.so.0"')
names = {"__name__": "manyrt._library", "__file__": str(package / "_library.py")}
exec(compile(source, "_library.py", "exec"), names)
"""


def skip(reason):
    print(reason)
    sys.exit(SKIP)


def main():
    name, device = sys.argv[1:]
    import manyrt
    cells = [create, copy, launch, event_time, cross_stream_wait, use_after_close, wrong_size, build_error, callback,
             out_of_memory, replay, two_devices, version, missing_library, exit_with_work]
    {cell.__name__: cell for cell in cells}[name](manyrt, device)


if __name__ == "__main__":
    main()
