#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Graphs: captures that end well and badly, plans, other buffers and arguments between launches, updates."""

import struct
import unittest

import manyrt

SOURCE = """
kernel void add(global float *x, float y) { x[get_global_id(0)] += y; }
kernel void twice(global float *x) { x[get_global_id(0)] *= 2.0f; }
"""


class GraphsTest(unittest.TestCase):
    def setUp(self):
        self.context = manyrt.Context("cpu")
        self.addCleanup(self.context.close)
        self.stream = self.context.stream()
        module = self.context.module(SOURCE)
        self.add, self.twice, self.half = module["add"][1, 4], module["twice"][1, 4], module["add"][1, 2]

    def capture(self, data, value=1.0):
        with self.stream.capture() as graph:
            self.add(self.stream, data, value)
            self.twice(self.stream, data)
        return graph

    def test_less_memory_may_be_bound_where_a_node_names_no_part(self):
        kernel = self.context.module("kernel void next(global const int *x, global int *y, int n) {"
                                     " int i = get_global_id(0); if (i < n) y[i] = x[i] + 1; }")["next"]
        for part, fits in ((lambda buffer: buffer, True), (lambda buffer: buffer.at(0), True),
                           (lambda buffer: buffer.at(0, 64), False)):
            graph = self.context.graph()
            source, target = graph.add_buffer(64, "input", "source"), graph.add_buffer(64, "output", "target")
            count = graph.add_value("int32", "count")
            graph.add_kernel(kernel[1, 16], manyrt.reads(part(source)), manyrt.writes(part(target)), count)
            exec_, out = graph.instantiate(), self.context.zeros(4, "int32")
            exec_.bind(source, self.context.array([1, 2, 3, 4], "int32"), 16)
            exec_.bind(target, out, 16)
            exec_.bind(count, 4)
            if fits:
                exec_.launch(self.stream)
                self.assertEqual(out.tolist(self.stream), [2, 3, 4, 5])
            else:
                with self.assertRaisesRegex(manyrt.InvalidValue, "uses 64 bytes"):
                    exec_.launch(self.stream)

    def test_buffers_and_values_are_found_by_their_names(self):
        graph, data = self.context.graph(), self.context.zeros(4)
        buffer, value = graph.add_buffer(16, "output", "data"), graph.add_value("float32", "more")
        graph.add_kernel(self.add, buffer, value)
        loaded = self.context.load_graph(graph.save())
        exec_ = loaded.instantiate()
        exec_.bind(loaded.buffer("data"), data)
        exec_.bind(loaded.value("more", "float32"), 2.5)
        exec_.launch(self.stream)
        self.assertEqual(data.tolist(self.stream), [2.5] * 4)
        with self.assertRaises(TypeError):  # a file has no types
            exec_.bind(loaded.value("more"), 2.5)
        with self.assertRaisesRegex(manyrt.NotFound, "no buffer 'date'; there are data"):
            loaded.buffer("date")
        with self.assertRaisesRegex(manyrt.NotFound, "no value 'x'; there are none"):
            self.context.graph().value("x")
        with self.assertRaisesRegex(manyrt.InvalidValue, "has 4 bytes, float64 has 8"):
            loaded.value("more", "float64")

    def test_plan_and_dot(self):
        graph = self.capture(self.context.zeros(4))
        with graph.plan(max_streams=1) as plan:
            self.assertEqual((plan.info["node_count"], plan.info["stream_count"]), (2, 1))
            self.assertEqual([step["stream"] for step in plan.steps], [0, 0])
            plan.instantiate().launch(self.stream)
        self.stream.synchronize()
        self.assertIn("digraph", graph.to_dot())
        self.assertEqual([node.type for node in graph.clone().nodes], ["kernel", "kernel"])

    def test_a_graph_uses_its_memory_until_other_memory_is_bound(self):
        data, other = self.context.zeros(4), self.context.zeros(4)
        graph = self.capture(data)
        buffer = graph.make_buffer(data, "input", "data")
        self.assertEqual((buffer.name, buffer.role, buffer.nbytes), ("data", "input", 16))
        self.assertEqual(len(graph.buffers), 1)
        exec_ = graph.instantiate()
        exec_.launch(self.stream)
        self.assertEqual(data.tolist(self.stream), [2.0] * 4)
        exec_.bind(buffer, other)
        exec_.launch(self.stream)
        self.assertEqual((data.tolist(self.stream), other.tolist()), ([2.0] * 4, [2.0] * 4))
        with self.assertRaisesRegex(manyrt.InvalidValue, "'data' takes 16 bytes, the array has 8"):
            exec_.bind(buffer, self.context.zeros(2))
        exec_.bind(buffer, self.context.zeros(2), 8)
        exec_.set_kernel(graph.nodes[0], self.add, data, 1.0)

    def build(self):
        """x = x + first; y = x; y = y + second, and y of it from the middle on + second."""
        graph = self.context.graph()
        x, y = graph.add_buffer(16, "input", "x"), graph.add_buffer(16, "output", "y")
        first, second = graph.add_value("float32", "first"), graph.add_value("float32", "second", 1)
        graph.add_kernel(self.add, x, first)
        graph.add_copy(y, x)
        graph.add_kernel(self.add, manyrt.updates(y), second)
        graph.add_kernel(self.half, y.at(8), second)
        return graph, x, y, first, second

    def test_a_value_is_bound_once_for_all_nodes_that_use_it(self):
        graph, x, y, first, second = self.build()
        self.assertEqual([node.type for node in graph.nodes], ["kernel", "memcpy", "kernel", "kernel"])
        self.assertEqual([(value.name, value.nbytes, value.has_initial) for value in graph.values],
                         [("first", 4, False), ("second", 4, True)])
        exec_ = graph.instantiate()
        data, result = self.context.zeros(4), self.context.zeros(4)
        exec_.bind(x, data)
        exec_.bind(y, result)
        with self.assertRaisesRegex(manyrt.InvalidValue, 'The value "first" is not bound'):
            exec_.launch(self.stream)
        exec_.bind(first, 10)
        exec_.launch(self.stream)
        self.assertEqual(result.tolist(self.stream), [11.0, 11.0, 12.0, 12.0])
        exec_.bind(second, 2.5)
        exec_.launch(self.stream)
        self.assertEqual(result.tolist(self.stream), [22.5, 22.5, 25.0, 25.0])
        with self.assertRaisesRegex(manyrt.InvalidValue, "'second' is a number of type float32"):
            exec_.bind(second, 1e300)
        with self.assertRaisesRegex(manyrt.InvalidValue, 'The value "second" has 4 bytes; 8 were given.'):
            exec_.bind(second, b"12345678")
        with self.assertRaisesRegex(TypeError, "'second' takes a number of type float32, or bytes"):
            exec_.bind(second, "x")

    def test_a_node_that_was_set_follows_what_is_bound_later(self):
        graph, x, y, first, second = self.build()
        exec_ = graph.instantiate()
        data, result, other = self.context.zeros(4), self.context.zeros(4), self.context.zeros(4)
        for target, given in ((x, data), (y, result), (first, 1)):
            exec_.bind(target, given)
        exec_.set_kernel(graph.nodes[2], self.add, y, first)  # the other value
        exec_.set_kernel(graph.nodes[3], self.half, y, second)  # from the beginning on
        exec_.bind(y, other)
        exec_.bind(first, 5)
        exec_.launch(self.stream)
        self.assertEqual(other.tolist(self.stream), [11.0, 11.0, 10.0, 10.0])
        self.assertEqual(result.tolist(), [0.0] * 4)
        exec_.set_kernel(graph.nodes[2], self.add, result, 7.0)  # an array stays
        exec_.bind(y, data)
        self.assertRaises(manyrt.InvalidValue, exec_.launch, self.stream)  # the copy is one onto itself
        exec_.bind(y, other)
        exec_.launch(self.stream)
        self.assertEqual(result.tolist(self.stream), [7.0] * 4)

    def test_values_of_a_graph_in_a_graph(self):
        inner, x, y, first, second = self.build()
        graph = self.context.graph()
        data, result = self.context.zeros(4), self.context.zeros(4)
        step = graph.add_value("float32", "step")
        event, fence = self.context.event(), self.context.fence()
        begin = graph.add_fill(data, 0.0, after=[])
        child = graph.add_graph(inner, {x: data, y: result}, {first: step, second: 3}, after=[begin])
        graph.add_event_record(event, after=[child])
        graph.add_fence_signal(fence, 5, after=[graph.add_empty([child])])
        exec_ = graph.instantiate()
        exec_.bind(step, 4)
        exec_.launch(self.stream)
        event.synchronize()
        fence.wait(5)
        self.assertEqual(result.tolist(self.stream), [7.0, 7.0, 10.0, 10.0])
        with self.assertRaisesRegex(manyrt.InvalidValue, 'The child\'s value "first" is not bound'):
            graph.add_graph(inner, {x: data, y: result})

    def test_a_value_that_does_not_fit_is_refused(self):
        graph = self.context.graph()
        x = graph.add_buffer(16, "input", "x")
        whole, wide = graph.add_value("int32", "whole"), graph.add_value(8, "wide")
        with self.assertRaisesRegex(TypeError, "argument 1 'y' .* takes a value of type float32"):
            graph.add_kernel(self.add, x, whole)
        with self.assertRaisesRegex(TypeError, "takes 4 bytes, the value has 8"):
            graph.add_kernel(self.add, x, wide)
        with self.assertRaisesRegex(TypeError, "is a pointer"):
            graph.add_kernel(self.add, whole, 1.0)
        graph.add_kernel(self.add, x, 1.0)
        with self.assertRaisesRegex(manyrt.InvalidValue, 'The value "whole" is used by no node'):
            graph.instantiate()
        with self.assertRaisesRegex(manyrt.InvalidValue, "'short' has 8 bytes, 2 were given"):
            graph.add_value(8, "short", b"12")

    def test_nodes_that_only_read_have_no_order(self):
        copies = self.context.module("kernel void copy(global const float *x, global float *y) {"
                                     " y[get_global_id(0)] = x[get_global_id(0)]; }")["copy"][1, 4]
        graph = self.context.graph()
        x = graph.add_buffer(16, "constant", "x")
        results = [self.context.zeros(4) for _ in range(3)]
        outputs = [graph.add_buffer(16, "output", "y") for _ in results]
        for output in outputs:
            graph.add_kernel(copies, manyrt.reads(x), manyrt.writes(output))
        with graph.plan() as plan:
            self.assertEqual((plan.info["level_count"], plan.info["dependency_count"]), (1, 0))
            exec_ = plan.instantiate()
        exec_.bind(x, self.context.array([1, 2, 3, 4], "float32"))
        for output, result in zip(outputs, results):
            exec_.bind(output, result)
        exec_.launch(self.stream)
        self.assertEqual([result.tolist(self.stream) for result in results], [[1.0, 2.0, 3.0, 4.0]] * 3)

    def test_a_loaded_graph_has_its_values(self):
        graph = self.build()[0]
        loaded = self.context.load_graph(graph.save())
        first, second = loaded.values
        exec_ = loaded.instantiate()
        data, result = self.context.zeros(4), self.context.zeros(4)
        for buffer, array in zip(loaded.buffers, (data, result)):
            exec_.bind(buffer, array)
        exec_.bind(first, struct.pack("<f", 2.0))
        exec_.launch(self.stream)
        self.assertEqual(result.tolist(self.stream), [3.0, 3.0, 4.0, 4.0])
        with self.assertRaisesRegex(TypeError, "'second' takes bytes"):
            exec_.bind(second, 1.0)

    def test_a_node_takes_other_arguments(self):
        data = self.context.zeros(4)
        graph = self.capture(data)
        exec_ = graph.instantiate()
        exec_.set_kernel(graph.nodes[0], self.add, data, 5.0)
        exec_.launch(self.stream)
        self.assertEqual(data.tolist(self.stream), [10.0] * 4)
        with self.assertRaisesRegex(TypeError, "argument 1 'y'"):
            exec_.set_kernel(graph.nodes[0], self.add, data, "x")

    def test_update_takes_all_parameters_of_another_graph(self):
        data, other = self.context.zeros(4), self.context.zeros(4)
        exec_ = self.capture(data).instantiate()
        exec_.update(self.capture(other, 3.0))
        exec_.launch(self.stream)
        self.assertEqual((data.tolist(self.stream), other.tolist()), ([0.0] * 4, [6.0] * 4))
        with self.stream.capture() as shorter:
            self.twice(self.stream, data)
        with self.assertRaises(manyrt.InvalidValue):
            exec_.update(shorter)

    def test_an_exception_in_the_block_leaves_the_stream_usable(self):
        before = manyrt.live_handles("graph")
        with self.assertRaisesRegex(KeyError, "inside"):
            with self.stream.capture() as graph:
                self.add(self.stream, self.context.zeros(4), 1.0)
                raise KeyError("inside")
        self.assertFalse(self.stream.capturing)
        self.assertTrue(graph.closed)
        self.assertEqual(manyrt.live_handles("graph"), before)
        with self.assertRaises(manyrt.InvalidHandle):
            graph.instantiate()
        self.stream.synchronize()

    def test_what_cannot_be_recorded_is_refused_and_the_capture_goes_on(self):
        data = self.context.zeros(4)
        with self.stream.capture() as graph:
            with self.assertRaises(manyrt.CaptureUnsafe):
                self.stream.synchronize()
            with self.assertRaisesRegex(manyrt.CaptureUnsafe, "host"):
                data.copy_from([1, 2, 3, 4], self.stream)
            with self.assertRaises(manyrt.CaptureUnsafe):
                data.tobytes(self.stream)
            with self.assertRaises(manyrt.Busy):
                self.stream.capture().__enter__()
            self.twice(self.stream, data)
        self.assertEqual(len(graph.nodes), 1)

    def test_other_streams_join(self):
        other, data = self.context.stream(), self.context.zeros(4)
        with self.stream.capture() as graph:
            self.add(self.stream, data, 1.0)
            other.wait(self.stream.record())
            self.twice(other, data)
            self.stream.wait(other.record())
        graph.instantiate().launch(self.stream)
        self.assertEqual(data.tolist(self.stream), [2.0] * 4)
        with self.assertRaises(manyrt.CaptureInvalidated):
            with self.stream.capture():
                other.wait(self.stream.record())
                self.twice(other, data)

    def test_a_stream_closed_inside_its_capture_is_told(self):
        with self.assertRaises(manyrt.InvalidHandle):
            with self.stream.capture():
                self.stream.close()

    def test_a_graph_keeps_what_it_names(self):
        data = self.context.zeros(4)
        exec_ = self.capture(data).instantiate()
        view = data.host()
        data.close()
        exec_.launch(self.stream)
        self.stream.synchronize()
        self.assertEqual(view.tolist(), [2.0] * 4)


if __name__ == "__main__":
    unittest.main()
