# SPDX-License-Identifier: Apache-2.0
"""What launch, record and query cost from Python: overhead.py DEVICE CALLS RUNS."""

import sys
import time

import manyrt


def measure(name, calls, call):
    count = range(calls)
    began = time.perf_counter_ns()
    for _ in count:
        call()
    print(name, (time.perf_counter_ns() - began) / calls)


def main():
    device, calls, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    context = manyrt.Context(device)
    stream, event, fence, data = context.stream(), context.event(), context.fence(), context.zeros(64)
    step = context.module("kernel void f(global float *x, int n, float y) { x[n] = y; }")["f"][1, 1]
    held = 0
    for _ in range(runs):
        held += 1
        stream.wait_fence(fence, held)
        measure("launch", calls, lambda: step(stream, data, 1, 2.0))
        fence.signal(held)
        stream.synchronize()
        held += 1
        stream.wait_fence(fence, held)
        measure("record", calls, lambda: stream.record(event))
        fence.signal(held)
        stream.synchronize()
        measure("query", calls, stream.query)


main()
