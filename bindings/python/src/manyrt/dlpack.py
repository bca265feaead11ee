# SPDX-License-Identifier: Apache-2.0
"""DLPack in both directions: arrays of this package and of numpy, PyTorch and others share memory without a copy.

DLPack's structs and its rules for streams are those of https://dmlc.github.io/dlpack/latest/python_spec.html, version 1.0 and
the ones before it. A capsule keeps the exported allocation alive, also after the array was closed; an imported array keeps the
tensor alive until the last work that uses it is complete.
"""

from __future__ import annotations

import ctypes
import itertools
from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Optional, Tuple

from . import _borrowed, dtypes
from ._callbacks import wait_until_submitted
from ._library import ffi, lib, resolve
from .errors import Error, check
from .memory import Array, ReadOnlyArray

if TYPE_CHECKING:
    from .device import Context
    from .stream import Stream

CPU, CUDA, CUDA_HOST, OPENCL, CUDA_MANAGED = 1, 2, 3, 4, 13  # DLDeviceType
_NAMES = {CPU: "kDLCPU", CUDA: "kDLCUDA", CUDA_HOST: "kDLCUDAHost", OPENCL: "kDLOpenCL", CUDA_MANAGED: "kDLCUDAManaged"}
_NO_STREAM = -1  # the consumer asks for no order
_LEGACY_STREAM = 1  # CUDA's default stream; 0 is not allowed
VERSION = (1, 0)
_READ_ONLY, _IS_COPIED = 1, 2  # flags of a tensor with a version


class _Form(NamedTuple):
    """One of the two structs that a capsule may have."""

    fresh: bytes  # the capsule's name, and that once a consumer has taken it
    used: bytes
    type: str


# A capsule keeps the address of its name: all four live with this module.
_OLD = _Form(b"dltensor", b"used_dltensor", "DLManagedTensor *")
_VERSIONED = _Form(b"dltensor_versioned", b"used_dltensor_versioned", "DLManagedTensorVersioned *")
_FORMS = (_VERSIONED, _OLD)
resolve(_OLD.type, _VERSIONED.type)

_api = ctypes.pythonapi
_CapsuleDestructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", _api))
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _api))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_SetName", _api))

_numbers = itertools.count(1)
_exported: Dict[int, Any] = {}  # what a consumer still uses: the tensor struct, its shape, and the owner of the memory


def _form_of(capsule: int) -> Optional[_Form]:
    """The form of a capsule that no consumer has taken."""
    return next((form for form in _FORMS if _is_valid(capsule, form.fresh)), None)


def _delete_export(tensor: Any) -> None:
    _exported.pop(int(ffi.cast("uintptr_t", tensor.manager_ctx)), None)


def _delete_capsule(capsule: int) -> None:
    form = _form_of(capsule)
    if form is not None:  # no consumer took it
        _give_back(ffi.cast(form.type, _pointer(capsule, form.fresh)))


def _give_back(managed: Any) -> None:
    if managed.deleter != ffi.NULL:
        managed.deleter(managed)


_release_export = {form: ffi.callback(f"void({form.type})", _delete_export) for form in _FORMS}
_release_capsule = _CapsuleDestructor(_delete_capsule)
# Consumers may release tensors while the interpreter ends and modules are gone: these functions stay for ever.
for _function in (*_release_export.values(), _release_capsule):
    _api.Py_IncRef(ctypes.py_object(_function))


# ---- from here to others


def _ordinal(context: Context) -> int:
    return int(context.device.properties["ordinal"])


def device_of(array: Array) -> Tuple[int, int]:
    """DLDeviceType and number of an array's memory. The number of memory that the host sees is 0.

    Managed memory is the device's: PyTorch takes no kDLCUDAManaged. A consumer that does asks for it with `dl_device`."""
    backend = array.context.device.backend
    if backend == "cuda":
        return (CUDA_HOST, 0) if array.kind == "host" else (CUDA, _ordinal(array.context))
    if array.host_visible and array.kind != "shared":
        return (CPU, 0)
    if backend == "opencl":
        return (OPENCL, _ordinal(array.context))
    raise BufferError(f"{array.kind} memory of {array.context.device.name} has no DLPack device")


def _can_be(array: Array, device: Tuple[int, int]) -> bool:
    """Whether the memory, as it lies, is memory of that device."""
    managed = array.kind == "shared" and array.context.device.backend == "cuda"
    seen = array.host_visible and device == (CPU, 0)
    return seen or device == device_of(array) or (managed and device == (CUDA_MANAGED, 0))


def _copied(array: Array, kind: str) -> Array:
    """A copy of what the array has after all work so far."""
    made, stream = Array._allocate(array.context, array.shape, array.dtype, kind), array.context.default_stream
    check(lib.rtStreamWaitContext(array.context._h, stream._h))
    made.copy_from(array, stream)
    return made


def _order(array: Array, stream: Optional[int], device: int) -> None:
    """Work so far of the array's context is ahead of the consumer's."""
    if stream == _NO_STREAM:
        return
    if device in (CPU, OPENCL) and stream is not None:
        raise BufferError(f"a DLPack stream is given for {_NAMES[device]}, which has none")
    if device not in (CUDA, CUDA_MANAGED) and stream is None:
        array.context.synchronize()  # the consumer's own work begins on the host
        return
    number = _LEGACY_STREAM if stream is None else int(stream)
    if number == 0:
        raise BufferError("the DLPack stream 0 is ambiguous: 1 is CUDA's default stream, 2 that of the thread")
    if number < 0:
        raise BufferError(f"{number} is no DLPack stream")
    if array.size:
        with array.context.import_stream(number) as consumer:
            check(lib.rtStreamWaitPointer(array._h, consumer._h))
            wait_until_submitted(consumer._h)


def export(array: Array, stream: Optional[int], max_version: Optional[Tuple[int, int]], dl_device: Any,
           copy: Optional[bool]) -> Any:
    """As Array.__dlpack__()."""
    device = device_of(array) if dl_device is None else (int(dl_device[0]), int(dl_device[1]))
    shared = _can_be(array, device)
    if not shared and (device != (CPU, 0) or copy is False):
        raise BufferError(f"the array is on DLPack device {device_of(array)}, not on {device}: copy it first")
    if copy or not shared:
        array, flags = _copied(array, array.kind if shared else "host"), _IS_COPIED
    else:
        flags = _READ_ONLY if array.readonly else 0
    form = _VERSIONED if max_version is not None and max_version[0] >= VERSION[0] else _OLD
    if form is _OLD and flags & _READ_ONLY:
        raise BufferError("the array is read-only, which DLPack before 1.0 cannot say: ask for max_version=(1, 0), or copy it")
    data, offset = array._address, 0
    if device[0] == OPENCL:
        native = ffi.new("uint64_t[2]")
        check(lib.rtPointerGetNative(native, array._h))
        if native[0] == array._address:
            raise BufferError("kDLOpenCL shares cl_mem objects, and the memory of this device is none: its tier is usm or svm")
        data, offset = native[0], native[1]
    _order(array, stream, device[0])
    return _capsule(form, array, flags, device, data, offset)


def _capsule(form: _Form, array: Array, flags: int, device: Tuple[int, int], data: int, offset: int) -> Any:
    number = next(_numbers)
    shape = ffi.new("int64_t[]", list(array.shape) or 1)
    steps = ffi.new("int64_t[]", [step // array.dtype.itemsize for step in array.strides] or 1)
    managed = ffi.new(form.type)
    managed.dl_tensor = {
        "data": ffi.cast("void *", data if array.size else 0), "device": {"device_type": device[0], "device_id": device[1]},
        "ndim": len(array.shape),
        "dtype": {"code": array.dtype.dlpack, "bits": array.dtype.itemsize * 8, "lanes": 1}, "shape": shape, "strides": steps,
        "byte_offset": offset}
    if form is _VERSIONED:
        managed.version, managed.flags = {"major": VERSION[0], "minor": VERSION[1]}, flags
    managed.manager_ctx = ffi.cast("void *", number)
    managed.deleter = _release_export[form]
    _exported[number] = (managed, shape, steps, array._memory, array.context)
    return _new_capsule(int(ffi.cast("uintptr_t", managed)), form.fresh, ctypes.cast(_release_capsule, ctypes.c_void_p))


# ---- from others to here


def _kind_here(device: Tuple[int, int], context: Context) -> str:
    """The kind of memory that an array of this context has for a DLPack device."""
    backend = context.device.backend
    if backend == "cpu" and device[0] in (CPU, CUDA_HOST):
        return "device"
    if backend == "cuda" and device[0] in (CPU, CUDA_HOST):  # pinned memory of PyTorch is kDLCPU; the library looks what it is
        return "host"
    if backend == "cuda" and device[0] == CUDA_MANAGED:
        return "shared"
    if device == ({"cuda": CUDA, "opencl": OPENCL}.get(backend), _ordinal(context)):
        return "device"
    raise BufferError(f"the tensor is on DLPack device {_NAMES.get(device[0], device[0])}:{device[1]}, the context on "
                      f"{context.device.name}: copy it there first")


def _ask(source: Any, **arguments: Any) -> Any:
    """The source's capsule, with a version where the source knows of versions."""
    try:
        return source.__dlpack__(max_version=VERSION, **arguments)
    except TypeError:
        return source.__dlpack__(**arguments)


def load(source: Any, context: Context, stream: Optional[Stream], bfloat16: bool = False) -> Array:
    """As Context.from_dlpack(). With `bfloat16` that type of elements is taken, too."""
    later = None
    if source.__dlpack_device__()[0] in (CUDA, CUDA_MANAGED) and context.device.backend == "cuda":
        later = stream or context.default_stream
    capsule = _ask(source) if later is None else _ask(source, stream=later.native)
    address = id(capsule)
    form = _form_of(address)
    if form is None:
        raise BufferError("the source gave no fresh DLPack capsule: a capsule is used once")
    managed = ffi.cast(form.type, _pointer(address, form.fresh))
    if form is _VERSIONED and managed.version.major != VERSION[0]:
        raise BufferError(f"the tensor is of DLPack {managed.version.major}.{managed.version.minor}, this package knows "
                          f"{VERSION[0]}.{VERSION[1]}")
    tensor = managed.dl_tensor
    shape = tuple(tensor.shape[at] for at in range(tensor.ndim))
    kind = _kind_here((tensor.device.device_type, tensor.device.device_id), context)
    element = dtypes.of_dlpack(tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes, bfloat16)
    steps = None if tensor.strides == ffi.NULL else tuple(tensor.strides[at] for at in range(tensor.ndim))
    if steps is not None and not _borrowed.c_contiguous(shape, steps, 1):
        raise BufferError(f"the tensor is not C-contiguous: its shape is {shape}, its strides in elements are {steps}")
    # Until here a refusal leaves the capsule to its own destructor.
    nbytes = element.itemsize
    for size in shape:
        nbytes *= size
    data, offset = int(ffi.cast("uintptr_t", tensor.data)), int(tensor.byte_offset)
    native = (data, offset) if context.device.backend == "opencl" else (data + offset, 0)
    _rename(address, form.used)
    try:
        memory, start = _borrowed.adopt(native, nbytes, lambda: _give_back(managed), context)
    except Error as error:
        _rename(address, form.fresh)
        if kind == "host" and tensor.device.device_type == CPU:
            raise BufferError(f"the tensor is in pageable memory, which {context.device.name} cannot use: copy it there, or "
                              f"pin it first. {error}") from error
        raise
    read_only = form is _VERSIONED and managed.flags & _READ_ONLY
    array = (ReadOnlyArray if read_only else Array)(context, memory, start, shape, element, kind)
    if later is not None and stream is None:
        later.record().synchronize()  # any stream may use it now; the event is after the owner's work, too
    return array


__all__ = ["VERSION", "device_of", "export", "load"]
