# SPDX-License-Identifier: Apache-2.0
"""Streams, events and fences: work in order, points in it, and 64-bit timelines between host and streams."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Callable, Generator, Optional, Set, Tuple

from . import _callbacks
from ._library import ffi, fences, hot, lib
from ._object import Owned, label_bytes, native_of, wait
from .errors import Busy, Error, OutOfMemory, check, raise_error

if TYPE_CHECKING:
    import asyncio

    from .device import Context
    from .graph import Capture, Node

_record, _stream_query, _event_query = hot.rtEventRecord, hot.rtStreamQuery, hot.rtEventQuery
_wait_event, _wait_stream = hot.rtStreamWaitEvent, hot.rtStreamWaitStream

_FIRST_PAUSE_S, _LAST_PAUSE_S = 50e-6, 2e-3


async def _reached(event: Event) -> None:
    """Waits inside an event loop, on a descriptor that can be read once the event's record is reached."""
    import asyncio  # a third of the package's import would be this
    out = ffi.new("int32_t *")
    try:
        check(lib.rtEventGetDescriptor(out, event._h))
    except OutOfMemory:  # the process has no descriptor left
        await _complete(event.query)
        return
    descriptor = int(out[0])
    loop = asyncio.get_running_loop()
    reached: asyncio.Future[None] = loop.create_future()

    def tell() -> None:
        if not reached.done():
            reached.set_result(None)

    try:
        loop.add_reader(descriptor, tell)
        await reached
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
    event.query()  # raises the failure of the work


async def _complete(query: Callable[[], bool]) -> None:
    """Waits for what has no descriptor, such as a fence: this asks again, after pauses that grow to 2 ms."""
    import asyncio
    pause = _FIRST_PAUSE_S
    while not query():
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LAST_PAUSE_S)


class Stream(Owned):
    """Work that runs in order. Made by Context.stream(). Work of two streams has no order, but for waits.

    close() never blocks: work that was submitted runs to its end. All calls that submit return at once; synchronize() waits."""

    _destroy = "rtStreamDestroy"

    def __init__(self, context: Context, priority: int = 0, label: str = "", *, native: Optional[int] = None) -> None:
        out = ffi.new("rtStream_t *")
        if native is None:
            options = ffi.new("rtStreamOptions_t *", {"struct_size": ffi.sizeof("rtStreamOptions_t"), "priority": priority,
                                                      "label": label_bytes(label)})
            check(lib.rtStreamCreate(out, options, context._h))
        else:
            check(lib.rtStreamImport(out, [native, 0], context._h))
        self.context = context
        self._imported = native is not None
        self._own(out[0], label)

    @classmethod
    def _default_of(cls, context: Context) -> Stream:
        out = ffi.new("rtStream_t *")
        check(lib.rtContextGetDefaultStream(out, context._h))
        self = cls.__new__(cls)
        self._destroy = ""
        self._imported = False
        self.context = context
        self._own(out[0], "default")
        return self

    def synchronize(self, timeout: Optional[float] = None) -> None:
        """Waits for all work so far, at most `timeout` seconds (then Timeout). Raises the stream's failure and clears it."""
        status = wait(lib.rtStreamSynchronizeFor, timeout, self._h)
        if status < 0 and timeout is None:
            status = lib.rtStreamSynchronize(self._h)  # the same failure, which this one clears
        check(status)

    def query(self) -> bool:
        """True if all work so far is complete. Raises the stream's failure. Never blocks."""
        status = _stream_query(self._c)
        if status < 0:
            raise_error(status)
        return bool(status == 0)

    def __repr__(self) -> str:
        """With its state: idle, working, capturing or failed. Never blocks."""
        shown = super().__repr__()
        return shown if self.closed else f"{shown[:-1]}, {self._state()}, on {self.context.device.name}>"

    def _state(self) -> str:
        capture = ffi.new("int32_t *")
        if lib.rtStreamIsCapturing(capture, self._h) == 0 and capture[0] != lib.RT_CAPTURE_NONE:
            return "capturing"
        status = lib.rtStreamQuery(self._h)
        return "idle" if status == 0 else "working" if status > 0 else "failed"

    def __await__(self) -> Generator[Any, None, None]:
        """`await stream` waits for all work so far without holding up the event loop."""
        return _reached(self.record()).__await__()

    def record(self, event: Optional[Event] = None) -> Event:
        """Puts an event (else a new one) after the work so far, and returns it."""
        if event is None:
            event = Event(self.context)
        status = _record(event._c, self._c)
        if status < 0:
            raise_error(status)
        return event

    def wait(self, other: Event | Stream) -> None:
        """Later work waits for an event, or for all work so far of another stream. The caller does not wait."""
        if isinstance(other, Stream) and other._imported:
            other = other.record()  # the library has not seen all of its work, the driver has
        if isinstance(other, Event):
            status = _wait_event(other._c, self._c)
        elif isinstance(other, Stream):
            status = _wait_stream(other._c, self._c)
        else:
            raise TypeError(f"a stream waits for an Event or a Stream, not for {other!r} (for a Fence: wait_fence)")
        if status < 0:
            raise_error(status)

    def wait_fence(self, fence: Fence, value: int) -> None:
        """Later work waits until a fence has reached a value."""
        check(lib.rtStreamWaitFence(fence._h, value, self._h))

    def signal_fence(self, fence: Fence, value: int) -> None:
        """A fence reaches a value when the work so far is complete. It lives until then, also without a reference."""
        check(lib.rtStreamSignalFence(fence._h, value, self._h))
        _keep(fence, value)

    def call(self, function: Callable[[], object], on_failure: Optional[Callable[[int], object]] = None) -> None:
        """Calls function() on a thread of the library, once the work so far is complete.

        If that work failed, on_failure(status) is called instead. An exception goes to threading.excepthook: it ends neither
        the process nor the stream's work. Waiting for this stream inside is Busy."""
        if not callable(function):
            raise TypeError(f"a stream calls a function, not {function!r}")
        _callbacks.launch(function, on_failure, self._h)

    @property
    def capturing(self) -> bool:
        """Whether the stream's work is recorded instead of run."""
        out = ffi.new("int32_t *")
        check(lib.rtStreamIsCapturing(out, self._h))
        return bool(out[0] != lib.RT_CAPTURE_NONE)

    def capture(self) -> Capture:
        """`with stream.capture() as graph:` records the work that is submitted inside, instead of running it."""
        from .graph import Capture  # graph.py needs this module
        return Capture(self)

    @property
    def captured_node(self) -> Optional[Node]:
        """In a capture, the node that the stream recorded last; None if there is none yet.

        Where the stream waits for several nodes, an empty one is added after all of them."""
        from .graph import Node  # graph.py needs this module
        out = ffi.new("rtGraphNode_t *")
        check(lib.rtStreamGetCapturedNode(out, self._h))
        return None if out[0] == ffi.NULL else Node(None, out[0])

    @property
    def priority(self) -> int:
        """0 is normal, a negative number is higher; the device's range is in Device.properties."""
        out = ffi.new("int32_t *")
        check(lib.rtStreamGetPriority(out, self._h))
        return int(out[0])

    @property
    def native(self) -> int:
        """The driver's stream: a cudaStream_t or cl_command_queue. Borrowed. NotSupported where there is none."""
        return native_of(lib.rtStreamGetNative, self._h)

    def __cuda_stream__(self) -> Tuple[int, int]:
        """The CUDA stream protocol: version 0 and the cudaStream_t."""
        if self.context.device.backend != "cuda":
            raise TypeError(f"a stream of {self.context.device.name} is no CUDA stream")
        return (0, self.native)


class Event(Owned):
    """A point in a stream. Made by Context.event() or Stream.record(); `await event` works in asyncio.

    It may be recorded again; waits keep the record that they were given."""

    _destroy = "rtEventDestroy"

    def __init__(self, context: Context, timing: bool = True, *, native: Optional[int] = None) -> None:
        out = ffi.new("rtEvent_t *")
        self.context = context
        if native is not None:
            check(lib.rtEventImport(out, [native, 0], context._h))
            self._own(out[0])
            return
        options = ffi.new("rtEventOptions_t *", {"struct_size": ffi.sizeof("rtEventOptions_t"),
                                                 "flags": 0 if timing else lib.RT_EVENT_DISABLE_TIMING})
        check(lib.rtEventCreate(out, options, context._h))
        self._own(out[0])

    def query(self) -> bool:
        """True if the last record is complete, or if there was none. Never blocks."""
        status = _event_query(self._c)
        if status < 0:
            raise_error(status)
        return bool(status == 0)

    def synchronize(self, timeout: Optional[float] = None) -> None:
        """Waits for the last record, at most `timeout` seconds (then Timeout)."""
        check(wait(lib.rtEventSynchronizeFor, timeout, self._h))

    def __await__(self) -> Generator[Any, None, None]:
        return _reached(self).__await__()

    @property
    def native(self) -> int:
        """The driver's event: a cudaEvent_t or cl_event. Borrowed. NotSupported where there is none."""
        return native_of(lib.rtEventGetNative, self._h)

    def seconds_since(self, start: Event) -> float:
        """The time on the device from another event to this one, in seconds. Both have to be complete."""
        out = ffi.new("int64_t *")
        status = check(lib.rtEventElapsedNanoseconds(out, start._h, self._h))
        if status == lib.RT_NOT_READY:
            raise Busy("One of the two events is still pending: synchronize with it first.")
        return float(out[0]) * 1e-9

    def timestamp(self) -> Tuple[float, float]:
        """When the stream passed the last record, in seconds of time.monotonic(), and how far from it the true time may be.

        The record has to be complete. May look at the device's clock for up to 0.2 s."""
        out = ffi.new("uint64_t[2]")
        status = check(lib.rtEventGetTimestamp(out, out + 1, self._h))
        if status == lib.RT_NOT_READY:
            raise Busy("The event is still pending: synchronize with it first.")
        return float(out[0]) * 1e-9, float(out[1]) * 1e-9


class Fence(Owned):
    """A 64-bit timeline that host and streams, of any context, signal and wait for. The value only grows."""

    _destroy = "rtFenceDestroy"

    def __init__(self, context: Context, value: int = 0) -> None:
        out = ffi.new("rtFence_t *")
        check(lib.rtFenceCreate(out, value, context._h))
        self.context = context
        self.expected = 0  # the largest value that a stream will signal
        self._own(out[0])
        fences.add(self)

    @property
    def reached_expected(self) -> bool:
        """Whether no stream has yet to signal it."""
        try:
            return bool(self.value >= self.expected)
        except Error:  # it was closed, or its context was
            return True

    @property
    def value(self) -> int:
        """The value that has been reached."""
        out = ffi.new("uint64_t *")
        check(lib.rtFenceGetValue(out, self._h))
        return int(out[0])

    def signal(self, value: int) -> None:
        """Reaches a value at once, from the host. Never blocks."""
        check(lib.rtFenceSignal(value, self._h))

    def wait(self, value: int, timeout: Optional[float] = None) -> None:
        """Waits on the host until the value is reached, at most `timeout` seconds (then Timeout)."""
        check(wait(lambda limit: lib.rtFenceWaitFor(limit, value, self._h), timeout))

    async def reached(self, value: int) -> None:
        """`await fence.reached(3)` waits without holding up the event loop."""
        await _complete(lambda: self.value >= value)


# Fences that a stream will signal. The end of a fence fails what waits for it, so that the last reference alone does not end it.
_signalled: Set[Fence] = set()


def _keep(fence: Fence, value: int) -> None:
    fence.expected = max(fence.expected, value)
    for other in list(_signalled):
        if other.reached_expected:
            _signalled.discard(other)
    _signalled.add(fence)
