# SPDX-License-Identifier: Apache-2.0
"""Graphs: work that was recorded from a stream, planned for a context, and run many times.

    with stream.capture() as graph:
        kernel[grid, group](stream, a, b)
    exec = graph.instantiate()
    exec.launch(stream)
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence, Type

from ._library import NULL, ffi, hot, lib
from ._object import Owned, as_dict, choice, text, utf8
from .errors import InvalidHandle, InvalidValue, check, raise_error
from .memory import Array

if TYPE_CHECKING:
    from .device import Context
    from .kernel import Launcher, Module
    from .stream import Stream

ROLES = {"input": lib.RT_GRAPH_BUFFER_INPUT, "output": lib.RT_GRAPH_BUFFER_OUTPUT, "temporary": lib.RT_GRAPH_BUFFER_TEMPORARY,
         "constant": lib.RT_GRAPH_BUFFER_CONSTANT}
_ROLE_NAMES = {number: name for name, number in ROLES.items()}
_NODE_TYPES = ["empty", "kernel", "memcpy", "memcpy_2d", "fill", "host", "native", "child_graph", "event_record", "event_wait",
               "fence_signal", "fence_wait", "prefetch", "allocation", "free"]

_launch = hot.rtGraphLaunch


class Node:
    """One piece of work of a graph; ends with it. From Graph.nodes."""

    def __init__(self, graph: Graph, handle: Any) -> None:
        self.graph = graph
        self.handle = handle

    @property
    def type(self) -> str:
        """"kernel", "memcpy", "fill", "host", ..."""
        out = ffi.new("int32_t *")
        check(lib.rtGraphNodeGetType(out, self.handle))
        number = int(out[0])
        return _NODE_TYPES[number] if 0 <= number < len(_NODE_TYPES) else f"type {number}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and bool(self.handle == other.handle)

    def __hash__(self) -> int:
        return hash(self.handle)

    def __repr__(self) -> str:
        return f"<manyrt.Node {self.type}>"


class GraphBuffer:
    """Memory that a graph names and that is bound before a launch; ends with its graph. Made by Graph.make_buffer().

    It has `name`, `role` ("input", "output", "constant", "temporary") and `nbytes`, the most bytes that can be bound."""

    def __init__(self, graph: Graph, handle: Any) -> None:
        self.graph = graph
        self.handle = handle
        out = ffi.new("rtGraphBufferInfo_t *", {"struct_size": ffi.sizeof("rtGraphBufferInfo_t")})
        check(lib.rtGraphBufferGetInfo(out, handle))
        info = as_dict(out)
        self.name: str = info["name"]
        self.nbytes: int = info["size"]
        self.role = _ROLE_NAMES.get(info["role"], "unknown")

    def __repr__(self) -> str:
        return f"<manyrt.GraphBuffer '{self.name}', {self.role}, {self.nbytes} bytes>"


class Graph(Owned):
    """Nodes of work and their order. Made by Stream.capture(), which fills it at the end of the block, or by
    Context.load_graph()."""

    _destroy = "rtGraphDestroy"

    def __init__(self, context: Context) -> None:
        self.context = context

    @classmethod
    def _load(cls, context: Context, data: bytes) -> Graph:
        """As Context.load_graph()."""
        out = ffi.new("rtGraph_t *")
        check(lib.rtGraphLoad(out, data, len(data)))
        graph = cls(context)
        graph._own(out[0])
        return graph

    def save(self) -> bytes:
        """The graph as bytes, for another process. NotSupported where it names handles or addresses."""
        needed = ffi.new("size_t *")
        check(lib.rtGraphSave(NULL, 0, needed, self._h))
        buffer = ffi.new("char[]", needed[0])
        check(lib.rtGraphSave(buffer, needed[0], needed, self._h))
        return bytes(ffi.buffer(buffer, needed[0]))

    @property
    def nodes(self) -> List[Node]:
        """All nodes, in the order in which they were captured or loaded."""
        count = ffi.new("uint32_t *")
        check(lib.rtGraphGetNodes(NULL, 0, count, self._h))
        out = ffi.new("rtGraphNode_t[]", max(1, count[0]))
        check(lib.rtGraphGetNodes(out, count[0], count, self._h))
        return [Node(self, out[at]) for at in range(count[0])]

    @property
    def buffers(self) -> List[GraphBuffer]:
        """All buffers, in the order in which they were made."""
        count = ffi.new("uint32_t *")
        check(lib.rtGraphGetBuffers(NULL, 0, count, self._h))
        out = ffi.new("rtGraphBuffer_t[]", max(1, count[0]))
        check(lib.rtGraphGetBuffers(out, count[0], count, self._h))
        return [GraphBuffer(self, out[at]) for at in range(count[0])]

    def make_buffer(self, array: Array, role: str, name: str = "") -> GraphBuffer:
        """Turns the memory of an array that was captured into a buffer: "input", "output", "constant" or "temporary".

        An exec uses that memory until GraphExec.bind() gives it other memory."""
        out = ffi.new("rtGraphBuffer_t *")
        check(lib.rtGraphMakeBuffer(out, array._h, array.nbytes, choice(role, ROLES, "role"),
                                    utf8(name, "the name") if name else NULL, self._h))
        return GraphBuffer(self, out[0])

    def plan(self, context: Optional[Context] = None, *, modules: Sequence[Module] = (), max_streams: int = 0) -> Plan:
        """How the graph runs in a context (else that of the capture). Kernels of a loaded graph are found in `modules`.

        `max_streams` 0: as many as are useful. May build kernels, and so block."""
        return Plan(self, context or self.context, modules, max_streams)

    def instantiate(self, context: Optional[Context] = None) -> GraphExec:
        """A plan with defaults, made ready to launch."""
        where = context or self.context
        out = ffi.new("rtGraphExec_t *")
        check(lib.rtGraphInstantiate(out, self._h, where._h))
        return GraphExec(where, out[0])

    def clone(self) -> Graph:
        """A graph of its own with the same nodes."""
        out = ffi.new("rtGraph_t *")
        check(lib.rtGraphClone(out, self._h))
        graph = Graph(self.context)
        graph._own(out[0])
        return graph

    def to_dot(self) -> str:
        """The graph in the language of Graphviz."""
        return text(lib.rtGraphExportDot, self._h)


class Capture:
    """The block of `with stream.capture() as graph:`."""

    def __init__(self, stream: Stream) -> None:
        self.stream = stream
        self.graph: Graph

    def __enter__(self) -> Graph:
        check(lib.rtStreamBeginCapture(self.stream._h))
        self.graph = Graph(self.stream.context)
        return self.graph

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        out = ffi.new("rtGraph_t *")
        try:
            status = lib.rtStreamEndCapture(out, self.stream._h)
        except InvalidHandle:  # the stream was closed inside
            if error is None:
                raise
            return
        if error is None:
            check(status)
            self.graph._own(out[0])
        elif status >= 0:
            check(lib.rtGraphDestroy(out[0]))  # half a graph is of no use: the exception goes on


class Plan(Owned):
    """How a graph runs in one context: its order, its streams, its temporary memory. Made by Graph.plan().

    `info` has the figures, such as temporary_bytes in bytes."""

    _destroy = "rtCapturePlanDestroy"

    def __init__(self, graph: Graph, context: Context, modules: Sequence[Module], max_streams: int) -> None:
        handles = ffi.new("rtModule_t[]", [module._h for module in modules] or 1)
        options = ffi.new("rtCapturePlanOptions_t *", {
            "struct_size": ffi.sizeof("rtCapturePlanOptions_t"), "module_count": len(modules),
            "modules": handles if modules else NULL, "max_streams": max_streams})
        out = ffi.new("rtCapturePlan_t *")
        check(lib.rtCapturePlanCreate(out, options, graph._h, context._h))
        self.context = context
        self._own(out[0])
        info = ffi.new("rtCapturePlanInfo_t *", {"struct_size": ffi.sizeof("rtCapturePlanInfo_t")})
        check(lib.rtCapturePlanGetInfo(info, self._h))
        self.info: Dict[str, Any] = as_dict(info)

    @property
    def steps(self) -> List[Dict[str, Any]]:
        """The steps in their order, each a dict: type, stream, level, verdict, ..."""
        steps = []
        for index in range(self.info["step_count"]):
            out = ffi.new("rtCapturePlanStep_t *", {"struct_size": ffi.sizeof("rtCapturePlanStep_t")})
            check(lib.rtCapturePlanGetStep(out, index, self._h))
            steps.append(as_dict(out))
        return steps

    def instantiate(self) -> GraphExec:
        """The plan, made ready to launch."""
        out = ffi.new("rtGraphExec_t *")
        check(lib.rtGraphExecCreate(out, self._h))
        return GraphExec(self.context, out[0])


class GraphExec(Owned):
    """A graph that is ready to run, many times, in the same way. Made by Graph.instantiate() or Plan.instantiate().

    It owns its temporary memory and its streams, and holds arrays that it names. Launches of it run one after another."""

    _destroy = "rtGraphExecDestroy"

    def __init__(self, context: Context, handle: Any) -> None:
        self.context = context
        self._own(handle)

    def launch(self, stream: Stream) -> None:
        """Runs it once, in the stream's order. Never blocks."""
        status = _launch(self._c, stream._c)
        if status < 0:
            raise_error(status)

    def bind(self, buffer: GraphBuffer, array: Array, nbytes: Optional[int] = None) -> None:
        """Binds memory to a buffer, from the next launch on: the first `nbytes` bytes of it, else as many as the buffer has.

        With fewer bytes the program changes what uses more: the library does not know which part a captured kernel uses."""
        size = buffer.nbytes if nbytes is None else nbytes
        if array.nbytes < size:
            raise InvalidValue(f"The buffer '{buffer.name}' takes {size} bytes, the array has {array.nbytes}.")
        check(lib.rtGraphExecBindBufferRange(buffer.handle, array._h, size, self._h))

    def set_kernel(self, node: Node, launcher: Launcher, *args: Any) -> None:
        """Gives a kernel's node another shape and other arguments, from the next launch on."""
        kernel = launcher.kernel
        arguments, keep = kernel._graph_args(args)
        params = ffi.new("rtGraphKernelParams_t *", {
            "struct_size": ffi.sizeof("rtGraphKernelParams_t"), "arg_count": len(args), "kernel": kernel._h, "args": arguments,
            "grid": launcher.grid, "group": launcher.group, "local_bytes": launcher.local_bytes,
            "global_offset": launcher.offset})
        check(lib.rtGraphExecSetKernelParams(node.handle, params, self._h))
        del keep

    def update(self, graph: Graph) -> None:
        """Takes all parameters from another graph with the same nodes in the same order."""
        check(lib.rtGraphExecUpdate(graph._h, self._h))
