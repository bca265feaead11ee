#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The protocols of CUDA memory and streams, on simulated CUDA: DLPack, __cuda_array_interface__, __cuda_stream__.

RT_CUDART names the simulated runtime. Other libraries are played by calls of the runtime, and by capsules of dlpack_capsule.py.
Order is proved with gates: host functions that hold a stream of the driver until the test opens them.
"""

import ctypes
import gc
import os
import sys
import threading
import time
import unittest

import dlpack_capsule
import manyrt
from manyrt import _borrowed, dlpack

NOT_READY, NON_BLOCKING, DEFAULT_COPY = 600, 1, 4
COUNT = 1000
HostFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Cuda:
    """The runtime and the driver, as another library of the process calls them."""

    def __init__(self):
        self.runtime = ctypes.CDLL(os.environ["RT_CUDART"])
        self._kept = []
        self._gates = []

    def call(self, name, *arguments):
        status = getattr(self.runtime, name)(*arguments)
        if status != 0:
            raise RuntimeError(f"{name} returned {status}")

    def driver(self, name, *arguments):
        found, outcome = ctypes.c_void_p(), ctypes.c_int()
        self.call("cudaGetDriverEntryPointByVersion", name.encode(), ctypes.byref(found), 12000, ctypes.c_ulonglong(0),
                  ctypes.byref(outcome))
        return ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * len(arguments))(found.value)(*arguments)

    def stream(self):
        made = ctypes.c_void_p()
        self.call("cudaStreamCreateWithPriority", ctypes.byref(made), NON_BLOCKING, 0)
        return made.value

    def allocate(self, name, *arguments):
        made = ctypes.c_void_p()
        self.call(name, ctypes.byref(made), *arguments)
        return made.value

    def gate(self, stream):
        """Work of the stream that ends when the returned function is called."""
        opened = threading.Event()
        self._gates.append(opened)
        function = HostFunction(lambda _: opened.wait(60))
        self._kept.append(function)
        self.call("cudaLaunchHostFunc", ctypes.c_void_p(stream), function, None)
        return opened.set

    def open_gates(self):
        for gate in self._gates:
            gate.set()

    def busy(self, stream):
        """Whether the stream waits for a gate: without one, what it has would be over by then."""
        end = time.monotonic() + 0.05
        while self.driver("cuStreamQuery", stream) == NOT_READY:
            if time.monotonic() > end:
                return True
        return False

    def synchronize(self, stream):
        self.call("cudaStreamSynchronize", ctypes.c_void_p(stream))

    def copy(self, target, source, nbytes, stream):
        self.call("cudaMemcpyAsync", ctypes.c_void_p(target), ctypes.c_void_p(source), ctypes.c_size_t(nbytes), DEFAULT_COPY,
                  ctypes.c_void_p(stream))

    def live(self):
        return {kind: self.runtime.simulatedCudaLive(kind.encode()) for kind in ("stream", "device memory", "host memory")}


CUDA = Cuda()


def soon(condition):
    """Whether it holds within ten seconds: a thread of the library tells when the last use of memory is over."""
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
        gc.collect()
    return condition()


class Case(unittest.TestCase):
    def setUp(self):
        gc.collect()  # what earlier tests left is not counted
        self.context = manyrt.Context("cuda:0")
        self.addCleanup(self.context.close)
        native = manyrt.rt.ffi.new("uint64_t[2]")
        manyrt.rt.check(manyrt.rt.rtContextGetNative(native, self.context.handle))
        self.assertEqual(CUDA.driver("cuCtxPushCurrent", native[0]), 0)
        self.addCleanup(lambda: CUDA.driver("cuCtxPopCurrent", ctypes.addressof(ctypes.c_void_p())))
        self.consumer = CUDA.stream()
        self.addCleanup(lambda: CUDA.call("cudaStreamDestroy", ctypes.c_void_p(self.consumer)))

    def tearDown(self):
        CUDA.open_gates()
        self.context.synchronize()
        self.assertTrue(soon(lambda: not dlpack._exported and not _borrowed.in_use))
        self.assertEqual(CUDA.runtime.simulatedCudaViolations(), 0)

    def gated(self):
        """An array whose fill with 7 waits in a stream, and what lets it run."""
        array, stream = self.context.zeros(COUNT, "int32"), self.context.stream()
        opens = CUDA.gate(stream.native)
        array.fill(7, stream)
        return array, opens, stream

    def assert_waits(self, stream):
        """New work of a stream of the library waits for a gate."""
        with self.assertRaises(manyrt.Timeout):
            stream.record().synchronize(0.05)

    def assert_sees_the_fill(self, stream, array, opens):
        """Work of a native stream, submitted now, is after the gated fill."""
        target = CUDA.allocate("cudaHostAlloc", ctypes.c_size_t(array.nbytes), 0)
        CUDA.copy(target, array.address, array.nbytes, stream)
        self.assertTrue(CUDA.busy(stream))
        opens()
        CUDA.synchronize(stream)
        self.assertEqual(set((ctypes.c_int32 * COUNT).from_address(target)), {7})
        CUDA.call("cudaFreeHost", ctypes.c_void_p(target))


class AddressTest(Case):
    """Memory of the runtime by its address alone."""

    def test_foreign_memory_with_an_owner(self):
        pointer = CUDA.allocate("cudaMalloc", ctypes.c_size_t(4 * COUNT))
        self.addCleanup(CUDA.call, "cudaFree", ctypes.c_void_p(pointer))
        released = threading.Event()
        made, stream = self.context.from_address(pointer, COUNT, "int32", release=released.set), self.context.stream()
        add = self.context.module("kernel void add(global int *x, int y) { x[get_global_id(0)] += y; }")["add"]
        made.fill(1, stream)
        add[1, 8](stream, made, 5)
        add[1, 4](stream, manyrt.address(pointer), 10)
        self.assertEqual(made.tolist(stream)[:10], [16] * 4 + [6] * 4 + [1] * 2)
        self.assertEqual(manyrt.pointer_info(made)["kind"], "imported")
        self.assertFalse(released.is_set())
        del made
        self.assertTrue(soon(released.is_set))

    def test_a_block_and_handles_of_the_driver(self):
        made, stream = self.context.zeros((4, 8), "int32"), self.context.stream()
        made.copy_block(self.context.array([[1, 2], [3, 4]], "int32"), (2, 2), at=(1, 3), stream=stream)
        self.assertEqual([row[2:6] for row in made.tolist(stream)], [[0] * 4, [0, 1, 2, 0], [0, 3, 4, 0], [0] * 4])
        with manyrt.Context.imported(self.context.native, "cuda:0") as same, self.context.stream() as other:
            self.assertEqual(same.native, self.context.native)
            with self.context.import_event(other.record().native) as event:
                event.synchronize()


class ExportTest(Case):
    def test_the_device_is_that_of_the_memory(self):
        with manyrt.Context("cuda:1") as second:
            made = [(self.context.zeros(3), (2, 0)), (second.zeros(3), (2, 1)), (second.zeros(3, kind="host"), (3, 0)),
                    (second.zeros(3, kind="shared"), (2, 1))]
            for array, device in made:
                with self.subTest(device=device, kind=array.kind):
                    self.assertEqual(array.__dlpack_device__(), device)
                    found = dlpack_capsule.read(array.__dlpack__())
                    self.assertEqual((found["device"], found["address"], found["offset"]), (device, array.address, 0))
                    self.assertEqual((found["shape"], found["strides"], found["dtype"]), ((3,), (1,), (2, 32, 1)))

    def test_managed_and_pinned_memory_is_the_hosts_too_where_that_is_asked_for(self):
        for kind, devices in (("shared", [(13, 0), (1, 0), (2, 0)]), ("host", [(1, 0), (3, 0)])):
            array = self.context.zeros(3, kind=kind)
            for device in devices:
                found = dlpack_capsule.read(array.__dlpack__(dl_device=device, max_version=(1, 1)))
                self.assertEqual((found["device"], found["address"], found["flags"]), (device, array.address, 0))
            with self.assertRaisesRegex(BufferError, "copy it"):
                array.__dlpack__(dl_device=(2, 1))

    def test_a_copy_for_the_host_is_made_in_order_and_marked(self):
        array, opens, _ = self.gated()
        with self.assertRaisesRegex(BufferError, "copy it"):
            array.__dlpack__(dl_device=(1, 0), copy=False)
        opens()
        found = dlpack_capsule.read(capsule := array.__dlpack__(dl_device=(1, 0), max_version=(1, 0)))
        self.assertEqual((found["device"], found["flags"]), ((1, 0), dlpack_capsule.IS_COPIED))
        self.assertEqual(set((ctypes.c_int32 * COUNT).from_address(found["address"])), {7})
        del capsule

    def test_work_of_the_consumer_is_after_that_of_the_array(self):
        for number in (self.consumer, 1, None):  # 2, the thread's own default stream, is none of the simulation's
            with self.subTest(stream=number):
                array, opens, _ = self.gated()
                capsule = array.__dlpack__(stream=number)
                self.assert_sees_the_fill(1 if number is None else number, array, opens)
                del capsule

    def test_where_the_export_itself_may_wait_order_is_kept_too(self):
        """So it runs beside the test: for the host, and for memory that the host sees."""
        for kind, arguments in (("host", {}), ("host", {"stream": self.consumer}), ("shared", {"stream": self.consumer}),
                                ("shared", {"stream": self.consumer, "dl_device": (13, 0)}), ("shared", {"dl_device": (1, 0)})):
            with self.subTest(kind=kind, **arguments):
                array, stream = self.context.zeros(COUNT, "int32", kind=kind), self.context.stream()
                opens = CUDA.gate(stream.native)
                array.fill(7, stream)
                over = threading.Event()

                def consume(array=array, arguments=arguments, over=over):
                    array.__dlpack__(**arguments)
                    if "stream" in arguments:
                        CUDA.synchronize(arguments["stream"])
                    over.set()

                thread = threading.Thread(target=consume)
                thread.start()
                early = over.wait(0.05)
                opens()
                thread.join()
                self.assertFalse(early)
                self.assertEqual(set((ctypes.c_int32 * COUNT).from_address(array.address)), {7})

    def test_no_order_is_made_where_none_is_asked_for(self):
        array, opens, _ = self.gated()
        capsule = array.__dlpack__(stream=-1)
        CUDA.synchronize(self.consumer)
        self.assertFalse(CUDA.busy(self.consumer))
        opens()
        del capsule

    def test_a_stream_that_is_none_is_refused(self):
        array, host = self.context.zeros(3), self.context.zeros(3, kind="host")
        for number in (0, -2):
            with self.assertRaisesRegex(BufferError, "stream"):
                array.__dlpack__(stream=number)
        with self.assertRaisesRegex(BufferError, "kDLCPU, which has none"):
            host.__dlpack__(stream=self.consumer, dl_device=(1, 0))

    def test_work_that_the_library_holds_back_is_submitted_first(self):
        """After a fence, nothing of it is with the driver yet, and a wait of the driver for it would be none."""
        capsules = []

        def by_dlpack(array):
            capsules.append(array.__dlpack__(stream=self.consumer))
            return self.consumer

        for ask in (by_dlpack, lambda array: array.__cuda_array_interface__["stream"]):
            array, stream, gate, told = self.context.zeros(COUNT, "int32"), self.context.stream(), self.context.fence(), []
            stream.wait_fence(gate, 1)
            array.fill(7, stream)
            thread = threading.Thread(target=lambda ask=ask, array=array, told=told: told.append(ask(array)))
            thread.start()
            thread.join(0.05)
            early = list(told)
            gate.signal(1)
            thread.join()
            self.assertFalse(early)
            target = CUDA.allocate("cudaHostAlloc", ctypes.c_size_t(array.nbytes), 0)
            CUDA.copy(target, array.address, array.nbytes, told[0])
            CUDA.synchronize(told[0])
            self.assertEqual(set((ctypes.c_int32 * COUNT).from_address(target)), {7})
            CUDA.call("cudaFreeHost", ctypes.c_void_p(target))
        capsules.clear()

    def test_memory_lives_as_long_as_its_capsule(self):
        before = manyrt.live_handles("allocation")
        own = manyrt.Context("cuda:0")
        array = own.array(range(COUNT), "int32")
        capsule, address = array.__dlpack__(stream=self.consumer), array.address
        array.close()
        own.close()
        target = CUDA.allocate("cudaHostAlloc", ctypes.c_size_t(4 * COUNT), 0)
        CUDA.copy(target, address, 4 * COUNT, self.consumer)
        CUDA.synchronize(self.consumer)
        self.assertEqual(list((ctypes.c_int32 * COUNT).from_address(target)), list(range(COUNT)))
        CUDA.call("cudaFreeHost", ctypes.c_void_p(target))
        self.assertEqual(manyrt.live_handles("allocation"), before + 1)
        del capsule
        self.assertTrue(soon(lambda: manyrt.live_handles("allocation") == before))


class ImportTest(Case):
    def setUp(self):
        super().setUp()
        self.memory = CUDA.allocate("cudaMalloc", ctypes.c_size_t(4 * COUNT))
        self.addCleanup(lambda: CUDA.call("cudaFree", ctypes.c_void_p(self.memory)))

    def tensor(self, shape=(COUNT,), device=(2, 0), **fields):
        return dlpack_capsule.Tensor(self.memory, shape, device=device, **fields)

    def test_a_tensor_comes_in_where_it_lies(self):
        for version in (None, (1, 0), (1, 3)):
            with self.subTest(version=version):
                tensor = self.tensor((10, 5), dtype=(dlpack_capsule.INT, 32, 1), offset=40, version=version)
                array = self.context.from_dlpack(tensor)
                self.assertEqual((array.address, array.shape, array.dtype.name), (self.memory + 40, (10, 5), "int32"))
                self.assertEqual(tensor.asked[0].get("max_version"), None if version is None else (1, 0))
                array.fill(9)
                self.assertEqual(set(sum(array.tolist(), [])), {9})
                array.close()
                self.assertTrue(soon(lambda tensor=tensor: tensor.deleted == 1))

    def test_the_producer_is_told_the_stream_whose_work_comes_later(self):
        stream = self.context.stream()
        for later in (stream, None):
            tensor = self.tensor()
            array = self.context.from_dlpack(tensor, later)
            self.assertEqual(tensor.asked, [{"stream": (later or self.context.default_stream).native}])
            self.assertGreater(tensor.asked[0]["stream"], 2)
            array.close()

    def test_work_of_the_given_stream_is_after_the_producers(self):
        stream, opens = self.context.stream(), []
        tensor = self.tensor()
        tensor.submit = lambda number: opens.append(CUDA.gate(number))
        array = self.context.from_dlpack(tensor, stream)
        self.assert_waits(stream)
        opens[0]()
        stream.synchronize()
        array.close()

    def test_without_a_stream_the_call_waits_for_the_producer(self):
        started, opens, made = threading.Event(), [], []
        tensor = self.tensor()

        def submit(number):
            opens.append(CUDA.gate(number))
            started.set()

        tensor.submit = submit
        thread = threading.Thread(target=lambda: made.append(self.context.from_dlpack(tensor)))
        thread.start()
        started.wait()
        thread.join(0.05)
        early = list(made)
        opens[0]()
        thread.join()
        self.assertFalse(early)
        made.pop().close()

    def test_the_tensor_stays_until_the_last_work_with_it_is_over(self):
        for first in ("array", "context"):
            with self.subTest(closed_first=first):
                own = manyrt.Context("cuda:0")
                stream, tensor = own.stream(), self.tensor()
                array = own.from_dlpack(tensor, stream)
                opens = CUDA.gate(stream.native)
                array.fill(3.0, stream)
                for gone in ((array, own) if first == "array" else (own, array)):
                    gone.close()
                gc.collect()
                self.assertEqual(tensor.deleted, 0)
                opens()
                self.assertTrue(soon(lambda tensor=tensor: tensor.deleted == 1))

    def test_pinned_memory_comes_in_under_each_of_its_names(self):
        pinned = CUDA.allocate("cudaHostAlloc", ctypes.c_size_t(64), 0)
        for said, device in (((3, 0), (3, 0)), ((3, 0), (1, 0)), ((1, 0), (1, 0))):
            tensor = dlpack_capsule.Tensor(pinned, (16,), device=device, said_device=said)
            array = self.context.from_dlpack(tensor)
            self.assertEqual((array.kind, array.address, tensor.asked), ("host", pinned, [{}]))
            array.host()[3] = 5.0
            self.assertEqual(array.tolist()[3], 5.0)
            array.close()
            self.assertTrue(soon(lambda tensor=tensor: tensor.deleted == 1))
        CUDA.call("cudaFreeHost", ctypes.c_void_p(pinned))

    def test_managed_memory_comes_in(self):
        managed = CUDA.allocate("cudaMallocManaged", ctypes.c_size_t(64), 1)
        array = self.context.from_dlpack(dlpack_capsule.Tensor(managed, (16,), device=(13, 0)))
        self.assertEqual((array.kind, array.address), ("shared", managed))
        array.close()
        self.assertTrue(soon(lambda: not _borrowed.in_use))
        CUDA.call("cudaFree", ctypes.c_void_p(managed))

    def test_memory_that_the_device_cannot_use_is_refused_and_left_to_its_owner(self):
        pageable = (ctypes.c_float * 16)()
        with manyrt.Context("cpu") as cpu:
            refused = [(self.context, dlpack_capsule.Tensor(ctypes.addressof(pageable), (16,)), "pageable"),
                       (self.context, self.tensor(device=(2, 1)), "kDLCUDA:1"),
                       (self.context, self.tensor(device=(10, 0)), "10:0"),
                       (cpu, self.tensor(), "kDLCUDA:0")]
            for context, tensor, message in refused:
                with self.subTest(message), self.assertRaisesRegex(BufferError, message):
                    context.from_dlpack(tensor)
                self.assertEqual(tensor.deleted, 0)
        with self.assertRaisesRegex(manyrt.Error, "leave the CUDA allocation"):
            self.context.from_dlpack(self.tensor((COUNT + 1,)))

    def test_a_thousand_round_trips_leave_nothing_behind(self):
        array = self.context.from_dlpack(self.tensor())
        for _ in range(20):  # the first ones may make what the later ones use again
            self.context.from_dlpack(array).close()
        self.assertTrue(soon(lambda: len(_borrowed.in_use) == 1 and not dlpack._exported))
        before, handles = CUDA.live(), manyrt.live_handles()
        for _ in range(1000):
            again = self.context.from_dlpack(array)
            self.assertEqual(again.address, self.memory)
            again.close()
        self.assertTrue(soon(lambda: len(_borrowed.in_use) == 1 and not dlpack._exported))
        # A stream more is one that the library keeps: it lends another where the last one was still busy.
        allowed = {kind: count + (3 if kind == "stream" else 0) for kind, count in before.items()}
        self.assertTrue(soon(lambda: all(count <= allowed[kind] for kind, count in CUDA.live().items())), (before, CUDA.live()))
        self.assertEqual(manyrt.live_handles(), handles)
        array.close()


class CudaArrayTest(Case):
    def test_the_interface_says_all_that_version_3_asks_for(self):
        for kind in ("device", "host", "shared"):
            array = self.context.zeros((4, 5), "float64", kind=kind)
            found = array[1:].__cuda_array_interface__
            self.assertEqual(found, {"version": 3, "shape": (3, 5), "typestr": "<f8", "data": (array.address + 40, False),
                                     "strides": None, "stream": self.context.default_stream.native})
            self.assertGreater(found["stream"], 2)
        self.assertEqual(self.context.empty((0, 5)).__cuda_array_interface__["data"], (0, False))
        with manyrt.Context("cpu") as cpu:
            self.assertFalse(hasattr(cpu.zeros(3), "__cuda_array_interface__"))

    def test_the_stream_of_the_interface_is_after_the_work_of_all_streams(self):
        array, opens, _ = self.gated()
        self.assert_sees_the_fill(array.__cuda_array_interface__["stream"], array, opens)

    def test_an_array_of_another_library_comes_in_after_the_stream_that_it_names(self):
        memory = CUDA.allocate("cudaMalloc", ctypes.c_size_t(4 * COUNT))

        class Other:
            __cuda_array_interface__ = {"version": 3, "shape": (COUNT,), "typestr": "<i4", "data": (memory, False),
                                        "strides": (4,), "stream": self.consumer}

        stream, opens, gone = self.context.stream(), CUDA.gate(self.consumer), []
        other = Other()
        other.__class__.__del__ = lambda _: gone.append(True)
        array = self.context.from_cuda_array(other, stream)
        self.assertEqual((array.address, array.dtype.name), (memory, "int32"))
        array.fill(1, stream)
        self.assert_waits(stream)
        del other
        array.close()
        gc.collect()
        self.assertFalse(gone)
        opens()
        self.assertTrue(soon(lambda: gone))
        self.context.synchronize()
        CUDA.call("cudaFree", ctypes.c_void_p(memory))

    def test_what_does_not_fit_is_refused(self):
        array = self.context.zeros((4, 4))

        def other(**fields):
            return type("Other", (), {"__cuda_array_interface__": {**array.__cuda_array_interface__, **fields}})()

        for fields, message in (({"stream": 0}, "ambiguous"), ({"mask": array}, "mask"), ({"strides": (4, 16)}, "C-contig")):
            with self.subTest(**fields), self.assertRaisesRegex(BufferError, message):
                self.context.from_cuda_array(other(**fields))
        with self.assertRaisesRegex(TypeError, "<c8"):
            self.context.from_cuda_array(other(typestr="<c8"))
        with manyrt.Context("cpu") as cpu, self.assertRaisesRegex(BufferError, "cpu"):
            cpu.from_cuda_array(other())
        read_only = self.context.from_cuda_array(other(data=(array.address, True), strides=None, stream=None))
        self.assertTrue(read_only.readonly)
        self.assertEqual(read_only.__cuda_array_interface__["data"], (array.address, True))
        with self.assertRaisesRegex(manyrt.InvalidValue, "read-only"):
            read_only.fill(1)
        read_only.close()


class StreamTest(Case):
    def test_the_stream_protocol_names_the_stream_of_the_driver(self):
        stream = self.context.stream()
        version, native = stream.__cuda_stream__()
        self.assertEqual((version, native), (0, stream.native))
        opens = CUDA.gate(native)
        self.assert_waits(stream)
        opens()
        stream.synchronize()
        self.assertEqual(self.context.import_stream(self.consumer).__cuda_stream__(), (0, self.consumer))
        with manyrt.Context("cpu") as cpu, self.assertRaisesRegex(TypeError, "cpu"):
            cpu.stream().__cuda_stream__()

    def test_default_streams_come_in_by_their_numbers(self):
        for number, native in ((0, 1), (1, 1)):
            self.assertEqual(self.context.import_stream(number).native, native)

    def test_a_stream_waits_for_what_the_owner_of_an_imported_one_has_submitted(self):
        opens, stream = CUDA.gate(self.consumer), self.context.stream()
        stream.wait(self.context.import_stream(self.consumer))
        self.assert_waits(stream)
        opens()
        stream.synchronize()


if __name__ == "__main__":
    if not hasattr(CUDA.runtime, "simulatedCudaViolations"):
        sys.exit("RT_CUDART does not name the simulated runtime")
    unittest.main()
