"""Functions that move or address data: vloadn and vstoren (6.12.7), async copies and prefetch (6.12.10), atomics (6.12.11),
shuffle and vec_step (6.12.12), work-item functions (6.12.1), barriers and fences (6.12.8, 6.12.9).

Each case is a kernel, the arrays it gets, and what has to be in the last one afterwards.
"""
import fnmatch
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Sequence

import numpy as np

import engine
import functions
import table
import values

ITEMS = 2 * engine.GROUP


class Case(NamedTuple):
    """One function in one form."""

    title: str
    text: str  # of a kernel named KERNEL
    arrays: List[np.ndarray]  # those that the kernel reads
    wanted: np.ndarray  # what it writes to its last argument
    of_three: bool = False  # each fourth element is not written


def _numbers(name: str, scalar: str, count: int) -> np.ndarray:
    made = values.operands(name, [scalar])[0]
    made = made[~np.isnan(made)] if scalar in table.FLOATING else made
    return np.resize(made, count).copy()


def _vector_data(widths: Sequence[int]) -> Iterator[Case]:
    for scalar in table.NUMBERS:
        for width in widths:
            if width == 1:
                continue
            data = _numbers("vload", scalar, ITEMS * width + 1)
            packed, components = data[1:].copy(), table.components(scalar, width)
            for space in ("global", "constant", "local", "private"):  # one element after the start: aligned as an element is
                given = "constant" if space == "constant" else "global const"
                copy, pointer, at = "", "a + 1", "i"
                if space in ("local", "private"):
                    size, at = (engine.GROUP, "get_local_id(0)") if space == "local" else (1, "0")
                    copy = (f"{space} {scalar} t[{size * width + 1}]; "
                            f"for (int k = 0; k < {width}; ++k) t[{at} * {width} + k + 1] = a[i * {width} + k + 1];")
                    pointer = "t + 1"
                body = f"{copy} {components} v = vload{width}({at}, {pointer}); " + " ".join(
                    f"o[i * {width} + {k}] = v.s{k:x};" for k in range(width))
                yield Case(f"vload{width}(const {space} {scalar} *)",
                           f"kernel void KERNEL({given} {scalar} *a, global {scalar} *o) "
                           f"{{ size_t i = get_global_id(0); {body} }}", [data], packed)
            for space in table.SPACES:
                vector = f"({components})({', '.join(f'a[i * {width} + {k + 1}]' for k in range(width))})"
                body = f"vstore{width}({vector}, i, o);"
                if space != "global":
                    size, at = (engine.GROUP, "get_local_id(0)") if space == "local" else (1, "0")
                    body = (f"{space} {scalar} t[{size * width + 1}]; vstore{width}({vector}, {at}, t + 1); "
                            f"for (int k = 0; k < {width}; ++k) o[i * {width} + k] = t[{at} * {width} + k + 1];")
                yield Case(f"vstore{width}({components}, {space} {scalar} *)", f"kernel void KERNEL(global const {scalar} *a, "
                           f"global {scalar} *o) {{ size_t i = get_global_id(0); {body} }}", [data], packed)


def _shuffles() -> Iterator[Case]:
    for scalar in table.NUMBERS:
        mask_type = table.unsigned_of(scalar)
        for given in (2, 4, 8, 16):
            for taken in (2, 4, 8, 16):
                data = _numbers("shuffle", scalar, ITEMS * given * 2)
                masks = values.operands("mask", [mask_type])[0][-ITEMS * taken:].copy()
                for name, operands in (("shuffle", 1), ("shuffle2", 2)):
                    vectors = ", ".join(f"vload{given}(i + {ITEMS * k}, a)" for k in range(operands))
                    text = (f"kernel void KERNEL(global const {scalar} *a, global const {mask_type} *m, global {scalar} *o) {{ "
                            f"size_t i = get_global_id(0); vstore{taken}({name}({vectors}, vload{taken}(i, m)), i, o); }}")
                    halves = [half.reshape(ITEMS, given) for half in np.split(data, 2)][:operands]
                    chosen = masks.reshape(ITEMS, taken).astype(np.int64) & (given * operands - 1)
                    wanted = np.take_along_axis(np.concatenate(halves, axis=1), chosen, axis=1).reshape(-1)
                    components, mask = table.components(scalar, given), table.components(mask_type, taken)
                    yield Case(f"{name}({', '.join([components] * operands)}, {mask})", text, [data, masks], wanted)


def _steps() -> Iterator[Case]:
    for scalar in table.NUMBERS:
        names = [table.components(scalar, width) for width in table.WIDTHS]
        body = " ".join(f"o[{at}] = vec_step({name}); {name} v{at} = ({name})0; o[{at + 6}] = vec_step(v{at});"
                        for at, name in enumerate(names))
        yield Case(f"vec_step({scalar} and its vectors)", f"kernel void KERNEL(global int *o) {{ {body} }}", [],
                   np.array([1, 2, 4, 4, 8, 16] * 2, np.int32))


def _async_copies(widths: Sequence[int]) -> Iterator[Case]:
    for scalar in table.NUMBERS:
        for width in widths:
            components, stride = table.components(scalar, width), 4 if width == 3 else width
            data = _numbers("async", scalar, ITEMS * stride)
            local = f"local {components} t[{engine.GROUP}]; size_t g = get_group_id(0) * {engine.GROUP}, l = get_local_id(0);"
            wait = "wait_group_events(1, &e);"
            head = f"kernel void KERNEL(global const {components} *a, global {components} *o) {{ {local}"
            three = width == 3
            parts = np.split(data.reshape(ITEMS, stride), 2)
            yield Case(f"async_work_group_copy(local {components} *, const global {components} *)",
                       f"{head} event_t e = async_work_group_copy(t, a + g, {engine.GROUP}, 0); {wait} o[g + l] = t[l]; }}",
                       [data], data, three)
            yield Case(f"async_work_group_copy(global {components} *, const local {components} *)",
                       f"{head} t[l] = a[g + l]; barrier(CLK_LOCAL_MEM_FENCE); "
                       f"event_t e = async_work_group_copy(o + g, t, {engine.GROUP}, 0); {wait} }}", [data], data, three)
            half = engine.GROUP // 2
            every = np.concatenate([np.concatenate([part[::2], part[::2]]) for part in parts]).reshape(-1)
            yield Case(f"async_work_group_strided_copy(local {components} *, const global {components} *)",
                       f"{head} event_t e = async_work_group_strided_copy(t, a + g, {half}, 2, 0); {wait} "
                       f"o[g + l] = t[l % {half}]; }}", [data], every, three)
            spread = data.reshape(ITEMS, stride).copy()
            for begin in (0, engine.GROUP):
                spread[begin:begin + engine.GROUP:2] = data.reshape(ITEMS, stride)[begin:begin + half]
            yield Case(f"async_work_group_strided_copy(global {components} *, const local {components} *)",
                       f"{head} o[g + l] = a[g + l]; t[l] = a[g + l]; barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); "
                       f"event_t e = async_work_group_strided_copy(o + g, t, {half}, 2, 0); {wait} }}", [data],
                       spread.reshape(-1), three)
            yield Case(f"prefetch(const global {components} *)",
                       f"kernel void KERNEL(global const {components} *a, global {components} *o) "
                       f"{{ size_t i = get_global_id(0); prefetch(a + i, 1); o[i] = a[i]; }}", [data], data, three)


_UPDATES: Dict[str, Callable[[int, int], int]] = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "xchg": lambda x, y: y, "inc": lambda x, y: x + 1,
    "dec": lambda x, y: x - 1, "min": min, "max": max, "and": lambda x, y: x & y, "or": lambda x, y: x | y,
    "xor": lambda x, y: x ^ y, "cmpxchg": lambda x, y: y if x % 2 == 0 else x,
}


def _wrapped(value: int, kind: Any) -> Any:
    bits = np.iinfo(kind).bits
    return np.array([value & ((1 << bits) - 1)], np.uint64).astype(f"u{bits // 8}").view(kind)[0]


def _atomics() -> Iterator[Case]:
    kinds = [("atomic", ("int", "uint")), ("atom", ("int", "uint", "long", "ulong"))]
    for prefix, scalars in kinds:
        for scalar in scalars:
            kind = values.NUMPY[scalar]
            x = values.operands("atomic", [scalar])[0][:ITEMS].copy()
            y = values.operands("atomic", [scalar, scalar])[1][-ITEMS:].copy()
            for operation, update in _UPDATES.items():
                extra = {"inc": "", "dec": "", "cmpxchg": ", a[i] % 2 == 0 ? a[i] : a[i] + 1, b[i]"}.get(operation, ", b[i]")
                wanted = np.stack([x, [_wrapped(update(int(p), int(q)), kind) for p, q in zip(x, y)]], axis=1).astype(kind)
                yield from _atomic(f"{prefix}_{operation}", scalar, extra, [x, y], wanted.reshape(-1))
            total = _wrapped(sum(int(each) for each in y), kind)
            yield Case(f"{prefix}_add(volatile global {scalar} *) of all work-items",
                       f"kernel void KERNEL(global const {scalar} *b, volatile global {scalar} *o) "
                       f"{{ {prefix}_add(o, b[get_global_id(0)]); }}", [y], np.array([total], kind))
    x, y = (_numbers(name, "float", ITEMS) for name in ("x", "y"))
    yield from _atomic("atomic_xchg", "float", ", b[i]", [x, y], np.stack([x, y], axis=1).reshape(-1))


def _atomic(name: str, scalar: str, extra: str, arrays: List[np.ndarray], wanted: np.ndarray) -> Iterator[Case]:
    """The old value and the new one of each work-item's own element."""
    for space in ("global", "local"):
        pointer = "o + 2 * i + 1" if space == "global" else "t + get_local_id(0)"
        local = f"local {scalar} t[{engine.GROUP}];" if space == "local" else ""
        new = "" if space == "global" else "o[2 * i + 1] = t[get_local_id(0)];"
        text = (f"kernel void KERNEL(global const {scalar} *a, global const {scalar} *b, global {scalar} *o) {{ {local} "
                f"size_t i = get_global_id(0); volatile {space} {scalar} *p = {pointer}; *p = a[i]; "
                f"o[2 * i] = {name}(p{extra}); {new} }}")
        yield Case(f"{name}(volatile {space} {scalar} *)", text, arrays, wanted)


def _fences() -> Iterator[Case]:
    data = np.arange(ITEMS, dtype=np.int32)
    mirrored = data.reshape(2, -1)[:, ::-1].reshape(-1).copy()
    flags = ("CLK_LOCAL_MEM_FENCE", "CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE")
    for flag in flags:
        where = "local int t[64];" if "LOCAL" in flag else "global int *t = o + 128 + get_group_id(0) * 64;"
        wanted = mirrored if "LOCAL" in flag else np.concatenate([mirrored, data])
        text = (f"kernel void KERNEL(global const int *a, global int *o) {{ {where} "
                f"size_t i = get_global_id(0), l = get_local_id(0); "
                f"t[l] = a[i]; HERE barrier({flag}); o[i] = t[63 - l]; }}")
        for name in ("mem_fence", "read_mem_fence", "write_mem_fence"):
            yield Case(f"{name}({flag}) and barrier", text.replace("HERE", f"{name}({flag});"), [data], wanted)


def _work_items() -> Iterator[Case]:
    names = ("get_global_id", "get_local_id", "get_group_id", "get_global_size", "get_local_size", "get_num_groups",
             "get_global_offset")
    sizes = {"get_global_size": [ITEMS, 1, 1, 1], "get_local_size": [engine.GROUP, 1, 1, 1], "get_num_groups": [2, 1, 1, 1]}
    index = np.arange(ITEMS)
    first = {"get_global_id": index, "get_local_id": index % engine.GROUP, "get_group_id": index // engine.GROUP}
    for name in names:
        wanted = np.zeros((ITEMS, 4), np.uint64) + np.array(sizes.get(name, [0, 0, 0, 0]), np.uint64)
        if name in first:
            wanted[:, 0] = first[name]
        for how, call in (("constant", "{k}"), ("variable", "(uint)a[{k}]")):
            body = " ".join(f"o[4 * get_global_id(0) + {k}] = {name}({call.format(k=k)});" for k in range(4))
            yield Case(f"{name}({how} dimension)", f"kernel void KERNEL(global const int *a, global ulong *o) {{ {body} }}",
                       [np.array([0, 1, 2, 3], np.int32)], wanted.reshape(-1))
    yield Case("get_work_dim()", "kernel void KERNEL(global uint *o) { o[get_global_id(0)] = get_work_dim(); }", [],
               np.ones(ITEMS, np.uint32))


PARTS: Dict[str, Callable[[Sequence[int]], Iterator[Case]]] = {
    "vector": _vector_data, "shuffle": lambda widths: _shuffles(), "step": lambda widths: _steps(), "async": _async_copies,
    "atomic": lambda widths: _atomics(), "fence": lambda widths: _fences(), "item": lambda widths: _work_items(),
}


def check(device: engine.Device, pattern: str = "*", widths: Sequence[int] = table.WIDTHS) -> None:
    """All of these functions whose title matches, on one device."""
    for part in PARTS.values():
        cases = [case for case in part(widths) if fnmatch.fnmatchcase(case.title, pattern)]
        device.compile([engine.Kernel(f"k{number}", case.title, case.text.replace("KERNEL", f"k{number}"))
                        for number, case in enumerate(cases)])
        for number, case in enumerate(cases):
            if device.has(f"k{number}"):
                _run(device, f"k{number}", case)
        device.kernels.clear()


def _run(device: engine.Device, kernel: str, case: Case) -> None:
    got = np.zeros_like(case.wanted)
    for each in case.arrays:
        each.flags.writeable = False
    one_item = "get_global_id" not in case.text and "get_group_id" not in case.text
    device.launch(kernel, 1 if one_item else ITEMS, [*case.arrays, got], 1 if one_item else engine.GROUP)
    equal = engine.same(got, case.wanted)
    if case.of_three:
        equal = equal.reshape(-1, 4)[:, :3]
    if not equal.all():
        place = int(np.flatnonzero(~equal.reshape(-1))[0])
        device.fail(case.title, f"{int((~equal).sum())} of {equal.size} elements are wrong: element {place} is "
                                f"{functions.exact_text(got.reshape(-1)[place])}, not "
                                f"{functions.exact_text(case.wanted.reshape(-1)[place])}")
