# SPDX-License-Identifier: Apache-2.0
"""What tinygrad's own device for CPUs (kernels by clang) takes for the kernels of a step of each model, in milliseconds.

    own_device.py FILE [--cores 1] [MODEL ...]

The times are tinygrad's, of each kernel by itself. FILE gets {"MODEL": ms}, the least of five steps.
"""

import argparse
import contextlib
import io
import json
import os
import pathlib

parser = argparse.ArgumentParser()
parser.add_argument("file", type=pathlib.Path)
parser.add_argument("models", nargs="*")
parser.add_argument("--cores", type=int, default=1)
chosen = parser.parse_args()
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:chosen.cores])
os.environ.update(DEV="CPU", DEBUG="2", CACHELEVEL="0", CPU_COUNT=str(chosen.cores))

import models  # noqa: E402  pylint: disable=wrong-import-position
from tinygrad import GlobalCounters, Tensor  # noqa: E402  pylint: disable=wrong-import-position

found = {}
for name in chosen.models or models.MODELS:
    Tensor.manual_seed(1)
    times = []
    with contextlib.redirect_stdout(io.StringIO()):  # a line for each kernel
        step = models.MODELS[name]()
        for number in range(8):
            GlobalCounters.reset()
            step()
            if number >= 3:
                times.append(GlobalCounters.time_sum_s)
    found[name] = round(min(times) * 1000, 2)
chosen.file.write_text(json.dumps(found) + "\n", encoding="utf-8")
