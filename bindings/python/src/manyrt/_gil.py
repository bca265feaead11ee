# SPDX-License-Identifier: Apache-2.0
"""Which calls keep the GIL, and how. _library.py asks; a test compares the lists with `blocks` in rt.json.

cffi gives up the GIL in each call, and a thread that gives it up may wait 5 ms for its next turn. So the calls in KEPT go
through ctypes.PyDLL: those that never block and take microseconds. None of them can wait for a thread that wants the GIL: the
library holds no lock while it calls the program. A release function or a log line of such a call runs on the calling thread.
"""

import ctypes
import operator
from typing import Any, Callable, Dict, List

# Each of these is called often, with arguments that are ready for ctypes: see carg() in _library.py.
HOT = frozenset("""rtEventQuery rtEventRecord rtGraphLaunch rtLaunchKernel rtStreamQuery rtStreamWaitEvent
rtStreamWaitStream""".split())

KEPT = HOT | frozenset("""rtCapturePlanGetBuffer rtCapturePlanGetInfo rtCapturePlanGetStep rtContextGetCurrent
rtContextGetStats rtContextSetCurrent rtContextSetDefaultPool rtDeviceGetLossMessage rtDeviceGetProperties rtDeviceGetStatus
rtDeviceHasCapability rtEventCreate rtEventElapsedNanoseconds rtFenceCreate
rtFenceGetValue rtGetLastErrorMessage rtGetLiveHandleCount rtGetVersion
rtGraphAddBuffer rtGraphAddDependencies rtGraphAddEmptyNode rtGraphAddEventRecordNode rtGraphAddEventWaitNode
rtGraphAddFenceSignalNode rtGraphAddFenceWaitNode rtGraphAddFillNode rtGraphAddHostNode rtGraphAddKernelNode
rtGraphAddMemcpy2DNode rtGraphAddMemcpyNode rtGraphAddValue rtGraphRemoveDependencies
rtGraphBufferGetInfo rtGraphCreate rtGraphExecBindBufferRange rtGraphExecBindValue rtGraphExecSetKernelParams
rtGraphExecSetMemcpyParams
rtGraphNodeGetType
rtGraphValueGetInfo rtKernelGetArgInfo rtKernelGetInfo
rtKernelGetName rtKernelSuggestGroupSize rtLaunchHostFunctionWithRelease rtMemFillAsync rtMemPoolGetStats rtMemPoolResetPeak
rtMemPoolSetReleaseThreshold rtPointerGetAttributes rtStreamGetCapturedNode
rtModuleGetBuildLog rtModuleGetInfo rtModuleGetKernelByIndex rtModuleGetKernelCount rtPointerGetNative rtStreamBeginCapture
rtStreamGetNative rtStreamGetPriority rtStreamIsCapturing rtStreamLaunchNativeWithRelease rtStreamSignalFence
rtStreamWaitContext rtStreamWaitFence rtStreamWaitPointer rtTraceMark rtTraceRangePop rtTraceRangePush""".split())

_DRIVER = "a driver may be loaded or asked, which takes up to seconds"
_MEMORY = "a driver may allocate or give memory back, and may wait for its device meanwhile"
_OBJECT = "a driver makes an object, or loads a kernel, which takes up to milliseconds"
_END = "a driver may destroy objects, and release functions of other libraries run inside"
_LONG = "it takes longer the larger the graph or the pool is"
_TEXT = "it gives out a pointer to text, after a failure alone"

# Functions that never block, in bounded time, and give up the GIL all the same, with the reason.
RELEASED: Dict[str, str] = {
    **dict.fromkeys("""rtBackendGetInfo rtContextCreate rtContextEnablePeerAccess rtContextGetPrimary rtDeviceGet
rtDeviceCanAccessPeer rtDeviceGetAttribute rtDeviceGetByName rtDeviceGetCount rtDeviceGetMemInfo rtInit
rtMemGetInfo""".split(), _DRIVER),
    **dict.fromkeys("""rtContextGetDefaultPool rtFree rtHostRegister rtMemImportWithRelease rtMemPoolCreate
rtMemPoolSetLimit rtMemPoolTrim""".split(), _MEMORY),
    **dict.fromkeys("""rtContextGetDefaultStream rtContextGetNative rtContextImport rtDeviceGetNative rtEventGetDescriptor
rtEventGetNative rtEventImport rtGraphExecSetFillParams rtGraphExecSetMemcpy2DParams rtKernelGetMaxActiveGroups
rtModuleGetGlobal rtModuleGetKernel rtModuleGetNative rtStreamCreate rtStreamImport""".split(), _OBJECT),
    **dict.fromkeys("""rtCapturePlanDestroy rtContextDestroy rtEventDestroy rtFenceDestroy rtGraphDestroy rtGraphExecDestroy
rtMemPoolDestroy rtModuleDestroy rtStreamDestroy""".split(), _END),
    **dict.fromkeys("""rtGraphAddChildGraphNode rtGraphClone rtGraphExportDot rtGraphGetBuffers rtGraphGetEdges rtGraphGetNodes
rtGraphGetValues
rtGraphLoad rtGraphMakeBuffer rtGraphSave
rtMemPoolDumpJson rtStreamEndCapture""".split(), _LONG),
    **dict.fromkeys("rtGetErrorName rtGetErrorString".split(), _TEXT),
    "rtMemPrefetchAsync": "a driver moves pages inside the call, which may take milliseconds",
    "rtFenceSignal": "it submits all work that was held back for the value",
    "rtTraceStart": "it makes a file, which a slow disk takes long for",
    "rtLaunchKernelWithOptions": "it is called for launches with an offset, which are few",
}

_INTEGERS = {f"{sign}int{bits}_t": getattr(ctypes, f"c_{sign}int{bits}") for sign in ("", "u") for bits in (32, 64)}
_INTEGERS["size_t"] = ctypes.c_size_t


def _integer(kind: Any) -> Callable[[Any], int]:
    """What checks an argument of a type of integers, as cffi does: ctypes would cut off the high bits."""
    bits = 8 * ctypes.sizeof(kind)
    low = 0 if kind(-1).value > 0 else -(1 << (bits - 1))
    high = low + (1 << bits)

    def convert(value: Any) -> int:
        number = operator.index(value)
        if not low <= number < high:
            raise OverflowError(f"{number} does not fit in {bits} bits, from {low} to {high - 1}")
        return number

    return convert


def _pointer(ffi: Any, kind: Any) -> Callable[[Any], Any]:
    """What turns a pointer or handle of cffi, or bytes, into an argument for ctypes. A handle has to be of its type."""
    integer, typeof, cast, null = ffi.typeof("uintptr_t"), ffi.typeof, ffi.cast, ffi.NULL
    is_handle = kind.kind == "pointer" and kind.item.kind == "struct" and kind.item.cname.endswith("_st")

    def convert(value: Any) -> Any:
        if isinstance(value, bytes):
            return value
        if is_handle and typeof(value) is not kind and value != null:
            raise TypeError(f"the argument has to be a {kind.cname}, not a {typeof(value).cname}")
        return int(cast(integer, value))

    return convert


def keeping(ffi: Any, raw: Any, library: Any, name: str) -> Callable[..., int]:
    """A function of rt.h that takes what cffi's does, and keeps the GIL. `library` is the same library as a ctypes.PyDLL."""
    converts: List[Callable[[Any], Any]] = []
    types: List[Any] = []
    for kind in ffi.typeof(getattr(raw, name)).args:
        integer = _INTEGERS.get(kind.cname)
        converts.append(_integer(integer) if integer else _pointer(ffi, kind))
        types.append(integer or ctypes.c_void_p)
    function = library[name]  # of its own, unlike library.name: the argument types are not those of HOT
    function.argtypes, function.restype = types, ctypes.c_int32
    count = len(types)

    def call(*arguments: Any) -> int:
        if len(arguments) != count:
            raise TypeError(f"{name} takes {count} arguments, not {len(arguments)}")
        return int(function(*[convert(argument) for convert, argument in zip(converts, arguments)]))

    call.__name__ = name
    return call
