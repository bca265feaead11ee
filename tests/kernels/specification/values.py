"""Operands for the functions of the specification: edge cases of each type, and seeded random numbers.

Half of the random numbers are uniform in bits, so that all exponents, infinities, NaNs and subnormal numbers come; the others
are uniform in ranges in which a function does something. The same name gives the same operands on every machine.
"""
import itertools
import zlib
from typing import Dict, List, Sequence, Tuple

import numpy as np

import table

COUNT = 12288  # of the calls of one function: 10000 at random and the edge cases; a multiple of 64 groups of 48 components
RANDOM = 10000
NUMPY: Dict[str, type] = {"char": np.int8, "uchar": np.uint8, "short": np.int16, "ushort": np.uint16, "int": np.int32,
                          "uint": np.uint32, "long": np.int64, "ulong": np.uint64, "float": np.float32, "double": np.float64,
                          "half": np.float16}
_PI = 3.14159265358979323846


def _floating_edges(scalar: str) -> List[float]:
    """Positive edge cases, the important ones first: functions of two and three operands take the first ones only."""
    kind = NUMPY[scalar]
    info = np.finfo(kind)
    one, least = kind(1), np.nextafter(kind(0), kind(1))
    digits = info.nmant + 1
    first = [0.0, 1.0, np.inf, np.nan, least, info.max, 2.0, 0.5, 3.0, info.tiny, 1.5, np.nextafter(one, kind(0)),
             np.nextafter(one, kind(2)), 2.5, 0.1]
    then = [np.nextafter(info.tiny, kind(0)), np.nextafter(info.tiny, one), 3 * least, 0.25, 0.75, 0.625, 4.0, 5.0, 7.0, 8.0,
            10.0, 16.0, 33.0, np.e, 1e-3, 1e3, 1e10, 1e-10, np.nextafter(kind(0.5), kind(0)), np.nextafter(kind(0.5), one),
            2.0 ** -(digits + 1), 2.0 ** -digits, 2.0 ** -(digits // 2), 2.0 ** (digits - 1), 2.0 ** (digits - 1) + 1,
            2.0 ** (digits - 2) + 0.5, 2.0 ** (digits - 2) + 1.5, 2.0 ** digits, 2.0 ** 31, 2.0 ** 32, 2.0 ** 63, 2.0 ** 64,
            2.0 ** 31 - 1, 3.5, 4.5, 1e5 + 0.5]
    largest = np.log(kind(info.max))  # of exp, where it ends at both sides; of exp2 and exp10 likewise
    smallest = np.log(float(least)) if scalar == "float" else 745.1332191019412
    ends = [largest, smallest, info.maxexp, digits - info.minexp, -np.log10(float(info.tiny)), np.log10(float(info.max))]
    ends += [34.0, 35.04, 35.05] if scalar == "float" else [170.0, 171.6, 171.7]  # of tgamma
    ends += [9.19, 10.05, 10.06] if scalar == "float" else [26.5, 27.2, 27.3]  # of erfc
    for value in ends:
        then += [kind(value), np.nextafter(kind(value), kind(0)), np.nextafter(kind(value), kind(info.max))]
    then += [k * _PI / 4 for k in range(1, 33)] + [k + 0.5 for k in range(3, 20)]
    # Near a multiple of pi/2 more than others of their size: what is left is small.
    then += [16367173.0 * 2.0 ** 72] if scalar == "float" else [6381956970095103.0 * 2.0 ** 797, 16367173.0 * 2.0 ** 72]
    return [kind(value) for value in first + then]


def _integer_edges(scalar: str) -> List[int]:
    bits = 8 * table.BYTES[scalar]
    low, high = (0, 2 ** bits - 1) if scalar in table.UNSIGNED else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    found = [0, 1, 2, 3, high, high - 1, high // 2, high // 2 + 1, low, low + 1, -1, -2, -3, low // 2, low // 2 - 1, 5, 7,
             bits - 1, bits, bits + 1, 2 * bits, bits // 2, 0x55, -0x56, 1 << (bits // 2), (1 << (bits // 2)) - 1, 100, -100]
    return list(dict.fromkeys(value for value in found if low <= value <= high))


def edges(scalar: str) -> np.ndarray:
    """All edge cases of a type, the important ones first."""
    if scalar in table.INTEGERS:
        return np.array(_integer_edges(scalar), NUMPY[scalar])
    positive = _floating_edges(scalar)
    with np.errstate(all="ignore"):
        return np.array([sign * value for value in positive for sign in (NUMPY[scalar](1), NUMPY[scalar](-1))], NUMPY[scalar])


# Where a function does something, of each operand; several lines share the random numbers that are uniform in ranges.
_RANGES: Dict[str, Sequence[Tuple[Tuple[float, float], ...]]] = {
    **{name: [((-1, 1),)] for name in ("acos", "acospi", "asin", "asinpi", "atanh")},
    "acosh": [((1, 2),), ((1, 100),)],
    **{name: [((-4, 4),), ((-88, 89),)] for name in ("exp", "expm1", "sinh", "cosh")},
    "exp2": [((-4, 4),), ((-150, 129),)], "exp10": [((-4, 4),), ((-46, 39),)], "tanh": [((-2, 2),), ((-20, 20),)],
    "erf": [((-5, 5),)], "erfc": [((-4, 11),)],
    "lgamma": [((-10, 10),), ((0, 1000),)], "lgamma_r": [((-10, 10),), ((0, 1000),)],
    "tgamma": [((-5, 10),), ((-42, 36),)],
    **{name: [((0, 4),), ((0.9, 1.1),), ((0, 1e6),)] for name in ("log", "log2", "log10", "rsqrt", "sqrt")},
    "log1p": [((-1, 4),), ((-0.1, 0.1),)],
    **{name: [((-4, 4),), ((-70000, 70000),)] for name in ("sin", "cos", "tan", "sincos")},
    **{name: [((-2, 2),), ((-1000, 1000),)] for name in ("sinpi", "cospi", "tanpi")},
    "pow": [((0, 10), (-38, 38)), ((0.9, 1.1), (-800, 800)), ((0, 1e30), (-3, 3))],
    "powr": [((0, 10), (-38, 38)), ((0.9, 1.1), (-800, 800)), ((0, 1e30), (-3, 3))],
    "pown": [((-10, 10), (-38, 38)), ((0.9, 1.1), (-800, 800))],
    "rootn": [((-10, 10), (-20, 20)), ((0, 1e30), (-9, 9))],
    "ldexp": [((-10, 10), (-160, 140))],
    "fmod": [((-100, 100), (-3, 3)), ((-1, 1), (-1e-5, 1e-5))], "remainder": [((-100, 100), (-3, 3)), ((-1, 1), (-1e-5, 1e-5))],
    "remquo": [((-100, 100), (-3, 3)), ((-1, 1), (-1e-5, 1e-5))],
    "fma": [((-1, 1), (-1, 1), (-1, 1)), ((0.9, 1.1), (0.9, 1.1), (-1.1, -0.9))],
}
# Those of double reach further.
_DOUBLE_RANGES = {
    **{name: [((-4, 4),), ((-745, 710),)] for name in ("exp", "expm1", "sinh", "cosh")},
    "exp2": [((-4, 4),), ((-1075, 1025),)], "exp10": [((-4, 4),), ((-324, 309),)], "erf": [((-6, 6),)], "erfc": [((-6, 28),)],
    "tgamma": [((-5, 10),), ((-180, 172),)], "ldexp": [((-10, 10), (-1100, 1030))],
}


def base(name: str) -> str:
    """half_exp and native_exp are exp, less exact."""
    for prefix in ("half_", "native_"):
        if name.startswith(prefix):
            return name[len(prefix):]
    return name


def _bits(random: np.random.Generator, scalar: str, count: int) -> np.ndarray:
    return np.frombuffer(random.bytes(count * table.BYTES[scalar]), NUMPY[scalar])


def _uniform(random: np.random.Generator, scalar: str, low: float, high: float, count: int) -> np.ndarray:
    if scalar in table.INTEGERS:
        return random.integers(int(low), int(high) + 1, count).astype(NUMPY[scalar])
    return random.uniform(low, high, count).astype(NUMPY[scalar])


def operands(name: str, scalars: Sequence[str], count: int = COUNT) -> List[np.ndarray]:
    """For the operands of a function, one array each: edge cases with each other, then random numbers."""
    random = np.random.default_rng(zlib.crc32(" ".join((name, *scalars)).encode()))
    kept = {1: 10 ** 6, 2: 46, 3: 13}[len(scalars)]
    lists = [edges(scalar)[:kept] for scalar in scalars]
    combined = list(itertools.islice(itertools.product(*lists), count))
    columns = [np.array(column, NUMPY[scalar]) for column, scalar in zip(zip(*combined), scalars)]
    left = count - len(combined)
    ranges = None
    if scalars[0] in table.FLOATING:
        ranges = (_DOUBLE_RANGES.get(base(name)) if scalars[0] == "double" else None) or _RANGES.get(base(name))
        ranges = ranges or [((-1, 1),) * len(scalars), ((-1000, 1000),) * len(scalars)]
    elif any(table.BYTES[scalar] > 1 for scalar in scalars):
        ranges = [((0 if scalars[0] in table.UNSIGNED else -100, 100),) * len(scalars)]
    shares = [left] if ranges is None else [left - left // 2] + [left // 2 // len(ranges)] * len(ranges)
    shares[0] += left - sum(shares)
    made = [[column] for column in columns]
    for at, share in enumerate(shares):
        for place, scalar in enumerate(scalars):
            if at == 0:
                made[place].append(_bits(random, scalar, share))
            else:
                low, high = ranges[at - 1][min(place, len(ranges[at - 1]) - 1)]
                made[place].append(_uniform(random, scalar, max(low, 0) if scalar in table.UNSIGNED else low, high, share))
    return [np.concatenate(parts) for parts in made]
