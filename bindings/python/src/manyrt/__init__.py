# SPDX-License-Identifier: Apache-2.0
"""One runtime for CPU, CUDA and OpenCL devices.

    import manyrt

    with manyrt.Context("cpu") as context, context.stream() as stream:
        module = context.module("kernel void scale(global float *x, float f) { x[get_global_id(0)] *= f; }")
        x = context.array([1, 2, 3, 4], "float32")
        module["scale"][1, 4](stream, x, 2.0)
        print(x.tolist(stream))

`manyrt.rt` is the C interface as it is. `manyrt.comm`, which is imported by itself, has communicators.
"""

from . import _help, rt
from ._callbacks import set_log, write_log
from ._library import PACKAGE_VERSION as __version__
from ._library import LibraryError, library_path, library_version
from ._object import Owned as _Owned
from .addresses import Address, address, pointer_info
from .device import Context, Device, backend_info, devices, live_handles
from .dtypes import DTYPES, DType
from .elementwise import ElementwiseKernel, ReductionKernel
from .errors import (IO, BackendUnavailable, BuildFailed, Busy, CaptureInvalidated, CaptureUnsafe, CompilerNotFound, DeviceLost,
                     Driver, Error, Forked, Internal, InvalidDevice, InvalidHandle, InvalidImage, InvalidValue, LaunchFailed,
                     NotFound, NotSupported, OutOfMemory, ShutDown, Timeout, WrongContext)
from .graph import Capture as _Capture
from .graph import Graph, GraphExec, Node, Plan
from .graph_parts import GraphBuffer, GraphValue, reads, updates, writes
from .kernel import ArgInfo, Kernel, Launcher, Local, Module
from .memory import Array, Pool, ReadOnlyArray
from .stream import Event, Fence, Stream
from .trace import start_trace, stop_trace, trace, trace_mark, trace_range

__all__ = [
    "DTYPES", "IO", "Address", "ArgInfo", "Array", "BackendUnavailable", "BuildFailed", "Busy", "CaptureInvalidated",
    "CaptureUnsafe", "CompilerNotFound", "Context", "DType", "Device", "DeviceLost", "Driver", "ElementwiseKernel", "Error",
    "Event", "Fence", "Forked", "Graph", "GraphBuffer", "GraphExec", "GraphValue", "Internal", "InvalidDevice",
    "InvalidHandle", "InvalidImage", "InvalidValue", "Kernel", "LaunchFailed", "Launcher", "LibraryError", "Local", "Module",
    "Node", "NotFound", "NotSupported", "OutOfMemory", "Plan", "Pool", "ReadOnlyArray", "ReductionKernel", "ShutDown",
    "Stream", "Timeout", "WrongContext", "__version__", "address", "backend_info", "devices", "library_path",
    "library_version", "live_handles", "pointer_info", "reads", "rt", "set_log", "start_trace", "stop_trace", "trace",
    "trace_mark", "trace_range", "updates", "write_log", "writes",
]

_help.show([value for name, value in list(globals().items()) if name in __all__] + [_Capture, _Owned], {
    Address: "manyrt.address()", Array: "Context.empty(), zeros(), array() or a pool",
    ReadOnlyArray: "Context.from_dlpack() or from_cuda_array()",
    Kernel: "module[name]", Launcher: "kernel[grid, group]", Plan: "Graph.plan()", GraphExec: "Graph.instantiate()",
    Graph: "Stream.capture(), Context.graph() or Context.load_graph()",
    GraphBuffer: "Graph.add_buffer() or Graph.make_buffer()", GraphValue: "Graph.add_value()", Node: "Graph.nodes",
    _Capture: "Stream.capture()",
}, __name__)
