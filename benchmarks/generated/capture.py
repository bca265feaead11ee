# SPDX-License-Identifier: Apache-2.0
"""The kernels that tinygrad generates for three models (models.py), with what they are called with: sources, sizes, contents of
buffers. Runs on any OpenCL device; tinygrad is in the Python that runs this.

    capture.py FOLDER [MODEL ...]

FOLDER gets MODEL.json and the buffers' contents. A kernel's buffers are those of its first launch; `launches` counts those of
one step, once nothing is compiled any more.
"""

import collections
import json
import os
import pathlib
import sys

os.environ["DEV"] = "CL"
os.environ.setdefault("CACHELEVEL", "0")

import models  # noqa: E402  pylint: disable=wrong-import-position
from tinygrad import Device, Tensor  # noqa: E402  pylint: disable=wrong-import-position
from tinygrad.runtime import ops_cl  # noqa: E402  pylint: disable=wrong-import-position

STEPS = 4  # tinygrad captures the second and replays from the third on


class Recorder:
    """Stands in the place of what tinygrad compiles and launches with."""

    def __init__(self):
        self.folder, self.sources, self.kernels, self.counts = None, {}, {}, collections.Counter()
        compile_, init, call = ops_cl.CLCompiler.compile, ops_cl.CLProgram.__init__, ops_cl.CLProgram.__call__

        def compiled(compiler, source):
            made = compile_(compiler, source)
            self.sources[made] = source
            return made

        def initialised(program, device, name, made, *rest, **named):
            init(program, device, name, made, *rest, **named)
            program.source = self.sources[made]

        def called(program, *buffers, global_size=(1, 1, 1), local_size=None, vals=(), wait=False):
            self.launch(program, buffers, global_size, local_size, vals)
            return call(program, *buffers, global_size=global_size, local_size=local_size, vals=vals, wait=wait)

        ops_cl.CLCompiler.compile, ops_cl.CLProgram.__init__, ops_cl.CLProgram.__call__ = compiled, initialised, called

    def begin(self, folder):
        folder.mkdir(exist_ok=True)
        for old in folder.glob("*.bin"):
            old.unlink()
        self.folder = folder
        self.kernels.clear()

    def launch(self, program, buffers, global_size, local_size, vals):
        key = (program.source, tuple(global_size), tuple(local_size or ()))
        self.counts[key] += 1
        if key in self.kernels:
            return
        contents = [self.keep(program.dev, opaque) for opaque in buffers]
        self.kernels[key] = {"name": program.name, "source": program.source, "groups": [int(size) for size in global_size],
                             "group": [int(size) for size in local_size or (1, 1, 1)], "values": [int(value) for value in vals],
                             "buffers": contents}

    def keep(self, device, opaque):
        size = ops_cl.ctypes.c_size_t()
        ops_cl.check(ops_cl.cl.clGetMemObjectInfo(opaque[0], ops_cl.cl.CL_MEM_SIZE, 8, ops_cl.ctypes.byref(size), None))
        data = memoryview(bytearray(size.value))
        device.allocator._copyout(data, opaque)  # pylint: disable=protected-access
        file = self.folder / f"{len(list(self.folder.glob('*.bin')))}.bin"
        file.write_bytes(data)
        return {"file": file.name, "bytes": size.value}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    recorder = Recorder()
    for name in sys.argv[2:] or models.MODELS:
        recorder.begin(folder / name)
        Tensor.manual_seed(1)
        step = models.MODELS[name]()
        for _ in range(STEPS):
            recorder.counts.clear()
            step()
        kernels = [dict(kernel, launches=recorder.counts[key])
                   for key, kernel in recorder.kernels.items() if recorder.counts[key]]
        (folder / f"{name}.json").write_text(json.dumps({"model": name, "kernels": kernels}, indent=1) + "\n", encoding="utf-8")
        print(f"{name}: {len(kernels)} kernels, {sum(kernel['launches'] for kernel in kernels)} launches a step "
              f"({Device.DEFAULT})")


if __name__ == "__main__":
    main()
