"""Conversions (6.2.3), as_ functions (6.2.4) and the half functions of 6.12.7: each pair of types, mode, saturation and width.

References use numpy's long double, which holds every number of 64 bits, and step to a neighbour for the directed modes.
"""
import fnmatch
from typing import Any, List, NamedTuple, Sequence

import numpy as np

import engine
import functions
import table
import values

MODES = ("", "_rte", "_rtz", "_rtp", "_rtn")


class Conversion(NamedTuple):
    """One function: convert_DESTINATION from a source."""

    name: str
    title: str
    source: str
    destination: str
    saturates: bool
    mode: str
    width: int


def conversions(widths: Sequence[int]) -> List[Conversion]:
    """All of section 6.2.3. Only integers saturate."""
    found = []
    for destination in table.NUMBERS:
        for source in table.NUMBERS:
            for saturates in (False, True) if destination in table.INTEGERS else (False,):
                for mode in MODES:
                    for width in widths:
                        name = f"convert_{table.components(destination, width)}{'_sat' if saturates else ''}{mode}"
                        title = f"{name}({table.components(source, width)})"
                        found.append(Conversion(name, title, source, destination, saturates, mode, width))
    return found


def rounded(exact: Any, kind: Any, mode: str) -> Any:
    """Numbers of a floating type in a rounding mode."""
    with np.errstate(all="ignore"):
        near = exact.astype(kind)
        long = near.astype(np.longdouble)
        if mode == "_rtz":
            return np.where(np.abs(long) > np.abs(exact), np.nextafter(near, kind(0)), near)
        if mode == "_rtp":
            return np.where(long < exact, np.nextafter(near, kind(np.inf)), near)
        if mode == "_rtn":
            return np.where(long > exact, np.nextafter(near, kind(-np.inf)), near)
        return near


def whole(exact: Any, mode: str) -> Any:
    """Whole numbers, still as long doubles; without a mode a conversion to an integer cuts off."""
    return {"_rte": np.rint, "_rtp": np.ceil, "_rtn": np.floor}.get(mode, np.trunc)(exact)


def _converted(each: Conversion, operand: np.ndarray) -> Any:
    """The results, and where they are defined."""
    kind = values.NUMPY[each.destination]
    everywhere = np.ones(operand.shape, bool)
    if each.destination in table.FLOATING:
        with np.errstate(all="ignore"):
            return rounded(operand.astype(np.longdouble), kind, each.mode), everywhere
    info = np.iinfo(kind)
    if each.source in table.INTEGERS:
        if not each.saturates:
            return operand.astype(kind), everywhere
        numbers = operand.astype(object)
        return np.minimum(np.maximum(numbers, int(info.min)), int(info.max)).astype(kind), everywhere
    with np.errstate(all="ignore"):
        exact = whole(operand.astype(np.longdouble), each.mode)
        low, high = np.longdouble(int(info.min)), np.longdouble(int(info.max))
        if kind == np.uint64:
            high = np.longdouble(2) ** 64 - 1
        elif kind == np.int64:
            high = np.longdouble(2) ** 63 - 1
        inside = (exact >= low) & (exact <= high)
        clamped = np.where(np.isnan(exact), 0, np.minimum(np.maximum(exact, low), high))
        wide = clamped.astype(np.uint64) if info.min == 0 else clamped.astype(np.int64)
    return wide.astype(kind), everywhere if each.saturates else inside


def _kernel(each: Any, number: int) -> engine.Kernel:
    load = f"vload{each.width}(i, a)" if each.width > 1 else "a[i]"
    store = f"vstore{each.width}({each.name}({load}), i, o);" if each.width > 1 else f"o[i] = {each.name}({load});"
    return engine.Kernel(f"k{number}", each.title, f"kernel void k{number}(global const {each.source} *a, "
                         f"global {each.destination} *o) {{ size_t i = get_global_id(0); {store} }}")


def _report(device: engine.Device, title: str, operand: np.ndarray, got: np.ndarray, wanted: np.ndarray, judged: Any) -> None:
    wrong = ~engine.same(got, wanted) & judged
    if wrong.any():
        places = np.flatnonzero(wrong)
        text = functions.exact_text
        lines = [f"{text(operand[at])} gives {text(got[at])}, not {text(wanted[at])}" for at in places[:3]]
        device.fail(title, f"{len(places)} of {len(got)} results are wrong: {'; '.join(lines)}")


def check_conversions(device: engine.Device, pattern: str = "*", widths: Sequence[int] = table.WIDTHS) -> None:
    """All convert_ functions whose title matches, one source type after the other."""
    for source in table.NUMBERS:
        listed = [each for each in conversions(widths) if each.source == source and fnmatch.fnmatchcase(each.title, pattern)]
        if not listed:
            continue
        device.compile([_kernel(each, number) for number, each in enumerate(listed)])
        operand = values.operands("convert", [source])[0]
        operand = _with_limits(operand, source)
        for number, each in enumerate(listed):
            if not device.has(f"k{number}"):
                continue
            got = np.zeros(values.COUNT, values.NUMPY[each.destination])
            operand.flags.writeable = False
            device.launch(f"k{number}", values.COUNT // each.width, [operand, got])
            wanted, judged = _converted(each, operand)
            _report(device, each.title, operand, got, wanted, judged)
        device.kernels.clear()


def _with_limits(operand: np.ndarray, source: str) -> np.ndarray:
    """Beside the edge cases: what lies at the ends of every integer type, and halves beside them."""
    if source in table.INTEGERS:
        return operand
    ends = []
    with np.errstate(all="ignore"):
        for bits in (7, 8, 15, 16, 31, 32, 63, 64):
            for sign in (1, -1):
                kind = operand.dtype.type
                end = kind(sign * 2.0 ** bits)
                ends += [end, np.nextafter(end, kind(0)), np.nextafter(end, end * 2), end - kind(0.5), end + kind(0.5),
                         end - kind(1), end - kind(1.5)]
    made = operand.copy()
    made[-len(ends):] = ends
    made[-len(ends) - 4000:-len(ends)] = np.random.default_rng(5).uniform(-300, 70000, 4000).astype(operand.dtype)
    return made


class As(NamedTuple):
    """One as_ function."""

    name: str
    title: str
    source: str
    destination: str
    width: int
    result_width: int


def check_as(device: engine.Device, pattern: str = "*", widths: Sequence[int] = table.WIDTHS) -> None:
    """Every as_ function between types of the same size, where three components take the place of four."""
    listed = []
    for source in table.NUMBERS:
        for destination in table.NUMBERS:
            for width in widths:
                for result_width in widths:
                    size = table.BYTES[source] * (4 if width == 3 else width)
                    if size == table.BYTES[destination] * (4 if result_width == 3 else result_width):
                        name = f"as_{table.components(destination, result_width)}"
                        title = f"{name}({table.components(source, width)})"
                        if fnmatch.fnmatchcase(title, pattern) and (width != 3 or result_width == 3 or destination == source):
                            listed.append(As(name, title, source, destination, width, result_width))
    kernels = []
    for number, each in enumerate(listed):
        load = f"vload{each.width}(i, a)" if each.width > 1 else "a[i]"
        call = f"{each.name}({load})"
        store = f"vstore{each.result_width}({call}, i, o)" if each.result_width > 1 else f"o[i] = {call}"
        kernels.append(engine.Kernel(f"k{number}", each.title, f"kernel void k{number}(global const {each.source} *a, "
                                     f"global {each.destination} *o) {{ size_t i = get_global_id(0); {store}; }}"))
    device.compile(kernels)
    for number, each in enumerate(listed):
        if not device.has(f"k{number}"):
            continue
        items = engine.GROUP * 4
        operand = values.operands("as", [each.source])[0][:items * each.width].copy()
        operand.flags.writeable = False
        got = np.zeros(items * each.result_width, values.NUMPY[each.destination])
        device.launch(f"k{number}", items, [operand, got])
        given = operand.view(np.uint8).reshape(items, -1)
        found = got.view(np.uint8).reshape(items, -1)
        both = min(given.shape[1], found.shape[1])
        if not np.array_equal(given[:, :both], found[:, :both]):
            device.fail(each.title, "the bits are not those of the operand")
    device.kernels.clear()


def check_halves(device: engine.Device, pattern: str = "*", widths: Sequence[int] = table.WIDTHS) -> None:
    """vload_half, vloada_half, vstore_half and vstorea_half, in all widths, modes and address spaces."""
    _load_halves(device, pattern, widths)
    _store_halves(device, pattern, widths)


def _load_halves(device: engine.Device, pattern: str, widths: Sequence[int]) -> None:
    bits = np.arange(0, 65536, 65536 // 3072, dtype=np.uint16)[:3072]
    listed = [(f"v{load}_half{'' if width == 1 else width}({space})", load, width, space) for load in ("load", "loada")
              for width in widths for space in ("global", "constant", "local", "private")]
    listed = [each for each in listed if fnmatch.fnmatchcase(each[0], pattern)]
    kernels = []
    for number, (title, load, width, space) in enumerate(listed):
        name = title.split("(")[0]
        stride = 4 if load == "loada" and width == 3 else width
        copy, pointer, index = "", "a", "i"
        if space in ("local", "private"):
            size = stride * (engine.GROUP if space == "local" else 1)
            index = "get_local_id(0)" if space == "local" else "0"
            copy = (f"{space} ushort t[{size}] __attribute__((aligned(32))); "
                    f"for (int k = 0; k < {stride}; ++k) t[{index} * {stride} + k] = ((global const ushort *)a)"
                    f"[i * {stride} + k];")
            pointer = f"((const {space} half *)t)"
        given = "constant" if space == "constant" else "global const"
        store = f"vstore{width}({name}({index}, {pointer}), i, o)" if width > 1 else f"o[i] = {name}({index}, {pointer})"
        kernels.append(engine.Kernel(f"k{number}", title, f"kernel void k{number}({given} half *a, global float *o) "
                                     f"{{ size_t i = get_global_id(0); {copy} {store}; }}"))
    device.compile(kernels)
    for number, (title, load, width, space) in enumerate(listed):
        if device.has(f"k{number}"):
            stride = 4 if load == "loada" and width == 3 else width
            items = 3072 // 16
            given = bits[:items * stride].copy() if stride < 16 else bits.copy()
            got = np.zeros(items * width, np.float32)
            halves = given.view(np.float16)
            halves.flags.writeable = False
            device.launch(f"k{number}", items, [halves, got])
            wanted = halves.astype(np.float32).reshape(items, stride)[:, :width].reshape(-1)
            _report(device, title, wanted, got, wanted, True)
    device.kernels.clear()


def _store_halves(device: engine.Device, pattern: str, widths: Sequence[int]) -> None:
    listed = []
    for scalar in table.FLOATING:
        for store in ("store", "storea"):
            for mode in MODES:
                for width in widths:
                    for space in table.SPACES:
                        name = f"v{store}_half{'' if width == 1 else width}{mode}"
                        title = f"{name}({table.components(scalar, width)}, {space})"
                        if fnmatch.fnmatchcase(title, pattern):
                            listed.append((name, title, scalar, store, mode, width, space))
    kernels = []
    for number, (name, title, scalar, store, _, width, space) in enumerate(listed):
        stride = 4 if store == "storea" and width == 3 else width
        load = f"vload{width}(i, a)" if width > 1 else "a[i]"
        if space == "global":
            body = f"{name}({load}, i, o);"
        else:
            size, index = (stride * engine.GROUP, "get_local_id(0)") if space == "local" else (stride, "0")
            body = (f"{space} ushort t[{size}] __attribute__((aligned(32))); {name}({load}, {index}, ({space} half *)t); "
                    f"for (int k = 0; k < {width}; ++k) ((global ushort *)o)[i * {stride} + k] = t[{index} * {stride} + k];")
        kernels.append(engine.Kernel(f"k{number}", title, f"kernel void k{number}(global const {scalar} *a, global half *o) "
                                     f"{{ size_t i = get_global_id(0); {body} }}"))
    device.compile(kernels)
    operands = {scalar: _half_operands(scalar) for scalar in table.FLOATING}
    for number, (name, title, scalar, store, mode, width, space) in enumerate(listed):
        if device.has(f"k{number}"):
            stride = 4 if store == "storea" and width == 3 else width
            operand = operands[scalar]
            items = len(operand) // width
            got = np.zeros(items * stride, np.float16)
            device.launch(f"k{number}", items, [operand, got])
            wanted = rounded(operand.astype(np.longdouble), np.float16, mode)
            _report(device, title, operand, got.reshape(items, stride)[:, :width].reshape(-1), wanted, True)
    device.kernels.clear()


def _half_operands(scalar: str) -> np.ndarray:
    """Numbers in the range of half, ties between two of them, and the edge cases."""
    kind = values.NUMPY[scalar]
    random = np.random.default_rng(7)
    halves = random.integers(0, 0x7c00, 1000).astype(np.uint16).view(np.float16).astype(np.float64)
    above = np.nextafter(halves.astype(np.float16), np.float16(np.inf)).astype(np.float64)
    ties = (halves + np.where(np.isfinite(above), above, halves)) / 2
    edges = values.edges(scalar).astype(kind)
    limits = np.array([65504, 65519.996, 65520, 65536, 2.0 ** -24, 2.0 ** -25, 2.0 ** -25 * 1.001, 2.0 ** -26, 6.1e-5], kind)
    with np.errstate(all="ignore"):
        made = np.concatenate([edges, limits, -limits, ties.astype(kind), -ties.astype(kind), halves.astype(kind)])
        rest = (random.uniform(-1, 1, 6144) * 2.0 ** random.integers(-27, 17, 6144)).astype(kind)
    made = np.concatenate([made, rest])[:6144]
    made.flags.writeable = False
    return made
