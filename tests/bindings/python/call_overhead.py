#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a call costs from Python: launch, record, query, each with nothing else running and beside a busy Python thread.

    call_overhead.py [--device cpu]        prints nanoseconds for each call, the median, the least and the mean of several runs

The launches have a grid of 0: the whole way into the library is measured, and no kernel runs. It asserts no time.
"""

import argparse
import statistics
import threading
import time

import manyrt
import manyrt.rt

CALLS, RUNS = 2000, 15


def measure(call):
    """Nanoseconds for each call: median, least and mean of the runs. A lost turn costs milliseconds and shows in the mean."""
    times = []
    for _ in range(RUNS):
        began = time.perf_counter()
        for _ in range(CALLS):
            call()
        times.append((time.perf_counter() - began) / CALLS * 1e9)
    return statistics.median(times), min(times), statistics.fmean(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    context = manyrt.Context(args.device)
    stream, event, data = context.stream(), context.event(), context.zeros(64)
    kernel = context.module("kernel void f(global float *x, int n, float y) { x[n] = y; }")["f"]
    step, rt = kernel[0, 64], manyrt.rt
    keep = [rt.ffi.new("void **", data.handle), rt.ffi.new("int *"), rt.ffi.new("float *")]
    values = rt.ffi.new("void *[3]", keep)
    launch, handles = rt.rtLaunchKernel, (kernel.handle, stream.handle)
    calls = [
        ("launch: step(stream, array, 1, 2.0)", lambda: step(stream, data, 1, 2.0)),
        ("launch: kernel[0, 64](stream, array, 1, 2.0)", lambda: kernel[0, 64](stream, data, 1, 2.0)),
        ("launch: rt.rtLaunchKernel, gives up the GIL",
         lambda: launch(handles[0], 0, 1, 1, 64, 1, 1, 0, handles[1], values, 3)),
        ("record: stream.record(event)", lambda: stream.record(event)),
        ("query: stream.query()", stream.query),
        ("query: event.query()", event.query),
        ("nothing: an empty Python function", lambda: None),
    ]
    for title, beside in (("alone", False), ("beside a busy Python thread", True)):
        stop = threading.Event()

        def busy(stop=stop):
            while not stop.is_set():
                sum(range(100))

        thread = threading.Thread(target=busy, daemon=True)
        if beside:
            thread.start()
        for name, call in calls:
            median, least, mean = measure(call)
            print(f"{title:28} {name:48} median {median:7.0f} ns, least {least:7.0f} ns, mean {mean:7.0f} ns", flush=True)
        stop.set()


if __name__ == "__main__":
    main()
