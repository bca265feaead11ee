#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a stranger passes: names that do not exist, numbers that do not fit, texts with NUL, objects that nothing holds."""

import asyncio
import copy
import gc
import os
import pickle
import resource
import unittest

import manyrt

try:
    import numpy
except ImportError:
    numpy = None

SOURCE = "kernel void add(global float *x, float f) { x[get_global_id(0)] += f; }"


class BadInputTest(unittest.TestCase):
    def setUp(self):
        self.context = manyrt.Context("cpu")
        self.addCleanup(self.context.close)
        self.stream = self.context.stream()

    def refused(self, error, text, function, *args, **named):
        with self.assertRaises(error) as caught:
            function(*args, **named)
        self.assertIn(text, str(caught.exception))

    def test_texts_with_nul(self):
        module = self.context.module(SOURCE)
        for function, args in ((manyrt.Device, ("cpu\0",)), (module.kernel, ("add\0s",)),
                               (self.context.module, (SOURCE + "\0x",)),
                               (self.context.module, (SOURCE, "-DA\0")), (self.context.load_module, ("a\0.cl",))):
            self.refused(manyrt.InvalidValue, "NUL", function, *args)
        self.refused(manyrt.InvalidValue, "NUL", self.context.stream, label="a\0b")

    def test_a_source_is_a_text(self):
        self.refused(TypeError, "bytes", self.context.module, SOURCE.encode())
        self.refused(TypeError, "None", self.context.module, None)
        self.refused(TypeError, "None", self.context.modules, [SOURCE, None])
        self.refused(manyrt.InvalidValue, "NUL", self.context.modules, [SOURCE, "a\0"])

    def test_names_of_options_that_do_not_exist(self):
        data = self.context.zeros(4)
        with self.stream.capture() as graph:
            data.fill(1, self.stream)
        for function, args, named in (
                (manyrt.devices, ("nonsense",), {}), (manyrt.backend_info, ("nonsense",), {}),
                (manyrt.live_handles, ("nonsense",), {}), (self.context.device.has, ("nonsense",), {}),
                (self.context.pool, (), {"kind": "nonsense"}), (self.context.empty, (3,), {"kind": "nonsense"}),
                (manyrt.Context, ("cpu",), {"wait": "nonsense"}), (graph.make_buffer, (data, "nonsense"), {}),
                (self.context.load_module, ("x.cl",), {"format": "nonsense"})):
            self.refused(manyrt.InvalidValue, "there are", function, *args, **named)

    def test_timeouts(self):
        fence = self.context.fence()
        self.refused(manyrt.InvalidValue, "not a number", fence.wait, 1, float("nan"))
        self.assertRaises(manyrt.Timeout, fence.wait, 1, -1)
        fence.signal(1)
        fence.wait(1, float("inf"))
        self.stream.synchronize(1e300)

    def test_shapes_and_indices_are_whole_numbers(self):
        for shape in (2.0, (2.7,), "12", None, ("1",)):
            self.refused(TypeError, "whole number", self.context.empty, shape)
        array = self.context.array([[1, 2], [3, 4]], "int32")
        for index in (1.0, "1", None, (0, 1), ...):
            self.refused(TypeError, "whole number", array.__getitem__, index)
        self.assertEqual(array[1][0].tolist(), 3)
        self.assertEqual(self.context.zeros((2, 0)).tolist(), [[], []])

    def test_launches(self):
        kernel, data = self.context.module(SOURCE)["add"], self.context.zeros(4)
        self.refused(TypeError, "manyrt.Stream, not None", kernel[1, 4], None, data, 1.0)
        self.refused(TypeError, "integer", kernel.__getitem__, (1, 4, "5"))
        kernel[[1, 1], [4]](self.stream, data, 1.0)
        self.assertEqual(data.tolist(self.stream), [1.0] * 4)

    def test_what_a_stream_does_not_wait_for_or_call(self):
        for other in (None, self.context.fence(), self.context.zeros(1)):
            self.refused(TypeError, "Event or a Stream", self.stream.wait, other)
        self.refused(TypeError, "function", self.stream.call, None)

    def test_the_element_types_of_lists(self):
        self.assertEqual(self.context.array([True, False]).dtype.name, "bool")
        self.assertEqual(self.context.array([True, 2]).dtype.name, "int64")
        if numpy is not None:
            self.assertEqual(self.context.array([numpy.int64(2**60 + 1)]).tolist(), [2**60 + 1])

    @unittest.skipIf(numpy is None, "no numpy")
    def test_numpy_makes_no_array_of_parts_of_memory_that_the_host_cannot_see(self):
        device = manyrt.Context("null:0").zeros(3)
        self.refused(manyrt.NotSupported, "numpy()", numpy.asarray, device)
        data = self.context.zeros((2, 3))
        shared = numpy.asarray(data)
        shared[0, 0] = 5
        self.assertEqual(data.tolist()[0][0], 5.0)
        self.assertEqual(data.__array__("float64").dtype, numpy.float64)

    def test_a_fence_without_a_reference_lives_until_its_signal(self):
        other, gate = self.context.stream(), self.context.fence()
        before = manyrt.live_handles("fence")
        other.wait_fence(gate, 1)
        fence = self.context.fence()
        self.stream.wait_fence(fence, 1)
        other.signal_fence(fence, 1)
        del fence
        gc.collect()
        gate.signal(1)
        self.stream.synchronize(60)
        other.synchronize()
        other.signal_fence(gate, 2)  # looks for fences whose signal is over
        self.assertEqual(manyrt.live_handles("fence"), before)

    def test_one_capture_twice_gives_two_graphs(self):
        capture, data = self.stream.capture(), self.context.zeros(4)
        with capture as first:
            data.fill(1, self.stream)
        with capture as second:
            data.fill(2, self.stream)
            data.fill(3, self.stream)
        self.assertEqual((len(first.nodes), len(second.nodes)), (1, 2))

    def test_close_after_the_end_of_the_context(self):
        context = manyrt.Context("cpu")
        made = [context.stream(), context.event(), context.fence(), context.pool(), context.module(SOURCE), context.zeros(1)]
        context.close()
        for one in made:
            one.close()

    def test_copies_of_objects(self):
        device = self.context.device
        self.assertEqual(pickle.loads(pickle.dumps(device)), device)
        self.assertEqual(copy.deepcopy(device), device)
        for one in (self.context, self.stream, self.context.zeros(1)):
            self.refused(TypeError, "bound to this process", copy.copy, one)
            self.refused(TypeError, "bound to this process", pickle.dumps, one)

    def test_more_waits_than_descriptors(self):
        gate = self.context.fence()
        self.stream.wait_fence(gate, 1)
        events = [self.stream.record() for _ in range(100)]

        async def one(event):
            await event

        async def main():
            waits = [asyncio.ensure_future(one(event)) for event in events]
            await asyncio.sleep(0)  # all of them begin
            gate.signal(1)
            await asyncio.gather(*waits)

        limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        loop = asyncio.new_event_loop()
        resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 20, limit[1]))
        try:
            loop.run_until_complete(main())
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, limit)
            loop.close()


if __name__ == "__main__":
    unittest.main()
