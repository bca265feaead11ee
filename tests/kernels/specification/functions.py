"""Functions of each component: the form with one component against a reference, all other forms against that one.

A part gives the forms and a judge, which knows what is right. The forms are widths, mixed scalar and vector operands, address
spaces of pointers, a call in a branch that some work-items do not take, and groups of one work-item.
"""
from typing import Any, Callable, Dict, List, Protocol, Sequence

import numpy as np

import engine
import table
import values


class Judge(Protocol):
    """What a part knows of one function with one type. A result that is wrong is told to the device."""

    device: engine.Device

    def operands(self, form: table.Form) -> List[np.ndarray]:
        """What the form with one component is called with."""

    def against_reference(self, at: int, title: str, operands: Sequence[np.ndarray], result: np.ndarray) -> None:
        """The result of the form with one component; `at` is 1 for what its pointer got."""

    def against_scalar(self, form: table.Form, title: str, got: Any, wanted: Sequence[np.ndarray],
                       operands: Sequence[np.ndarray]) -> None:
        """The results of another form; `got` is None where it was not built."""


def exact_text(value: Any) -> str:
    """A number as a message has it, with all its bits."""
    return str(int(value)) if isinstance(value, np.integer) else float(value).hex()


def identifier(form: table.Form, tail: str = "") -> str:
    """The name of the kernel that calls a form."""
    names = {"x + y": "plus", "x - y": "minus", "x * y": "times", "x / y": "over", "1 / x": "one_over"}
    shape = "".join(letter for letter in form.letters if letter.isalpha())
    return f"k_{names.get(form.name, form.name)}_{form.type}{form.width}_{shape}{form.space}{tail}"


def check(device: engine.Device, forms: Sequence[table.Form], judge_of: Callable[[table.Form], Judge]) -> List[Judge]:
    """Builds all forms, and runs them function by function; the judges have what they saw."""
    groups: Dict[Any, List[table.Form]] = {}
    for form in forms:
        groups.setdefault((form.name, form.type, form.letters if form.name == "select" else ()), []).append(form)
    kernels = [engine.kernel_of(form, identifier(form)) for form in forms]
    kernels += [engine.kernel_of(form, identifier(form, "_some"), "if (i % 3 != 1) ") for form in forms if is_first(form)]
    device.compile(kernels)
    judges = []
    for members in groups.values():
        first = next((form for form in members if is_first(form)), None)
        if first is not None:
            judges.append(judge_of(first))
            _function(judges[-1], members, first)
    for kernel in kernels:
        device.kernels.pop(kernel.name, None)
    return judges


def is_first(form: table.Form) -> bool:
    """Whether the other forms of the function are held against this one."""
    return form.width == 1 and form.space in ("", "private")


def _function(judge: Judge, members: Sequence[table.Form], first: table.Form) -> None:
    operands = judge.operands(first)
    results = engine.run(judge.device, identifier(first), first, operands)
    if results is None:
        return
    for at, result in enumerate(results):
        judge.against_reference(at, first.title(), operands, result)
    _forms(judge, members, first, operands, results)
    _ways(judge, first, operands, results)


def _forms(judge: Judge, members: Sequence[table.Form], first: table.Form, operands: Sequence[np.ndarray],
           results: Sequence[np.ndarray]) -> None:
    """Widths, address spaces and mixed forms: the bits of the scalar form, component by component."""
    for form in members:
        if form is first:
            continue
        given, repeated, wanted = list(operands), list(operands), list(results)
        alone = [at for at, letter in enumerate(form.letters) if letter in "sj" and form.width > 1]
        if alone:
            repeated = [np.repeat(each[::form.width], form.width) if at in alone else each for at, each in enumerate(operands)]
            given = [each[::form.width].copy() if at in alone else each for at, each in enumerate(operands)]
            wanted = engine.run(judge.device, identifier(first), first, repeated) or []
        judge.against_scalar(form, form.title(), engine.run(judge.device, identifier(form), form, given), wanted, repeated)


def _ways(judge: Judge, first: table.Form, operands: Sequence[np.ndarray], results: Sequence[np.ndarray]) -> None:
    """The scalar form where some work-items do not call it, and in groups of one."""
    active = np.arange(values.COUNT) % 3 != 1
    got = engine.run(judge.device, identifier(first, "_some"), first, operands)
    skipped = [np.where(active, each, theirs) for each, theirs in zip(got or [], results)]
    judge.against_scalar(first, first.title() + " in a branch", skipped, results, operands)
    if any(np.any(each[~active] != 0) for each in got or []):
        judge.device.fail(first.title() + " in a branch", "writes where it is not called")
    got = engine.run(judge.device, identifier(first), first, operands, group=1)
    judge.against_scalar(first, first.title() + " in groups of one", got, results, operands)
