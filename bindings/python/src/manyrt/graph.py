# SPDX-License-Identifier: Apache-2.0
"""Graphs: work that was recorded from a stream, planned for a context, and run many times.

    with stream.capture() as graph:
        kernel[grid, group](stream, a, b)
    exec = graph.instantiate()
    exec.launch(stream)
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

from . import _callbacks
from ._library import NULL, ffi, hot, lib
from ._object import Owned, as_dict, choice, text, utf8
from .dtypes import dtype as dtype_of
from .errors import InvalidHandle, InvalidValue, NotFound, check, raise_error
from .graph_parts import ROLES, GraphBuffer, GraphValue, Memory, operand, pack
from .memory import Array

if TYPE_CHECKING:
    from .device import Context
    from .kernel import Launcher, Module
    from .stream import Event, Fence, Stream

_NODE_TYPES = ["empty", "kernel", "memcpy", "memcpy_2d", "fill", "host", "native", "child_graph", "event_record", "event_wait",
               "fence_signal", "fence_wait", "prefetch", "allocation", "free"]

_launch = hot.rtGraphLaunch


class Node:
    """One piece of work of a graph; ends with it. From Graph.nodes, or Stream.captured_node."""

    def __init__(self, graph: Optional[Graph], handle: Any) -> None:
        self.graph = graph  # None: of a capture
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


After = Optional[Sequence[Node]]  # the nodes that come before; None: they follow from what nodes read and write


class Graph(Owned):
    """Nodes of work and their order. Made by Stream.capture(), which fills it at the end of the block, by Context.load_graph(),
    or by Context.graph(), to which add_kernel() and its like add nodes.

    `after` names the nodes that come before a node; without it they follow from what nodes read and write."""

    _destroy = "rtGraphDestroy"

    def __init__(self, context: Context) -> None:
        self.context = context

    @classmethod
    def _create(cls, context: Context) -> Graph:
        """As Context.graph()."""
        out = ffi.new("rtGraph_t *")
        check(lib.rtGraphCreate(out))
        graph = cls(context)
        graph._own(out[0])
        return graph

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

    @property
    def values(self) -> List[GraphValue]:
        """The named values, in the order in which they were added."""
        count = ffi.new("uint32_t *")
        check(lib.rtGraphGetValues(NULL, 0, count, self._h))
        out = ffi.new("rtGraphValue_t[]", max(1, count[0]))
        check(lib.rtGraphGetValues(out, count[0], count, self._h))
        return [GraphValue(self, out[at]) for at in range(count[0])]

    def buffer(self, name: str) -> GraphBuffer:
        """The buffer of this name, for a graph that was loaded. NotFound names those that there are."""
        return _named(self.buffers, name, "buffer")

    def value(self, name: str, dtype: Any = None) -> GraphValue:
        """The value of this name. With a type ("int32"), which a file does not have, GraphExec.bind() takes numbers for it."""
        found = _named(self.values, name, "value")
        if dtype is not None:
            found.dtype = dtype_of(dtype)
            if found.dtype.itemsize != found.nbytes:
                raise InvalidValue(f"The value '{name}' has {found.nbytes} bytes, {found.dtype} has {found.dtype.itemsize}.")
        return found

    # ---- building it node by node

    def add_buffer(self, nbytes: int, role: str, name: str = "") -> GraphBuffer:
        """Names memory that GraphExec.bind() gives, or of a "temporary" the plan."""
        out = ffi.new("rtGraphBuffer_t *")
        check(lib.rtGraphAddBuffer(out, nbytes, choice(role, ROLES, "role"), utf8(name, "the name") if name else NULL, self._h))
        return GraphBuffer(self, out[0])

    def add_value(self, dtype: Any, name: str = "", initial: Any = None) -> GraphValue:
        """Names a number of a type ("int32"), or so many bytes, that arguments of any number of kernels are. It is `initial`
        until GraphExec.bind() says another."""
        kind = None if isinstance(dtype, int) else dtype_of(dtype)
        nbytes = dtype if kind is None else kind.itemsize
        data = None if initial is None else pack(initial, kind, f"The value '{name}'")
        if data is not None and len(data) != nbytes:
            raise InvalidValue(f"The value '{name}' has {nbytes} bytes, {len(data)} were given.")
        out = ffi.new("rtGraphValue_t *")
        check(lib.rtGraphAddValue(out, nbytes, NULL if data is None else ffi.from_buffer(data),
                                  utf8(name, "the name") if name else NULL, self._h))
        return GraphValue(self, out[0], kind)

    def _add(self, function: Any, params: Any, after: After) -> Node:
        nodes = ffi.new("rtGraphNode_t[]", [node.handle for node in after or ()] or 1)
        out = ffi.new("rtGraphNode_t *")
        before = (NULL, lib.RT_INFERRED) if after is None else (nodes, len(after))
        check(function(out, *(() if params is None else (params,)), *before, self._h))
        return Node(self, out[0])

    def add_kernel(self, launcher: Launcher, *args: Any, after: After = None) -> Node:
        """Adds the launch of a kernel: add_kernel(kernel[grid, group], x, 2.0).

        A pointer takes a buffer of the graph too, or a part of one, buffer.at(offset); reads(x), writes(x) and updates(x) say
        what the kernel does with it, else it is read and written. Any other argument takes a value of the graph too."""
        params, keep = launcher._graph_params(args)
        node = self._add(lib.rtGraphAddKernelNode, params, after)
        del keep
        return node

    def add_copy(self, dst: Memory, src: Memory, nbytes: Optional[int] = None, *, after: After = None) -> Node:
        """Adds a copy of `nbytes` bytes, else of as many as the smaller side has."""
        return self._add(lib.rtGraphAddMemcpyNode, _copy_params(dst, src, nbytes), after)

    def add_copy_2d(self, dst: Memory, src: Memory, width: int, height: int, dst_pitch: int, src_pitch: int, *,
                    after: After = None) -> Node:
        """Adds a copy of `height` rows of `width` bytes. A pitch is the bytes from one row to the next."""
        params = _copy_2d_params(dst, src, width, height, dst_pitch, src_pitch)
        return self._add(lib.rtGraphAddMemcpy2DNode, params, after)

    def add_fill(self, dst: Memory, value: Any, count: Optional[int] = None, dtype: Any = None, *,
                 after: After = None) -> Node:
        """Adds a fill with `count` times a number of a type (of an array: its own), else with as many as there is room for."""
        return self._add(lib.rtGraphAddFillNode, _fill_params(dst, value, count, dtype), after)

    def add_host(self, function: Callable[[], object], on_failure: Optional[Callable[[int], object]] = None, *,
                 after: After = None) -> Node:
        """Adds a call of function(), once for each launch, as Stream.call() does.

        Without `after` it is in order with all nodes."""
        if not callable(function):
            raise TypeError(f"a graph calls a function, not {function!r}")
        node: Node = _callbacks.host_node(function, on_failure, lambda params: self._add(lib.rtGraphAddHostNode, params, after))
        return node

    def add_empty(self, after: Sequence[Node] = ()) -> Node:
        """Adds a node that does nothing, where dependencies meet."""
        return self._add(lib.rtGraphAddEmptyNode, None, after)

    def add_graph(self, graph: Graph, bindings: Mapping[GraphBuffer, Memory],
                  values: Optional[Mapping[GraphValue, Any]] = None, *, after: After = None) -> Node:
        """Adds another graph, as it is now, as one node: what its buffers are, and its values, in this one."""
        memory = ffi.new("rtGraphBinding_t[]", len(bindings) or 1)
        for at, (buffer, given) in enumerate(bindings.items()):
            memory[at].buffer = buffer.handle
            operand(memory[at].memory, given, f"the buffer '{buffer.name}'")
        said, keep = ffi.new("rtGraphValueBinding_t[]", len(values or ()) or 1), []
        for at, (value, number) in enumerate((values or {}).items()):
            said[at].value = value.handle
            if isinstance(number, GraphValue):
                said[at].outer = number.handle
                continue
            keep.append(ffi.from_buffer(value._pack(number)))
            said[at].data, said[at].size = keep[-1], len(keep[-1])
        params = _params("rtGraphChildParams_t", graph=graph._h, bindings=memory, binding_count=len(bindings),
                         value_bindings=said, value_binding_count=len(values or ()))
        return self._add(lib.rtGraphAddChildGraphNode, params, after)

    def add_event_record(self, event: Event, *, after: After = None) -> Node:
        """Adds the record of an event."""
        return self._add(lib.rtGraphAddEventRecordNode, _params("rtGraphEventParams_t", event=event._h), after)

    def add_event_wait(self, event: Event, *, after: After = None) -> Node:
        """Adds a wait for the record that an event has at the launch."""
        return self._add(lib.rtGraphAddEventWaitNode, _params("rtGraphEventParams_t", event=event._h), after)

    def add_fence_signal(self, fence: Fence, value: int, *, after: After = None) -> Node:
        """Adds the signal of a fence."""
        return self._add(lib.rtGraphAddFenceSignalNode, _params("rtGraphFenceParams_t", fence=fence._h, value=value), after)

    def add_fence_wait(self, fence: Fence, value: int, *, after: After = None) -> Node:
        """Adds a wait for a value of a fence."""
        return self._add(lib.rtGraphAddFenceWaitNode, _params("rtGraphFenceParams_t", fence=fence._h, value=value), after)

    def add_dependencies(self, *pairs: Tuple[Node, Node]) -> None:
        """Makes the second node of each pair wait for the first."""
        check(lib.rtGraphAddDependencies(*_ends(pairs), self._h))

    def remove_dependencies(self, *pairs: Tuple[Node, Node]) -> None:
        """The second node of each pair waits for the first no longer."""
        check(lib.rtGraphRemoveDependencies(*_ends(pairs), self._h))

    @property
    def edges(self) -> List[Tuple[Node, Node]]:
        """The dependencies as pairs: the second node waits for the first."""
        count = ffi.new("uint32_t *")
        check(lib.rtGraphGetEdges(NULL, NULL, 0, count, self._h))
        first, second = ffi.new("rtGraphNode_t[]", count[0] or 1), ffi.new("rtGraphNode_t[]", count[0] or 1)
        check(lib.rtGraphGetEdges(first, second, count[0], count, self._h))
        return [(Node(self, first[at]), Node(self, second[at])) for at in range(count[0])]

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


_Named = TypeVar("_Named", GraphBuffer, GraphValue)


def _named(candidates: List[_Named], name: str, noun: str) -> _Named:
    for each in candidates:
        if each.name == name:
            return each
    raise NotFound(f"The graph has no {noun} '{name}'; there are {', '.join(each.name for each in candidates) or 'none'}.")


def _params(struct_name: str, **fields: Any) -> Any:
    return ffi.new(f"{struct_name} *", {"struct_size": ffi.sizeof(struct_name), **fields})


def _copy_params(dst: Memory, src: Memory, nbytes: Optional[int]) -> Any:
    params = _params("rtGraphMemcpyParams_t")
    rooms = (operand(params.dst, dst, "the destination of a copy"), operand(params.src, src, "the source of a copy"))
    if nbytes is None and not any(rooms):
        raise InvalidValue("A copy between two addresses takes the number of its bytes.")
    params.size = min(room for room in rooms if room) if nbytes is None else nbytes
    return params


def _copy_2d_params(dst: Memory, src: Memory, width: int, height: int, dst_pitch: int, src_pitch: int) -> Any:
    params = _params("rtGraphMemcpy2DParams_t", width=width, height=height, dst_pitch=dst_pitch, src_pitch=src_pitch)
    operand(params.dst, dst, "the destination of a copy")
    operand(params.src, src, "the source of a copy")
    return params


def _fill_params(dst: Memory, value: Any, count: Optional[int], dtype: Any) -> Any:
    kind = dst.dtype if dtype is None and isinstance(dst, Array) else dtype_of("uint8" if dtype is None else dtype)
    pattern = pack(value, kind, "The value of a fill")
    if len(pattern) > 16:
        raise InvalidValue(f"A pattern has at most 16 bytes; the value has {len(pattern)}.")
    params = _params("rtGraphFillParams_t", pattern_size=len(pattern))
    ffi.memmove(params.pattern, pattern, len(pattern))
    room = operand(params.dst, dst, "the destination of a fill")
    params.count = room // len(pattern) if count is None else count
    return params


def _ends(pairs: Tuple[Tuple[Node, Node], ...]) -> Tuple[Any, Any, int]:
    first = ffi.new("rtGraphNode_t[]", [pair[0].handle for pair in pairs] or 1)
    return first, ffi.new("rtGraphNode_t[]", [pair[1].handle for pair in pairs] or 1), len(pairs)


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

    @property
    def buffers(self) -> List[Dict[str, Any]]:
        """The buffers of the graph and the temporaries of its child graphs, each a dict: role, size, offset, first_step, ..."""
        buffers = []
        for index in range(self.info["buffer_count"]):
            out = ffi.new("rtCapturePlanBuffer_t *", {"struct_size": ffi.sizeof("rtCapturePlanBuffer_t")})
            check(lib.rtCapturePlanGetBuffer(out, index, self._h))
            buffers.append(as_dict(out))
        return buffers

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

    def bind(self, target: Union[GraphBuffer, GraphValue], given: Any, nbytes: Optional[int] = None) -> None:
        """Says from the next launch on what a buffer or a value of the graph is, for all nodes that use it.

        A buffer gets the first `nbytes` bytes of an array, else as many as it has. With fewer bytes the program changes what
        uses more: the library does not know which part a captured kernel uses. A value gets a number of its type, or bytes."""
        if isinstance(target, GraphValue):
            data = target._pack(given)
            check(lib.rtGraphExecBindValue(target.handle, ffi.from_buffer(data), len(data), self._h))
            return
        size = target.nbytes if nbytes is None else nbytes
        if given.nbytes < size:
            raise InvalidValue(f"The buffer '{target.name}' takes {size} bytes, the array has {given.nbytes}.")
        check(lib.rtGraphExecBindBufferRange(target.handle, given._h, size, self._h))

    def set_kernel(self, node: Node, launcher: Launcher, *args: Any) -> None:
        """Gives a kernel's node another shape and other arguments, from the next launch on.

        They are those of Graph.add_kernel(): a buffer or a value of the graph follows what is bound later, an array stays."""
        params, keep = launcher._graph_params(args)
        check(lib.rtGraphExecSetKernelParams(node.handle, params, self._h))
        del keep

    def set_copy(self, node: Node, dst: Memory, src: Memory, nbytes: Optional[int] = None) -> None:
        """Gives a copy other memory and another size, from the next launch on, as Graph.add_copy() takes them."""
        check(lib.rtGraphExecSetMemcpyParams(node.handle, _copy_params(dst, src, nbytes), self._h))

    def set_copy_2d(self, node: Node, dst: Memory, src: Memory, width: int, height: int, dst_pitch: int,
                    src_pitch: int) -> None:
        """The same for Graph.add_copy_2d()."""
        params = _copy_2d_params(dst, src, width, height, dst_pitch, src_pitch)
        check(lib.rtGraphExecSetMemcpy2DParams(node.handle, params, self._h))

    def set_fill(self, node: Node, dst: Memory, value: Any, count: Optional[int] = None, dtype: Any = None) -> None:
        """The same for Graph.add_fill()."""
        check(lib.rtGraphExecSetFillParams(node.handle, _fill_params(dst, value, count, dtype), self._h))

    def update(self, graph: Graph) -> None:
        """Takes all parameters from another graph with the same nodes in the same order."""
        check(lib.rtGraphExecUpdate(graph._h, self._h))
