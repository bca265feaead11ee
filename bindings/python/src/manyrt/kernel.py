# SPDX-License-Identifier: Apache-2.0
"""Kernels, called as functions: `kernel[grid, group](stream, *args)`.

The shape stands apart from the arguments because it changes less often: `step = kernel[grid, group]` checks it once, and
step(...) packs and launches alone. As in rt.h the grid counts work-groups; `kernel[kernel.shape(items)]` is for a number of
work-items.
"""

from __future__ import annotations

import ctypes
import os
import struct
from operator import index
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Mapping, NamedTuple, NoReturn, Optional, Tuple, Union

from . import _show
from ._library import NULL, ffi, hot, lib
from ._object import Owned, as_dict, choice, native_of, text, utf8, wait
from .addresses import Address
from .dtypes import C_TYPES, DType
from .dtypes import dtype as dtype_of
from .errors import InvalidValue, WrongContext, check, error_of, last_message, raise_error
from .graph_parts import Access, GraphBuffer, GraphValue, Place, operand
from .memory import Array

if TYPE_CHECKING:
    from .device import Context
    from .stream import Stream

Size = Union[int, Tuple[int, ...]]
_FORMATS = {"auto": lib.RT_IMAGE_AUTO, "opencl_c": lib.RT_IMAGE_OPENCL_C, "cuda_cxx": lib.RT_IMAGE_CUDA_CXX,
            "ptx": lib.RT_IMAGE_PTX, "cubin": lib.RT_IMAGE_CUBIN, "fatbin": lib.RT_IMAGE_FATBIN, "spirv": lib.RT_IMAGE_SPIRV,
            "opencl_binary": lib.RT_IMAGE_OPENCL_BINARY, "host_object": lib.RT_IMAGE_HOST_OBJECT}
_KINDS = {lib.RT_ARG_VALUE: "value", lib.RT_ARG_POINTER: "pointer", lib.RT_ARG_LOCAL: "local"}
_QUALIFIERS = {"const", "volatile", "restrict", "__restrict__", "__restrict", "global", "__global", "constant", "__constant"}
_ACCESS = {lib.RT_ACCESS_UNKNOWN: None, lib.RT_ACCESS_NONE: "", lib.RT_ACCESS_READ: "r", lib.RT_ACCESS_WRITE: "w",
           lib.RT_ACCESS_READ_WRITE: "rw"}
_QUALIFIER_BITS = ((lib.RT_QUALIFIER_CONST, "const"), (lib.RT_QUALIFIER_RESTRICT, "restrict"),
                   (lib.RT_QUALIFIER_VOLATILE, "volatile"))
_TIERS = {"": lib.RT_TIER_DEFAULT, "quick": lib.RT_TIER_QUICK, "optimized": lib.RT_TIER_OPTIMIZED,
          "tiered": lib.RT_TIER_TIERED}
_MAX_SHAPES = 64  # launchers that a kernel keeps; more are made anew

_launch = hot.rtLaunchKernel


class Local:
    """For a `__local` argument: `nbytes` bytes are reserved in each work-group."""

    def __init__(self, nbytes: int) -> None:
        self.nbytes = nbytes

    def __repr__(self) -> str:
        return f"manyrt.Local({self.nbytes})"


class ArgInfo(NamedTuple):
    """An argument of a kernel: `position` from 0, as messages count, `size` in bytes, `kind` "value", "pointer" or "local".

    `access` is what the compiler saw the kernel do with the memory: "r", "w", "rw", "" (nothing), None if that is unknown.
    `qualifiers` has "const", "restrict" and "volatile". Name and type are empty where the image has none (PTX, cubin)."""

    position: int
    name: str
    type: str
    size: int
    kind: str  # "value", "pointer", "local"
    access: Optional[str] = None
    qualifiers: Tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"argument {self.position}" + (f" '{self.name}'" if self.name else "") + (f" ({self.type})" if self.type else "")


def _c_type(name: str) -> str:
    return " ".join(word for word in name.replace("*", " ").split() if word not in _QUALIFIERS)


def _vector(name: str) -> Tuple[Optional[DType], int]:
    """Element type and length of "float4"; (None, 0) for anything else."""
    base = name.rstrip("0123456789")
    if base in C_TYPES and name != base and int(name[len(base):]) in (2, 3, 4, 8, 16):
        return C_TYPES[base], int(name[len(base):])
    return None, 0


class _Argument:
    """How one argument is checked and packed."""

    def __init__(self, info: ArgInfo) -> None:
        self.info = info
        self.element: Optional[DType] = None  # of what a pointer points to, or of a vector
        self.lanes = 0
        self.simple = False  # struct converts and checks it alone
        name = _c_type(info.type)
        if info.kind == "pointer":
            self.code = "Q"
            element = C_TYPES.get(name) or _vector(name)[0]
            self.element = element if element is not None and element.itemsize > 1 else None  # char and uchar: any bytes
        elif info.kind == "local":
            self.code = "Q"
        elif name in C_TYPES and C_TYPES[name].itemsize == info.size and not info.type.endswith("*"):
            self.simple = True
            self.code = "e" if C_TYPES[name].name == "float16" else C_TYPES[name].format
        else:
            self.code = f"{info.size}s"
            self.element, self.lanes = _vector(name)
        size = struct.calcsize("<" + self.code)
        self.format = f"{self.code}{-size % 8}x"
        self.packed_size = size + -size % 8

    def convert(self, value: Any) -> Any:
        """For anything but a pointer: what struct packs for `value`. The errors name the argument and its type."""
        info = self.info
        if info.kind == "local":
            if not isinstance(value, Local):
                self.refuse(value, "is local memory and takes manyrt.Local(bytes)")
            return value.nbytes
        if self.simple:
            try:
                struct.pack("<" + self.code, value)
            except (struct.error, OverflowError) as error:
                self.refuse(value, f"takes a number of this type: {error}")
            return value
        if self.element is not None and isinstance(value, (tuple, list)):
            if len(value) != self.lanes:
                self.refuse(value, f"takes {self.lanes} numbers, not {len(value)}")
            try:
                return struct.pack(f"<{self.lanes}{self.element.format}", *value).ljust(info.size, b"\0")
            except (struct.error, OverflowError) as error:
                self.refuse(value, f"takes {self.lanes} numbers of type {self.element}: {error}")
        if isinstance(value, (Array, Address)) and info.size == 8 and not info.type:
            # An image without types calls its pointers values.
            return struct.pack("<Q", value._address if isinstance(value, Array) else value.value)
        try:
            data = bytes(memoryview(value).cast("B"))
        except TypeError:
            self.refuse(value, f"takes {info.size} bytes: a ctypes or numpy scalar, or bytes")
        if len(data) != info.size:
            self.refuse(value, f"takes {info.size} bytes, not {len(data)}")
        return data

    def pointer(self, value: Any, context: Context) -> int:
        """The address of an array that a kernel of this context can reach, or 0 for None."""
        if value is None:
            return 0
        if isinstance(value, Address):
            return value.value
        if not isinstance(value, Array):
            self.refuse(value, "is a pointer and takes a manyrt.Array, a manyrt.address() or None")
        if self.element is not None and value.dtype is not self.element:
            self.refuse(value, f"points to {self.element}, the array has elements of {value.dtype} (Array.view() changes "
                               "that, and manyrt.address() takes any)")
        # Devices of one backend may reach each other's memory: the library decides. Those of two backends do not.
        if value.context is not context and value.kind == "device" and value.context.device.backend != context.device.backend:
            raise WrongContext(f"{self.info} is memory of {value.context.device.name}, the kernel is for "
                               f"{context.device.name}.")
        return int(value._address)

    def in_graph(self, out: Any, value: Any, context: Context, keep: List[Any]) -> None:
        """Fills the rtGraphArg_t of a kernel node. `keep` gets what has to live until it has been copied."""
        info, access = self.info, 0
        if isinstance(value, Access) and info.kind == "pointer":
            value, access = value.memory, value.flags
        if info.kind == "pointer":
            out.kind, out.access = lib.RT_ARG_POINTER, access
            if isinstance(value, (GraphBuffer, Place)):
                operand(out.memory, value, str(info))
                out.size = value.nbytes if isinstance(value, Place) else 0  # 0: up to the end of what is bound
            else:
                out.memory.pointer = ffi.cast("void *", self.pointer(value, context))
        elif isinstance(value, GraphValue) and info.kind == "value":
            if value.nbytes != info.size:
                self.refuse(value, f"takes {info.size} bytes, the value has {value.nbytes}")
            if value.dtype is not None and self.simple and C_TYPES[_c_type(info.type)] is not value.dtype:
                self.refuse(value, f"takes a value of type {C_TYPES[_c_type(info.type)]}")
            out.kind, out.size, out.value = lib.RT_ARG_GRAPH_VALUE, value.nbytes, ffi.cast("void *", value.handle)
        elif info.kind == "local":
            out.kind, out.size = lib.RT_ARG_LOCAL, self.convert(value)
        else:
            data = ffi.new("char[]", struct.pack("<" + self.code, self.convert(value)))
            keep.append(data)
            out.kind, out.size, out.value = lib.RT_ARG_VALUE, info.size, data

    def refuse(self, value: Any, reason: str) -> NoReturn:
        kind = InvalidValue if isinstance(value, (int, float, tuple, list, bytes)) and "pointer" not in reason else TypeError
        raise kind(f"{self.info} {reason}; got {value!r}.")


class _Block:
    """Memory for the values of one launch, and the pointers to them that the library takes."""

    def __init__(self, arguments: List[_Argument]) -> None:
        self.values = bytearray(sum(argument.packed_size for argument in arguments) or 8)
        base = ffi.from_buffer(self.values)
        addresses, offset = [], int(ffi.cast("uintptr_t", base))
        for argument in arguments:
            addresses.append(ffi.cast("void *", offset))
            offset += argument.packed_size
        self.pointers = ffi.new("void *[]", addresses or [NULL])
        self.pinned = base
        self.argument = ctypes.c_void_p.from_param(int(ffi.cast("uintptr_t", self.pointers)))


class Kernel(Owned):
    """A kernel of a module. Made by Module.kernel() or module[name]; ends with its module, and needs no closing.

    It has `name`, `args` (a list of ArgInfo), `info` (as rtKernelInfo_t), `module` and `context`."""

    def __init__(self, module: Module, handle: Any) -> None:
        self.module = module
        self.context = module.context
        self._own(handle)
        info = self.info
        self.name: str = info["name"]
        self.label = self.name
        self.args: List[ArgInfo] = [self._arg_info(index) for index in range(info["arg_count"])]
        self._arguments = [_Argument(info) for info in self.args]
        self._pack = struct.Struct("<" + "".join(argument.format for argument in self._arguments)).pack_into
        self._pointers = tuple((at, argument.element) for at, argument in enumerate(self._arguments)
                               if argument.info.kind == "pointer")
        self._others = tuple((at, argument.convert) for at, argument in enumerate(self._arguments)
                             if argument.info.kind != "pointer" and not argument.simple)
        self._free: List[_Block] = []
        self._shapes: Dict[Any, Launcher] = {}

    def _struct(self, struct_name: str, get: Any, *arguments: Any) -> Any:
        out = ffi.new(f"{struct_name} *", {"struct_size": ffi.sizeof(struct_name)})
        check(get(out, *arguments, self._h))
        return out

    def _arg_info(self, index: int) -> ArgInfo:
        info = as_dict(self._struct("rtKernelArgInfo_t", lib.rtKernelGetArgInfo, index))
        qualifiers = tuple(word for bit, word in _QUALIFIER_BITS if info["qualifiers"] & bit)
        return ArgInfo(index, info["name"], info["type_name"], info["size"], _KINDS[info["kind"]], _ACCESS[info["access"]],
                       qualifiers)

    @property
    def info(self) -> Dict[str, Any]:
        """rtKernelInfo_t as it is now: which code a launch runs (tier, lanes, why not more) changes when better code comes."""
        return as_dict(self._struct("rtKernelInfo_t", lib.rtKernelGetInfo))

    @property
    def closed(self) -> bool:
        """Whether the kernel or its module was closed."""
        return "_h" not in self.__dict__ or self.module.closed

    def __repr__(self) -> str:
        return f"<manyrt.Kernel {_show.signature(self)}{' (closed)' if self.closed else f' on {self.context.device.name}'}>"

    def _repr_html_(self) -> str:
        return _show.kernel_html(self)

    def __getitem__(self, shape: Tuple[Any, ...]) -> Launcher:
        """kernel[grid, group] or kernel[grid, group, local_bytes]: sizes are numbers, or tuples of up to three.

        Grid counts groups, group counts work-items. local_bytes is the dynamic shared memory of CUDA images."""
        try:
            launcher = self._shapes.get(shape)
        except TypeError:  # a list is no key
            return Launcher(self, shape)
        if launcher is None:
            if len(self._shapes) >= _MAX_SHAPES:
                self._shapes.clear()
            launcher = self._shapes[shape] = Launcher(self, shape)
        return launcher

    def shape(self, items: Size, group: Optional[Size] = None) -> Tuple[Tuple[int, int, int], Tuple[int, int, int]]:
        """Grid and group for a number of work-items, rounded up to whole groups: the kernel leaves out the items beyond.

        Without a group the library suggests one."""
        wanted = _size3(items, "items")
        if group is None:
            out = ffi.new("uint32_t[3]")
            check(lib.rtKernelSuggestGroupSize(out, ffi.new("uint32_t[3]", [max(1, size) for size in wanted]), 0, self._h))
            chosen = (out[0], out[1], out[2])
        else:
            chosen = _size3(group, "group")
        grid = [-(-size // max(1, in_group)) for size, in_group in zip(wanted, chosen)]
        return (grid[0], grid[1], grid[2]), chosen

    def max_active_groups(self, group_items: int, local_bytes: int = 0) -> int:
        """How many groups of that many work-items, with so many bytes of local memory each, the device runs at a time."""
        out = ffi.new("uint32_t *")
        check(lib.rtKernelGetMaxActiveGroups(out, group_items, local_bytes, self._h))
        return int(out[0])

    def _convert(self, args: Tuple[Any, ...]) -> List[Any]:
        """The arguments as numbers and bytes, each checked. The errors name the argument and its type."""
        self._count(args)
        try:
            return [argument.pointer(value, self.context) if argument.info.kind == "pointer" else argument.convert(value)
                    for argument, value in zip(self._arguments, args)]
        except (TypeError, InvalidValue, WrongContext) as error:
            raise type(error)(f"Kernel '{self.name}': {error}") from None

    def _count(self, args: Tuple[Any, ...]) -> None:
        if len(args) != len(self.args):
            wanted = ", ".join(f"{info.type or info.kind} {info.name}".strip() for info in self.args)
            ending = "" if len(self.args) == 1 else "s"
            raise TypeError(f"kernel '{self.name}' takes {len(self.args)} argument{ending} ({wanted}), "
                            f"{len(args)} {'was' if len(args) == 1 else 'were'} given")

    def _graph_args(self, args: Tuple[Any, ...]) -> Tuple[Any, List[Any]]:
        """The arguments as an array of rtGraphArg_t, and what has to live until it has been copied."""
        self._count(args)
        keep: List[Any] = []
        out = ffi.new("rtGraphArg_t[]", len(args) or 1)
        try:
            for at, (argument, value) in enumerate(zip(self._arguments, args)):
                argument.in_graph(out[at], value, self.context, keep)
        except (TypeError, InvalidValue, WrongContext) as error:
            raise type(error)(f"Kernel '{self.name}': {error}") from None
        return out, keep


class Launcher:
    """A kernel with the shape of its launches. Called with a stream and the kernel's arguments it launches, and never blocks.

    Arguments: an Array, address(x) or None for a pointer, a number for a number, a tuple for a vector (float4), Local(bytes)
    for local memory, bytes or a ctypes or numpy scalar for anything else. Values are copied before the call returns."""

    __slots__ = ("kernel", "grid", "group", "local_bytes", "offset", "_options", "_shape", "_free", "_pack", "_pointers",
                 "_others", "_context")

    def __init__(self, kernel: Kernel, shape: Tuple[Any, ...]) -> None:
        if not isinstance(shape, tuple) or not 2 <= len(shape) <= 3:
            raise TypeError("the shape of a launch is kernel[grid, group] or kernel[grid, group, local_bytes]")
        self.kernel = kernel
        self.grid = _size3(shape[0], "grid")
        self.group = _size3(shape[1], "group")
        self.local_bytes = index(shape[2]) if len(shape) == 3 else 0
        if not 0 <= self.local_bytes < 2**32:
            raise InvalidValue(f"local_bytes is {self.local_bytes}, not a 32-bit number.")
        self.offset = (0, 0, 0)
        self._options: Any = None  # where there is an offset
        self._shape = (*self.grid, *self.group, self.local_bytes)
        self._free, self._pack = kernel._free, kernel._pack  # of the kernel; here, they are found faster
        self._context = kernel.context
        self._pointers, self._others = kernel._pointers, kernel._others

    def starting_at(self, offset: Size) -> Launcher:
        """The same shape with ids that begin at an offset, a number or a tuple of up to three: get_global_id() of the first
        work-item returns it."""
        offsets = tuple(offset) if isinstance(offset, (tuple, list)) else (offset,)
        whole = [index(value) for value in offsets] + [0] * (3 - len(offsets))
        if len(whole) != 3 or any(not 0 <= value < 2**64 for value in whole):
            raise InvalidValue(f"The offset is {offset!r}: it has 1 to 3 numbers of 64 bits, none of them negative.")
        launcher = Launcher(self.kernel, (self.grid, self.group, self.local_bytes))
        launcher.offset = (whole[0], whole[1], whole[2])
        options = ffi.new("rtLaunchOptions_t *", {"struct_size": ffi.sizeof("rtLaunchOptions_t"), "global_offset": whole})
        launcher._options = (ffi.new("uint32_t[3]", self.grid), ffi.new("uint32_t[3]", self.group), self.local_bytes, options)
        return launcher

    def __call__(self, stream: Stream, *args: Any) -> None:
        """Launches in the stream's order, and never blocks. Errors count arguments from 0."""
        try:
            queue = stream._c
        except AttributeError:
            raise TypeError(f"the first argument of a launch is a manyrt.Stream, not {stream!r}") from None
        free = self._free
        try:
            block = free.pop()
        except IndexError:
            block = _Block(self.kernel._arguments)
        values = list(args)
        try:
            for at, element in self._pointers:
                array = values[at]
                if (array.__class__ is Array and array.context is self._context
                        and (array.dtype is element or element is None)):
                    values[at] = array._address
                else:
                    values[at] = self.kernel._arguments[at].pointer(array, self._context)
            for at, convert in self._others:
                values[at] = convert(values[at])
            self._pack(block.values, 0, *values)
        except (struct.error, TypeError, IndexError, OverflowError, InvalidValue, WrongContext):
            free.append(block)
            self.kernel._convert(args)  # says which argument, with its name and type
            raise
        if self._options is None:
            status = _launch(self.kernel._c, *self._shape, queue, block.argument, len(values))
        else:
            status = lib.rtLaunchKernelWithOptions(self.kernel._h, *self._options, block.pointers, len(values), stream._h)
        free.append(block)
        if status < 0:
            raise_error(status)

    def _graph_params(self, args: Tuple[Any, ...]) -> Tuple[Any, List[Any]]:
        """The launch as an rtGraphKernelParams_t, and what has to live until it has been copied."""
        arguments, keep = self.kernel._graph_args(args)
        keep.append(arguments)
        return ffi.new("rtGraphKernelParams_t *", {
            "struct_size": ffi.sizeof("rtGraphKernelParams_t"), "arg_count": len(args), "kernel": self.kernel._h,
            "args": arguments, "grid": self.grid, "group": self.group, "local_bytes": self.local_bytes,
            "global_offset": self.offset}), keep

    def __repr__(self) -> str:
        return f"<manyrt.Launcher of '{self.kernel.name}', grid {self.grid}, group {self.group}>"


def _size3(size: Any, noun: str) -> Tuple[int, int, int]:
    sizes = tuple(size) if isinstance(size, (tuple, list)) else (size,)
    if not 1 <= len(sizes) <= 3:
        raise InvalidValue(f"{noun} has {len(sizes)} sizes, not 1 to 3.")
    whole = [index(value) for value in sizes] + [1] * (3 - len(sizes))
    if any(not 0 <= value < 2**32 for value in whole):
        raise InvalidValue(f"{noun} is {size!r}: each size is a 32-bit number that is not negative.")
    return (whole[0], whole[1], whole[2])


def _module_options(options: str, format: str, name: str, headers: Mapping[str, str],  # pylint: disable=redefined-builtin
                    keep: List[Any], tier: str = "") -> Any:
    """A new rtModuleOptions_t. `keep` gets what it points to."""

    def chars(value: str, what: str) -> Any:
        keep.append(ffi.new("char[]", utf8(value, what)))
        return keep[-1]

    names = ffi.new("char *[]", [chars(each, "the name of a header") for each in headers] or [NULL])
    texts = ffi.new("char *[]", [chars(each, "a header") for each in headers.values()] or [NULL])
    keep.extend((names, texts))
    return ffi.new("rtModuleOptions_t *", {
        "struct_size": ffi.sizeof("rtModuleOptions_t"), "format": choice(format, _FORMATS, "format of an image"),
        "build_options": chars(options, "options") if options else NULL,
        "name": chars(name, "the name of a module") if name else NULL,
        "header_count": len(headers), "header_names": names if headers else NULL, "headers": texts if headers else NULL,
        "tier": choice(tier, _TIERS, "tier of a module")})


class Module(Owned):
    """A program for a device. Made by Context.module(), load_module() or load_image(). Its kernels end with it.

    close() never blocks: launches in flight run to their end."""

    _destroy = "rtModuleDestroy"

    def __init__(self, context: Context, source: Any = None, options: str = "", *,
                 path: str | os.PathLike[str] | None = None, image: Any = None,
                 format: str = "auto",  # pylint: disable=redefined-builtin
                 name: str = "", headers: Optional[Mapping[str, str]] = None, tier: str = "") -> None:
        out = ffi.new("rtModule_t *")
        keep: List[Any] = []
        if image is not None:
            try:
                data = bytes(memoryview(image).cast("B"))
            except TypeError:
                raise TypeError(f"an image is bytes, not {type(image).__name__}") from None
            given = _module_options(options, format, name, headers or {}, keep)
            check(lib.rtModuleLoadData(out, data, len(data), given, context._h))
        elif path is None and isinstance(source, (list, tuple)):
            if name or headers or tier:
                raise InvalidValue("Several sources of one module have no name, headers or tier.")
            parts = [ffi.new("char[]", utf8(each, f"source {number}")) for number, each in enumerate(source)]
            check(lib.rtModuleCreateFromSources(out, ffi.new("char *[]", parts or [NULL]), len(parts), utf8(options, "options"),
                                                context._h))
        elif path is None and not name and not headers and not tier:
            check(lib.rtModuleCreateFromSource(out, utf8(source, "the source"), utf8(options, "options"), context._h))
        elif path is None:
            data = utf8(source, "the source")
            given = _module_options(options, "opencl_c", name, headers or {}, keep, tier)
            check(lib.rtModuleLoadData(out, data, len(data), given, context._h))
        else:
            file = os.fsencode(path)
            if b"\0" in file:
                raise InvalidValue("The path has a NUL character.")
            check(lib.rtModuleLoadFile(out, file, _module_options(options, format, name, headers or {}, keep), context._h))
        del keep
        self.context = context
        self._own(out[0])

    @classmethod
    def _of(cls, context: Context, handle: Any) -> Module:
        module = cls.__new__(cls)
        module.context = context
        module._own(handle)
        return module

    def kernel(self, name: str) -> Kernel:
        """A kernel by its name in the source."""
        out = ffi.new("rtKernel_t *")
        check(lib.rtModuleGetKernel(out, utf8(name, "the name of a kernel"), self._h))
        return Kernel(self, out[0])

    __getitem__ = kernel

    @property
    def kernels(self) -> List[str]:
        """The names of all kernels."""
        count = ffi.new("uint32_t *")
        check(lib.rtModuleGetKernelCount(count, self._h))
        names = []
        for index in range(count[0]):
            out = ffi.new("rtKernel_t *")
            check(lib.rtModuleGetKernelByIndex(out, index, self._h))
            names.append(text(lib.rtKernelGetName, out[0]))
        return names

    @property
    def log(self) -> str:
        """The compiler's log, with its warnings; empty where there was nothing to say."""
        return text(lib.rtModuleGetBuildLog, self._h)

    @property
    def info(self) -> Dict[str, Any]:
        """Which code launches run (state), where it came from (origin) and how long that took (load_ns)."""
        out = ffi.new("rtModuleInfo_t *", {"struct_size": ffi.sizeof("rtModuleInfo_t")})
        check(lib.rtModuleGetInfo(out, self._h))
        return as_dict(out)

    def image(self, source: bool = True) -> bytes:
        """The code and, unless `source` is false, the source, as Context.load_image() takes it on any machine."""
        needed = ffi.new("size_t *")
        flags = 0 if source else lib.RT_IMAGE_WITHOUT_SOURCE
        options = ffi.new("rtImageOptions_t *", {"struct_size": ffi.sizeof("rtImageOptions_t"), "flags": flags})
        check(lib.rtModuleGetImage(NULL, 0, needed, options, self._h))
        buffer = ffi.new("char[]", needed[0])
        check(lib.rtModuleGetImage(buffer, needed[0], needed, options, self._h))
        return bytes(ffi.buffer(buffer, needed[0]))

    def variable(self, name: str, dtype: Any = "uint8") -> Array:
        """A variable of program scope as an array, which keeps the module.

        Those of OpenCL C are constants, which must not be written to."""
        element = dtype_of(dtype)
        out, nbytes = ffi.new("void **"), ffi.new("uint64_t *")
        check(lib.rtModuleGetGlobal(out, nbytes, utf8(name, "the name of a variable"), self._h))
        if nbytes[0] % element.itemsize:
            raise InvalidValue(f"'{name}' has {nbytes[0]} bytes, which is no whole number of {element} elements.")
        memory = ffi.gc(ffi.cast("char *", out[0]), lambda _, module=self: None)
        shape = (nbytes[0] // element.itemsize,)
        return Array(self.context, memory, int(ffi.cast("uintptr_t", out[0])), shape, element, "device")

    @property
    def native(self) -> int:
        """The driver's module: a CUmodule or cl_program, of the CPU the address of an rtHostModule_t. Borrowed."""
        return native_of(lib.rtModuleGetNative, self._h)

    def wait_optimized(self, timeout: Optional[float] = None) -> None:
        """Waits until launches run the code that stays, at most `timeout` seconds (then Timeout). The CPU has it some time
        after the first code; elsewhere it is there at once."""
        check(wait(lambda limit: lib.rtModuleWait(self._h, lib.RT_MODULE_OPTIMIZED, limit), timeout))


def build_modules(context: Context, sources: Iterable[str], options: str | Iterable[str], names: Iterable[str],
                  headers: Mapping[str, str], return_errors: bool) -> List[Any]:
    """Context.modules(). A list of modules, or of modules and errors."""
    texts = [ffi.new("char[]", utf8(each, f"source {number}")) for number, each in enumerate(sources)]
    words = [options] * len(texts) if isinstance(options, str) else list(options)
    labels = list(names) or [""] * len(texts)
    for what, given in (("options", words), ("names", labels)):
        if len(given) != len(texts):
            raise InvalidValue(f"There are {len(texts)} sources and {len(given)} {what}.")
    if not texts:
        return []
    keep: List[Any] = []
    chosen = [_module_options(each, "opencl_c", name, headers, keep) for each, name in zip(words, labels)]
    handles = ffi.new("rtModule_t[]", len(texts))
    statuses = ffi.new("rtStatus_t[]", len(texts))
    status = lib.rtModuleBuildMany(handles, statuses, ffi.new("char *[]", texts), len(texts),
                                   ffi.new("rtModuleOptions_t *[]", chosen), context._h)
    first = error_of(status, last_message()) if status < 0 else None
    del keep
    results: List[Any] = []
    told = False
    for handle, each in zip(handles, statuses):
        if each >= 0:
            results.append(Module._of(context, handle))
        else:
            results.append(error_of(each, "") if told else first)
            told = True
    if first is not None and not return_errors:
        for result in results:
            if isinstance(result, Module):
                result.close()
        raise first
    return results
