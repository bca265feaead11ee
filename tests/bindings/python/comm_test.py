#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Communicators: ranks of one process, of threads, and of several processes, with arrays and with what DLPack shares."""

import ctypes
import ctypes.util
import gc
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import unittest

import dlpack_capsule
import manyrt
from manyrt import _borrowed, _comm_library, comm, rt_comm

try:
    import numpy
except ImportError:
    numpy = None

RT_COMM_JSON = pathlib.Path(__file__).resolve().parents[3] / "bindings" / "rt_comm.json"
SIZE = 3
TIMEOUT = 60.0


def run(code, *arguments, **environment):
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], env={**os.environ, **environment},
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Case(unittest.TestCase):
    def setUp(self):
        self.contexts = [manyrt.Context("cpu") for _ in range(SIZE)]
        self.ranks = comm.create_all(self.contexts, timeout=TIMEOUT, label="table")
        self.addCleanup(self.end)

    def end(self):
        for made in (*self.ranks, *self.contexts):
            made.close()

    def arrays(self, values, dtype="int32"):
        """An array for each rank, of the numbers that values(rank) gives."""
        return [context.array(values(rank), dtype) for rank, context in enumerate(self.contexts)]

    def each(self, call):
        with comm.group():
            for rank, communicator in enumerate(self.ranks):
                call(rank, communicator)


class InfoTest(Case):
    def test_the_engine_of_a_rank_is_told(self):
        for communicator in self.ranks:
            info = communicator.info
            self.assertEqual((info.engine, info.transport, info.local_size, info.reason),
                             ("in_process", "host_memory", SIZE, ""))
            self.assertRegex(info.version, r"^[0-9]+\.[0-9]+")


class OperationsTest(Case):
    def test_all_reduce_has_every_reduction(self):
        for reduction, wanted in {"sum": 12, "product": 48, "minimum": 2, "maximum": 6, "average": 4}.items():
            for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
                          "float64"):
                with self.subTest(reduction + " " + dtype):
                    send, receive = self.arrays(lambda rank: [2 * (rank + 1)], dtype), self.arrays(lambda rank: [0], dtype)
                    self.each(lambda rank, c: c.all_reduce(receive[rank], send[rank], reduction))
                    self.assertEqual([x.tolist() for x in receive], [[wanted]] * SIZE)

    def test_operations_with_two_arrays_and_in_place(self):
        whole = [10 * rank + part for rank in range(SIZE) for part in range(2)]
        for in_place in (False, True):
            with self.subTest(in_place=in_place):
                own = self.arrays(lambda rank: [10 * rank, 10 * rank + 1])
                parts = self.arrays(lambda rank: [value if at // 2 == rank else -1 for at, value in enumerate(whole)])
                self.each(lambda rank, c: c.all_gather(parts[rank], None if in_place else own[rank]))
                self.assertEqual([x.tolist() for x in parts], [whole] * SIZE)

                parts = self.arrays(lambda rank: [value if at // 2 == rank else -1 for at, value in enumerate(whole)])
                self.each(lambda rank, c: c.gather(parts[rank] if rank == 1 else None,
                                                   None if in_place and rank == 1 else own[rank], root=1))
                self.assertEqual(parts[1].tolist(), whole)

                source, target = self.arrays(lambda rank: whole), self.arrays(lambda rank: [-1, -1])
                self.each(lambda rank, c: c.scatter(None if in_place and rank == 2 else target[rank],
                                                    source[rank] if rank == 2 else None, root=2))
                self.assertEqual([x.tolist() for x in target][:2], [[0, 1], [10, 11]])
                self.assertEqual((source if in_place else target)[2].tolist()[-2:], [20, 21])

                source, target = self.arrays(lambda rank: whole), self.arrays(lambda rank: [-1, -1])
                self.each(lambda rank, c: c.reduce_scatter(None if in_place else target[rank], source[rank]))
                for rank in range(SIZE):
                    got = source[rank][2 * rank:2 * rank + 2] if in_place else target[rank]
                    self.assertEqual(got.tolist(), [SIZE * 10 * rank, SIZE * (10 * rank + 1)])

                source = self.arrays(lambda rank: [10 * rank + part for part in range(SIZE)])
                target = self.arrays(lambda rank: [-1] * SIZE)
                self.each(lambda rank, c: c.all_to_all(*((source[rank],) if in_place else (target[rank], source[rank]))))
                self.assertEqual([x.tolist() for x in (source if in_place else target)],
                                 [[10 * peer + rank for peer in range(SIZE)] for rank in range(SIZE)])

                data = self.arrays(lambda rank: [rank, rank])
                sent = self.arrays(lambda rank: [7, 8])
                self.each(lambda rank, c: c.broadcast(data[rank], None if in_place or rank != 1 else sent[rank], root=1))
                self.assertEqual([x.tolist() for x in data], [[1, 1] if in_place else [7, 8]] * SIZE)

                data = self.arrays(lambda rank: [rank, 1])
                self.each(lambda rank, c: c.reduce(data[rank], root=2))
                self.assertEqual([x.tolist() for x in data], [[0, 1], [1, 1], [3, 3]])

    def test_sends_and_receives_make_a_ring(self):
        sent, got = self.arrays(lambda rank: [rank] * 5), self.arrays(lambda rank: [-1] * 5)

        def ring(rank, communicator):
            communicator.send(sent[rank], (rank + 1) % SIZE)
            communicator.receive(got[rank], (rank - 1) % SIZE)

        self.each(ring)
        self.assertEqual([x.tolist() for x in got], [[(rank - 1) % SIZE] * 5 for rank in range(SIZE)])

    def test_operations_are_in_the_order_of_their_streams(self):
        streams, data = [context.stream() for context in self.contexts], self.arrays(lambda rank: [rank + 1])
        gate = self.contexts[0].fence()
        streams[0].wait_fence(gate, 1)
        data[0].fill(100, streams[0])
        for rank, communicator in enumerate(self.ranks):  # one thread, without a group: a stream for each rank
            communicator.all_reduce(data[rank], stream=streams[rank])
            communicator.barrier(stream=streams[rank])
        self.assertFalse(streams[1].query())
        gate.signal(1)
        for rank, communicator in enumerate(self.ranks):
            communicator.synchronize(streams[rank])
            self.assertEqual(data[rank].tolist(), [105])

    def test_ranks_of_threads_wait_in_their_calls(self):
        results = [None] * SIZE

        def work(rank):
            data = self.contexts[rank].array([rank, 1], "float64")
            self.ranks[rank].all_reduce(data)
            self.ranks[rank].barrier()
            results[rank] = data.tolist()

        threads = [threading.Thread(target=work, args=(rank,)) for rank in range(SIZE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [[3.0, 3.0]] * SIZE)

    def test_captured_operations_run_at_each_launch(self):
        streams, data = [context.stream() for context in self.contexts], self.arrays(lambda rank: [1])
        execs = []
        for rank, communicator in enumerate(self.ranks):
            with streams[rank].capture() as graph:
                communicator.all_reduce(data[rank], stream=streams[rank])
            execs.append(graph.instantiate())
        for _ in range(2):
            for rank in range(SIZE):
                execs[rank].launch(streams[rank])
        for rank, communicator in enumerate(self.ranks):
            communicator.synchronize(streams[rank])
        self.assertEqual([x.tolist() for x in data], [[SIZE ** 2]] * SIZE)

    def test_bfloat16_is_told_or_comes_by_dlpack(self):
        one, three = 0x3F80, 0x4040  # 1.0 and 3.0
        data = self.arrays(lambda rank: [one], "uint16")
        self.each(lambda rank, c: c.all_reduce(data[rank], dtype="bfloat16"))
        self.assertEqual([x.tolist() for x in data], [[three]] * SIZE)
        memory = [(ctypes.c_uint16 * 32)(one) for _ in range(SIZE)]
        tensors = [dlpack_capsule.Tensor(ctypes.addressof(each), (1,), dtype=(dlpack_capsule.BFLOAT, 16, 1)) for each in memory]
        self.each(lambda rank, c: c.all_reduce(tensors[rank]))
        self.assertEqual([list(each)[:2] for each in memory], [[three, 0]] * SIZE)
        with self.assertRaisesRegex(manyrt.InvalidValue, "16 bits"):
            self.ranks[0].all_reduce(self.arrays(lambda rank: [1])[0], dtype="bfloat16")

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_numpy_arrays_are_used_where_they_lie_and_stay_until_the_group_ends(self):
        given = [numpy.full((2, 3), rank, "float32") for rank in range(SIZE)]
        self.each(lambda rank, c: c.all_reduce(given[rank]))
        self.assertEqual([x.tolist() for x in given], [[[3.0] * 3] * 2] * SIZE)
        received = self.arrays(lambda rank: [0, 0], "float32")
        self.each(lambda rank, c: c.all_reduce(received[rank], numpy.full(2, rank, "float32")))  # nothing else keeps these
        self.assertEqual([x.tolist() for x in received], [[3.0, 3.0]] * SIZE)
        for context in self.contexts:
            context.synchronize()
        gc.collect()
        self.assertLess(len(_borrowed.in_use), SIZE)

    def test_arrays_of_another_context_are_used_where_they_lie(self):
        with manyrt.Context("cpu") as other:
            data = [other.array([rank]) for rank in range(SIZE)]
            self.each(lambda rank, c: c.all_reduce(data[rank]))
            self.assertEqual([x.tolist() for x in data], [[3]] * SIZE)


class BadInputTest(Case):
    def test_what_does_not_fit_is_told_before_anything_is_submitted(self):
        first, data = self.ranks[0], self.contexts[0].zeros(4)
        for kind, words, call in (
                (manyrt.InvalidValue, "'mean' is no reduction; there are sum",
                 lambda: first.all_reduce(data, reduction="mean")),
                (manyrt.InvalidValue, "'receive' has 4 elements, which do not divide by the 3 ranks",
                 lambda: first.all_gather(data)),
                (manyrt.InvalidValue, "'receive' has 4 elements and 'send' 3: AllReduce among 3 ranks takes 1 to 1",
                 lambda: first.all_reduce(data, data[:3])),
                (TypeError, "'receive' has elements of float32, 'send' of int32",
                 lambda: first.all_reduce(data, data.view("int32"))),
                (TypeError, "'receive' has to be an Array", lambda: first.all_reduce([1, 2])),
                (TypeError, "Gather of rank 0 of 3 lacks the argument 'send'", lambda: first.gather(root=1)),
                (TypeError, "bool are not reduced", lambda: first.all_reduce(self.contexts[0].zeros(4, "bool"))),
                (manyrt.InvalidValue, "overlap", lambda: first.all_reduce(data[:2], data[1:3])),
                (manyrt.InvalidValue, "the communicator has 3 ranks", lambda: first.broadcast(data, root=3)),
                (manyrt.InvalidValue, "The color is -2", lambda: first.split(-2)),
                (manyrt.InvalidValue, "The id has 3 bytes", lambda: comm.create(b"abc", 0, 1, self.contexts[0])),
                (manyrt.InvalidValue, "timeout is 0", lambda: comm.create_all(self.contexts, timeout=0)),
                (manyrt.InvalidValue, "rtCommCreateAll", lambda: comm.create_all([])),
                (TypeError, "is made by the functions", comm.Communicator),
                (TypeError, "mpi4py or the address", lambda: comm.create_from_mpi("world", self.contexts[0]))):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()
        self.each(lambda rank, c: c.barrier())
        self.assertIsNone(first.failure)

    def test_a_closed_rank_says_so(self):
        first = self.ranks[0]
        self.assertIn("rank 0 of 3 on cpu", repr(first))
        first.close()
        first.close()
        self.assertIn("closed", repr(first))
        with self.assertRaisesRegex(manyrt.InvalidHandle, "communicator 'table' is closed"):
            first.barrier()

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_read_only_memory_is_sent_and_not_received(self):
        data = self.contexts[0].zeros(2)
        fixed = manyrt.ReadOnlyArray(data.context, data._memory, data.address, data.shape, data.dtype, data.kind)
        with self.assertRaisesRegex(manyrt.InvalidValue, "'receive' is read-only"):
            self.ranks[0].all_reduce(fixed)

    def test_an_exception_in_a_group_submits_nothing_of_it(self):
        data = self.arrays(lambda rank: [1])
        with self.assertRaisesRegex(RuntimeError, "mine"), comm.group():
            self.ranks[0].all_reduce(data[0])
            raise RuntimeError("mine")
        with self.assertRaisesRegex(manyrt.InvalidValue, "overlap"), comm.group():
            self.ranks[0].all_reduce(data[0])
            self.ranks[1].all_reduce(self.contexts[1].zeros(4)[:3], self.ranks[1].context.zeros(4)[:3])
            wide = self.contexts[2].zeros(4)
            self.ranks[2].all_reduce(wide[:3], wide[1:])
        self.each(lambda rank, c: c.all_reduce(data[rank]))
        self.assertEqual([x.tolist() for x in data], [[SIZE]] * SIZE)


class FailureTest(Case):
    def test_an_abort_ends_the_waits_of_all(self):
        data, caught = self.contexts[0].array([1]), []

        def wait():
            try:
                self.ranks[0].all_reduce(data)
            except manyrt.Error as error:
                caught.append(error)

        thread = threading.Thread(target=wait)
        thread.start()
        self.ranks[1].abort()
        thread.join()
        self.assertIsInstance(caught[0], manyrt.LaunchFailed)
        self.assertEqual(caught[0].rank, 1)
        self.assertIn("rank 1", str(caught[0]).lower())
        with self.assertRaises(manyrt.LaunchFailed):
            self.ranks[2].check()
        with self.assertRaises(manyrt.LaunchFailed) as refused:
            self.ranks[2].all_reduce(self.contexts[2].array([1]))
        self.assertEqual(refused.exception.rank, 1)

    def test_a_rank_that_means_something_else_is_named(self):
        data = self.arrays(lambda rank: [1])
        with self.assertRaisesRegex(manyrt.InvalidValue, "[Rr]ank 1") as caught, comm.group():
            for rank, communicator in enumerate(self.ranks):
                communicator.all_reduce(data[rank], reduction="maximum" if rank == 1 else "sum")
        self.assertEqual(caught.exception.rank, 1)

    def test_a_rank_that_stays_away_is_named_when_the_time_has_passed(self):
        late = comm.create_all(self.contexts, timeout=0.3, label="late")
        stream, data = self.contexts[0].stream(), self.arrays(lambda rank: [1])
        late[0].all_reduce(data[0], stream=stream)
        late[1].all_reduce(data[1], stream=self.contexts[1].stream())
        with self.assertRaisesRegex(manyrt.Timeout, "Rank 2") as caught:
            late[0].synchronize(stream)
        self.assertEqual(caught.exception.rank, 2)
        self.assertIsInstance(caught.exception, TimeoutError)
        stream.synchronize()  # the failure was told once
        other = self.contexts[1].stream()
        other.synchronize(0.1)

    def test_a_stream_that_failed_by_a_timeout_ends_each_wait(self):
        late = comm.create_all(self.contexts, timeout=0.1)
        stream = self.contexts[0].stream()
        late[0].barrier(stream=stream)
        with self.assertRaises(manyrt.Timeout):
            stream.synchronize()


class CreationTest(unittest.TestCase):
    def test_threads_and_groups_create_by_an_id(self):
        ident, contexts = comm.unique_id(), [manyrt.Context("cpu") for _ in range(SIZE)]
        self.assertEqual(len(ident), 256)
        ranks = [None] * SIZE

        def make(rank):
            ranks[rank] = comm.create(ident, rank, SIZE, contexts[rank], timeout=TIMEOUT)

        threads = [threading.Thread(target=make, args=(rank,)) for rank in (0, 1)]
        for thread in threads:
            thread.start()
        with comm.group():
            make(2)
            with self.assertRaises(manyrt.InvalidHandle):
                ranks[2].barrier()  # made at the end of the group
        for thread in threads:
            thread.join()
        self.assertEqual([(made.rank, made.size) for made in ranks], [(rank, SIZE) for rank in range(SIZE)])
        with self.assertRaisesRegex(manyrt.InvalidValue, "used"):
            comm.create(ident, 0, SIZE, contexts[0], timeout=TIMEOUT)

    def test_splits(self):
        contexts = [manyrt.Context("cpu") for _ in range(SIZE)]
        ranks = comm.create_all(contexts, timeout=TIMEOUT)
        with comm.group():
            parts = [made.split(None if made.rank == 1 else 0, key=-made.rank) for made in ranks]
        self.assertIsNone(parts[1])
        self.assertEqual([(parts[at].rank, parts[at].size) for at in (0, 2)], [(1, 2), (0, 2)])
        alone = comm.create_all(contexts[:1])[0]
        self.assertEqual(alone.split(5).size, 1)
        self.assertIsNone(alone.split(None))

    def test_one_rank_comes_from_an_environment_without_a_network(self):
        out = run("import manyrt\nfrom manyrt import comm\nc = comm.create_from_environment(manyrt.Context('cpu'))\n"
                  "print(c.rank, c.size)", RANK="0", WORLD_SIZE="1").communicate(timeout=60)[0]
        self.assertEqual(out, "0 1\n")


class InterfaceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.description = json.loads(RT_COMM_JSON.read_text(encoding="utf-8"))

    def test_every_function_is_reachable(self):
        names = [item["name"] for item in self.description["functions"]]
        self.assertEqual(rt_comm.functions(), names)
        self.assertEqual(sorted(names), _comm_library.functions())
        for item in self.description["functions"]:
            self.assertEqual(len(rt_comm.ffi.typeof(getattr(rt_comm, item["name"])).args), len(item["arguments"]))
            self.assertIn(item["doc"][:20], rt_comm.help(item["name"]))
        for name in rt_comm.constants():
            self.assertIsInstance(getattr(rt_comm, name), int)
        for item in self.description["structs"]:
            self.assertEqual(rt_comm.ffi.sizeof(item["name"]), item["size"])
        with self.assertRaises(AttributeError):
            rt_comm.rtCommNothing  # pylint: disable=pointless-statement

    def test_the_layer_calls_every_function(self):
        source = pathlib.Path(comm.__file__).read_text(encoding="utf-8")
        called = set(re.findall(r"\b(rtComm[A-Z]\w+)", source))
        # The rank's context is the one that it was made with.
        self.assertEqual({item["name"] for item in self.description["functions"]} - called, {"rtCommGetContext"})

    def test_every_type_and_reduction_has_a_name(self):
        enums = {item["name"]: [value["value"] for value in item["values"][1:]] for item in self.description["enums"]}
        self.assertEqual(sorted(set(comm._TYPES.values())), enums["rtCommType"])
        self.assertEqual(sorted(comm.REDUCTIONS.values()), enums["rtCommReduction"])


RANK = """
import sys
import manyrt
from manyrt import comm
with manyrt.Context("cpu") as context, comm.create_from_environment(context, timeout=60) as c:
    x = context.array([c.rank, 1], "float32")
    c.all_reduce(x)
    parts = c.split(c.rank % 2, key=c.rank)
    y = context.array([c.rank])
    parts.all_reduce(y)
    print(c.rank, c.size, x.tolist(), parts.size, y.tolist())
"""
BY_ID = """
import pathlib, sys, time
import manyrt
from manyrt import comm
rank, size, file = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
if rank == 0:
    other = file.with_suffix(".new")
    other.write_bytes(comm.unique_id())
    other.rename(file)
while not file.exists():
    time.sleep(0.001)
with manyrt.Context("cpu") as context, comm.create(file.read_bytes(), rank, size, context, timeout=60) as c:
    x = context.array([rank])
    c.all_reduce(x)
    print(x.tolist())
    if "--killed" in sys.argv:
        if rank == 1:
            import os, signal
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            c.all_reduce(x)
        except manyrt.LaunchFailed as error:
            print("rank", error.rank)
"""
MPI = """
import ctypes, os
import manyrt
from manyrt import comm
mpi = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
got = ctypes.c_int()
mpi.MPI_Init_thread(None, None, 3, ctypes.byref(got))
world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world")))
with manyrt.Context("cpu") as context:
    with comm.create_from_mpi(ctypes.addressof(world), context, timeout=60) as c:
        x = context.array([c.rank + 1])
        c.all_reduce(x)
        os.write(1, f"{c.size} {x.tolist()}\\n".encode())  # at once: print may write the end of the line by itself
mpi.MPI_Finalize()
"""


class ProcessesTest(unittest.TestCase):
    def test_ranks_of_a_launcher_meet(self):
        port = free_port()
        ranks = [run(RANK, RANK=str(rank), WORLD_SIZE="3", LOCAL_RANK=str(rank), LOCAL_WORLD_SIZE="3", MASTER_ADDR="127.0.0.1",
                     MASTER_PORT=str(port - 1), TORCHELASTIC_RUN_ID="test") for rank in range(3)]
        for rank, process in enumerate(ranks):
            out = process.communicate(timeout=100)[0]
            sizes = [2, 1, 2]
            self.assertEqual(out, f"{rank} 3 [3.0, 3.0] {sizes[rank]} {[[2], [1], [2]][rank]}\n")

    def test_processes_share_memory_by_an_id(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        ranks = [run(BY_ID, rank, 2, folder / "id") for rank in range(2)]
        self.assertEqual([process.communicate(timeout=100)[0] for process in ranks], ["[1]\n"] * 2)
        ranks = [run(BY_ID, rank, 3, folder / "other", "--killed") for rank in range(3)]
        texts = [process.communicate(timeout=100)[0] for process in ranks]
        self.assertEqual([texts[0], texts[2]], ["[3]\nrank 1\n"] * 2)

    def test_processes_of_mpi(self):
        mpirun = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
        if mpirun is None or ctypes.util.find_library("mpi") is None:
            self.skipTest("Open MPI is not installed")
        done = subprocess.run([mpirun, "--allow-run-as-root", "--oversubscribe", "-n", "2", sys.executable, "-c", MPI],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, timeout=100)
        if "RT_ERROR_BACKEND_UNAVAILABLE" in done.stdout or "BackendUnavailable" in done.stdout:
            self.skipTest("the engine for MPI was not built")
        self.assertEqual((done.returncode, sorted(done.stdout.splitlines())), (0, ["2 [3]"] * 2), done.stdout)

    def test_the_end_of_the_interpreter_does_not_wait_for_ranks_that_never_come(self):
        out = run("""
import manyrt
from manyrt import comm
contexts = [manyrt.Context("cpu") for _ in range(2)]
ranks = comm.create_all(contexts)
stream = contexts[0].stream()
data = contexts[0].zeros(4)
ranks[0].all_reduce(data, stream=stream)
print("over")
""").communicate(timeout=60)[0]
        self.assertEqual(out, "over\n")

    def test_without_the_library_one_sentence_says_what_is_missing(self):
        code = """
import manyrt
try:
    from manyrt import comm
except manyrt.LibraryError as error:
    print(error)
with manyrt.Context("cpu") as context:
    print(context.array([1]).tolist())
"""
        out = run(code, MANYRT_COMM_LIBRARY="/nowhere/libmanyrt-comm.so").communicate(timeout=60)[0].splitlines()
        self.assertRegex(out[0], "^libmanyrt-comm cannot be opened as '/nowhere/libmanyrt-comm.so' .from MANYRT_COMM_LIBRARY.: "
                                 ".*Install the Debian package libmanyrt-comm0, or set MANYRT_COMM_LIBRARY")
        self.assertEqual(out[1:], ["[1]"])
        out = run(code, MANYRT_COMM_LIBRARY=manyrt.library_path()).communicate(timeout=60)[0].splitlines()
        self.assertRegex(out[0], "has no rtComm.*: it is not libmanyrt-comm, or older than this package")
        self.assertEqual(out[1:], ["[1]"])


if __name__ == "__main__":
    unittest.main()
