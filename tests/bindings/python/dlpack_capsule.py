# SPDX-License-Identifier: Apache-2.0
"""DLPack capsules, read and made with ctypes alone after dlpack.h: what the package says is held against this.

`read(capsule)` gives the fields; `Tensor` is a producer whose fields a test chooses and which counts the calls of its deleter.
"""

import ctypes

INT, UINT, FLOAT, BFLOAT, COMPLEX, BOOL = 0, 1, 2, 4, 5, 6
READ_ONLY, IS_COPIED = 1, 2


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("dtype", DataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", Deleter)]


class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", Deleter),
                ("flags", ctypes.c_uint64), ("tensor", DLTensor)]


NAMES = {b"dltensor": Managed, b"dltensor_versioned": Versioned}
_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_api.PyCapsule_GetName.restype = ctypes.c_char_p
_api.PyCapsule_GetName.argtypes = [ctypes.py_object]
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


_made = []  # the library may call their deleters until the process ends


def name_of(capsule):
    return _api.PyCapsule_GetName(capsule)


def read(capsule):
    """The fields of a capsule that is not taken."""
    name = name_of(capsule)
    managed = NAMES[name].from_address(_api.PyCapsule_GetPointer(capsule, name))
    tensor = managed.tensor
    sizes = range(tensor.ndim)
    fields = {"name": name, "device": (tensor.device.type, tensor.device.id), "address": tensor.data,
              "offset": tensor.byte_offset, "dtype": (tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes),
              "shape": tuple(tensor.shape[at] for at in sizes), "strides": tuple(tensor.strides[at] for at in sizes)}
    if NAMES[name] is Versioned:
        fields.update(version=(managed.major, managed.minor), flags=managed.flags)
    return fields


class Tensor:
    """Memory at an address as another library would offer it. What it is asked for is in `asked`."""

    def __init__(self, address, shape, dtype=(FLOAT, 32, 1), device=(1, 0), strides=None, offset=0, version=None, flags=0,
                 said_device=None):
        self.deleted, self.asked = 0, []
        self.device = said_device or device
        self.version = version
        self._shape = (ctypes.c_int64 * max(1, len(shape)))(*shape)
        self._strides = None if strides is None else (ctypes.c_int64 * max(1, len(strides)))(*strides)
        self._deleter = Deleter(self._delete)
        _made.append(self)
        tensor = DLTensor(address, Device(*device), len(shape), DataType(*dtype), self._shape, self._strides, offset)
        self._managed = (Managed(tensor, None, self._deleter) if version is None else
                         Versioned(*version, None, self._deleter, flags, tensor))

    def _delete(self, _):
        self.deleted += 1

    def submit(self, stream):
        """What the producer does to put its work ahead of that of `stream`."""

    def __dlpack__(self, **arguments):
        if self.version is None and "max_version" in arguments:
            raise TypeError("a producer from before DLPack 1.0")
        self.asked.append(arguments)
        self.submit(arguments.get("stream"))
        name = b"dltensor" if self.version is None else b"dltensor_versioned"
        return _api.PyCapsule_New(ctypes.addressof(self._managed), next(key for key in NAMES if key == name), None)

    def __dlpack_device__(self):
        return self.device
