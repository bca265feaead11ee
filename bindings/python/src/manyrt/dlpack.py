# SPDX-License-Identifier: Apache-2.0
"""DLPack in both directions: arrays of this package and of numpy, PyTorch and others share memory without a copy.

DLPack's structs and its rules for streams are those of https://dmlc.github.io/dlpack/latest/python_spec.html. A capsule keeps
the exported allocation alive, also after the array was closed; an imported array keeps the tensor alive until the last work
that uses it is complete.
"""

import ctypes
import itertools
from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

import cffi

from . import dtypes
from ._library import ffi, lib, resolve
from .errors import Error, check
from .memory import Array

if TYPE_CHECKING:
    from .device import Context

CPU, CUDA, CUDA_HOST, OPENCL = 1, 2, 3, 4  # DLDeviceType
_NAMES = {CPU: "kDLCPU", CUDA: "kDLCUDA", CUDA_HOST: "kDLCUDAHost", OPENCL: "kDLOpenCL"}
_NO_STREAM = -1  # the consumer asks for no order
_LEGACY_STREAM = 1  # CUDA's default stream; 0 is not allowed

_dl = cffi.FFI()
_dl.cdef("""
typedef struct { int32_t device_type; int32_t device_id; } DLDevice;
typedef struct { uint8_t code; uint8_t bits; uint16_t lanes; } DLDataType;
typedef struct {
  void *data; DLDevice device; int32_t ndim; DLDataType dtype; int64_t *shape; int64_t *strides; uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
  DLTensor dl_tensor; void *manager_ctx; void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;
""")

resolve(_dl, "DLManagedTensor *", "uintptr_t", "void *")

_api = ctypes.pythonapi
_CapsuleDestructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(("PyCapsule_New", _api))
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _api))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_GetPointer", _api))
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_SetName", _api))
_FRESH, _USED = b"dltensor", b"used_dltensor"  # a capsule keeps the address of its name: both live with this module

_numbers = itertools.count(1)
_imported: Dict[int, Any] = {}  # tensors of others whose memory is in use
_exported: Dict[int, Any] = {}  # what a consumer still uses: the tensor struct, its shape, and the owner of the memory


def _delete_export(tensor: Any) -> None:
    _exported.pop(int(_dl.cast("uintptr_t", tensor.manager_ctx)), None)


def _delete_capsule(capsule: int) -> None:
    if _is_valid(capsule, _FRESH):  # no consumer took it
        tensor = _dl.cast("DLManagedTensor *", _pointer(capsule, _FRESH))
        tensor.deleter(tensor)


_release_export = _dl.callback("void(DLManagedTensor *)", _delete_export)
_release_capsule = _CapsuleDestructor(_delete_capsule)
# Consumers may release tensors while the interpreter ends and modules are gone: these two functions stay for ever.
for _function in (_release_export, _release_capsule):
    _api.Py_IncRef(ctypes.py_object(_function))


def _ordinal(context: "Context") -> int:
    return int(context.device.properties["ordinal"])


def device_of(array: Array) -> Tuple[int, int]:
    """DLDeviceType and number of an array's memory."""
    backend = array.context.device.backend
    if backend == "cuda":
        return (CUDA_HOST if array.kind == "host" else CUDA, _ordinal(array.context))
    if array.host_visible and array.kind != "shared":
        return (CPU, 0)
    if backend == "opencl":
        return (OPENCL, _ordinal(array.context))
    raise BufferError(f"{array.kind} memory of {array.context.device.name} has no DLPack device")


def _order(array: Array, stream: Optional[int], device: int) -> None:
    """Work so far of the array's context is ahead of the consumer's."""
    context = array.context
    if device != CUDA:
        if stream not in (None, _NO_STREAM):
            raise BufferError(f"a DLPack stream is given for {_NAMES[device]}, which has none")
        if stream is None:
            context.synchronize()  # the consumer's own work begins on the host
        return
    if stream == _NO_STREAM:
        return
    if stream == 0:
        raise BufferError("the DLPack stream 0 is ambiguous: 1 is CUDA's default stream, 2 that of the thread")
    with context.import_stream(_LEGACY_STREAM if stream is None else stream) as consumer:
        check(lib.rtStreamWaitPointer(array._h, consumer._h))


def export(array: Array, stream: Optional[int], dl_device: Any, copy: Optional[bool]) -> Any:
    """As Array.__dlpack__()."""
    device = device_of(array)
    if dl_device is not None and tuple(dl_device) != device:
        raise BufferError(f"the array is on DLPack device {device}, not on {tuple(dl_device)}: copy it first")
    if copy:
        raise BufferError("a copy is asked for: DLPack here shares memory; make the copy with Array.copy_from()")
    memory, data, offset = array._memory, array._address, 0
    if device[0] == OPENCL:
        native = ffi.new("uint64_t[2]")
        check(lib.rtPointerGetNative(native, array._h))
        if native[0] == array._address:
            raise BufferError("kDLOpenCL shares cl_mem objects, and the memory of this device is none: its tier is usm or svm")
        data, offset = native[0], native[1]
    _order(array, stream, device[0])
    number = next(_numbers)
    shape = _dl.new("int64_t[]", list(array.shape) or 1)
    steps = _dl.new("int64_t[]", [step // array.dtype.itemsize for step in array.strides] or 1)
    tensor = _dl.new("DLManagedTensor *")
    tensor.dl_tensor = {
        "data": _dl.cast("void *", data), "device": {"device_type": device[0], "device_id": device[1]},
        "ndim": len(array.shape),
        "dtype": {"code": array.dtype.dlpack, "bits": array.dtype.itemsize * 8, "lanes": 1}, "shape": shape, "strides": steps,
        "byte_offset": offset}
    tensor.manager_ctx = _dl.cast("void *", number)
    tensor.deleter = _release_export
    _exported[number] = (tensor, shape, steps, memory, array.context)
    return _new_capsule(int(_dl.cast("uintptr_t", tensor)), _FRESH, ctypes.cast(_release_capsule, ctypes.c_void_p))


def _check_device(tensor: Any, context: "Context") -> str:
    """The kind of memory that an array of this context has for a DLPack device."""
    found = (tensor.device.device_type, tensor.device.device_id)
    backend = context.device.backend
    if found[0] == CPU and backend == "cpu":
        return "device"
    if found[0] == CUDA and backend == "cuda" and found[1] == _ordinal(context):
        return "device"
    if found[0] == CUDA_HOST and backend == "cuda":
        return "host"
    if found[0] == OPENCL and backend == "opencl" and found[1] == _ordinal(context):
        return "device"
    raise BufferError(f"the tensor is on DLPack device {_NAMES.get(found[0], found[0])}:{found[1]}, the context on "
                      f"{context.device.name}: copy it there first")


def _contiguous(tensor: Any, shape: Tuple[int, ...]) -> bool:
    if tensor.strides == _dl.NULL:
        return True
    step = 1
    for at in reversed(range(len(shape))):
        if shape[at] != 1 and tensor.strides[at] != step and 0 not in shape:
            return False
        step *= shape[at]
    return True


def load(source: Any, context: "Context") -> Array:
    """As Context.from_dlpack()."""
    stream: Optional[int] = None
    if source.__dlpack_device__()[0] == CUDA and context.device.backend == "cuda":
        stream = context.default_stream.native or _LEGACY_STREAM
    capsule = source.__dlpack__() if stream is None else source.__dlpack__(stream=stream)
    address = id(capsule)
    if not _is_valid(address, _FRESH):
        raise BufferError("the source gave no fresh DLPack capsule: a capsule is used once")
    managed = _dl.cast("DLManagedTensor *", _pointer(address, _FRESH))
    tensor = managed.dl_tensor
    shape = tuple(tensor.shape[at] for at in range(tensor.ndim))
    kind = _check_device(tensor, context)
    element = dtypes.of_dlpack(tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes)
    if not _contiguous(tensor, shape):
        steps = tuple(tensor.strides[at] for at in range(tensor.ndim))
        raise BufferError(f"the tensor is not C-contiguous: its shape is {shape}, its strides in elements are {steps}")
    # Until here a refusal leaves the capsule to its own destructor.
    nbytes = element.itemsize
    for size in shape:
        nbytes *= size
    _rename(address, _USED)
    try:
        memory, start = _import(managed, nbytes, context)
    except Error:
        _rename(address, _FRESH)
        raise
    return Array(context, memory, start, shape, element, kind)


def _import(managed: Any, nbytes: int, context: "Context") -> Tuple[Any, int]:
    """The memory of a tensor as an owner that gives it back when its last use is complete, and its address."""
    tensor = managed.dl_tensor
    data, offset = int(_dl.cast("uintptr_t", tensor.data)), int(tensor.byte_offset)
    if nbytes == 0:
        return ffi.gc(ffi.cast("char *", 0), lambda _: _give_back(managed)), 0
    native = [data, offset] if context.device.backend == "opencl" else [data + offset, 0]
    number = next(_numbers)
    _imported[number] = managed
    out = ffi.new("void **")
    try:
        check(lib.rtMemImportWithRelease(out, native, nbytes, ffi.cast("void *", number), _import_is_over, context._h))
    except Error:
        del _imported[number]
        raise
    return ffi.gc(ffi.cast("char *", out[0]), lib.rtFree), int(ffi.cast("uintptr_t", out[0]))


def _give_back(managed: Any) -> None:
    if managed.deleter != _dl.NULL:
        managed.deleter(managed)


def _end_import(user: Any) -> None:
    _give_back(_imported.pop(int(ffi.cast("uintptr_t", user))))


_import_is_over = ffi.callback("rtReleaseFunction_t", _end_import)

__all__ = ["device_of", "export", "load"]
