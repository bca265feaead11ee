# SPDX-License-Identifier: Apache-2.0
"""manyrt as a device of tinygrad: DEV=MANYRT, or Tensor(..., device="MANYRT").

    python3 -m manyrt_tinygrad program.py     # a program as it is, on MANYRT
    import manyrt_tinygrad                    # in a program: from here on the device has a name

"MANYRT" is the device that RT_DEVICE names, else the best there is; "MANYRT:1" the next one.
MANYRT_TINYGRAD_DEVICES="cpu,opencl:0" names them otherwise. Kernels are OpenCL C, as tinygrad renders it; its JIT runs on
graphs of the library (JIT=2 without them). For tinygrad 0.12.0: its interface of devices changes from version to version.
"""

import math
import os
import runpy
import sys
import warnings
from importlib.metadata import version
from typing import Any, Dict, List, Optional, Tuple

import manyrt
from manyrt import rt
from tinygrad.device import Buffer, BufferSpec, Compiled, CompileError, Compiler, CompilerPair, CompilerSet, Device
from tinygrad.device import LRUAllocator
from tinygrad.engine.jit import GraphException, GraphRunner
from tinygrad.helpers import getenv, mv_address
from tinygrad.renderer.cstyle import OpenCLRenderer

VERSION = "0.12.0"  # of tinygrad
_WRITE_AND_READ = rt.RT_GRAPH_READ | rt.RT_GRAPH_WRITE


def _groups(global_size: Tuple[Any, ...], local_size: Optional[Tuple[int, ...]]) -> Tuple[Tuple[int, ...], Tuple[int, ...]]:
    """Work-groups and work-items in each. tinygrad may ask for a group that does not divide the items: the largest one that
    does takes its place, since such kernels use global ids alone."""
    local = tuple(local_size or ()) + (1,) * 3
    wanted = tuple(global_size) + (1,) * 3
    items = [round(size * in_group) for size, in_group in zip(wanted[:3], local[:3])]
    group = tuple(math.gcd(count, in_group) if count else 1 for count, in_group in zip(items, local[:3]))
    return tuple(count // in_group for count, in_group in zip(items, group)), group


class ManyrtRenderer(OpenCLRenderer):
    """OpenCL C without images."""

    device = "MANYRT"
    has_aux = False


class ManyrtCompiler(Compiler):
    """Leaves the source as it is: the library compiles it, keeps what it has compiled, and improves it in the background."""

    def __init__(self) -> None:
        super().__init__(None)


class Address(int):
    """Of memory on the device, with its bytes."""

    nbytes: int

    @classmethod
    def of(cls, address: int, nbytes: int) -> "Address":
        made = cls(address)
        made.nbytes = nbytes
        return made


class ManyrtAllocator(LRUAllocator):
    """Memory by its address. tinygrad keeps what it gives back, and asks for it again."""

    def __init__(self, dev: "MANYRTDevice") -> None:
        super().__init__(dev, supports_copy_from_disk=True, supports_transfer=True)
        if dev.context.device.backend == "cpu":
            self._as_buffer = self._host_view  # tinygrad looks whether it is there

    def _alloc(self, size: int, options: BufferSpec) -> Address:
        if options.image is not None:
            raise CompileError("MANYRT has no images: leave IMAGE at 0.")
        if options.external_ptr is not None:
            return Address.of(options.external_ptr, size)
        out = rt.ffi.new("void **")
        rt.check(rt.rtMalloc(out, size, self.dev.context.handle))  # OutOfMemory is a MemoryError, as tinygrad expects
        return Address.of(int(rt.ffi.cast("uintptr_t", out[0])), size)

    def _free(self, opaque: Address, options: BufferSpec) -> None:
        if options.external_ptr is None:
            rt.check(rt.rtFree(rt.ffi.cast("void *", opaque)))

    def _offset(self, buf: Address, size: int, offset: int) -> Address:
        return Address.of(buf + offset, size)

    def _copy(self, destination: int, source: int, size: int, kind: int) -> None:
        rt.check(rt.rtMemcpyAsync(rt.ffi.cast("void *", destination), rt.ffi.cast("void *", source), size, kind,
                                  self.dev.stream.handle))
        self.dev.synchronize()

    def _copyin(self, dest: int, src: memoryview) -> None:
        self._copy(dest, mv_address(src), src.nbytes, rt.RT_MEMCPY_HOST_TO_DEVICE)

    def _copyout(self, dest: memoryview, src: int) -> None:
        self._copy(mv_address(dest), src, dest.nbytes, rt.RT_MEMCPY_DEVICE_TO_HOST)

    def _transfer(self, dest: int, src: int, sz: int, src_dev: "MANYRTDevice", dest_dev: "MANYRTDevice") -> None:
        src_dev.synchronize()
        self._copy(dest, src, sz, rt.RT_MEMCPY_DEFAULT)

    def _host_view(self, src: Address) -> memoryview:
        self.dev.synchronize()
        return memoryview(rt.ffi.buffer(rt.ffi.cast("char *", src), src.nbytes)).cast("B")


class ManyrtProgram:
    """A kernel, called with addresses and numbers."""

    def __init__(self, dev: "MANYRTDevice", name: str, lib: bytes, *_: Any, **__: Any) -> None:
        self.dev = dev
        try:
            self.module = dev.context.module(lib.decode(), name=f"{name}.cl")
            if getenv("BEAM"):  # which times the code that will run
                self.module.wait_optimized()
            self.kernel = self.module[name]
        except (manyrt.BuildFailed, manyrt.NotSupported) as error:
            raise CompileError(f"{name} does not compile for {dev.context.device.name}: {error}") from error
        self.count = len(self.kernel.args)
        self._values = rt.ffi.new("uint64_t[]", self.count or 1)
        self._pointers = rt.ffi.new("void *[]", [self._values + at for at in range(self.count)] or [rt.ffi.NULL])

    def __call__(self, *bufs: int, global_size: Tuple[Any, ...] = (1, 1, 1), local_size: Optional[Tuple[int, ...]] = None,
                 vals: Tuple[int, ...] = (), wait: bool = False) -> Optional[float]:
        grid, group = _groups(global_size, local_size)
        for at, value in enumerate((*bufs, *vals)):
            self._values[at] = value % (1 << 64)  # a number has the lower half
        return self.dev.timed(lambda: rt.check(rt.rtLaunchKernel(
            self.kernel.handle, *grid, *group, 0, self.dev.stream.handle, self._pointers, self.count)), wait)


class ManyrtGraph(GraphRunner):
    """What the JIT has captured, as one graph. Inputs are buffers of the graph, and symbolic variables its values: each is
    bound once, whatever number of kernels uses it. A node is set anew where the size of its launch has changed."""

    def __init__(self, jit_cache: List[Any], input_buffers: List[Buffer], var_vals: Dict[str, int]) -> None:
        super().__init__(jit_cache, input_buffers, var_vals)
        self._device: MANYRTDevice = Device[jit_cache[0].prg.device]  # Runner.dev is the first of its kind
        graph = rt.ffi.new("rtGraph_t *")
        rt.check(rt.rtGraphCreate(graph))
        self._graph, self._exec = graph[0], None
        self._buffers: Dict[int, Any] = {}  # of the graph, by the number of the input
        self._values: Dict[str, Any] = {}   # of the graph, by the name of the variable
        self._bound: Dict[Any, int] = {}    # what these are at present
        self._number = rt.ffi.new("int32_t *")
        self._params: List[Any] = []     # rtGraphKernelParams_t of each node
        self._kept: List[Any] = []       # what they point to
        self._nodes: List[Any] = []
        for at, item in enumerate(jit_cache):
            self._add(at, item, input_buffers, var_vals)
        made = rt.ffi.new("rtGraphExec_t *")
        status = rt.rtGraphInstantiate(made, self._graph, self._device.context.handle)
        if status == rt.RT_ERROR_NOT_SUPPORTED:
            raise GraphException("the device takes no such graph")
        rt.check(status)
        self._exec = made[0]

    def _buffer(self, which: int, nbytes: int) -> Any:
        if which not in self._buffers:
            made = rt.ffi.new("rtGraphBuffer_t *")
            rt.check(rt.rtGraphAddBuffer(made, nbytes, rt.RT_GRAPH_BUFFER_INPUT, f"input {which}".encode(), self._graph))
            self._buffers[which] = made[0]
        return self._buffers[which]

    def _value(self, name: str) -> Any:
        if name not in self._values:
            made = rt.ffi.new("rtGraphValue_t *")
            rt.check(rt.rtGraphAddValue(made, 4, rt.ffi.NULL, name.encode(), self._graph))
            self._values[name] = made[0]
        return self._values[name]

    def _add(self, at: int, item: Any, input_buffers: List[Buffer], var_vals: Dict[str, int]) -> None:
        program, spec = item.prg._prg, item.prg.p
        bufs = [buf for buf in item.bufs if buf is not None]
        values = rt.ffi.new("int32_t[]", [item.fixedvars.get(var.expr, 0) for var in spec.vars] or 1)
        named = dict(self.var_vals_replace.get(at, []))  # of the variables those that are not fixed, by their place
        args = rt.ffi.new("rtGraphArg_t[]", program.count or 1)
        for place, buf in enumerate(bufs):
            args[place].kind = rt.RT_ARG_POINTER
            which = self.input_replace.get((at, place))
            if which is None:
                args[place].memory.pointer = rt.ffi.cast("void *", buf._buf)
            else:
                args[place].memory.buffer = self._buffer(which, input_buffers[which].nbytes)
            args[place].access = ((rt.RT_GRAPH_WRITE if place in spec.outs else 0) |
                                  (rt.RT_GRAPH_READ if place in spec.ins else 0)) or _WRITE_AND_READ
        for place in range(len(spec.vars)):
            arg = args[len(bufs) + place]
            arg.kind, arg.size, arg.value = rt.RT_ARG_VALUE, 4, values + place
            if place in named:
                arg.kind, arg.value = rt.RT_ARG_GRAPH_VALUE, rt.ffi.cast("void *", self._value(self.vars[named[place]]))
        grid, group = _groups(*spec.launch_dims(var_vals))
        params = rt.make("rtGraphKernelParams_t", arg_count=program.count, kernel=program.kernel.handle, args=args, grid=grid,
                         group=group)
        before = self._access_resources([buf.base for buf in bufs], spec.outs, new_dependency=at)
        dependencies = rt.ffi.new("rtGraphNode_t[]", [self._nodes[each] for each in before] or 1)
        node = rt.ffi.new("rtGraphNode_t *")
        rt.check(rt.rtGraphAddKernelNode(node, params, dependencies, len(before), self._graph))
        self._nodes.append(node[0])
        self._params.append(params)
        self._kept.append((args, values))

    def __call__(self, input_buffers: List[Buffer], var_vals: Dict[str, int], wait: bool = False) -> Optional[float]:
        for which, buffer in self._buffers.items():
            address = int(input_buffers[which]._buf)
            if self._bound.get(which) != address:
                rt.check(rt.rtGraphExecBindBuffer(buffer, rt.ffi.cast("void *", address), self._exec))
                self._bound[which] = address
        for name, value in self._values.items():
            if self._bound.get(name) != var_vals[name]:
                self._number[0] = var_vals[name]
                rt.check(rt.rtGraphExecBindValue(value, self._number, 4, self._exec))
                self._bound[name] = var_vals[name]
        for at, global_size, local_size in self.updated_launch_dims(var_vals):
            grid, group = _groups(global_size, local_size)
            if tuple(self._params[at].grid) != grid or tuple(self._params[at].group) != group:
                self._params[at].grid, self._params[at].group = grid, group
                rt.check(rt.rtGraphExecSetKernelParams(self._nodes[at], self._params[at], self._exec))
        return self._device.timed(lambda: rt.check(rt.rtGraphLaunch(self._exec, self._device.stream.handle)), wait)

    def __del__(self) -> None:
        for destroy, handle in ((rt.rtGraphExecDestroy, self.__dict__.get("_exec")),
                                (rt.rtGraphDestroy, self.__dict__.get("_graph"))):
            if handle is not None:
                destroy(handle)  # after the end of the library there is nothing to do, and it says so


def _device_names() -> List[str]:
    """Of MANYRT, MANYRT:1, ..."""
    named = [name for name in os.environ.get("MANYRT_TINYGRAD_DEVICES", "").replace(" ", "").split(",") if name]
    if named:
        return named
    first = manyrt.Device().name
    return [first] + [device.name for device in manyrt.devices() if device.name != first]


class MANYRTDevice(Compiled):
    """A context of the library with one stream. tinygrad finds it by its name."""

    def __init__(self, device: str = "MANYRT") -> None:
        names, which = _device_names(), int(device.partition(":")[2] or 0)
        if which >= len(names):
            raise RuntimeError(f"There is no {device}: manyrt has {len(names)} device(s), {', '.join(names)}.")
        self.context = manyrt.Context(names[which], label=device)
        self.stream = self.context.stream(label=device)
        super().__init__(device, ManyrtAllocator(self), CompilerSet([CompilerPair(ManyrtRenderer, ManyrtCompiler)]),
                         lambda name, lib, *rest, **named: ManyrtProgram(self, name, lib, *rest, **named), ManyrtGraph)

    def synchronize(self) -> None:
        self.stream.synchronize()

    def timed(self, submit: Any, wait: bool) -> Optional[float]:
        """Submits; with `wait` it returns the seconds that the device took."""
        if not wait:
            submit()
            return None
        before, after = self.context.event(), self.context.event()
        self.stream.record(before)
        submit()
        self.stream.record(after)
        self.synchronize()
        return after.seconds_since(before)

    def finalize(self) -> None:
        try:
            self.synchronize()
        except manyrt.ShutDown:  # the library has ended before tinygrad, and all work with it
            pass


def register() -> None:
    """Gives the device its name. tinygrad imports tinygrad.runtime.ops_<name> and looks for <name>Device there."""
    found = version("tinygrad")
    if found != VERSION:
        warnings.warn(f"manyrt_tinygrad is for tinygrad {VERSION}, and this is {found}.", stacklevel=2)
    sys.modules.setdefault("tinygrad.runtime.ops_manyrt", sys.modules[__name__])


def main() -> None:
    """python -m manyrt_tinygrad PROGRAM [ARGUMENT ...], or -m MODULE [ARGUMENT ...]."""
    if len(sys.argv) < 2:
        raise SystemExit("usage: python -m manyrt_tinygrad PROGRAM [ARGUMENT ...] | -m MODULE [ARGUMENT ...]")
    os.environ.setdefault("DEV", "MANYRT")
    sys.modules["manyrt_tinygrad"] = sys.modules[__name__]
    register()
    del sys.argv[0]
    if sys.argv[0] == "-m":
        del sys.argv[0]
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    else:
        sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
        runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
else:
    register()
