# SPDX-License-Identifier: Apache-2.0
"""Devices, and contexts: what owns the streams, events, memory and kernels of a device.

Everything is made by a context's methods. No call uses the thread's current context, so no thread works on another device than
the program says.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

from . import _library, _show
from ._library import NULL, ffi, lib
from ._object import Owned, apart, as_dict, choice, label_bytes, native_of, numbers_of, text, utf8
from .addresses import load as load_address
from .dtypes import DType
from .errors import check
from .kernel import Module, build_modules
from .memory import Array, Pool
from .stream import Event, Fence, Stream

if TYPE_CHECKING:
    import os

    from .graph import Graph

_BACKENDS = {"all": lib.RT_BACKEND_ALL, "cpu": lib.RT_BACKEND_CPU, "cuda": lib.RT_BACKEND_CUDA, "opencl": lib.RT_BACKEND_OPENCL,
             "null": lib.RT_BACKEND_NULL}
_BACKEND_NAMES = {number: name for name, number in _BACKENDS.items()}
_KINDS = {lib.RT_DEVICE_KIND_CPU: "cpu", lib.RT_DEVICE_KIND_DISCRETE_GPU: "discrete gpu",
          lib.RT_DEVICE_KIND_INTEGRATED_GPU: "integrated gpu", lib.RT_DEVICE_KIND_ACCELERATOR: "accelerator"}
_WAITS = {"default": lib.RT_WAIT_DEFAULT, "spin": lib.RT_WAIT_SPIN, "yield": lib.RT_WAIT_YIELD, "block": lib.RT_WAIT_BLOCK}

Shape = Union[int, Tuple[int, ...]]


class Device:
    """A device by its name ("cpu", "cuda:0", "opencl:1"); without a name RT_DEVICE's, else the best there is.

    It has `name`, `backend`, `kind` and `properties` (a dict, as rtDeviceProperties_t). Devices are equal if they are the same
    one. They need no closing."""

    def __init__(self, name: Optional[str] = None) -> None:
        _library.start()
        out = ffi.new("rtDevice_t *")
        check(lib.rtDeviceGetByName(out, NULL if name is None else utf8(name, "the name of a device")))
        self._open(out[0])

    def _open(self, handle: Any) -> None:
        self._h = handle
        self.properties: Dict[str, Any] = as_dict(self._struct("rtDeviceProperties_t", lib.rtDeviceGetProperties))
        self.name: str = self.properties["id"]
        self.backend = _BACKEND_NAMES.get(self.properties["backend"], "unknown")
        self.kind = _KINDS.get(self.properties["kind"], "unknown")

    def _struct(self, struct: str, get: Any) -> Any:
        out = ffi.new(f"{struct} *", {"struct_size": ffi.sizeof(struct)})
        check(get(out, self._h))
        return out

    @classmethod
    def _of(cls, handle: Any) -> Device:
        self = cls.__new__(cls)
        self._open(handle)
        return self

    @property
    def handle(self) -> Any:
        """The handle as cffi has it, for manyrt.rt."""
        return self._h

    @property
    def memory_info(self) -> Tuple[int, int]:
        """(free, total) in bytes. Creates no context."""
        out = ffi.new("uint64_t[2]")
        check(lib.rtDeviceGetMemInfo(out, out + 1, self._h))
        return (out[0], out[1])

    def has(self, capability: str) -> bool:
        """Whether the device has a capability, by its name in rt.h: "double", "shared_memory", "timing"."""
        out = ffi.new("int32_t *")
        check(lib.rtDeviceHasCapability(out, choice(capability, numbers_of("RT_CAPABILITY_"), "capability"), self._h))
        return bool(out[0])

    def attribute(self, name: str) -> int:
        """One number of the device, by its name in rt.h: "clock_mhz", "l2_bytes". NotSupported where the driver does not
        tell."""
        out = ffi.new("int64_t *")
        check(lib.rtDeviceGetAttribute(out, choice(name, numbers_of("RT_ATTRIBUTE_"), "attribute"), self._h))
        return int(out[0])

    def can_access(self, peer: Device) -> bool:
        """Whether kernels of this device may use memory of another one. Copies work either way."""
        out = ffi.new("int32_t *")
        check(lib.rtDeviceCanAccessPeer(out, peer._h, self._h))
        return bool(out[0])

    @property
    def loss(self) -> Optional[str]:
        """How the device was lost, in words; None: it was not. A lost device stays lost."""
        out = ffi.new("rtStatus_t *")
        check(lib.rtDeviceGetStatus(out, self._h))
        return text(lib.rtDeviceGetLossMessage, self._h) if out[0] < 0 else None

    @property
    def native(self) -> int:
        """The driver's device: a CUdevice or cl_device_id. NotSupported where there is none."""
        return native_of(lib.rtDeviceGetNative, self._h)

    def context(self, *, wait: str = "default", cpu_threads: int = 0, strict: bool = False, label: str = "") -> Context:
        """A new context. `wait` is how calls that block wait: "default", "spin", "yield" or "block"."""
        return Context(self, wait=wait, cpu_threads=cpu_threads, strict=strict, label=label)

    def synchronize(self) -> None:
        """Waits for all work so far of all contexts of the device."""
        apart(lambda: check(lib.rtDeviceSynchronize(self._h)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and bool(self._h == other._h)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> Tuple[Any, ...]:
        return (Device, (self.name,))  # in another process: the device of that name

    def __repr__(self) -> str:
        return f"<manyrt.Device {self.name}: {self.properties['name']}>"

    def _repr_html_(self) -> str:
        return _show.device_html(self)


def devices(backend: str = "all") -> List[Device]:
    """All devices, or those of one backend: "cpu", "cuda", "opencl", "null". None where a driver is missing."""
    number = choice(backend, _BACKENDS, "backend")
    _library.start()
    wanted = [number] if number != lib.RT_BACKEND_ALL else [lib.RT_BACKEND_CPU, lib.RT_BACKEND_CUDA, lib.RT_BACKEND_OPENCL]
    found = []
    for one in wanted:
        count = ffi.new("int32_t *")
        check(lib.rtDeviceGetCount(count, one))
        for ordinal in range(count[0]):
            out = ffi.new("rtDevice_t *")
            check(lib.rtDeviceGet(out, one, ordinal))
            found.append(Device._of(out[0]))
    return found


def backend_info(backend: str) -> Dict[str, Any]:
    """Whether a backend is available, its driver, and the reason if it is not."""
    _library.start()
    out = ffi.new("rtBackendInfo_t *", {"struct_size": ffi.sizeof("rtBackendInfo_t")})
    check(lib.rtBackendGetInfo(out, choice(backend, _BACKENDS, "backend")))
    return as_dict(out)


class Context(Owned):
    """Owns streams, events, memory and kernels of a device. Closing it makes them stale; arrays stay until they are closed.

    `wait` is how calls that block wait: "default", "spin", "yield" or "block". cpu_threads 0: as many as the process may use.
    `strict` refuses launches with addresses that are not live memory of the device."""

    _destroy = "rtContextDestroy"

    def __init__(self, device: Union[Device, str, None] = None, *, wait: str = "default", cpu_threads: int = 0,
                 strict: bool = False, label: str = "") -> None:
        self.device = device if isinstance(device, Device) else Device(device)
        options = ffi.new("rtContextOptions_t *", {
            "struct_size": ffi.sizeof("rtContextOptions_t"), "wait_policy": choice(wait, _WAITS, "way to wait"),
            "cpu_threads": cpu_threads,
            "flags": lib.RT_CONTEXT_STRICT if strict else 0, "label": label_bytes(label)})
        out = ffi.new("rtContext_t *")
        check(lib.rtContextCreate(out, options, self.device._h))
        self._own(out[0], label)

    @classmethod
    def primary(cls, device: Union[Device, str, None] = None) -> Context:
        """The context of the device that all libraries of the process share. close() leaves it alive."""
        self = cls.__new__(cls)
        self._destroy = ""
        self.device = device if isinstance(device, Device) else Device(device)
        out = ffi.new("rtContext_t *")
        check(lib.rtContextGetPrimary(out, self.device._h))
        self._own(out[0], "primary")
        return self

    @classmethod
    def imported(cls, native: int, device: Union[Device, str, None] = None) -> Context:
        """A context over one of another library, a CUcontext or cl_context. Borrowed: close() only lets it go."""
        self = cls.__new__(cls)
        self.device = device if isinstance(device, Device) else Device(device)
        out = ffi.new("rtContext_t *")
        check(lib.rtContextImport(out, [native, 0], self.device._h))
        self._own(out[0], "imported")
        return self

    @property
    def native(self) -> int:
        """The driver's context: a CUcontext or cl_context. Borrowed. NotSupported where there is none."""
        return native_of(lib.rtContextGetNative, self._h)

    def reset(self) -> None:
        """Gives back what the context has made at its first use, such as pools and queues; the next use makes it again.

        Waits for all work so far."""
        apart(lambda: check(lib.rtContextReset(self._h)))

    @property
    def default_stream(self) -> Stream:
        """The stream of calls without one. It has no order towards other streams."""
        return Stream._default_of(self)

    def stream(self, priority: int = 0, label: str = "") -> Stream:
        """A new stream; a negative priority is higher, within Device.properties' range. The label is for traces."""
        return Stream(self, priority, label)

    def import_stream(self, native: int) -> Stream:
        """A stream of another library, such as torch.cuda.current_stream().cuda_stream. Borrowed: close() only lets it go."""
        return Stream(self, native=native)

    def event(self, timing: bool = True) -> Event:
        """A new event. One without timing is cheaper, and has no seconds_since()."""
        return Event(self, timing)

    def import_event(self, native: int) -> Event:
        """An event of another library, a cudaEvent_t or cl_event. Borrowed: close() only lets it go."""
        return Event(self, native=native)

    def fence(self, value: int = 0) -> Fence:
        """A new fence that has reached `value`."""
        return Fence(self, value)

    def pool(self, *, kind: str = "device", initial_bytes: int = 0, maximum_bytes: int = 0, release_threshold: int = 0,
             label: str = "") -> Pool:
        """A new pool of memory; all sizes are in bytes, and maximum_bytes 0 means no limit."""
        return Pool(self, kind=kind, initial_bytes=initial_bytes, maximum_bytes=maximum_bytes,
                    release_threshold=release_threshold, label=label)

    @property
    def default_pool(self) -> Pool:
        """The pool of arrays of device memory; another pool of the context may be set. Its stats are those of such arrays."""
        return Pool._default_of(self)

    @default_pool.setter
    def default_pool(self, pool: Pool) -> None:
        check(lib.rtContextSetDefaultPool(pool._h, self._h))

    def empty(self, shape: Shape, dtype: Union[DType, str, Any] = "float32", kind: str = "device", *, alignment: int = 0,
              label: str = "") -> Array:
        """A new array, contents undefined. `kind`: "device", "host" (pinned host memory), "shared" (one address for both).

        `alignment` is in bytes, a power of two; 0: 256. The label is for messages and traces of memory."""
        return Array._allocate(self, shape, dtype, kind, alignment, label)

    def zeros(self, shape: Shape, dtype: Union[DType, str, Any] = "float32", kind: str = "device") -> Array:
        """A new array of zeros. Waits for the default stream."""
        array = Array._allocate(self, shape, dtype, kind)
        array.fill(0)
        return array

    def array(self, data: Any, dtype: Union[DType, str, Any, None] = None, kind: str = "device") -> Array:
        """A new array with the contents of a buffer (numpy, array.array, bytes) or a list of numbers. Waits for the copy."""
        return Array._of(self, data, dtype, kind)

    def from_dlpack(self, source: Any, stream: Optional[Stream] = None) -> Array:
        """An array over the memory of another library's tensor, without a copy. The tensor stays alive with the array.

        On CUDA, work of `stream` is after what the owner has submitted so far; without a stream the call waits for that."""
        from . import dlpack  # needs this module
        return dlpack.load(source, self, stream)

    def from_cuda_array(self, source: Any, stream: Optional[Stream] = None) -> Array:
        """The same for what has a __cuda_array_interface__: in order with the stream that it names, and with none otherwise."""
        from . import cuda_array  # needs this module
        return cuda_array.load(source, self, stream)

    def from_address(self, where: Any, shape: Shape, dtype: Union[DType, str, Any] = "float32", *, owner: Any = None,
                     release: Optional[Callable[[], object]] = None, kind: str = "device", readonly: bool = False,
                     offset: int = 0) -> Array:
        """An array over memory of another library, without a copy: a number, or what manyrt.address() takes.

        `owner` is kept until the last work that uses the memory is over; then release() is called, on any thread. On OpenCL the
        number is a cl_mem, and `offset` the bytes in it, where memory is made of buffers."""
        return load_address(self, where, shape, dtype, owner, release, kind, readonly, offset)

    @contextmanager
    def pinned(self, buffer: Any) -> Iterator[None]:
        """Inside the block, the memory of a buffer (numpy, bytearray) is pinned: copies from and to it are faster.

        At the end of the block it waits for work so far."""
        memory = ffi.from_buffer(memoryview(buffer).cast("B"), require_writable=True)
        check(lib.rtHostRegister(memory, len(memory), self._h))
        try:
            yield
        finally:
            check(lib.rtHostUnregister(memory, self._h))

    def module(self, source: str | Sequence[str], options: str = "", *, name: str = "",
               headers: Optional[Mapping[str, str]] = None, tier: str = "") -> Module:
        """Kernels from OpenCL C source. A compiler may run: blocks meanwhile. BuildFailed has the compiler's log. `name` stands
        in messages and traces; `headers` are texts by the names that #include has for them, and are found before any file.
        `tier` is the form of the code on the CPU, before what the options say: "quick", "optimized" or "tiered".

        Of a list, a function that one source declares may be defined in any other."""
        return Module(self, source, options, name=name, headers=headers, tier=tier)

    def modules(self, sources: Iterable[str], options: str | Iterable[str] = "", *, names: Iterable[str] = (),
                headers: Optional[Mapping[str, str]] = None, return_errors: bool = False) -> List[Any]:
        """A module for each source, built side by side: in less time than one after the other. `options` are those of all,
        or of each. If a source fails, its error is raised, with its place, and the others are closed. With `return_errors` the
        list has the error in the module's place instead; of these, the first has the compiler's log."""
        return build_modules(self, sources, options, names, headers or {}, return_errors)

    def load_image(self, image: Any, options: str = "", *, name: str = "",
                   format: str = "auto",  # pylint: disable=redefined-builtin
                   headers: Optional[Mapping[str, str]] = None) -> Module:
        """Kernels from bytes in memory: what load_module() takes as a file, such as the bytes that Module.image() gives."""
        return Module(self, image=image, options=options, name=name, format=format, headers=headers)

    def load_module(self, path: str | os.PathLike[str], options: str = "",
                    format: str = "auto", *,  # pylint: disable=redefined-builtin
                    name: str = "", headers: Optional[Mapping[str, str]] = None) -> Module:
        """Kernels from a file: OpenCL C, CUDA C++, PTX, cubin, SPIR-V, as the device takes them."""
        return Module(self, path=path, options=options, format=format, name=name, headers=headers)

    def graph(self) -> Graph:
        """An empty graph, to which add_kernel() and its like add nodes."""
        from .graph import Graph  # needs this module
        return Graph._create(self)

    def load_graph(self, data: bytes) -> Graph:
        """A graph from what Graph.save() gave."""
        from .graph import Graph  # needs this module
        return Graph._load(self, data)

    def synchronize(self) -> None:
        """Waits for all work so far of all streams of the context."""
        apart(lambda: check(lib.rtContextSynchronize(self._h)))

    @property
    def memory_info(self) -> Tuple[int, int]:
        """(free, total) in bytes, where free has the unused bytes of the context's pools, too."""
        out = ffi.new("uint64_t[2]")
        check(lib.rtMemGetInfo(out, out + 1, self._h))
        return (out[0], out[1])

    @property
    def stats(self) -> Dict[str, int]:
        """Counts of streams, events and points: streams_created, streams_recycled, streams_live, streams_native, ..."""
        out = ffi.new("rtContextStats_t *", {"struct_size": ffi.sizeof("rtContextStats_t")})
        check(lib.rtContextGetStats(out, self._h))
        return as_dict(out)

    def enable_peer_access(self, peer: Context) -> None:
        """Kernels of this context may use memory of `peer`."""
        check(lib.rtContextEnablePeerAccess(peer._h, self._h))

    @contextmanager
    def current(self) -> Iterator[Context]:
        """Inside the block, C code that this thread calls with NULL for a context uses this one. The package never does."""
        before = ffi.new("rtContext_t *")
        check(lib.rtContextGetCurrent(before))
        check(lib.rtContextSetCurrent(self._h))
        try:
            yield self
        finally:
            check(lib.rtContextSetCurrent(before[0]))

    def __repr__(self) -> str:
        return super().__repr__()[:-1] + f" on {self.device.name}>"


def live_handles(kind: str = "all") -> int:
    """How many objects of a kind ("stream", "event", "allocation", ...) the process has open, also those of other libraries."""
    out = ffi.new("uint64_t *")
    check(lib.rtGetLiveHandleCount(out, choice(kind, numbers_of("RT_HANDLE_"), "kind of object")))
    return int(out[0])
