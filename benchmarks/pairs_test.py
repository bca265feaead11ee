#!/usr/bin/env python3
"""bench_pairs and its table. Usage: pairs_test.py BENCH_PAIRS PAIRS_TABLE FOLDER

A short run on the devices that are there: each pair has a copy both ways and an all-reduce, and each is a cell of the table.
"""
import itertools
import json
import os
import pathlib
import subprocess
import sys

PROGRAM, TABLE, FOLDER = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])


def run(*words, **environment):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=200, check=False,
                          env={**os.environ, **environment})


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    figures = FOLDER / "pairs.json"
    done = run(PROGRAM, "--rounds=1", "--milliseconds=1", f"--benchmark_out={figures}", "--benchmark_out_format=json",
               BENCH_PAIRS_MOST_BYTES="65536")
    assert done.returncode == 0, done.stderr
    data = json.loads(figures.read_text())
    devices = [key.removeprefix("device_") for key in data["context"] if key.startswith("device_")]
    names = {entry["name"].split("/manyrt")[0] for entry in data["benchmarks"]}
    expected = {f"pairs_copy/{a}/{b}/{size}" for a, b in itertools.product(devices, devices) for size in (8, 65536)}
    assert devices and expected <= names, expected - names
    reduced = [name for name in names if name.startswith("pairs_all_reduce/")]
    assert len(reduced) == len(devices) * (len(devices) + 1), reduced

    table = run(sys.executable, TABLE, figures)
    assert table.returncode == 0, table.stderr
    cells = sum(line.count("GB/s") for line in table.stdout.splitlines())
    assert cells == len(devices) ** 2 + len(reduced) // 2, table.stdout
    assert "64 KiB" in table.stdout, table.stdout

    (FOLDER / "empty.json").write_text('{"context": {}, "benchmarks": []}')
    assert run(sys.executable, TABLE, FOLDER / "empty.json").returncode == 2
    refused = run(PROGRAM, BENCH_PAIRS_MOST_BYTES="7")
    assert refused.returncode == 1 and "is less than 16 bytes" in refused.stderr, refused.stderr


if __name__ == "__main__":
    main()
