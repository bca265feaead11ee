#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The compiler's side: makes the files that run.c runs on another machine, without Python and without a compiler.

    digits --device cpu --seed 1 --weights weights.f32 --no-threshold
    model.py weights.f32 model

The folder then has
    model.json        the graph: buffers, nodes, the named value "images"; kernels by name alone
    model.rtm         code of the kernels for each level of processors, for OpenCL and, where NVRTC is found, CUDA; no source
    NAME.bin          the contents of each constant buffer: the weights; and, to check the model there,
    pixels.bin        359 images of digits; labels.bin: the digits that they show
    probabilities.bin, digits.bin    the results that are expected
All are little-endian numbers without a head. NumPy is not needed. The package is that of docs/bindings/python.md, the command
that of Debian's manyrt-tools, or of a wheel.
"""

import argparse
import json
import math
import operator
import pathlib
import struct
import subprocess
from typing import Dict, List, Sequence, Tuple

import manyrt

HERE = pathlib.Path(__file__).resolve().parent
PIXELS, HIDDEN, CLASSES = 64, 128, 10  # as in examples/digits
BATCH = 64  # images of a launch, at most
LAYERS = {"layer1": (PIXELS, HIDDEN), "layer2": (HIDDEN, CLASSES)}  # a layer is (inputs + 1) * neurons numbers


def images_to_read(path: pathlib.Path) -> Tuple[bytes, bytes]:
    """Pixels and labels of the images that digits holds out, which is every fifth."""
    rows = [[int(number) for number in line.split(",")] for line in path.read_text(encoding="ascii").splitlines()][4::5]
    return b"".join(bytes(row[:PIXELS]) for row in rows), bytes(row[PIXELS] for row in rows)


def read_weights(path: pathlib.Path) -> Dict[str, bytes]:
    """The bytes of each layer, which are one after the other in the file that `digits --weights` writes."""
    data, layers, first = path.read_bytes(), {}, 0
    for name, (inputs, neurons) in LAYERS.items():
        layers[name] = data[first:first + 4 * (inputs + 1) * neurons]
        first += 4 * (inputs + 1) * neurons
    if len(data) != first:
        raise SystemExit(f"model.py: {path} has {len(data)} bytes, the weights of {LAYERS} are {first}.")
    return layers


def compile_kernels(image: pathlib.Path, command: str, targets: Sequence[str]) -> List[str]:
    """Compiles model.cl for each target, else for all levels of processors, OpenCL, and PTX where NVRTC is found."""
    if not targets:
        listed = json.loads(subprocess.run([command, "cc", "--list", "--json"], check=True, stdout=subprocess.PIPE).stdout)
        targets = [each["target"] for each in listed if each["available"]
                   and each["target"] != "cpu:native" and not each["target"].startswith("cuda:sm_")]
    words = [word for target in targets for word in ("--target", target)]
    subprocess.run([command, "cc", HERE / "model.cl", "--no-source", "-o", image, *words], check=True)
    return list(targets)


def build_graph(context: manyrt.Context, module: manyrt.Module) -> manyrt.Graph:
    """pixels -> scale -> dense -> dense -> best -> digits, and a copy of the last layer -> softmax -> probabilities."""
    graph = context.graph()
    images = graph.add_value("uint32", "images")  # of the batch; the program says it for each launch
    pixels = graph.add_buffer(BATCH * PIXELS, "input", "pixels")
    layers = {name: graph.add_buffer(4 * (inputs + 1) * neurons, "constant", name)
              for name, (inputs, neurons) in LAYERS.items()}
    probabilities = graph.add_buffer(4 * BATCH * CLASSES, "output", "probabilities")
    digits = graph.add_buffer(4 * BATCH, "output", "digits")
    values = graph.add_buffer(4 * BATCH * PIXELS, "temporary")

    scale = module["scale"]
    graph.add_kernel(scale[scale.shape(BATCH * PIXELS, 64)], manyrt.reads(pixels), manyrt.writes(values), PIXELS, images)
    dense = module["dense"]
    for name, (inputs, neurons) in LAYERS.items():
        result = graph.add_buffer(4 * BATCH * neurons, "temporary")
        graph.add_kernel(dense[dense.shape((neurons, BATCH), (16, 4))], manyrt.reads(values), manyrt.reads(layers[name]),
                         manyrt.writes(result), inputs, neurons, int(name != "layer2"), images)
        values = result
    best, softmax = module["best"], module["softmax"]
    graph.add_kernel(best[best.shape(BATCH, 16)], manyrt.reads(values), manyrt.writes(digits), CLASSES, images)
    graph.add_copy(probabilities, values)  # softmax works in place, and `best` reads the same numbers
    graph.add_kernel(softmax[softmax.shape(BATCH, 16)], manyrt.updates(probabilities), CLASSES, images)
    return graph


def run(context: manyrt.Context, graph: manyrt.Graph, module: manyrt.Module, layers: Dict[str, bytes],
        pixels: bytes) -> Tuple[bytes, bytes]:
    """The graph as it was loaded from its file, batch by batch: probabilities and digits."""
    program = graph.plan(modules=[module]).instantiate()
    images = graph.value("images", "uint32")
    constants = {name: context.array(data, "float32") for name, data in layers.items()}
    batch, rows = context.empty(BATCH * PIXELS, "uint8"), context.empty((BATCH, CLASSES))
    digits = context.empty(BATCH, "int32")
    for name, memory in {**constants, "pixels": batch, "probabilities": rows, "digits": digits}.items():
        program.bind(graph.buffer(name), memory)
    results: List[Tuple[bytes, bytes]] = []
    with context.stream() as stream:
        for first in range(0, len(pixels), BATCH * PIXELS):
            part = pixels[first:first + BATCH * PIXELS]
            count = len(part) // PIXELS
            batch[:len(part)].copy_from(part, stream)
            program.bind(images, count)
            program.launch(stream)
            results.append((rows[:count].tobytes(stream), digits[:count].tobytes(stream)))
    return b"".join(each for each, _ in results), b"".join(each for _, each in results)


def check(layers: Dict[str, bytes], pixels: bytes, probabilities: bytes) -> float:
    """How far the probabilities are, at most, from those that plain Python computes with its 64-bit numbers."""
    columns = []
    for name, (inputs, neurons) in LAYERS.items():
        weights = struct.unpack(f"<{(inputs + 1) * neurons}f", layers[name])
        columns.append([weights[neuron::neurons] for neuron in range(neurons)])
    worst = 0.0
    for image in range(len(pixels) // PIXELS):
        row = [value / 16 for value in pixels[image * PIXELS:(image + 1) * PIXELS]]
        hidden = [max(0.0, sum(map(operator.mul, row, column)) + column[-1]) for column in columns[0]]
        logits = [sum(map(operator.mul, hidden, column)) + column[-1] for column in columns[1]]
        found = struct.unpack_from(f"<{CLASSES}f", probabilities, 4 * CLASSES * image)
        powers = [math.exp(logit - max(logits)) for logit in logits]
        worst = max(worst, *(abs(number - power / sum(powers)) for number, power in zip(found, powers)))
    return worst


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="Makes the files of the model that run.c runs.")
    parser.add_argument("weights", type=pathlib.Path, help="what `digits --weights` has written")
    parser.add_argument("folder", type=pathlib.Path, help="where the files go")
    parser.add_argument("--command", default="manyrt", help="the command manyrt; else the one of PATH")
    parser.add_argument("--target", action="append", default=[], help="as of `manyrt cc`; else all that can be built here")
    parser.add_argument("--data", type=pathlib.Path, default=HERE.parent / "data" / "digits.csv", help="the images")
    options = parser.parse_args()

    options.folder.mkdir(parents=True, exist_ok=True)
    targets = compile_kernels(options.folder / "model.rtm", options.command, options.target)
    layers, (pixels, labels) = read_weights(options.weights), images_to_read(options.data)
    with manyrt.Context("cpu") as context:
        module = context.load_module(options.folder / "model.rtm")
        saved = build_graph(context, module).save()
        probabilities, digits = run(context, context.load_graph(saved), module, layers, pixels)
    error = check(layers, pixels, probabilities)
    if not error < 1e-5:
        raise SystemExit(f"model.py: a probability is {error} away from the one that Python computes.")
    for name, data in {"model.json": saved, **{f"{name}.bin": data for name, data in layers.items()}, "pixels.bin": pixels,
                       "labels.bin": labels, "probabilities.bin": probabilities, "digits.bin": digits}.items():
        (options.folder / name).write_bytes(data)
    print(f"{options.folder}: {len(labels)} images, a model of {len(saved)} bytes, kernels for {', '.join(targets)}")


if __name__ == "__main__":
    main()
