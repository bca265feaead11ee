"""Builds kernels that call one function each, and runs them on a device over arrays of numpy.

A kernel that does not build is found by name among the others of its program. Used by the parts of specification.py.
"""
import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import manyrt
import numpy as np

import table
import values

GROUP = 64
PER_PROGRAM = 40


class Kernel(NamedTuple):
    """The text of one kernel, under the name that messages give it."""

    name: str
    title: str
    text: str


class Failure(NamedTuple):
    """What went wrong, and with which function."""

    title: str
    reason: str


class Device:
    """A context with one way to build, and what failed on it."""

    def __init__(self, name: str, build: str, head: str = "") -> None:
        os.environ["RT_CPU_BUILD"] = build or "tiered"
        self.name, self.build, self._head = name, build, head
        self.label = f"{name} {build}".strip()
        self.context = manyrt.Context(name)
        self.failures: List[Failure] = []
        self.calls = 0
        self.kernels: Dict[str, Any] = {}

    def close(self) -> None:
        self.kernels.clear()
        self.context.close()

    def fail(self, title: str, reason: str) -> None:
        self.failures.append(Failure(title, reason))

    def compile(self, kernels: Sequence[Kernel]) -> None:
        """Builds programs of some kernels each; what fails is built again in halves until one kernel is left."""
        os.environ["RT_CPU_BUILD"] = self.build or "tiered"
        for first in range(0, len(kernels), PER_PROGRAM):
            self._compile(kernels[first:first + PER_PROGRAM])

    def _compile(self, kernels: Sequence[Kernel]) -> None:
        try:
            module = self.context.module(self._head + "\n".join(kernel.text for kernel in kernels))
            for kernel in kernels:
                self.kernels[kernel.name] = (module[kernel.name], module)
        except manyrt.Error as error:
            if len(kernels) == 1:
                self.fail(kernels[0].title, f"does not build: {_first_line(str(error))}")
                return
            self._compile(kernels[:len(kernels) // 2])
            self._compile(kernels[len(kernels) // 2:])

    def has(self, name: str) -> bool:
        return name in self.kernels

    def launch(self, name: str, items: int, arguments: Sequence[Any], group: int = GROUP) -> None:
        """Runs a kernel. Arrays of numpy are copied to the device, and back where they can be written."""
        stream = self.context.default_stream
        given = [self.context.array(each) if isinstance(each, np.ndarray) else each for each in arguments]
        kernel, _ = self.kernels[name]
        kernel[items // group, group](stream, *given)
        self.context.synchronize()
        for array, each in zip(given, arguments):
            if isinstance(each, np.ndarray) and each.flags.writeable:
                array.copy_to(each)
        self.calls += items


def _first_line(message: str) -> str:
    for line in message.splitlines():
        if "error:" in line:
            return line.strip()[:200]
    return message.splitlines()[0][:200] if message else "no message"


def load(letter: str, at: int, type_name: str) -> str:
    """How a kernel reads its operand: packed components, or one number where the operand has one component."""
    scalar, width = table.split(type_name)
    del scalar, letter
    return f"a{at}[i]" if width == 1 else f"vload{width}(i, a{at})"


def kernel_of(form: table.Form, name: str, guard: str = "") -> Kernel:
    """A kernel (operands..., result, what the pointer got) for one function; `guard` is a condition of its call."""
    parameters, calls, before, after = [], [], "", ""
    for at, (letter, word) in enumerate(zip(form.letters, form.arguments)):
        if word[0] == "*":
            scalar, width = table.split(word[1:])
            parameters.append(f"global {word[1:] if form.space == 'global' else scalar} *q")
            if form.space == "global":
                calls.append("q + i")
            else:
                before = f"local {word[1:]} t[{GROUP}];" if form.space == "local" else f"{word[1:]} t[1];"
                place = "get_local_id(0)" if form.space == "local" else "0"
                calls.append(f"&t[{place}]")
                after = f"q[i] = t[{place}];" if width == 1 else f"vstore{width}(t[{place}], i, q);"
        else:
            parameters.append(f"global const {table.split(word)[0]} *a{at}")
            calls.append(load(letter, at, word))
    scalar, width = table.split(form.result)
    parameters.append(f"global {scalar} *o")
    call = operator_text(form.name, calls)
    store = f"o[i] = {call};" if width == 1 else f"vstore{width}({call}, i, o);"
    text = (f"kernel void {name}({', '.join(parameters)}) {{ {before} size_t i = get_global_id(0); "
            f"{guard}{{ {store} {after} }} }}")
    return Kernel(name, form.title(), text)


def operator_text(name: str, operands: Sequence[str]) -> str:
    """A call, or an operator between operands: x + y, 1 / x."""
    if " " in name:
        return name.replace("x", operands[0]).replace("y", operands[-1])
    return f"{name}({', '.join(operands)})"


def same(got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Which elements have the same bits; a NaN is as good as another."""
    if got.dtype.kind != "f":
        return got == want
    bits = np.dtype(f"u{got.dtype.itemsize}")
    return (got.view(bits) == want.view(bits)) | (np.isnan(got) & np.isnan(want))


def run(device: Device, kernel: str, form: table.Form, operands: Sequence[np.ndarray],
        group: int = GROUP) -> Optional[List[np.ndarray]]:
    """The result and, after it, what the pointer got. Operands have a number for each component, or one for each call."""
    if not device.has(kernel):
        return None
    _, width = table.split(form.result)
    components = max([width] + [table.split(word.lstrip("*"))[1] for word in form.arguments])
    items = values.COUNT // components
    result = np.zeros(items * width, values.NUMPY[table.split(form.result)[0]])
    arguments: List[Any] = []
    other = None
    for place, word in enumerate(form.arguments):
        if word[0] == "*":
            stride = 4 if form.space == "global" and components == 3 else components
            other = np.zeros(items * stride, values.NUMPY[table.split(word[1:])[0]])
            arguments.append(other)
        else:
            operand = operands[place]
            operand.flags.writeable = False
            arguments.append(operand)
    device.launch(kernel, items, arguments + [result], group)
    if other is None:
        return [result]
    if other.size != items * components:
        other = np.ascontiguousarray(other.reshape(items, 4)[:, :3]).reshape(-1)
    return [result, other]
