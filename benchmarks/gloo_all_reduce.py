#!/usr/bin/env python3
"""All-reduce of floats between two processes by gloo, as PyTorch has it: gloo_all_reduce.py [SECONDS for each length]

Starts itself again for the second process. Prints, for each length, bytes and the least nanoseconds that one operation took, as
bench_comm_shared_memory does. gloo works in place: the numbers are zeros, which stay so."""
import os
import subprocess
import sys
import tempfile
import time

import torch
import torch.distributed as dist

MOST_BYTES = 64 << 20
STRETCH = 500_000  # nanoseconds


def stretch(numbers, calls):
    dist.barrier()
    began = time.perf_counter_ns()
    for _ in range(calls):
        dist.all_reduce(numbers)
    return (time.perf_counter_ns() - began) / calls


def measure(count, seconds, rank):
    numbers = torch.full((count,), rank + 1.0)
    dist.all_reduce(numbers)
    if not bool((numbers == 3.0).all()):
        raise SystemExit("gloo's sum is wrong")
    numbers.zero_()
    stretch(numbers, 3)
    plan = torch.tensor([max(1, int(STRETCH / stretch(numbers, 5)))])
    dist.broadcast(plan, 0)
    calls, least = int(plan[0]), float("inf")
    began, rounds = time.perf_counter(), 0
    goes_on = torch.tensor([1])
    while int(goes_on[0]) != 0:
        least = min(least, stretch(numbers, calls))
        rounds += 1
        goes_on[0] = 1 if rounds < 10 or time.perf_counter() - began < seconds else 0
        dist.broadcast(goes_on, 0)
    return least


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 0.5
    rank = int(os.environ.get("GLOO_RANK", "0"))
    torch.set_num_threads(1)
    if rank == 0:
        with tempfile.TemporaryDirectory() as folder:
            meeting = os.path.join(folder, "meeting")
            with subprocess.Popen([sys.executable, *sys.argv],
                                  env=dict(os.environ, GLOO_RANK="1", GLOO_MEETING=meeting)) as other:
                print(f"# PyTorch {torch.__version__}, gloo")
                run(rank, meeting, seconds)
            return other.returncode
    run(rank, os.environ["GLOO_MEETING"], seconds)
    return 0


def run(rank, meeting, seconds):
    dist.init_process_group("gloo", init_method=f"file://{meeting}", rank=rank, world_size=2)
    size = 8
    while size <= MOST_BYTES:
        least = measure(size // 4, seconds, rank)
        if rank == 0:
            print(f"{size} {least:.1f}", flush=True)
        size *= 2 if size == 32 << 20 else 4
    dist.destroy_process_group()


if __name__ == "__main__":
    sys.exit(main())
