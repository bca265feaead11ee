"""Integer, common and relational functions (6.12.3, 6.12.4, 6.12.6) against references in whole numbers of Python.

Results are exact, but for mix and smoothstep, which have no limit in the specification: they get a few roundings.
What the specification leaves undefined (a NaN given to max, a clamp with its ends exchanged) is not judged.
"""
import fnmatch
from typing import Any, Callable, Dict, List, NamedTuple, Sequence

import numpy as np

import engine
import functions
import math_part
import table
import values


class Integer(NamedTuple):
    """What an element type can hold."""

    bits: int
    low: int
    high: int

    def wrap(self, value: Any) -> Any:
        """Whole numbers modulo two to the power of `bits`."""
        value = value & ((1 << self.bits) - 1)
        return np.where(value > self.high, value - (1 << self.bits), value) if self.low < 0 else value

    def saturate(self, value: Any) -> Any:
        return np.minimum(np.maximum(value, self.low), self.high)


def integer(scalar: str) -> Integer:
    info = np.iinfo(values.NUMPY[scalar])
    return Integer(info.bits, int(info.min), int(info.max))


def _rotate(t: Integer, x: Any, y: Any) -> Any:
    mask = (1 << t.bits) - 1
    left = y % t.bits
    return t.wrap(((x & mask) << left) | ((x & mask) >> (t.bits - left)))


def _clz(t: Integer, x: Any) -> Any:
    return np.array([t.bits - int(each & ((1 << t.bits) - 1)).bit_length() for each in x], object)


def _popcount(t: Integer, x: Any) -> Any:
    return np.array([bin(each & ((1 << t.bits) - 1)).count("1") for each in x], object)


# Functions of an element type and whole numbers of any size.
INTEGER: Dict[str, Callable[..., Any]] = {
    "abs": lambda t, x: np.abs(x),
    "abs_diff": lambda t, x, y: np.abs(x - y),
    "add_sat": lambda t, x, y: t.saturate(x + y),
    "sub_sat": lambda t, x, y: t.saturate(x - y),
    "hadd": lambda t, x, y: (x + y) >> 1,
    "rhadd": lambda t, x, y: (x + y + 1) >> 1,
    "clamp": lambda t, x, low, high: np.minimum(np.maximum(x, low), high),
    "clz": _clz,
    "popcount": _popcount,
    "mad_hi": lambda t, x, y, z: t.wrap(((x * y) >> t.bits) + z),
    "mad_sat": lambda t, x, y, z: t.saturate(x * y + z),
    "max": lambda t, x, y: np.maximum(x, y),
    "min": lambda t, x, y: np.minimum(x, y),
    "mul_hi": lambda t, x, y: (x * y) >> t.bits,
    "rotate": _rotate,
    "upsample": lambda t, high, low: (high << t.bits) | low,
    "mad24": lambda t, x, y, z: t.wrap(x * y + z),
    "mul24": lambda t, x, y: t.wrap(x * y),
    "bitselect": lambda t, x, y, z: (x & ~z) | (y & z),
}
RELATIONAL: Dict[str, Callable[..., Any]] = {
    "isequal": lambda x, y: x == y, "isnotequal": lambda x, y: x != y, "isgreater": lambda x, y: x > y,
    "isgreaterequal": lambda x, y: x >= y, "isless": lambda x, y: x < y, "islessequal": lambda x, y: x <= y,
    "islessgreater": lambda x, y: (x < y) | (x > y), "isordered": lambda x, y: ~(np.isnan(x) | np.isnan(y)),
    "isunordered": lambda x, y: np.isnan(x) | np.isnan(y), "isfinite": np.isfinite, "isinf": np.isinf, "isnan": np.isnan,
    "isnormal": lambda x: np.isfinite(x) & (np.abs(x) >= np.finfo(x.dtype).tiny), "signbit": np.signbit,
}


def _smoothstep(low: Any, high: Any, x: Any) -> Any:
    t = np.minimum(np.maximum((x - low) / (high - low), 0), 1)
    return t * t * (3 - 2 * t)


# Functions of numbers with more bits than the type has.
COMMON: Dict[str, Callable[..., Any]] = {
    "clamp": lambda x, low, high: np.where(x < low, low, np.where(high < x, high, x)),
    "max": lambda x, y: np.where(x < y, y, x),
    "min": lambda x, y: np.where(y < x, y, x),
    "mix": lambda x, y, a: x + (y - x) * a,
    "step": lambda edge, x: np.where(x < edge, 0.0, 1.0),
    "smoothstep": _smoothstep,
    "sign": lambda x: np.where(x > 0, 1.0, np.where(x < 0, -1.0, np.where(x == 0, x, 0.0))),
}


class Judge:
    """Exact results, or nearly so, of one function with one type."""

    def __init__(self, device: engine.Device, form: table.Form) -> None:
        self.device, self.form = device, form

    def operands(self, form: table.Form) -> List[np.ndarray]:
        """Those of 24-bit functions have 24 bits, weights are from 0 to 1, and the ends of clamp are in order."""
        made = values.operands(form.name, [table.split(word)[0] for word in form.arguments])
        if form.name in ("mad24", "mul24"):
            made[:2] = [((each << 8) >> 8).astype(each.dtype) for each in made[:2]]
        if form.name == "clamp" and form.type in table.INTEGERS:
            made[1:] = [np.minimum(made[1], made[2]), np.maximum(made[1], made[2])]
        return made

    def expected(self, form: table.Form, operands: Sequence[np.ndarray]) -> Any:
        """The right results, component by component."""
        kind = values.NUMPY[table.split(form.result)[0]]
        if form.name in ("bitselect", "select"):
            return _chosen(form, operands)
        if form.type in table.INTEGERS:
            whole = [each.astype(object) for each in operands]
            return np.array(INTEGER[form.name](integer(form.type), *whole), object).astype(kind)
        with np.errstate(all="ignore"):
            if form.name in RELATIONAL:
                found = RELATIONAL[form.name](*operands)
                return np.where(found, 1 if form.width == 1 else -1, 0).astype(kind)
            return COMMON[form.name](*[each.astype(np.longdouble) for each in operands])

    def against_reference(self, at: int, title: str, operands: Sequence[np.ndarray], result: np.ndarray) -> None:
        """The form with one component."""
        self._compare(self.form, title, operands, result)

    def against_scalar(self, form: table.Form, title: str, got: Any, wanted: Sequence[np.ndarray],
                       operands: Sequence[np.ndarray]) -> None:
        """Another form: against the reference too, which knows that components of comparisons are 0 and -1."""
        del wanted
        if got is not None:
            self._compare(form, title, operands, got[0])

    def _compare(self, form: table.Form, title: str, operands: Sequence[np.ndarray], got: np.ndarray) -> None:
        wanted = self.expected(form, operands)
        if form.type in table.FLOATING and form.name in COMMON:
            with np.errstate(all="ignore"):
                wrong = ~_near(form, operands, got, wanted)
        else:
            wrong = ~engine.same(got, wanted)
        if wrong.any():
            places = np.flatnonzero(wrong)
            lines = []
            for place in places[:3]:
                given = ", ".join(functions.exact_text(each[place]) for each in operands)
                lines.append(f"({given}) is {functions.exact_text(got[place])}, not {functions.exact_text(wanted[place])}")
            self.device.fail(title, f"{len(places)} of {len(got)} results are wrong: {'; '.join(lines)}")


def _chosen(form: table.Form, operands: Sequence[np.ndarray]) -> np.ndarray:
    """bitselect and select: bits of one operand or the other."""
    x, y, by = operands
    if form.name == "bitselect":
        bits = np.dtype(f"u{x.dtype.itemsize}")
        x, y, by = x.view(bits), y.view(bits), by.view(bits)
        return ((x & ~by) | (y & by)).view(operands[0].dtype)
    signed = by.view(np.dtype(f"i{by.dtype.itemsize}"))
    return np.where(by != 0 if form.width == 1 else signed < 0, y, x)


def _near(form: table.Form, operands: Sequence[np.ndarray], got: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Which results are right, or not judged. min, max, clamp, step and sign are exact but for the sign of a zero."""
    info = np.finfo(got.dtype)
    finite = np.all([np.isfinite(each) for each in operands], axis=0)
    if form.name in ("mix", "smoothstep"):
        small = np.all([np.abs(each) < info.max / 8 for each in operands], axis=0)
        if form.name == "mix":
            judged = small & (operands[2] >= 0) & (operands[2] <= 1)
            slack = 4 * info.eps * (np.abs(operands[0].astype(np.longdouble)) + np.abs(operands[1]))
            slack += 4 * info.smallest_subnormal
        else:
            judged, slack = small & (operands[0] < operands[1]), 8 * info.eps
        return ~judged | (np.abs(got - wanted) <= slack)
    equal = got == wanted.astype(got.dtype)
    if form.name == "sign":
        return equal & (np.signbit(got) == np.signbit(wanted)) | (np.isnan(operands[0]) & (got == 0))
    undefined = ~finite
    if form.name == "clamp":
        undefined |= operands[1] > operands[2]
    if form.name == "step":
        undefined = np.any([np.isnan(each) for each in operands], axis=0)
    return equal | undefined


def check(device: engine.Device, reference: math_part.Reference, sections: Sequence[str], pattern: str = "*",
          widths: Sequence[int] = table.WIDTHS) -> List[math_part.Largest]:
    """The functions of the sections ("integer", "common", "relational") whose name matches, on one device."""
    rows = {"integer": table.INTEGER, "common": table.COMMON, "relational": table.RELATIONAL}
    forms = [form for section in sections for form in table.forms(rows[section])
             if fnmatch.fnmatchcase(form.name, pattern) and form.width in widths and form.name not in ("any", "all")]

    def judge_of(form: table.Form) -> Any:
        if form.name in ("degrees", "radians"):
            return math_part.Judge(device, reference, form)
        return Judge(device, form)

    judges = functions.check(device, forms, judge_of)
    if "relational" in sections:
        _any_and_all(device, pattern, widths)
    return [found for judge in judges if isinstance(judge, math_part.Judge) for found in judge.largest()]


def _any_and_all(device: engine.Device, pattern: str, widths: Sequence[int]) -> None:
    """any and all look at the most significant bits of all components."""
    forms = [form for form in table.forms(table.RELATIONAL)
             if form.name in ("any", "all") and fnmatch.fnmatchcase(form.name, pattern) and form.width in widths]
    device.compile([engine.kernel_of(form, functions.identifier(form)) for form in forms])
    for form in forms:
        operand = values.operands(form.name, [form.type])[0]
        got = engine.run(device, functions.identifier(form), form, [operand])
        negative = operand.reshape(-1, form.width) < 0
        wanted = (negative.any(axis=1) if form.name == "any" else negative.all(axis=1)).astype(np.int32)
        if got is not None and not np.array_equal(got[0], wanted):
            place = int(np.flatnonzero(got[0] != wanted)[0])
            device.fail(form.title(), f"components {operand.reshape(-1, form.width)[place].tolist()}: {got[0][place]}")
