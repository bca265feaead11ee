#!/usr/bin/env python3
"""What a compiler does for manyrt, in a hundred lines: a small tensor IR is lowered to a graph file (docs/graph-file.md).

    x = Input("x", (8, 4)); w = Input("w", (4, 3)); b = Input("b", (3,))
    emit({"y": relu(matmul(x, w) + b)}, "graph.json")

    manyrt run graph.json --input x=x.npy --input w=w.npy --input b=b.npy --output y=y.npy

Run as a program it writes the graph of a two-layer network: graph_emitter.py graph.json. Three kinds of operations are
enough to show the three shapes of a lowering: elementwise (one work-item for each element), matmul (a row and a column for
each), reduction (one work-item for each row). Every tensor is a buffer, every operation a node that waits for those it reads.
"""
import json
import math
import sys

GROUP = 64


class Tensor:
    """A value of the IR: an operation over other tensors, with its shape. Elements are 32-bit floats."""

    def __init__(self, shape, operands=(), kernel=None, items=None, sizes=(), name=None):
        self.shape, self.operands, self.kernel = tuple(shape), operands, kernel
        self.items, self.sizes, self.name = items, sizes, name  # work-items; integers that the kernel takes

    def __add__(self, other):
        return elementwise("a + b", self, other)

    def __sub__(self, other):
        return elementwise("a - b", self, other)

    def __mul__(self, other):
        return elementwise("a * b", self, other)


def Input(name, shape):
    return Tensor(shape, name=name)


def elementwise(expression, *operands):
    """`expression` of a, b...; the last operands may be vectors that are repeated for each row."""
    shape, count = operands[0].shape, math.prod(operands[0].shape)
    for each in operands[1:]:
        if each.shape not in (shape, shape[-1:]):
            raise ValueError(f"shapes {shape} and {each.shape} do not go together")
    names = "abcdefgh"[:len(operands)]
    loads = "".join(f"  const float {n} = in_{n}[i % size_{n}];\n" for n in names)
    parameters = "".join(f"global const float* in_{n}, " for n in names)
    sizes = "".join(f", uint size_{n}" for n in names)
    kernel = ("elementwise", f"({parameters}global float* out, uint count{sizes}) {{\n"
              f"  const uint i = get_global_id(0);\n  if (i >= count) return;\n{loads}  out[i] = {expression};\n}}\n")
    return Tensor(shape, operands, kernel, count, (count, *(math.prod(each.shape) for each in operands)))


def relu(x):
    return elementwise("fmax(a, 0.0f)", x)


def matmul(x, y):
    (rows, inner), (again, columns) = x.shape, y.shape
    if inner != again:
        raise ValueError(f"shapes {x.shape} and {y.shape} do not go together")
    kernel = ("matmul", "(global const float* x, global const float* y, global float* out,"
              " uint rows, uint inner, uint columns) {\n"
              "  const uint i = get_global_id(0);\n  if (i >= rows * columns) return;\n  float sum = 0.0f;\n"
              "  for (uint k = 0; k < inner; ++k) sum += x[i / columns * inner + k] * y[k * columns + i % columns];\n"
              "  out[i] = sum;\n}\n")
    return Tensor((rows, columns), (x, y), kernel, rows * columns, (rows, inner, columns))


def reduce(expression, start, x):
    """Folds the last dimension: `expression` of what was folded so far (a) and the next element (b)."""
    rows, columns = math.prod(x.shape[:-1]), x.shape[-1]
    kernel = ("reduce", "(global const float* x, global float* out, uint rows, uint columns) {\n"
              f"  const uint row = get_global_id(0);\n  if (row >= rows) return;\n  float a = {start};\n"
              "  for (uint k = 0; k < columns; ++k) {\n    const float b = x[row * columns + k];\n"
              f"    a = {expression};\n  }}\n  out[row] = a;\n}}\n")
    return Tensor(x.shape[:-1] or (1,), (x,), kernel, rows, (rows, columns))


def emit(outputs, path):
    """Writes the graph that computes `outputs`, a dictionary of names and tensors."""
    buffers, nodes, kernels, done = [], [], {}, {}  # done: tensor -> (buffer, node)

    def visit(tensor):
        if id(tensor) in done:
            return done[id(tensor)]
        read = [visit(each) for each in tensor.operands]
        given = [name for name, each in outputs.items() if each is tensor]
        role = "input" if tensor.kernel is None else "output" if given else "temporary"
        name = tensor.name or (given[0] if given else f"t{len(buffers)}")
        buffers.append({"name": name, "role": role, "bytes": 4 * math.prod(tensor.shape), "type": "f32", "shape": tensor.shape})
        node = None
        if tensor.kernel is not None:
            word, body = tensor.kernel
            kernel = kernels.setdefault(body, f"{word}_{len(kernels)}")
            arguments = [{"buffer": buffer, "access": "read"} for buffer, _ in read]
            arguments += [{"buffer": len(buffers) - 1, "access": "write"}] + [{"u32": size} for size in tensor.sizes]
            nodes.append({"kind": "kernel", "kernel": kernel, "module": 0, "grid": [-(-tensor.items // GROUP), 1, 1],
                          "group": [GROUP, 1, 1], "arguments": arguments,
                          "after": sorted({first for _, first in read if first is not None})})
            node = len(nodes) - 1
        done[id(tensor)] = (len(buffers) - 1, node)
        return done[id(tensor)]

    for tensor in outputs.values():
        visit(tensor)
    source = "".join(f"kernel void {name}{body}" for body, name in kernels.items())
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"format": "manyrt-graph", "version": 1, "modules": [{"source": source}], "buffers": buffers, "nodes": nodes},
                  file, indent=1)


def network(rows=32, inputs=16, hidden=24, classes=10):
    """Two layers, and the sum of each row of squared outputs."""
    x, w1, b1 = Input("x", (rows, inputs)), Input("w1", (inputs, hidden)), Input("b1", (hidden,))
    w2, b2 = Input("w2", (hidden, classes)), Input("b2", (classes,))
    y = matmul(relu(matmul(x, w1) + b1), w2) + b2
    return {"y": y, "norm": reduce("a + b", "0.0f", y * y)}


if __name__ == "__main__":
    emit(network(), sys.argv[1] if len(sys.argv) > 1 else "graph.json")
