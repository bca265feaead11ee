#!/usr/bin/env python3
"""PyTorch's allocator and memory traces (docs/memory-trace.md); needs PyTorch and a GPU. Use it as
pytorch.py record [--steps N] TRACE           writes the allocations of a training loop
pytorch.py replay OUTPUT NAME=TRACE...        replays traces in PyTorch's allocator; writes the peaks of what it reserved, as a
                                              result of a benchmark

The loop trains a transformer on sequences of random lengths. The same seed gives the same sizes."""
import argparse
import datetime
import json
import os
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import lab  # noqa: E402


def without_torch(why):
    print(f"SKIP: {why}", file=sys.stderr)
    sys.exit(77)


def gpu_torch():
    try:
        import torch
    except ImportError:
        without_torch("python3 has no PyTorch")
    if not torch.cuda.is_available():
        without_torch("PyTorch finds no GPU")
    return torch


def convert(entries):
    """Events of a memory trace from those that PyTorch records for a device. What was allocated before is left out."""
    live, segments, streams, events = {}, set(), {}, []
    timed = all("time_us" in entry for entry in entries)
    start, count = entries[0]["time_us"] if timed and entries else 0, 0
    for entry in entries:
        action, address, size = entry["action"], entry.get("addr", 0), entry.get("size", 0)
        time = {"time": 1000 * (entry["time_us"] - start)} if timed else {}
        # The default stream is 0 in PyTorch; in a trace, 0 is no stream.
        stream = streams.setdefault(entry.get("stream", 0), len(streams) + 1)
        if action == "alloc":
            live[address] = count
            events.append({"allocate": count, "bytes": size, "stream": stream, "address": address, **time})
            count += 1
        elif action == "free_requested" and address in live:
            events.append({"free": live.pop(address), "stream": stream, **time})
        elif action in ("segment_alloc", "segment_map"):
            segments.add(address)
            events.append({"reserve": address, "bytes": size, **time})
        elif action in ("segment_free", "segment_unmap") and address in segments:
            segments.remove(address)
            events.append({"release": address, **time})
    return events


def train(torch, steps, seed):
    """A transformer of 12 million parameters that learns to repeat its input, as programs for real tasks are written."""
    torch.manual_seed(seed)
    lengths = random.Random(seed)
    words, width = 4096, 384
    embedding = torch.nn.Embedding(words, width)
    layer = torch.nn.TransformerEncoderLayer(width, 6, 4 * width, batch_first=True)
    model = torch.nn.Sequential(embedding, torch.nn.TransformerEncoder(layer, 6), torch.nn.Linear(width, words)).cuda()
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(steps):
        text = torch.randint(words, (16, lengths.randrange(64, 513)), device="cuda")
        loss = torch.nn.functional.cross_entropy(model(text).flatten(0, 1), text.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 10 == 9:  # and look at how well it does, on longer text
            model.eval()
            with torch.no_grad():
                model(torch.randint(words, (4, 768), device="cuda"))
            model.train()
    torch.cuda.synchronize()


def record(arguments):
    torch = gpu_torch()
    torch.cuda.memory._record_memory_history(max_entries=10_000_000, context=None)
    train(torch, arguments.steps, arguments.seed)
    snapshot = torch.cuda.memory._snapshot()
    torch.cuda.memory._record_memory_history(enabled=None)
    events = convert(snapshot["device_traces"][torch.cuda.current_device()])
    name = f"PyTorch {torch.__version__.split('+')[0]}, {arguments.steps} steps of training"
    with open(arguments.trace, "w", encoding="utf-8") as file:
        file.write(f'{{"format": "manyrt-memory-trace", "version": 1, "name": {json.dumps(name)}, "events": [\n')
        file.write(",\n".join(map(json.dumps, events)) + "\n]}\n")
    print(f"{len(events)} events")


def peak_reserved(torch, events):
    """What PyTorch's allocator has reserved at most while it replays the events."""
    allocator, blocks, streams = torch.cuda, {}, {0: torch.cuda.default_stream()}
    allocator.empty_cache()
    allocator.reset_peak_memory_stats()
    before = allocator.memory_reserved()
    for event in events:
        if "allocate" in event:
            number = event.get("stream", 0)
            if number not in streams:
                streams[number] = torch.cuda.Stream()
            blocks[event["allocate"]] = allocator.caching_allocator_alloc(event["bytes"], stream=streams[number])
        elif "free" in event:
            allocator.caching_allocator_delete(blocks.pop(event["free"]))
    peak = allocator.max_memory_reserved() - before
    for block in blocks.values():
        allocator.caching_allocator_delete(block)
    return peak


def replay(arguments):
    torch = gpu_torch()
    torch.zeros(1, device="cuda")
    results = []
    for each in arguments.traces:
        name, path = each.split("=", 1)
        with open(path, encoding="utf-8") as file:
            peak = peak_reserved(torch, json.load(file)["events"])
        results.append({"name": f"P7_cuda_trace_{name}/pytorch", "label": "peer", "in_bytes": 1, "median_ns": peak,
                        "low_ns": peak, "high_ns": peak})
        print(f"{name}: {peak} bytes")
    told = subprocess.run(["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False).stdout
    commit = os.environ.get("COMMIT", told)
    context = {"date": datetime.datetime.now().isoformat(timespec="seconds"), "rounds": 1, "repetition_ms": 0,
               "commit": commit.strip() or "unknown", "peer_pytorch": torch.__version__}
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write(lab.dumps({"context": context, "benchmarks": results}))
        file.write("\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split(";", maxsplit=1)[0])
    commands = parser.add_subparsers(required=True)
    recording = commands.add_parser("record")
    recording.add_argument("--steps", type=int, default=40)
    recording.add_argument("--seed", type=int, default=1)
    recording.add_argument("trace")
    recording.set_defaults(function=record)
    replaying = commands.add_parser("replay")
    replaying.add_argument("output")
    replaying.add_argument("traces", nargs="+")
    replaying.set_defaults(function=replay)
    given = parser.parse_args()
    given.function(given)


if __name__ == "__main__":
    main()
