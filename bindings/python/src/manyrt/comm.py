# SPDX-License-Identifier: Apache-2.0
"""Communicators: collective operations between contexts, of this process, of other processes of this host, or of other hosts.

    from manyrt import Context, comm

    with Context("cpu") as context, comm.create_from_environment(context) as ranks, context.stream() as stream:
        x = context.array([ranks.rank, 1], "float32")
        ranks.all_reduce(x, stream=stream)
        print(x.tolist(stream))

A Communicator is one rank. Operations take arrays of its context, and what DLPack shares with that (numpy on the CPU,
PyTorch), and count all elements, whatever the shape. With a stream they return at once, in order with its other work; without
one they are complete when they return. A thread that has several ranks gives each a stream, or calls within a group:
`with comm.group():`.

The library is libmanyrt-comm.so; without it the import of this module is a LibraryError. manyrt.rt_comm is its C interface.
"""

from __future__ import annotations

import threading
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional, Sequence, Tuple, Type, Union

from . import _help, _library, cuda_array, dlpack
from ._comm_library import PATH, ffi
from ._comm_library import lib as comm_lib
from ._library import NULL
from ._object import Owned, apart, choice, label_bytes, nanoseconds
from .dtypes import BFLOAT16
from .errors import Error, InvalidValue, WrongContext, error_of
from .memory import Array
from .stream import Stream

if TYPE_CHECKING:
    from .device import Context

__all__ = ["REDUCTIONS", "Communicator", "create", "create_all", "create_from_environment", "create_from_mpi", "group",
           "library_path", "unique_id"]

REDUCTIONS = {"sum": comm_lib.RT_COMM_SUM, "product": comm_lib.RT_COMM_PRODUCT, "minimum": comm_lib.RT_COMM_MINIMUM,
              "maximum": comm_lib.RT_COMM_MAXIMUM, "average": comm_lib.RT_COMM_AVERAGE}
_TYPES = {"int8": comm_lib.RT_COMM_I8, "uint8": comm_lib.RT_COMM_U8, "int16": comm_lib.RT_COMM_I16,
          "uint16": comm_lib.RT_COMM_U16, "int32": comm_lib.RT_COMM_I32, "uint32": comm_lib.RT_COMM_U32,
          "int64": comm_lib.RT_COMM_I64, "uint64": comm_lib.RT_COMM_U64, "float16": comm_lib.RT_COMM_F16,
          "bfloat16": comm_lib.RT_COMM_BF16, "float32": comm_lib.RT_COMM_F32, "float64": comm_lib.RT_COMM_F64,
          "bool": comm_lib.RT_COMM_U8}

Memory = Any  # an Array of the rank's context, or what has __dlpack__ or __cuda_array_interface__ there


def library_path() -> str:
    """The path or the name that libmanyrt-comm was opened by."""
    return str(PATH)


def _text(get: Any, *owner: Any) -> str:
    """What a text function of rt_comm.h gives; empty where that fails."""
    needed = ffi.new("size_t *")
    if get(NULL, 0, needed, *owner) < 0 or needed[0] <= 1:
        return ""
    buffer = ffi.new("char[]", needed[0])
    get(buffer, needed[0], NULL, *owner)
    return str(ffi.string(buffer).decode("utf-8", "replace"))


def check(status: int) -> int:
    """The status of a call of rt_comm.h if it is no failure; else raises its exception, on the thread of the call."""
    if status < 0:
        raise error_of(status, _text(comm_lib.rtCommGetLastErrorMessage))
    return status


def _options(timeout: Optional[float], label: str) -> Any:
    limit = 0  # of the library
    if timeout is not None:
        limit = nanoseconds(timeout) or 0
        if timeout == float("inf"):
            limit = 2**64 - 1  # RT_TIMEOUT_INFINITE
        elif limit == 0:
            raise InvalidValue(f"The timeout is {timeout} seconds: it has to be above 0.")
    return ffi.new("rtCommOptions_t *", {"struct_size": ffi.sizeof("rtCommOptions_t"), "timeout_ns": limit,
                                         "label": label_bytes(label)})


# ---- groups


class _Pending(NamedTuple):
    """A rank that the end of a group makes; `communicator` is None for a rank that takes no part in a split."""

    communicator: Optional[Communicator]
    out: Any


class _Thread(threading.local):
    """The open groups of a thread, and what their calls need until the end of the outermost one."""

    def __init__(self) -> None:
        self.depth = 0
        self.pending: List[_Pending] = []
        self.memory: List[Any] = []
        self.waits: List[Tuple[Communicator, Stream]] = []


_thread = _Thread()


class Group:
    """A group of this thread, as ncclGroupStart and ncclGroupEnd. Made by group()."""

    def __enter__(self) -> Group:
        check(comm_lib.rtCommGroupBegin())
        _thread.depth += 1
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        if kind is not None:
            comm_lib.rtCommBarrier(NULL, NULL)  # a refused call: nothing of the group is submitted then
        status = comm_lib.rtCommGroupEnd()
        failure = error_of(status, _text(comm_lib.rtCommGetLastErrorMessage)) if status < 0 else None
        _thread.depth -= 1
        waits: List[Tuple[Communicator, Stream]] = []
        if _thread.depth == 0:
            pending, waits = _thread.pending, _thread.waits
            _thread.pending, _thread.waits, _thread.memory = [], [], []
            for made in pending:
                if made.out[0] == NULL:
                    continue
                if failure is None and made.communicator is not None:
                    made.communicator._open(made.out[0])
                else:  # others of the group have failed
                    comm_lib.rtCommDestroy(made.out[0])
        if kind is not None:
            return
        if failure is not None:
            raise failure
        for communicator, stream in waits:
            communicator.synchronize(stream)


def group() -> Group:
    """`with comm.group():` checks the operations of this thread inside at once, and submits them at its end.

    Those of one rank and stream then run as one, so that sends and receives do not wait for each other. Ranks that are created
    or split off inside can be used after the end, which waits for the other ranks. After an exception inside, nothing of the
    group is submitted. Groups nest; the outermost counts."""
    return Group()


# ---- making communicators


def _made(function: Any, context: Context, label: str, *, on_this_thread: bool = False,
          in_group: bool = True) -> Communicator:
    """A rank that function(out) makes: within a group at its end."""
    _library.start()
    made, out = Communicator.__new__(Communicator), ffi.new("rtComm_t *")
    made.context, made.label = context, label
    if _thread.depth and in_group:
        check(function(out))
        _thread.pending.append(_Pending(made, out))
        return made
    if on_this_thread:
        check(function(out))
    else:
        apart(lambda: check(function(out)))
    made._open(out[0])
    return made


def create_all(contexts: Sequence[Context], *, timeout: Optional[float] = None, label: str = "") -> List[Communicator]:
    """A communicator of contexts of this process, of any devices: rank i works in contexts[i].

    `timeout` is how many seconds a rank waits for the others in an operation: 5 minutes if it is left out."""
    _library.start()
    options = _options(timeout, label)
    handles = ffi.new("rtContext_t[]", [context._h for context in contexts])
    out = ffi.new("rtComm_t[]", max(1, len(contexts)))
    apart(lambda: check(comm_lib.rtCommCreateAll(out, options, handles, len(contexts))))
    ranks = []
    for at, context in enumerate(contexts):
        made = Communicator.__new__(Communicator)
        made.context, made.label = context, label
        made._open(out[at])
        ranks.append(made)
    return ranks


def unique_id() -> bytes:
    """An id for one communicator of create(): one rank makes it and hands it to the others, by any means."""
    out = ffi.new("rtCommUniqueId_t *")
    check(comm_lib.rtCommGetUniqueId(out))
    return bytes(ffi.buffer(out))


def create(id: bytes, rank: int, size: int, context: Context, *,  # pylint: disable=redefined-builtin
           timeout: Optional[float] = None, label: str = "") -> Communicator:
    """One rank of a communicator, by an id of unique_id(). Waits for the other ranks, each of which calls it on a thread of its
    own; a thread that has several ranks calls it within a group."""
    wanted = ffi.sizeof("rtCommUniqueId_t")
    if len(id) != wanted:
        raise InvalidValue(f"The id has {len(id)} bytes, those of unique_id() have {wanted}.")
    options, given = _options(timeout, label), ffi.new("rtCommUniqueId_t *")
    ffi.buffer(given)[:] = bytes(id)
    return _made(lambda out: comm_lib.rtCommCreate(out, options, given, rank, size, context._h), context, label)


def create_from_environment(context: Context, *, timeout: Optional[float] = None, label: str = "") -> Communicator:
    """The rank that a launcher gave this process: torchrun, mpirun, Slurm, or a shell that sets RANK and WORLD_SIZE.

    Each process calls it once. docs/environment.md has the variables; RT_COMM_TOKEN is the secret of ranks of several hosts.
    The device is the caller's choice, often that of LOCAL_RANK. The call is no part of a group."""
    options = _options(timeout, label)
    return _made(lambda out: comm_lib.rtCommCreateFromEnvironment(out, options, context._h), context, label, in_group=False)


def create_from_mpi(mpi_comm: Any, context: Context, *, timeout: Optional[float] = None, label: str = "") -> Communicator:
    """A communicator of processes of MPI: each calls it, and has the rank that it has in mpi_comm.

    mpi_comm is a communicator of mpi4py, or the address of an MPI_Comm. Ctrl-C does not end the wait."""
    if not isinstance(mpi_comm, int):
        try:
            from mpi4py import MPI
        except ImportError as error:
            raise TypeError(f"mpi_comm is a communicator of mpi4py or the address of an MPI_Comm, not {mpi_comm!r}") from error
        mpi_comm = MPI._addressof(mpi_comm)
    options, address = _options(timeout, label), ffi.cast("void *", mpi_comm)
    # MPI may allow the calling thread alone.
    return _made(lambda out: comm_lib.rtCommCreateFromMpi(out, options, address, context._h), context, label,
                 on_this_thread=True, in_group=False)


_open_ranks: "weakref.WeakSet[Communicator]" = weakref.WeakSet()


class _Absent:
    """A range that the rank of an operation does not have."""


_ABSENT = _Absent()
_Range = Union[Memory, None, _Absent]  # None: in place, in the other one


class Info(NamedTuple):
    """What runs the operations of a rank."""

    engine: str      #: "in_process", "shared_memory", "mpi" or "nccl"
    version: str     #: of NCCL or MPI in its own words, else of this library
    transport: str   #: "host_memory", "device_copies", "shared_memory", "mpi", "mpi_staged", "mpi_device" or "nccl"
    local_size: int  #: ranks in this process when the communicator was made
    reason: str      #: where this process has its ranks on CUDA: why NCCL does not run them, else ""


class Communicator(Owned):
    """One rank of a communicator. Made by the functions of this module, and by split(). close() ends the rank."""

    context: Context
    rank: int
    size: int

    def __init__(self) -> None:
        raise TypeError("a Communicator is made by the functions of manyrt.comm, such as create_from_environment()")

    def _open(self, handle: Any) -> None:
        rank, size = ffi.new("int32_t *"), ffi.new("int32_t *")
        self._own(handle, self.label)
        _open_ranks.add(self)
        check(comm_lib.rtCommGetRank(rank, handle))
        check(comm_lib.rtCommGetSize(size, handle))
        self.rank, self.size = int(rank[0]), int(size[0])

    def close(self) -> None:
        """Ends the rank; a second call does nothing. Its operations in flight go on. Never blocks."""
        self.__dict__.pop("_c", None)
        handle = self.__dict__.pop("_h", None)
        if handle is not None:
            check(comm_lib.rtCommDestroy(handle))

    def __repr__(self) -> str:
        name = f" '{self.label}'" if self.__dict__.get("label") else ""
        where = f" rank {self.rank} of {self.size}" if "size" in self.__dict__ else ""
        return f"<manyrt.comm.Communicator{name}{where} on {self.context.device.name}{' (closed)' if self.closed else ''}>"

    @property
    def info(self) -> Info:
        """Which engine runs the operations, and how. Never blocks."""
        out = ffi.new("rtCommInfo_t *", {"struct_size": ffi.sizeof("rtCommInfo_t")})
        check(comm_lib.rtCommGetInfo(out, self._h))
        engine, version, transport, reason = (
            ffi.string(text).decode() for text in (out.engine_name, out.engine_version, out.transport_name, out.reason))
        return Info(engine, version, transport, int(out.local_size), reason)

    # ---- failures

    @property
    def failure(self) -> Optional[Error]:
        """The communicator's first failure, with the rank that it is about, or None. Never blocks."""
        status, rank = ffi.new("int32_t *"), ffi.new("int32_t *")
        check(comm_lib.rtCommGetStatus(status, rank, self._h))
        if status[0] >= 0:
            return None
        error = error_of(status[0], _text(comm_lib.rtCommGetStatusMessage, self._h))
        error.rank = int(rank[0]) if rank[0] >= 0 else None
        return error

    def check(self) -> None:
        """Raises the communicator's failure, if it has one."""
        error = self.failure
        if error is not None:
            raise error

    def abort(self) -> None:
        """Fails the communicator on all its ranks with LaunchFailed, from any thread. Never blocks."""
        check(comm_lib.rtCommAbort(self._h))

    def synchronize(self, stream: Stream, timeout: Optional[float] = None) -> None:
        """As stream.synchronize(). Where the communicator has failed, the exception is its failure, with its sentence."""
        try:
            stream.synchronize(timeout)
        except Error as error:
            failure = self.failure
            if failure is None:
                raise
            raise failure from error

    def _submitted(self, status: int) -> None:
        if status >= 0:
            return
        error = error_of(status, _text(comm_lib.rtCommGetLastErrorMessage))
        failure = self.failure
        error.rank = failure.rank if failure is not None else None
        raise error

    # ---- more communicators

    def split(self, color: Optional[int], key: int = 0) -> Optional[Communicator]:
        """The rank of a new communicator of all ranks with this color, in the order of key and then of rank; None for None.

        Every rank calls it; a thread that has several ranks within a group."""
        number = comm_lib.RT_COMM_NO_COLOR if color is None else color
        if color is not None and color < 0:
            raise InvalidValue(f"The color is {color}: it has to be 0 or above, or None.")
        if color is None:
            out = ffi.new("rtComm_t *")
            if _thread.depth:
                check(comm_lib.rtCommSplit(out, number, key, self._h))
                _thread.pending.append(_Pending(None, out))
            else:
                apart(lambda: check(comm_lib.rtCommSplit(out, number, key, self._h)))
            return None
        handle = self._h
        return _made(lambda out: comm_lib.rtCommSplit(out, number, key, handle), self.context, self.label)

    # ---- operations

    def all_reduce(self, receive: Memory, send: Memory = None, reduction: str = "sum", *, stream: Optional[Stream] = None,
                   dtype: Optional[str] = None) -> None:
        """Reduces the elements of all ranks and gives every rank the result. Without `send` in place.

        `reduction` is "sum", "product", "minimum", "maximum" or "average". dtype="bfloat16": elements of 16 bits are that."""
        self._run("rtCommAllReduce", (receive, 1), (send, 1), (_reduction(reduction),), stream, dtype, reduces=True)

    def reduce(self, receive: Memory = None, send: Memory = None, reduction: str = "sum", *, root: int = 0,
               stream: Optional[Stream] = None, dtype: Optional[str] = None) -> None:
        """Reduces the elements of all ranks and gives root the result. Where one array is given, root is in place in it, and
        the others send it."""
        if self.rank != root:
            receive, send = _ABSENT, receive if send is None else send
        self._run("rtCommReduce", (receive, 1), (send, 1), (_reduction(reduction), root), stream, dtype, reduces=True)

    def broadcast(self, receive: Memory, send: Memory = None, *, root: int = 0, stream: Optional[Stream] = None) -> None:
        """Gives every rank the elements of root: those of `send` there, or of `receive` without it."""
        self._run("rtCommBroadcast", (receive, 1), (send if self.rank == root else _ABSENT, 1), (root,), stream)

    def all_gather(self, receive: Memory, send: Memory = None, *, stream: Optional[Stream] = None) -> None:
        """Gives every rank the elements of all, in the order of the ranks. Without `send` each sends its part of `receive`."""
        self._run("rtCommAllGather", (receive, self.size), (send, 1), (), stream)

    def reduce_scatter(self, receive: Memory = None, send: Memory = None, reduction: str = "sum", *,
                       stream: Optional[Stream] = None, dtype: Optional[str] = None) -> None:
        """Reduces the elements of all ranks and gives rank i the i-th part. Without `receive` that is its part of `send`."""
        self._run("rtCommReduceScatter", (receive, 1), (send, self.size), (_reduction(reduction),), stream, dtype, reduces=True)

    def all_to_all(self, receive: Memory, send: Memory = None, *, stream: Optional[Stream] = None) -> None:
        """Gives rank i the i-th part of every rank, in the order of the ranks. In place on all ranks or on none."""
        self._run("rtCommAllToAll", (receive, self.size), (send, self.size), (), stream)

    def gather(self, receive: Memory = None, send: Memory = None, *, root: int = 0, stream: Optional[Stream] = None) -> None:
        """Gives root the elements of all, in the order of the ranks. Without `send` root sends its part of `receive`."""
        self._run("rtCommGather", (receive if self.rank == root else _ABSENT, self.size), (send, 1), (root,), stream)

    def scatter(self, receive: Memory = None, send: Memory = None, *, root: int = 0, stream: Optional[Stream] = None) -> None:
        """Gives rank i the i-th part of root's elements. Without `receive` root has its own in its part of `send`."""
        self._run("rtCommScatter", (receive, 1), (send if self.rank == root else _ABSENT, self.size), (root,), stream)

    def send(self, send: Memory, peer: int, *, stream: Optional[Stream] = None) -> None:
        """Sends elements to a rank, which receives as many. Two ranks that send to each other do so within groups."""
        self._run("rtCommSend", (_ABSENT, 1), (send, 1), (peer,), stream)

    def receive(self, receive: Memory, peer: int, *, stream: Optional[Stream] = None) -> None:
        """Receives what a rank sends."""
        self._run("rtCommReceive", (receive, 1), (_ABSENT, 1), (peer,), stream)

    def barrier(self, *, stream: Optional[Stream] = None) -> None:
        """Later work of the stream waits until the streams of all ranks have come here; without a stream, the caller waits."""
        where = stream or self.context.default_stream
        self._submitted(comm_lib.rtCommBarrier(where._h, self._h))
        self._complete(where, stream)

    def _complete(self, where: Stream, given: Optional[Stream]) -> None:
        """A call without a stream is complete when it returns, or at the end of its group."""
        if given is not None:
            return
        if _thread.depth:
            _thread.waits.append((self, where))
        else:
            self.synchronize(where)

    def _array(self, memory: Memory, name: str, stream: Stream, writes: bool) -> Array:
        """Memory of this rank's context, or another library's as such, without a copy."""
        if isinstance(memory, Array) and memory.context._h == self.context._h:
            array = memory
        elif isinstance(memory, Array) and memory.context.device != self.context.device:
            raise WrongContext(f"'{name}' is memory of {memory.context.device.name}, and rank {self.rank} works on "
                               f"{self.context.device.name}.")
        elif hasattr(memory, "__dlpack__"):
            array = dlpack.load(memory, self.context, stream, bfloat16=True)
        elif hasattr(memory, "__cuda_array_interface__"):
            array = cuda_array.load(memory, self.context, stream)
        else:
            raise TypeError(f"'{name}' has to be an Array, or to have __dlpack__ or __cuda_array_interface__, "
                            f"and is {memory!r}")
        if writes and array.readonly:
            raise InvalidValue(f"'{name}' is read-only: its memory is another library's.")
        return array

    def _run(self, name: str, receive: Tuple[_Range, int], send: Tuple[_Range, int], numbers: Tuple[int, ...],
             stream: Optional[Stream], dtype: Optional[str] = None, *, reduces: bool = False) -> None:
        """Submits an operation. A range is what was given, and how many times its elements are those that the call counts."""
        handle, where = self._h, stream or self.context.default_stream
        parts = {"receive": receive[1], "send": send[1]}
        ranges = {"receive": receive[0], "send": send[0]}
        missing = [side for side, given in ranges.items() if given is None]
        arrays = {side: self._array(given, side, where, side == "receive")
                  for side, given in ranges.items() if given is not None and given is not _ABSENT}
        if not arrays or (missing and len(arrays) + len(missing) < 2):
            raise TypeError(f"{name[6:]} of rank {self.rank} of {self.size} lacks the argument '{missing[-1]}'")
        counts = {}
        for side, array in arrays.items():
            counts[side], rest = divmod(array.size, parts[side])
            if rest:
                raise InvalidValue(f"'{side}' has {array.size} elements, which do not divide by the {self.size} ranks.")
        either = next(iter(arrays))
        if len(set(counts.values())) > 1:
            raise InvalidValue(f"'receive' has {arrays['receive'].size} elements and 'send' {arrays['send'].size}: "
                               f"{name[6:]} among {self.size} ranks takes {parts['receive']} to {parts['send']}.")
        element = arrays[either].dtype
        if any(array.dtype is not element for array in arrays.values()):
            raise TypeError(f"'receive' has elements of {arrays['receive'].dtype}, 'send' of {arrays['send'].dtype}.")
        if dtype is not None:
            if dtype != BFLOAT16.name or element.itemsize != BFLOAT16.itemsize:
                raise InvalidValue(f"dtype is '{dtype}' for elements of {element}: it is for bfloat16 in elements of 16 bits.")
            element = BFLOAT16
        if reduces and element.name == "bool":
            raise TypeError("elements of bool are not reduced: view them as uint8 first")
        count = counts[either]
        address = {side: array._address for side, array in arrays.items()}
        if missing:  # in place: the smaller range is this rank's part of the larger
            other = missing[0]
            offset = self.rank * count * element.itemsize if parts[either] > parts[other] else 0
            address[other] = address[either] + offset
        pointers = [ffi.cast("void *", address.get(side, 0)) for side in ranges
                    if side in address or name not in ("rtCommSend", "rtCommReceive")]
        self._submitted(getattr(comm_lib, name)(*pointers, count, _TYPES[element.name], *numbers, where._h, handle))
        if _thread.depth:  # the operation is submitted at the end of the group
            _thread.memory.extend(array._memory for array in arrays.values())
        self._complete(where, stream)


def _reduction(name: str) -> int:
    return choice(name, REDUCTIONS, "reduction")


def _end() -> None:
    """Ends the ranks before the library ends: what they still expect of each other fails then, and nothing waits for it."""
    for communicator in list(_open_ranks):
        communicator.__del__()


_library.before_end(_end)
_help.show([value for name, value in list(globals().items()) if name in __all__] + [Group], {}, __name__)
