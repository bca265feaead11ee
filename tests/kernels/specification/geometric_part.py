"""Geometric functions (6.12.5) against longer numbers, for vectors of one to four components.

OpenCL C 1.2 has no limits for them; the ones here are those of later versions of the specification. length, distance and
normalize may neither overflow nor lose small components; the fast_ functions may, and are judged where the squares stay in
range.
"""
import fnmatch
from typing import Any, Callable, Dict, List, Sequence, Tuple

import numpy as np

import engine
import functions
import table
import values

Long = np.longdouble


def _square_root_of_sum(x: Any) -> Any:
    scale = np.max(np.abs(x), axis=1, keepdims=True)
    scale = np.where((scale == 0) | ~np.isfinite(scale), 1, scale)
    return np.sqrt(np.sum((x / scale) ** 2, axis=1)) * scale[:, 0]


def _length(x: Any) -> Any:
    found = _square_root_of_sum(np.where(np.isinf(x), 0, x))
    return np.where(np.isinf(x).any(axis=1) & ~np.isnan(x).any(axis=1), np.inf, found)


def _normalize(x: Any) -> Any:
    infinite = np.isinf(x).any(axis=1, keepdims=True)
    x = np.where(infinite, np.where(np.isinf(x), np.copysign(1, x), 0 * np.where(np.isinf(x), 0, x)), x)
    length = _square_root_of_sum(x)[:, None]
    return np.where(length == 0, x, x / np.where(length == 0, 1, length))


def _cross(x: Any, y: Any) -> Any:
    found = np.cross(x[:, :3], y[:, :3])
    return found if x.shape[1] == 3 else np.concatenate([found, np.zeros((len(x), 1), Long)], axis=1)


EXACT: Dict[str, Callable[..., Any]] = {
    "cross": _cross, "dot": lambda x, y: np.sum(x * y, axis=1), "distance": lambda x, y: _length(x - y), "length": _length,
    "normalize": _normalize,
}


def _units(scalar: str, wanted: Any) -> Any:
    """The distance of numbers of the type near to a number."""
    info = np.finfo(values.NUMPY[scalar])
    exponent = np.floor(np.log2(np.maximum(np.abs(wanted), Long(info.tiny))))
    return np.exp2(exponent - info.nmant)


def _slack(form: table.Form, given: Sequence[Any], wanted: Any) -> Any:
    """How far a result may be from the exact one."""
    eps, width = np.finfo(values.NUMPY[form.type]).eps, form.width
    least = np.finfo(values.NUMPY[form.type]).smallest_subnormal
    if form.name in ("dot", "cross"):
        largest = [np.max(np.abs(each), axis=1) for each in given]
        bound = largest[0] * largest[1] * eps * (2 * width - 1 if form.name == "dot" else 3) + 3 * least
        return bound if form.name == "dot" else bound[:, None]
    base = form.name.replace("fast_", "")
    limit = {"distance": 2.5 + 2 * width, "length": 2.75 + 0.5 * width, "normalize": 2.0 + width}[base]
    slack = (limit + (8192 if base != form.name else 0)) * _units(form.type, wanted)
    # A component that is shorter than the vector by nearly the range of the type loses bits where the vector is scaled.
    return slack + (Long(np.finfo(values.NUMPY[form.type]).tiny) ** Long(0.9) if base == "normalize" else 0)


def _judged(form: table.Form, given: Sequence[Any], wanted: Any) -> Any:
    """Sums of products that overflow are not judged, nor squares out of range in a fast_ function."""
    info = np.finfo(values.NUMPY[form.type])
    if form.name in ("dot", "cross"):
        small = np.all([np.max(np.abs(each), axis=1) < np.sqrt(info.max) / 4 for each in given], axis=0)
        return small if form.name == "dot" else small[:, None]
    if form.name.startswith("fast_"):
        components = np.abs(given[0] - given[1]) if form.name == "fast_distance" else np.abs(given[0])
        in_range = np.all((components < 2.0 ** 60) & ((components > 2.0 ** -60) | (components == 0)), axis=1)
        return in_range if wanted.ndim == 1 else in_range[:, None]
    if form.name == "distance":  # its operands are subtracted in the type
        with np.errstate(all="ignore"):
            kind = values.NUMPY[form.type]
            in_type = given[0].astype(kind) - given[1].astype(kind)
            return np.all(np.isfinite(in_type) | ~np.isfinite(given[0] - given[1]), axis=1)
    return np.ones(wanted.shape, bool)


def _wrong(form: table.Form, operands: Sequence[np.ndarray], got: np.ndarray) -> Tuple[Any, Any]:
    """The exact results, and which of `got` are too far from them."""
    with np.errstate(all="ignore"):
        given = [each.reshape(-1, form.width).astype(Long) for each in operands]
        wanted = EXACT[form.name.replace("fast_", "")](*given)
        got = got.astype(Long).reshape(wanted.shape)
        largest = Long(np.finfo(values.NUMPY[form.type]).max)
        near = np.abs(got - wanted) <= _slack(form, given, wanted)
        near |= np.isinf(got) & (np.abs(wanted) > largest * (1 - Long(1e-6))) & (np.signbit(got) == np.signbit(wanted))
        near |= np.isnan(got) & np.isnan(wanted)
        return wanted, ~near & np.broadcast_to(_judged(form, given, wanted), wanted.shape)


def check(device: engine.Device, pattern: str = "*") -> None:
    """All geometric functions whose name matches, on one device."""
    forms = [form for form in table.forms(table.GEOMETRIC) if fnmatch.fnmatchcase(form.name, pattern)]
    device.compile([engine.kernel_of(form, functions.identifier(form)) for form in forms])
    for form in forms:
        scalars = [form.type] * len(form.arguments)
        operands: List[np.ndarray] = [_mixed(each, form.width) for each in values.operands(form.name, scalars)]
        got = engine.run(device, functions.identifier(form), form, operands)
        if got is None:
            continue
        wanted, wrong = _wrong(form, operands, got[0])
        if wrong.any():
            place = int(np.flatnonzero(wrong.reshape(len(wrong), -1).any(axis=1))[0])
            given = "; ".join(", ".join(map(functions.exact_text, each.reshape(-1, form.width)[place])) for each in operands)
            found = got[0].reshape(wanted.shape)[place].tolist()
            device.fail(form.title(), f"{int(wrong.sum())} results are wrong: of ({given}) it is {found}, not "
                                      f"{np.asarray(wanted[place], float).tolist()}")


def _mixed(operand: np.ndarray, width: int) -> np.ndarray:
    """The edge cases stand beside each other in a vector, and beside ordinary numbers in some."""
    components = operand.reshape(-1, width).copy()
    components[::2] = operand.reshape(width, -1).T[::2]
    return components.reshape(-1)
