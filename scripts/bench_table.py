#!/usr/bin/env python3
"""Writes the table of the benchmarks from the JSON files that it is given; use it as
bench_table.py docs/lab/measured/bench_*.json [docs/lab/measured/instructions.json] >docs/lab/benchmarks.md
bench_table.py --cuda docs/lab/measured/bench_{cuda,comm_cuda,opencl_gpu_}*.json >docs/lab/benchmarks-cuda.md

Every figure comes from the files; the goals below are the only numbers that stand here."""
import json
import pathlib
import sys

OPENMP = ("libgomp", "libomp")
POCL = ("pocl_basic", "pocl_pthread")
NUMPY = ("numpy", "numpy_one_thread")
RAW_LAUNCH = ("clEnqueueNDRangeKernel",)
COPY = ("times", 1.05, 25)  # of short copies: the checks of two addresses come on top

# Shapes of graphs (benchmarks/graph_shapes.h), and what they are.
SHAPES = {
    "line": "a line",
    "four_streams": "four streams that wait for each other now and then",
    "64_streams": "64 such streams",
    "1000_chains": "1000 chains",
    "apart": "nodes without an order",
    "fan": "one node, all others but one, one node",
    "diamonds": "diamonds of 8",
    "tree": "a binary tree",
    "reduction": "the same upside down",
    "layers": "layers of 100, three edges a node",
    "full_layers": "layers of 32, all edges",
    "random_near": "random, three of the last 64",
    "random_far": "random, three of all earlier",
}


# P20 of each shape: column of the table of growth, comparison, ours, peers, limit (None: no goal).
GROWTH = [
    ("node of 1,000", "P20_plan_{}", "plan_1000", (), None),
    ("node of 10,000", "P20_plan_{}", "plan_10000", (), None),
    ("node of 100,000", "P20_plan_{}", "plan_100000", (), 5000),
    ("memory of 100,000", "P20_plan_bytes_{}", "plan_100000", (), ("bytes", 200e6)),
    ("10,000 temporaries", "P20_temporaries_{}_10000", "plan", (), 1_000_000_000),
    ("their bytes / live", "P20_temporary_bytes_{}_10000", "planned", ("live",), 1.05),
]

# goal, what, comparison, ours, peers (the fastest counts; none: the limit is in nanoseconds), limit, floor. The limit is of
# ours / peer, or ("plus", nanoseconds more than the peer), ("times", of the peer, and nanoseconds more) or ("bytes", most
# bytes).
GOALS = [
    ("P1", "launch with 8 arguments, null backend", "P1_launch_null_8_args", "manyrt", (), 30, "exported_call"),
    ("P5", "allocate and free in a stream's order", "P5_malloc_free_async", "manyrt", (), 30, "exported_call"),
    ("P5", "the same beside 1000 live blocks of random size", "P5_malloc_free_async_1000_live", "manyrt", (), 30,
     "exported_call"),
    ("P6", "the same from 8 threads on their own streams", "P6_malloc_free_async_8_threads", "manyrt", (), 80, "exported_call"),
    ("P6", "the same from 16 threads", "P6_malloc_free_async_16_threads", "manyrt", (), 100, "exported_call"),
    ("P6", "from 8 threads beside 1000 live blocks each", "P6_malloc_free_async_8_threads_1000_live", "manyrt", (), 80,
     "exported_call"),
    ("P6", "from 16 threads beside 1000 live blocks each", "P6_malloc_free_async_16_threads_1000_live", "manyrt", (), 100,
     "exported_call"),
    ("P7", "bytes of the driver over live bytes, PyTorch training", "P7_trace_training", "manyrt", ("live",), 1.15,
     "first_fit"),
    ("P7", "the same, a transformer with growing caches", "P7_trace_inference", "manyrt", ("live",), 1.15, "first_fit"),
    ("P7", "the same, the example digits", "P7_trace_digits", "manyrt", ("live",), 1.15, "first_fit"),
    ("P10", "copy 256 MiB to the device", "P10_to_device_256MiB", "manyrt", ("memcpy",), 1 / 1.35, None),
    ("P10", "copy 256 MiB to the host", "P10_to_host_256MiB", "manyrt", ("memcpy",), 1 / 1.35, None),
    ("P10", "copy 1 MiB to the device", "P10_to_device_1MiB", "manyrt", ("memcpy",), COPY, None),
    ("P10", "copy 1 MiB to the host", "P10_to_host_1MiB", "manyrt", ("memcpy",), COPY, None),
    ("P10", "copy 256 KiB to the device", "P10_to_device_256KiB", "manyrt", ("memcpy",), COPY, None),
    ("P10", "copy 256 KiB to the host", "P10_to_host_256KiB", "manyrt", ("memcpy",), COPY, None),
    ("P10", "copy 64 KiB to the device", "P10_to_device_64KiB", "manyrt", ("memcpy",), COPY, None),
    ("P10", "copy 64 KiB to the host", "P10_to_host_64KiB", "manyrt", ("memcpy",), COPY, None),
    ("P10", "copy 4 KiB to the device", "P10_to_device_4KiB", "manyrt", ("memcpy",), COPY, None),
    ("P10", "copy 4 KiB to the host", "P10_to_host_4KiB", "manyrt", ("memcpy",), COPY, None),
    ("P11", "empty kernel through a worker", "P11_through_worker", "manyrt", (), 60, "ping_pong"),
    ("P11", "the same, against a node that keeps order", "P11_through_worker", "manyrt", ("tbb_flow_graph",), 1 / 2,
     "ping_pong"),
    ("P11", "the same, against tasks in any order", "P11_through_worker", "manyrt", ("tbb_task_group", "tbb_enqueue"), 1 / 2,
     "ping_pong"),
    ("P11", "the same", "P11_through_worker", "manyrt", ("pocl_pthread",), 1 / 20, "ping_pong"),
    ("P11", "empty kernel drained by the waiting thread", "P11_drained_by_waiter", "manyrt", (), 15, "exported_call"),
    ("P12", "launch + synchronise, hot", "P12_hot", "manyrt", ("pocl_basic",), 0.3, "exported_call"),
    ("P12", "launch + synchronise, hot", "P12_hot", "manyrt", ("pocl_pthread",), 0.01, "exported_call"),
    ("P12", "launch + synchronise after 1 ms of sleep", "P12_after_sleep", "manyrt", ("pocl_basic",), 0.3, "nothing_timed"),
    ("P12", "launch + synchronise after 1 ms of sleep", "P12_after_sleep", "manyrt", ("pocl_pthread",), 0.01,
     "nothing_timed"),
    ("P12", "launch + synchronise after 1 ms of work", "P12_after_work", "manyrt", ("pocl_basic",), 0.3, "nothing_timed"),
    ("P12", "launch + synchronise after 1 ms of work", "P12_after_work", "manyrt", ("pocl_pthread",), 0.01, "nothing_timed"),
    ("P13", "graph replay, each of 1000 empty kernels in a line", "P13_line_1000", "manyrt", (), 4, "exported_call"),
    ("P13", "the same, against a flow graph", "P13_line_1000", "manyrt", ("tbb_flow_graph",), 1 / 6, "exported_call"),
    ("P13", "the same, against single submissions", "P13_line_1000", "manyrt", ("pocl_pthread",), 1 / 60, "exported_call"),
    ("P13", "graph of 1000 empty kernels beside one another", "P13_wide_1000", "manyrt", ("tbb_flow_graph",), 1 / 3,
     "exported_call"),
    ("P13", "the same with kernels of 1 µs", "P13_wide_1000_1us", "manyrt", ("manyrt_one_thread",), 1 / 1.8, "exported_call"),
    ("P13", "a buffer that 300 nodes use, bound anew", "P13_bind_300", "manyrt", (), 2000, "exported_call"),
    ("P13", "the same with a launch in flight", "P13_bind_300", "manyrt_in_flight", (), 2000, "exported_call"),
    ("P13", "a value that 300 nodes use, bound anew", "P13_value_300", "manyrt", (), 2000, "exported_call"),
    ("P13", "the same with a launch in flight", "P13_value_300", "manyrt_in_flight", (), 2000, "exported_call"),
    ("P14", "empty parallel-for, one group per core", "P14_parallel_for", "manyrt_launch", OPENMP, 0.7, "ping_pong"),
    ("P14", "empty parallel-for, one group per core", "P14_parallel_for", "manyrt_launch", ("ping_pong",), 1.5, "ping_pong"),
    ("P14", "the same, every core meets (cooperative)", "P14_parallel_for", "manyrt_cooperative", OPENMP, 0.7, "ping_pong"),
    ("P14", "the same, every core meets (cooperative)", "P14_parallel_for", "manyrt_cooperative", ("ping_pong",), 1.5,
     "ping_pong"),
    ("P15", "tiled matrix product with barriers, 256", "P15_matmul", "manyrt", POCL, 1 / 25, "libgomp"),
    ("P15", "reduction in groups of 256, 1 M floats", "P15_reduce", "manyrt", POCL, 1 / 20, "libgomp"),
    ("P15", "n-body with tiles, relaxed math, 2048", "P15_nbody", "manyrt", POCL, 1 / 4, "libgomp"),
    ("P15", "stream of memory (triad), 4 M floats", "P15_triad", "manyrt", POCL, 1, "libgomp"),
    ("P15", "an epoch of the example digits, beside numpy", "P15_digits_epoch", "manyrt", NUMPY, 0.8, None),
    ("P15", "the same, each step a graph", "P15_digits_epoch_graph", "manyrt", NUMPY, 0.8, None),
    ("P16", "build cold: the five kernels of digits", "P16_cold_digits", "manyrt", (), 40_000_000, "pocl_basic"),
    ("P16", "build cold: the same with vectors", "P16_cold_digits_vector", "manyrt", (), 100_000_000, "pocl_basic"),
    ("P16", "build from the cache: the five kernels of digits", "P16_cached_digits", "manyrt", (), 100_000, None),
    ("P16", "build from the cache: the same with vectors", "P16_cached_digits_vector", "manyrt", (), 100_000, None),
    ("P17", "OpenCL launch, unchanged arguments, PoCL pthread", "P17_launch_pocl_pthread_svm", "manyrt", RAW_LAUNCH, 1.02,
     None),
    ("P17", "OpenCL launch, unchanged arguments, PoCL basic", "P17_launch_pocl_basic_svm", "manyrt", RAW_LAUNCH, ("plus", 15),
     None),
    ("P8", "OpenCL: 64 KiB from the pool and back, PoCL pthread", "P8_malloc_free_pocl_pthread_svm", "manyrt",
     ("clCreateBuffer",), 1 / 4, None),
    ("P18", "first call to a CPU stream, fresh process", "P18_start", "manyrt", (), 300_000, "thread_start"),
    ("P20", "launch beside 10,000 streams, against one stream", "P20_launch_null", "streams_10000", ("streams_1",), 1.2,
     "exported_call"),
    ("P20", "launch + synchronise beside 10,000 streams", "P20_launch_synchronize_cpu", "streams_10000", ("streams_1",), 1.2,
     "exported_call"),
    ("P20", "allocate and free beside 1,000,000 live blocks, against 1000", "P20_malloc_free_async", "live_1000000",
     ("live_1000",), 1.2, "exported_call"),
]

GOALS += [
    ("P19", f"all-reduce of {size} among {ranks} processes", f"P19_all_reduce_{ranks}_processes_{size}", "manyrt",
     ("MPI_Allreduce",), ("times", 1.05, 2000), "native_function")
    for ranks in (2, 4) for size in ("8B", "1KiB", "64KiB", "1MiB", "16MiB")
]

# The same of the CUDA backend, measured elsewhere, beside the CUDA runtime on the same primary context.
CUDA_GOALS = [
    ("P1", "launch without arguments", "P1_launch_cuda", "manyrt", ("cudaLaunchKernel",), 1.01, None),
    ("P1", "launch with 8 arguments", "P1_launch_cuda_8_args", "manyrt", ("cudaLaunchKernel",), 1.01, None),
    ("P2", "event record", "P2_event_record", "manyrt", ("cudaEventRecord",), 1.05, None),
    ("P2", "event record, with time", "P2_event_record_timed", "manyrt", ("cudaEventRecord",), 1.05, None),
    ("P2", "event record and stream wait", "P2_record_and_wait", "manyrt", ("cuda",), 1.05, None),
    ("P2", "event record and query", "P2_record_and_query", "manyrt", ("cuda",), 1.05, None),
    ("P2", "event query", "P2_event_query", "manyrt", ("cudaEventQuery",), 1.05, None),
    ("P3", "a launch again, with another argument", "P3_launch_again", "manyrt", ("cudaLaunchKernel",), 0.55, None),
    ("P3", "the same and synchronise", "P3_launch_again_and_synchronise", "manyrt", ("cudaLaunchKernel",), 0.85, None),
    ("P3", "launch by a graph of one node (raw calls)", "P3_launch_by_graph", "set_params_and_graph_launch",
     ("cudaLaunchKernel",), 0.55, None),
    ("P4", "graph launch, 1 kernel", "P4_graph_launch_1", "manyrt", ("cudaGraphLaunch",), 1.01, None),
    ("P4", "graph launch, 100 kernels", "P4_graph_launch_100", "manyrt", ("cudaGraphLaunch",), 1.01, None),
    ("P4", "replay of 1000 kernels and wait, against launches", "P4_replay_1000", "manyrt", ("manyrt_launches",), 1 / 5, None),
    ("P5", "allocate and free in a stream's order", "P5_cuda_malloc_free_async", "manyrt", ("cudaMallocAsync",), 1 / 20, None),
    ("P5", "the same, against PyTorch's allocator", "P5_cuda_malloc_free_async", "manyrt", ("pytorch",), 1 / 10, None),
    ("P5", "the same beside 1000 live blocks of random size", "P5_cuda_malloc_free_async_1000_live", "manyrt",
     ("cudaMallocAsync",), 1 / 40, None),
    ("P6", "the same from 8 threads on their own streams", "P6_cuda_malloc_free_async_8_threads", "manyrt",
     ("cudaMallocAsync", "pytorch"), 1 / 100, None),
    ("P6", "from 16 threads", "P6_cuda_malloc_free_async_16_threads", "manyrt", ("cudaMallocAsync", "pytorch"), 1 / 100, None),
    ("P6", "from 16 threads beside 1000 live blocks each", "P6_cuda_malloc_free_async_16_threads_1000_live", "manyrt",
     ("cudaMallocAsync", "pytorch"), 1 / 100, None),
    ("P7", "bytes of the driver over live bytes, PyTorch training", "P7_cuda_trace_training", "manyrt", ("live",), 1.15,
     "cudaMallocAsync"),
    ("P7", "the same, against PyTorch's allocator", "P7_cuda_trace_training", "manyrt", ("pytorch",), 1, "first_fit"),
    ("P7", "the same, a transformer with growing caches", "P7_cuda_trace_inference", "manyrt", ("live",), 1.15,
     "cudaMallocAsync"),
    ("P7", "the same, against PyTorch's allocator", "P7_cuda_trace_inference", "manyrt", ("pytorch",), 1, "first_fit"),
    ("P7", "the same, the example digits", "P7_cuda_trace_digits", "manyrt", ("live",), 1.15, "cudaMallocAsync"),
    ("P9", "512 MiB of pageable memory to the device", "P9_pageable_to_device", "manyrt", ("cudaMemcpy",), 1 / 4, "pinned"),
    ("P9", "the same, against pinned memory", "P9_pageable_to_device", "manyrt", ("pinned",), 1 / 0.9, "pinned"),
    ("P9", "512 MiB from the device to pageable memory", "P9_device_to_pageable", "manyrt", ("cudaMemcpy",), 1 / 2.4, "pinned"),
    ("P9", "4 KiB of pageable memory to the device", "P9_pageable_to_device_4KiB", "manyrt", ("cudaMemcpy",), 1.05, "pinned"),
    ("P9", "the same until the bytes are there", "P9_pageable_to_device_4KiB", "manyrt", ("cudaMemcpy_complete",), 1.05,
     "pinned"),
    ("P9", "4 KiB from the device to pageable memory", "P9_device_to_pageable_4KiB", "manyrt", ("cudaMemcpy",), 1.05, "pinned"),
    ("P9", "64 KiB of pageable memory to the device", "P9_pageable_to_device_64KiB", "manyrt", ("cudaMemcpy",), 1.05, "pinned"),
    ("P9", "the same until the bytes are there", "P9_pageable_to_device_64KiB", "manyrt", ("cudaMemcpy_complete",), 1.05,
     "pinned"),
    ("P9", "64 KiB from the device to pageable memory", "P9_device_to_pageable_64KiB",
     "manyrt", ("cudaMemcpy",), 1.05, "pinned"),
    ("P9", "256 KiB of pageable memory to the device", "P9_pageable_to_device_256KiB",
     "manyrt", ("cudaMemcpy",), 1.05, "pinned"),
    ("P9", "the same until the bytes are there", "P9_pageable_to_device_256KiB", "manyrt", ("cudaMemcpy_complete",), 1.05,
     "pinned"),
    ("P9", "256 KiB from the device to pageable memory", "P9_device_to_pageable_256KiB",
     "manyrt", ("cudaMemcpy",), 1.05, "pinned"),
    ("P9", "1 MiB of pageable memory to the device", "P9_pageable_to_device_1MiB", "manyrt", ("cudaMemcpy",), 1.05, "pinned"),
    ("P9", "the same until the bytes are there", "P9_pageable_to_device_1MiB", "manyrt", ("cudaMemcpy_complete",), 1.05,
     "pinned"),
    ("P9", "1 MiB from the device to pageable memory", "P9_device_to_pageable_1MiB", "manyrt", ("cudaMemcpy",), 1.05, "pinned"),
    ("P9", "16 MiB of pageable memory to the device", "P9_pageable_to_device_16MiB", "manyrt", ("cudaMemcpy",), 0.5, "pinned"),
    ("P9", "16 MiB from the device to pageable memory", "P9_device_to_pageable_16MiB",
     "manyrt", ("cudaMemcpy",), 0.5, "pinned"),
    ("P16", "module from the cache's file: the five kernels of digits", "P16_cuda_cached", "manyrt", ("cuModuleLoadData",), 1.3,
     None),
    ("P16", "one that the process had before", "P16_cuda_again", "manyrt", ("cuModuleLoadData",), 1.3, None),
    ("P16", "the same until their code is loaded", "P16_cuda_cached_to_launch", "manyrt", ("cuModuleGetFunction",), 1.3, None),
    ("P18", "first call to a CPU stream, fresh process, CUDA installed", "P18_start", "manyrt", (), 300_000, "thread_start"),
    ("P17", "OpenCL launch, unchanged arguments, buffers", "P17_launch_nvidia_buffer", "manyrt", RAW_LAUNCH, 1.02, None),
    ("P17", "OpenCL launch, unchanged arguments, SVM", "P17_launch_nvidia_svm", "manyrt", ("clEnqueueNDRangeKernel_svm",), 1.02,
     None),
    ("P8", "OpenCL: 64 KiB from the pool and back, buffers", "P8_malloc_free_nvidia_buffer", "manyrt", ("clCreateBuffer",),
     1 / 10, None),
    ("P8", "OpenCL: 64 KiB from the pool and back, SVM", "P8_malloc_free_nvidia_svm", "manyrt", ("clCreateBuffer",), 1 / 10,
     None),
]

CUDA_GOALS += [
    ("P19", f"all-reduce of {size} on two GPUs{words}", f"P19_cuda_all_reduce_{size}{suffix}", "manyrt", ("ncclAllReduce",),
     1.02, None)
    for size in ("1KiB", "32KiB", "1MiB", "32MiB", "1GiB")
    for suffix, words in (("", ""), ("_in_flight", ", 16 in flight"))
]
CUDA_GOALS += [
    ("P19", f"copy of {size} between two GPUs", f"P19_cuda_peer_copy_{size}", "manyrt", ("cudaMemcpyPeerAsync",), 1 / 0.95,
     None)
    for size in ("4KiB", "256KiB", "16MiB", "1GiB")
]

METHOD = """
## How this is measured

- Candidates of a row run in turn in one process (A B C A B C ...), each repetition after a pause in which the threads of the
  others go to sleep and after a warm-up. A figure is the median of the repetitions; within one, the median of many short
  stretches. `floor` is measured in the same turns.
- Goals are ratios of times, ours to the fastest of the peers named, or nanoseconds where no peer is named. Below 1: faster.
- The measuring thread stays on the first core; workers of this library, oneTBB and OpenMP stay on the others; those of PoCL go
  where they like. OpenMP has `OMP_WAIT_POLICY=active`, with spinning bounded to some milliseconds so that it ends before the
  next candidate's turn. Both drivers of PoCL are in the process.
- Empty kernels are real functions that are called. "Through a worker": the caller launches and then waits with a limit, so that
  it runs nothing itself; oneTBB's flow graph keeps order as a stream does, its task group and arena do not, and the thread that
  waits for a task group runs most of it. "Drained by the waiting thread": 1000 launches wait after a fence, the only worker is
  inside another kernel; timed are the signal and rtStreamSynchronize.
- A graph (P13) is launched and waited for; the figure is for each of its nodes. oneTBB's nodes are continue_nodes; PoCL gets
  the same number of launches, because its command buffers do not copy arguments.
- Collectives (P19) run among processes of `mpirun`: the first one measures and tells the others what follows and how often.
  Ours is submitted and waited for each time. `native_function` is a native function that calls `MPI_Allreduce` itself.
- After a pause single operations are timed; `nothing_timed` is the same with nothing between the two looks at the clock.
- A start is timed inside a fresh process, from the first call on; the peer's goes from clGetPlatformIDs until there are a
  context and a queue.
- Kernels from source (P15) are built by all from the same text, with uint indices; results are compared before anything is
  timed. `libgomp` is the same work as loops written by hand, not bound to the kernel's algorithm: in the column of the floor.
- Digits (P15): the example trains, and numpy trains the same network between its epochs, on the same images in the same order;
  losses and accuracy are compared after each epoch. Timed is an epoch with the reading of what is held out, and on our side its
  shuffle and uploads. numpy's BLAS has as many threads as the library, or one. numpy is not part of a build:
  `scripts/bench.sh --numpy` installs it from PyPI into `build/venv-numpy`, and without it the row says that it is absent.
- Builds (P16) go from rtModuleCreateFromSource to a module with code; every cold source differs from all before. PoCL, whose
  cache is off, compiles at the launch too: its figure is for clBuildProgram and clCreateKernel alone.
- OpenCL (P8, P17): the peer is raw OpenCL on the same device, with a context, queue, kernel and buffers of its own; calls are
  timed in batches of 256, and the queue is emptied outside of the time. `clEnqueueNDRangeKernel` has buffers as arguments,
  `clEnqueueNDRangeKernel_svm` addresses of shared virtual memory, as ours has in the tier `svm`.
- Pools (P5, P6): pairs of an allocation of 64 KiB and its free, or of a free and an allocation of random size up to 60 KB.
  With threads: nanoseconds of a core for a pair, so that threads beyond the number of cores do not count as slow.
- Traces (P7): a recorded program's allocations ([memory-trace.md](../memory-trace.md)) are replayed in their order, without the
  work between them. `live` is the peak of the bytes asked for, the others are the peaks of the bytes taken from the driver.
  `first_fit` places blocks at the lowest offset that has room, aligned to 256 bytes.
- Growth (P20): graphs of thirteen shapes (`benchmarks/graph_shapes.h`) with kernel nodes. rtCapturePlanCreate alone is timed;
  `instantiate` is rtGraphInstantiate. Memory is the peak of the process above what it had. A node with a temporary writes it,
  and nodes after it read up to three; sizes are random, 1 to 100,000 bytes. `live` is temporary_bytes_live.
- Copies are between touched pages; the peer is memcpy between the same ones.
- Instructions are counted by callgrind, on the calling thread, as the difference between two numbers of calls.

Made by `scripts/bench.sh`, which runs everything that the machine can.
"""


def load(paths):
    contexts, entries, counts = {}, {}, None
    for path in paths:
        data = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        if "instructions" in data:
            counts = data
            continue
        contexts[pathlib.Path(path).stem.removeprefix("bench_")] = data["context"]
        for entry in data.get("benchmarks", []):
            comparison, candidate = entry["name"].split("/")[:2]
            entries.setdefault(comparison, {})[candidate] = entry
    return contexts, entries, counts


def missing(entry):
    return entry is None or entry.get("error_occurred", False) or "median_ns" not in entry


def time_text(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1)):
        if nanoseconds >= size or unit == "ns":
            value = nanoseconds / size
            return f"{value:.0f} {unit}" if value >= 100 else f"{value:.1f} {unit}" if value >= 10 else f"{value:.2f} {unit}"


def bytes_text(count):
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if count >= size or unit == "KB":
            return f"{count / size:.3g} {unit}"


def figure_text(entry, key="median_ns"):
    return bytes_text(entry[key]) if entry.get("in_bytes") else time_text(entry[key])


def limit_text(limit, peers):
    if isinstance(limit, tuple):
        if limit[0] == "times":
            return f"≤ {limit[1]:.2f} + {limit[2]} ns"
        return f"≤ {bytes_text(limit[1])}" if limit[0] == "bytes" else f"≤ peer + {limit[1]} ns"
    if not peers:
        number, unit = time_text(limit).split()
        return f"≤ {float(number):g} {unit}"
    return f"≤ {limit:.2f}"


def goal_row(entries, goal, what, comparison, ours, peers, limit, floor):
    """The cells of one goal, and whether it is met (None: not measured)."""
    found = entries.get(comparison, {})
    ours_entry = found.get(ours)
    floor_text = "" if floor is None or missing(found.get(floor)) else f"{floor} {figure_text(found[floor])}"
    if missing(ours_entry):
        return [goal, what, "not measured", "", "", limit_text(limit, peers), "", floor_text], None
    time = ours_entry["median_ns"]
    ours_text = figure_text(ours_entry)
    if not peers:
        met = time <= (limit[1] if isinstance(limit, tuple) else limit)
        return [goal, what, ours_text, "", "", limit_text(limit, peers), "met" if met else "**missed**", floor_text], met
    there = {name: found[name]["median_ns"] for name in peers if not missing(found.get(name)) and found[name]["median_ns"] > 0}
    if not there:
        why = next((found[name]["error_message"] for name in peers if name in found and "error_message" in found[name]),
                   "peer missing")
        return [goal, what, ours_text, why, "", limit_text(limit, peers), "", floor_text], None
    best = min(there, key=there.get)
    ratio = time / there[best]
    if isinstance(limit, tuple):
        met, digits = time <= (limit[1] * there[best] + limit[2] if limit[0] == "times" else there[best] + limit[1]), 2
    else:
        met = ratio <= limit * 1.005  # the half percent that a median moves from run to run
        digits = 4 if limit < 0.1 else 2
    return [goal, what, ours_text, f"{best} {figure_text(found[best])}", f"{ratio:.{digits}f}", limit_text(limit, peers),
            "met" if met else "**missed**", floor_text], met


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def growth_table(entries):
    """The table of plans by the shape of their graph, and for each goal in it whether it is met."""
    rows, verdicts = [], []
    for shape, words in SHAPES.items():
        cells = [words]
        for _, comparison, ours, peers, limit in GROWTH:
            entry = entries.get(comparison.format(shape), {}).get(ours)
            if limit is None:
                cells.append("not measured" if missing(entry) else figure_text(entry))
                continue
            row, met = goal_row(entries, "P20", words, comparison.format(shape), ours, peers, limit, None)
            cells.append((row[4] or row[2]) + (" **missed**" if met is False else ""))
            verdicts.append(met)
        rows.append(cells)
    head = ["plan"] + [name if limit is None else f"{name} ({limit_text(limit, peers)})" for name, _, _, peers, limit in GROWTH]
    return table(head, rows), verdicts


def head_text(contexts):
    any_context = next(iter(contexts.values()))
    lines = [f"{any_context['cpu']}, {any_context['cores']} cores; {any_context['kernel']}, {any_context['libc']}.",
             f"Built by {any_context['compiler']}, {any_context['build']}."]
    peers = {}
    for context in contexts.values():
        for key, value in context.items():
            if key.startswith("peer_") or key in ("gpu", "gpu_driver"):
                peers[key] = value
    names = {"peer_opencl": "OpenCL", "peer_tbb": "oneTBB", "peer_libgomp": "libgomp", "peer_libomp": "libomp",
             "peer_pytorch": "PyTorch", "peer_mpi": "MPI", "peer_nccl": "NCCL", "peer_numpy": "numpy",
             "gpu": "GPU", "gpu_driver": "driver of CUDA"}
    if peers:
        lines.append("Peers: " + "; ".join(f"{names.get(key, key)}: {value}" for key, value in sorted(peers.items())) + ".")
    runs = [f"{name}: commit {context.get('commit', 'unknown')}, {context['date'][:10]}, {context['rounds']} repetitions of "
            f"{context['repetition_ms']} ms" for name, context in contexts.items()]
    return "\n".join(lines) + "\n\nRuns: " + "; ".join(runs) + "."


def all_figures(entries):
    rows = []
    for comparison, candidates in entries.items():
        ours = next((e["median_ns"] for e in candidates.values() if e.get("label") == "ours" and not missing(e)), None)
        for name, entry in candidates.items():
            if missing(entry):
                rows.append([comparison, name, "peer missing" if "error_message" not in entry else entry["error_message"],
                             "", "", ""])
                continue
            median = entry["median_ns"]
            spread = f"{figure_text(entry, 'low_ns')} to {figure_text(entry, 'high_ns')}"
            ratio = "" if ours is None or median <= 0 or entry.get("label") == "ours" else f"{ours / median:.3f}"
            rate = f"{entry['bytes'] / median:.1f} GB/s" if "bytes" in entry else ""
            rows.append([comparison, name, figure_text(entry), spread, ratio, rate])
    return rows


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    cuda = sys.argv[1] == "--cuda"
    contexts, entries, counts = load(sys.argv[2 if cuda else 1 :])
    if not contexts:
        print("bench_table.py: none of the files is a result of a benchmark", file=sys.stderr)
        return 1
    results = [goal_row(entries, *goal) for goal in (CUDA_GOALS if cuda else GOALS)]
    verdicts = [met for _, met in results]
    growth, growth_verdicts = ("", []) if cuda else growth_table(entries)
    verdicts += growth_verdicts
    print("# Benchmarks on CUDA\n" if cuda else "# Benchmarks\n")
    print("This file is made by `scripts/bench_table.py` from the JSON in `docs/lab/measured`; nothing in it is typed.\n")
    print(head_text(contexts))
    print(f"\n{verdicts.count(True)} met, {verdicts.count(False)} missed, {verdicts.count(None)} not measured.\n")
    print(table(["goal", "what", "ours", "peer", "ours / peer", "wanted", "", "floor"], [cells for cells, _ in results]))
    if growth:
        print("\n## Growth of plans (P20)\n")
        print("Time for each node, memory at most, and what temporaries take, by the shape of the graph.\n")
        print(growth)
    if counts is not None:
        context = counts["context"]
        print("\n## Instructions of hot calls\n")
        print(f"Counted by {context['tool']}, commit {context.get('commit', 'unknown')}, {context['date'][:10]}; per call.\n")
        plain = counts.get("without_hardening", {})
        head = ["call", "instructions"] + (["without hardening"] if plain else [])
        print(table(head, [[name, f"{value:.0f}"] + ([f"{plain[name]:.0f}" if name in plain else ""] if plain else [])
                           for name, value in counts["instructions"].items()]))
    print("\n## All figures\n")
    print("Median, the middle half of the repetitions, and the first of ours relative to the candidate.\n")
    print(table(["comparison", "candidate", "median", "middle half", "ours / this", "rate"], all_figures(entries)))
    print(METHOD.rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main())
