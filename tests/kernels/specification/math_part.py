"""The math functions: one component against MPFR (math_reference.cpp) within section 7.4, the other forms against that one.

What OpenCL leaves open is not judged: lgamma, mad and the native_ functions have no limit, and the largest errors stand in the
table all the same.
"""
import ctypes
import fnmatch
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import numpy as np

import engine
import functions
import table
import values

SECOND = {"fract": "whole", "modf": "whole", "sincos": "cosine", "frexp": "exponent", "lgamma_r": "sign", "remquo": "quotient"}
_TRIGONOMETRIC = ("half_sin", "half_cos", "half_tan")  # for operands of at most 2^16


class Largest(NamedTuple):
    """The largest error of one result of a function, and where."""

    name: str
    type: str
    limit: Optional[float]
    error: float
    operands: List[float]
    got: float
    wanted: float


class Reference:
    """The library that knows what results should be."""

    def __init__(self, path: str) -> None:
        library = ctypes.CDLL(path)
        doubles = np.ctypeslib.ndpointer(np.float64, flags="C_CONTIGUOUS")
        self._errors = library.math_errors
        self._errors.restype = ctypes.c_int
        self._errors.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_long, *[ctypes.c_void_p] * 3, *[doubles] * 3]

    def errors(self, name: str, scalar: str, operands: Sequence[np.ndarray], got: np.ndarray) -> Any:
        """The error of each result in units in the last place, and the wanted results, rounded."""
        with np.errstate(invalid="ignore"):  # a signalling NaN
            wide = [np.ascontiguousarray(each, np.float64) for each in operands]
            given = got.astype(np.float64)
        pointers = [each.ctypes.data for each in wide] + [None] * (3 - len(wide))
        error, wanted = np.zeros(len(got)), np.zeros(len(got))
        known = self._errors(name.encode(), scalar == "float", len(got), *pointers, given, error, wanted)
        if known != 0:
            raise KeyError(name)
        return error, wanted


def operator_forms() -> List[table.Form]:
    """x + y and its like, in all widths."""
    found = []
    for name, letters in (("x + y", "gg"), ("x - y", "gg"), ("x * y", "gg"), ("x / y", "gg"), ("1 / x", "g")):
        for scalar in table.FLOATING:
            for width in table.WIDTHS:
                given = table.components(scalar, width)
                found.append(table.Form("7.4", name, given, (given,) * len(letters), "", scalar, width, tuple(letters)))
    return found


def check(device: engine.Device, reference: Reference, pattern: str = "*", types: Sequence[str] = table.FLOATING,
          widths: Sequence[int] = table.WIDTHS) -> List[Largest]:
    """All math functions whose name matches, on one device."""
    forms = [form for form in list(table.forms(table.MATH)) + operator_forms()
             if fnmatch.fnmatchcase(form.name, pattern) and form.type in types and form.width in widths]
    judges = functions.check(device, forms, lambda form: Judge(device, reference, form))
    return [found for judge in judges for found in judge.largest()]


class Judge:
    """Looks at the results of one function, in all its forms, on one device."""  # a functions.Judge

    def __init__(self, device: engine.Device, reference: Reference, form: table.Form) -> None:
        self.device, self.reference, self.form = device, reference, form
        self._largest: Dict[int, Largest] = {}

    def largest(self) -> List[Largest]:
        return [self._largest[at] for at in sorted(self._largest)]

    def output(self, at: int) -> str:
        return self.form.name if at == 0 else f"{self.form.name}.{SECOND[self.form.name]}"

    def against_reference(self, at: int, title: str, operands: Sequence[np.ndarray], result: np.ndarray) -> None:
        """A result against MPFR."""
        output, scalar = self.output(at), self.form.type
        limit = table.limit(output, scalar)
        with np.errstate(invalid="ignore"):
            got = result.astype(np.float64)
        error, wanted = self.reference.errors(values.base(output), scalar, operands, got)
        judged = np.ones(len(error), bool)
        if self.form.name in _TRIGONOMETRIC:
            judged = np.abs(operands[0]) <= 65536
        bad = np.isinf(error) & judged
        if limit is not None and limit <= 0.5:  # correctly rounded: that number, and no other
            bad |= judged & (error > 0) & (got != wanted)
        elif limit is not None:
            bad |= judged & (error > limit)
        if limit is not None and bad.any():
            self._tell(f"{output}: {title}" if at else title, limit, operands, got, wanted, error, bad)
        counted = np.where(judged & np.isfinite(error), error, -1)
        place = int(np.argmax(counted))
        found = Largest(output, scalar, limit, float(max(counted[place], 0)), [float(each[place]) for each in operands],
                        float(got[place]), float(wanted[place]))
        if at not in self._largest or found.error > self._largest[at].error:
            self._largest[at] = found

    def _tell(self, title: str, limit: float, operands: Sequence[np.ndarray], got: np.ndarray, wanted: np.ndarray,
              error: np.ndarray, bad: np.ndarray) -> None:
        places = np.flatnonzero(bad)
        worst = places[np.argsort(-error[places], kind="stable")][:3]
        lines = []
        for place in worst:
            given = ", ".join(functions.exact_text(each[place]) for each in operands)
            how = "of the wrong kind" if np.isinf(error[place]) else f"{error[place]:.4g} ulp"
            lines.append(f"({given}) is {functions.exact_text(got[place])}, not {functions.exact_text(wanted[place])}: {how}")
        self.device.fail(title, f"{len(places)} of {len(got)} results beyond {limit:g} ulp: " + "; ".join(lines))

    def operands(self, form: table.Form) -> List[np.ndarray]:
        return values.operands(form.name, [table.split(word)[0] for word in form.arguments if word[0] != "*"])

    def against_scalar(self, form: table.Form, title: str, got: Any, wanted: Sequence[np.ndarray],
                       operands: Sequence[np.ndarray]) -> None:
        """A form against the scalar one. The CPU's are the same bits; a driver's may differ and meet MPFR then."""
        for at, (mine, theirs) in enumerate(zip(got or [], wanted)):
            equal = engine.same(mine, theirs)
            if equal.all():
                continue
            places = np.flatnonzero(~equal)
            if self.device.name != "cpu":
                self.against_reference(at, title, [each[places] for each in operands], mine[places])
                continue
            given = ", ".join(functions.exact_text(each[places[0]]) for each in operands)
            self.device.fail(title, f"{len(places)} of {len(mine)} components are not what the scalar form gives: ({given}) is "
                                    f"{functions.exact_text(mine[places[0]])}, not {functions.exact_text(theirs[places[0]])}")
