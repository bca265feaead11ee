# SPDX-License-Identifier: Apache-2.0
"""Arrays: typed device memory, C-contiguous, and pools, where their memory can come from.

A call without a stream is complete when it returns. A call with a stream returns at once and takes its place in the stream's
order; it copies between arrays, or from any other buffer, which has been read when the call returns.
"""

from __future__ import annotations

import struct
from operator import index as as_index
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Tuple, Union

from . import _show, dtypes
from ._callbacks import wait_until_submitted
from ._library import ffi, lib
from ._object import Owned, as_dict, choice, label_bytes, text, wait
from .dtypes import DTYPES, DType
from .errors import CaptureUnsafe, InvalidValue, NotSupported, check

if TYPE_CHECKING:
    from .device import Context
    from .stream import Stream

Shape = Union[int, Tuple[int, ...]]
KINDS = {"device": lib.RT_MEMORY_DEVICE, "host": lib.RT_MEMORY_HOST, "shared": lib.RT_MEMORY_SHARED}
_abandoned: List[Any] = []  # buffers of the program that a copy may write to at any time
_ALLOCATE = {"device": lib.rtMalloc, "host": lib.rtMallocHost, "shared": lib.rtMallocShared}


def as_shape(shape: Shape) -> Tuple[int, ...]:
    """A shape as a tuple of whole numbers."""
    each: Sequence[Any] = shape if isinstance(shape, (tuple, list)) else (shape,)
    try:
        sizes = tuple(as_index(size) for size in each)
    except TypeError:
        raise TypeError(f"a shape is a whole number or a tuple of them, not {shape!r}") from None
    if any(size < 0 for size in sizes):
        raise InvalidValue(f"The shape {sizes} has a negative size.")
    return sizes


def _count(shape: Tuple[int, ...]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def _from_list(data: Any) -> Tuple[List[Any], Tuple[int, ...]]:
    """The numbers of nested lists, and their shape."""
    if not isinstance(data, (list, tuple, range)):
        return [data], ()
    parts = [_from_list(item) for item in data]
    if any(shape != parts[0][1] for _, shape in parts):
        raise InvalidValue("The lists differ in length.")
    return [number for numbers, _ in parts for number in numbers], (len(parts), *(parts[0][1] if parts else ()))


def _natural(numbers: List[Any]) -> DType:
    """The element type of numbers that have none."""
    if numbers and all(isinstance(number, bool) for number in numbers):
        return DTYPES["bool"]
    return DTYPES["int64" if numbers and all(hasattr(number, "__index__") for number in numbers) else "float64"]


def _as_buffer(data: Any, dtype: Optional[DType]) -> Tuple[memoryview, DType, Tuple[int, ...]]:
    """Contiguous bytes, element type and shape of a buffer or of nested lists."""
    if isinstance(data, (list, tuple, range, int, float)):
        numbers, shape = _from_list(data)
        wanted = dtype or _natural(numbers)
        code = "e" if wanted.name == "float16" else wanted.format
        try:
            return memoryview(struct.pack(f"={len(numbers)}{code}", *numbers)), wanted, shape
        except struct.error as error:
            raise InvalidValue(f"The numbers do not fit {wanted}: {error}.") from error
    view = memoryview(data)
    found = dtypes.of_buffer(view)
    if not view.c_contiguous:
        raise InvalidValue(f"The source is not C-contiguous: its shape is {view.shape}, its strides in bytes are "
                           f"{view.strides}. Copy it first, for instance with numpy.ascontiguousarray.")
    if found is None:
        raise TypeError(f"Elements of format '{view.format}' have no element type here; there are {', '.join(DTYPES)}.")
    if dtype is not None and found is not dtype:
        if not isinstance(data, (bytes, bytearray)):  # these are bytes of anything
            raise TypeError(f"The source has elements of {found}, the array has {dtype}.")
        found = dtype
        if view.nbytes % dtype.itemsize:
            raise InvalidValue(f"{view.nbytes} bytes are no whole number of {dtype} elements of {dtype.itemsize} bytes.")
        return view, found, (view.nbytes // dtype.itemsize,)
    return (view.cast("B") if view.nbytes else memoryview(b"")), found, tuple(view.shape or ())


class Array(Owned):
    """Typed memory of a device, C-contiguous. Made by Context.empty(), zeros(), array(), or by a pool.

    It has `context`, `shape`, `dtype`, `kind` ("device", "host", "shared"), `size` in elements and `nbytes` in bytes.
    a[i] and a[i:j] are parts of the first dimension, in the same memory. close() gives the memory back when the last array or
    host view of it is gone; work in flight keeps it that long, too."""

    readonly = False  # see ReadOnlyArray
    _memory: Any  # owns the allocation: freed with its last reference
    _address: int

    def __init__(self, context: Context, memory: Any, address: int, shape: Tuple[int, ...], dtype: DType, kind: str) -> None:
        self.context = context
        self.shape = shape
        self.dtype = dtype
        self.kind = kind
        self.size = _count(shape)
        self.nbytes = self.size * dtype.itemsize
        self._memory = memory
        self._address = address
        self._own(ffi.cast("void *", address))

    @classmethod
    def _adopt(cls, context: Context, pointer: Any, shape: Tuple[int, ...], dtype: DType, kind: str) -> Array:
        """An array that frees `pointer`."""
        memory = ffi.gc(ffi.cast("char *", pointer), lib.rtFree)
        return cls(context, memory, int(ffi.cast("uintptr_t", pointer)), shape, dtype, kind)

    @classmethod
    def _allocate(cls, context: Context, shape: Shape, dtype: Any, kind: str, alignment: int = 0, label: str = "") -> Array:
        """As Context.empty()."""
        number = choice(kind, KINDS, "kind of memory")
        sizes, element = as_shape(shape), dtypes.dtype(dtype)
        out = ffi.new("void **")
        if alignment or label:
            options = ffi.new("rtMallocOptions_t *", {"struct_size": ffi.sizeof("rtMallocOptions_t"), "kind": number,
                                                      "alignment": alignment, "label": label_bytes(label)})
            check(lib.rtMallocWithOptions(out, bytes_of(sizes, element), options, context._h))
        else:
            check(_ALLOCATE[kind](out, bytes_of(sizes, element), context._h))
        return cls._adopt(context, out[0], sizes, element, kind)

    @classmethod
    def _of(cls, context: Context, data: Any, dtype: Any, kind: str) -> Array:
        """As Context.array()."""
        view, element, shape = _as_buffer(data, None if dtype is None else dtypes.dtype(dtype))
        array = cls._allocate(context, shape, element, kind)
        if array.nbytes:
            check(lib.rtMemcpy(array._h, ffi.from_buffer(view), array.nbytes, lib.RT_MEMCPY_DEFAULT))
        return array

    def close(self) -> None:
        """Lets the memory go, which is used again after work in flight and other arrays and views of it. Never blocks."""
        self.__dict__.pop("_c", None)
        self.__dict__.pop("_h", None)
        self.__dict__.pop("_address", None)
        self.__dict__.pop("_memory", None)

    @property
    def address(self) -> int:
        """The address on the device, valid until close(). It is a number, and not for the host to follow."""
        return self._address

    @property
    def strides(self) -> Tuple[int, ...]:
        """Bytes from one element to the next, in each dimension."""
        steps, step = [], self.dtype.itemsize
        for size in reversed(self.shape):
            steps.append(step)
            step *= size
        return tuple(reversed(steps))

    @property
    def host_visible(self) -> bool:
        """Whether the host may read and write the memory at its address."""
        return self.kind in ("host", "shared") or self.context.device.backend == "cpu"

    def __len__(self) -> int:
        """Elements of the first dimension."""
        if not self.shape:
            raise TypeError("an array of no dimension has no length")
        return self.shape[0]

    def __getitem__(self, index: Union[int, slice]) -> Array:
        """a[i] or a[i:j], in the same memory: no copy. It keeps the memory alive."""
        length = len(self)
        row = self.nbytes // length if length else 0
        if isinstance(index, slice):
            start, stop, step = index.indices(length)
            if step != 1:
                raise InvalidValue(f"A part of an array is contiguous: the step is {step}, not 1.")
            shape: Tuple[int, ...] = (max(0, stop - start), *self.shape[1:])
        else:
            try:
                at = as_index(index)
            except TypeError:
                raise TypeError(f"an index is a whole number or a slice, not {index!r}: one dimension at a time") from None
            start = at + length if at < 0 else at
            if not 0 <= start < length:
                raise IndexError(f"index {index} is outside the array, whose first dimension has {length} elements")
            shape = self.shape[1:]
        return type(self)(self.context, self._memory, self._address + start * row, shape, self.dtype, self.kind)

    def reshape(self, shape: Shape) -> Array:
        """The same memory with another shape of as many elements."""
        sizes = as_shape(shape)
        if _count(sizes) != self.size:
            raise InvalidValue(f"The shape {sizes} has {_count(sizes)} elements, the array has {self.size}.")
        return type(self)(self.context, self._memory, self._address, sizes, self.dtype, self.kind)

    def view(self, dtype: Any) -> Array:
        """The same memory with elements of another type. With another size, the last dimension has as many bytes as before."""
        element, shape = dtypes.dtype(dtype), self.shape
        if element.itemsize != self.dtype.itemsize:
            row = (shape[-1] if shape else 1) * self.dtype.itemsize
            if not shape or row % element.itemsize:
                raise InvalidValue(f"{element} has {element.itemsize} bytes, {self.dtype} has {self.dtype.itemsize}: " + (
                    f"the last dimension of {row} bytes is no whole number of them." if shape else
                    "an array of no dimension keeps the size."))
            shape = (*shape[:-1], row // element.itemsize)
        return type(self)(self.context, self._memory, self._address, shape, element, self.kind)

    # ---- copies and fills

    def copy_from(self, source: Any, stream: Optional[Stream] = None) -> None:
        """Copies as many elements as this array has, from an array of any device, a buffer, or a list of numbers.

        With a stream, a buffer that is no array has been read when the call returns; the call waits only where more than 64
        MiB are staged already. In a capture the source has to be an array: it is read at each launch."""
        if isinstance(source, Array):
            self._match(source.nbytes, source.dtype, source.shape)
            self._copy(self._h, source._h, stream)
            return
        if stream is not None:
            _refuse_in_capture(stream, "from")
        view, element, shape = _as_buffer(source, self.dtype)
        self._match(view.nbytes, element, shape)
        self._copy(self._h, ffi.from_buffer(view), stream)

    def copy_to(self, destination: Any, stream: Optional[Stream] = None) -> None:
        """Copies the whole array into another array, or into a writable buffer.

        With a stream and a buffer that is no array, the call waits until the stream has passed the copy: later, the buffer
        might be gone. To copy without waiting, copy into an array of kind "host"."""
        if isinstance(destination, Array):
            destination.copy_from(self, stream)
            return
        view = memoryview(destination)
        if not view.c_contiguous or view.readonly:
            raise InvalidValue("The destination is read-only." if view.readonly else
                               f"The destination is not C-contiguous: its shape is {view.shape}, its strides {view.strides}.")
        element = dtypes.of_buffer(view)
        if element is not self.dtype and not isinstance(destination, bytearray):
            raise TypeError(f"The array has elements of {self.dtype}, the destination has {element or view.format}.")
        if view.nbytes != self.nbytes:
            raise InvalidValue(f"Copy of {self.nbytes} bytes into a destination of {view.nbytes} bytes.")
        if stream is not None:
            _refuse_in_capture(stream, "to")
        if self.nbytes:
            target = ffi.from_buffer(view.cast("B"), require_writable=True)
            self._copy(target, self._h, stream)
            if stream is None:
                return
            try:
                stream.synchronize()
            except BaseException:
                # The copy may be still to come, and needs the buffer until then.
                try:
                    stream.call(lambda: target)
                except Exception:  # nothing tells when the copy is over
                    _abandoned.append(target)
                raise

    def _match(self, nbytes: int, dtype: DType, shape: Tuple[int, ...]) -> None:
        if dtype is not self.dtype:
            raise TypeError(f"The source has elements of {dtype}, the array has {self.dtype}.")
        if nbytes != self.nbytes:
            raise InvalidValue(f"Copy of {nbytes} bytes (shape {shape}) into an array of {self.nbytes} bytes "
                               f"(shape {self.shape}).")

    def _copy(self, dst: Any, src: Any, stream: Optional[Stream]) -> None:
        if stream is None:
            # The wait for the stream that the copy uses comes first, because Ctrl-C can end it. A failure comes from the copy.
            wait(lib.rtStreamSynchronizeFor, None, self.context.default_stream._h)
            check(lib.rtMemcpy(dst, src, self.nbytes, lib.RT_MEMCPY_DEFAULT))
        else:
            check(lib.rtMemcpyAsync(dst, src, self.nbytes, lib.RT_MEMCPY_DEFAULT, stream._h))

    def fill(self, value: Any, stream: Optional[Stream] = None) -> None:
        """Sets every element to a number. With a stream in its order, and at once back; without one it waits."""
        code = "e" if self.dtype.name == "float16" else self.dtype.format
        try:
            pattern = struct.pack("=" + code, value)
        except (struct.error, OverflowError) as error:
            raise InvalidValue(f"{value!r} is no {self.dtype}: {error}.") from error
        where = stream or self.context.default_stream
        check(lib.rtMemFillAsync(self._h, pattern, len(pattern), self.size, where._h))
        if stream is None:
            where.synchronize()

    def copy_block(self, source: Array, shape: Tuple[int, int], at: Tuple[int, int] = (0, 0),
                   source_at: Tuple[int, int] = (0, 0), stream: Optional[Stream] = None) -> None:
        """Copies a block of rows and columns of another array to row and column `at` of this one.

        Both have two dimensions and one type. With a stream in its order, and at once back; without one it waits."""
        rows, columns = as_shape(shape)
        for array, (row, column) in ((self, at), (source, source_at)):
            if len(array.shape) != 2 or array.dtype is not self.dtype:
                raise InvalidValue(f"A block is copied between arrays of two dimensions and of one type; one has the shape "
                                   f"{array.shape} and {array.dtype}.")
            if row < 0 or column < 0 or row + rows > array.shape[0] or column + columns > array.shape[1]:
                raise InvalidValue(f"A block of {rows} rows and {columns} columns at {(row, column)} leaves the array of shape "
                                   f"{array.shape}.")
        if not rows or not columns:
            return
        places = []
        for array, (row, column) in ((self, at), (source, source_at)):
            pitch = array.shape[1] * self.dtype.itemsize
            places += [ffi.cast("void *", array._address + row * pitch + column * self.dtype.itemsize), pitch]
        arguments = (*places, columns * self.dtype.itemsize, rows, lib.RT_MEMCPY_DEFAULT)
        if stream is None:
            wait(lib.rtStreamSynchronizeFor, None, self.context.default_stream._h)  # as copy_from()
            check(lib.rtMemcpy2D(*arguments))
        else:
            check(lib.rtMemcpy2DAsync(*arguments, stream._h))

    def prefetch(self, stream: Stream, to_host: bool = False) -> None:
        """Moves shared memory towards the device of the stream, or to the host. A hint, in the stream's order. Never blocks."""
        device = ffi.NULL if to_host else stream.context.device._h
        check(lib.rtMemPrefetchAsync(self._h, self.nbytes, device, stream._h))

    # ---- what the host sees

    def host(self) -> memoryview:
        """A view of the memory itself, without a copy, where the host sees it. The program synchronizes before it reads.

        The memory lives as long as the view. float16 shows as unsigned 16-bit numbers."""
        if not self.host_visible:
            raise NotSupported(f"The host cannot see {self.kind} memory of {self.context.device.name}: copy it with tobytes() "
                               "or numpy().")
        if not self.size:
            return memoryview(b"")
        return memoryview(self._bytes()).cast("B").cast(self.dtype.format, self.shape)

    def _bytes(self) -> Any:
        """A buffer over the memory that keeps the allocation alive."""
        offset = self._address - int(ffi.cast("uintptr_t", self._memory))
        whole = ffi.buffer(self._memory, offset + self.nbytes)
        return memoryview(whole)[offset:]

    def __buffer__(self, flags: int) -> memoryview:
        """For memoryview(array) in Python 3.12 and later. Before, a class of Python cannot have a buffer of its own.

        To derive Array from a ctypes array would not do: a view would keep the Array, whose close() ends the memory."""
        return self.host()

    def tobytes(self, stream: Optional[Stream] = None) -> bytes:
        """A copy of the contents. Waits."""
        data = bytearray(self.nbytes)
        self.copy_to(data, stream)
        return bytes(data)

    def tolist(self, stream: Optional[Stream] = None) -> Any:
        """A copy of the contents as nested lists, or a number if the array has no dimension. Waits."""
        data = self.tobytes(stream)
        if self.dtype.name == "float16":
            flat: Sequence[Any] = struct.unpack(f"={self.size}e", data)
        else:
            flat = memoryview(data).cast(self.dtype.format)
        return _nested(flat, self.shape)

    def item(self, stream: Optional[Stream] = None) -> Any:
        """The one element of the array as a number of Python, whatever its shape. Waits."""
        if self.size != 1:
            raise InvalidValue(f"item() is for an array of one element, this one has {self.size}.")
        return self.reshape(()).tolist(stream)

    def __float__(self) -> float:
        """The one element. Waits."""
        return float(self.item())

    def __int__(self) -> int:
        """The one element, without its fraction. Waits."""
        return int(self.item())

    def numpy(self, stream: Optional[Stream] = None) -> Any:
        """A copy of the contents as a numpy array. Waits."""
        import numpy
        return numpy.frombuffer(bytearray(self.tobytes(stream)), dtype=self.dtype.typestr).reshape(self.shape)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        """The memory as a numpy array, where the host sees it. Without this numpy would make an array of parts of it."""
        self.host()
        import numpy
        same = numpy.frombuffer(self._bytes() if self.size else b"", dtype=self.dtype.typestr).reshape(self.shape)
        if copy is False and dtype is not None and numpy.dtype(dtype) != same.dtype:
            raise ValueError(f"elements of {self.dtype} become {dtype} in a copy alone")
        return numpy.array(same, dtype=dtype) if copy or dtype is not None else same

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        if not self.host_visible:
            raise AttributeError(f"{self.kind} memory of {self.context.device.name} has no __array_interface__")
        return {"version": 3, "shape": self.shape, "typestr": self.dtype.typestr, "data": self._bytes() if self.size else b""}

    @property
    def __cuda_array_interface__(self) -> Dict[str, Any]:
        if self.context.device.backend != "cuda":
            raise AttributeError(f"memory of {self.context.device.name} has no __cuda_array_interface__")
        stream = self.context.default_stream
        check(lib.rtStreamWaitContext(self.context._h, stream._h))  # its consumer waits for this stream
        wait_until_submitted(stream._h)
        return {"version": 3, "shape": self.shape, "typestr": self.dtype.typestr, "strides": None, "stream": stream.native,
                "data": (self._address if self.size else 0, self.readonly)}

    def __dlpack__(self, *, stream: Optional[int] = None, max_version: Any = None, dl_device: Any = None,
                   copy: Optional[bool] = None) -> Any:
        """The memory as a DLPack capsule, in order with the consumer's stream."""
        from . import dlpack  # needs this module
        return dlpack.export(self, stream, max_version, dl_device, copy)

    def __dlpack_device__(self) -> Tuple[int, int]:
        """DLPack's numbers of the device's type and of the device."""
        from . import dlpack  # needs this module
        return dlpack.device_of(self)

    def __repr__(self) -> str:
        """The elements, of a large array the first and the last ones. Waits for work that may write them, at most a fifth of a
        second; then, and after a failure, without elements. Never raises."""
        return _show.array_repr(self)

    def _repr_html_(self) -> str:
        return _show.array_html(self)


def _nested(flat: Sequence[Any], shape: Tuple[int, ...]) -> Any:
    """Elements as nested lists of a shape."""
    if len(shape) <= 1:
        return list(flat) if shape else flat[0]
    step = _count(shape[1:])
    return [_nested(flat[at * step:(at + 1) * step], shape[1:]) for at in range(shape[0])]


class ReadOnlyArray(Array):
    """An array over memory that its owner lets others only read, such as a numpy array without the flag WRITEABLE.

    Its methods do not write. The package cannot see whether a kernel does: the caller sees to it that it only reads."""

    readonly = True

    def copy_from(self, source: Any, stream: Optional[Stream] = None) -> None:
        """Always raises InvalidValue."""
        raise InvalidValue("The array is read-only: its memory is another library's.")

    def fill(self, value: Any, stream: Optional[Stream] = None) -> None:
        """Always raises InvalidValue."""
        self.copy_from(value)

    def _bytes(self) -> Any:
        return super()._bytes().toreadonly()


def bytes_of(shape: Tuple[int, ...], dtype: DType) -> int:
    """The bytes of so many elements; InvalidValue where no address reaches that far."""
    nbytes = _count(shape) * dtype.itemsize
    if nbytes >= 2**64:
        raise InvalidValue(f"An array of shape {shape} has {nbytes} bytes: more than an address can reach.")
    return nbytes


def _refuse_in_capture(stream: Stream, word: str) -> None:
    if stream.capturing:
        raise CaptureUnsafe(f"The stream captures: a copy {word} memory of Python would use its address at each launch, when "
                            "that memory may be gone. Use an array of kind \"host\".")


class Pool(Owned):
    """A pool of memory with a limit of its own. Made by Context.pool(). Its arrays stay valid when it is closed."""

    _destroy = "rtMemPoolDestroy"

    def __init__(self, context: Context, *, kind: str = "device", initial_bytes: int = 0, maximum_bytes: int = 0,
                 release_threshold: int = 0, label: str = "") -> None:
        options = ffi.new("rtMemPoolOptions_t *", {
            "struct_size": ffi.sizeof("rtMemPoolOptions_t"), "kind": choice(kind, KINDS, "kind of memory"),
            "initial_bytes": initial_bytes,
            "maximum_bytes": maximum_bytes, "release_threshold": release_threshold, "label": label_bytes(label)})
        out = ffi.new("rtMemPool_t *")
        check(lib.rtMemPoolCreate(out, options, context._h))
        self.context = context
        self.kind = kind
        self._own(out[0], label)

    def empty(self, shape: Shape, dtype: Any = "float32", stream: Optional[Stream] = None) -> Array:
        """A new array, contents undefined, that later work of the stream (else the default stream) may use at once."""
        sizes, element = as_shape(shape), dtypes.dtype(dtype)
        out = ffi.new("void **")
        where = stream or self.context.default_stream
        check(lib.rtMallocFromPool(out, bytes_of(sizes, element), 0, where._h, self._h))
        return Array._adopt(self.context, out[0], sizes, element, self.kind)

    @classmethod
    def _default_of(cls, context: Context) -> Pool:
        """As Context.default_pool."""
        out = ffi.new("rtMemPool_t *")
        check(lib.rtContextGetDefaultPool(out, context._h))
        self = cls.__new__(cls)
        self._destroy = ""
        self.context = context
        self.kind = "device"
        self._own(out[0], "default")
        return self

    def trim(self, keep_bytes: int = 0) -> None:
        """Gives unused memory back to the driver, down to keep_bytes."""
        check(lib.rtMemPoolTrim(keep_bytes, self._h))

    def set_limit(self, nbytes: int) -> None:
        """A hard limit in bytes; an allocation beyond it is OutOfMemory. 0: none."""
        check(lib.rtMemPoolSetLimit(nbytes, self._h))

    def set_release_threshold(self, nbytes: int) -> None:
        """How many unused bytes the pool keeps when streams are synchronized."""
        check(lib.rtMemPoolSetReleaseThreshold(nbytes, self._h))

    @property
    def stats(self) -> Dict[str, int]:
        """Numbers of bytes and allocations: live_bytes, live_count, reserved_bytes, peak_live_bytes, ..."""
        out = ffi.new("rtMemPoolStats_t *", {"struct_size": ffi.sizeof("rtMemPoolStats_t")})
        check(lib.rtMemPoolGetStats(out, self._h))
        return as_dict(out)

    def reset_peak(self) -> None:
        """Starts the peaks of `stats` again from the present."""
        check(lib.rtMemPoolResetPeak(self._h))

    def to_json(self) -> str:
        """All blocks of the pool as JSON."""
        return text(lib.rtMemPoolDumpJson, self._h)
