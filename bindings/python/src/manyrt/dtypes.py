# SPDX-License-Identifier: Apache-2.0
"""Element types of arrays, by the names that numpy uses, and how other interfaces call them."""

from typing import Any, Dict, NamedTuple, Optional


class DType(NamedTuple):
    """An element type of arrays: `name` as numpy has it, `itemsize` in bytes. DTYPES has all of them by name."""

    name: str
    itemsize: int
    format: str  # of struct and memoryview; float16 is shown as its 16 bits, which memoryview has a format for
    kind: str  # of numpy: b, i, u, f
    dlpack: int  # DLDataTypeCode

    @property
    def typestr(self) -> str:
        """As in __array_interface__."""
        return f"{'|' if self.itemsize == 1 else '<'}{self.kind}{self.itemsize}"

    def __str__(self) -> str:
        return self.name


_ALL = [
    DType("bool", 1, "?", "b", 6),
    DType("int8", 1, "b", "i", 0), DType("int16", 2, "h", "i", 0), DType("int32", 4, "i", "i", 0),
    DType("int64", 8, "q", "i", 0),
    DType("uint8", 1, "B", "u", 1), DType("uint16", 2, "H", "u", 1), DType("uint32", 4, "I", "u", 1),
    DType("uint64", 8, "Q", "u", 1),
    DType("float16", 2, "H", "f", 2), DType("float32", 4, "f", "f", 2), DType("float64", 8, "d", "f", 2),
]
DTYPES: Dict[str, DType] = {item.name: item for item in _ALL}
BFLOAT16 = DType("bfloat16", 2, "H", "f", 4)  # of communicators alone: neither numpy nor struct knows it
_BY_KIND = {(item.kind, item.itemsize): item for item in _ALL}
_BY_DLPACK = {(item.dlpack, item.itemsize * 8): item for item in _ALL}
# The names of elements in buffers; "l" is numpy's int64.
_BY_FORMAT = {**{item.format: item for item in _ALL if item.name != "float16"},
              "l": DTYPES["int64"], "L": DTYPES["uint64"], "n": DTYPES["int64"], "N": DTYPES["uint64"], "e": DTYPES["float16"]}
# The names in OpenCL C and CUDA C++.
C_TYPES: Dict[str, DType] = {
    "char": DTYPES["int8"], "uchar": DTYPES["uint8"], "short": DTYPES["int16"], "ushort": DTYPES["uint16"],
    "int": DTYPES["int32"], "uint": DTYPES["uint32"], "long": DTYPES["int64"], "ulong": DTYPES["uint64"],
    "half": DTYPES["float16"], "float": DTYPES["float32"], "double": DTYPES["float64"], "size_t": DTYPES["uint64"],
    "ptrdiff_t": DTYPES["int64"], "bool": DTYPES["bool"], "signed char": DTYPES["int8"], "unsigned char": DTYPES["uint8"],
    "unsigned short": DTYPES["uint16"], "unsigned int": DTYPES["uint32"], "unsigned": DTYPES["uint32"],
    "unsigned long": DTYPES["uint64"], "long long": DTYPES["int64"], "unsigned long long": DTYPES["uint64"],
}


# Other words of numpy, and the types of Python, by the names that these have.
_WORDS: Dict[str, DType] = {
    **{f"{item.kind}{item.itemsize}": item for item in _ALL if item.kind != "b"},
    "half": DTYPES["float16"], "single": DTYPES["float32"], "double": DTYPES["float64"], "float": DTYPES["float64"],
    "byte": DTYPES["int8"], "ubyte": DTYPES["uint8"], "short": DTYPES["int16"], "ushort": DTYPES["uint16"],
    "intc": DTYPES["int32"], "uintc": DTYPES["uint32"], "int": DTYPES["int64"], "uint": DTYPES["uint64"],
    "bool_": DTYPES["bool"],
}


def dtype(value: Any) -> DType:
    """A DType from its name ("float32") or another word of numpy ("f4", "<f4", "single"), a numpy dtype or scalar type, a type
    of Python (float is float64, int is int64), or a DType."""
    if isinstance(value, DType):
        return value
    if isinstance(value, str):
        found = DTYPES.get(value) or _WORDS.get(value) or (_WORDS.get(value[1:]) if value[:1] in ("<", "=", "|") else None)
        if found is not None:
            return found
    if value is float or value is int or value is bool:
        return _WORDS.get(value.__name__) or DTYPES[value.__name__]
    name = getattr(value, "name", None) or getattr(value, "__name__", None)
    byteorder = getattr(value, "byteorder", "=")
    if isinstance(name, str) and name in DTYPES and byteorder != ">":
        return DTYPES[name]
    raise TypeError(f"{value!r} is no element type; there are {', '.join(DTYPES)}")


def of_buffer(view: memoryview) -> Optional[DType]:
    """The element type of a buffer, or None where the buffer has another."""
    found = _BY_FORMAT.get(view.format[1:] if view.format[:1] in ("@", "=", "<") else view.format)
    return found if found is not None and found.itemsize == view.itemsize else None  # "<l" may have four bytes


_DLPACK_CODES = ("int", "uint", "float", "handle", "bfloat", "complex", "bool", "float8_e3m4", "float8_e4m3")


def of_dlpack(code: int, bits: int, lanes: int, bfloat16: bool = False) -> DType:
    found = BFLOAT16 if bfloat16 and (code, bits) == (4, 16) else _BY_DLPACK.get((code, bits))
    if found is None or lanes != 1:
        name = f"{_DLPACK_CODES[code]}{bits}" if code < len(_DLPACK_CODES) else f"type code {code} and {bits} bits"
        vector = f" in vectors of {lanes}" if lanes != 1 else ""
        raise BufferError(f"elements of {name}{vector} have no element type here; there are {', '.join(DTYPES)}. "
                          "View the tensor as one of them first, such as bfloat16 as int16")
    return found


def of_typestr(typestr: str) -> DType:
    """As in __array_interface__ and __cuda_array_interface__."""
    found = _BY_KIND.get((typestr[1:2], int(typestr[2:]) if typestr[2:].isdigit() else 0))
    if found is None or typestr[0] == ">":
        raise TypeError(f"elements of type '{typestr}' have no element type here; there are {', '.join(DTYPES)}")
    return found
